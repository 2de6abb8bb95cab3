//! The contract model: shapes, rules and operands that every dialect lowers to.
//!
//! A dialect builds a [`Shape`], [`Contract::compile`] turns it into a program, and the program checks any
//! value that implements [`View`]. Start reading at `shape` for the model, at `rules` for what can be asked of
//! a value, at `valid` for how it is asked.
//!
//! This crate reads no files and knows no dialect but its own JSON form (`json`).

mod check;
mod compare;
mod compile;
mod constant;
mod contract;
mod flaw;
pub mod format;
mod host;
pub mod json;
mod judge;
mod kind;
mod limits;
mod members;
mod memo;
mod names;
pub mod number;
mod operand;
mod path;
pub mod pattern;
mod program;
mod range;
mod report;
pub mod rules;
mod scope;
mod secret;
mod shape;
mod show;
mod text;
mod valid;
mod veil;
mod view;
mod violation;

pub use constant::Constant;
pub use contract::{Checker, Contract, Entry};
pub use flaw::{Flaw, FlawCode};
pub use host::{AnyView, Argument, Host, Plain, Signature, Tested, len};
pub use kind::{Kind, Kinds};
pub use limits::{Limits, Order};
pub use number::IntWidth;
pub use operand::{Base, Operand, Reference, Step};
pub use path::{Path, PathStep};
pub use rules::{Custom, Presence, Rule, Rules, Test, Unit};
pub use shape::{
    Additional, Definitions, Enum, Form, Object, Property, Requirement, Select, Shape, Tuple, Union,
};
pub use show::MASK;
pub use view::{Node, View};
pub use violation::Violation;
