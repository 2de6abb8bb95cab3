//! Answers to the questions of an editor: what stands here, where does it come from, what could be written.
//!
//! Each question is a function in a file of its own that takes a [`Compiler`](crate::Compiler), the path of a file and
//! an offset in bytes, and gives plain values; who speaks a protocol converts them. An offset beyond the text is its
//! end, and a program with mistakes is answered as far as it can be understood.

#[allow(dead_code, reason = "the questions that need all of it follow")]
mod cursor;
mod display;
mod symbols;

pub use symbols::{DeclarationKind, DocumentSymbol, document_symbols};
