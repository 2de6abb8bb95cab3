//! Runs Markdown documents as specifications.
//!
//! A document is read by people first: headings name the cases, prose says what holds and why, and fenced
//! blocks are either files that a case starts from or the output that it must end with. The format is
//! described in `docs/spec-documents.md` and specified in this crate's own `resources/specs`.
//!
//! A crate uses it from a test target with `harness = false`:
//!
//! ```no_run
//! use spec_test::{Case, CaseOutput};
//!
//! fn run(case: &Case) -> CaseOutput {
//!     match case.file("main.json") {
//!         Some(file) => CaseOutput::new().output("output", file.text.to_uppercase()),
//!         None => CaseOutput::error("a case needs a file `main.json`"),
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     spec_test::main("resources/specs", run)
//! }
//! ```
//!
//! Start reading at [`Document::parse`], then [`judge`], then [`main`]. Everything but `runner` is pure: text in,
//! values out, so that the harness can be tested, and fuzzed, without a file.

mod assertion;
mod document;
mod markdown;
mod outcome;
mod page;
mod rewrite;
mod runner;
mod session;
mod verdict;

pub use assertion::{Assertion, assertions, check_diagnostics};
pub use document::{Case, Document, Expectation, File, MAX_FILES, SpecError};
pub use outcome::{CaseDiagnostic, CaseOutput, Severity};
pub use page::check_page;
pub use rewrite::rewrite;
pub use runner::{CaseRunner, main, main_of};
pub use session::play_session;
pub use verdict::judge;

/// The guide's examples are compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/spec-documents.md")]
mod guide {}
