//! What is wrong with `bicepconfig.json` as it is in the editor.

use std::sync::Arc;

use bicep::files::{FolderEntry, ReadError};
use bicep::{Config, FilePath, World};
use diagnostics::{Diagnostic, FileId, Severity, Span};
use document::{Document, JsonOptions, ReadLimits};

/// Checks a configuration, and those that it extends.
pub(crate) fn check(world: &dyn World, path: &FilePath, text: &str) -> Vec<Diagnostic> {
    // The compiler says that it is not JSON; the parser knows the place.
    let parsed = Document::from_json_with(text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::RELAXED);
    let start = parsed.err().map_or(Span::empty(FileId::FIRST, 0), |error| error.place);
    let config = Config::find(&Edited { world, path, text }, &path.folder());
    let fault = |fault: &bicep::UnlocatedFinding| Diagnostic::error(fault.code, fault.sentence()).at(start);
    let mut found: Vec<Diagnostic> = config.faults().iter().map(fault).collect();
    for (file, finding) in bicep::lint::not_looked_for(&config) {
        if file == *path {
            let place = Span::new(FileId::FIRST, finding.span.start, finding.span.end);
            found.push(Diagnostic::new(Severity::Warning, finding.code, finding.sentence()).at(place));
        }
    }
    found
}

/// A world in which one file has the text of the editor.
struct Edited<'e> {
    world: &'e dyn World,
    path: &'e FilePath,
    text: &'e str,
}

impl World for Edited<'_> {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        if path == self.path { Ok(self.text.as_bytes().into()) } else { self.world.read(path) }
    }

    fn exists(&self, path: &FilePath) -> bool {
        path == self.path || self.world.exists(path)
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
}
