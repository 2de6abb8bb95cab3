//! Why a text could not be read: what, where, and what to write instead.

use std::borrow::Cow;
use std::fmt;

use diagnostics::{FileId, Span};

/// The first mistake in a text.
///
/// `Display` writes the message alone; place and hint are separate so that a renderer can lay them out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The bytes the message is about.
    pub place: Span,
    /// Line of the place's start, from 1.
    pub line: u32,
    /// Column of the place's start in characters, from 1.
    pub column: u32,
    /// What is wrong, as data: programs tell problems apart by it.
    pub problem: ReadErrorKind,
    /// What to do about it, where that is known.
    pub hint: Option<Cow<'static, str>>,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl std::error::Error for ReadError {}

/// What can be wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadErrorKind {
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    UnexpectedToken {
        /// What the grammar allows here, as a sentence part.
        expected: Cow<'static, str>,
        /// What stands here, as a sentence part.
        found: String,
    },
    /// A string runs to the end of its line or of the text.
    #[error("the string has no closing `\"` on its line")]
    UnclosedString,
    /// A block comment runs to the end of the text.
    #[error("the comment has no closing `*/`")]
    UnclosedComment,
    /// A backslash in a string is followed by something that is not an escape.
    #[error("`{escape}` is not an escape: {reason}")]
    BadEscape {
        /// The escape as written.
        escape: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A character below U+0020 stands unescaped in a string.
    #[error("the control character U+{:04X} must be escaped in a string", *.byte)]
    ControlCharacter {
        /// The code of the character, below 0x20.
        byte: u8,
    },
    /// A number is not written as the format demands.
    #[error("`{literal}` is not a number: {reason}")]
    BadNumber {
        /// The literal as written.
        literal: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// More containers are open than the limit allows.
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// How many containers may be open at once.
        limit: usize,
    },
    /// The text has more bytes than the limit allows.
    #[error("the text has {size} bytes, which is more than the limit of {limit}")]
    TooLarge {
        /// The size of the text.
        size: usize,
        /// How many bytes a text may have.
        limit: usize,
    },
    /// The document has more values than the limit allows.
    #[error("the document has more than {limit} keys and values")]
    TooManyNodes {
        /// How many keys and values a document may have.
        limit: usize,
    },
    /// An object has two members of the same name.
    #[error("the key `{key}` is already a member of this object")]
    DuplicateKey {
        /// The key, shortened when long.
        key: String,
        /// Where the key stands first.
        first: Span,
    },
    /// The bytes are not UTF-8 text.
    #[error("the byte 0x{byte:02X} at offset {offset} is not valid UTF-8")]
    InvalidUtf8 {
        /// Offset of the first byte that is not part of a character.
        offset: usize,
        /// The value of that byte.
        byte: u8,
    },
    /// The text goes on after its one value.
    #[error("expected the end of the text after the value, found {found}")]
    TrailingContent {
        /// What stands there, as a sentence part.
        found: String,
    },
    /// The text is not YAML.
    #[error("{message}")]
    YamlSyntax {
        /// What the YAML parser found.
        message: String,
    },
    /// Aliases stand for more values than the limit allows.
    #[error("aliases stand for more than {limit} keys and values")]
    AliasBomb {
        /// How many keys and values aliases may stand for.
        limit: usize,
    },
    /// An alias names an anchor that is not defined before it.
    #[error("no anchor `&{name}` precedes this alias")]
    UnknownAnchor {
        /// The name of the anchor, without the sign.
        name: String,
    },
    /// An alias stands inside the value that it names.
    #[error("the alias stands inside the value that it stands for")]
    RecursiveAlias,
    /// A tag is not one of the core schema.
    #[error("the tag `{tag}` is not supported")]
    UnsupportedTag {
        /// The tag as written.
        tag: String,
    },
    /// A tag says what the value is not.
    #[error("the tag `{tag}` does not fit this {found}")]
    TagMismatch {
        /// The tag as written.
        tag: String,
        /// The kind of the value.
        found: &'static str,
    },
    /// A list or a mapping is used as a key.
    #[error("a key must be a scalar, found a {found}")]
    ComplexKey {
        /// The kind of the key.
        found: &'static str,
    },
    /// The merge key has a value that cannot be merged.
    #[error("the merge key `<<` takes an alias of a mapping or a list of such aliases")]
    BadMerge,
    /// The text has several documents where one is asked for.
    #[error("the text has more than one document")]
    MultipleDocuments,
}

/// A mistake on its way out, before lines are counted; boxed to keep results of the readers one word wide.
#[derive(Debug)]
pub(crate) struct UnlocatedReadError(Box<ReadErrorDetails>);

#[derive(Debug)]
struct ReadErrorDetails {
    start: usize,
    end: usize,
    problem: ReadErrorKind,
    hint: Option<Cow<'static, str>>,
}

impl UnlocatedReadError {
    #[cold]
    pub(crate) fn new(start: usize, end: usize, problem: ReadErrorKind) -> UnlocatedReadError {
        UnlocatedReadError(Box::new(ReadErrorDetails { start, end, problem, hint: None }))
    }

    pub(crate) fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> UnlocatedReadError {
        self.0.hint = Some(hint.into());
        self
    }

    pub(crate) fn hint_if(self, hint: Option<impl Into<Cow<'static, str>>>) -> UnlocatedReadError {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Finds line and column of the fault in the text, or in as much of it as is valid.
    pub(crate) fn into_error(self, text: &str, file: FileId) -> ReadError {
        let ReadErrorDetails { start, end, problem, hint } = *self.0;
        let (line, column) = line_and_column(text, start);
        ReadError { place: place(file, start, end), line, column, problem, hint }
    }
}

/// Line and column, both from 1, of a byte offset; a byte order mark takes no column.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or(text);
    let before = before.strip_prefix('\u{feff}').unwrap_or(before);
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    (narrow(line) + 1, narrow(column) + 1)
}

/// The place of a byte range.
pub(crate) fn place(file: FileId, start: usize, end: usize) -> Span {
    Span { file, start: narrow(start), end: narrow(end) }
}

/// An offset or count as 32 bits. INVARIANT: no text and no tree has more, see [`crate::Source`] and `Builder`.
#[inline]
pub(crate) fn narrow(number: usize) -> u32 {
    debug_assert!(number <= u32::MAX as usize, "{number} is not an offset");
    number as u32
}

/// At most 60 characters of a text, for quoting it in a message.
pub(crate) fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
    }
}
