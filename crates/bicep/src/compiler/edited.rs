//! A compiler that sees another text of one file: what an edit would lead to, before anybody makes it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Compiler;
use crate::world::{FilePath, FolderEntry, ReadError, Reference, RestoreFailure, World};

impl Compiler {
    /// The same with another text of a file that is there.
    #[must_use]
    pub fn with_text(&self, path: &FilePath, text: &str) -> Compiler {
        let world =
            Edited { world: Arc::clone(&self.world), path: path.clone(), text: text.as_bytes().into() };
        self.with_changes(Arc::new(world), &BTreeSet::from([path.clone()]))
    }
}

/// A world in which one file has another text.
struct Edited {
    world: Arc<dyn World>,
    path: FilePath,
    text: Arc<[u8]>,
}

impl World for Edited {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        if *path == self.path { Ok(Arc::clone(&self.text)) } else { self.world.read(path) }
    }

    fn exists(&self, path: &FilePath) -> bool {
        *path == self.path || self.world.exists(path)
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError> {
        self.world.list(folder)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.world.variable(name)
    }

    fn cache_root(&self) -> FilePath {
        self.world.cache_root()
    }

    fn modules(&self) -> Option<FilePath> {
        self.world.modules()
    }

    fn restore_failure(&self, reference: &Reference) -> Option<RestoreFailure> {
        self.world.restore_failure(reference)
    }
}
