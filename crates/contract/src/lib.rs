//! The contract model: shapes, rules and operands that every dialect lowers to.
//!
//! A dialect builds a [`Shape`], [`Contract::compile`] turns it into a program, and the program checks any
//! value that implements [`View`]. Start reading at `shape` for the model, at `rules` for what can be asked of
//! a value, at `valid` for how it is asked.
//!
//! This crate reads no files and knows no dialect but its own JSON form (`json`).

mod admit;
mod boundary;
mod branch;
mod check;
mod checker;
mod compare;
mod compile;
mod contract;
pub mod findings;
mod flaw;
pub mod format;
mod gate_id;
mod host;
pub mod json;
mod judge;
mod limits;
mod masked_value;
mod members;
mod memo;
mod names;
mod operand;
#[cfg(test)]
mod oracle;
pub mod pattern;
mod program;
mod range;
mod report;
pub mod rules;
pub mod sample;
mod scope;
mod secret;
mod shape;
mod stranger;
mod text;
mod valid;
mod violation;
mod walk;
mod words;

pub use admit::{Admitted, OpenTerms, Terms, admit};
pub use boundary::Boundary;
pub use checker::{Checker, Verdict};
pub use contract::{Contract, DefinitionHandle};
pub use flaw::{Flaw, FlawCode};
pub use host::{AnyView, Argument, Host, Plain, Signature, Tested, len};
pub use limits::{CheckLimits, Order};
pub use operand::{Base, Operand, Reference, ReferenceStep};
pub use rules::{Conditional, Containment, Custom, Dependent, Presence, Rule, Rules, Test, Unit};
pub use shape::{
    Additional, Definitions, Enum, Form, Object, Property, Requirement, Select, Shape, ShapeNotes, Tuple,
    Union,
};
pub use value::show::short_name;
pub use value::{Constant, IntWidth, Kinds, MASK, Node, Path, PathStep, ValueKind, View, number};
pub use violation::{BrokenRule, Expected, ExpectedKind, ExpectedTexts, Violation};
