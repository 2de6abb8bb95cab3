//! Text to tokens and trivia.
//!
//! One pass over the bytes. Every byte belongs to exactly one token or one piece of trivia; blanks and tabs are not
//! stored, they are the gaps that remain. Strings with holes make the lexer modal: a stack remembers which strings are
//! open, so that a `}` either closes an object or goes on with a string.

mod bytes;
mod strings;
mod trivia;

use crate::diagnostics::{Arg, Code, SyntaxDiagnostic};
use crate::token::{Token, TokenFlags, TokenKind, Trivia};
use crate::{MAX_SOURCE_LEN, Span};
use bytes::{Class, char_len, class, continues_name, is_blank, is_new_line};

/// The longest identifier that is accepted, in characters.
const MAX_IDENTIFIER_LEN: u32 = 255;

/// What the lexer makes of a text.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// All tokens, the last one is the end of the file.
    pub(crate) tokens: Vec<Token>,
    /// Comments and pragmas, in source order.
    pub(crate) trivia: Vec<Trivia>,
    /// Findings, sorted by where they start.
    pub(crate) diagnostics: Vec<SyntaxDiagnostic>,
}

/// Splits `text` into tokens.
pub(crate) fn lex(text: &str) -> Lexed {
    let bytes = text.as_bytes();
    let mut lexer = Lexer {
        text,
        bytes,
        pos: 0,
        start: 0,
        flags: TokenFlags::empty(),
        open: Vec::new(),
        out: Lexed {
            // Measured on real modules: about six bytes per token, blanks and comments included.
            tokens: Vec::with_capacity(bytes.len().min(MAX_SOURCE_LEN) / 6 + 2),
            trivia: Vec::new(),
            diagnostics: Vec::new(),
        },
    };
    if bytes.len() > MAX_SOURCE_LEN {
        lexer.refuse();
    } else {
        lexer.run();
    }
    let mut out = lexer.out;
    out.diagnostics.sort_by_key(|found| found.span.start);
    out
}

/// What the innermost open brace or hole belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OpenDelimiter {
    /// `{` of an object, inside a hole.
    Brace,
    /// A hole of a single-line string.
    Single,
    /// A hole of a multi-line string with this many dollar signs.
    Multi(u32),
}

struct Lexer<'s> {
    text: &'s str,
    bytes: &'s [u8],
    /// Where the next byte is read.
    pos: usize,
    /// Where the token or piece of trivia at hand starts.
    start: usize,
    /// Flags of the token at hand.
    flags: TokenFlags,
    open: Vec<OpenDelimiter>,
    out: Lexed,
}

impl Lexer<'_> {
    fn run(&mut self) {
        self.byte_order_mark();
        loop {
            self.leading_trivia();
            self.start = self.pos;
            let kind = self.token();
            let (start, end) = (self.start as u32, self.pos as u32);
            self.out.tokens.push(Token { start, end, kind, flags: self.flags });
            self.flags = TokenFlags::empty();
            if kind == TokenKind::EndOfFile {
                return;
            }
            self.trailing_trivia(kind.keeps_trailing_comments());
        }
    }

    /// A text beyond the limit is one diagnostic and no tokens.
    fn refuse(&mut self) {
        self.report(Code::SourceTooLarge, Arg::Count(MAX_SOURCE_LEN as u32), Span::empty(0));
        self.out.tokens.push(Token {
            start: 0,
            end: 0,
            kind: TokenKind::EndOfFile,
            flags: TokenFlags::empty(),
        });
    }

    /// Returns the byte `ahead` of the current one. 0xFF stands for the end: it is in no UTF-8 text.
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0xFF)
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.pos..).unwrap_or(&[])
    }

    fn at_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    /// Moves over the next character, if there is one.
    fn advance_char(&mut self) {
        self.pos = (self.pos + char_len(self.peek(0))).min(self.bytes.len());
    }

    fn skip_while(&mut self, accept: impl Fn(u8) -> bool) {
        while let Some(&byte) = self.bytes.get(self.pos)
            && accept(byte)
        {
            self.pos += 1;
        }
    }

    fn report(&mut self, code: Code, arg: Arg, span: Span) {
        self.out.diagnostics.push(SyntaxDiagnostic { span, code, arg });
    }

    /// Reports about everything read since the start of the token or trivia at hand.
    fn report_here(&mut self, code: Code) {
        self.report(code, Arg::None, Span::new(self.start as u32, self.pos as u32));
    }

    fn token(&mut self) -> TokenKind {
        let Some(&byte) = self.bytes.get(self.pos) else { return TokenKind::EndOfFile };
        match class(byte) {
            Class::Name => self.name(),
            Class::Digit => {
                self.skip_while(|byte| byte.is_ascii_digit());
                TokenKind::Integer
            }
            Class::NewLine => self.new_line(),
            Class::Single => {
                self.pos += 1;
                single(byte)
            }
            Class::Blank | Class::Other => self.other(byte),
        }
    }

    fn name(&mut self) -> TokenKind {
        self.skip_while(continues_name);
        match self.bytes.get(self.start..self.pos) {
            Some(b"true") => TokenKind::TrueKeyword,
            Some(b"false") => TokenKind::FalseKeyword,
            Some(b"null") => TokenKind::NullKeyword,
            _ => {
                if self.pos - self.start > MAX_IDENTIFIER_LEN as usize {
                    let span = Span::new(self.start as u32, self.pos as u32);
                    self.report(Code::IdentifierTooLong, Arg::Count(MAX_IDENTIFIER_LEN), span);
                }
                TokenKind::Identifier
            }
        }
    }

    fn new_line(&mut self) -> TokenKind {
        if self.open.is_empty() {
            self.skip_while(is_new_line);
            return TokenKind::NewLine;
        }
        // A line break inside a hole ends all strings that are open. The token is empty: the line break is lexed next.
        self.report_here(Code::StringBrokenByNewLine);
        self.open.clear();
        self.flags = self.flags.union(TokenFlags::MALFORMED);
        TokenKind::StringRightPiece
    }

    fn other(&mut self, byte: u8) -> TokenKind {
        use TokenKind as T;
        let (next, after) = (self.peek(1), self.peek(2));
        let (kind, len) = match (byte, next) {
            (b'\'', _) => return self.quote(),
            (b'$', _) => return self.dollar(),
            (b'{', _) => {
                if !self.open.is_empty() {
                    self.open.push(OpenDelimiter::Brace);
                }
                (T::LeftBrace, 1)
            }
            (b'}', _) => return self.right_brace(),
            (b'.', b'.') if after == b'.' => (T::Ellipsis, 3),
            (b'.', _) => (T::Dot, 1),
            (b'?', b'?') => (T::DoubleQuestion, 2),
            (b'?', _) => (T::Question, 1),
            (b':', b':') => (T::DoubleColon, 2),
            (b':', _) => (T::Colon, 1),
            (b'!', b'=') => (T::NotEquals, 2),
            (b'!', b'~') => (T::NotEqualsInsensitive, 2),
            (b'!', _) => (T::Exclamation, 1),
            (b'<', b'=') => (T::LessThanOrEqual, 2),
            (b'<', _) => (T::LeftChevron, 1),
            (b'>', b'=') => (T::GreaterThanOrEqual, 2),
            (b'>', _) => (T::RightChevron, 1),
            (b'=', b'=') => (T::Equals, 2),
            (b'=', b'~') => (T::EqualsInsensitive, 2),
            (b'=', b'>') => (T::Arrow, 2),
            (b'=', _) => (T::Assignment, 1),
            (b'&', b'&') => (T::LogicalAnd, 2),
            (b'|', b'|') => (T::LogicalOr, 2),
            (b'|', _) => (T::Pipe, 1),
            (b'/', _) => (T::Slash, 1),
            _ => {
                self.advance_char();
                let code = if byte == b'"' { Code::DoubleQuote } else { Code::UnrecognizedToken };
                self.report_here(code);
                return T::Unrecognized;
            }
        };
        self.pos += len;
        kind
    }

    fn right_brace(&mut self) -> TokenKind {
        self.pos += 1;
        let piece = match self.open.last() {
            None => return TokenKind::RightBrace,
            // UPSTREAM: the entry of an object's brace is never taken off the stack again, so that every later `}` up
            // to the end of the line closes a brace and never a hole.
            Some(OpenDelimiter::Brace) => return TokenKind::RightBrace,
            Some(OpenDelimiter::Single) => self.string_piece(false),
            Some(&OpenDelimiter::Multi(dollars)) => self.multiline_piece(false, dollars),
        };
        if piece == TokenKind::StringRightPiece {
            self.open.pop();
        }
        piece
    }
}

const fn single(byte: u8) -> TokenKind {
    match byte {
        b'(' => TokenKind::LeftParen,
        b')' => TokenKind::RightParen,
        b'[' => TokenKind::LeftSquare,
        b']' => TokenKind::RightSquare,
        b'@' => TokenKind::At,
        b',' => TokenKind::Comma,
        b';' => TokenKind::Semicolon,
        b'+' => TokenKind::Plus,
        b'-' => TokenKind::Minus,
        b'%' => TokenKind::Modulo,
        b'*' => TokenKind::Asterisk,
        b'^' => TokenKind::Hat,
        _ => TokenKind::Unrecognized,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks kinds and texts of the tokens without the end of the file, and the findings.
    #[track_caller]
    fn check(text: &str, expected: &str, findings: &[&str]) {
        let lexed = lex(text);
        let tokens = lexed.tokens.iter().filter(|token| token.kind != TokenKind::EndOfFile);
        let tokens: Vec<_> =
            tokens.map(|token| format!("{} {}", token.kind.name(), token.span().text(text))).collect();
        assert_eq!(tokens.join(" | "), expected, "{text:?}");
        let found = lexed.diagnostics.iter();
        let found: Vec<_> = found
            .map(|found| format!("{} {}..{}", found.code.as_str(), found.span.start, found.span.end))
            .collect();
        assert_eq!(found, findings, "{text:?}");
    }

    #[test]
    fn every_fixed_text_is_one_token() {
        for kind in TokenKind::ALL {
            let Some(text) = kind.fixed_text().filter(|text| !text.is_empty()) else { continue };
            check(text, &format!("{} {text}", kind.name()), &[]);
        }
    }

    #[test]
    fn the_longest_token_wins() {
        check("...", "Ellipsis ...", &[]);
        check("..", "Dot . | Dot .", &[]);
        check("a.?b", "Identifier a | Dot . | Question ? | Identifier b", &[]);
        check("???", "DoubleQuestion ?? | Question ?", &[]);
        check(":::", "DoubleColon :: | Colon :", &[]);
        check("=>==>=", "Arrow => | Equals == | GreaterThanOrEqual >=", &[]);
        check("!=!~!", "NotEquals != | NotEqualsInsensitive !~ | Exclamation !", &[]);
        check("|||&&", "LogicalOr || | Pipe | | LogicalAnd &&", &[]);
    }

    #[test]
    fn names_are_ascii_and_only_three_words_are_reserved() {
        check(
            "true False null_ _a1",
            "TrueKeyword true | Identifier False | Identifier null_ | Identifier _a1",
            &[],
        );
        check("1a", "Integer 1 | Identifier a", &[]);
        check("éa", "Unrecognized é | Identifier a", &["BCP001 0..2"]);
        let long = "a".repeat(256);
        check(&long, &format!("Identifier {long}"), &["BCP024 0..256"]);
    }

    #[test]
    fn line_breaks_in_a_row_are_one_token() {
        check("a\r\n\n\rb", "Identifier a | NewLine \r\n\n\r | Identifier b", &[]);
        check("a\n \nb", "Identifier a | NewLine \n | NewLine \n | Identifier b", &[]);
    }

    #[test]
    fn what_is_no_token_is_taken_one_character_at_a_time() {
        check(
            "& \" # $$",
            "Unrecognized & | Unrecognized \" | Unrecognized # | Unrecognized $$",
            &["BCP001 0..1", "BCP103 2..3", "BCP001 4..5", "BCP001 6..8"],
        );
    }

    #[test]
    fn strings_are_cut_at_their_holes() {
        check("'a'", "StringComplete 'a'", &[]);
        check(
            "'a${b}c${d}e'",
            "StringLeftPiece 'a${ | Identifier b | StringMiddlePiece }c${ | Identifier d | StringRightPiece }e'",
            &[],
        );
        check(r"'$ $a \${b}'", r"StringComplete '$ $a \${b}'", &[]);
        check(
            "'${'${a}'}'",
            "StringLeftPiece '${ | StringLeftPiece '${ | Identifier a | StringRightPiece }' | StringRightPiece }'",
            &[],
        );
    }

    #[test]
    fn an_object_in_a_hole_is_never_closed() {
        let tokens = "StringLeftPiece '${ | LeftBrace { | RightBrace } | RightBrace } | StringComplete '";
        check("'${{}}'", tokens, &["BCP003 6..7"]);
    }

    #[test]
    fn strings_that_do_not_close_say_why() {
        check("'a", "StringComplete 'a", &["BCP003 0..2"]);
        check("'a\nb", "StringComplete 'a | NewLine \n | Identifier b", &["BCP004 0..2"]);
        check("'a\\", "StringComplete 'a\\", &["BCP005 0..3"]);
        check(
            "'${a\nb",
            "StringLeftPiece '${ | Identifier a | StringRightPiece  | NewLine \n | Identifier b",
            &["BCP004 4..4"],
        );
        check("'''a''", "StringComplete '''a''", &["BCP140 0..6"]);
    }

    #[test]
    fn bad_escapes_are_reported_one_by_one() {
        check(
            r"'\q\u\u{\u{}\u{1\u{110000}'",
            r"StringComplete '\q\u\u{\u{}\u{1\u{110000}'",
            &["BCP006 1..3", "BCP133 3..5", "BCP133 5..8", "BCP133 8..11", "BCP133 12..16", "BCP133 16..26"],
        );
        // A backslash takes the line break after it with it.
        check("'\\\na'", "StringComplete '\\\na'", &["BCP006 1..3"]);
    }

    #[test]
    fn multi_line_strings_end_at_three_quotes_and_keep_the_surplus() {
        check("'''a\n''b'''''c", "StringComplete '''a\n''b''''' | Identifier c", &[]);
        check(r"'''${a}\q'''", r"StringComplete '''${a}\q'''", &[]);
        check("$'''a${b}c'''", "StringLeftPiece $'''a${ | Identifier b | StringRightPiece }c'''", &[]);
        check(
            "$$'''${a}$${b}$$${c}'''",
            "StringLeftPiece $$'''${a}$${ | Identifier b | StringMiddlePiece }$$${ | Identifier c | StringRightPiece }'''",
            &[],
        );
        check("$''", "Unrecognized $ | StringComplete ''", &["BCP001 0..1"]);
    }

    #[test]
    fn comments_are_trivia() {
        check("a//b\nc/*d\ne*/f", "Identifier a | NewLine \n | Identifier c | Identifier f", &[]);
        check("a/*/b", "Identifier a", &["BCP002 1..5"]);
        check("a / b", "Identifier a | Slash / | Identifier b", &[]);
    }

    #[test]
    fn pragmas_are_trivia_at_the_start_of_a_line() {
        check("#disable-next-line a b-1\nc", "NewLine \n | Identifier c", &[]);
        check(
            "a\n  #disable-diagnostics b\n\t#restore-diagnostics b",
            "Identifier a | NewLine \n | NewLine \n",
            &[],
        );
        check("\u{FEFF}#disable-next-line a", "", &[]);
        check("#disable-next-line", "", &["BCP226 18..18"]);
        check("#disable-next-line  // a", "", &["BCP226 20..20"]);
        check("#disable-next-line a|b", "Pipe | | Identifier b", &[]);
        let no_pragma =
            "Unrecognized # | Identifier disable | Minus - | Identifier next | Minus - | Identifier line";
        check("/**/#disable-next-line", no_pragma, &["BCP001 4..5"]);
    }
}
