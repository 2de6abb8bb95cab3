//! What the quick walk runs: each gate boiled down to what decides between yes and no.
//!
//! Checks have the numbers of their gates. A gate that is too rich for a check of its own is walked as it is
//! ([`GateCheck::Gate`]); everything else is one variant here, chosen so that the common shapes need one jump and
//! one look at the value.

use std::sync::Arc;

use crate::branch::Branch;
use crate::format::Format;
use crate::gate_id::{GateId, Rest};
use crate::members::ConstantSet;
use crate::names::NameTable;
use crate::pattern::Pattern;
use crate::range::Range;
use crate::rules::{Unit, measure};
use value::Node;
use value::number::Number;
use value::{Kinds, ValueKind};

/// A gate when only yes or no is asked.
#[derive(Clone, Debug)]
pub(crate) enum GateCheck {
    /// Passes every value without a look at it.
    Any,
    Bool,
    Text,
    /// A whole number of any size.
    Int,
    /// A whole number of 64 bits that is written as one.
    WrittenInt,
    Number,
    /// One of several kinds.
    Kinds(Kinds),
    /// Text with so many Unicode scalar values.
    Length {
        least: u32,
        most: u32,
    },
    /// A number in a range.
    Range(Box<Range>),
    /// A whole number in a range.
    IntRange(Box<Range>),
    /// One of several constants, all of them texts.
    Texts(Arc<ConstantSet>),
    /// One of several constants.
    Among(Arc<ConstantSet>),
    /// Text in which a pattern matches.
    Pattern(Pattern),
    /// Text of a format.
    Format(fn(&str) -> bool),
    /// A scalar with several tests.
    Tests(Box<(Kinds, Box<[Fast]>)>),
    List(Box<ListCheck>),
    Object(Box<ObjectCheck>),
    /// One of several checks, chosen by the kind or by a member of the value.
    Switch(Box<Switch>),
    /// All of several checks on the same value.
    All(Box<[GateId]>),
    /// The same for a part of a value, which is one level down already.
    Each(Box<[GateId]>),
    /// A check with further checks on the same value.
    Also(Box<Also>),
    /// Null, or what the inner check lets pass.
    OrNull(Box<GateCheck>),
    /// The gate of the same number, as it is.
    Gate,
}

impl GateCheck {
    /// Whether the check may look at parts of a value.
    #[inline]
    pub(crate) fn has_parts(&self) -> bool {
        matches!(
            self,
            GateCheck::List(_)
                | GateCheck::Object(_)
                | GateCheck::Switch(_)
                | GateCheck::All(_)
                | GateCheck::Each(_)
                | GateCheck::Also(_)
                | GateCheck::OrNull(_)
                | GateCheck::Gate
        )
    }
}

/// What a value is asked for besides a check of its own.
#[derive(Clone, Debug)]
pub(crate) struct Also {
    pub(crate) own: GateCheck,
    /// The checks that must not hold.
    pub(crate) none: Box<[GateId]>,
    /// The tests that compare the value, or parts of it, with further shapes.
    pub(crate) shapes: Box<[Fast]>,
    /// The checks that must all hold.
    pub(crate) all: Box<[GateId]>,
    pub(crate) switch: Option<Box<Switch>>,
}

/// A list with what is asked of it besides its elements.
#[derive(Clone, Debug)]
pub(crate) struct ListCheck {
    pub(crate) least: usize,
    pub(crate) most: usize,
    pub(crate) unique: bool,
    pub(crate) prefix: Box<[GateId]>,
    pub(crate) rest: Rest,
}

/// An object with nothing but known properties, rules about names, and one for the other members.
#[derive(Clone, Debug)]
pub(crate) struct ObjectCheck {
    pub(crate) names: Arc<NameTable>,
    /// For each name its check and its bit among the required ones, zero if it is not required.
    pub(crate) properties: Box<[(u64, GateId)]>,
    /// Checks by a pattern on the name, for names that are not known: known ones have been matched already.
    pub(crate) patterns: Box<[(Pattern, GateId)]>,
    /// Checks that every name must pass.
    pub(crate) keys: Box<[GateId]>,
    /// For the names that neither are known nor match.
    pub(crate) rest: Rest,
    /// The bits of all required properties.
    pub(crate) required: u64,
    pub(crate) least: usize,
    pub(crate) most: usize,
}

impl ObjectCheck {
    /// How many properties can be required.
    pub(crate) const REQUIRED: usize = 64;

    /// A check of properties, each with whether it is required, in the order of the names.
    pub(crate) fn new(
        names: Arc<NameTable>,
        properties: impl IntoIterator<Item = (bool, GateId)>,
        rest: Rest,
        least: usize,
        most: usize,
    ) -> ObjectCheck {
        let mut required = 0u64;
        let properties = properties.into_iter().map(|(is_required, id)| {
            // The lowest bit that is not taken yet.
            let bit = if is_required { !required & required.wrapping_add(1) } else { 0 };
            required |= bit;
            (bit, id)
        });
        let properties = properties.collect();
        let (patterns, keys) = Default::default();
        ObjectCheck { names, properties, patterns, keys, rest, required, least, most }
    }

    /// Whether members that are not known can break nothing.
    #[inline]
    pub(crate) fn ignores_others(&self) -> bool {
        self.rest == Rest::Open && !self.reads_names()
    }

    /// Whether names are not only looked up.
    #[inline]
    pub(crate) fn reads_names(&self) -> bool {
        !self.patterns.is_empty() || !self.keys.is_empty()
    }
}

/// Which checks a value of a union must pass, by its kind and then by a property.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    /// The way for each kind, in the order of [`ValueKind::ALL`].
    pub(crate) ways: [UnionDispatch; 8],
    /// The checks of all ways with several.
    pub(crate) several: Box<[GateId]>,
    /// Whether exactly one check must hold, not any.
    pub(crate) one: bool,
    /// What decides between several checks on objects.
    pub(crate) tag: Option<Box<Tag>>,
}

/// How a union goes on for one kind of value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UnionDispatch {
    /// Nothing of the kind passes.
    Closed,
    /// One check decides, and no other is tried.
    Check(GateId),
    /// Several may: those from a position to another.
    Several(u32, u32),
    /// A property tells which.
    Tagged,
}

/// A property whose text, or whose presence, tells alternatives apart.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub(crate) name: Box<str>,
    pub(crate) values: NameTable,
    /// The checks for each value; with those that do not look at the property.
    pub(crate) checks: Box<[Box<[GateId]>]>,
    /// The checks for every other value: those that do not look at it.
    pub(crate) others: Box<[GateId]>,
    /// The checks for objects without the property: those that do not require it.
    pub(crate) missing: Box<[GateId]>,
}

/// A rule, or several in one, when only yes or no is asked.
#[derive(Clone, Debug)]
pub(crate) enum Fast {
    Range(Box<Range>),
    Length {
        unit: Unit,
        least: usize,
        most: usize,
    },
    /// One of several constants.
    Among(Arc<ConstantSet>),
    Pattern(Pattern),
    Format(Format),
    /// A multiple of a whole number.
    Multiple(i64),
    /// No two elements are equal.
    Unique,
    /// A check that must not hold.
    Not(GateId),
    /// One of two checks, as a test decides.
    Branch(Box<Branch>),
    /// A check that so many elements pass.
    Contains {
        gate: GateId,
        least: usize,
        most: Option<usize>,
    },
    /// The rule of that position, evaluated as it is.
    Rule(u32),
}

impl Fast {
    /// Whether the test holds for a value by its node; `None` if it needs more than the node.
    #[inline]
    pub(crate) fn holds(&self, node: Node<'_>) -> Option<bool> {
        Some(match self {
            Fast::Range(range) => range.holds(node),
            Fast::Length { unit, least, most } => measure_within(*unit, node, *least, *most).unwrap_or(true),
            Fast::Pattern(pattern) => match node {
                Node::Text(text) => pattern.is_match(text.as_bytes()),
                Node::Bytes(bytes) => pattern.is_match(bytes),
                _ => true,
            },
            Fast::Format(format) => format.holds(&node),
            Fast::Multiple(divisor) => match node {
                Node::Int(value) => value.checked_rem(*divisor) == Some(0),
                Node::UInt(_) | Node::Float(_) | Node::Decimal(_) => Number::from_node(&node)
                    .is_some_and(|number| Number::is_multiple_of(&number, &Number::Int(*divisor))),
                _ => true,
            },
            Fast::Among(_)
            | Fast::Unique
            | Fast::Not(_)
            | Fast::Branch(_)
            | Fast::Contains { .. }
            | Fast::Rule(_) => return None,
        })
    }

    /// Whether the test meets gates, so that no check of its own can hold it; what must not hold aside.
    pub(crate) fn has_shape(&self) -> bool {
        matches!(self, Fast::Branch(_) | Fast::Contains { .. })
    }
}

/// Whether a text of so many bytes has a number of Unicode scalar values within bounds, if that tells: a scalar
/// value takes one to four bytes.
#[inline]
pub(crate) fn decided_by_bytes(bytes: usize, least: usize, most: usize) -> Option<bool> {
    if bytes <= most && bytes >= least && (least <= 1 || bytes.div_ceil(4) >= least) {
        return Some(true);
    }
    (bytes < least || bytes.div_ceil(4) > most).then_some(false)
}

/// The number of Unicode scalar values in text.
#[cold]
pub(crate) fn scalars(text: &[u8]) -> usize {
    // All bytes but those that continue a scalar value.
    text.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Whether a length is within bounds; `None` if the unit does not apply.
#[inline]
fn measure_within(unit: Unit, node: Node<'_>, least: usize, most: usize) -> Option<bool> {
    match (unit, node) {
        (Unit::Scalars, Node::Text(text)) => Some(
            decided_by_bytes(text.len(), least, most)
                .unwrap_or_else(|| (least..=most).contains(&scalars(text.as_bytes()))),
        ),
        (Unit::Items, Node::List(count)) | (Unit::Properties, Node::Object(count)) => {
            Some(least <= count && count <= most)
        }
        (Unit::Items | Unit::Properties, _) => None,
        _ => measure(unit, node).map(|length| least <= length && length <= most),
    }
}

/// Whether a number that was not written as a whole one is whole all the same.
#[cold]
pub(crate) fn is_whole(node: Node<'_>) -> bool {
    match node {
        Node::Decimal(text) => Number::is_whole_literal(text),
        _ => Number::from_node(&node).is_some_and(|number| number.is_integer()),
    }
}

/// Whether a node is of one of the kinds; a whole number counts as an integer however it is written.
#[inline]
pub(crate) fn is_among(kinds: Kinds, node: Node<'_>) -> bool {
    let kind = node.kind();
    kinds.contains(kind) || (kind == ValueKind::Float && kinds.contains(ValueKind::Int) && is_whole(node))
}
