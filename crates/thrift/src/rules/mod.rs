//! Rules: from `vt.*` annotations to contracts.
//!
//! [`lower`] turns a resolved program into shapes: one definition per struct, a rule per annotation, with the
//! place and the spelling of each. `table` lists the validators, `key` reads annotation keys, `value` reads
//! what stands behind them, `shapes` puts both on types, `functions` is the host that knows the tool functions,
//! `declared` what is known of functions whose code is somewhere else.

mod absent_value;
mod declared;
mod defaults;
mod formats;
mod functions;
mod infix;
mod key;
mod listing;
mod reference;
mod shapes;
mod table;
mod typedefs;
mod vacuous;
mod value;

pub use declared::{Declaration, Declarations, DeclaredType, DeclaredTypes};
pub use functions::{FUNCTIONS, Functions, ToolFunction, UserFunction};
pub use key::did_you_mean;
pub use reference::{function_page, page, validator_page};
pub use shapes::{Lowered, lower};
pub use table::{AbsentOperand, VALIDATORS, Validator};
pub use typedefs::count_rules;

/// Which implementation to follow where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compat {
    /// The proposal, and what was decided where it is silent.
    #[default]
    Proposal,
    /// The Go code of thrift-gen-validator: unset containers are empty ones.
    Go,
    /// Apache's generator: repeated `in` rules must all hold.
    Apache,
}

/// Whether rules of structs apply where the structs are elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ElementRecursion {
    /// Always, unless `vt.elem.skip` says otherwise.
    #[default]
    Always,
    /// Only where some rule on the elements is written, as kitex does it.
    Kitex,
}

/// The dialect of `pattern`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PatternDialect {
    /// RE2 as Go writes it.
    #[default]
    Re2,
    /// POSIX basic expressions, as the proposal's text has it.
    Bre,
}

/// What becomes of a value whose rule calls a function that is only declared, where such functions cannot run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UndefinedFunctions {
    /// It breaks the rule: a check that could not run is a failed check.
    #[default]
    Refuse,
    /// It passes unchecked, which [`Functions::take_unchecked`] tells.
    Pass,
}

/// How annotations are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleConfig {
    /// Which implementation to follow where they differ.
    pub compat: Compat,
    /// Whether rules of structs apply to elements.
    pub elements: ElementRecursion,
    /// The dialect of `pattern`.
    pub pattern: PatternDialect,
    /// What becomes of values whose rules cannot run.
    pub undefined_functions: UndefinedFunctions,
}
