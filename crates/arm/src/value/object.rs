//! Objects: members in order, found by name without regard to case.

use std::collections::HashMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::fold::equal_ignoring_case;
use super::names::{self, NameIndex};
use super::{Extent, OBJECT, Value};

/// With more members than this, names are looked up in an index instead of one after the other.
const INDEXED: usize = 12;

/// The members of an object, in order.
#[derive(Default)]
pub struct Object {
    members: Vec<(SmolStr, Value)>,
    /// What only large objects and odd ones have.
    extra: Option<Box<Extra>>,
    extent: Extent,
}

#[derive(Default)]
struct Extra {
    /// The members by name; empty while there are few.
    index: NameIndex,
    /// Exact name to position of the members whose name an earlier one has by another case.
    variants: HashMap<SmolStr, usize>,
}

impl Object {
    /// The number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Tells whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (SmolStr, Value)> {
        self.members.iter()
    }

    /// The value of the member with a name: spelled just so if there is one, else by whatever case.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.position(name).and_then(|at| self.members.get(at)).map(|(_, value)| value)
    }

    pub(super) fn extent(&self) -> Extent {
        self.extent
    }

    fn position(&self, name: &str) -> Option<usize> {
        let Some(extra) = &self.extra else { return self.scan(name) };
        if let Some(at) = extra.variants.get(name) {
            return Some(*at);
        }
        if extra.index.is_empty() {
            return self.scan(name);
        }
        let is_it = |at: usize| self.members.get(at).is_some_and(|(key, _)| equal_ignoring_case(key, name));
        extra.index.find(names::hash(name), is_it)
    }

    fn scan(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|(key, _)| equal_ignoring_case(key, name))
    }
}

/// Puts an object together, member by member.
#[derive(Default)]
pub struct ObjectBuilder(Object);

impl ObjectBuilder {
    /// The value of a member that is already there.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Adds a member, or gives the one with that name, by whatever case, a new value in its place.
    pub fn set(&mut self, name: SmolStr, value: Value) {
        let object = &mut self.0;
        match object.position(&name) {
            Some(at) => {
                if let Some((_, old)) = object.members.get_mut(at) {
                    *old = value;
                }
            }
            None => {
                if object.members.len() >= INDEXED {
                    let extra = object.extra.get_or_insert_default();
                    if extra.index.is_empty() {
                        for (at, (key, _)) in object.members.iter().enumerate() {
                            // The first of those that differ by case only.
                            if extra.variants.get(key).is_none_or(|variant| *variant != at) {
                                extra.index.add(names::hash(key), at);
                            }
                        }
                    }
                    extra.index.add(names::hash(&name), object.members.len());
                }
                object.members.push((name, value));
            }
        }
    }

    /// Adds a member; one whose name differs by case may stand beside it, one of the same name gets the new value.
    /// Tells whether the name is new.
    pub fn insert(&mut self, name: SmolStr, value: Value) -> bool {
        let object = &mut self.0;
        let there = object.position(&name).and_then(|at| object.members.get(at));
        let is_new = there.is_none_or(|(key, _)| *key != name);
        if is_new && there.is_some() {
            object.extra.get_or_insert_default().variants.insert(name.clone(), object.members.len());
            object.members.push((name, value));
        } else {
            self.set(name, value);
        }
        is_new
    }

    /// The object with the members that were set, in the order in which they were first set.
    pub fn finish(self) -> Value {
        let mut object = self.0;
        let names = object.members.iter().map(|(name, _)| Extent::of_text(name));
        object.extent =
            Extent::around(OBJECT, object.members.iter().map(|(_, value)| value.extent()).chain(names));
        object.extent.twins |= object.extra.as_ref().is_some_and(|extra| !extra.variants.is_empty());
        object.extent.nulls |= object.members.iter().any(|(_, value)| value.is_null());
        Value::Object(Arc::new(object))
    }
}

impl<'o> IntoIterator for &'o Object {
    type Item = &'o (SmolStr, Value);
    type IntoIter = std::slice::Iter<'o, (SmolStr, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_any_case_in_small_and_large_objects() {
        for size in [3, 11, 12, 13, 200] {
            let value = Value::object((0..size).map(|n| (format!("Key{n}"), Value::Int(n))));
            let object = value.as_object().unwrap();
            for n in 0..size {
                assert_eq!(object.get(&format!("kEY{n}")), Some(&Value::Int(n)), "{size}");
            }
            assert_eq!(object.get("other"), None);
        }
    }

    #[test]
    fn the_last_value_of_a_name_wins_at_the_place_of_the_first() {
        let value = Value::object([("a", Value::Int(1)), ("b", Value::Int(2)), ("A", Value::Int(3))]);
        assert_eq!(value.to_json(), r#"{"a":3,"b":2}"#);
    }

    #[test]
    fn names_that_differ_by_case_are_told_apart_when_both_are_there() {
        for others in [0, 20] {
            let mut builder = ObjectBuilder::default();
            for (name, value) in [("x", 1), ("X", 2), ("x", 3)] {
                builder.insert(name.into(), Value::Int(value));
            }
            for n in 0..others {
                builder.insert(format!("n{n}").into(), Value::Null);
            }
            let value = builder.finish();
            let object = value.as_object().unwrap();
            assert_eq!((object.get("x"), object.get("X")), (Some(&Value::Int(3)), Some(&Value::Int(2))));
            assert_eq!(value, value.clone());
        }
    }
}
