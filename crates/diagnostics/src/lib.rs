//! What went wrong, where, and how it is shown.
//!
//! This crate never decides what is wrong, never reads a file, and knows no language.

mod line_index;
mod source;
mod span;

pub use line_index::{Columns, LineIndex, Position};
pub use source::{Extent, SourceFile, SourceMap};
pub use span::{FileId, Span};
