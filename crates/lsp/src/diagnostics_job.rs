//! Which documents have to be looked at again: what changed, and what is open.

use std::collections::BTreeSet;
use std::sync::Arc;

use bicep::FilePath;

use crate::snapshot::Snapshot;

/// Paths in the order in which they are looked at.
pub(crate) type Paths = BTreeSet<FilePath>;

/// What changed since documents were looked at.
#[derive(Clone, Debug)]
pub(crate) enum Changes {
    /// These files, and those that depend on them.
    Files(Paths),
    /// Anything may have changed, such as the configuration.
    All,
}

impl Default for Changes {
    fn default() -> Changes {
        Changes::Files(Paths::new())
    }
}

impl Changes {
    pub(crate) fn add(&mut self, path: FilePath) {
        if let Changes::Files(files) = self {
            files.insert(path);
        }
    }

    /// Tells whether nothing changed.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Changes::Files(files) if files.is_empty())
    }

    /// Tells whether a file changed.
    pub(crate) fn has(&self, path: &FilePath) -> bool {
        match self {
            Changes::Files(files) => files.contains(path),
            Changes::All => true,
        }
    }

    fn and(self, other: Changes) -> Changes {
        match (self, other) {
            (Changes::Files(mut files), Changes::Files(more)) => {
                files.extend(more);
                Changes::Files(files)
            }
            (Changes::All, _) | (_, Changes::All) => Changes::All,
        }
    }
}

/// Documents to look at again.
pub(crate) struct DiagnosticsJob {
    /// The documents and the compiler.
    pub(crate) snapshot: Arc<Snapshot>,
    /// What changed since the job before.
    pub(crate) changes: Changes,
    /// The addresses of documents that were closed.
    pub(crate) closed: Vec<String>,
}

impl DiagnosticsJob {
    /// This one and, after it, a newer one: what both have to look at, as it is now.
    pub(crate) fn then(self, newer: DiagnosticsJob) -> DiagnosticsJob {
        let mut closed = self.closed;
        closed.extend(newer.closed);
        DiagnosticsJob { snapshot: newer.snapshot, changes: self.changes.and(newer.changes), closed }
    }

    /// The same for some documents alone.
    pub(crate) fn only(self, documents: Vec<FilePath>) -> DiagnosticsJob {
        DiagnosticsJob {
            changes: Changes::Files(documents.into_iter().collect()),
            closed: Vec::new(),
            ..self
        }
    }

    /// The documents to look at, those first that changed themselves.
    pub(crate) fn documents(&self) -> Vec<FilePath> {
        let open = self.snapshot.documents.iter().filter(|(_, document)| document.has_diagnostics());
        let open = open.map(|(path, _)| path.clone());
        match &self.changes {
            Changes::All => open.collect(),
            Changes::Files(files) => {
                let affected = self.snapshot.compiler.dependents(files);
                // What files of other languages include is not known; there are few of them, and they are small.
                let endings: BTreeSet<&str> = files.iter().map(FilePath::extension).collect();
                let is_compiled = |path: &FilePath| matches!(path.extension(), ".bicep" | ".bicepparam");
                let is_meant = |path: &FilePath| {
                    affected.contains(path) || !is_compiled(path) && endings.contains(path.extension())
                };
                let (mut own, others): (Vec<_>, Vec<_>) =
                    open.filter(is_meant).partition(|path| files.contains(path));
                own.extend(others);
                own
            }
        }
    }
}
