//! Lengths in their units, shared by `minLength` and `maxLength`.

use crate::compare::bytes;
use crate::pattern::TextUnit;
use value::Node;
use value::number::Number;

/// What a length counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Bytes of a string.
    Bytes,
    /// Unicode scalar values of a string; each byte that is not UTF-8 counts as one.
    Scalars,
    /// UTF-16 code units of a string.
    Utf16,
    /// Elements of a list.
    Items,
    /// Members of an object or map.
    Properties,
}

impl From<Unit> for TextUnit {
    /// Elements and properties are nothing that texts have; they count as characters.
    fn from(unit: Unit) -> TextUnit {
        match unit {
            Unit::Bytes => TextUnit::Bytes,
            Unit::Utf16 => TextUnit::Utf16,
            Unit::Scalars | Unit::Items | Unit::Properties => TextUnit::Scalars,
        }
    }
}

impl Unit {
    /// All units, in declaration order.
    pub(crate) const ALL: [Unit; 5] =
        [Unit::Bytes, Unit::Scalars, Unit::Utf16, Unit::Items, Unit::Properties];

    /// The word for so many of the unit: `1 character`, `2 characters`.
    pub(crate) fn noun(self, count: &str) -> &'static str {
        let (one, many) = match self {
            Unit::Bytes => ("byte", "bytes"),
            Unit::Scalars => ("character", "characters"),
            Unit::Utf16 => ("UTF-16 unit", "UTF-16 units"),
            Unit::Items => ("element", "elements"),
            Unit::Properties => ("property", "properties"),
        };
        if count == "1" { one } else { many }
    }
}

/// Counts a value in a unit; `None` if the unit does not apply to it.
pub(crate) fn measure(unit: Unit, node: Node<'_>) -> Option<usize> {
    match (unit, node) {
        (Unit::Bytes, _) => bytes(&node).map(<[u8]>::len),
        (Unit::Scalars, Node::Text(text)) => Some(scalars(text)),
        (Unit::Scalars, Node::Bytes(bytes)) => {
            Some(bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum())
        }
        (Unit::Utf16, Node::Text(text)) => {
            Some(if text.is_ascii() { text.len() } else { text.encode_utf16().count() })
        }
        (Unit::Items, Node::List(count)) | (Unit::Properties, Node::Object(count)) => Some(count),
        _ => None,
    }
}

fn scalars(text: &str) -> usize {
    text.chars().count()
}

/// Reads an operand as a length, `2.0` as `2`. A negative one is below every length; what is not whole is none.
pub(crate) fn size(wanted: Node<'_>) -> Option<i128> {
    match wanted {
        Node::Int(value) => Some(i128::from(value)),
        Node::UInt(value) => Some(i128::from(value)),
        other => {
            let number = Number::from_node(&other).filter(Number::is_integer)?;
            let beyond = if number.as_f64() < 0.0 { i128::MIN } else { i128::MAX };
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            Some(whole.unwrap_or(beyond))
        }
    }
}

/// How many elements there may be: `3`, `at most 3`, `2 to 3`, `at least 2`.
pub(crate) fn count(least: usize, most: Option<usize>) -> String {
    match most {
        Some(most) if most == least => most.to_string(),
        Some(most) if least == 0 => format!("at most {most}"),
        Some(most) => format!("{least} to {most}"),
        None => format!("at least {least}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{max_length, min_length};
    use super::*;

    #[test]
    fn each_unit_counts_differently() {
        let text = Node::Text("é😀");
        assert_eq!(measure(Unit::Bytes, text), Some(6));
        assert_eq!(measure(Unit::Scalars, text), Some(2));
        assert_eq!(measure(Unit::Utf16, text), Some(3));
        assert_eq!(measure(Unit::Items, text), None);
    }

    #[test]
    fn a_size_is_a_whole_number_however_it_is_written() {
        let table = [
            (Node::Float(2.0), Some(2)),
            (Node::Float(2.5), None),
            (Node::Decimal("1e30"), Some(i128::MAX)),
            (Node::Decimal("-1e30"), Some(i128::MIN)),
            (Node::Float(f64::NAN), None),
            (Node::Float(f64::INFINITY), None),
            (Node::Text("2"), None),
        ];
        for (wanted, expected) in table {
            assert_eq!(size(wanted), expected, "{wanted:?}");
        }
    }

    #[test]
    fn edges_of_the_two_bounds() {
        // A length, an operand, and whether it is at least and at most that long.
        let table = [
            (2, Node::Int(2), true, true),
            (2, Node::Float(2.0), true, true),
            (3, Node::Float(2.0), true, false),
            (0, Node::Int(-1), true, false),
            (usize::MAX, Node::Decimal("1e30"), false, true),
            (2, Node::Float(2.5), false, false),
            (3, Node::Float(2.5), false, false),
            (3, Node::Text("3"), false, false),
            (3, Node::Null, false, false),
            (0, Node::UInt(u64::MAX), false, true),
            (usize::MAX, Node::UInt(u64::MAX), true, true),
        ];
        for (length, wanted, least, most) in table {
            let holds = (min_length::holds(length, wanted), max_length::holds(length, wanted));
            assert_eq!(holds, (least, most), "{length} {wanted:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_count_one_each() {
        assert_eq!(measure(Unit::Scalars, Node::Bytes(&[0xff, 0xff, b'a', 0xc3, 0xa9])), Some(4));
    }
}
