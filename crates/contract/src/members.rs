//! Constants that a value may be one of, sorted by how they are found: what a long `enum` costs a value does not
//! grow with its length.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use crate::compare::{deep_equal, deep_hash, equal};
use crate::names::NameTable;
use value::Constant;
use value::Kinds;
use value::number::Number;
use value::{Node, View};

/// How deep constants are compared; contracts do not hold deeper ones.
const DEPTH: u32 = 128;

/// A set of constants.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstantSet {
    texts: NameTable,
    /// Whole numbers of 64 bits.
    ints: Ints,
    /// Numbers that are no whole numbers of 64 bits.
    numbers: Numbers,
    null: bool,
    no: bool,
    yes: bool,
    /// Constants of other kinds, which are compared one by one.
    others: Option<Box<Others>>,
}

impl ConstantSet {
    /// Sorts constants by kind, so that one look-up finds a value.
    pub(crate) fn new<'c>(constants: impl Iterator<Item = &'c Constant> + Clone) -> ConstantSet {
        let mut members = ConstantSet::default();
        let (mut ints, mut numbers, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for constant in constants.clone() {
            match constant {
                Constant::Null => members.null = true,
                Constant::Bool(false) => members.no = true,
                Constant::Bool(true) => members.yes = true,
                Constant::Text(_) => {}
                other => {
                    match Number::from_node(&View::node(other)).map(|number| (number, number.as_i64())) {
                        Some((_, Some(whole))) => ints.push(whole),
                        Some((number, None)) => numbers.push(number),
                        None => others.push(other),
                    }
                }
            }
        }
        members.numbers = Numbers::new(numbers);
        members.ints = Ints::new(ints);
        members.others = (!others.is_empty()).then(|| Box::new(Others::new(&others)));
        members.texts = NameTable::new(constants.filter_map(|constant| match constant {
            Constant::Text(text) => Some(&**text),
            _ => None,
        }));
        members
    }

    /// The texts, if there is nothing else.
    pub(crate) fn only_texts(&self) -> Option<&NameTable> {
        let others = self.null || self.no || self.yes || !self.ints.is_empty() || !self.numbers.is_empty();
        let others = others || self.others.is_some();
        (!others).then_some(&self.texts)
    }

    /// Whether a text is one of the constants.
    #[inline]
    pub(crate) fn has_text(&self, text: &[u8]) -> bool {
        self.texts.get(text).is_some()
    }

    /// Whether a value equals one of the constants.
    #[inline]
    pub(crate) fn contains<'v, V: View<'v>>(&self, value: V) -> bool {
        match value.node() {
            Node::Null => self.null,
            Node::Bool(false) => self.no,
            Node::Bool(true) => self.yes,
            Node::Text(text) => self.has_text(text.as_bytes()),
            Node::Int(whole) => self.ints.contains(whole),
            node => self.contains_other(value, node),
        }
    }

    fn contains_other<'v, V: View<'v>>(&self, value: V, node: Node<'v>) -> bool {
        let found = match node {
            // Bytes equal the text that they are.
            Node::Bytes(bytes) => self.has_text(bytes),
            Node::UInt(_) | Node::Float(_) | Node::Decimal(_) => {
                return self.contains_number(node, value.nearest());
            }
            _ => false,
        };
        found || self.others.as_ref().is_some_and(|others| others.contains(value))
    }

    fn contains_number(&self, node: Node<'_>, nearest: Option<f64>) -> bool {
        let Some(key) = Number::key(&node, nearest) else { return false };
        self.numbers.contains(node, key)
            || (!self.ints.is_empty()
                // Whole numbers have themselves for a key.
                && self.ints.contains(key as i64)
                && Number::from_node(&node).is_some_and(|number| number.as_i64() == Some(key as i64)))
    }
}

/// A set of numbers that are no 64-bit integers, by their keys.
#[derive(Clone, Debug, Default)]
struct Numbers(Box<[NumberMember]>);

#[derive(Clone, Debug)]
struct NumberMember {
    key: u64,
    /// The double that means the number, if there is one.
    double: Option<f64>,
    /// The number in full.
    literal: Box<str>,
}

impl Numbers {
    fn new(numbers: Vec<Number<'_>>) -> Numbers {
        let members = numbers.into_iter().filter_map(|number| {
            let near = number.as_f64();
            // A literal is no way to write an infinity, and what equals nothing is not a member.
            let literal = if number.is_finite() { number.to_string() } else { String::new() };
            let node = if number.is_finite() { Node::Decimal(&literal) } else { Node::Float(near) };
            let double = (number == Number::Float(near)).then_some(near);
            Some(NumberMember { key: Number::key(&node, None)?, double, literal: literal.into() })
        });
        let mut members: Vec<NumberMember> = members.collect();
        members.sort_by_key(|member| member.key);
        Numbers(members.into())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn contains(&self, node: Node<'_>, key: u64) -> bool {
        let first = self.0.partition_point(|member| member.key < key);
        let mut same = self.0.iter().skip(first).take_while(|member| member.key == key);
        match node {
            Node::Float(value) => same.any(|member| member.double == Some(value)),
            // Most are written alike, which is sooner seen than that they are equal.
            Node::Decimal(text) => {
                same.any(|member| *member.literal == *text || equal(node, Node::Decimal(&member.literal)))
            }
            _ => same.any(|member| equal(node, Node::Decimal(&member.literal))),
        }
    }
}

/// A set of integers.
#[derive(Clone, Debug, Default)]
struct Ints {
    /// The least, and a bit for each of those that follow closely.
    first: i64,
    bits: u64,
    /// Those too far from the least for a bit.
    far: IntTable,
}

impl Ints {
    fn new(mut ints: Vec<i64>) -> Ints {
        ints.sort_unstable();
        ints.dedup();
        let first = ints.first().copied().unwrap_or_default();
        let offset = |value: &i64| value.abs_diff(first);
        let near = ints.partition_point(|value| offset(value) < 64);
        let bits = ints.iter().take(near).fold(0, |bits, value| bits | 1 << offset(value));
        Ints { first, bits, far: IntTable::new(ints.into_iter().skip(near).collect()) }
    }

    fn is_empty(&self) -> bool {
        self.bits == 0
    }

    #[inline]
    fn contains(&self, value: i64) -> bool {
        match value.wrapping_sub(self.first) as u64 {
            offset @ 0..64 if value >= self.first => self.bits >> offset & 1 == 1,
            _ => self.far.contains(value),
        }
    }
}

/// Integers that are found by a hash; those of which too many would share a slot are searched for instead.
#[derive(Clone, Debug, Default)]
struct IntTable {
    sorted: Box<[i64]>,
    /// Slots of up to [`IntTable::WIDE`] integers each; empty slots repeat an integer of another one. None at all where
    /// a search is needed.
    slots: Box<[[i64; IntTable::WIDE]]>,
    shift: u32,
}

impl IntTable {
    /// How many integers a slot has room for.
    const WIDE: usize = 2;
    /// How many times larger a table may become until all have room.
    const LARGER: u32 = 3;

    fn new(sorted: Box<[i64]>) -> IntTable {
        let mut table = IntTable { sorted, ..IntTable::default() };
        if table.sorted.is_empty() {
            return table;
        }
        let least = (table.sorted.len() * 2).next_power_of_two().trailing_zeros();
        for bits in least..=least + IntTable::LARGER {
            if let Some(slots) = filled(&table.sorted, 64 - bits) {
                (table.slots, table.shift) = (slots, 64 - bits);
                break;
            }
        }
        table
    }

    #[inline]
    fn contains(&self, value: i64) -> bool {
        match self.slots.get(slot_of(value, self.shift)) {
            Some(slot) => slot.contains(&value),
            None => self.sorted.binary_search(&value).is_ok(),
        }
    }
}

#[inline]
fn slot_of(value: i64, shift: u32) -> usize {
    (value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).checked_shr(shift).unwrap_or_default() as usize
}

/// A table with room for all integers; none where one of its slots is too small.
fn filled(sorted: &[i64], shift: u32) -> Option<Box<[[i64; IntTable::WIDE]]>> {
    let any = *sorted.first()?;
    let mut slots = vec![[any; IntTable::WIDE]; 1 << (64 - shift)];
    for value in sorted.iter().skip(1) {
        let room = slots.get_mut(slot_of(*value, shift))?.iter_mut().find(|held| **held == any)?;
        *room = *value;
    }
    // The first one marks what is free, and so is found wherever there is room; its own slot must have some.
    slots.get(slot_of(any, shift))?.contains(&any).then(|| slots.into())
}

/// Constants by their hash.
#[derive(Clone, Debug)]
struct Others {
    keyed: RandomState,
    constants: HashMap<u64, Vec<Constant>>,
    /// Whether some of them have parts; if not, what has parts is none of them.
    containers: bool,
}

impl Others {
    fn new(constants: &[&Constant]) -> Others {
        let mut others = Others { keyed: RandomState::new(), constants: HashMap::new(), containers: false };
        for constant in constants {
            others.containers |= is_container(*constant);
            let same = others.constants.entry(others.hash(*constant)).or_default();
            if !same.contains(constant) {
                same.push((*constant).clone());
            }
        }
        others
    }

    fn contains<'v, V: View<'v>>(&self, value: V) -> bool {
        (self.containers || !is_container(value))
            && self
                .constants
                .get(&self.hash(value))
                .is_some_and(|same| same.iter().any(|constant| deep_equal(value, constant, DEPTH)))
    }

    fn hash<'v, V: View<'v>>(&self, value: V) -> u64 {
        let mut state = self.keyed.build_hasher();
        deep_hash(value, &mut state, &self.keyed, DEPTH);
        state.finish()
    }
}

fn is_container<'v, V: View<'v>>(value: V) -> bool {
    !Kinds::SCALARS.contains(value.node().kind())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_by_value_whatever_their_spelling() {
        let constants: Vec<Constant> = (0..20)
            .map(Constant::Int)
            .chain([Constant::List(vec![1.into()]), "a".into(), Constant::Float(0.5), true.into()])
            .collect();
        let members = ConstantSet::new(constants.iter());
        let bytes = Constant::Bytes(b"a"[..].into());
        let half = Constant::Decimal("0.50".into());
        for found in [&Constant::Float(7.0), &Constant::List(vec![Constant::Float(1.0)]), &bytes, &half] {
            assert!(members.contains(found), "{found}");
        }
        for other in
            [&Constant::Float(7.5), &Constant::List(vec![]), &Constant::Null, &"7".into(), &false.into()]
        {
            assert!(!members.contains(other), "{other}");
        }
    }

    #[test]
    fn integers_are_found_near_and_far() {
        let ints = [i64::MIN, i64::MIN + 63, i64::MIN + 64, -1, 0, 5, i64::MAX];
        let set = Ints::new(ints.to_vec());
        for found in ints {
            assert!(set.contains(found), "{found}");
        }
        for other in [i64::MIN + 1, i64::MIN + 62, 1, -2, i64::MAX - 1] {
            assert!(!set.contains(other), "{other}");
        }
        assert!(!Ints::new(Vec::new()).contains(0));
        assert!(!Ints::new(vec![0, 1, 2]).contains(-1));
    }

    #[test]
    fn integers_are_found_in_tables_of_every_size() {
        let mut word = 7_u64;
        let mut next = || {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            word as i64
        };
        for count in [1, 2, 3, 5, 9, 34, 100, 900, 5_000] {
            let held: Vec<i64> = (0..count).map(|_| next()).collect();
            let set = Ints::new(held.clone());
            assert!(held.iter().all(|value| set.contains(*value)), "{count}");
            assert!((0..1_000).all(|_| !set.contains(next())), "{count}");
        }
        let powers: Vec<i64> = (0..63).map(|power| 1 << power).collect();
        let set = Ints::new(powers.clone());
        assert!(!set.far.slots.is_empty(), "powers of two have a table");
        assert!(powers.iter().all(|value| set.contains(*value) && !set.contains(value.wrapping_add(100))));
    }
}
