//! One finding, as data.

use std::fmt;

use crate::{Fix, Span, Text};

/// How bad a finding is. A rule that is switched off makes no diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing has to change.
    Info,
    /// Probably a mistake; the result is still made.
    Warning,
    /// A mistake; there is no result.
    Error,
}

impl Severity {
    /// The word for the severity in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One finding: what is wrong, where, why, and what to do about it.
///
/// The message is a lower-case fragment without a final period, on one line, user text in backticks. The remedy goes
/// into `help`, other places into `labels`. A label on the primary span itself is the text shown at the caret.
///
/// ```
/// use diagnostics::{Diagnostic, SourceMap, Span, short};
///
/// let mut sources = SourceMap::new();
/// let file = sources.add("main.bicep", "var a = nane\n");
/// let found = Diagnostic::error("BCP082", "the name `nane` does not exist")
///     .at(Span::new(file, 8, 12))
///     .help("did you mean `name`?");
///
/// let mut out = String::new();
/// short::write(&mut out, &sources, &found)?;
/// assert_eq!(out, "main.bicep:1:9: error[BCP082]: the name `nane` does not exist\n");
/// # Ok::<(), std::fmt::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The code that people search for.
    pub code: Text,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: a lower-case fragment without a final period.
    pub message: Text,
    /// Where it is wrong; `None` when no source is to blame.
    pub primary: Option<Span>,
    /// Where it is wrong in the value that the source is, as a JSON pointer; `None` when it is not about a part of a value.
    pub pointer: Option<Text>,
    /// Where the rule is written that it breaks; there is a label for it as well.
    pub rule: Option<Span>,
    /// Other places that take part, each with its reason.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Vec<Text>,
    /// Changes that would do it.
    pub fixes: Vec<Fix>,
    /// A link to the page that explains the code.
    pub docs: Option<Text>,
}

/// A place and what it has to do with the finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The bytes that the label speaks of.
    pub span: Span,
    /// Its part in the finding.
    pub message: Text,
}

impl Diagnostic {
    /// Makes a diagnostic without a place.
    pub fn new(severity: Severity, code: impl Into<Text>, message: impl Into<Text>) -> Diagnostic {
        Diagnostic {
            code: code.into(),
            severity,
            message: message.into(),
            primary: None,
            pointer: None,
            rule: None,
            labels: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
            docs: None,
        }
    }

    /// Makes an error: what has one is rejected.
    pub fn error(code: impl Into<Text>, message: impl Into<Text>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message)
    }

    /// Makes a warning: work goes on in spite of it.
    pub fn warning(code: impl Into<Text>, message: impl Into<Text>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }

    /// Makes a remark that is worth knowing.
    pub fn info(code: impl Into<Text>, message: impl Into<Text>) -> Diagnostic {
        Diagnostic::new(Severity::Info, code, message)
    }

    /// Sets the place that it speaks of; without one, it speaks of the whole input.
    #[must_use]
    pub fn at(mut self, span: Span) -> Diagnostic {
        self.primary = Some(span);
        self
    }

    /// Says which part of a value it is about, as a JSON pointer.
    #[must_use]
    pub fn pointer(mut self, pointer: impl Into<Text>) -> Diagnostic {
        self.pointer = Some(pointer.into());
        self
    }

    /// Says where the rule is written that it breaks.
    #[must_use]
    pub fn rule(mut self, span: Span) -> Diagnostic {
        self.rule = Some(span);
        self.label(span, "rule written here")
    }

    /// Adds another place with its reason.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<Text>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds a remedy in words.
    #[must_use]
    pub fn help(mut self, help: impl Into<Text>) -> Diagnostic {
        self.help.push(help.into());
        self
    }

    /// Adds a remedy in words, if there is one.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<impl Into<Text>>) -> Diagnostic {
        self.help.extend(help.map(Into::into));
        self
    }

    /// Adds a remedy as a change.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Diagnostic {
        self.fixes.push(fix);
        self
    }

    /// Sets the link to the page that explains the code.
    #[must_use]
    pub fn docs(mut self, link: impl Into<Text>) -> Diagnostic {
        self.docs = Some(link.into());
        self
    }

    /// Replaces the severity, for rules whose severity is configured.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Adds a number to the file of every place, for files that come later in a [`SourceMap`](crate::SourceMap)
    /// than in the program they were numbered for.
    #[must_use]
    pub fn with_files_after(mut self, count: u32) -> Diagnostic {
        let edits = self.fixes.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.span);
        let labels = self.labels.iter_mut().map(|label| &mut label.span);
        for span in self.primary.iter_mut().chain(&mut self.rule).chain(labels).chain(edits) {
            span.file.0 = span.file.0.saturating_add(count);
        }
        self
    }
}

/// Sorts by file, start and code; findings without a place come first, equal ones keep their order.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| {
        let place = |found: &Diagnostic| found.primary.map(|span| (span.file, span.start));
        place(a).cmp(&place(b)).then_with(|| a.code.cmp(&b.code))
    });
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::FileId;

    #[test]
    fn the_order_is_file_then_start_then_code() {
        let at = |code: &'static str, file, start| {
            Diagnostic::error(code, "m").at(Span::empty(FileId(file), start))
        };
        let mut found = vec![
            at("B", 1, 0),
            at("B", 0, 9),
            at("A", 0, 9).help("second"),
            at("A", 0, 9).help("third"),
            at("Z", 0, 2),
            Diagnostic::error("Y", "m"),
        ];
        sort(&mut found);
        let order: Vec<_> = found.iter().map(|d| (&*d.code, d.help.first().map(|help| &**help))).collect();
        assert_eq!(
            order,
            [("Y", None), ("Z", None), ("A", Some("second")), ("A", Some("third")), ("B", None), ("B", None)]
        );
    }

    #[test]
    fn every_place_moves_with_its_file() {
        let at = |file| Span::new(FileId(file), 1, 2);
        let made = |first: u32| {
            let fix = Fix::new("change it").replace(at(first + 2), "x");
            Diagnostic::error("A", "m").at(at(first)).label(at(first + 1), "l").fix(fix)
        };
        assert_eq!(made(0).with_files_after(7), made(7));
    }

    #[test]
    fn severities_grow() {
        assert!(Severity::Info < Severity::Warning && Severity::Warning < Severity::Error);
    }

    #[test]
    fn a_constant_diagnostic_without_extras_allocates_nothing() {
        let found = Diagnostic::warning("no-unused-vars", "the variable is never used");
        assert!(matches!((&found.code, &found.message), (Cow::Borrowed(_), Cow::Borrowed(_))));
        assert_eq!(found.labels.capacity() + found.help.capacity() + found.fixes.capacity(), 0);
    }
}
