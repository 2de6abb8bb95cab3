//! The files of a name below a folder, which the examples look at.

use std::path::{Path, PathBuf};

/// The files that the arguments of the program name: all of a name below a folder, or a single file.
pub(crate) fn files() -> Vec<PathBuf> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".to_owned());
    let name = arguments.next().unwrap_or_else(|| "main.json".to_owned());
    let mut files = Vec::new();
    find(Path::new(&folder), &name, &mut files);
    files.sort();
    files
}

fn find(folder: &Path, name: &str, files: &mut Vec<PathBuf>) {
    if folder.is_file() {
        files.push(folder.to_owned());
        return;
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() || path.file_name().is_some_and(|file| file == name) {
            find(&path, name, files);
        }
    }
}
