//! What is wrong with a text, as diagnostics: why it cannot be read, and how its values break their contract.
//!
//! Whoever checks what somebody wrote says it in the same words: the command line, the server and its pages.

use contract::{Path, Violation};
use diagnostics::{Diagnostic, FileId, SourceMap, Span};

use crate::{Document, Limits, Problem, ReadError, Source};

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// JSON as RFC 8259 has it.
    Json,
    /// YAML 1.2, one or several documents.
    Yaml,
}

impl Notation {
    /// The first part of the codes of its errors.
    pub const fn name(self) -> &'static str {
        match self {
            Notation::Json => "json",
            Notation::Yaml => "yaml",
        }
    }

    /// Reads the documents of a text, one for JSON, at least one for YAML; or says why not.
    ///
    /// The option is the one that says how deep a text may nest, if there is one.
    pub fn read(
        self,
        source: Source<'_>,
        file: FileId,
        limits: &Limits,
        depth_option: Option<&str>,
    ) -> Result<Vec<Document>, Box<Diagnostic>> {
        let documents = match self {
            Notation::Json => Document::from_json(source, file, limits).map(|document| vec![document]),
            Notation::Yaml => Document::from_yaml_stream(source, file, limits),
        };
        let documents = documents.map_err(|error| Box::new(read_error(self, error, depth_option)))?;
        if documents.is_empty() {
            return Err(Box::new(no_document(Span::empty(file, 0))));
        }
        Ok(documents)
    }

    /// Reads a text that does not say how it is written: its content tells.
    pub fn read_either(
        text: &str,
        file: FileId,
        limits: &Limits,
        depth_option: Option<&str>,
    ) -> Result<Vec<Document>, Box<Diagnostic>> {
        let read = |notation: Notation| notation.read(text.into(), file, limits, depth_option);
        if !starts_like_json(text) {
            return read(Notation::Yaml);
        }
        // What is wrong as JSON may be right as YAML; if it is neither, it was more likely meant as JSON.
        read(Notation::Json).or_else(|first| read(Notation::Yaml).map_err(|_| first))
    }
}

/// Whether a text begins as only JSON, or YAML's JSON-like form, does.
fn starts_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"']) || text.trim_start().is_empty()
}

/// The codes of texts that cannot be read, each with its meaning; `json` stands for `json` and `yaml` here.
const CODES: &[(&str, &str)] = &[
    ("input/too-large", "The file has more bytes than the limit allows."),
    ("json/syntax", "The text is not written as the format demands."),
    ("json/encoding", "The text is not UTF-8."),
    ("json/duplicate-key", "An object has two members of the same name."),
    ("json/limit", "Reading the text would cost more than the limits allow."),
    ("yaml/no-document", "The text holds no document."),
];

/// One sentence about a code of a text that cannot be read.
pub fn meaning(code: &str) -> Option<&'static str> {
    let general = code.replacen("yaml/", "json/", 1);
    let row = CODES.iter().find(|(known, _)| *known == code || *known == general);
    row.map(|(_, meaning)| *meaning)
}

/// A violation with its places, ready to be shown.
pub struct Found {
    /// Which document of the text it is in, from zero.
    pub document: usize,
    /// What the contract says.
    pub violation: Violation,
    /// Where the value is.
    pub span: Span,
    /// Where the rule is.
    pub written: Option<Span>,
}

impl Found {
    /// Works out the places of a violation.
    pub fn new(index: usize, document: &Document, violation: Violation) -> Found {
        let span = span_of(&violation, document);
        let written = violation.written;
        Found { document: index, violation, span, written }
    }

    /// The violation as people and tools see it; `several` says that the text has more than one document.
    ///
    /// Of a value or rule over several lines only the first is marked: the rest would be shown for nothing.
    pub fn diagnostic(&self, sources: &SourceMap, several: bool) -> Diagnostic {
        let Violation { message, hint, .. } = &self.violation;
        let span = first_line(sources, self.shown_span(sources));
        let mut text = message.trim_end_matches('.').to_owned();
        if let Some(found) = self.shown_value(sources) {
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
    pub fn code(&self) -> &'static str {
        if &*self.violation.rule == READ_ONLY { READ_ONLY } else { self.violation.code }
    }

    /// Whether the value is a secret, or stands where one does: through an alias of YAML, a secret may be a part of something else, too. What
    /// the contract masked in a value may be shown around the masks, if there is one for each secret.
    pub fn is_hidden(&self, sources: &SourceMap) -> bool {
        // What is wrong with an unknown property is its name, and with what is missing that there is nothing.
        let is_value = self.violation.place.is_some() && self.violation.code != UNKNOWN_PROPERTY;
        let masks = self.violation.found.as_deref().map_or(0, |found| found.matches(contract::MASK).count());
        self.violation.is_masked() || (is_value && sources.hidden_parts(self.span) > masks)
    }

    /// Where the value is; of one that is a secret only the start, since its length says something about it.
    pub fn shown_span(&self, sources: &SourceMap) -> Span {
        let is_secret =
            self.is_hidden(sources) && (self.violation.is_masked() || sources.is_hidden(self.span));
        if is_secret { Span::empty(self.span.file, self.span.start) } else { self.span }
    }

    /// The value, if it says more than the message does: scalars that are no secret and not themselves in the way.
    pub fn shown_value(&self, sources: &SourceMap) -> Option<&str> {
        let found = self.violation.found.as_deref()?;
        let hidden = self.is_hidden(sources)
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
pub const READ_ONLY: &str = "readOnly";

/// The rule that finds fault with a property's name, not with its value.
pub const UNKNOWN_PROPERTY: &str = "additionalProperties";

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

/// Why a text could not be read; the option is the one that says how deep it may nest, if there is one.
pub fn read_error(notation: Notation, error: ReadError, depth_option: Option<&str>) -> Diagnostic {
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
    let code = format!("{}/{kind}", notation.name());
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
pub fn without_words(error: Diagnostic) -> Diagnostic {
    let mut meaning = meaning(&error.code).unwrap_or_default().trim_end_matches('.').to_owned();
    if let Some(first) = meaning.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    let mut bare = Diagnostic::error(error.code, meaning)
        .help("the contract has secrets, so nothing of the text is shown; look at the place named above");
    bare.primary = error.primary.map(|span| Span::empty(span.file, span.start));
    bare
}

/// A YAML text without a document.
fn no_document(place: Span) -> Diagnostic {
    Diagnostic::error("yaml/no-document", "the text holds no document")
        .at(place)
        .help("write a value; `null` or `~` is one")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_meaning() {
        for code in ["json/syntax", "yaml/syntax", "yaml/limit", "yaml/no-document", "input/too-large"] {
            assert!(meaning(code).is_some(), "{code}");
        }
        assert_eq!(meaning("no-such-code"), None);
    }

    #[test]
    fn the_content_tells_how_a_text_is_written() {
        let read = |text: &str| {
            let documents = Notation::read_either(text, FileId::FIRST, &Limits::DEFAULT, None);
            documents.map(|documents| documents.len()).map_err(|error| error.code.to_string())
        };
        assert_eq!(read("{\"a\": 1}"), Ok(1));
        assert_eq!(read("{a: 1}"), Ok(1));
        assert_eq!(read("a: 1\n---\nb: 2"), Ok(2));
        assert_eq!(read("{\"a\": "), Err("json/syntax".to_owned()));
        assert_eq!(read("a: [1"), Err("yaml/syntax".to_owned()));
        assert_eq!(read("# nothing\n"), Err("yaml/no-document".to_owned()));
    }
}
