//! Finding a value among the members of a union that lists very many.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::TypeFlags;
use super::model::{Ty, TyKind, TypeRef};

/// The members of a union that are one value, by that value, and the others.
#[derive(Debug)]
pub(crate) struct MemberIndex {
    texts: FxHashMap<SmolStr, usize>,
    numbers: FxHashMap<i64, usize>,
    /// Members that are no text and no number, or that take more than themselves.
    others: Vec<usize>,
    /// Whether every member is one text or one number, or null.
    pub(super) is_listed: bool,
    /// The union, folded, where all of its members are values.
    pub(super) folded: OnceLock<Option<Ty>>,
}

impl MemberIndex {
    /// Unions of up to so many members are looked through.
    pub(super) const FEW: usize = 16;

    /// An index; none where a member is filled in later, or read when it is asked for.
    pub(super) fn new(members: &[TypeRef]) -> Option<MemberIndex> {
        if members.iter().any(|member| !matches!(member, TypeRef::Now(_))) {
            return None;
        }
        let mut index = MemberIndex {
            texts: FxHashMap::default(),
            numbers: FxHashMap::default(),
            others: Vec::new(),
            is_listed: true,
            folded: OnceLock::new(),
        };
        for (place, member) in members.iter().enumerate() {
            let member = member.get();
            let plain = !member.flags().contains(TypeFlags::PREVENT);
            // The same value can be there twice, with other flags; what is there first is found first.
            let is_new = match member.kind() {
                TyKind::StrLit(text) if plain => index.texts.insert(text.clone(), place).is_none(),
                TyKind::IntLit(number) if plain => index.numbers.insert(*number, place).is_none(),
                _ => false,
            };
            if !is_new {
                index.is_listed &= member.is_null();
                index.others.push(place);
            }
        }
        Some(index)
    }

    /// The places of the members that a value of a type could be, in order; none where any could.
    pub(crate) fn candidates(&self, ty: &Ty) -> Option<Vec<usize>> {
        let own = match ty.kind() {
            TyKind::StrLit(text) => self.texts.get(text),
            TyKind::IntLit(number) => self.numbers.get(number),
            _ => return None,
        };
        let mut places: Vec<usize> = self.others.iter().chain(own).copied().collect();
        places.sort_unstable();
        Some(places)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{assignable, union_of};
    use super::*;

    #[test]
    fn an_index_says_what_looking_at_each_member_says() {
        let texts = (0..40).map(|number| Ty::string_literal(format!("x{number}")));
        let numbers = (0..40).map(Ty::int_literal);
        let listed = union_of(texts.clone().chain(numbers).chain([Ty::null()]));
        let open = union_of(texts.clone().chain([Ty::int(), Ty::bool_literal(true), Ty::array()]));
        let secure = union_of(texts.chain([Ty::secure_string()]));
        let asked = [
            Ty::string_literal("x7"),
            Ty::string_literal("y"),
            Ty::int_literal(3),
            Ty::int_literal(99),
            Ty::bool_literal(true),
            Ty::bool_literal(false),
            Ty::null(),
            Ty::string(),
            Ty::secure_string(),
            Ty::int(),
            Ty::array(),
            Ty::any(),
            union_of([Ty::string_literal("x1"), Ty::int_literal(2)]),
            union_of([Ty::string_literal("x1"), Ty::string_literal("z")]),
        ];
        for target in [&listed, &open, &secure] {
            let TyKind::Union(members) = target.kind() else { panic!("{target} is a union") };
            assert!(target.member_index().is_some());
            for source in &asked {
                let each = source.is_any()
                    || match source.kind() {
                        TyKind::Union(parts) => parts
                            .iter()
                            .all(|part| members.iter().any(|member| assignable(&part.get(), &member.get()))),
                        _ => members.iter().any(|member| assignable(source, &member.get())),
                    };
                assert_eq!(assignable(source, target), each, "{source} to {target}");
            }
        }
    }
}
