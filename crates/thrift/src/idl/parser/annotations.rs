//! `(key = "value", ..)`, and string literals.

use super::{Code, IdlToken, IdlTokenKind, Parse, ParseFailed, Parser};
use crate::Span;
use crate::idl::literal::{OddityKind, decode_noting, thriftgo_ends_here};
use crate::idl::{Annotation, Annotations, IdlName, Literal};

impl Parser<'_> {
    /// Parses a parenthesised list; the current token is its `(`.
    pub(super) fn annotations(&mut self) -> Parse<Annotations> {
        let open = self.expect(IdlTokenKind::LParen, "before annotations")?;
        let mut annotations = Vec::new();
        while self.eat(IdlTokenKind::RParen).is_none() {
            if matches!(self.kind(), IdlTokenKind::End | IdlTokenKind::RBrace | IdlTokenKind::LBrace)
                || self.at_definition()
            {
                let token = self.peek();
                let message = format!("expected `)` to end the annotations, found {}", self.found(token));
                let opened = self.span_of(open);
                let diagnostic = Code::Syntax.at(self.span_of(token), message);
                self.report(diagnostic.label(opened, "opened here"));
                return Err(ParseFailed);
            }
            match self.annotation() {
                Ok(annotation) => annotations.push(annotation),
                Err(ParseFailed) => self.skip_annotation(),
            }
        }
        Ok(annotations.into_iter().collect())
    }

    fn annotation(&mut self) -> Parse<Annotation> {
        let first = self.peek();
        let key = self.annotation_key()?;
        let value = match self.eat(IdlTokenKind::Equal) {
            Some(_) => Some(self.annotation_value(&key)?),
            None if matches!(self.kind(), IdlTokenKind::Unknown | IdlTokenKind::Colon) => {
                return Err(self.expected("`=` and the value of the annotation"));
            }
            None => {
                let message = format!("the annotation `{}` has no value", key.text);
                self.disagree(Code::AnnotationWithoutValue, key.span, message);
                None
            }
        };
        let span = self.span_from(first);
        self.separator();
        Ok(Annotation { key, value, span })
    }

    fn annotation_key(&mut self) -> Parse<IdlName> {
        let token = self.peek();
        match token.kind {
            IdlTokenKind::Name => Ok(self.name()),
            IdlTokenKind::Keyword(keyword) => {
                let name = self.name();
                let message = format!("the annotation key `{}` is a keyword", keyword.text());
                self.disagree(Code::KeywordAnnotationKey, name.span, message);
                Ok(name)
            }
            IdlTokenKind::Literal if self.nth(1).kind == IdlTokenKind::Equal => {
                let key = self.literal("")?;
                let text = key.text().into_owned();
                let help = format!("write `{text}` without quotes");
                let diagnostic = Code::Syntax.at(key.span, "the key of an annotation is not quoted");
                self.report(diagnostic.help(help));
                Ok(IdlName { text, span: key.span })
            }
            _ => Err(self.expected("an annotation")),
        }
    }

    fn annotation_value(&mut self, key: &IdlName) -> Parse<Literal> {
        let token = self.peek();
        match token.kind {
            IdlTokenKind::Literal => self.literal("the value of the annotation"),
            IdlTokenKind::Int | IdlTokenKind::Double | IdlTokenKind::Name | IdlTokenKind::Keyword(_) => {
                self.bump();
                let span = self.span_of(token);
                let raw = self.text_of(token).to_owned();
                let message = format!("the value of `{}` must be a string literal, found `{raw}`", key.text);
                self.report(Code::AnnotationValue.at(span, message).help(format!("write \"{raw}\"")));
                Ok(Literal { value: raw.clone().into_bytes(), raw, quote: '"', span })
            }
            _ => Err(self.expected("a string literal")),
        }
    }

    /// Skips to the next annotation or the end of the list.
    fn skip_annotation(&mut self) {
        let mut first = true;
        loop {
            match self.kind() {
                IdlTokenKind::End | IdlTokenKind::RParen | IdlTokenKind::LBrace | IdlTokenKind::RBrace => {
                    return;
                }
                IdlTokenKind::Comma | IdlTokenKind::Semicolon => {
                    self.bump();
                    return;
                }
                IdlTokenKind::Name if !first && self.nth(1).kind == IdlTokenKind::Equal => return,
                _ if !first && self.at_definition() => return,
                _ => {
                    self.bump();
                    first = false;
                }
            }
        }
    }

    /// Parses a string literal and says what is odd about it.
    pub(super) fn literal(&mut self, what: &str) -> Parse<Literal> {
        let token = self.peek();
        if token.kind != IdlTokenKind::Literal {
            return Err(self.expected(what));
        }
        self.bump();
        let span = self.span_of(token);
        let written = self.text_of(token);
        let quote = if written.starts_with('\'') { '\'' } else { '"' };
        let inner = written.get(1..).unwrap_or("");
        // An unterminated literal has no closing quote; the lexer has reported it.
        let raw = inner.strip_suffix(quote).unwrap_or(inner).to_owned();
        let value = self.decode_literal(&raw, token);
        if raw.contains('\n') {
            self.disagree(Code::MultilineLiteral, span, "a string literal over several lines");
        }
        if !thriftgo_ends_here(&raw, quote as u8) {
            self.disagree_with(
                Code::BackslashBeforeQuote,
                span,
                "a string literal with an escaped backslash before a quote",
                Some("thriftgo takes the backslash as an escape of the quote"),
            );
        }
        Ok(Literal { value, raw, quote, span })
    }

    fn decode_literal(&mut self, raw: &str, token: IdlToken) -> Vec<u8> {
        let mut odd = Vec::new();
        let value = decode_noting(raw, |oddity| odd.push(oddity));
        for oddity in odd {
            let base = token.start + 1;
            let span = Span::new(self.file, base + oddity.start as u32, base + oddity.end as u32);
            let escape = span.text(self.text).to_owned();
            match oddity.kind {
                OddityKind::Bad => {
                    let message = format!("`{escape}` is not followed by the number of a character");
                    let help = "write `\\xHH`, `\\uHHHH` or `\\UHHHHHHHH`, or `\\\\` for a backslash";
                    self.report(Code::BadEscape.at(span, message).help(help));
                }
                OddityKind::Unportable => {
                    let help = "write `\\\\` for a backslash: every compiler reads that alike";
                    let message = format!("the escape `{escape}`");
                    self.disagree_with(Code::UnportableEscape, span, message, Some(help));
                }
            }
        }
        value
    }
}
