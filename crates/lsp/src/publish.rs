//! Diagnostics: which documents have to be looked at again, and what is said about each.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bicep::{Compiler, FilePath, Finding, Severity, Tag};
use diagnostics::{FileId, LineIndex};
use syntax::Span;

use crate::ForeignCheck;
use crate::config;
use crate::diagnostics_job::{Changes, DiagnosticsJob};
use crate::document::{Language, OpenDocument, range_of};
use crate::message;
use crate::protocol::{CodeDescription, Diagnostic, PublishDiagnostics};
use crate::snapshot::Snapshot;

/// How closely documents are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// What checks find: all but what only shows when the template is written.
    Checks,
    /// Everything, including what needs a template.
    Templates,
}

/// What was found in a document.
pub(crate) struct DocumentDiagnostics {
    document: Arc<OpenDocument>,
    diagnostics: Vec<Diagnostic>,
    /// Whether the document itself changed, and not only what it needs.
    has_changed: bool,
}

/// Says what is wrong with documents, and remembers what it said.
#[derive(Default)]
pub(crate) struct Publisher {
    /// A digest of what was said about a document, by its address.
    said: BTreeMap<String, u64>,
}

impl Publisher {
    /// What is wrong with a document; none if it is not open, or if that is not wanted any more.
    pub(crate) fn look(
        &self,
        look: &DiagnosticsJob,
        path: &FilePath,
        depth: Depth,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<DocumentDiagnostics> {
        let document = Arc::clone(look.snapshot.documents.get(path)?);
        let diagnostics = found(&look.snapshot, path, &document, depth, goes_on)?;
        let has_changed = match &look.changes {
            Changes::All => false,
            Changes::Files(files) => files.contains(path),
        };
        Some(DocumentDiagnostics { document, diagnostics, has_changed })
    }

    /// The message about a document; none if the client knows all of it.
    pub(crate) fn publish_message(&mut self, found: DocumentDiagnostics) -> Option<Vec<u8>> {
        let DocumentDiagnostics { document, diagnostics, has_changed } = found;
        let mut digest = std::hash::DefaultHasher::new();
        diagnostics.hash(&mut digest);
        let digest = digest.finish();
        let is_known = self.said.insert(document.uri.clone(), digest) == Some(digest);
        if is_known && !has_changed {
            return None;
        }
        let version = Some(document.version);
        Some(publish(&PublishDiagnostics { uri: &document.uri, version, diagnostics: &diagnostics }))
    }

    /// The messages that take back what was said about documents that are closed.
    pub(crate) fn clear(&mut self, look: &DiagnosticsJob) -> Vec<Vec<u8>> {
        let is_open = |uri: &String| look.snapshot.documents.values().any(|document| document.uri == *uri);
        let closed = look.closed.iter().filter(|uri| !is_open(uri));
        let said = closed.filter(|uri| self.said.remove(*uri).is_some());
        said.map(|uri| publish(&PublishDiagnostics { uri, version: None, diagnostics: &[] })).collect()
    }
}

fn publish(params: &PublishDiagnostics<'_>) -> Vec<u8> {
    message::notification("textDocument/publishDiagnostics", params)
}

/// What is wrong with a document. A mistake of the compiler is one, too, and the server goes on.
fn found(
    snapshot: &Snapshot,
    path: &FilePath,
    document: &OpenDocument,
    depth: Depth,
    goes_on: &dyn Fn() -> bool,
) -> Option<Vec<Diagnostic>> {
    let lines = snapshot.lines(path);
    let look = || {
        if !document.language.is_compiled() {
            return Some(checked(snapshot, path, document));
        }
        let found = findings(&snapshot.compiler, path, document.language, depth, goes_on)?;
        let mut all: Vec<Diagnostic> = found.iter().map(|finding| diagnostic(&lines, finding)).collect();
        all.extend(snapshot.tests.about(path, document.version, &lines));
        Some(all)
    };
    match catch_unwind(AssertUnwindSafe(look)) {
        Ok(found) => found,
        Err(_) => Some(vec![Diagnostic {
            range: range_of(&lines, Span::empty(0)),
            severity: 1,
            code: "Fatal".to_owned(),
            code_description: None,
            source: COMPILER,
            message: "the compiler failed on this file; this is a mistake in Tendon, not in the file"
                .to_owned(),
            tags: Vec::new(),
        }]),
    }
}

/// What is wrong with a document that the compiler does not compile.
fn checked(snapshot: &Snapshot, path: &FilePath, document: &OpenDocument) -> Vec<Diagnostic> {
    let (text, world) = (document.lines.text(), snapshot.compiler.world());
    let (source, found) = match document.language {
        Language::Config => (COMPILER, config::check(world, path, text)),
        Language::Bicep | Language::Params | Language::Other => {
            let ending = path.extension();
            let has = |check: &&ForeignCheck| check.endings.iter().any(|it| it.eq_ignore_ascii_case(ending));
            match snapshot.checks.iter().find(has) {
                Some(check) => (check.source, (check.check)(world, path, text)),
                None => return Vec::new(),
            }
        }
    };
    let own = found.into_iter().filter(|it| it.primary.is_none_or(|place| place.file == FileId::FIRST));
    own.map(|found| {
        let place = found.primary.map_or_else(Span::default, |place| Span::new(place.start, place.end));
        let help = found.help.first().map(|help| format!("; {help}")).unwrap_or_default();
        Diagnostic {
            range: range_of(&document.lines, place),
            severity: severity(found.severity),
            code: found.code.into_owned(),
            code_description: found.docs.map(|page| CodeDescription { href: page.into_owned() }),
            source,
            message: format!("{}{help}", found.message),
            tags: Vec::new(),
        }
    })
    .collect()
}

fn severity(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Info => 3,
    }
}

/// What the compiler finds in a document; none if that is not wanted any more.
pub(crate) fn findings(
    compiler: &Compiler,
    path: &FilePath,
    language: Language,
    depth: Depth,
    goes_on: &dyn Fn() -> bool,
) -> Option<Vec<Finding>> {
    if !language.is_compiled() {
        return Some(Vec::new());
    }
    // What the checks work out is kept, also where a template follows, which is not.
    let found = compiler.check(path, goes_on)?;
    match (language, depth) {
        (Language::Bicep, Depth::Checks) => Some(found),
        // The values of parameters files are worked out when they are written.
        (Language::Bicep, Depth::Templates) | (Language::Params, _) => {
            let compiled = compiler.fork().compile(path).findings;
            let own = compiled.iter().filter(|(file, _)| file == path);
            Some(own.flat_map(|(_, found)| found.iter()).cloned().collect())
        }
        (Language::Config | Language::Other, _) => Some(Vec::new()),
    }
}

/// Who says what the compiler says, and what its linter says.
const COMPILER: &str = "bicep";
const LINTER: &str = "bicep core linter";

/// The tags of the protocol: something that is not needed, and something that goes away.
const UNNECESSARY: u8 = 1;
const DEPRECATED: u8 = 2;

/// A finding as editors show it.
pub(crate) fn diagnostic(lines: &LineIndex, finding: &Finding) -> Diagnostic {
    let tags = match finding.tag() {
        Some(Tag::Unnecessary) => vec![UNNECESSARY],
        Some(Tag::Deprecated) => vec![DEPRECATED],
        None => Vec::new(),
    };
    Diagnostic {
        range: range_of(lines, finding.span),
        severity: severity(finding.severity),
        code: finding.code.to_owned(),
        code_description: bicep::lint::link(finding.code).map(|href| CodeDescription { href }),
        source: if bicep::lint::is_core(finding.code) { COMPILER } else { LINTER },
        message: finding.sentence(),
        tags,
    }
}
