//! How types relate: what can be assigned to what, what is one value only, and what may be null.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::model::{Lambda, Object, Origin, Ty, TyKind, TypeRef};
use super::{PropertyFlags, Scopes, TypeFlags, union};

/// How deep the members of types are looked into; what lies deeper counts as what is asked for.
const MAX_DEPTH: usize = 64;

/// Tells whether a value of one type can stand where another is asked for. Members of objects and lists are not
/// compared: that is done where the value is written, so that messages can point at it.
#[must_use]
pub(crate) fn assignable(source: &Ty, target: &Ty) -> bool {
    if source.flags().contains(TypeFlags::PREVENT) || target.flags().contains(TypeFlags::PREVENT) {
        return false;
    }
    if source.is_any() || target.is_any() {
        return true;
    }
    match (source.kind(), target.kind()) {
        (TyKind::Lambda(source), TyKind::Lambda(target)) => return lambdas(source, target),
        _ if source.is_scope() && target.is_scope() => return true,
        (_, TyKind::Union(_)) if is_dependency(target) => return is_reference(source),
        (TyKind::Resource(source), TyKind::ParentOf(child)) => {
            let parent = child.name.rsplit_once('/').map_or("", |(parent, _)| parent);
            return source.reference.is(parent);
        }
        (TyKind::Resource(source), TyKind::ResourceParameter(target)) => {
            return source.reference.is(&target.name);
        }
        (TyKind::Resource(resource), _) => return assignable(&resource.body, target),
        (TyKind::Module(_, body) | TyKind::Test(body), _) => return assignable(body, target),
        _ => {}
    }
    let loose = source.flags().contains(TypeFlags::LOOSE);
    match (source.kind(), target.kind()) {
        (TyKind::StrLit(a), TyKind::StrLit(b)) => a == b,
        (TyKind::IntLit(a), TyKind::IntLit(b)) => a == b,
        (TyKind::BoolLit(a), TyKind::BoolLit(b)) => a == b,
        (TyKind::Str(_), TyKind::StrLit(_))
        | (TyKind::Int(_), TyKind::IntLit(_))
        | (TyKind::Bool, TyKind::BoolLit(_)) => loose,
        (TyKind::StrLit(_) | TyKind::Str(_), TyKind::Str(_))
        | (TyKind::IntLit(_) | TyKind::Int(_), TyKind::Int(_))
        | (TyKind::BoolLit(_) | TyKind::Bool, TyKind::Bool)
        | (TyKind::Null, TyKind::Null)
        | (TyKind::Array(_) | TyKind::Tuple(_), TyKind::Array(_) | TyKind::Tuple(_))
        | (TyKind::Object(_) | TyKind::Discriminated(_), TyKind::Object(_) | TyKind::Discriminated(_)) => {
            true
        }
        (TyKind::Union(members), _) => members.iter().all(|member| assignable(&member.get(), target)),
        (_, TyKind::Union(members)) => {
            match target.member_index().and_then(|index| index.candidates(source)) {
                Some(places) => places
                    .into_iter()
                    .filter_map(|place| members.get(place))
                    .any(|member| assignable(source, &member.get())),
                None => members.iter().any(|member| assignable(source, &member.get())),
            }
        }
        _ => false,
    }
}

/// The members of a union that a value of a type could be: all of them, where nothing quicker than trying is known.
pub(crate) fn candidates<'t>(union: &Ty, members: &'t [TypeRef], source: &Ty) -> Cow<'t, [TypeRef]> {
    match union.member_index().and_then(|index| index.candidates(source)) {
        Some(places) => places.into_iter().filter_map(|place| members.get(place).cloned()).collect(),
        None => Cow::Borrowed(members),
    }
}

/// Tells whether a type is what `dependsOn` asks for.
fn is_dependency(target: &Ty) -> bool {
    target.is_same(&super::azure::dependency())
}

/// Tells whether a value refers to a resource or module, or to a collection of them.
fn is_reference(source: &Ty) -> bool {
    source.is_scope() || source.as_list().is_some_and(|(item, _)| item.is_scope())
}

fn lambdas(source: &Lambda, target: &Lambda) -> bool {
    if source.max() < target.required.len() || source.required.len() > target.max() {
        return false;
    }
    if !assignable(&source.result.get(), &target.result.get()) {
        return false;
    }
    (0..source.max().min(target.max())).all(|position| {
        match (source.argument(position), target.argument(position)) {
            (Some(source), Some(target)) => assignable(&source, &target),
            _ => true,
        }
    })
}

/// A union without `null`; nothing for types that cannot be null.
#[must_use]
pub(crate) fn without_null(ty: &Ty) -> Option<Ty> {
    let TyKind::Union(members) = ty.kind() else { return None };
    ty.derived(|| {
        let rest: Vec<TypeRef> = members.iter().filter(|member| !member.get().is_null()).cloned().collect();
        (rest.len() < members.len()).then(|| union(rest))
    })
}

/// The type without `null`, if a value of it could then stand where another is asked for.
#[must_use]
pub(crate) fn assignable_unless_null(source: &Ty, target: &Ty) -> Option<Ty> {
    without_null(source).filter(|source| assignable(source, target))
}

/// Tells whether there is only one value of the type.
#[must_use]
pub(crate) fn is_literal(ty: &Ty) -> bool {
    literal(ty, &mut FxHashMap::default(), 0)
}

/// `known` has the answers for types with parts, by where they are: no until all parts were looked at, so that a type
/// that contains itself is none.
fn literal(ty: &Ty, known: &mut FxHashMap<usize, bool>, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match ty.kind() {
        TyKind::StrLit(_) | TyKind::IntLit(_) | TyKind::BoolLit(_) | TyKind::Null => true,
        TyKind::Tuple(items) => all_literal(ty, items.iter(), known, depth),
        TyKind::Object(object) => {
            object.additional.as_ref().is_none_or(|it| it.flags.contains(PropertyFlags::FALLBACK))
                && object.properties.values().all(|property| property.flags.contains(PropertyFlags::REQUIRED))
                && all_literal(ty, object.properties.values().map(|property| &property.ty), known, depth)
        }
        _ => false,
    }
}

fn all_literal<'t>(
    ty: &Ty,
    mut parts: impl Iterator<Item = &'t TypeRef>,
    known: &mut FxHashMap<usize, bool>,
    depth: usize,
) -> bool {
    if let Some(known) = known.get(&ty.address()) {
        return *known;
    }
    known.insert(ty.address(), false);
    let all = parts.all(|part| literal(&part.get(), known, depth + 1));
    known.insert(ty.address(), all);
    all
}

/// Tells whether a mismatch with the type is a warning only.
#[must_use]
pub(crate) fn warns(target: &Ty) -> bool {
    flagged(target, TypeFlags::WARN)
}

/// Tells whether a mismatch in the properties of the type is a warning only.
#[must_use]
pub(crate) fn warns_for_properties(target: &Ty) -> bool {
    flagged(target, TypeFlags::WARN_PROPERTY)
}

fn flagged(target: &Ty, flag: TypeFlags) -> bool {
    match target.kind() {
        TyKind::Union(members) => members.iter().any(|member| flagged(&member.get(), flag)),
        _ => target.flags().contains(flag),
    }
}

/// The template language's type that values of a type have, where it is one.
#[must_use]
pub(crate) fn primitive(ty: &Ty) -> Option<Ty> {
    match ty.kind() {
        TyKind::Bool | TyKind::BoolLit(_) => Some(Ty::bool()),
        TyKind::Int(_) | TyKind::IntLit(_) => Some(Ty::int()),
        TyKind::Str(_) | TyKind::StrLit(_) => Some(Ty::string()),
        TyKind::Object(_) | TyKind::Discriminated(_) => Some(Ty::object()),
        TyKind::Array(_) | TyKind::Tuple(_) => Some(Ty::array()),
        TyKind::Union(members) => {
            if let Some(rest) = without_null(ty) {
                return primitive(&rest);
            }
            let mut kinds = members.iter().map(|member| primitive(&member.get()));
            let first = kinds.next()??;
            kinds.all(|kind| kind.is_some_and(|kind| kind.is_same(&first))).then_some(first)
        }
        _ => None,
    }
}

/// Tells whether a value of the type is or holds a secret.
#[must_use]
pub(crate) fn holds_secret(ty: &Ty) -> bool {
    secret(ty, &mut VisitedTypes::default(), 0)
}

/// Types that were looked into; what is in them was not it, or is being looked for.
#[derive(Default)]
struct VisitedTypes {
    /// Types by where they are, kept so that nothing else comes to be there.
    types: FxHashMap<usize, Ty>,
    origins: FxHashSet<Origin>,
}

fn secret(ty: &Ty, seen: &mut VisitedTypes, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    if ty.flags().contains(TypeFlags::SECURE) {
        return true;
    }
    let parts: Box<dyn Iterator<Item = &TypeRef>> = match ty.kind() {
        TyKind::Union(parts) | TyKind::Tuple(parts) => Box::new(parts.iter()),
        TyKind::Object(object) => {
            Box::new(object.properties.values().chain(&object.additional).map(|property| &property.ty))
        }
        TyKind::Array(array) => Box::new(std::iter::once(&array.item)),
        _ => return false,
    };
    if let TyKind::Object(Object { origin: Some(origin), .. }) = ty.kind()
        && !seen.origins.insert(*origin)
    {
        return false;
    }
    if seen.types.insert(ty.address(), ty.clone()).is_some() {
        return false;
    }
    let mut parts = parts;
    parts.any(|part| secret(&part.get(), seen, depth + 1))
}

/// The scope that a value of the type is, for calls such as `subscription()`.
#[must_use]
pub(crate) fn scope_of(ty: &Ty) -> Option<(Scopes, &[syntax::NodeId])> {
    match ty.kind() {
        TyKind::Object(object) => match &object.role {
            super::model::Role::Scope(scope, arguments) => Some((*scope, arguments)),
            _ => None,
        },
        _ => None,
    }
}
