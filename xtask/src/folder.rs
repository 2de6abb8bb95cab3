//! Folders that steps work in, below the target folder.

use std::path::Path;

use crate::Result;

/// Copies a folder with everything in it to a place where nothing stays of what was there before.
pub(crate) fn copy_anew(from: &Path, to: &Path) -> Result {
    remove(to)?;
    copy(from, to)
}

/// Removes a folder with everything in it, if it is there.
pub(crate) fn remove(folder: &Path) -> Result {
    if !folder.exists() {
        return Ok(());
    }
    std::fs::remove_dir_all(folder).map_err(|error| format!("cannot remove `{}`: {error}", folder.display()))
}

/// Copies a folder with everything in it over what is there.
fn copy(from: &Path, to: &Path) -> Result {
    let failed = |error: std::io::Error| format!("cannot copy `{}`: {error}", from.display());
    std::fs::create_dir_all(to).map_err(failed)?;
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), &target).map_err(failed)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_every_file_and_no_other() {
        let folder = std::env::temp_dir().join(format!("tendon-xtask-copy-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        std::fs::create_dir_all(from.join("a/b")).unwrap();
        std::fs::write(from.join("a/b/c"), "text").unwrap();
        std::fs::create_dir_all(to.join("old")).unwrap();
        copy_anew(&from, &to).unwrap();
        assert_eq!(std::fs::read_to_string(to.join("a/b/c")).unwrap(), "text");
        assert!(!to.join("old").exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
