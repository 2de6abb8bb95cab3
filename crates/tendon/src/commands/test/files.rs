//! Which files have the tests that are meant.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bicep::FilePath;

use crate::compile::disk::file_path;
use crate::exit::CommandError;
use crate::input;

/// How deep folders are looked into.
const DEEPEST: usize = 64;

/// The test files that are named, and those in folders that are named, sorted.
pub(super) fn test_files(paths: &[PathBuf]) -> Result<Vec<FilePath>, CommandError> {
    let mut found = BTreeSet::new();
    for path in paths {
        let failed = |error| CommandError::reading(&format!("`{}`", path.display()), &error);
        if std::fs::metadata(path).map_err(failed)?.is_dir() {
            search(path, DEEPEST, &mut found).map_err(failed)?;
        } else if is_test(path) || is_program(path) {
            found.insert(file_path(path));
        } else {
            let message = format!(
                "`{}` is not a test file: its name must end in `.biceptest`, or in `.bicep` if it is a program with tests",
                path.display()
            );
            return Err(CommandError::Usage(message));
        }
    }
    Ok(found.into_iter().collect())
}

fn is_test(path: &Path) -> bool {
    input::extension(path.as_os_str()).as_deref() == Some("biceptest")
}

fn is_program(path: &Path) -> bool {
    input::extension(path.as_os_str()).as_deref() == Some("bicep")
}

/// Recursion is bounded by the depth.
fn search(folder: &Path, depth: usize, found: &mut BTreeSet<FilePath>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // A link may lead back here.
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if depth > 0 && !name.starts_with('.') && name != "node_modules" {
                search(&entry.path(), depth - 1, found)?;
            }
        } else if is_test(&entry.path()) {
            found.insert(file_path(&entry.path()));
        }
    }
    Ok(())
}
