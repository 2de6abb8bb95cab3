//! What is wrong with a manifest, where, and how findings are collected.

use diagnostics::{Severity, Span};

use crate::rule::{ManifestReadOptions, ManifestRule, RuleLevel};

/// One thing to say about a manifest.
#[derive(Clone, Debug)]
pub struct ManifestDiagnostic {
    /// The rule that is broken.
    pub rule: &'static ManifestRule,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: a lower-case fragment.
    pub message: String,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
    /// Where it is written.
    pub place: Span,
    /// Where it is in the document, as a JSON pointer.
    pub pointer: String,
}

/// Most findings that are reported of one manifest; a manifest with more has one cause, or nobody reads them.
const MOST: usize = 1000;

/// A step from a value to a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PointerStep<'d> {
    Name(&'d str),
    Index(usize),
}

/// Findings, and where the reader is.
#[derive(Debug, Default)]
pub(crate) struct Findings<'d> {
    options: ManifestReadOptions,
    path: Vec<PointerStep<'d>>,
    found: Vec<ManifestDiagnostic>,
    errors: usize,
    /// How many were left out.
    more: usize,
}

/// What is added to a finding after it was made.
pub(crate) struct Hint<'f>(Option<&'f mut ManifestDiagnostic>);

impl Hint<'_> {
    /// Says what to do about it.
    pub(crate) fn hint(self, hint: impl Into<String>) {
        if let Some(finding) = self.0 {
            finding.hint = Some(hint.into());
        }
    }

    /// Says what to do about it, if that is known.
    pub(crate) fn maybe_hint(self, hint: Option<impl Into<String>>) {
        if let Some(hint) = hint {
            self.hint(hint);
        }
    }
}

impl<'d> Findings<'d> {
    pub(crate) fn new(options: ManifestReadOptions) -> Findings<'d> {
        Findings { options, ..Findings::default() }
    }

    /// Goes one step further down.
    pub(crate) fn enter(&mut self, step: PointerStep<'d>) {
        self.path.push(step);
    }

    /// Goes back one step.
    pub(crate) fn leave(&mut self) {
        self.path.pop();
    }

    /// Reports something about the value where the reader is.
    pub(crate) fn report(
        &mut self,
        rule: &'static ManifestRule,
        place: Span,
        message: impl Into<String>,
    ) -> Hint<'_> {
        self.add(rule, place, message.into(), &[])
    }

    /// Reports something about a member of the value where the reader is.
    pub(crate) fn report_member(
        &mut self,
        rule: &'static ManifestRule,
        name: &str,
        place: Span,
        message: impl Into<String>,
    ) -> Hint<'_> {
        self.add(rule, place, message.into(), &[PointerStep::Name(name)])
    }

    /// Reports something about an element of a member of the value where the reader is.
    pub(crate) fn report_element(
        &mut self,
        rule: &'static ManifestRule,
        name: &str,
        index: usize,
        place: Span,
        message: impl Into<String>,
    ) -> Hint<'_> {
        self.add(rule, place, message.into(), &[PointerStep::Name(name), PointerStep::Index(index)])
    }

    fn add(
        &mut self,
        rule: &'static ManifestRule,
        place: Span,
        message: String,
        more: &[PointerStep<'_>],
    ) -> Hint<'_> {
        let level = rule.level(self.options);
        let Some(severity) = level.severity() else { return Hint(None) };
        // Errors always have room: a manifest with a thousand remarks and one error is not free of errors.
        if self.found.len() >= MOST && (level < RuleLevel::Error || self.errors > 0) {
            self.more += 1;
            return Hint(None);
        }
        self.errors += usize::from(level == RuleLevel::Error);
        let pointer = pointer(self.path.iter().chain(more));
        self.found.push(ManifestDiagnostic { rule, severity, message, hint: None, place, pointer });
        Hint(self.found.last_mut())
    }

    /// All findings in the order of the text, each once, and how many there are beyond them.
    pub(crate) fn finish(mut self) -> (Vec<ManifestDiagnostic>, usize) {
        self.found.sort_by(|a, b| {
            (a.place.file, a.place.start, a.place.end).cmp(&(b.place.file, b.place.start, b.place.end))
        });
        // A value that is reached through two aliases is read twice.
        self.found
            .dedup_by(|a, b| a.place == b.place && a.rule.code == b.rule.code && a.message == b.message);
        (self.found, self.more)
    }
}

/// Steps as a JSON pointer.
fn pointer<'p, 'd: 'p>(steps: impl Iterator<Item = &'p PointerStep<'d>>) -> String {
    let mut out = String::new();
    for step in steps {
        out.push('/');
        match step {
            PointerStep::Name(name) => out.push_str(&name.replace('~', "~0").replace('/', "~1")),
            PointerStep::Index(index) => out.push_str(&index.to_string()),
        }
    }
    out
}

/// At most 60 characters of a text, for quoting it in a message.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        None => text.to_owned(),
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
    }
}
