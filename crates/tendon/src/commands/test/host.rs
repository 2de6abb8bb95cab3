//! What tests are told of this machine: names of files, places of errors, snapshots.

use std::io::{BufRead as _, Read as _, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arm::deployment::Deployment;
use arm::evaluate::Scope;
use arm::template::{Template, TemplateError};
use bicep::{Compiler, FilePath, Finding};
use contract::Admitted;
use diagnostics::json::JsonDiagnostic;
use diagnostics::printable;
use diagnostics::terminal::{self, Style};
use engine::Failure;
use engine::provider::Provider;
use radius::provider::ValidatingProvider;
use radius::registry::Registry;
use store::{BackupRecord, Key, Store};
use testing::{FileError, TestHost};

use crate::commands::state::admit_export;
use crate::compile::{diagnostics_of, shortened};
use crate::deploy::{fits, locate_in_program, noted_place};
use crate::files;
use crate::local_state::TypeOptions;
use crate::output_file::OutputFile;

/// The machine that the command runs on.
pub(super) struct CommandHost {
    pub(super) style: Style,
    pub(super) types: TypeOptions,
    /// A test file that is not there, and the program that it is called after.
    pub(super) auto: Option<(FilePath, FilePath)>,
    pub(super) review: Review,
}

/// Asks at the terminal which snapshots are written.
#[derive(Default)]
pub(super) struct Review {
    /// The answer to everything that is still asked.
    rest: Mutex<Option<bool>>,
}

impl Review {
    fn ask(&self, id: &str, difference: &str) -> Result<bool, String> {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = *rest {
            return Ok(answer);
        }
        let mut question = format!("{}\n", printable(id));
        for line in difference.lines() {
            question.push_str(&format!("  {}\n", printable(line)));
        }
        loop {
            let asked = format!("{question}write this snapshot? [y]es, [N]o, [a]ll, [q]uit: ");
            let failed = |error: std::io::Error| format!("cannot ask: {error}");
            std::io::stderr().write_all(asked.as_bytes()).map_err(failed)?;
            let mut answer = String::new();
            std::io::stdin().lock().take(1 << 10).read_line(&mut answer).map_err(failed)?;
            match answer.trim().to_ascii_lowercase().as_str() {
                "y" | "yes" => return Ok(true),
                "" | "n" | "no" => return Ok(false),
                "a" | "all" => *rest = Some(true),
                "q" | "quit" => *rest = Some(false),
                _ => {
                    question.clear();
                    continue;
                }
            }
            return Ok(*rest == Some(true));
        }
    }
}

fn snapshot_file(path: &FilePath) -> PathBuf {
    PathBuf::from(format!("{path}.snapshot.json"))
}

impl TestHost for CommandHost {
    fn shown(&self, path: &FilePath) -> String {
        let path = self.auto.as_ref().filter(|(auto, _)| auto == path).map_or(path, |(_, program)| program);
        shortened(path).to_owned()
    }

    fn errors(&self, compiler: &Compiler, path: &FilePath, found: &[Finding]) -> Vec<FileError> {
        let (sources, diagnostics) = diagnostics_of(compiler, path, found);
        let error = |diagnostic| {
            let json = serde_json::to_value(JsonDiagnostic::new(&sources, diagnostic)).unwrap_or_default();
            let mut text = String::new();
            // Text in memory can always be written.
            let _ = terminal::write(&mut text, &sources, diagnostic, self.style);
            FileError { json, text }
        };
        diagnostics.iter().map(error).collect()
    }

    fn locate(
        &self,
        compiler: &Compiler,
        failure: &mut Failure,
        deployment: Option<&Arc<Deployment>>,
        program: &FilePath,
    ) {
        locate_in_program(failure, deployment, program, compiler);
    }

    fn check_scope(&self, template: &Template, scope: &Scope) -> Result<(), TemplateError> {
        fits(template, scope, false)
    }

    fn place(&self, failure: &Failure) -> Option<(String, u32, u32)> {
        noted_place(failure)
    }

    fn provider(&self, below: Arc<dyn Provider>, store: &Arc<dyn Store>, key: &Key) -> Arc<dyn Provider> {
        let registry = Registry::new(Arc::clone(store), key.clone());
        let provider = ValidatingProvider::new(below, Arc::new(registry));
        Arc::new(provider.allowing_unknown_types(self.types.allow_unknown_types))
    }

    fn state(&self, text: &str) -> Result<Vec<Admitted<BackupRecord>>, String> {
        admit_export(text.as_bytes())
    }

    fn snapshots(&self, path: &FilePath) -> Result<Option<String>, String> {
        match files::read(&snapshot_file(path)) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(unread) if unread.is_missing() => Ok(None),
            Err(unread) => Err(unread.to_string()),
        }
    }

    fn accepts_snapshot(&self, id: &str, difference: &str) -> Result<bool, String> {
        self.review.ask(id, difference)
    }

    fn write_snapshots(&self, path: &FilePath, text: Option<&str>) -> Result<(), String> {
        let file = snapshot_file(path);
        let written = match text {
            Some(text) => OutputFile::at(&file).in_place().write(text.as_bytes()),
            None => std::fs::remove_file(&file),
        };
        written.map_err(|error| format!("cannot write `{}`: {error}", file.display()))
    }
}
