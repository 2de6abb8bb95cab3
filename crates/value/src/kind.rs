//! The kinds of value a contract tells apart, and sets of them.

use std::fmt;
use std::ops::BitOr;

/// The kind of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ValueKind {
    /// `null`: a value is there, and says nothing.
    Null,
    /// `true` or `false`; no other spelling.
    Bool,
    /// A whole number that was written as one.
    Int,
    /// Any other number, `1.0` included.
    Float,
    /// Unicode text, whatever its length.
    Text,
    /// Bytes that need not be text; JSON and YAML have none.
    Bytes,
    /// A list, set or tuple.
    List,
    /// An object or map.
    Object,
    /// Not known yet: the kind of no value, and in no set.
    Unknown,
}

impl ValueKind {
    /// All kinds of values, in declaration order.
    pub const ALL: [ValueKind; 8] = [
        ValueKind::Null,
        ValueKind::Bool,
        ValueKind::Int,
        ValueKind::Float,
        ValueKind::Text,
        ValueKind::Bytes,
        ValueKind::List,
        ValueKind::Object,
    ];

    /// The word for the kind in messages and in JSON contracts.
    pub const fn name(self) -> &'static str {
        match self {
            ValueKind::Null => "null",
            ValueKind::Bool => "boolean",
            ValueKind::Int => "integer",
            ValueKind::Float => "number",
            ValueKind::Text => "string",
            ValueKind::Bytes => "bytes",
            ValueKind::List => "array",
            ValueKind::Object => "object",
            ValueKind::Unknown => "unknown value",
        }
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Kinds(u16);

impl Kinds {
    /// No kind: no value is in it.
    pub const NONE: Kinds = Kinds(0);
    /// Every kind that a known value can have.
    pub const ALL: Kinds = Kinds(0xff);
    /// Integers and all other numbers.
    pub const NUMBERS: Kinds = Kinds::of(&[ValueKind::Int, ValueKind::Float]);
    /// Text and bytes, which share the rules of strings.
    pub const STRINGS: Kinds = Kinds::of(&[ValueKind::Text, ValueKind::Bytes]);
    /// Everything that has no parts.
    pub const SCALARS: Kinds = Kinds::of(&[
        ValueKind::Null,
        ValueKind::Bool,
        ValueKind::Int,
        ValueKind::Float,
        ValueKind::Text,
        ValueKind::Bytes,
    ]);

    /// The set of the given kinds.
    pub const fn of(mut kinds: &[ValueKind]) -> Kinds {
        let mut bits = 0;
        while let [first, rest @ ..] = kinds {
            bits |= 1 << *first as u16;
            kinds = rest;
        }
        Kinds(bits)
    }

    /// Tells whether the set holds a kind.
    pub const fn contains(self, kind: ValueKind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }

    /// Tells whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds in both sets.
    #[must_use]
    pub const fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    /// The kinds of this set that are not in the other.
    #[must_use]
    pub const fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    /// The kind of a set of one.
    pub fn only(self) -> Option<ValueKind> {
        (self.0.count_ones() == 1).then(|| self.iter().next()).flatten()
    }

    /// The kinds in the set, in declaration order.
    pub fn iter(self) -> impl Iterator<Item = ValueKind> {
        ValueKind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

impl BitOr for Kinds {
    type Output = Kinds;

    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

impl From<ValueKind> for Kinds {
    fn from(kind: ValueKind) -> Kinds {
        Kinds::of(&[kind])
    }
}

/// Writes the set as a sentence part: `string`, `string or bytes`, `null, string or array`.
impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Kinds::ALL {
            return f.write_str("any value");
        }
        // Every integer is a number.
        let shown = match self.contains(ValueKind::Float) {
            true => self.without(ValueKind::Int.into()),
            false => *self,
        };
        let count = shown.iter().count();
        if count == 0 {
            return f.write_str("no value");
        }
        for (index, kind) in shown.iter().enumerate() {
            if index > 0 {
                f.write_str(if index + 1 == count { " or " } else { ", " })?;
            }
            f.write_str(kind.name())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_read_as_sentence_parts() {
        assert_eq!(Kinds::ALL.to_string(), "any value");
        assert_eq!(Kinds::NONE.to_string(), "no value");
        assert_eq!(Kinds::from(ValueKind::Text).to_string(), "string");
        assert_eq!(Kinds::NUMBERS.to_string(), "number");
        assert_eq!(Kinds::STRINGS.to_string(), "string or bytes");
        assert_eq!(
            Kinds::of(&[ValueKind::Null, ValueKind::Text, ValueKind::List]).to_string(),
            "null, string or array"
        );
    }
}
