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
mod test_session;
mod ticket;
mod uri;
mod wire;
mod workspace;
mod world;

use std::sync::Arc;

use bicep::files::{Mirror, Reference, RestoreFailure};
use bicep::{Artifact, CompilerOptions, FilePath, World};
use diagnostics::Diagnostic;
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

    /// Fetches artifacts of registries to the cache, and says why some of them cannot be had. `done` is told of each.
    fn restore(
        &self,
        artifacts: &[Artifact],
        done: &mut dyn FnMut(&Reference),
    ) -> Vec<(Reference, RestoreFailure)>;
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
