//! What the language server does on the machine beside reading: it writes results, and fetches modules.

use std::path::Path;

use bicep::files::{Reference, RestoreFailure};
use bicep::{Artifact, FilePath};
use diagnostics::printable;
use lsp::Tools;

use crate::compile::restore::{self, RestoreOutcome};

/// The machine.
pub(super) struct OnDisk;

impl Tools for OnDisk {
    fn write(&self, path: &FilePath, text: &str) -> Result<(), String> {
        let written = std::fs::write(Path::new(path.as_str()), text);
        written.map_err(|error| format!("cannot write `{}`: {error}", printable(path.as_str())))
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
