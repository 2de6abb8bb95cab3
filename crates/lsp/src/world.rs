//! Files as the editor has them: the text of an open document counts, and not the one on the disk.

use std::sync::Arc;

use bicep::files::{FolderEntry, ReadError, Reference, RestoreFailure};
use bicep::{FilePath, World};

use crate::document::{Documents, Language, OpenDocument};
use crate::restore::Failures;

/// Open documents over the files of the machine.
pub(crate) struct Overlay {
    pub(crate) machine: Arc<dyn World>,
    pub(crate) documents: Arc<Documents>,
    /// Why artifacts of registries are not there, as far as they were asked for.
    pub(crate) failures: Arc<Failures>,
}

/// Tells whether a document counts before it is saved. A configuration does not: half of one would be wrong
/// for every file below it.
fn counts(document: &OpenDocument) -> bool {
    document.language != Language::Config
}

impl World for Overlay {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        match self.documents.get(path) {
            Some(document) if counts(document) => Ok(document.bytes()),
            Some(_) | None => self.machine.read(path),
        }
    }

    fn exists(&self, path: &FilePath) -> bool {
        self.documents.get(path).is_some_and(|document| counts(document)) || self.machine.exists(path)
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError> {
        let listed = self.machine.list(folder);
        let mut entries = listed.as_ref().map_or_else(|_| Vec::new(), Clone::clone);
        // Paths are sorted, so the documents below a folder follow each other.
        let below = self
            .documents
            .range(folder.clone()..)
            .take_while(|(path, _)| path.as_str().starts_with(folder.as_str()));
        for (path, _) in below {
            if path.folder() == *folder && !entries.iter().any(|entry| entry.name == path.name()) {
                entries.push(FolderEntry { name: path.name().to_owned(), is_folder: false });
            }
        }
        if entries.is_empty() { listed } else { Ok(entries) }
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.machine.variable(name)
    }

    fn cache_root(&self) -> FilePath {
        self.machine.cache_root()
    }

    fn modules(&self) -> Option<FilePath> {
        self.machine.modules()
    }

    fn restore_failure(&self, reference: &Reference) -> Option<RestoreFailure> {
        let failure = self.failures.get(&reference.full_name()).cloned();
        failure.or_else(|| self.machine.restore_failure(reference))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bicep::MemoryWorld;

    #[test]
    fn an_open_document_hides_the_file() {
        let machine = MemoryWorld::default().with_file("/a/main.bicep", "disk").with_file("/a/x.bicep", "");
        let open = |uri: &str| OpenDocument::new(uri.to_owned(), Language::Bicep, 1, "open".to_owned());
        let documents: Documents = ["file:///a/main.bicep", "file:///a/new.bicep", "file:///a/b/deep.bicep"]
            .map(|uri| (open(uri).path(), Arc::new(open(uri))))
            .into();
        let failures = Arc::default();
        let world = Overlay { machine: Arc::new(machine), documents: Arc::new(documents), failures };
        assert_eq!(&*world.read(&FilePath::new("/a/main.bicep")).unwrap(), b"open");
        assert!(world.exists(&FilePath::new("/a/new.bicep")));
        assert!(!world.exists(&FilePath::new("/a/other.bicep")));
        let names: Vec<_> =
            world.list(&FilePath::new("/a")).unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["main.bicep", "x.bicep", "new.bicep"]);
    }
}
