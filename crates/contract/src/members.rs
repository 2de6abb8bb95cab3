//! Constants that a value may be one of, sorted by how they are found: what a long `enum` costs a value does not
//! grow with its length.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use crate::compare::{deep_equal, deep_hash};
use crate::constant::Constant;
use crate::kind::Kinds;
use crate::names::Names;
use crate::number::Number;
use crate::view::{Node, View};

/// How deep constants are compared; contracts do not hold deeper ones.
const DEPTH: u32 = 128;

/// A set of constants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    texts: Names,
    /// Whole numbers of 64 bits.
    ints: Ints,
    null: bool,
    no: bool,
    yes: bool,
    /// Everything else.
    others: Option<Box<Others>>,
}

impl Members {
    /// Sorts constants.
    pub(crate) fn new<'c>(constants: impl Iterator<Item = &'c Constant> + Clone) -> Members {
        let mut members = Members::default();
        let (mut ints, mut others) = (Vec::new(), Vec::new());
        for constant in constants.clone() {
            match constant {
                Constant::Null => members.null = true,
                Constant::Bool(false) => members.no = true,
                Constant::Bool(true) => members.yes = true,
                Constant::Text(_) => {}
                other => match Number::from_node(&View::node(other)).and_then(|number| number.as_i64()) {
                    Some(whole) => ints.push(whole),
                    None => others.push(other),
                },
            }
        }
        members.ints = Ints::new(ints);
        members.others = (!others.is_empty()).then(|| Box::new(Others::new(&others)));
        members.texts = Names::new(constants.filter_map(|constant| match constant {
            Constant::Text(text) => Some(&**text),
            _ => None,
        }));
        members
    }

    /// The texts, if there is nothing else.
    pub(crate) fn only_texts(&self) -> Option<&Names> {
        let others = self.null || self.no || self.yes || !self.ints.is_empty() || self.others.is_some();
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
            _ => Number::from_node(&node)
                .and_then(|number| number.as_i64())
                .is_some_and(|whole| self.ints.contains(whole)),
        };
        found || self.others.as_ref().is_some_and(|others| others.contains(value))
    }
}

/// A set of integers.
#[derive(Clone, Debug, Default)]
struct Ints {
    /// The least, and a bit for each of those that follow closely.
    first: i64,
    bits: u64,
    /// The others, sorted.
    far: Box<[i64]>,
}

impl Ints {
    fn new(mut ints: Vec<i64>) -> Ints {
        ints.sort_unstable();
        let first = ints.first().copied().unwrap_or_default();
        let offset = |value: &i64| value.abs_diff(first);
        let near = ints.partition_point(|value| offset(value) < 64);
        let bits = ints.iter().take(near).fold(0, |bits, value| bits | 1 << offset(value));
        Ints { first, bits, far: ints.into_iter().skip(near).collect() }
    }

    fn is_empty(&self) -> bool {
        self.bits == 0
    }

    #[inline]
    fn contains(&self, value: i64) -> bool {
        match value.wrapping_sub(self.first) as u64 {
            offset @ 0..64 if value >= self.first => self.bits >> offset & 1 == 1,
            _ => !self.far.is_empty() && self.far.binary_search(&value).is_ok(),
        }
    }
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
        let members = Members::new(constants.iter());
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
}
