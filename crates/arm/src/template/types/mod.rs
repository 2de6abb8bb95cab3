//! Types of parameters, outputs and functions, and whether values have them.
//!
//! A type is lowered to a contract when the first value is held against it, together with all other types of its
//! template; those that are no more than a word need none. Validators, which are functions of the template or
//! lambdas, run on values of which everything else holds.

mod ambiguous;
mod applied;
mod check;
mod declared;
mod endless;
mod envelope;
mod lower;
mod samples;
mod secure;
mod spelling;
mod validator;
mod whole;
mod words;

use document::NodeId;

pub use ambiguous::OpenType;
pub(crate) use check::part;
pub use check::{AdmissionError, BreachKind, TypeViolation};
pub use envelope::OpenResourceTerms;
pub(crate) use lower::TypeContracts;
pub use validator::{Validator, ValidatorKind};

/// A word for a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the word")]
pub enum TypeWord {
    /// `string`, and with a secret value `securestring`.
    String,
    Int,
    Bool,
    Array,
    /// `object`, and with a secret value `secureObject`.
    Object,
}

/// The words of templates: what each says, whether its values are secrets, and how the REST API writes it.
const WORDS: &[(&str, TypeWord, bool, &str)] = &[
    ("string", TypeWord::String, false, "String"),
    ("int", TypeWord::Int, false, "Int"),
    ("bool", TypeWord::Bool, false, "Bool"),
    ("array", TypeWord::Array, false, "Array"),
    ("object", TypeWord::Object, false, "Object"),
    ("secureString", TypeWord::String, true, "SecureString"),
    ("secureObject", TypeWord::Object, true, "SecureObject"),
];

impl TypeWord {
    /// The word of a template, by whatever case, and whether its values are secrets.
    pub fn parse(word: &str) -> Option<(TypeWord, bool)> {
        let row = WORDS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(word))?;
        Some((row.1, row.2))
    }

    /// The word as the REST API writes it.
    pub fn name(self) -> &'static str {
        WORDS.iter().find(|row| row.1 == self).map_or("Any", |row| row.3)
    }

    /// The words that templates may write.
    pub fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().map(|(name, ..)| *name)
    }
}

/// What values of a parameter, an output or a function look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeDefinition {
    /// Where it is written.
    pub(crate) node: NodeId,
    /// The kind of value, if the type says it; references are followed.
    pub word: Option<TypeWord>,
    /// Whether values are secrets.
    pub secure: bool,
    /// Whether null is a value, and the value may be left out.
    pub nullable: bool,
    /// Whether the type says anything beyond its word and `nullable`.
    pub(crate) plain: bool,
}

impl TypeDefinition {
    /// The word for the type as the REST API writes it: `String`, `SecureObject`; none if the type says none.
    pub fn name(&self) -> Option<&'static str> {
        let word = self.word?;
        let rows = WORDS.iter().filter(|row| row.1 == word);
        rows.clone().find(|row| row.2 == self.secure).or(rows.clone().next()).map(|row| row.3)
    }
}
