//! The tags of the core schema, and what they demand.

use granit_parser::Span;

use super::scalar::{self, Scalar};
use super::{ByteRange, YamlReader};
use crate::error::{ReadErrorKind, UnlocatedReadError, shorten};
use crate::number::Number;

/// A tag of the core schema.
pub(super) struct CoreTag {
    name: &'static str,
    written: String,
    place: ByteRange,
}

/// The tags of the core schema; `!` alone says that nothing is to be resolved.
const NAMES: [&str; 7] = ["str", "int", "float", "bool", "null", "seq", "map"];

impl YamlReader<'_> {
    /// The core tag of a node, if it has a tag.
    pub(super) fn core_tag(
        &self,
        tag: Option<&granit_parser::Tag>,
        span: &Span,
    ) -> Result<Option<CoreTag>, UnlocatedReadError> {
        let Some(tag) = tag else { return Ok(None) };
        let place = span.tag_span().as_ref().map_or_else(|| span.into(), ByteRange::from);
        let written = shorten(self.text.get(place.start..place.end).unwrap_or_default());
        if written == "!" {
            return Ok(Some(CoreTag { name: "", written, place }));
        }
        match NAMES.into_iter().find(|name| tag.core_suffix() == Some(name)) {
            Some(name) => Ok(Some(CoreTag { name, written, place })),
            None => Err(place
                .fault(ReadErrorKind::UnsupportedTag { tag: written })
                .hint("remove the tag; of tags, `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!seq` and `!!map` are known")),
        }
    }
}

impl CoreTag {
    /// Refuses a tag other than the one that a collection may have.
    pub(super) fn expect(self, name: &str, found: &'static str) -> Result<(), UnlocatedReadError> {
        if self.name == name || self.name.is_empty() { Ok(()) } else { Err(self.mismatch(found)) }
    }

    /// Resolves a scalar as the tag demands.
    pub(super) fn resolve<'a>(&self, content: &'a str) -> Result<Scalar<'a>, UnlocatedReadError> {
        if matches!(self.name, "str" | "") {
            return Ok(Scalar::Text);
        }
        match (self.name, scalar::resolve(content)) {
            ("int", Scalar::Number(number, literal))
                if !matches!(number, Number::Float(_)) && !literal.contains(['.', 'e', 'E']) =>
            {
                Ok(Scalar::Number(number, literal))
            }
            ("float", Scalar::Number(number, literal)) => Ok(Scalar::Number(as_float(number), literal)),
            ("float", scalar @ Scalar::NoNumber(_))
            | ("null", scalar @ Scalar::Null)
            | ("bool", scalar @ Scalar::Bool(_))
            | ("int", scalar @ Scalar::TooLong) => Ok(scalar),
            _ => Err(self.mismatch("scalar")),
        }
    }

    fn mismatch(&self, found: &'static str) -> UnlocatedReadError {
        self.place
            .fault(ReadErrorKind::TagMismatch { tag: self.written.clone(), found })
            .hint("remove the tag, or write a value of its kind")
    }
}

/// An integer that a double holds as that double, a longer one as its literal.
fn as_float(number: Number) -> Number {
    const EXACT: u64 = 1 << 53;
    match number {
        Number::Int(number) if number.unsigned_abs() <= EXACT => Number::Float(number as f64),
        Number::Int(_) | Number::UInt(_) => Number::WholeDecimal,
        Number::Float(_) | Number::Decimal | Number::WholeDecimal => number,
    }
}
