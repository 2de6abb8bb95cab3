//! The file as a whole: headers, then definitions.

use super::{Code, IdlTokenKind, Keyword, ParseFailed, Parser};
use crate::idl::{Definition, Header, IdlFile};
use crate::suggest;

/// Words that a definition or header starts with, for suggestions.
const STARTERS: &[&str] = &[
    "const",
    "enum",
    "exception",
    "include",
    "namespace",
    "service",
    "struct",
    "typedef",
    "union",
    "cpp_include",
];

impl Parser<'_> {
    pub(super) fn document(&mut self) -> IdlFile {
        let mut headers = Vec::new();
        let mut definitions = Vec::new();
        while self.kind() != IdlTokenKind::End {
            let before = self.at;
            let parsed = match self.keyword() {
                Some(keyword) if keyword.starts_header() => {
                    self.header(keyword, &definitions).map(|it| headers.push(it))
                }
                Some(keyword) if keyword.starts_definition() => {
                    self.definition(keyword).map(|it| definitions.push(it))
                }
                _ => self.stray(!definitions.is_empty(), !headers.is_empty()),
            };
            if parsed.is_err() {
                self.skip_to_definition(before);
            }
        }
        let span = crate::Span::new(self.file, 0, self.text.len() as u32);
        if definitions.is_empty()
            && headers.is_empty()
            && self.diagnostics.iter().all(|it| it.severity < crate::Severity::Error)
        {
            self.disagree(Code::EmptyFile, span, "the file is empty");
        }
        IdlFile { headers, definitions, span }
    }

    fn header(&mut self, keyword: Keyword, definitions: &[Definition]) -> Result<Header, ParseFailed> {
        if let Some(first) = definitions.first() {
            let span = self.span_of(self.peek());
            let message = format!("`{}` must stand above the first definition", keyword.text());
            let diagnostic = Code::HeaderAfterDefinition.at(span, message);
            let label = format!("`{}` is the first definition", first.name().text);
            self.report(diagnostic.label(first.name().span, label).help("move it to the head of the file"));
        }
        self.header_body(keyword)
    }

    /// Something that starts neither a header nor a definition.
    fn stray(&mut self, after_definition: bool, after_header: bool) -> Result<(), ParseFailed> {
        let token = self.peek();
        if matches!(token.kind, IdlTokenKind::Comma | IdlTokenKind::Semicolon) {
            self.bump();
            let span = self.span_of(token);
            if after_definition && token.kind == IdlTokenKind::Semicolon {
                self.disagree(Code::DefinitionSeparator, span, "nothing separates definitions");
                return Ok(());
            }
            let message = format!("unexpected `{}`", self.text_of(token));
            let help = if after_header { "headers end with their line; remove it" } else { "remove it" };
            self.report(Code::Syntax.at(span, message).help(help));
            return Ok(());
        }
        if self.fbthrift_top()? || self.removed_top()? {
            return Ok(());
        }
        let help = match token.kind {
            IdlTokenKind::RBrace => Some("there is one `}` too many above".to_owned()),
            _ => suggest::did_you_mean(self.text_of(token), STARTERS.iter().copied()),
        };
        Err(self.expected_with("a definition", help))
    }

    /// Goes to the next line that starts a header or definition, at least one token on.
    fn skip_to_definition(&mut self, before: usize) {
        if self.at == before {
            self.bump();
        }
        loop {
            let token = self.peek();
            let starts = self.keyword().is_some_and(|it| it.starts_definition() || it.starts_header());
            if token.kind == IdlTokenKind::End || (starts && token.new_line) {
                return;
            }
            self.bump();
        }
    }
}
