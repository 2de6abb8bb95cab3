//! What went wrong, where, and how it is shown.
//!
//! A language crate makes [`Diagnostic`]s: data with spans into a [`SourceMap`]. The renderers turn them into text:
//! [`terminal`] for people, [`short`] for people with little room, [`build_log`] for tools that read the output of
//! compilers, [`json`] for scripts, [`sarif`] for code scanning, [`github`] and [`junit`] for continuous integration.
//!
//! This crate never decides what is wrong, never reads a file, and knows no language.

pub mod bound;
pub mod build_log;
mod diagnostic;
mod duration;
mod fix;
pub mod github;
pub mod json;
pub mod junit;
mod line_index;
mod printable;
pub mod sarif;
pub mod short;
mod source;
mod span;
mod suggest;
mod summary;
pub mod terminal;
mod text;
mod uri;
mod words;

pub use diagnostic::{Diagnostic, Label, Severity, sort};
pub use duration::duration_words;
pub use fix::{Edit, Fix, apply, splice};
pub use line_index::{Columns, LineIndex, Position};
pub use printable::line as printable;
pub use source::{Extent, SourceFile, SourceMap};
pub use span::{FileId, Span};
pub use suggest::{distance, suggest, suggest_without_swaps};
pub use summary::Summary;
pub use text::Text;
pub use words::{Message, sentence};
