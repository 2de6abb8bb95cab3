//! What other programs embed: files in memory go in, findings with places and results come out.
//!
//! A [`Project`] is a set of files. It compiles and formats Bicep, answers an editor, predicts deployments with mocks, draws them, and
//! makes contracts of files in any of the languages. Everything that comes out is plain data that any language can show, with places as
//! lines and columns in the unit that this language counts in. The bindings for JavaScript and Python translate and do nothing else.
//!
//! ```
//! use embed::{Project, ProjectOptions};
//!
//! let mut project = Project::new(ProjectOptions::default());
//! project.set_file("main.bicep", "param name string\noutput hello string = 'hello ${nam}'\n");
//! let compiled = project.compile("main.bicep");
//! assert!(compiled.template.is_none());
//! let found = compiled.diagnostics.iter().find(|found| found.is_error()).unwrap();
//! assert_eq!((found.code.as_str(), found.place.as_ref().map(|place| (place.line, place.column))), ("BCP057", Some((2, 32))));
//!
//! project.set_file("main.bicep", "param name string\noutput hello string = 'hello ${name}'\n");
//! assert!(project.compile("main.bicep").template.is_some());
//! ```
//!
//! The crate touches no disk, no network and no clock: whoever embeds it says what is there and what time it is.

mod checked_contract;
mod diagnostic;
mod editor;
mod messages;
mod prediction;
mod project;
mod sources;

pub use checked_contract::{CheckResult, CheckedContract, NamedViolation};
pub use diagnostic::{PlacedDiagnostic, Replacement, SuggestedFix, TextPlace};
pub use diagnostics::Columns;
pub use editor::{HoverText, ListedCompletion, PaintedToken};
pub use messages::{MessageContract, MessageProtocol, MessageResult};
pub use prediction::{PictureForm, PredictionInputs};
pub use project::{CompiledProgram, Project, ProjectOptions};

/// The page for those who embed: its examples run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
mod page {}
