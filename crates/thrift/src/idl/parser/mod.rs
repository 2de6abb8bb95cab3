//! Tokens to tree, by recursive descent.
//!
//! One file per construct. A construct that fails has reported why and returns [`ParseFailed`]; the nearest list
//! of members or the top level then skips to something it knows and goes on. Each skip consumes tokens and
//! nesting is bounded, so parsing is linear and the stack stays small whatever the text is.

mod annotations;
mod constants;
mod definitions;
mod fbthrift;
mod fields;
mod headers;
mod services;
mod top;
mod types;

use super::lexer::{Lexed, lex};
use super::token::{IdlToken, IdlTokenKind, Keyword, RESERVED_WORDS, RawComment};
use super::{Comment, Comments, IdlFile, IdlName, MAX_DEPTH, Strict, judge};
use crate::{Code, Diagnostic, FileId, Span};

/// Files beyond this many bytes are refused; positions are 32 bits wide.
const MAX_FILE: usize = 1 << 28;

/// Something did not parse and has been reported.
#[derive(Clone, Copy, Debug)]
struct ParseFailed;

type Parse<T> = Result<T, ParseFailed>;

pub(super) fn parse(file: FileId, text: &str, strict: Strict) -> (IdlFile, Vec<Diagnostic>) {
    if text.len() > MAX_FILE {
        let span = Span::new(file, 0, 0);
        let message = format!("the file has {} bytes; the limit is {MAX_FILE}", text.len());
        let document = IdlFile { headers: Vec::new(), definitions: Vec::new(), span };
        return (document, vec![Code::FileTooLarge.at(span, message)]);
    }
    let Lexed { tokens, comments, problems, byte_order_mark } = lex(text);
    let diagnostics = problems
        .into_iter()
        .map(|problem| {
            let span = Span::new(file, problem.start, problem.end);
            problem.code.at(span, problem.message).maybe_help(problem.help)
        })
        .collect();
    let mut parser = Parser { file, text, tokens, comments, at: 0, depth: 0, strict, diagnostics };
    if byte_order_mark {
        parser.disagree(Code::ByteOrderMark, Span::new(file, 0, 3), "the file starts with a byte order mark");
    }
    let document = parser.document();
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.map(|span| span.start));
    (document, diagnostics)
}

struct Parser<'t> {
    file: FileId,
    text: &'t str,
    /// INVARIANT: the last token is [`IdlTokenKind::End`], and `at` never passes it.
    tokens: Vec<IdlToken>,
    comments: Vec<RawComment>,
    at: usize,
    depth: usize,
    strict: Strict,
    diagnostics: Vec<Diagnostic>,
}

/// Where a name is declared: fields may have names that others may not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamePlace {
    Field,
    Elsewhere,
}

impl Parser<'_> {
    fn nth(&self, ahead: usize) -> IdlToken {
        let end = IdlToken { kind: IdlTokenKind::End, new_line: true, start: 0, end: 0, comments: 0 };
        self.tokens.get(self.at + ahead).or(self.tokens.last()).copied().unwrap_or(end)
    }

    fn peek(&self) -> IdlToken {
        self.nth(0)
    }

    fn kind(&self) -> IdlTokenKind {
        self.peek().kind
    }

    fn keyword(&self) -> Option<Keyword> {
        match self.kind() {
            IdlTokenKind::Keyword(keyword) => Some(keyword),
            _ => None,
        }
    }

    fn bump(&mut self) -> IdlToken {
        let token = self.peek();
        if token.kind != IdlTokenKind::End {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, kind: IdlTokenKind) -> Option<IdlToken> {
        (self.kind() == kind).then(|| self.bump())
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> Option<IdlToken> {
        self.eat(IdlTokenKind::Keyword(keyword))
    }

    fn expect(&mut self, kind: IdlTokenKind, place: &str) -> Parse<IdlToken> {
        match self.eat(kind) {
            Some(token) => Ok(token),
            None => Err(self.expected(&format!("{} {place}", kind.sign()))),
        }
    }

    fn text_of(&self, token: IdlToken) -> &str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    fn span_of(&self, token: IdlToken) -> Span {
        Span::new(self.file, token.start, token.end)
    }

    /// The span from a token to the last one consumed.
    fn span_from(&self, first: IdlToken) -> Span {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).copied().unwrap_or(first);
        Span::new(self.file, first.start, last.end.max(first.start))
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports that something else was expected at the current token.
    fn expected(&mut self, what: &str) -> ParseFailed {
        self.expected_with(what, None)
    }

    fn expected_with(&mut self, what: &str, help: Option<String>) -> ParseFailed {
        let token = self.peek();
        // The lexer has said what is wrong with these characters; a second complaint says nothing new.
        if token.kind != IdlTokenKind::Unknown {
            let message = format!("expected {what}, found {}", self.found(token));
            let span = match token.kind {
                IdlTokenKind::End => self.span_from(token).after(),
                _ => self.span_of(token),
            };
            self.report(Code::Syntax.at(span, message).maybe_help(help));
        }
        ParseFailed
    }

    /// Names a token for a message.
    fn found(&self, token: IdlToken) -> String {
        match token.kind {
            IdlTokenKind::End => "the end of the file".to_owned(),
            IdlTokenKind::Keyword(keyword) => format!("the keyword `{}`", keyword.text()),
            _ => {
                let text = self.text_of(token);
                let short: String = text.chars().take(40).flat_map(char::escape_debug).collect();
                let dots = if text.chars().nth(40).is_some() { "..." } else { "" };
                format!("`{}{dots}`", short.replace("\\\"", "\"").replace("\\'", "'"))
            }
        }
    }

    /// Reports a construct that not every compiler accepts, as far as the mode wants to know.
    fn disagree(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.disagree_with(code, span, message, None);
    }

    fn disagree_with(&mut self, code: Code, span: Span, message: impl Into<String>, help: Option<&str>) {
        if let Some((severity, who)) = judge(code, self.strict) {
            let message = format!("{}; {who}", message.into());
            let help = help.map(str::to_owned);
            self.report(code.at(span, message).with_severity(severity).maybe_help(help));
        }
    }

    /// Parses a declared name.
    fn declared_name(&mut self, what: &str, place: NamePlace) -> Parse<IdlName> {
        let token = self.peek();
        let name = match token.kind {
            IdlTokenKind::Name | IdlTokenKind::Keyword(_) => self.name(),
            _ => return Err(self.expected(what)),
        };
        if let IdlTokenKind::Keyword(keyword) = token.kind
            && !(place == NamePlace::Field && keyword.apache_field_name())
        {
            self.disagree(Code::KeywordName, name.span, format!("`{}` is a keyword", name.text));
        }
        if name.text.contains('.') {
            self.disagree_with(
                Code::DottedName,
                name.span,
                format!("the declared name `{}` has a dot", name.text),
                Some("dots separate an included file from its definitions"),
            );
        }
        if self.strict == Strict::None && RESERVED_WORDS.binary_search(&name.text.as_str()).is_ok() {
            let message = format!("`{}` is a keyword in some target languages", name.text);
            let hint = Code::ReservedWord.at(name.span, message);
            self.report(hint.help("older Apache compilers and thriftpy2 do not accept it as a name"));
        }
        Ok(name)
    }

    /// Takes the current token as a name.
    fn name(&mut self) -> IdlName {
        let token = self.bump();
        IdlName { text: self.text_of(token).to_owned(), span: self.span_of(token) }
    }

    /// Eats one optional `,` or `;`.
    fn separator(&mut self) -> Option<IdlToken> {
        self.eat(IdlTokenKind::Comma).or_else(|| self.eat(IdlTokenKind::Semicolon))
    }

    /// Runs a construct one level deeper, or reports that it is too deep.
    fn nested<T>(&mut self, construct: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            let span = self.span_of(self.peek());
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            self.report(Code::TooDeep.at(span, message));
            return Err(ParseFailed);
        }
        self.depth += 1;
        let result = construct(self);
        self.depth -= 1;
        result
    }

    /// Parses members up to the closing sign, going on behind members that fail.
    fn members<T>(
        &mut self,
        open: IdlToken,
        close: IdlTokenKind,
        owner: &str,
        mut member: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Vec<T> {
        let mut members = Vec::new();
        loop {
            if self.eat(close).is_some() {
                return members;
            }
            if self.kind() == IdlTokenKind::End || self.at_definition() {
                let token = self.peek();
                let message =
                    format!("expected {} to end {owner}, found {}", close.sign(), self.found(token));
                let opened = self.span_of(open);
                let diagnostic = Code::Syntax.at(self.span_of(token), message);
                self.report(diagnostic.label(opened, "opened here"));
                return members;
            }
            let before = self.at;
            match member(self) {
                Ok(member) => members.push(member),
                Err(ParseFailed) => self.skip_member(before, close),
            }
        }
    }

    /// Skips the rest of a member that failed: to its separator, the end of the list, or the next member.
    fn skip_member(&mut self, before: usize, close: IdlTokenKind) {
        let mut open = 0_usize;
        loop {
            let token = self.peek();
            match token.kind {
                IdlTokenKind::End => return,
                _ if self.at_definition() => return,
                kind if open == 0 && kind == close && self.at >= before => return,
                IdlTokenKind::Int
                    if open == 0 && self.at > before && self.nth(1).kind == IdlTokenKind::Colon =>
                {
                    return;
                }
                IdlTokenKind::Comma | IdlTokenKind::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                IdlTokenKind::LBrace | IdlTokenKind::LParen | IdlTokenKind::LBracket => open += 1,
                IdlTokenKind::RBrace | IdlTokenKind::RParen | IdlTokenKind::RBracket => {
                    open = open.saturating_sub(1)
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether a definition plainly starts here: no member does with these words at the start of a line.
    fn at_definition(&self) -> bool {
        let starts = self.keyword().is_some_and(Keyword::starts_definition);
        starts
            && self.peek().new_line
            && matches!(self.nth(1).kind, IdlTokenKind::Name | IdlTokenKind::Keyword(_))
    }

    /// The comments before the current token that belong to what starts with it.
    fn leading_comments(&self) -> Vec<Comment> {
        let token = self.peek();
        self.comments_before(token)
            .filter(|comment| !(comment.trailing && token.new_line))
            .map(|c| self.comment(c))
            .collect()
    }

    /// The comments behind the last token on its line, if nothing else follows there.
    fn trailing_comments(&self) -> Vec<Comment> {
        let token = self.peek();
        if !token.new_line && token.kind != IdlTokenKind::End {
            return Vec::new();
        }
        self.comments_before(token).filter(|comment| comment.trailing).map(|c| self.comment(c)).collect()
    }

    fn comments_around(&self, leading: Vec<Comment>) -> Comments {
        Comments { leading, trailing: self.trailing_comments() }
    }

    /// The comments between the last token and this one.
    fn comments_before(&self, token: IdlToken) -> impl Iterator<Item = RawComment> + '_ {
        let before =
            self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |token| token.comments);
        self.comments.get(before as usize..token.comments as usize).unwrap_or(&[]).iter().copied()
    }

    fn comment(&self, raw: RawComment) -> Comment {
        let span = Span::new(self.file, raw.start, raw.end);
        Comment { kind: raw.kind, raw: span.text(self.text).to_owned(), span }
    }
}
