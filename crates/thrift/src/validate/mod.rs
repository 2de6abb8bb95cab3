//! Messages against rules, on the bytes, with no code generated and no value built.
//!
//! [`Validator::new`] makes a plan per struct from the lowered rules (`plan`), and from it what `quick` runs over
//! the bytes of a message: yes, or ask again. Most messages are valid, and there it ends. Otherwise `walk` runs the
//! plan over a reader in one pass: what has no rules is skipped, scalars are tested where they stand, and only
//! rules that refer to other fields wait for the end of their struct, where they look at it through `view`. A
//! message that breaks a rule is walked once more, to say which (`Order::Declared`: the order of the IDL, not of the
//! bytes). JSON, which is text with escapes, knows no quick walk.

mod plan;
mod quick;
mod relation;
mod value;
mod view;
mod walk;

use std::sync::Arc;

use contract::{Checker, Constant, Contract, Order, Violation};

use crate::Diagnostic;
use crate::model::{Model, StructId};
use crate::rules::{Functions, RuleConfig, lower};
use crate::wire::{
    BinaryReader, CompactReader, InPlace, JsonReader, Limits, Protocol, Reader, WireError, WireErrorKind,
};

use plan::Plans;
use quick::{Quick, QuickWalk};
use view::WireView;

pub use plan::wire_type;

/// What to do with a known field that has another type on the wire than in the IDL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WrongType {
    /// It counts as absent, as it does for most readers.
    #[default]
    Absent,
    /// The message is refused.
    Refuse,
}

/// How messages are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValidateConfig {
    /// Bounds for hostile bytes.
    pub limits: Limits,
    /// What a field of another type means.
    pub wrong_type: WrongType,
}

/// Why a message does not pass.
#[derive(Clone, Debug, PartialEq)]
pub enum Rejection {
    /// The bytes are no message of that type.
    Wire(WireError),
    /// A required field is not there.
    MissingField {
        /// The struct.
        structure: Arc<str>,
        /// The field.
        field: Box<str>,
    },
    /// Rules are broken; at least one.
    Rules(Vec<Violation>),
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rejection::Wire(error) => error.fmt(f),
            Rejection::MissingField { structure, field } => {
                write!(f, "{structure}.{field}: the required field is not there")
            }
            Rejection::Rules(violations) => {
                for (index, violation) in violations.iter().enumerate() {
                    if index > 0 {
                        f.write_str("; ")?;
                    }
                    write!(f, "{}: {}", violation.path, violation.message)?;
                }
                Ok(())
            }
        }
    }
}

/// How many violations are wanted of a message that breaks rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The first, in the order of the IDL.
    First,
    /// All of them.
    All,
}

/// Which walk comes first.
#[derive(Clone, Copy)]
enum Effort {
    Quick,
    Thorough,
}

/// The rules of a program, ready to be run over bytes.
#[derive(Clone, Debug)]
pub struct Validator {
    plans: Plans,
    quick: Quick,
    contract: Contract,
    config: ValidateConfig,
}

impl Validator {
    /// Compiles the rules of a program. Without a contract there is no validator, and the diagnostics say why.
    pub fn new(
        model: &Model,
        rules: &RuleConfig,
        config: ValidateConfig,
        functions: &Functions,
    ) -> (Option<Validator>, Vec<Diagnostic>) {
        let (mut lowered, mut found) = lower(model, rules, functions);
        if found.iter().any(Diagnostic::is_error) {
            return (None, found);
        }
        let drafts = plan::draft(model, &mut lowered);
        let (contract, more) = lowered.compile(functions);
        found.extend(more);
        let Some(contract) = contract else { return (None, found) };
        let plans = plan::finish(drafts, &contract, functions);
        let quick = Quick::new(&plans, &config.limits);
        (Some(Validator { plans, quick, contract, config }), found)
    }

    /// The name under which a struct's rules are kept.
    pub fn name(&self, id: StructId) -> Option<&str> {
        self.plans.get(id).map(|plan| &*plan.definition)
    }

    /// Validates one struct, bare, at the start of the bytes, and tells how many bytes it took.
    pub fn validate(
        &self,
        id: StructId,
        protocol: Protocol,
        bytes: &[u8],
        functions: &Functions,
        want: Want,
    ) -> Result<usize, Rejection> {
        self.run(Effort::Quick, id, protocol, bytes, functions, want)
    }

    /// The same without the quick walk, which is held against it in tests.
    pub fn validate_thoroughly(
        &self,
        id: StructId,
        protocol: Protocol,
        bytes: &[u8],
        functions: &Functions,
        want: Want,
    ) -> Result<usize, Rejection> {
        self.run(Effort::Thorough, id, protocol, bytes, functions, want)
    }

    fn run(
        &self,
        effort: Effort,
        id: StructId,
        protocol: Protocol,
        bytes: &[u8],
        functions: &Functions,
        want: Want,
    ) -> Result<usize, Rejection> {
        let limits = self.config.limits;
        match protocol {
            Protocol::Binary => {
                self.run_in_place(effort, id, BinaryReader::new(bytes, limits), functions, want)
            }
            Protocol::Compact => {
                self.run_in_place(effort, id, CompactReader::new(bytes, limits), functions, want)
            }
            Protocol::Json => self.run_json(id, bytes, functions, want),
        }
    }

    fn run_in_place<'b, R: InPlace<'b>>(
        &self,
        effort: Effort,
        id: StructId,
        mut reader: R,
        functions: &Functions,
        want: Want,
    ) -> Result<usize, Rejection> {
        match effort {
            Effort::Quick => self.validate_at(id, &mut reader, functions, want),
            Effort::Thorough => self.walk_through(id, &mut reader, functions, want),
        }?;
        Ok(reader.offset())
    }

    /// Validates the struct at which a reader stands, which is left behind it if the struct passes.
    pub fn validate_at<'b, R: InPlace<'b>>(
        &self,
        id: StructId,
        reader: &mut R,
        functions: &Functions,
        want: Want,
    ) -> Result<(), Rejection> {
        let quick = QuickWalk {
            quick: &self.quick,
            contract: &self.contract,
            functions,
            limits: &self.config.limits,
            wrong_type: self.config.wrong_type,
        };
        if quick.passes(id, reader) {
            return Ok(());
        }
        self.walk_through(id, reader, functions, want)
    }

    /// Validates with a walk that knows what it found.
    #[cold]
    fn walk_through<'b, R: InPlace<'b>>(
        &self,
        id: StructId,
        reader: &mut R,
        functions: &Functions,
        want: Want,
    ) -> Result<(), Rejection> {
        let start = *reader;
        let mut walk = self.walk(functions);
        match walk.structure(id, reader) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.reject(walk.missing, id, functions, want, |checker, want| {
                collect(checker, WireView::structure(start), want)
            })),
            Err(error) => Err(Rejection::Wire(error)),
        }
    }

    /// JSON is text with escapes: what must be looked at twice is copied.
    fn run_json(
        &self,
        id: StructId,
        bytes: &[u8],
        functions: &Functions,
        want: Want,
    ) -> Result<usize, Rejection> {
        let start = JsonReader::new(bytes, self.config.limits);
        let mut reader = start;
        let mut walk = self.walk(functions);
        match walk.structure_by_value(id, &mut reader) {
            Ok(true) => Ok(reader.offset()),
            Ok(false) => {
                let value = value::read_known(&mut { start }, &self.plans.binaries, id);
                let value = value.map_err(Rejection::Wire)?;
                Err(self.reject(walk.missing, id, functions, want, |checker, want| {
                    collect(checker, &value, want)
                }))
            }
            Err(error) => Err(Rejection::Wire(error)),
        }
    }

    fn walk<'w>(&'w self, functions: &'w Functions) -> walk::Walk<'w> {
        walk::Walk {
            plans: &self.plans,
            contract: &self.contract,
            functions,
            wrong_type: self.config.wrong_type,
            missing: None,
        }
    }

    fn reject(
        &self,
        missing: Option<(StructId, u32)>,
        id: StructId,
        functions: &Functions,
        want: Want,
        collect: impl FnOnce(Checker<'_>, Want) -> Vec<Violation>,
    ) -> Rejection {
        if let Some((id, position)) = missing {
            let structure = self.plans.get(id).map(|plan| plan.definition.clone()).unwrap_or_default();
            let field = self.plans.get(id).map(|plan| plan.field_name(position)).unwrap_or_default();
            return Rejection::MissingField { structure, field };
        }
        let checker = self.plans.get(id).and_then(|plan| self.contract.definition(&plan.definition));
        let found = checker.map(|checker| collect(checker.host(functions).order(Order::Declared), want));
        match found {
            Some(violations) if !violations.is_empty() => Rejection::Rules(violations),
            // The two walks disagree, which is a mistake of ours; the message is refused all the same.
            _ => Rejection::Wire(WireError { offset: 0, kind: WireErrorKind::BadFrame }),
        }
    }
}

fn collect<'v, V: contract::View<'v>>(checker: Checker<'_>, value: V, want: Want) -> Vec<Violation> {
    match want {
        Want::First => checker.first_violation(value).into_iter().collect(),
        Want::All => checker.violations(value),
    }
}

/// A struct as a value, for those who want one: members by number.
pub fn read_value<'b, R: Reader<'b>>(reader: &mut R) -> Result<Constant, WireError> {
    value::read_struct(reader)
}
