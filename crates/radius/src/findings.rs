//! What is wrong with a manifest, where, and how findings are collected.

use diagnostics::{Severity, Span};

use crate::rule::{Level, Options, Rule};

/// One thing to say about a manifest.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: &'static Rule,
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
pub(crate) enum Step<'d> {
    Name(&'d str),
    Index(usize),
}

/// Findings, and where the reader is.
#[derive(Debug, Default)]
pub(crate) struct Findings<'d> {
    options: Options,
    path: Vec<Step<'d>>,
    found: Vec<Finding>,
    errors: usize,
    /// How many were left out.
    more: usize,
}

/// What is added to a finding after it was made.
pub(crate) struct Hint<'f>(Option<&'f mut Finding>);

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
    pub(crate) fn new(options: Options) -> Findings<'d> {
        Findings { options, ..Findings::default() }
    }

    /// Goes one step further down.
    pub(crate) fn enter(&mut self, step: Step<'d>) {
        self.path.push(step);
    }

    /// Goes back one step.
    pub(crate) fn leave(&mut self) {
        self.path.pop();
    }

    /// Reports something about the value where the reader is.
    pub(crate) fn report(
        &mut self,
        rule: &'static Rule,
        place: Span,
        message: impl Into<String>,
    ) -> Hint<'_> {
        self.add(rule, place, message.into(), &[])
    }

    /// Reports something about a member of the value where the reader is.
    pub(crate) fn report_member(
        &mut self,
        rule: &'static Rule,
        name: &str,
        place: Span,
        message: impl Into<String>,
    ) -> Hint<'_> {
        self.add(rule, place, message.into(), &[Step::Name(name)])
    }

    /// Reports something about an element of a member of the value where the reader is.
    pub(crate) fn report_element(
        &mut self,
        rule: &'static Rule,
        name: &str,
        index: usize,
        place: Span,
        message: impl Into<String>,
    ) -> Hint<'_> {
        self.add(rule, place, message.into(), &[Step::Name(name), Step::Index(index)])
    }

    fn add(&mut self, rule: &'static Rule, place: Span, message: String, more: &[Step<'_>]) -> Hint<'_> {
        let level = rule.level(self.options);
        let Some(severity) = level.severity() else { return Hint(None) };
        // Errors always have room: a manifest with a thousand remarks and one error is not free of errors.
        if self.found.len() >= MOST && (level < Level::Error || self.errors > 0) {
            self.more += 1;
            return Hint(None);
        }
        self.errors += usize::from(level == Level::Error);
        let pointer = pointer(self.path.iter().chain(more));
        self.found.push(Finding { rule, severity, message, hint: None, place, pointer });
        Hint(self.found.last_mut())
    }

    /// All findings in the order of the text, each once, and how many there are beyond them.
    pub(crate) fn finish(mut self) -> (Vec<Finding>, usize) {
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
fn pointer<'p, 'd: 'p>(steps: impl Iterator<Item = &'p Step<'d>>) -> String {
    let mut out = String::new();
    for step in steps {
        out.push('/');
        match step {
            Step::Name(name) => out.push_str(&name.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => out.push_str(&index.to_string()),
        }
    }
    out
}
