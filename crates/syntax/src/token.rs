//! Tokens and trivia: what the lexer makes and what the tree is printed from.

use crate::Span;
use bitflags::bitflags;

/// Declares the kinds of token: name, fixed text (which documents the kind) or `_`, and whether a comment that follows on the
/// same line belongs to the token (`sticky`) or to the next one (`loose`).
macro_rules! token_kinds {
    ($($(#[$doc:meta])* $name:ident $text:tt, $stick:ident;)*) => {
        /// What a token is.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum TokenKind { $($(#[$doc])* #[doc = token_kinds!(@doc $text)] $name,)* }

        impl TokenKind {
            /// All kinds, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the kind's name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// Returns the only text that a token of this kind can have, or nothing when it varies.
            #[must_use]
            pub const fn fixed_text(self) -> Option<&'static str> {
                match self { $(Self::$name => token_kinds!(@text $text),)* }
            }

            /// Tells whether comments after the token on its line are its trailing trivia.
            #[must_use]
            pub const fn keeps_trailing_comments(self) -> bool {
                match self { $(Self::$name => token_kinds!(@$stick),)* }
            }
        }
    };
    (@doc _) => { "" };
    (@doc $text:literal) => { concat!("`", $text, "`") };
    (@text _) => { None };
    (@text $text:literal) => { Some($text) };
    (@doc _) => { "" };
    (@doc $text:literal) => { concat!("`", $text, "`") };
    (@text _) => { None };
    (@text $text:literal) => { Some($text) };
    (@sticky) => { true };
    (@loose) => { false };
}

token_kinds! {
    At "@", loose;
    /// Text that starts no token of the language.
    Unrecognized _, loose;
    LeftBrace "{", loose;
    RightBrace "}", sticky;
    LeftParen "(", loose;
    RightParen ")", sticky;
    LeftSquare "[", loose;
    RightSquare "]", sticky;
    Comma ",", loose;
    Dot ".", loose;
    Question "?", sticky;
    Colon ":", loose;
    Semicolon ";", loose;
    Assignment "=", loose;
    Plus "+", loose;
    Minus "-", loose;
    Asterisk "*", loose;
    Slash "/", loose;
    Modulo "%", loose;
    Exclamation "!", sticky;
    LeftChevron "<", loose;
    RightChevron ">", loose;
    LessThanOrEqual "<=", loose;
    GreaterThanOrEqual ">=", loose;
    Equals "==", loose;
    NotEquals "!=", loose;
    EqualsInsensitive "=~", loose;
    NotEqualsInsensitive "!~", loose;
    LogicalAnd "&&", loose;
    LogicalOr "||", loose;
    /// A name, or a keyword that is one only by its place.
    Identifier _, sticky;
    /// The text in front of the first value of a string: `'...${`.
    StringLeftPiece _, loose;
    /// The text between two values of a string: `}...${`.
    StringMiddlePiece _, loose;
    /// The text after the last value of a string: `}...'`.
    StringRightPiece _, sticky;
    /// A string without values: `'...'`.
    StringComplete _, sticky;
    /// Decimal digits; whether they fit 64 bits is checked later.
    Integer _, sticky;
    TrueKeyword "true", sticky;
    FalseKeyword "false", sticky;
    NullKeyword "null", sticky;
    /// One or more line breaks in a row.
    NewLine _, loose;
    /// The end of the text.
    EndOfFile "", loose;
    DoubleQuestion "??", loose;
    DoubleColon "::", loose;
    Arrow "=>", loose;
    Pipe "|", loose;
    Ellipsis "...", loose;
    Hat "^", loose;
}

/// One token, without its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Offset of the first byte of the token proper, after its leading trivia.
    pub start: u32,
    /// Offset just after the last byte, before its trailing trivia.
    pub end: u32,
    /// What the token is.
    pub kind: TokenKind,
    /// Facts the lexer learned on the way.
    pub flags: TokenFlags,
}

impl Token {
    /// Returns the range of the token proper.
    #[must_use]
    pub const fn span(self) -> Span {
        Span::new(self.start, self.end)
    }
}

bitflags! {
    /// Facts about a token, one bit each.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct TokenFlags: u8 {
        /// A string piece that is not closed or holds an escape that means nothing.
        const MALFORMED = 1;
        /// A comment or pragma stands between the token before and this one.
        const TRIVIA_BEFORE = 1 << 1;
        /// A comment stands between the token before and this one.
        const COMMENT_BEFORE = 1 << 2;
    }
}

/// What a piece of text without meaning for the grammar is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum TriviaKind {
    /// Blanks and tabs, as many as follow each other.
    Whitespace,
    /// `// ...` up to the line break.
    LineComment,
    /// `/* ... */`, over any number of lines.
    BlockComment,
    /// `#disable-next-line CODE...`: the codes are not reported for the next line.
    DisableNextLine,
    /// `#disable-diagnostics CODE...`: the codes are not reported from here on.
    DisableDiagnostics,
    /// `#restore-diagnostics CODE...`: the codes are reported again.
    RestoreDiagnostics,
    /// The mark some editors put at the start of a UTF-8 file.
    ByteOrderMark,
}

impl TriviaKind {
    /// Tells whether this is a comment of either form.
    #[must_use]
    pub const fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment)
    }

    /// Returns the word after `#` when this is a pragma.
    #[must_use]
    pub const fn pragma_keyword(self) -> Option<&'static str> {
        match self {
            Self::DisableNextLine => Some("disable-next-line"),
            Self::DisableDiagnostics => Some("disable-diagnostics"),
            Self::RestoreDiagnostics => Some("restore-diagnostics"),
            Self::Whitespace | Self::LineComment | Self::BlockComment | Self::ByteOrderMark => None,
        }
    }
}

/// One piece of trivia. Whitespace is not stored: it is what is left between the stored pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trivia {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just after the last byte.
    pub end: u32,
    /// What the piece is.
    pub kind: TriviaKind,
}

impl Trivia {
    /// Returns the range of the piece.
    #[must_use]
    pub const fn span(self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// A set of token kinds, as recovery and look-ahead want it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TokenSet(u64);

impl TokenSet {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) const fn of<const N: usize>(kinds: [TokenKind; N]) -> Self {
        let mut bits = 0;
        let mut rest: &[TokenKind] = &kinds;
        while let [kind, tail @ ..] = rest {
            bits |= 1 << (*kind as u8);
            rest = tail;
        }
        Self(bits)
    }

    pub(crate) const fn has(self, kind: TokenKind) -> bool {
        self.0 & (1 << (kind as u8)) != 0
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_trivia_stay_small() {
        assert_eq!(size_of::<Token>(), 12);
        assert_eq!(size_of::<Trivia>(), 12);
    }

    #[test]
    fn every_kind_fits_a_token_set() {
        assert!(TokenKind::ALL.len() <= 64);
        for (index, kind) in TokenKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, index);
            assert!(TokenSet::of([*kind]).has(*kind));
        }
    }
}
