//! What is wrong with `bicepconfig.json` as it is in the editor.

use bicep::{Config, EditedWorld, FilePath, World};
use diagnostics::{Diagnostic, FileId, Severity, Span};
use document::{Document, JsonOptions, ReadLimits};

/// Checks a configuration, and those that it extends.
pub(crate) fn check(world: &dyn World, path: &FilePath, text: &str) -> Vec<Diagnostic> {
    // The compiler says that it is not JSON; the parser knows the place.
    let parsed = Document::from_json_with(text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::RELAXED);
    let start = parsed.err().map_or(Span::empty(FileId::FIRST, 0), |error| error.place);
    let config = Config::find(&EditedWorld::new(world, path.clone(), text), &path.folder());
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
