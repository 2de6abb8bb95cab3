//! Why a text cannot be read, as diagnostics.
//!
//! Whoever reads what somebody wrote says it in the same words: the command line, the server and its pages.

use diagnostics::{Diagnostic, FileId, Span};

use crate::{Document, DocumentText, ReadError, ReadErrorKind, ReadLimits};

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
        source: DocumentText<'_>,
        file: FileId,
        limits: &ReadLimits,
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
        limits: &ReadLimits,
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
    ("input/too-large", "the file has more bytes than the limit allows"),
    ("json/syntax", "the text is not written as the format demands"),
    ("json/encoding", "the text is not UTF-8"),
    ("json/duplicate-key", "an object has two members of the same name"),
    ("json/limit", "reading the text would cost more than the limits allow"),
    ("yaml/no-document", "the text holds no document"),
];

/// What a code means, as a fragment, of a text that cannot be read.
pub fn meaning(code: &str) -> Option<&'static str> {
    let general = code.replacen("yaml/", "json/", 1);
    let row = CODES.iter().find(|(known, _)| *known == code || *known == general);
    row.map(|(_, meaning)| *meaning)
}

/// Why a text could not be read; the option is the one that says how deep it may nest, if there is one.
pub fn read_error(notation: Notation, error: ReadError, depth_option: Option<&str>) -> Diagnostic {
    let kind = match &error.problem {
        ReadErrorKind::TooDeep { .. }
        | ReadErrorKind::TooLarge { .. }
        | ReadErrorKind::TooManyNodes { .. }
        | ReadErrorKind::AliasBomb { .. } => "limit",
        ReadErrorKind::DuplicateKey { .. } => "duplicate-key",
        ReadErrorKind::InvalidUtf8 { .. } => "encoding",
        ReadErrorKind::UnexpectedToken { .. }
        | ReadErrorKind::UnclosedString
        | ReadErrorKind::UnclosedComment
        | ReadErrorKind::BadEscape { .. }
        | ReadErrorKind::ControlCharacter { .. }
        | ReadErrorKind::BadNumber { .. }
        | ReadErrorKind::TrailingContent { .. }
        | ReadErrorKind::YamlSyntax { .. }
        | ReadErrorKind::UnknownAnchor { .. }
        | ReadErrorKind::RecursiveAlias
        | ReadErrorKind::UnsupportedTag { .. }
        | ReadErrorKind::TagMismatch { .. }
        | ReadErrorKind::ComplexKey { .. }
        | ReadErrorKind::BadMerge
        | ReadErrorKind::MultipleDocuments => "syntax",
    };
    let code = format!("{}/{kind}", notation.name());
    let mut diagnostic = Diagnostic::error(code, error.to_string()).at(error.place);
    if let ReadErrorKind::DuplicateKey { first, .. } = &error.problem {
        diagnostic = diagnostic.label(*first, "first written here");
    }
    diagnostic.help.extend(error.hint);
    if let (ReadErrorKind::TooDeep { .. }, Some(option)) = (&error.problem, depth_option) {
        diagnostic = diagnostic.help(format!("`{option}` sets the limit"));
    }
    diagnostic
}

/// The same error without any words of the text, for texts that may hold secrets.
pub fn without_words(error: Diagnostic) -> Diagnostic {
    let meaning = meaning(&error.code).unwrap_or("the text cannot be read");
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
            let documents = Notation::read_either(text, FileId::FIRST, &ReadLimits::DEFAULT, None);
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
