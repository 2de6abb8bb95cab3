//! The open documents, and the compiler that sees them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use bicep::files::Mirror;
use bicep::{Compiler, FilePath, Options, World};

use crate::Machine;
use crate::document::{Change, Document, Documents};
use crate::publish::{Changes, Look};
use crate::snapshot::Snapshot;
use crate::uri;
use crate::world::Overlay;

/// The open documents, and the compiler that sees them.
pub(crate) struct Workspace {
    machine: Arc<dyn World>,
    options: Options,
    mirrors: Vec<Mirror>,
    documents: Arc<Documents>,
    /// The paths of open documents by their addresses.
    paths: BTreeMap<String, FilePath>,
    folders: Arc<[FilePath]>,
    /// What questions see; none after a change, until somebody asks.
    current: Option<Arc<Snapshot>>,
    /// What changed since documents were looked at.
    changes: Changes,
    /// The addresses of documents that were closed since then.
    closed: Vec<String>,
}

impl Workspace {
    /// A workspace without documents.
    pub(crate) fn new(machine: Machine) -> Workspace {
        let Machine { world, options, mirrors, version: _ } = machine;
        Workspace {
            machine: world,
            options,
            mirrors,
            documents: Arc::default(),
            paths: BTreeMap::new(),
            folders: Arc::default(),
            current: None,
            changes: Changes::default(),
            closed: Vec::new(),
        }
    }

    /// The folders that are open in the editor.
    pub(crate) fn folders(&self) -> &[FilePath] {
        &self.folders
    }

    /// Takes other folders.
    pub(crate) fn set_folders(&mut self, folders: Vec<FilePath>) {
        self.folders = folders.into();
        self.current = None;
    }

    /// Takes a document that was opened; one that is open already is replaced.
    pub(crate) fn open(&mut self, document: Document) {
        let path = document.path();
        self.paths.insert(document.uri.clone(), path.clone());
        self.closed.retain(|closed| *closed != document.uri);
        self.replace(path, document);
    }

    /// Changes a document; false if it is not open.
    pub(crate) fn change(&mut self, uri: &str, version: Option<i32>, changes: &[Change]) -> bool {
        let Some(path) = self.paths.get(uri).cloned() else { return false };
        let Some(document) = self.documents.get(&path) else { return false };
        let version = version.unwrap_or(document.version);
        let document = document.changed(version, changes);
        self.replace(path, document);
        true
    }

    fn replace(&mut self, path: FilePath, document: Document) {
        Arc::make_mut(&mut self.documents).insert(path.clone(), Arc::new(document));
        self.changes.add(path);
        self.current = None;
    }

    /// Forgets a document: from now on the file on the disk counts.
    pub(crate) fn close(&mut self, uri: &str) {
        let Some(path) = self.paths.remove(uri) else { return };
        Arc::make_mut(&mut self.documents).remove(&path);
        self.closed.push(uri.to_owned());
        self.changes.add(path);
        self.current = None;
    }

    /// Takes what happened to files on the disk, each with whether it was there before and still is; false if it is of
    /// no interest.
    pub(crate) fn touch(&mut self, files: impl Iterator<Item = (FilePath, bool)>) -> bool {
        // Of an open document, the text in the editor counts.
        let files: Vec<_> = files.filter(|(path, _)| !self.documents.contains_key(path)).collect();
        if files.is_empty() {
            return false;
        }
        self.changes = Changes::All;
        self.current = None;
        true
    }

    /// The documents and the compiler as they are now.
    pub(crate) fn snapshot(&mut self) -> Arc<Snapshot> {
        if let Some(current) = &self.current {
            return Arc::clone(current);
        }
        let world = Overlay { machine: Arc::clone(&self.machine), documents: Arc::clone(&self.documents) };
        let compiler =
            Compiler::new(Arc::new(world), self.options.clone()).with_mirrors(self.mirrors.clone());
        let snapshot = Arc::new(Snapshot {
            documents: Arc::clone(&self.documents),
            compiler: Arc::new(compiler),
            folders: Arc::clone(&self.folders),
            files: OnceLock::new(),
        });
        self.current = Some(Arc::clone(&snapshot));
        snapshot
    }

    /// What has to be looked at again; nothing if nothing changed.
    pub(crate) fn look(&mut self) -> Option<Look> {
        let changes = std::mem::take(&mut self.changes);
        let closed = std::mem::take(&mut self.closed);
        if changes.is_empty() && closed.is_empty() {
            return None;
        }
        Some(Look { snapshot: self.snapshot(), changes, closed })
    }
}

/// Addresses that nobody writes, such as the other side of a diff, have no diagnostics.
pub(crate) fn has_diagnostics(document: &Document) -> bool {
    uri::is_written(&document.uri)
}

/// Paths in the order in which they are looked at.
pub(crate) type Paths = BTreeSet<FilePath>;
