//! Where generated files go, and what becomes of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Serialize;

use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::files;
use crate::go_folder;
use crate::output_file::OutputFile;

/// What is done with generated files.
pub(super) enum GenerationTarget {
    /// They are written below a folder.
    Write(PathBuf),
    /// They are compared with those below a folder.
    Check(PathBuf),
    Nowhere,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FileStatus {
    /// It is new, or other than before.
    Written,
    /// It was already what it should be.
    Unchanged,
    /// It is not there, and was not to be written.
    Missing,
    /// It is not what it should be, and was not to be written.
    Stale,
    Printed,
}

impl FileStatus {
    /// The exit code that it leads to.
    pub(super) fn exit(self) -> Exit {
        match self {
            FileStatus::Written | FileStatus::Unchanged | FileStatus::Printed => Exit::Fine,
            FileStatus::Missing | FileStatus::Stale => Exit::Input,
        }
    }

    /// Whether people are told.
    pub(super) fn is_told(self, common: &Common) -> bool {
        match self {
            FileStatus::Missing | FileStatus::Stale => true,
            FileStatus::Written | FileStatus::Printed => !common.quiet,
            FileStatus::Unchanged => common.verbose,
        }
    }

    /// The state in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            FileStatus::Written => "written",
            FileStatus::Unchanged => "unchanged",
            FileStatus::Missing => "missing; generate it",
            FileStatus::Stale => "stale; generate it again",
            FileStatus::Printed => "printed",
        }
    }
}

impl GenerationTarget {
    /// The Go files that stand in some folders below it already, by their path from it.
    pub(super) fn go_files(
        &self,
        directories: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, String>, CommandError> {
        let mut found = BTreeMap::new();
        let (GenerationTarget::Write(folder) | GenerationTarget::Check(folder)) = self else {
            return Ok(found);
        };
        for directory in directories {
            for (name, text) in go_folder::files(&folder.join(directory))? {
                let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
                found.insert(path, text);
            }
        }
        Ok(found)
    }

    /// Puts a file in its place; returns its name as people see it, and what became of it.
    pub(super) fn place(&self, path: &str, text: &str) -> Result<(String, FileStatus), CommandError> {
        let folder = match self {
            GenerationTarget::Write(folder) | GenerationTarget::Check(folder) => folder,
            GenerationTarget::Nowhere => return Ok((path.to_owned(), FileStatus::Printed)),
        };
        let file = folder.join(path);
        let shown = file.to_string_lossy().into_owned();
        let known = match files::read(&file) {
            Ok(known) => Some(known),
            Err(unread) if unread.is_missing() => None,
            Err(unread) => return Err(CommandError::unread(&format!("`{shown}`"), &unread)),
        };
        let state = match (self, known) {
            (_, Some(known)) if known == text.as_bytes() => FileStatus::Unchanged,
            (GenerationTarget::Check(_), Some(_)) => FileStatus::Stale,
            (GenerationTarget::Check(_), None) => FileStatus::Missing,
            _ => {
                // What was generated before is read to compare.
                let written =
                    OutputFile::below(folder, path).and_then(|it| it.in_place().write(text.as_bytes()));
                written.map_err(|error| CommandError::writing(&format!("`{shown}`"), &error))?;
                FileStatus::Written
            }
        };
        Ok((shown, state))
    }
}
