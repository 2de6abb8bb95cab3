//! Many constants, looked up by hash: what a long `enum` costs a value does not grow with its length.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use crate::compare::{deep_equal, deep_hash};
use crate::constant::Constant;
use crate::kind::Kinds;
use crate::program::Value;
use crate::view::View;

/// Up to so many constants are compared one by one.
const FEW: usize = 8;

/// How deep constants are compared; contracts do not hold deeper ones.
const DEPTH: u32 = 128;

/// Constants by their hash.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    keyed: RandomState,
    constants: HashMap<u64, Vec<Constant>>,
    /// Whether some of them have parts; if not, what has parts is none of them.
    containers: bool,
}

impl Members {
    /// Indexes the operands of a rule, if they are constants and worth it.
    pub(crate) fn of(operands: &[Value]) -> Option<Members> {
        if operands.len() <= FEW {
            return None;
        }
        let mut members = Members { keyed: RandomState::new(), constants: HashMap::new(), containers: false };
        for operand in operands {
            let Value::Constant(constant) = operand else { return None };
            members.containers |= is_container(constant);
            let same = members.constants.entry(members.hash(constant)).or_default();
            if !same.contains(constant) {
                same.push(constant.clone());
            }
        }
        Some(members)
    }

    /// Whether a value equals one of the constants.
    pub(crate) fn contains<'v, V: View<'v>>(&self, value: V) -> bool {
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
        let constants = (0..20).map(Constant::Int).chain([Constant::List(vec![1.into()]), "a".into()]);
        let operands: Vec<Value> = constants.map(Value::Constant).collect();
        let members = Members::of(&operands).unwrap();
        let bytes = Constant::Bytes(b"a"[..].into());
        for found in [&Constant::Float(7.0), &Constant::List(vec![Constant::Float(1.0)]), &bytes] {
            assert!(members.contains(found), "{found}");
        }
        for other in [&Constant::Float(7.5), &Constant::List(vec![]), &Constant::Null, &"7".into()] {
            assert!(!members.contains(other), "{other}");
        }
    }

    #[test]
    fn few_constants_and_unknown_ones_are_not_indexed() {
        let few = [Value::Constant(1.into())];
        assert!(Members::of(&few).is_none());
    }
}
