//! What the language server does on the machine beside reading: it writes results, and fetches modules.

use std::path::Path;

use bicep::files::{Reference, RestoreFailure};
use bicep::{Artifact, Compiler, FilePath};
use diagnostics::printable;
use lsp::{TestsAsked, TestsRun, Tools};

use crate::commands::test::editor;
use crate::compile::CompileOptions;
use crate::compile::restore::{self, RestoreOutcome};
use crate::output_file::OutputFile;

pub(super) struct OnDisk {
    /// How programs are compiled.
    pub(super) compile: CompileOptions,
}

impl Tools for OnDisk {
    fn write(&self, path: &FilePath, text: &str) -> Result<(), String> {
        // The results of one command are read by the next, and so are no inputs of a process that goes on.
        let written = OutputFile::at(Path::new(path.as_str())).in_place().write(text.as_bytes());
        written.map_err(|error| format!("cannot write `{}`: {error}", printable(path.as_str())))
    }

    fn test(&self, compiler: &Compiler, asked: &TestsAsked) -> Result<TestsRun, String> {
        editor::run(compiler, &self.compile, asked)
    }

    fn restore(
        &self,
        artifacts: &[Artifact],
        done: &mut dyn FnMut(&Reference),
    ) -> Vec<(Reference, RestoreFailure)> {
        let mut failures = Vec::new();
        let fetched = restore::fetch(artifacts, |artifact, _, outcome| {
            done(&artifact.reference);
            match outcome {
                RestoreOutcome::Asked(Ok(())) => {}
                RestoreOutcome::Asked(Err(failure)) | RestoreOutcome::Refused(failure) => {
                    failures.push((artifact.reference.clone(), failure));
                }
            }
        });
        match fetched {
            Ok(()) => failures,
            // Without a client there is nothing at all.
            Err(failure) => {
                let why = RestoreFailure::Failed(failure.to_string());
                artifacts.iter().map(|artifact| (artifact.reference.clone(), why.clone())).collect()
            }
        }
    }
}
