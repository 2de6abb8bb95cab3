//! What is wrong with a contract itself.

use std::fmt;

use diagnostics::{FileId, Span};

/// A mistake in a contract, found when it is compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaw {
    /// What kind of mistake it is.
    pub code: FlawCode,
    /// What is wrong, in words.
    pub message: String,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
    /// Where it was written.
    pub place: Option<Span>,
}

/// The kinds of mistake a contract can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlawCode {
    /// No value can ever satisfy it.
    Unsatisfiable,
    /// A default value breaks the rules of its own shape.
    BrokenDefault,
    /// An example breaks the rules of its own shape.
    BrokenExample,
    /// An operand is outside the type it is compared with.
    OutsideType,
    /// A rule stands on a shape that it says nothing about.
    NeverApplies,
    /// An operand is not of the kind that its rule needs.
    BadOperand,
    /// A pattern is not a pattern.
    BadPattern,
    /// A reference names a field that does not exist.
    UnknownField,
    /// A reference names a definition that does not exist.
    UnknownDefinition,
    /// A call names a function that the host does not have, or gives it the wrong number of arguments.
    UnknownFunction,
    /// A definition is defined by itself without a value in between.
    EndlessDefinition,
    /// A property is declared twice.
    DuplicateProperty,
    /// A word of the contract language is not known.
    UnknownKeyword,
    /// A word of the contract language is not followed by what it needs.
    BadKeyword,
    /// Shapes nest too deeply.
    TooDeep,
}

impl FlawCode {
    /// Whether a contract with the flaw still says what it says, if not what its author meant.
    pub const fn is_usable(self) -> bool {
        matches!(
            self,
            FlawCode::Unsatisfiable
                | FlawCode::BrokenDefault
                | FlawCode::BrokenExample
                | FlawCode::NeverApplies
        )
    }

    /// The stable name, as reports show it.
    pub const fn name(self) -> &'static str {
        match self {
            FlawCode::Unsatisfiable => "contract/unsatisfiable",
            FlawCode::BrokenDefault => "contract/broken-default",
            FlawCode::BrokenExample => "contract/broken-example",
            FlawCode::OutsideType => "contract/outside-type",
            FlawCode::NeverApplies => "contract/never-applies",
            FlawCode::BadOperand => "contract/bad-operand",
            FlawCode::BadPattern => "contract/bad-pattern",
            FlawCode::UnknownField => "contract/unknown-field",
            FlawCode::UnknownDefinition => "contract/unknown-definition",
            FlawCode::UnknownFunction => "contract/unknown-function",
            FlawCode::EndlessDefinition => "contract/endless-definition",
            FlawCode::DuplicateProperty => "contract/duplicate-property",
            FlawCode::UnknownKeyword => "contract/unknown-keyword",
            FlawCode::BadKeyword => "contract/bad-keyword",
            FlawCode::TooDeep => "contract/too-deep",
        }
    }
}

impl Flaw {
    /// A flaw with nothing known but what it is.
    pub fn new(code: FlawCode, message: impl Into<String>) -> Flaw {
        Flaw { code, message: message.into(), hint: None, place: None }
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Flaw {
        self.hint = Some(hint.into());
        self
    }

    /// Says where it was written.
    #[must_use]
    pub fn at(mut self, place: Option<Span>) -> Flaw {
        self.place = place;
        self
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code.name())
    }
}

/// Puts mistakes in the order in which they were written, each once; those without a place come last.
pub(crate) fn in_written_order(flaws: &mut Vec<Flaw>) {
    flaws.sort_by_key(|flaw| flaw.place.map_or((1, FileId(0), 0), |place| (0, place.file, place.start)));
    // A shape that is reached in two ways is read twice.
    flaws.dedup();
}
