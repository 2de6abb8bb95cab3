//! Terms: what a contract says about a value, each thing said kept once, whichever contract says it.

use std::collections::HashMap;

use contract::format::Format;
use contract::pattern::{LiteralPlace, Pattern};
use contract::{Constant, Unit};

use crate::decimal::Dec;

/// The number of a term.
pub(crate) type TermId = u32;

/// The kinds of value that JSON has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Sort {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
}

impl Sort {
    pub(crate) const ALL: [Sort; 6] =
        [Sort::Null, Sort::Bool, Sort::Number, Sort::Text, Sort::List, Sort::Object];

    /// The kind of a value.
    pub(crate) fn of(value: &Constant) -> Sort {
        match value {
            Constant::Null => Sort::Null,
            Constant::Bool(_) => Sort::Bool,
            Constant::Int(_) | Constant::UInt(_) | Constant::Float(_) | Constant::Decimal(_) => Sort::Number,
            Constant::Text(_) | Constant::Bytes(_) => Sort::Text,
            Constant::List(_) => Sort::List,
            Constant::Object(_) => Sort::Object,
        }
    }

    pub(crate) fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// One thing that is said of a value. What is said of one kind holds for values of all others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Any,
    Never,
    /// The value is of one of these kinds, as bits.
    Sorts(u8),
    /// A number has no fraction.
    Whole,
    /// A number is at least so great, or greater.
    Least(Dec, bool),
    /// A number is at most so great, or less.
    Most(Dec, bool),
    Multiple(Dec),
    /// The value is one of these constants, in order.
    Values(Vec<u32>),
    Length(Unit, usize, Option<usize>),
    Pattern(u32),
    Literal(LiteralPlace, Box<str>),
    Format(Format),
    /// A list has these first elements, and then those.
    Items(Vec<TermId>, TermId),
    Unique,
    /// So many elements of a list are such.
    Contains(TermId, usize, Option<usize>),
    /// What members are, by their names.
    Members(MemberTerms),
    /// What names of members are.
    Names(TermId),
    /// A text that stands for a number or for true or false is such.
    Written(TermId),
    /// An object has a member.
    Has(Box<str>, bool),
    /// Something that only a checker can tell.
    Opaque(u32),
    And(Vec<TermId>),
    Or(Vec<TermId>),
    One(Vec<TermId>),
    Not(TermId),
    /// A term that contains itself.
    Ref(u32),
}

/// What members of an object are, by their names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MemberTerms {
    /// The declared names, in the order of their text.
    pub(crate) names: Vec<(Box<str>, TermId)>,
    pub(crate) patterns: Vec<(u32, TermId)>,
    pub(crate) rest: TermId,
    /// Whether names ignore case.
    pub(crate) fold: bool,
}

impl MemberTerms {
    /// The term of a declared name.
    pub(crate) fn declared(&self, name: &str) -> Option<TermId> {
        let found = self.names.iter().find(|(known, _)| same_name(known, name, self.fold));
        found.map(|(_, term)| *term)
    }
}

/// Whether two names are the same.
pub(crate) fn same_name(a: &str, b: &str, fold: bool) -> bool {
    a == b || (fold && a.eq_ignore_ascii_case(b))
}

/// All terms of a comparison.
#[derive(Default)]
pub(crate) struct Terms {
    terms: Vec<Term>,
    known: HashMap<Term, TermId>,
    /// What terms that contain themselves stand for.
    pub(crate) refs: Vec<TermId>,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) constants: Vec<Constant>,
    constants_known: HashMap<String, u32>,
    opaque: HashMap<String, u32>,
}

impl Terms {
    pub(crate) fn get(&self, id: TermId) -> &Term {
        self.terms.get(id as usize).unwrap_or(&Term::Never)
    }

    pub(crate) fn add(&mut self, term: Term) -> TermId {
        if let Some(id) = self.known.get(&term) {
            return *id;
        }
        let id = self.terms.len() as TermId;
        self.terms.push(term.clone());
        self.known.insert(term, id);
        id
    }

    pub(crate) fn any(&mut self) -> TermId {
        self.add(Term::Any)
    }

    pub(crate) fn never(&mut self) -> TermId {
        self.add(Term::Never)
    }

    pub(crate) fn sort(&mut self, sort: Sort) -> TermId {
        self.add(Term::Sorts(sort.bit()))
    }

    /// All kinds but one.
    pub(crate) fn all_but(&mut self, sort: Sort) -> TermId {
        self.add(Term::Sorts(0x3f & !sort.bit()))
    }

    pub(crate) fn and(&mut self, parts: Vec<TermId>) -> TermId {
        let mut flat = Vec::new();
        let mut sorts = 0x3f_u8;
        for part in parts {
            match self.get(part) {
                Term::Any => {}
                Term::Never => return self.never(),
                Term::And(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(part),
            }
        }
        // Kinds are one term.
        let mut rest = Vec::new();
        let mut sorted = false;
        for part in flat {
            match self.get(part) {
                Term::Sorts(bits) => {
                    sorts &= bits;
                    sorted = true;
                }
                _ => rest.push(part),
            }
        }
        if sorts == 0 {
            return self.never();
        }
        if sorted {
            rest.push(self.add(Term::Sorts(sorts)));
        }
        rest.sort_unstable();
        rest.dedup();
        match rest.as_slice() {
            [] => self.any(),
            [only] => *only,
            _ => self.add(Term::And(rest)),
        }
    }

    pub(crate) fn or(&mut self, parts: Vec<TermId>) -> TermId {
        let mut flat = Vec::new();
        for part in parts {
            match self.get(part) {
                Term::Never => {}
                Term::Any => return self.any(),
                Term::Or(inner) => flat.extend(inner.iter().copied()),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        // Several sets of constants are one.
        let mut constants = Vec::new();
        let mut rest = Vec::new();
        for part in flat {
            match self.get(part) {
                Term::Values(values) => constants.extend(values.iter().copied()),
                _ => rest.push(part),
            }
        }
        if !constants.is_empty() {
            constants.sort_unstable();
            constants.dedup();
            rest.push(self.add(Term::Values(constants)));
            rest.sort_unstable();
        }
        match rest.as_slice() {
            [] => self.never(),
            [only] => *only,
            _ => self.add(Term::Or(rest)),
        }
    }

    pub(crate) fn not(&mut self, part: TermId) -> TermId {
        match self.get(part) {
            Term::Any => self.never(),
            Term::Never | Term::Sorts(0) => self.any(),
            Term::Not(inner) => *inner,
            Term::Sorts(bits) => {
                let bits = 0x3f & !bits;
                if bits == 0 { self.never() } else { self.add(Term::Sorts(bits)) }
            }
            _ => self.add(Term::Not(part)),
        }
    }

    pub(crate) fn constant(&mut self, value: &Constant) -> u32 {
        let key = canonical(value);
        if let Some(id) = self.constants_known.get(&key) {
            return *id;
        }
        let id = self.constants.len() as u32;
        self.constants.push(value.clone());
        self.constants_known.insert(key, id);
        id
    }

    pub(crate) fn values(&mut self, values: &[Constant]) -> TermId {
        let mut ids: Vec<u32> = values.iter().map(|value| self.constant(value)).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() { self.never() } else { self.add(Term::Values(ids)) }
    }

    pub(crate) fn pattern(&mut self, pattern: &Pattern) -> u32 {
        let known = self.patterns.iter().position(|known| known == pattern);
        known.unwrap_or_else(|| {
            self.patterns.push(pattern.clone());
            self.patterns.len() - 1
        }) as u32
    }

    pub(crate) fn opaque(&mut self, text: String) -> TermId {
        let next = self.opaque.len() as u32;
        let id = *self.opaque.entry(text).or_insert(next);
        self.add(Term::Opaque(id))
    }
}

/// A text that two constants share exactly when they are equal.
pub(crate) fn canonical(value: &Constant) -> String {
    match value {
        Constant::List(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Constant::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}:{}", canonical(key), canonical(value)))
                .collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        Constant::Bytes(bytes) => format!("b{bytes:?}"),
        number => match Dec::of(number) {
            Some(dec) => format!("{}e{}", dec.digits, dec.exponent),
            None => number.to_string(),
        },
    }
}
