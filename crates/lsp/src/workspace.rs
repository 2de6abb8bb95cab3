//! The open documents, and the compiler that sees them.

use std::collections::BTreeMap;
use std::sync::Arc;

use bicep::{Compiler, FilePath, World};
use time::Date;

use crate::client_capabilities::Abilities;
use crate::diagnostics_job::{Changes, DiagnosticsJob};
use crate::document::{Documents, Language, OpenDocument, TextChange};
use crate::restore::Restores;
use crate::semantic_token_cache::ToldTokens;
use crate::snapshot::Snapshot;
use crate::test_results::TestResults;
use crate::world::Overlay;
use crate::{ForeignCheck, Machine};

/// The open documents, and the compiler that sees them.
pub(crate) struct Workspace {
    machine: Arc<dyn World>,
    today: fn() -> Option<Date>,
    /// The newest compiler; what it has of stale files is not true any more.
    compiler: Arc<Compiler>,
    stale: Changes,
    checks: &'static [ForeignCheck],
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
    /// Whether any were, since the compiler was made.
    has_closed: bool,
    /// What the editor can do.
    abilities: Abilities,
    /// The tokens that it was told last.
    told: Arc<ToldTokens>,
    /// What tests have found.
    tests: Arc<TestResults>,
    /// What is fetched from registries.
    restores: Arc<Restores>,
}

impl Workspace {
    /// A workspace without documents.
    pub(crate) fn new(machine: Machine) -> Workspace {
        let Machine { world, options, today, mirrors, checks, version: _, tools, restoring } = machine;
        let restores = Restores::new(tools, restoring);
        Workspace {
            compiler: Arc::new(Compiler::new(Arc::clone(&world), options).with_mirrors(mirrors)),
            machine: world,
            today,
            stale: Changes::default(),
            checks,
            documents: Arc::default(),
            paths: BTreeMap::new(),
            folders: Arc::default(),
            current: None,
            changes: Changes::default(),
            closed: Vec::new(),
            has_closed: false,
            abilities: Abilities::default(),
            told: Arc::default(),
            tests: Arc::default(),
            restores: Arc::new(restores),
        }
    }

    /// The folders that are open in the editor.
    pub(crate) fn folders(&self) -> &[FilePath] {
        &self.folders
    }

    /// Takes other folders: those that the editor has open now.
    pub(crate) fn set_folders(&mut self, folders: Vec<FilePath>) {
        self.folders = folders.into();
        self.current = None;
    }

    /// What the editor can do.
    pub(crate) fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// Learns what the editor can do.
    pub(crate) fn set_abilities(&mut self, abilities: Abilities) {
        self.abilities = abilities;
        self.current = None;
    }

    /// Takes a document that was opened; one that is open already is replaced.
    pub(crate) fn open(&mut self, document: OpenDocument) {
        let path = document.path();
        self.paths.insert(document.uri.clone(), path.clone());
        self.closed.retain(|closed| *closed != document.uri);
        match self.compiler.known_text(&path) {
            // What nobody read has changed nothing, and neither has the text that was read.
            None => {}
            Some(Some(text)) if text == *document.lines.text() && !self.stale.has(&path) => {}
            Some(Some(_)) => self.stale.add(path.clone()),
            // Something can be found that was not there before, also by those who looked for it under other names.
            Some(None) => {
                self.stale = Changes::All;
                self.changes = Changes::All;
            }
        }
        self.put(path, document);
    }

    /// Changes a document, and tells whether there is one.
    pub(crate) fn change(&mut self, uri: &str, version: Option<i32>, changes: &[TextChange]) -> bool {
        let Some(path) = self.paths.get(uri).cloned() else { return false };
        let Some(document) = self.documents.get(&path) else { return false };
        let version = version.unwrap_or(document.version);
        let document = document.changed(version, changes);
        if document.language != Language::Config {
            self.stale.add(path.clone());
        }
        self.put(path, document);
        true
    }

    fn put(&mut self, path: FilePath, document: OpenDocument) {
        Arc::make_mut(&mut self.documents).insert(path.clone(), Arc::new(document));
        self.changes.add(path);
        self.current = None;
    }

    /// Forgets a document: from now on the file on the disk counts.
    pub(crate) fn close(&mut self, uri: &str) {
        let Some(path) = self.paths.remove(uri) else { return };
        Arc::make_mut(&mut self.documents).remove(&path);
        self.closed.push(uri.to_owned());
        self.has_closed = true;
        self.stale.add(path.clone());
        self.changes.add(path);
        self.current = None;
    }

    /// Takes what happened to files on the disk, each with whether it was there before and still is.
    pub(crate) fn touch(&mut self, files: impl Iterator<Item = (FilePath, bool)>) {
        for (path, is_change) in files {
            let is_configuration = self.compiler.is_configuration(&path);
            // Of an open document, the text in the editor counts; configurations count when they are saved.
            if self.documents.contains_key(&path) && !is_configuration {
                continue;
            }
            self.current = None;
            if is_change && !is_configuration {
                self.stale.add(path.clone());
                self.changes.add(path);
            } else {
                self.stale = Changes::All;
                self.changes = Changes::All;
            }
        }
    }

    /// The documents and the compiler as they are now.
    pub(crate) fn snapshot(&mut self) -> Arc<Snapshot> {
        if let Some(current) = &self.current {
            return Arc::clone(current);
        }
        let world = Overlay {
            machine: Arc::clone(&self.machine),
            documents: Arc::clone(&self.documents),
            failures: self.restores.failures(),
        };
        let world = Arc::new(world);
        let today = (self.today)();
        if today != self.compiler.options().today {
            self.stale = Changes::All;
            self.changes = Changes::All;
        }
        self.compiler = Arc::new(match std::mem::take(&mut self.stale) {
            Changes::Files(files) => self.compiler.with_changes(world, &files),
            Changes::All => self.compiler.afresh(world, today),
        });
        if std::mem::take(&mut self.has_closed) {
            // What only closed documents needed is given back.
            let open = self.documents.keys().cloned().collect();
            self.compiler = Arc::new(self.compiler.only(&open));
        }
        let snapshot = Arc::new(Snapshot {
            documents: Arc::clone(&self.documents),
            compiler: Arc::clone(&self.compiler),
            folders: Arc::clone(&self.folders),
            abilities: self.abilities,
            told: Arc::clone(&self.told),
            tests: Arc::clone(&self.tests),
            restores: Arc::clone(&self.restores),
            checks: self.checks,
            files: Arc::default(),
            ticket: Arc::default(),
        });
        self.current = Some(Arc::clone(&snapshot));
        snapshot
    }

    /// What is fetched from registries.
    pub(crate) fn restores(&self) -> &Arc<Restores> {
        &self.restores
    }

    /// What has to be looked at again; nothing if nothing changed.
    pub(crate) fn look(&mut self) -> Option<DiagnosticsJob> {
        if self.restores.take_news() {
            self.stale = Changes::All;
            self.changes = Changes::All;
            self.current = None;
        }
        if self.changes.is_empty() && self.closed.is_empty() {
            return None;
        }
        // A new day changes more.
        let snapshot = self.snapshot();
        let changes = std::mem::take(&mut self.changes);
        let closed = std::mem::take(&mut self.closed);
        Some(DiagnosticsJob { snapshot, changes, closed })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI32, Ordering};

    use bicep::{CompilerOptions, Generator, MemoryWorld};

    use super::*;

    const MAIN: &str = "file:///main.bicep";

    fn workspace(today: fn() -> Option<Date>) -> Workspace {
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let world = MemoryWorld::default().with_file("/m.bicep", "param p string\n");
        let mut workspace = Workspace::new(Machine {
            world: Arc::new(world),
            options: CompilerOptions::new(generator),
            today,
            mirrors: Vec::new(),
            checks: &[],
            version: String::new(),
            tools: None,
            restoring: crate::Restoring::Never,
        });
        let text = "module m 'm.bicep' = { name: 'm' }\n".to_owned();
        workspace.open(OpenDocument::new(MAIN.to_owned(), Language::Bicep, 1, text));
        workspace
    }

    #[test]
    fn a_new_day_makes_a_new_compiler() {
        static DAY: AtomicI32 = AtomicI32::new(2_460_000);
        let mut workspace = workspace(|| Date::from_julian_day(DAY.load(Ordering::SeqCst)).ok());
        let day = |look: &DiagnosticsJob| look.snapshot.compiler.options().today.map(Date::to_julian_day);
        let change = [TextChange { range: None, text: String::new() }];
        assert_eq!(workspace.look().as_ref().and_then(day), Some(2_460_000));
        DAY.fetch_add(1, Ordering::SeqCst);
        assert!(workspace.look().is_none());
        assert!(workspace.change(MAIN, Some(2), &change));
        let look = workspace.look().unwrap();
        assert_eq!((day(&look), matches!(look.changes, Changes::All)), (Some(2_460_001), true));
    }

    #[test]
    fn what_only_a_closed_document_needed_is_forgotten() {
        let mut workspace = workspace(|| None);
        let look = workspace.look().unwrap();
        let (main, module) = (FilePath::new("/main.bicep"), FilePath::new("/m.bicep"));
        look.snapshot.compiler.check(&main, &|| true);
        assert!(workspace.compiler.known_text(&module).is_some());
        workspace.close(MAIN);
        let look = workspace.look().unwrap();
        assert!(look.snapshot.compiler.known_text(&module).is_none());
    }
}
