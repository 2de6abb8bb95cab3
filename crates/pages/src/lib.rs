//! HTML for people. A [`Report`] becomes one file that needs nothing beside it: no script, no request, no font. [`ui`] has the pages of the server.
//!
//! Templates are Rust: `maud` checks them when they are compiled, and whatever is put into one is text. What strangers write (names, messages,
//! values) goes through [`clean`] as well, so that it cannot turn the direction of the text around it.
//!
//! Nothing here reads a file or a clock.

mod findings;
mod report;
mod style;
mod tests_report;
mod text;
mod timeline;
pub mod ui;

pub use findings::{DiagnosticView, Group};
pub use report::{Output, Report, Status, report};
pub use tests_report::{ReachedLine, ReachedProgram, TestRow, TestsOfFile, TestsPage, tests_report};
pub use text::clean;
pub use timeline::{TimelineRow, Wait};
