//! The language server: editors ask, the compiler answers.
//!
//! [`serve`] speaks the Language Server Protocol over two streams. [`session`] decides what each message means, without
//! doing it; [`snapshot`] is what a request sees, so that it is not disturbed by edits that come meanwhile; `requests` has
//! one row for each request and one file for each kind of them; [`publish`] says what is wrong with documents. The answers
//! themselves come from `bicep::editor`, which knows offsets and no protocol.

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the modules are private, and their names lead the reader"
)]

mod client_capabilities;
mod config;
mod diagnostics_job;
mod document;
mod files;
mod message;
mod protocol;
mod publish;
mod request_context;
mod requests;
mod restore;
mod semantic_token_cache;
mod serve;
mod session;
mod snapshot;
mod test_results;
mod test_session;
mod ticket;
mod uri;
mod wire;
mod workspace;
mod world;

use std::sync::Arc;

use bicep::files::{Mirror, Reference, RestoreFailure};
use bicep::{Artifact, Compiler, CompilerOptions, FilePath, World};
use diagnostics::Diagnostic;
use syntax::Span;
use time::Date;

pub use serve::{SessionEnd, serve};
pub use test_session::{Talk, talk};

/// What the server needs of the machine that it runs on.
pub struct Machine {
    /// Reads files that no editor has open.
    pub world: Arc<dyn World>,
    /// The options of the compiler that all documents share.
    pub options: CompilerOptions,
    /// The day, which is asked for whenever something changed: a server may run for weeks.
    pub today: fn() -> Option<Date>,
    /// Folders that stand in for registries.
    pub mirrors: Vec<Mirror>,
    /// What is said about files that the compiler does not read.
    pub checks: &'static [ForeignCheck],
    /// The version that clients are told.
    pub version: String,
    /// What the server does beside reading; none if it only reads.
    pub tools: Option<Arc<dyn Tools>>,
    /// When registries are asked for modules and extensions that open programs need.
    pub restoring: Restoring,
}

/// When registries are asked for what is not in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restoring {
    /// Not at all, whatever the client wants.
    Never,
    /// When the client has said that it wants it, once for all or with a command.
    IfAsked,
    /// As soon as an open program needs something, unless the client does not want it.
    Always,
}

/// What the server does on the machine beside reading.
pub trait Tools: Send + Sync {
    /// Writes a file; or says why that cannot be done.
    fn write(&self, path: &FilePath, text: &str) -> Result<(), String>;

    /// Runs tests of a test file as the editor has it.
    fn test(&self, compiler: &Compiler, asked: &TestsAsked) -> Result<TestsRun, String> {
        let _ = (compiler, asked);
        Err("no tests are run here".to_owned())
    }

    /// Fetches artifacts of registries to the cache, and says why some of them cannot be had. `done` is told of each.
    fn restore(
        &self,
        artifacts: &[Artifact],
        done: &mut dyn FnMut(&Reference),
    ) -> Vec<(Reference, RestoreFailure)>;
}

/// Which tests are to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestsAsked {
    /// The file that has them.
    pub file: FilePath,
    /// The test or fact to run, by its name; all without one.
    pub test: Option<String>,
    /// Parts of the ids of tests that are wanted, with `*` for anything; all without any.
    pub filters: Vec<String>,
    /// Whether it is told what they have reached.
    pub coverage: bool,
}

/// What came of tests.
#[derive(Clone, Debug, Default)]
pub struct TestsRun {
    /// All of it, as `tendon test -o json` prints it.
    pub report: serde_json::Value,
    /// What is wrong, with its places.
    pub findings: Vec<TestFinding>,
}

/// Something that a test found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFinding {
    /// The file that it is about.
    pub path: FilePath,
    /// The place in it.
    pub span: Span,
    /// What is wrong, for people.
    pub message: String,
}

/// What is said about files of another language.
pub struct ForeignCheck {
    /// Who says it, as editors show it.
    pub source: &'static str,
    /// How names of such files end.
    pub endings: &'static [&'static str],
    /// What is wrong with a text; places in other files than the first are left out. Files beside it are those of the editor.
    pub check: fn(&dyn World, &FilePath, &str) -> Vec<Diagnostic>,
}
