//! The Go files of a folder: the code that generated Go stands beside.

use std::fs;
use std::io;
use std::path::Path;

use crate::exit::CommandError;
use crate::files;

/// The regular files that end in `.go`, each with its name and its text; none if there is no such folder.
pub(crate) fn files(folder: &Path) -> Result<Vec<(String, String)>, CommandError> {
    let failed = |error: &io::Error| CommandError::reading(&format!("`{}`", folder.display()), error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(&error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| failed(&error))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if !name.ends_with(".go") || !path.is_file() {
            continue;
        }
        // Some of them are generated again in this very run.
        let bytes = files::read_former(&path)
            .map_err(|unread| CommandError::unread(&format!("`{}`", path.display()), &unread))?;
        found.push((name.to_owned(), String::from_utf8_lossy(&bytes).into_owned()));
    }
    found.sort();
    Ok(found)
}
