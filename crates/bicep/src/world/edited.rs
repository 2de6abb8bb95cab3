//! A world in which one file has another text: what an editor holds, or a change that nobody has made yet.

use std::ops::Deref;
use std::sync::Arc;

use super::{FilePath, FolderEntry, ReadError, Reference, RestoreFailure, World};

/// Another world, except for the text of one file, which is there in any case.
#[derive(Clone, Debug)]
pub struct EditedWorld<W> {
    world: W,
    path: FilePath,
    text: Arc<[u8]>,
}

impl<W> EditedWorld<W> {
    /// The world behind `world` with `text` as the file at `path`.
    pub fn new(world: W, path: FilePath, text: &str) -> EditedWorld<W> {
        EditedWorld { world, path, text: text.as_bytes().into() }
    }
}

impl<W> World for EditedWorld<W>
where
    W: Deref + Send + Sync,
    W::Target: World,
{
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
