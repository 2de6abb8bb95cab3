//! What tells types apart while values are compared with them: a key that two types share when they are one type.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::types::{Object, Origin, Range, Ty, TyKind, TypeFlags, TypeRef};

/// How deep lists and unions are looked into.
const MAX_DEPTH: usize = 4;
/// The most members of a union that are looked at.
const MAX_MEMBERS: usize = 64;

/// What is the same for one type, and different for two.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum TypeKey {
    /// The same place in memory.
    At(usize),
    /// The same place of type data.
    Read(TypeFlags, Origin),
    Array(TypeFlags, Range, Box<TypeKey>),
    Union(Vec<TypeKey>),
    Discriminated(TypeFlags, SmolStr, Vec<TypeKey>),
}

/// Makes keys, and keeps the types that they stand for, so that no other type comes to be at the same place.
#[derive(Debug, Default)]
pub(super) struct Keys {
    kept: FxHashMap<usize, Ty>,
}

impl Keys {
    pub(super) fn of(&mut self, ty: &Ty) -> TypeKey {
        self.key(ty, 0)
    }

    fn key(&mut self, ty: &Ty, depth: usize) -> TypeKey {
        let mut parts = |parts: &mut dyn Iterator<Item = &TypeRef>| {
            parts.map(|part| self.key(&part.get(), depth + 1)).collect::<Vec<_>>()
        };
        match ty.kind() {
            TyKind::Object(Object { origin: Some(origin), .. }) => TypeKey::Read(ty.flags(), *origin),
            TyKind::Array(array) if depth < MAX_DEPTH => {
                let item = self.key(&array.item.get(), depth + 1);
                TypeKey::Array(ty.flags(), array.length, Box::new(item))
            }
            TyKind::Union(members) if depth < MAX_DEPTH && members.len() <= MAX_MEMBERS => {
                TypeKey::Union(parts(&mut members.iter()))
            }
            TyKind::Discriminated(object) if depth < MAX_DEPTH && object.members.len() <= MAX_MEMBERS => {
                let members = parts(&mut object.members.iter().map(|(_, member)| member));
                TypeKey::Discriminated(ty.flags(), object.key.clone(), members)
            }
            _ => {
                self.kept.entry(ty.address()).or_insert_with(|| ty.clone());
                TypeKey::At(ty.address())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::nullable;

    #[test]
    fn types_made_of_the_same_parts_are_one() {
        let mut keys = Keys::default();
        let list = Ty::tuple(vec![Ty::string().into()]);
        assert_eq!(keys.of(&nullable(&list)), keys.of(&nullable(&list)));
        let other = Ty::tuple(vec![Ty::string().into()]);
        assert_ne!(keys.of(&list), keys.of(&other));
        assert_ne!(keys.of(&nullable(&list)), keys.of(&list));
    }

    #[test]
    fn types_that_are_gone_are_not_taken_for_others() {
        let mut keys = Keys::default();
        let mut seen = rustc_hash::FxHashSet::default();
        for _ in 0..1_000 {
            assert!(seen.insert(keys.of(&Ty::tuple(vec![Ty::int().into()]))));
        }
    }
}
