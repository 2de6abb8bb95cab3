//! What the compiler asks of the machine, and a world that lives in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{FilePath, Reference};

/// Why a file cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// There is no such file.
    NotFound,
    /// There is one, and reading it failed.
    Failed(String),
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// The name, without the folder.
    pub name: String,
    /// Whether this is a folder.
    pub is_folder: bool,
}

/// Why an artifact that is not in the cache could not be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreFailure {
    /// Its registry is not one that is asked.
    Untrusted,
    /// It was tried, and this is why it failed.
    Failed(String),
}

/// Files and variables, as the embedding program has them. Everything the compiler knows of the outside comes from here.
pub trait World: Send + Sync {
    /// The contents of a file.
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError>;

    /// Tells whether there is a file, without reading it.
    fn exists(&self, path: &FilePath) -> bool;

    /// The entries of a folder, in the order in which the machine lists them.
    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError>;

    /// The value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;

    /// The folder with modules and extensions from registries, unless a configuration names another one.
    fn cache_root(&self) -> FilePath;

    /// The folder with modules and extensions that counts even where a configuration names another one.
    fn modules(&self) -> Option<FilePath> {
        None
    }

    /// Why an artifact that is not in the cache could not be fetched, where that was tried.
    fn restore_failure(&self, reference: &Reference) -> Option<RestoreFailure> {
        let _ = reference;
        None
    }
}

/// How a missing file is called where it exists with other capitals: for machines that tell them apart, as most
/// servers do, when the program comes from one that does not.
#[must_use]
pub fn with_other_capitals(world: &dyn World, path: &FilePath) -> Option<FilePath> {
    let mut missing: Vec<&str> = Vec::new();
    let mut folder = path.clone();
    // The nearest folder that is there, and the names below it.
    let mut names = path.as_str().rsplit('/');
    let entries = loop {
        missing.push(names.next().filter(|name| !name.is_empty())?);
        folder = folder.parent()?;
        if let Ok(entries) = world.list(&folder) {
            break entries;
        }
    };
    let mut entries = entries;
    while let Some(name) = missing.pop() {
        let found = entries.iter().find(|entry| entry.name == name);
        let found =
            found.or_else(|| entries.iter().find(|it| it.name.to_lowercase() == name.to_lowercase()))?;
        if found.is_folder == missing.is_empty() {
            return None;
        }
        folder = folder.join(&found.name);
        if !missing.is_empty() {
            entries = world.list(&folder).ok()?;
        }
    }
    (folder != *path).then_some(folder)
}

/// What to add to the message about a missing file.
pub(crate) fn capitals_hint(world: &dyn World, path: &FilePath) -> String {
    match with_other_capitals(world, path) {
        Some(found) => format!(", but `{found}` does: capitals count"),
        None => String::new(),
    }
}

/// A world that holds its files in memory: for tests, and for programs that come from elsewhere than a disk.
#[derive(Clone, Debug, Default)]
pub struct MemoryWorld {
    files: BTreeMap<FilePath, Arc<[u8]>>,
    variables: BTreeMap<String, String>,
}

impl MemoryWorld {
    /// Adds a file, or replaces it.
    #[must_use]
    pub fn with_file(mut self, path: &str, contents: impl AsRef<[u8]>) -> MemoryWorld {
        self.files.insert(FilePath::new(path), contents.as_ref().into());
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> MemoryWorld {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }
}

impl World for MemoryWorld {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        self.files.get(path).cloned().ok_or(ReadError::NotFound)
    }

    fn exists(&self, path: &FilePath) -> bool {
        self.files.contains_key(path)
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError> {
        let mut prefix = folder.as_str().to_owned();
        if !prefix.is_empty() && !prefix.ends_with('/') {
            prefix.push('/');
        }
        let mut entries: Vec<FolderEntry> = Vec::new();
        for path in self.files.keys() {
            let Some(rest) = path.as_str().strip_prefix(prefix.as_str()) else { continue };
            let (name, is_folder) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
            // Paths are sorted, so the files of a folder follow each other.
            if entries.last().is_none_or(|last| last.name != name) {
                entries.push(FolderEntry { name: name.to_owned(), is_folder });
            }
        }
        if entries.is_empty() { Err(ReadError::NotFound) } else { Ok(entries) }
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn cache_root(&self) -> FilePath {
        FilePath::new("/cache")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_other_capitals_is_found() {
        let world =
            MemoryWorld::default().with_file("/src/Modules/Part.bicep", "").with_file("/src/x.bicep", "");
        let found = |path: &str| with_other_capitals(&world, &FilePath::new(path)).map(|it| it.to_string());
        assert_eq!(found("/src/Modules/part.bicep").as_deref(), Some("/src/Modules/Part.bicep"));
        assert_eq!(found("/src/modules/part.bicep").as_deref(), Some("/src/Modules/Part.bicep"));
        assert_eq!(found("/SRC/MODULES/PART.BICEP").as_deref(), Some("/src/Modules/Part.bicep"));
        assert_eq!(found("/src/modules"), None);
        assert_eq!(found("/src/other/part.bicep"), None);
        assert_eq!(found("/src/x.bicep"), None);
        assert_eq!(found("/"), None);
    }

    #[test]
    fn a_folder_lists_its_files_and_folders_once() {
        let world = MemoryWorld::default()
            .with_file("/a/x.txt", "1")
            .with_file("/a/b/y", "2")
            .with_file("/a/b/z", "3");
        let entries = world.list(&FilePath::new("/a")).unwrap();
        let names: Vec<_> = entries.iter().map(|entry| (entry.name.as_str(), entry.is_folder)).collect();
        assert_eq!(names, [("b", true), ("x.txt", false)]);
        assert_eq!(world.list(&FilePath::new("/c")), Err(ReadError::NotFound));
    }
}
