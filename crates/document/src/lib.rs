//! JSON and YAML text to one document: spanned, ordered, with exact numbers, in bounded time and memory.
//!
//! A [`Document`] owns its source text and one flat array of nodes in document order. A [`SourceValue`] is a copyable
//! handle on one node and is what a contract is checked on (`value::View`). Reading stops at the first
//! mistake with a [`ReadError`], which says what stands where and what to write instead; [`ReadLimits`] bound what
//! a hostile text can cost. The crate does no IO: the caller reads files and numbers them.
//!
//! # Numbers
//!
//! | literal | node |
//! |---|---|
//! | an integer from `i64::MIN` to `i64::MAX`; `-0` is `0` | `Int` |
//! | an integer above that, up to `u64::MAX` | `UInt` |
//! | with fraction or exponent, at most 15 significant digits, zero or a normal double | `Float` |
//! | everything else | `Decimal`, the literal itself |
//!
//! `1.0` and `1e3` are `Float`: whether they count as integers is the contract's decision, not the reader's.
//! Fifteen digits is what every double gives back unchanged, so a `Float` never differs from what was written.
//!
//! # YAML
//!
//! Plain scalars are resolved by the core schema of YAML 1.2: `yes`, `no`, `on` and `off` are strings, `0o17`
//! and `0x1F` integers of up to 64 bits, `.inf` and `.nan` floats; all other numbers are as exact as in JSON.
//!
//! - **Keys** are text: a key that is another scalar (`1`, `true`, `~`) is its text as written. Lists and
//!   mappings as keys are errors, and so are two keys of the same text in one mapping.
//! - **Tags** of the core schema (`!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!seq`, `!!map`) hold, or are
//!   errors where the value is none of that kind. Any other tag is an error.
//! - **Aliases** stand for a copy of the anchored value, whose places are those of the anchored text. How much
//!   they may copy is [limited](ReadLimits::alias_nodes); an alias inside the value it stands for is an error.
//! - **Merge keys**: a plain `<<` with an alias of a mapping, or a list of such aliases, adds the members that
//!   the mapping does not have itself, behind its own ones; of several mappings, the first with a name wins.

mod build;
mod document;
mod error;
pub mod findings;
mod format;
mod index;
mod json;
mod limits;
mod node;
mod node_tables;
mod number;
mod pointer;
mod print;
mod source;
mod value;
mod yaml;

#[cfg(test)]
mod tests;

pub use diagnostics::FileId;
pub use document::{Document, NodeId};
pub use error::{ReadError, ReadErrorKind};
pub use format::{format_json, format_yaml};
pub use json::JsonOptions;
pub use limits::ReadLimits;
pub use source::DocumentText;
pub use value::{ElementIter, SourceMembers, SourceValue};
