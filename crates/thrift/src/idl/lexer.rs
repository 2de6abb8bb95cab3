//! Text to tokens, in one pass.
//!
//! Every byte of the text ends up in a token, a comment or blank space; what fits nowhere becomes one
//! [`IdlTokenKind::Unknown`] token per run and one problem. The whole is linear, also for text that was written to
//! hurt: a quote without an end is searched for once per kind of quote.

use super::CommentKind;
use super::token::{IdlToken, IdlTokenKind, Keyword, LexProblem, RawComment};
use crate::Code;

/// The tokens of a file; the last is always [`IdlTokenKind::End`].
#[derive(Debug)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<IdlToken>,
    pub(crate) comments: Vec<RawComment>,
    pub(crate) problems: Vec<LexProblem>,
    /// Whether the text starts with a byte order mark.
    pub(crate) byte_order_mark: bool,
}

/// Cuts a text into tokens.
pub(crate) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        text,
        at: 0,
        new_line: true,
        endless: [false; 2],
        out: Lexed {
            tokens: Vec::with_capacity(text.len() / 5 + 1),
            comments: Vec::new(),
            problems: Vec::new(),
            byte_order_mark: false,
        },
    };
    if text.starts_with('\u{feff}') {
        lexer.out.byte_order_mark = true;
        lexer.at = '\u{feff}'.len_utf8();
    }
    while lexer.step() {}
    lexer.out
}

struct Lexer<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
    new_line: bool,
    /// For `"` and `'`: a literal that runs to the end of the file was found, so later ones end at their line.
    endless: [bool; 2],
    out: Lexed,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        // A zero byte ends nothing by mistake: no rule below treats it as anything but an unknown character.
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Moves over bytes while the test holds.
    fn eat_while(&mut self, test: impl Fn(u8) -> bool) {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        self.at += rest.iter().position(|byte| !test(*byte)).unwrap_or(rest.len());
    }

    fn push(&mut self, kind: IdlTokenKind, start: usize) {
        self.out.tokens.push(IdlToken {
            kind,
            new_line: std::mem::take(&mut self.new_line),
            start: start as u32,
            end: self.at as u32,
            comments: self.out.comments.len() as u32,
        });
    }

    fn problem(&mut self, code: Code, start: usize, message: String, help: Option<&str>) {
        self.out.problems.push(LexProblem {
            code,
            start: start as u32,
            end: self.at as u32,
            message,
            help: help.map(str::to_owned),
        });
    }

    /// Reads one token, comment or run of blanks; false at the end.
    fn step(&mut self) -> bool {
        let start = self.at;
        let Some(first) = self.bytes.get(start).copied() else {
            self.push(IdlTokenKind::End, start);
            return false;
        };
        match first {
            b'\n' => {
                self.new_line = true;
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' | 0x0b => self.at += 1,
            b'#' => self.line_comment(CommentKind::Hash),
            b'/' if self.peek(1) == b'/' => self.line_comment(CommentKind::Line),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'"' | b'\'' => self.literal(first),
            b'0'..=b'9' => self.number(),
            b'+' | b'-' if self.peek(1).is_ascii_digit() => self.number(),
            b'+' | b'-' if self.peek(1) == b'.' && self.peek(2).is_ascii_digit() => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.name(),
            _ => match sign(first) {
                Some(kind) => {
                    self.at += 1;
                    self.push(kind, start);
                }
                None => self.unknown(),
            },
        }
        true
    }

    fn comment(&mut self, kind: CommentKind, start: usize) {
        let trailing = !self.new_line && !self.out.tokens.is_empty();
        self.out.comments.push(RawComment { kind, start: start as u32, end: self.at as u32, trailing });
    }

    fn line_comment(&mut self, kind: CommentKind) {
        let start = self.at;
        self.eat_while(|byte| byte != b'\n');
        if self.at > start && self.bytes.get(self.at - 1) == Some(&b'\r') {
            self.at -= 1;
        }
        self.comment(kind, start);
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let body = self.text.get(start + 2..).unwrap_or("");
        let Some(length) = body.find("*/") else {
            self.at = self.bytes.len();
            let end = std::mem::replace(&mut self.at, start + 2);
            self.problem(
                Code::UnterminatedComment,
                start,
                "this comment is never closed".to_owned(),
                Some("add `*/` where the comment ends"),
            );
            self.at = end;
            return;
        };
        let body = body.get(..length).unwrap_or("");
        self.at = start + 2 + length + 2;
        // `/**/` and `/*****/` are plain comments: a doc comment has something to say.
        let is_doc = body.starts_with('*') && body.bytes().any(|byte| byte != b'*');
        self.comment(if is_doc { CommentKind::Doc } else { CommentKind::Block }, start);
        self.new_line |= body.contains('\n');
    }

    fn literal(&mut self, quote: u8) {
        let start = self.at;
        let endless = usize::from(quote == b'\'');
        let only_this_line = self.endless.get(endless).copied().unwrap_or(true);
        let mut at = start + 1;
        let closed = loop {
            match self.bytes.get(at).copied() {
                None => break false,
                Some(b'\n') if only_this_line => break false,
                Some(b'\\') => at += 2,
                Some(byte) => {
                    at += 1;
                    if byte == quote {
                        break true;
                    }
                }
            }
        };
        if closed {
            self.at = at;
        } else {
            if let Some(flag) = self.endless.get_mut(endless) {
                *flag = true;
            }
            // Carry on behind the line: one missing quote must not swallow the rest of the file.
            self.at = start + 1;
            self.eat_while(|byte| byte != b'\n' && byte != b'\r');
            self.problem(
                Code::UnterminatedLiteral,
                start,
                "this string literal is never closed".to_owned(),
                Some(if quote == b'"' { "add the closing `\"`" } else { "add the closing `'`" }),
            );
        }
        self.push(IdlTokenKind::Literal, start);
    }

    /// Reads everything that looks like one number, then decides which kind it is.
    fn number(&mut self) {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => self.at += 1,
                b'+' | b'-' if self.after_exponent(start) => self.at += 1,
                _ => break,
            }
        }
        let text = self.text.get(start..self.at).unwrap_or("");
        let kind = classify_number(text);
        if kind == IdlTokenKind::Unknown {
            let message = format!("`{text}` is not a number");
            self.problem(Code::BadNumber, start, message, number_help(text));
        }
        self.push(kind, start);
    }

    /// Whether a sign at this place belongs to an exponent: `1e-5`, but not `0x1e-5`.
    fn after_exponent(&self, start: usize) -> bool {
        let so_far = self.bytes.get(start..self.at).unwrap_or(&[]);
        let digits = so_far.strip_prefix(b"+").or(so_far.strip_prefix(b"-")).unwrap_or(so_far);
        matches!(so_far.last(), Some(b'e' | b'E'))
            && !digits.starts_with(b"0x")
            && self.peek(1).is_ascii_digit()
    }

    fn name(&mut self) {
        let start = self.at;
        self.eat_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.');
        let text = self.text.get(start..self.at).unwrap_or("");
        if text.ends_with('.') || text.contains("..") {
            let message = format!("the identifier `{text}` has an empty part");
            self.problem(Code::BadIdentifier, start, message, Some("write one name between two dots"));
        }
        let kind = Keyword::find(text).map_or(IdlTokenKind::Name, IdlTokenKind::Keyword);
        self.push(kind, start);
    }

    fn unknown(&mut self) {
        let start = self.at;
        // A run of the same sort of strangeness is one mistake. Bytes of one character stay together.
        self.at += 1;
        self.eat_while(|byte| !byte.is_ascii());
        let text = self.text.get(start..self.at).unwrap_or("");
        let help = match text {
            "-" => Some("names have letters, digits, `_` and `.` only"),
            "\u{201c}" | "\u{201d}" | "\u{2018}" | "\u{2019}" => Some("use plain quotes: `\"` or `'`"),
            _ => None,
        };
        let shown: String = text.chars().take(20).flat_map(char::escape_debug).collect();
        self.problem(Code::UnexpectedCharacter, start, format!("unexpected character `{shown}`"), help);
        self.push(IdlTokenKind::Unknown, start);
    }
}

fn sign(byte: u8) -> Option<IdlTokenKind> {
    Some(match byte {
        b'{' => IdlTokenKind::LBrace,
        b'}' => IdlTokenKind::RBrace,
        b'(' => IdlTokenKind::LParen,
        b')' => IdlTokenKind::RParen,
        b'[' => IdlTokenKind::LBracket,
        b']' => IdlTokenKind::RBracket,
        b'<' => IdlTokenKind::Less,
        b'>' => IdlTokenKind::Greater,
        b',' => IdlTokenKind::Comma,
        b';' => IdlTokenKind::Semicolon,
        b':' => IdlTokenKind::Colon,
        b'=' => IdlTokenKind::Equal,
        b'*' => IdlTokenKind::Star,
        b'&' => IdlTokenKind::Ampersand,
        b'@' => IdlTokenKind::At,
        _ => return None,
    })
}

/// Says what a run of number characters is: an integer, a double or nothing.
fn classify_number(text: &str) -> IdlTokenKind {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let all = |digits: &str, test: fn(&u8) -> bool| !digits.is_empty() && digits.as_bytes().iter().all(test);
    if let Some(digits) = unsigned.strip_prefix("0x") {
        return if all(digits, u8::is_ascii_hexdigit) { IdlTokenKind::Int } else { IdlTokenKind::Unknown };
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return if all(digits, |byte| (b'0'..=b'7').contains(byte)) {
            IdlTokenKind::Int
        } else {
            IdlTokenKind::Unknown
        };
    }
    if all(unsigned, u8::is_ascii_digit) {
        return IdlTokenKind::Int;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits_or_none = |part: &str| part.as_bytes().iter().all(u8::is_ascii_digit);
    let is_double = digits_or_none(whole)
        && digits_or_none(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| all(exponent, u8::is_ascii_digit));
    if is_double { IdlTokenKind::Double } else { IdlTokenKind::Unknown }
}

fn number_help(text: &str) -> Option<&'static str> {
    if text.contains('_') {
        Some("digits cannot be grouped with `_`")
    } else if text.contains("0X") {
        Some("write the prefix in lower case: `0x`")
    } else if text.contains("0b") || text.contains("0B") {
        Some("there are no binary numbers; write it in decimal or with `0x`")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<IdlTokenKind> {
        lex(text).tokens.iter().map(|token| token.kind).filter(|kind| *kind != IdlTokenKind::End).collect()
    }

    #[test]
    fn numbers_of_every_spelling() {
        for text in ["0", "-5", "+5", "010", "0x1F", "-0x1F", "0o17"] {
            assert_eq!(kinds(text), [IdlTokenKind::Int], "{text}");
        }
        for text in ["1.5", ".5", "-.5", "1e5", "1.5E-3", "1."] {
            assert_eq!(kinds(text), [IdlTokenKind::Double], "{text}");
        }
        for text in ["0x", "0b11", "1_000", "1.2.3", "12ab", "-0o7", "0o9"] {
            assert_eq!(kinds(text), [IdlTokenKind::Unknown], "{text}");
        }
    }

    #[test]
    fn dots_belong_to_the_name_and_hide_keywords() {
        assert_eq!(
            kinds("vt.in vt.const const"),
            [IdlTokenKind::Name, IdlTokenKind::Name, IdlTokenKind::Keyword(Keyword::Const)]
        );
    }

    #[test]
    fn only_a_comment_with_words_is_documentation() {
        let comments = |text| lex(text).comments.iter().map(|comment| comment.kind).collect::<Vec<_>>();
        assert_eq!(
            comments("/**/ /***/ /** x */ /* x */ // x\n# x"),
            [
                CommentKind::Block,
                CommentKind::Block,
                CommentKind::Doc,
                CommentKind::Block,
                CommentKind::Line,
                CommentKind::Hash
            ]
        );
    }

    #[test]
    fn a_missing_quote_costs_one_line() {
        let lexed = lex("const string A = \"abc\nstruct S {}");
        assert_eq!(lexed.problems.len(), 1);
        assert_eq!(lexed.tokens.iter().filter(|token| token.kind == IdlTokenKind::LBrace).count(), 1);
    }

    #[test]
    fn quotes_that_never_close_stay_linear() {
        let lexed = lex(&"\\\"\n".repeat(20_000));
        assert_eq!(lexed.tokens.len(), 40_001);
    }
}
