//! What broke, where, and why: the answer when a contract does not hold.
//!
//! A violation is made of facts. [`words`](crate::words) makes a sentence of them when somebody wants to read one; other dialects make
//! theirs from the same facts.

use std::fmt;

use diagnostics::Span;
use value::{Kinds, MASK, Path, ValueKind};

use crate::rules::{Rule, Rules};

/// A rule that a value breaks: what was expected, what was found, and where both are.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Where the value is in its document.
    pub path: Path,
    /// The rule, as its dialect spells it.
    pub rule: Box<str>,
    /// The rule's own name, the same in every dialect.
    pub code: &'static str,
    /// What the rule asks for.
    pub expected: Expected,
    /// The value found, as compact JSON, masked if it is a secret; `None` if there is no value.
    pub found: Option<Box<str>>,
    /// What the rule compared with; `None` if it compares with nothing or must not be printed.
    pub wanted: Option<ExpectedTexts>,
    /// What to do about it, where that is known.
    pub hint: Option<Box<str>>,
    /// The number under which the host keeps why it refused the value, where it did.
    pub cause: Option<u32>,
    /// Where the value stands in its source.
    pub place: Option<Span>,
    /// Where the rule was written.
    pub written: Option<Span>,
}

/// What a broken rule asks for, and what about the value does not fit.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// A value of one of some kinds.
    Kind(Box<ExpectedKind>),
    /// No value at all.
    Nothing,
    /// A member of an enum.
    EnumMember,
    /// So many elements, and there are others.
    Elements {
        /// The fewest that there may be.
        least: usize,
        /// The most, if there is an end.
        most: Option<usize>,
        /// How many there are.
        found: usize,
    },
    /// No two equal elements.
    Distinct,
    /// A property that is not there.
    Property(Box<str>),
    /// That the value itself is there.
    Presence,
    /// A property that is known; this one is not, and its name is masked if it is a secret.
    KnownProperty(Box<str>),
    /// One of some values of the property that tells alternatives apart.
    Discriminator {
        /// The name of the property.
        property: Box<str>,
        /// Its text, masked if it is a secret; `None` if it is not there, or no text.
        found: Option<Box<str>>,
    },
    /// One of some values, of which the value found must not be told.
    OneOf,
    /// One of so many shapes.
    Alternative(usize),
    /// Exactly one of so many shapes; it has those with these numbers, from one.
    OneAlternative(usize, Box<[usize]>),
    /// What a rule with operands demands.
    Rule {
        /// The rule that is broken, with its operands.
        rule: BrokenRule,
        /// How long the value is, where the rule asks for a length that may be told.
        length: Option<usize>,
    },
    /// What the author of a contract, or the host, says about it.
    Stated(Box<str>),
    /// A document within the limits: so many steps.
    Steps(u64),
    /// A document within the limits: so many levels.
    Levels(u32),
    /// A value that is known.
    Known,
}

/// The kinds of value that a shape takes.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedKind {
    /// The kinds that are accepted, null left aside.
    pub kinds: Kinds,
    /// Whether null is one more.
    pub nullable: bool,
    /// How wide an integer may be, in words.
    pub width: Option<&'static str>,
    /// The name of the type, where it has one.
    pub title: Option<std::sync::Arc<str>>,
    /// The kind of the value that was found.
    pub found: ValueKind,
}

/// A rule of a contract, shared with it.
#[derive(Clone, Debug)]
pub struct BrokenRule {
    pub(crate) rules: Rules,
    pub(crate) position: usize,
}

impl BrokenRule {
    /// The rule as the contract has it.
    pub fn get(&self) -> Option<&Rule> {
        self.rules.get(self.position)
    }
}

impl PartialEq for BrokenRule {
    fn eq(&self, other: &BrokenRule) -> bool {
        self.get() == other.get()
    }
}

/// What a rule compares with, as texts.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedTexts {
    /// As many as a reader takes in.
    pub shown: Vec<Box<str>>,
    /// How many more there are.
    pub more: usize,
}

impl ExpectedTexts {
    /// One text, which stands for all that is expected.
    pub fn one(text: impl Into<Box<str>>) -> ExpectedTexts {
        ExpectedTexts { shown: vec![text.into()], more: 0 }
    }

    /// As many as a reader takes in at a glance.
    pub(crate) fn some<T: Into<Box<str>>>(all: impl IntoIterator<Item = T>) -> ExpectedTexts {
        const MOST: usize = 8;
        let mut all = all.into_iter();
        let shown = all.by_ref().take(MOST).map(Into::into).collect();
        ExpectedTexts { shown, more: all.count() }
    }
}

/// Writes `1, 2, 3 and 5 more`.
impl fmt::Display for ExpectedTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, text) in self.shown.iter().enumerate() {
            if position > 0 {
                f.write_str(", ")?;
            }
            f.write_str(text)?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Writes `path: message (rule)`.
impl Violation {
    /// A violation that has nothing but words, of a document that could not be looked at as a whole, or by a dialect of its own.
    pub fn stated(path: Path, code: &'static str, words: impl Into<Box<str>>) -> Violation {
        Violation {
            path,
            rule: code.into(),
            code,
            expected: Expected::Stated(words.into()),
            found: None,
            wanted: None,
            hint: None,
            cause: None,
            place: None,
            written: None,
        }
    }

    /// What the rule compared with, as one text.
    pub fn wanted_text(&self) -> Option<String> {
        self.wanted.as_ref().map(ExpectedTexts::to_string)
    }

    /// Whether the value found is a secret.
    pub fn is_masked(&self) -> bool {
        self.found.as_deref() == Some(MASK)
    }
}
