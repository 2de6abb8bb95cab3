//! Files of the machine, for projects over a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bicep::FilePath;
use bicep::files::{FolderEntry, ReadError, World};
use pyo3::PyResult;
use pyo3::exceptions::PyOSError;

/// The largest file that is read.
const MOST_BYTES: u64 = 256 << 20;

/// The files of the machine.
pub(crate) struct DiskFiles;

/// A folder as the compiler writes paths.
pub(crate) fn absolute(path: &Path) -> PyResult<String> {
    let path = std::path::absolute(path)
        .map_err(|error| PyOSError::new_err(format!("cannot find `{}`: {error}", path.display())))?;
    Ok(FilePath::new(&path.to_string_lossy()).as_str().trim_end_matches('/').to_owned())
}

impl World for DiskFiles {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        let failed = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => ReadError::NotFound,
            _ => ReadError::Failed(error.to_string()),
        };
        let found = std::fs::metadata(path.as_str()).map_err(failed)?;
        if !found.is_file() {
            return Err(ReadError::Failed("it is no regular file".to_owned()));
        }
        if found.len() > MOST_BYTES {
            return Err(ReadError::Failed(format!("it has more than {MOST_BYTES} bytes")));
        }
        std::fs::read(path.as_str()).map(Into::into).map_err(failed)
    }

    fn exists(&self, path: &FilePath) -> bool {
        Path::new(path.as_str()).is_file()
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError> {
        let entries = std::fs::read_dir(folder.as_str()).map_err(|_| ReadError::NotFound)?;
        let entry = |entry: std::fs::DirEntry| FolderEntry {
            name: entry.file_name().to_string_lossy().into_owned(),
            is_folder: entry.file_type().is_ok_and(|kind| kind.is_dir()),
        };
        Ok(entries.filter_map(Result::ok).map(entry).collect())
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn cache_root(&self) -> FilePath {
        let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("."));
        FilePath::new(&home.join(".bicep").to_string_lossy())
    }
}
