//! Violations, flaws and errors of reading as diagnostics.

use contract::{Flaw, Path, Violation, rules};
use diagnostics::{Diagnostic, SourceMap, Span, Text};
use document::{Document, Problem, ReadError};

use crate::input::Format;

/// The codes that do not come from a rule, each with its meaning.
///
/// The first part of a code says what was looked at; `json` stands for `json` and `yaml` here.
const CODES: &[(&str, &str)] = &[
    ("input/too-large", "The file has more bytes than the limit allows."),
    ("json/syntax", "The text is not written as the format demands."),
    ("json/encoding", "The text is not UTF-8."),
    ("json/duplicate-key", "An object has two members of the same name."),
    ("json/limit", "Reading the text would cost more than the limits allow."),
    ("yaml/no-document", "The text holds no document."),
    ("contract/unsatisfiable", "No value can ever satisfy the contract."),
    ("contract/broken-default", "A default value breaks the rules of its own shape."),
    ("contract/outside-type", "An operand is outside the type it is compared with."),
    ("contract/never-applies", "A rule stands on a shape that it says nothing about."),
    ("contract/bad-operand", "An operand is not of the kind that its rule needs."),
    ("contract/bad-pattern", "A pattern is not a pattern."),
    ("contract/unknown-field", "A reference names a field that is not there."),
    ("contract/unknown-definition", "A reference names a definition that is not there."),
    ("contract/unknown-function", "A call names a function that is not there, or has the wrong arguments."),
    ("contract/endless-definition", "A definition is defined by itself without a value in between."),
    ("contract/duplicate-property", "A property is declared twice."),
    ("contract/unknown-keyword", "A word of the contract language is not known."),
    ("contract/bad-keyword", "A word of the contract language is not followed by what it needs."),
    ("contract/too-deep", "Shapes nest too deeply."),
    (READ_ONLY, "The server sets the property, and a request cannot."),
    ("InvalidTemplate", "A deployment with the value would be refused."),
    ("TemplateValidationException", "A validator does not do what validators do."),
    ("InvalidRequestContent", "The values are not written as a deployment takes them."),
    ("ExternalInputMissing", "The value of an external input is not there."),
];

/// One sentence about a code.
pub(crate) fn summary(code: &str) -> Option<String> {
    if let Some(rule) = rules::ALL.iter().find(|rule| rule.name == code) {
        return Some(rule.summary.to_owned());
    }
    if let Some(rule) = radius::Rule::find(code) {
        return Some(rule.text.to_owned());
    }
    let general = code.replacen("yaml/", "json/", 1);
    let row = CODES.iter().find(|(known, _)| *known == code || *known == general);
    row.map(|(_, meaning)| (*meaning).to_owned())
}

/// A violation with its places, ready to be shown.
pub(crate) struct Found {
    /// Which document of the file it is in, from zero.
    pub(crate) document: usize,
    /// What the contract says.
    pub(crate) violation: Violation,
    /// Where the value is.
    pub(crate) span: Span,
    /// Where the rule is.
    pub(crate) written: Option<Span>,
}

impl Found {
    /// Works out the places of a violation.
    pub(crate) fn new(index: usize, document: &Document, violation: Violation) -> Found {
        let span = span_of(&violation, document);
        let written = violation.written;
        Found { document: index, violation, span, written }
    }

    /// The violation as people and tools see it; `several` says that the file has more than one document.
    ///
    /// Of a value or rule over several lines only the first is marked: the rest would be shown for nothing.
    pub(crate) fn diagnostic(&self, sources: &SourceMap, several: bool) -> Diagnostic {
        let Violation { message, hint, .. } = &self.violation;
        let span = first_line(sources, self.span);
        let mut text = message.trim_end_matches('.').to_owned();
        if let Some(found) = self.shown_value() {
            text.push_str(&format!(", found `{found}`"));
        }
        let mut diagnostic = Diagnostic::error(self.code(), text)
            .at(span)
            .pointer(self.violation.path.pointer())
            .label(span, self.place(several));
        if let Some(written) = self.written {
            diagnostic = diagnostic.label(first_line(sources, written), "rule written here");
        }
        match hint {
            Some(hint) => diagnostic.help(String::from(&**hint)),
            None => diagnostic,
        }
    }

    /// The rule's name; one that a dialect makes of others has its own.
    fn code(&self) -> &'static str {
        if &*self.violation.rule == READ_ONLY { READ_ONLY } else { self.violation.code }
    }

    /// The value, if it says more than the message does: scalars that are no secret and not themselves in the way.
    fn shown_value(&self) -> Option<&str> {
        let found = self.violation.found.as_deref()?;
        let hidden = self.violation.is_masked()
            || found.starts_with(['{', '['])
            || self.violation.code == UNKNOWN_PROPERTY;
        (!hidden).then_some(found)
    }

    /// Where the value is in its document, in both spellings.
    fn place(&self, several: bool) -> String {
        let Violation { path, .. } = &self.violation;
        let pointer = path.pointer();
        let place = if pointer.is_empty() { path.to_string() } else { format!("{path} ({pointer})") };
        if several { format!("document {}: {place}", self.document + 1) } else { place }
    }
}

/// The rule of resource types for what only the server sets.
const READ_ONLY: &str = "readOnly";

/// The rule that finds fault with a property's name, not with its value.
pub(crate) const UNKNOWN_PROPERTY: &str = "additionalProperties";

/// The part of a span that is on its first line.
fn first_line(sources: &SourceMap, span: Span) -> Span {
    let text = sources.slice(span).unwrap_or_default();
    let length = text.find(['\n', '\r']).unwrap_or(text.len());
    Span::new(span.file, span.start, span.start.saturating_add(u32::try_from(length).unwrap_or(u32::MAX)))
}

/// The place of the value, or of the nearest value around it that exists.
///
/// Only the start of a secret is told, since the length of one says something about it.
fn span_of(violation: &Violation, document: &Document) -> Span {
    let place = match violation.code {
        // What is wrong with an unknown property is its name.
        UNKNOWN_PROPERTY => key_place(&violation.path, document).or(violation.place),
        _ => violation.place,
    };
    let span = place.unwrap_or_else(|| nearest_place(&violation.path, document));
    if violation.is_masked() || violation.place.is_none() { Span::empty(span.file, span.start) } else { span }
}

fn key_place(path: &Path, document: &Document) -> Option<Span> {
    let pointer = path.pointer();
    let (parent, _) = pointer.rsplit_once('/')?;
    let contract::PathStep::Name(name) = path.steps.last()? else { return None };
    let (key, _) = document.root().pointer(parent)?.member_with_key(name)?;
    Some(key.place())
}

fn nearest_place(path: &Path, document: &Document) -> Span {
    let mut pointer = path.pointer();
    loop {
        if let Some(value) = document.root().pointer(&pointer) {
            return value.place();
        }
        match pointer.rfind('/') {
            Some(cut) => pointer.truncate(cut),
            None => return document.root().place(),
        }
    }
}

/// A mistake in a contract.
pub(crate) fn flaw(flaw: Flaw) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(flaw.code.name(), flaw.message);
    diagnostic.primary = flaw.place;
    diagnostic.help.extend(flaw.hint.map(Text::from));
    diagnostic
}

/// Why a text could not be read; the option is the one that says how deep it may nest, if the command has one.
pub(crate) fn read_error(format: Format, error: ReadError, depth_option: Option<&str>) -> Diagnostic {
    let kind = match &error.problem {
        Problem::TooDeep { .. }
        | Problem::TooLarge { .. }
        | Problem::TooManyNodes { .. }
        | Problem::AliasBomb { .. } => "limit",
        Problem::DuplicateKey { .. } => "duplicate-key",
        Problem::InvalidUtf8 { .. } => "encoding",
        Problem::UnexpectedToken { .. }
        | Problem::UnclosedString
        | Problem::UnclosedComment
        | Problem::BadEscape { .. }
        | Problem::ControlCharacter { .. }
        | Problem::BadNumber { .. }
        | Problem::TrailingContent { .. }
        | Problem::YamlSyntax { .. }
        | Problem::UnknownAnchor { .. }
        | Problem::RecursiveAlias
        | Problem::UnsupportedTag { .. }
        | Problem::TagMismatch { .. }
        | Problem::ComplexKey { .. }
        | Problem::BadMerge
        | Problem::MultipleDocuments => "syntax",
    };
    let code = format!("{}/{kind}", format.name());
    let mut diagnostic = Diagnostic::error(code, error.to_string()).at(error.place);
    if let Problem::DuplicateKey { first, .. } = &error.problem {
        diagnostic = diagnostic.label(*first, "first written here");
    }
    diagnostic.help.extend(error.hint);
    if let (Problem::TooDeep { .. }, Some(option)) = (&error.problem, depth_option) {
        diagnostic = diagnostic.help(format!("`{option}` sets the limit"));
    }
    diagnostic
}

/// The same error without any words of the text, for texts that may hold secrets.
pub(crate) fn without_words(error: Diagnostic) -> Diagnostic {
    let meaning = summary(&error.code).unwrap_or_default();
    let mut meaning = meaning.trim_end_matches('.').to_owned();
    if let Some(first) = meaning.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    let mut bare = Diagnostic::error(error.code, meaning)
        .help("the contract has secrets, so nothing of the text is shown; look at the place named above");
    bare.primary = error.primary.map(|span| Span::empty(span.file, span.start));
    bare
}

/// A file of which no byte is looked at; the size is known of real files only.
pub(crate) fn too_large(size: Option<usize>, limit: usize) -> Diagnostic {
    let message = match size {
        Some(size) => format!("the file has {size} bytes, more than the limit of {limit}"),
        None => format!("the input has more bytes than the limit of {limit}"),
    };
    Diagnostic::error("input/too-large", message)
}

/// A YAML text without a document.
pub(crate) fn no_document(place: Span) -> Diagnostic {
    Diagnostic::error("yaml/no-document", "the text holds no document")
        .at(place)
        .help("write a value; `null` or `~` is one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_meaning() {
        for code in ["minimum", "type", "json/syntax", "yaml/syntax", "yaml/limit", "contract/bad-pattern"] {
            assert!(summary(code).is_some(), "{code}");
        }
        assert_eq!(summary("no-such-code"), None);
    }
}
