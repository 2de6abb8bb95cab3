//! Where generated files go, and what becomes of them.

use std::fs;
use std::path::PathBuf;

use serde::Serialize;

use crate::cli::Common;
use crate::exit::{Exit, Failure};
use crate::files;

/// What is done with generated files.
pub(super) enum Target {
    /// They are written below a folder.
    Write(PathBuf),
    /// They are compared with those below a folder.
    Check(PathBuf),
    /// They are printed.
    Nowhere,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// It is new, or other than before.
    Written,
    /// It was already what it should be.
    Unchanged,
    /// It is not there, and was not to be written.
    Missing,
    /// It is not what it should be, and was not to be written.
    Stale,
    /// It was printed.
    Printed,
}

impl State {
    /// The exit code that it leads to.
    pub(super) fn exit(self) -> Exit {
        match self {
            State::Written | State::Unchanged | State::Printed => Exit::Fine,
            State::Missing | State::Stale => Exit::Input,
        }
    }

    /// Whether people are told.
    pub(super) fn is_told(self, common: &Common) -> bool {
        match self {
            State::Missing | State::Stale => true,
            State::Written | State::Printed => !common.quiet,
            State::Unchanged => common.verbose,
        }
    }

    /// The state in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            State::Written => "written",
            State::Unchanged => "unchanged",
            State::Missing => "missing; generate it",
            State::Stale => "stale; generate it again",
            State::Printed => "printed",
        }
    }
}

impl Target {
    /// Puts a file in its place; returns its name as people see it, and what became of it.
    pub(super) fn place(&self, path: &str, text: &str) -> Result<(String, State), Failure> {
        let folder = match self {
            Target::Write(folder) | Target::Check(folder) => folder,
            Target::Nowhere => return Ok((path.to_owned(), State::Printed)),
        };
        let file = folder.join(path);
        let shown = file.to_string_lossy().into_owned();
        let known = match files::read(&file) {
            Ok(known) => Some(known),
            Err(unread) if unread.is_missing() => None,
            Err(unread) => return Err(Failure::unread(&format!("`{shown}`"), &unread)),
        };
        let state = match (self, known) {
            (_, Some(known)) if known == text.as_bytes() => State::Unchanged,
            (Target::Check(_), Some(_)) => State::Stale,
            (Target::Check(_), None) => State::Missing,
            _ => {
                let write = || {
                    file.parent().map_or(Ok(()), fs::create_dir_all)?;
                    fs::write(&file, text)
                };
                write().map_err(|error| Failure::writing(&format!("`{shown}`"), &error))?;
                State::Written
            }
        };
        Ok((shown, state))
    }
}
