//! Forms of the fbthrift dialect: named as such, then skipped as well as possible.

use super::{Code, Failed, Keyword, Kind, Parse, Parser, Span};

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
        if self.kind() == Kind::At {
            self.fbthrift_annotations();
            return Ok(true);
        }
        let token = self.peek();
        let text = self.text_of(token).to_owned();
        let next = self.nth(1).kind;
        let span = self.span_of(token);
        if token.kind != Kind::Name {
            return Ok(false);
        }
        if text == "package" && next == Kind::Literal {
            self.report_fbthrift(span, "`package`");
            self.bump();
            self.bump();
            self.separator();
            return Ok(true);
        }
        if EXCEPTION_WORDS.contains(&text.as_str())
            && matches!(next, Kind::Keyword(Keyword::Exception) | Kind::Name)
        {
            self.report_fbthrift(span, &format!("`{text}` before an exception"));
            self.bump();
            return Ok(true);
        }
        if text == "interaction" && matches!(next, Kind::Name | Kind::Keyword(_)) {
            self.report_fbthrift(span, "`interaction`");
            return Err(Failed);
        }
        Ok(false)
    }

    /// Skips `@Name` and `@Name{..}` before a definition or member.
    pub(super) fn fbthrift_annotations(&mut self) {
        while let Some(at) = self.eat(Kind::At) {
            if matches!(self.kind(), Kind::Name | Kind::Keyword(_)) {
                self.bump();
            }
            if self.kind() == Kind::LBrace {
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
                Kind::LBrace => open += 1,
                Kind::RBrace => open -= 1,
                Kind::End => return,
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
        if token.kind == Kind::Name && !token.new_line && self.text_of(token) == "as" {
            let first = self.bump();
            self.eat(Kind::Name);
            let span = self.span_from(first);
            self.report_fbthrift(span, "an include with `as`");
        }
    }

    pub(super) fn fbthrift_type(&mut self) -> Parse<()> {
        let token = self.peek();
        let text = self.text_of(token);
        if self.nth(1).kind != Kind::Less || !TYPES.contains(&text) {
            return Ok(());
        }
        let what = format!("the type `{text}<..>`");
        let span = self.span_of(token);
        self.report_fbthrift(span, &what);
        Err(Failed)
    }

    pub(super) fn fbthrift_function(&mut self) -> Parse<()> {
        let token = self.peek();
        let text = self.text_of(token).to_owned();
        let next = self.nth(1).kind;
        let is_word = token.kind == Kind::Name && FUNCTION_WORDS.contains(&text.as_str());
        // `performs X;` has no parenthesis; `readonly foo()` is a function of type `readonly`.
        let starts = matches!(next, Kind::Name | Kind::Keyword(_)) && self.nth(2).kind != Kind::LParen;
        if is_word && starts {
            let span = self.span_of(token);
            self.report_fbthrift(span, &format!("`{text}`"));
            return Err(Failed);
        }
        Ok(())
    }
}
