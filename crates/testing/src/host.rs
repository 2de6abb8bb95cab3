//! What only the embedding program knows.

use std::sync::Arc;

use arm::deployment::Deployment;
use arm::evaluate::Scope;
use arm::template::{Template, TemplateError};
use bicep::{Compiler, FilePath, Finding};
use contract::Admitted;
use engine::Failure;
use engine::provider::Provider;
use store::{BackupRecord, Key, Store};

/// What only the embedding program knows.
pub trait TestHost: Sync {
    /// A path for people.
    fn shown(&self, path: &FilePath) -> String;

    /// Findings in a file, as they are reported.
    fn errors(&self, compiler: &Compiler, path: &FilePath, found: &[Finding]) -> Vec<FileError>;

    /// Notes in an error, and in those behind it, where in the program their causes are written. There is no
    /// deployment if its parameters were refused.
    fn locate(
        &self,
        compiler: &Compiler,
        failure: &mut Failure,
        deployment: Option<&Arc<Deployment>>,
        program: &FilePath,
    );

    /// Refuses a scope that a template is not for.
    fn check_scope(&self, template: &Template, scope: &Scope) -> Result<(), TemplateError>;

    /// The place that was noted in an error: file, line and column.
    fn place(&self, failure: &Failure) -> Option<(String, u32, u32)>;

    /// What stands in front of the resources of a store.
    fn provider(&self, below: Arc<dyn Provider>, store: &Arc<dyn Store>, key: &Key) -> Arc<dyn Provider>;

    /// Lets the rows of what `tendon state export` wrote in, all or none of them.
    fn state(&self, text: &str) -> Result<Vec<Admitted<BackupRecord>>, String>;

    /// The text of the snapshots that are kept beside a test file; none if there are none.
    fn snapshots(&self, path: &FilePath) -> Result<Option<String>, String>;

    /// Whether a snapshot is written: what it is of, and how it differs from the one that is kept.
    fn accepts_snapshot(&self, id: &str, difference: &str) -> Result<bool, String>;

    /// Writes the snapshots of a test file, or removes them if there is no text.
    fn write_snapshots(&self, path: &FilePath, text: Option<&str>) -> Result<(), String>;
}

/// An error as it is reported.
pub struct FileError {
    /// For programs, as `--diagnostics-format json` writes it.
    pub json: serde_json::Value,
    /// The same for people, with source lines.
    pub text: String,
}
