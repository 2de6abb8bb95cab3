//! What the files of a state are called, for those who open them and those who must not write over them.

use std::path::Path;

/// The database, whose companions have longer names.
pub(crate) const DATABASE: &str = "state.db";

/// The key that seals secrets.
pub(crate) const KEY: &str = "seal.key";

/// Whether a folder has a state in it.
pub(crate) fn has_state(folder: &Path) -> bool {
    folder.join(DATABASE).is_file()
}

/// Whether a file is part of a state: its database or its key.
pub(crate) fn is_state_file(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    (name == KEY || name.starts_with(DATABASE)) && has_state(folder)
}
