//! Patterns that text is matched against: three dialects, one meaning, linear time.
//!
//! A pattern is read by the parser of its dialect ([`PatternSyntax`]) into one common form, and that form is compiled once into whatever
//! runs it fastest: a plain comparison, a row of character sets, a small automaton, or the general engine of `regex-automata`. All
//! of them take time in proportion to the text, whoever wrote the pattern, and none of them allocates for each match.
//!
//! A pattern is searched for: it matches when some part of the text does, unless it says `^` and `$`. Text is bytes; a byte that is
//! not part of valid UTF-8 counts as the character U+FFFD.
//!
//! ```
//! use contract::pattern::{PatternSyntax, Pattern};
//!
//! let name = Pattern::new(PatternSyntax::Re2, "^[a-z][a-z0-9-]{1,61}[a-z0-9]$")?;
//! assert!(name.is_match(b"storage-01"));
//! assert!(!name.is_match(b"Storage-01"));
//! # Ok::<(), contract::pattern::PatternError>(())
//! ```

mod alphabet;
mod bre;
mod bytes;
mod cursor;
mod dfa;
mod ecma;
mod error;
mod general;
mod language;
mod literal;
mod matcher;
mod names;
mod node;
mod positions;
mod print;
mod re2;
mod search;
mod sequence;
mod set;
mod text;

use std::fmt;
use std::sync::Arc;

pub use error::PatternError;
pub use language::{LiteralPlace, TextAnswer, TextQuery, TextUnit};
pub use print::{Engine, Translation};

use matcher::Matcher;
use node::PatternNode;

/// The language a pattern is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatternSyntax {
    /// RE2 as Go's `regexp` package reads it.
    Re2,
    /// ECMA-262 as JSON Schema and OpenAPI use it, without look-around and back-references.
    Ecma,
    /// POSIX basic regular expressions as GNU sed reads them, without back-references.
    Bre,
}

impl PatternSyntax {
    fn parse(self, source: &str) -> Result<PatternNode, PatternError> {
        match self {
            Self::Re2 => re2::parse(source),
            Self::Ecma => ecma::parse(source),
            Self::Bre => bre::parse(source),
        }
    }
}

/// Tells whether a text is a regular expression of ECMA-262, whether or not it can be run in linear time.
pub(crate) fn is_ecma(text: &str) -> bool {
    ecma::is_pattern(text)
}

/// A compiled pattern; clones share it.
#[derive(Clone)]
pub struct Pattern(Arc<CompiledPattern>);

struct CompiledPattern {
    matcher: Matcher,
    dialect: PatternSyntax,
    source: Box<str>,
}

impl Pattern {
    /// Compiles a pattern, or says why and where it cannot be.
    pub fn new(dialect: PatternSyntax, source: &str) -> Result<Self, PatternError> {
        let matcher = Matcher::new(dialect.parse(source)?)?;
        Ok(Self(Arc::new(CompiledPattern { matcher, dialect, source: source.into() })))
    }

    /// Whether the pattern matches some part of the text.
    #[inline]
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.0.matcher.is_match(text)
    }

    /// The text the pattern was compiled from.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Writes the pattern for another engine; `None` if that has no way to say it.
    ///
    /// Whether there is a match is the same there; captures and greediness are not kept.
    pub fn translate(&self, engine: Engine) -> Option<Translation> {
        print::print(&self.dialect().parse(self.source()).ok()?, engine)
    }

    /// The language the pattern is written in.
    pub fn dialect(&self) -> PatternSyntax {
        self.0.dialect
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.dialect() == other.dialect() && self.source() == other.source())
    }
}

impl Eq for Pattern {}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({:?}, {:?})", self.dialect(), self.source())
    }
}

/// Whether a pattern may mean something else in dialect `b` than in dialect `a`, for a warning to its author.
///
/// A pattern that only one of them accepts differs; one that neither accepts means nothing in both.
pub fn differs_between(a: PatternSyntax, b: PatternSyntax, source: &str) -> bool {
    match (a.parse(source), b.parse(source)) {
        (Ok(a), Ok(b)) => a != b,
        (Err(_), Err(_)) => false,
        _ => true,
    }
}
