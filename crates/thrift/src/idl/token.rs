//! The words and signs of the language.

use crate::Code;

/// One token: what it is and where it stands. Its text is cut from the source when needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdlToken {
    pub(crate) kind: IdlTokenKind,
    /// Whether a line break stands between this token and the one before.
    pub(crate) new_line: bool,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// How many comments of the file stand before this token.
    pub(crate) comments: u32,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdlTokenKind {
    /// A name, with its dots.
    Name,
    Keyword(Keyword),
    /// An integer of any spelling.
    Int,
    Double,
    Literal,
    LBrace,
    RBrace,
    LParen,
    RParen,
    LBracket,
    RBracket,
    Less,
    Greater,
    Comma,
    Semicolon,
    Colon,
    Equal,
    Star,
    Ampersand,
    /// Starts a structured annotation in fbthrift.
    At,
    /// Characters that start no token; already reported.
    Unknown,
    End,
}

impl IdlTokenKind {
    /// How the sign is written, for messages about what was expected.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            IdlTokenKind::Name | IdlTokenKind::Keyword(_) => "a name",
            IdlTokenKind::Int => "an integer",
            IdlTokenKind::Double => "a number",
            IdlTokenKind::Literal => "a string literal",
            IdlTokenKind::LBrace => "`{`",
            IdlTokenKind::RBrace => "`}`",
            IdlTokenKind::LParen => "`(`",
            IdlTokenKind::RParen => "`)`",
            IdlTokenKind::LBracket => "`[`",
            IdlTokenKind::RBracket => "`]`",
            IdlTokenKind::Less => "`<`",
            IdlTokenKind::Greater => "`>`",
            IdlTokenKind::Comma => "`,`",
            IdlTokenKind::Semicolon => "`;`",
            IdlTokenKind::Colon => "`:`",
            IdlTokenKind::Equal => "`=`",
            IdlTokenKind::Star => "`*`",
            IdlTokenKind::Ampersand => "`&`",
            IdlTokenKind::At => "`@`",
            IdlTokenKind::Unknown => "an unknown character",
            IdlTokenKind::End => "the end of the file",
        }
    }
}

/// Declares the keywords: variant and spelling.
macro_rules! keywords {
    ($($variant:ident $text:literal)*) => {
        /// A word that the grammar uses.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Keyword { $($variant),* }

        impl Keyword {
            pub(crate) fn find(text: &str) -> Option<Keyword> {
                match text { $($text => Some(Keyword::$variant),)* _ => None }
            }

            pub(crate) fn text(self) -> &'static str {
                match self { $(Keyword::$variant => $text,)* }
            }
        }
    };
}

keywords! {
    Namespace "namespace" Include "include" CppInclude "cpp_include" CppType "cpp_type"
    Void "void" Bool "bool" Byte "byte" I8 "i8" I16 "i16" I32 "i32" I64 "i64" Double "double"
    String "string" Binary "binary" Uuid "uuid" Map "map" List "list" Set "set"
    Oneway "oneway" Async "async" Typedef "typedef" Struct "struct" Union "union" Exception "exception"
    Extends "extends" Throws "throws" Service "service" Enum "enum" Const "const"
    Required "required" Optional "optional" True "true" False "false"
    XsdAll "xsd_all" XsdOptional "xsd_optional" XsdNillable "xsd_nillable" XsdAttrs "xsd_attrs"
}

impl Keyword {
    /// Whether the word starts a definition.
    pub(crate) fn starts_definition(self) -> bool {
        matches!(
            self,
            Keyword::Const
                | Keyword::Typedef
                | Keyword::Enum
                | Keyword::Struct
                | Keyword::Union
                | Keyword::Exception
                | Keyword::Service
        )
    }

    /// Whether the word starts a header.
    pub(crate) fn starts_header(self) -> bool {
        matches!(self, Keyword::Include | Keyword::CppInclude | Keyword::Namespace)
    }

    /// Whether the Apache compiler lets a field have this name; other names may be no keyword there.
    pub(crate) fn apache_field_name(self) -> bool {
        !matches!(
            self,
            Keyword::CppType
                | Keyword::XsdAll
                | Keyword::XsdOptional
                | Keyword::XsdNillable
                | Keyword::XsdAttrs
                | Keyword::True
                | Keyword::False
        )
    }
}

/// A comment, in file order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawComment {
    pub(crate) kind: super::CommentKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Whether code stands before it on its line.
    pub(crate) trailing: bool,
}

/// A problem found while cutting the text into tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LexProblem {
    pub(crate) code: Code,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// Words that some target language reserves. Old Apache compilers and thriftpy2 refuse them as names.
pub(crate) const RESERVED_WORDS: &[&str] = &[
    "BEGIN",
    "END",
    "__CLASS__",
    "__DIR__",
    "__FILE__",
    "__FUNCTION__",
    "__LINE__",
    "__METHOD__",
    "__NAMESPACE__",
    "abstract",
    "alias",
    "and",
    "args",
    "as",
    "assert",
    "begin",
    "break",
    "case",
    "catch",
    "class",
    "clone",
    "continue",
    "declare",
    "def",
    "default",
    "del",
    "delete",
    "do",
    "dynamic",
    "elif",
    "else",
    "elseif",
    "elsif",
    "end",
    "enddeclare",
    "endfor",
    "endforeach",
    "endif",
    "endswitch",
    "endwhile",
    "ensure",
    "except",
    "exec",
    "finally",
    "float",
    "for",
    "foreach",
    "from",
    "function",
    "global",
    "goto",
    "if",
    "implements",
    "import",
    "in",
    "inline",
    "instanceof",
    "interface",
    "is",
    "lambda",
    "module",
    "native",
    "new",
    "next",
    "nil",
    "not",
    "or",
    "package",
    "pass",
    "print",
    "private",
    "protected",
    "public",
    "raise",
    "redo",
    "register",
    "rescue",
    "retry",
    "return",
    "self",
    "sizeof",
    "static",
    "super",
    "switch",
    "synchronized",
    "then",
    "this",
    "throw",
    "transient",
    "try",
    "undef",
    "unless",
    "unsigned",
    "until",
    "use",
    "var",
    "virtual",
    "volatile",
    "when",
    "while",
    "with",
    "xor",
    "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted_for_binary_search() {
        assert!(RESERVED_WORDS.is_sorted());
    }

    #[test]
    fn a_token_stays_small() {
        assert!(size_of::<IdlToken>() <= 16);
    }
}
