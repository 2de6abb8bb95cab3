//! The machine as the compiler sees it: files, folders and variables.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bicep::files::{FolderEntry, ReadError, Reference, RestoreFailure};
use bicep::{FilePath, World};
use bicep_types::PackFile;

use super::restore::Failures;
use crate::files;

/// Files whose text is not that of the disk.
pub(crate) type FileOverrides = Vec<(FilePath, Arc<[u8]>)>;

/// Files of the machine, except for those whose text was changed on the way.
#[derive(Default)]
pub(crate) struct Disk {
    /// The folder with modules that beats what configurations say.
    pub(crate) modules: Option<FilePath>,
    /// Files that are other than on the disk.
    pub(crate) changed: BTreeMap<FilePath, Arc<[u8]>>,
    /// Why artifacts that are not there could not be fetched.
    pub(crate) failures: Failures,
}

impl World for Disk {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        if let Some(bytes) = self.changed.get(path) {
            return Ok(Arc::clone(bytes));
        }
        files::read(Path::new(path.as_str())).map(Into::into).map_err(|unread| match unread.is_missing() {
            true => ReadError::NotFound,
            false => ReadError::Failed(unread.to_string()),
        })
    }

    fn exists(&self, path: &FilePath) -> bool {
        self.changed.contains_key(path) || Path::new(path.as_str()).is_file()
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
        home().map_or_else(|| FilePath::new(".bicep"), |home| file_path(&home.join(".bicep")))
    }

    fn modules(&self) -> Option<FilePath> {
        self.modules.clone()
    }

    fn restore_failure(&self, reference: &Reference) -> Option<RestoreFailure> {
        // It may have come from elsewhere meanwhile, but then nobody asks.
        self.failures.get(&reference.full_name()).cloned()
    }
}

/// A file of packed types, of which no more is read than programs need.
pub(crate) struct PackOnDisk {
    file: File,
    size: u64,
}

impl PackOnDisk {
    pub(crate) fn open(path: &Path) -> io::Result<PackOnDisk> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        Ok(PackOnDisk { file, size })
    }
}

impl PackFile for PackOnDisk {
    fn size(&self) -> u64 {
        self.size
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, into: &mut [u8]) -> bool {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, into, offset).is_ok()
    }

    #[cfg(not(unix))]
    fn read_at(&self, offset: u64, into: &mut [u8]) -> bool {
        use std::io::{Read as _, Seek as _, SeekFrom};
        // A handle of its own, so that threads do not move each other's place.
        let read = self.file.try_clone().and_then(|mut file| {
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(into)
        });
        read.is_ok()
    }
}

/// A path of the machine as the compiler writes paths.
pub(crate) fn file_path(path: &Path) -> FilePath {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    FilePath::new(&path.to_string_lossy())
}

/// The user's own folder.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

/// The folder in which programs keep their data for the user, and in it the one of this program.
pub(crate) fn data_folder() -> Option<PathBuf> {
    user_folder("LOCALAPPDATA", "XDG_DATA_HOME", ".local/share")
}

/// The folder in which programs keep what the user configures, and in it the one of this program.
pub(crate) fn config_folder() -> Option<PathBuf> {
    user_folder("APPDATA", "XDG_CONFIG_HOME", ".config")
}

/// A folder of the user by the variable that names it on Windows, by that on other systems, or by its path in the user's own folder.
fn user_folder(on_windows: &str, elsewhere: &str, path: &str) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = if cfg!(windows) {
        set(on_windows)
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Application Support"))
    } else {
        set(elsewhere).or_else(|| home().map(|home| home.join(path)))
    };
    folder.map(|folder| folder.join("tendon"))
}
