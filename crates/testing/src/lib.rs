//! Runs the tests of test files.
//!
//! A test file is compiled by `bicep`; its template has the bodies of tests and the conditions of asserts as outputs. [`Session`] evaluates the
//! bodies, runs each case with the engine on a store in memory, and hands what came of it to the asserts as the values of the template's
//! parameters. Nothing here reads or writes files: the compiler has them, and a [`TestHost`] says what only the embedding program knows.

mod body;
mod calls;
mod checks;
pub mod coverage;
mod evaluation;
mod expectation;
mod file_run;
mod flows;
mod functions;
mod generate;
mod given;
mod host;
mod literals;
mod made_up;
mod matching;
mod mutants;
pub mod mutation;
mod outcome;
mod places;
mod probes;
mod program;
mod reached;
pub mod reports;
mod result;
mod run;
mod schedule;
mod session;
mod setup;
mod snapshots;
mod template_points;
mod threads;
mod units;
pub mod upstream;

pub use host::{FileError, TestHost};
pub use outcome::{
    AssertOutcome, FailureKind, FileOutcome, GeneratedCases, PlacePoint, SourcePlace, TestFailure,
    TestOutcome, TestRun, TestStatus, TestSummary,
};
pub use schedule::{listed, run};
pub use session::{RunOptions, Session, SnapshotWrites};
