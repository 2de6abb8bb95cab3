//! JSON and YAML text to one document: spanned, ordered, with exact numbers, in bounded time and memory.
//!
//! A [`Document`] owns its source text and one flat array of nodes in document order. A [`Value`] is a copyable
//! handle on one node and is what a contract is checked on ([`contract::View`]). Reading stops at the first
//! mistake with a [`ReadError`], which says what stands where and what to write instead; [`Limits`] bound what
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

mod build;
mod document;
mod error;
mod index;
mod json;
mod limits;
mod node;
mod number;
mod pointer;
mod print;
mod source;
mod value;

#[cfg(test)]
mod tests;

pub use document::Document;
pub use error::{Problem, ReadError};
pub use json::JsonOptions;
pub use limits::Limits;
pub use source::Source;
pub use value::{Items, Members, Value};
