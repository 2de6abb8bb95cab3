//! Looking for files.

use std::path::{Path, PathBuf};

use crate::Result;

/// The files below a folder that are wanted, in the order of their paths.
pub(crate) fn find(folder: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let failed = |error: std::io::Error| format!("cannot read `{}`: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            files.extend(find(&path, is_wanted)?);
        } else if is_wanted(&path) {
            files.push(path);
        }
    }
    Ok(files)
}

/// The files of a name below a folder.
pub(crate) fn named(folder: &Path, name: &str) -> Result<Vec<PathBuf>> {
    find(folder, &|path| path.file_name().is_some_and(|file| file == name))
}
