//! Forms of the fbthrift dialect: named as such, then skipped as well as possible.

use super::{Code, IdlTokenKind, Keyword, Parse, ParseFailed, Parser, Span};

/// Types with a parameter that only fbthrift has.
const TYPES: &[&str] = &["stream", "sink", "hash_map", "hash_set", "unordered_map"];
/// Words before `exception`.
const EXCEPTION_WORDS: &[&str] = &["safe", "transient", "permanent", "client", "server", "stateful"];
/// Words before the result of a function.
const FUNCTION_WORDS: &[&str] = &["idempotent", "readonly", "performs"];

impl Parser<'_> {
    fn report_fbthrift(&mut self, span: Span, what: &str) {
        let diagnostic = Code::FbthriftSyntax.at(span, format!("{what} is fbthrift syntax"));
        self.report(diagnostic.help("Apache Thrift, thriftgo and thriftpy2 do not know this form"));
    }

    /// Handles a form at the top level; true when the caller can go on behind it.
    pub(super) fn fbthrift_top(&mut self) -> Parse<bool> {
        if self.kind() == IdlTokenKind::At {
            self.fbthrift_annotations();
            return Ok(true);
        }
        let token = self.peek();
        let text = self.text_of(token).to_owned();
        let next = self.nth(1).kind;
        let span = self.span_of(token);
        if token.kind != IdlTokenKind::Name {
            return Ok(false);
        }
        if text == "package" && next == IdlTokenKind::Literal {
            self.report_fbthrift(span, "`package`");
            self.bump();
            self.bump();
            self.separator();
            return Ok(true);
        }
        if EXCEPTION_WORDS.contains(&text.as_str())
            && matches!(next, IdlTokenKind::Keyword(Keyword::Exception) | IdlTokenKind::Name)
        {
            self.report_fbthrift(span, &format!("`{text}` before an exception"));
            self.bump();
            return Ok(true);
        }
        if text == "interaction" && matches!(next, IdlTokenKind::Name | IdlTokenKind::Keyword(_)) {
            self.report_fbthrift(span, "`interaction`");
            return Err(ParseFailed);
        }
        Ok(false)
    }

    /// Skips `@Name` and `@Name{..}` before a definition or member.
    pub(super) fn fbthrift_annotations(&mut self) {
        while let Some(at) = self.eat(IdlTokenKind::At) {
            if matches!(self.kind(), IdlTokenKind::Name | IdlTokenKind::Keyword(_)) {
                self.bump();
            }
            if self.kind() == IdlTokenKind::LBrace {
                self.skip_braces();
            }
            let span = self.span_from(at);
            self.report_fbthrift(span, "an annotation that starts with `@`");
        }
    }

    fn skip_braces(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.bump().kind {
                IdlTokenKind::LBrace => open += 1,
                IdlTokenKind::RBrace => open -= 1,
                IdlTokenKind::End => return,
                _ => {}
            }
            if open == 0 {
                return;
            }
        }
    }

    /// `include "x.thrift" as y`
    pub(super) fn fbthrift_include_alias(&mut self) {
        let token = self.peek();
        if token.kind == IdlTokenKind::Name && !token.new_line && self.text_of(token) == "as" {
            let first = self.bump();
            self.eat(IdlTokenKind::Name);
            let span = self.span_from(first);
            self.report_fbthrift(span, "an include with `as`");
        }
    }

    pub(super) fn fbthrift_type(&mut self) -> Parse<()> {
        let token = self.peek();
        let text = self.text_of(token);
        if self.nth(1).kind != IdlTokenKind::Less || !TYPES.contains(&text) {
            return Ok(());
        }
        let what = format!("the type `{text}<..>`");
        let span = self.span_of(token);
        self.report_fbthrift(span, &what);
        Err(ParseFailed)
    }

    pub(super) fn fbthrift_function(&mut self) -> Parse<()> {
        let token = self.peek();
        let text = self.text_of(token).to_owned();
        let next = self.nth(1).kind;
        let is_word = token.kind == IdlTokenKind::Name && FUNCTION_WORDS.contains(&text.as_str());
        // `performs X;` has no parenthesis; `readonly foo()` is a function of type `readonly`.
        let starts = matches!(next, IdlTokenKind::Name | IdlTokenKind::Keyword(_))
            && self.nth(2).kind != IdlTokenKind::LParen;
        if is_word && starts {
            let span = self.span_of(token);
            self.report_fbthrift(span, &format!("`{text}`"));
            return Err(ParseFailed);
        }
        Ok(())
    }
}
