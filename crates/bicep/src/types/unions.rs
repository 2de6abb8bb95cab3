//! Unions: made in one canonical order, without repetition, and folded into fewer members where nothing is lost.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::spelling::is_identifier;

use super::model::{Discriminated, LengthBounds, Object, Property, Range, Role, Ty, TyKind, TypeRef};
use super::relate::{assignable, without_null};
use super::{PropertyFlags, TypeFlags};

/// How deep unions may be nested in each other before the rest is taken for `any`.
const MAX_DEPTH: usize = 64;

/// The union of types.
pub(crate) fn union(members: impl IntoIterator<Item = TypeRef>) -> Ty {
    let mut flat: Vec<Ty> = Vec::new();
    let mut seen: FxHashSet<Identity> = FxHashSet::default();
    let mut any_array = false;
    let mut open: Vec<(Ty, usize)> = Vec::new();
    for member in members {
        open.push((member.get(), 0));
        while let Some((ty, depth)) = open.pop() {
            if let TyKind::Union(inner) = ty.kind() {
                if depth > MAX_DEPTH {
                    return Ty::any();
                }
                open.extend(inner.iter().rev().map(|inner| (inner.get(), depth + 1)));
                continue;
            }
            if ty.is_any() {
                return Ty::any();
            }
            if any_array && ty.is_list() {
                continue;
            }
            if is_plain_array(&ty) {
                any_array = true;
                flat.retain(|member| !member.is_list());
            }
            if seen.insert(identity(&ty)) {
                flat.push(ty);
            }
        }
    }
    match flat.len() {
        0 => Ty::never(),
        1 => flat.pop().unwrap_or_else(Ty::never),
        _ => {
            flat.sort_by(compare);
            Ty::new(TyKind::Union(flat.into_iter().map(TypeRef::Now).collect()))
        }
    }
}

/// The union of types that are at hand.
pub(crate) fn union_of(members: impl IntoIterator<Item = Ty>) -> Ty {
    union(members.into_iter().map(TypeRef::Now))
}

/// The type or `null`.
#[must_use]
pub(crate) fn nullable(ty: &Ty) -> Ty {
    union_of([ty.clone(), Ty::null()])
}

fn is_plain_array(ty: &Ty) -> bool {
    let TyKind::Array(array) = ty.kind() else { return false };
    ty.flags() == TypeFlags::empty() && array.length == Range::default() && array.item.get().is_any()
}

/// What equal types share and others do not.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Named(SmolStr, TypeFlags),
    Int(Range, TypeFlags),
    Str(LengthBounds, TypeFlags),
    Array(SmolStr, Range, TypeFlags, Box<Identity>),
    Tuple(TypeFlags, Vec<Identity>),
    /// Types that are only equal to themselves.
    At(usize),
}

/// How many parts of a type its identity has; what is behind them is only equal to itself.
const IDENTITY_PARTS: usize = 4_096;

fn identity(ty: &Ty) -> Identity {
    part_identity(ty, &mut IDENTITY_PARTS.clone(), 0)
}

/// The identity of a type that is named by another one. One that is filled in later may contain the other.
fn named_identity(ty: &TypeRef, left: &mut usize, depth: usize) -> Identity {
    match ty {
        TypeRef::Later(later) => Identity::At(Arc::as_ptr(later).addr()),
        TypeRef::Now(_) | TypeRef::Loaded(_) => part_identity(&ty.get(), left, depth + 1),
    }
}

fn part_identity(ty: &Ty, left: &mut usize, depth: usize) -> Identity {
    if *left == 0 || depth > MAX_DEPTH {
        return Identity::At(ty.address());
    }
    *left -= 1;
    let flags = ty.flags();
    match ty.kind() {
        TyKind::Any | TyKind::Null => Identity::Named(ty.name().clone(), TypeFlags::empty()),
        TyKind::Bool | TyKind::BoolLit(_) | TyKind::IntLit(_) | TyKind::StrLit(_) => {
            Identity::Named(ty.name().clone(), flags)
        }
        TyKind::Int(range) => Identity::Int(*range, flags),
        TyKind::Str(text) => Identity::Str(text.clone(), flags),
        TyKind::Array(array) => {
            let item = Box::new(named_identity(&array.item, left, depth));
            Identity::Array(ty.name().clone(), array.length, flags, item)
        }
        TyKind::Tuple(items) => {
            Identity::Tuple(flags, items.iter().map(|item| named_identity(item, left, depth)).collect())
        }
        _ => Identity::At(ty.address()),
    }
}

/// The canonical order of the members of a union.
fn compare(a: &Ty, b: &Ty) -> Ordering {
    let bound = |a: Option<i64>, b: Option<i64>| match (a, b) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    };
    let ranges = |a: Range, b: Range| bound(a.min, b.min).then_with(|| bound(a.max, b.max));
    match (a.kind(), b.kind()) {
        (TyKind::Int(a), TyKind::Int(b)) => ranges(*a, *b),
        (TyKind::Str(a), TyKind::Str(b)) => ranges(a.length, b.length),
        _ if a.name() == b.name() => match (a.list_length(), b.list_length()) {
            (Some(a), Some(b)) => ranges(a, b),
            _ => Ordering::Equal,
        },
        _ => a.name().cmp(b.name()),
    }
}

/// The union of types, folded where possible.
pub(crate) fn collapsed_union(members: impl IntoIterator<Item = Ty>) -> Ty {
    let made = union_of(members);
    collapse(&made).unwrap_or(made)
}

/// Folds a union into fewer members, where its members are of one sort.
#[must_use]
pub(crate) fn collapse(ty: &Ty) -> Option<Ty> {
    collapse_with(ty, &Arc::default())
}

fn collapse_with(ty: &Ty, merges: &Arc<Merges>) -> Option<Ty> {
    match ty.kind() {
        TyKind::Any => None,
        TyKind::Union(members) if members.is_empty() => None,
        TyKind::Union(members) => match ty.member_index().filter(|index| index.is_listed) {
            Some(index) => index.folded.get_or_init(|| collapse_members(members, merges)).clone(),
            None => collapse_members(members, merges),
        },
        _ => Some(ty.clone()),
    }
}

fn collapse_members(members: &[TypeRef], merges: &Arc<Merges>) -> Option<Ty> {
    let mut null = false;
    let mut rest: Vec<Ty> = Vec::new();
    for member in members {
        let member = member.get();
        if member.is_null() {
            null = true;
        } else {
            rest.push(member);
        }
    }
    let finish = |types: Vec<Ty>| union_of(types.into_iter().chain(null.then(Ty::null)));
    let all = |test: fn(&TyKind) -> bool| rest.iter().all(|member| test(member.kind()));
    if rest.is_empty() {
        return Some(Ty::never());
    }
    if all(|kind| matches!(kind, TyKind::Str(_) | TyKind::StrLit(_))) {
        return Some(finish(strings(&rest)));
    }
    if all(|kind| matches!(kind, TyKind::Int(_) | TyKind::IntLit(_))) {
        return Some(finish(integers(&rest)));
    }
    if all(|kind| matches!(kind, TyKind::Bool | TyKind::BoolLit(_))) {
        return Some(finish(vec![booleans(&rest)]));
    }
    if all(|kind| matches!(kind, TyKind::Array(_) | TyKind::Tuple(_))) {
        return Some(finish(lists(&rest)));
    }
    let plain = |member: &Ty| match member.kind() {
        TyKind::Object(object) => matches!(object.role, Role::Plain),
        TyKind::Discriminated(_) => true,
        _ => false,
    };
    rest.iter().all(plain).then(|| objects(&rest, null, merges))
}

/// Ranges, of which those that touch become one.
#[derive(Default)]
struct Spans(Vec<(i64, i64, TypeFlags)>);

impl Spans {
    fn push(&mut self, min: i64, max: i64, flags: TypeFlags) {
        self.0.push((min, max, flags));
    }

    /// Makes one of those that touch.
    fn merged(mut self) -> Spans {
        self.0.sort_by_key(|(min, ..)| *min);
        let mut merged: Vec<(i64, i64, TypeFlags)> = Vec::new();
        for (min, max, flags) in self.0 {
            match merged.last_mut() {
                Some((_, last, others)) if min <= last.saturating_add(1) => {
                    *last = max.max(*last);
                    *others = flags.union(*others);
                }
                _ => merged.push((min, max, flags)),
            }
        }
        Spans(merged)
    }

    /// The bounds as they are written in types, where what is as wide as possible is left out.
    fn ranges(&self, least: i64) -> impl Iterator<Item = (Range, TypeFlags)> {
        self.0.iter().map(move |(min, max, flags)| {
            let range = Range {
                min: Some(*min).filter(|min| *min > least),
                max: Some(*max).filter(|max| *max < i64::MAX),
            };
            (range, *flags)
        })
    }
}

fn strings(members: &[Ty]) -> Vec<Ty> {
    let mut spans = Spans::default();
    let mut pattern: Option<SmolStr> = None;
    for (place, member) in members.iter().filter(|member| matches!(member.kind(), TyKind::Str(_))).enumerate()
    {
        let TyKind::Str(text) = member.kind() else { continue };
        pattern = if place == 0 { text.pattern.clone() } else { None };
        spans.push(text.length.min.unwrap_or(0), text.length.max.unwrap_or(i64::MAX), member.flags());
    }
    let spans = spans.merged();
    let covered = |value: &str| {
        let length = text_length(value);
        pattern.is_none() && spans.0.iter().any(|(min, max, _)| (*min..=*max).contains(&length))
    };
    let literals =
        members.iter().filter(|member| member.as_string_literal().is_some_and(|value| !covered(value)));
    let wide = spans.ranges(0).map(|(range, flags)| Ty::string_within(range, pattern.clone(), flags));
    literals.cloned().chain(wide).collect()
}

fn integers(members: &[Ty]) -> Vec<Ty> {
    let mut spans = Spans::default();
    for member in members {
        match member.kind() {
            TyKind::Int(range) => {
                spans.push(range.min.unwrap_or(i64::MIN), range.max.unwrap_or(i64::MAX), member.flags());
            }
            TyKind::IntLit(value) => spans.push(*value, *value, member.flags()),
            _ => {}
        }
    }
    let spans = spans.merged();
    let single = |(min, max, flags): &(i64, i64, TypeFlags)| {
        let range = Range {
            min: Some(*min).filter(|min| *min > i64::MIN),
            max: Some(*max).filter(|max| *max < i64::MAX),
        };
        if min == max { Ty::flagged(TyKind::IntLit(*min), *flags) } else { Ty::int_within(range, *flags) }
    };
    spans.0.iter().map(single).collect()
}

fn booleans(members: &[Ty]) -> Ty {
    let flags = members.iter().fold(TypeFlags::empty(), |flags, member| flags.union(member.flags()));
    let has = |value: bool| {
        members.iter().any(|member| match member.kind() {
            TyKind::BoolLit(found) => *found == value,
            _ => true,
        })
    };
    match (has(true), has(false)) {
        (true, false) => Ty::flagged(TyKind::BoolLit(true), flags),
        (false, true) => Ty::flagged(TyKind::BoolLit(false), flags),
        _ => Ty::flagged(TyKind::Bool, flags),
    }
}

fn lists(members: &[Ty]) -> Vec<Ty> {
    let mut places: FxHashMap<Identity, usize> = FxHashMap::default();
    let mut by_item: Vec<(Ty, Spans)> = Vec::new();
    let mut tuples: Vec<&Ty> = Vec::new();
    for member in members {
        let Some((item, length)) = member.as_list() else { continue };
        let uniform = match member.kind() {
            TyKind::Tuple(items) => !items.is_empty() && !matches!(item.kind(), TyKind::Union(_)),
            _ => true,
        };
        if uniform {
            let place = *places.entry(identity(&item)).or_insert(by_item.len());
            if place == by_item.len() {
                by_item.push((item, Spans::default()));
            }
            if let Some((_, spans)) = by_item.get_mut(place) {
                spans.push(length.min.unwrap_or(0), length.max.unwrap_or(i64::MAX), member.flags());
            }
        } else {
            tuples.push(member);
        }
    }
    let by_item: Vec<(Ty, Spans)> = by_item.into_iter().map(|(item, spans)| (item, spans.merged())).collect();
    let covered = |tuple: &Ty| {
        let Some((item, length)) = tuple.as_list() else { return false };
        let count = length.min.unwrap_or(0);
        by_item.iter().any(|(wide, spans)| {
            spans.0.iter().any(|(min, max, _)| (*min..=*max).contains(&count)) && assignable(&item, wide)
        })
    };
    let kept: Vec<Ty> = tuples.into_iter().filter(|tuple| !covered(tuple)).cloned().collect();
    let wide = by_item.iter().flat_map(|(item, spans)| {
        spans.ranges(0).map(|(range, flags)| Ty::array_within(item.clone(), range, flags))
    });
    kept.into_iter().chain(wide).collect()
}

/// The objects of a union, those of discriminated members included.
fn flat_objects(members: &[Ty]) -> Vec<Ty> {
    let mut found: Vec<Ty> = Vec::new();
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut add = |ty: Ty| {
        // What was found is kept, so that nothing else comes to be where it is.
        if seen.insert(ty.address()) {
            found.push(ty);
        }
    };
    for member in members {
        match member.kind() {
            TyKind::Discriminated(object) => object.members.iter().for_each(|(_, member)| add(member.get())),
            _ => add(member.clone()),
        }
    }
    found
}

/// The properties that could tell objects apart: required, one text each, and all different.
fn discriminators(members: &[Ty]) -> Vec<SmolStr> {
    let value = |ty: &Ty, name: &str| {
        let property = ty.as_object()?.properties.get(name)?;
        let ty = property.ty.get();
        let value = ty.as_string_literal()?.to_lowercase();
        property.flags.contains(PropertyFlags::REQUIRED).then_some(value)
    };
    let Some(first) = members.first().and_then(Ty::as_object) else { return Vec::new() };
    let candidates = first.properties.keys().filter(|name| {
        let mut seen = FxHashSet::default();
        members.iter().all(|member| value(member, name).is_some_and(|value| seen.insert(value)))
    });
    candidates.cloned().collect()
}

/// A discriminated object of these members.
pub(crate) fn discriminated(key: &SmolStr, members: &[Ty], flags: TypeFlags) -> Ty {
    let mut names: Vec<&SmolStr> = members.iter().map(Ty::name).collect();
    names.sort();
    let name = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" | ");
    let keyed = members.iter().filter_map(|member| {
        let value = member.as_object()?.properties.get(key)?.ty.get();
        Some((value.as_string_literal()?.clone(), TypeRef::Now(member.clone())))
    });
    let object = Discriminated::new(name.into(), key.clone(), keyed.collect());
    Ty::flagged(TyKind::Discriminated(object), flags)
}

fn objects(members: &[Ty], null: bool, merges: &Arc<Merges>) -> Ty {
    let flags = members.iter().fold(TypeFlags::empty(), |flags, member| flags.union(member.flags()));
    let members = flat_objects(members);
    let finish = |ty: Ty| if null { nullable(&ty) } else { ty };
    if let [single] = members.as_slice() {
        return finish(single.clone());
    }
    let mut keys = discriminators(&members);
    keys.sort_by_key(|key| match key.as_str() {
        "type" => 0,
        "kind" => 1,
        _ => 2,
    });
    if let Some(key) = keys.first() {
        return finish(discriminated(key, &members, flags));
    }
    // What the objects have in common is one object; it does not say whether the value may be null.
    merges.merged(members, flags)
}

/// Objects that were merged. Types can contain themselves: merging two of them comes back to merging the same two.
#[derive(Debug, Default)]
struct Merges(Mutex<FxHashMap<MergeKey, Merge>>);

/// Where the members of a merged object are, and its flags.
type MergeKey = (Vec<usize>, TypeFlags);
/// The members, and what they became.
type Merge = (Vec<Ty>, Ty);

impl Merges {
    /// How many objects are merged in all; what is beyond is `any`.
    const MOST: usize = 4_096;

    /// The one object that stands for several.
    fn merged(self: &Arc<Self>, members: Vec<Ty>, flags: TypeFlags) -> Ty {
        let key = (members.iter().map(Ty::address).collect(), flags);
        {
            let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, made)) = known.get(&key) {
                return made.clone();
            }
            if known.len() >= Merges::MOST {
                return Ty::any();
            }
        }
        let made = merged(&members, flags, self);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The members are kept, so that no other types come to be where they are.
        known.entry(key).or_insert((members, made)).1.clone()
    }

    /// The type of a property of merged objects; where it takes merging again, when it is asked for.
    fn property(self: &Arc<Self>, types: Vec<Ty>) -> TypeRef {
        let whole = union_of(types);
        let merges_objects = match whole.kind() {
            TyKind::Union(members) => {
                members.iter().filter(|member| matches!(member.get().kind(), TyKind::Object(_))).count() > 1
            }
            _ => false,
        };
        let fold = |whole: &Ty, merges: &Arc<Merges>| collapse_with(whole, merges).unwrap_or(whole.clone());
        if !merges_objects {
            return fold(&whole, self).into();
        }
        let merges = Arc::clone(self);
        TypeRef::loaded_as(whole.name().clone(), move || fold(&whole, &merges))
    }
}

fn merged(members: &[Ty], flags: TypeFlags, merges: &Arc<Merges>) -> Ty {
    let parts: Vec<&Object> = members.iter().filter_map(Ty::as_object).collect();
    let mut names: Vec<&SmolStr> = parts.iter().flat_map(|part| part.properties.keys()).collect();
    names.sort();
    names.dedup();
    let mut properties = BTreeMap::new();
    for name in names {
        let mut types = Vec::new();
        let mut property_flags = PropertyFlags::all();
        for part in &parts {
            match part.properties.get(name) {
                Some(property) => {
                    types.push(property.ty.get());
                    property_flags = property_flags.intersection(property.flags);
                }
                None => {
                    types.extend(part.additional.as_ref().map(|additional| additional.ty.get()));
                    let others = part.additional.as_ref().map_or(PropertyFlags::FALLBACK, |it| it.flags);
                    property_flags = property_flags.difference(PropertyFlags::REQUIRED).intersection(others);
                }
            }
        }
        properties.insert(name.clone(), Property::new(merges.property(types), property_flags));
    }
    let additional = merged_additional(&parts, merges);
    let name = object_name(
        properties.iter().map(|(name, property)| (name.as_str(), property.ty.name())),
        additional.as_ref().filter(|it| !it.flags.contains(PropertyFlags::FALLBACK)).map(|it| it.ty.name()),
    );
    Ty::flagged(TyKind::Object(Object { name, properties, additional, ..Object::default() }), flags)
}

fn merged_additional(parts: &[&Object], merges: &Arc<Merges>) -> Option<Property> {
    let given: Vec<&Property> = parts.iter().filter_map(|part| part.additional.as_ref()).collect();
    if given.is_empty() {
        return None;
    }
    if given.len() == parts.len() && given.iter().all(|it| !it.flags.contains(PropertyFlags::FALLBACK)) {
        return Some(Property::new(Ty::any(), PropertyFlags::FALLBACK));
    }
    let mut flags =
        given.iter().fold(PropertyFlags::all(), |flags, property| flags.intersection(property.flags));
    if given.len() < parts.len() {
        flags = flags.union(PropertyFlags::FALLBACK);
    }
    Some(Property::new(merges.property(given.iter().map(|property| property.ty.get()).collect()), flags))
}

/// The name of an object type, made of its properties.
pub(crate) fn object_name<'n>(
    properties: impl Iterator<Item = (&'n str, SmolStr)>,
    additional: Option<SmolStr>,
) -> SmolStr {
    const LONGEST: usize = 4096;
    let mut text = String::from("{");
    let mut add = |name: &str, value: &str| {
        if text.len() > LONGEST {
            return;
        }
        text.push_str(if text.len() > 1 { ", " } else { " " });
        text.push_str(name);
        text.push_str(": ");
        text.push_str(value);
    };
    for (name, value) in properties {
        if is_identifier(name) { add(name, &value) } else { add(&super::names::quoted(name), &value) }
    }
    if let Some(additional) = additional {
        add("*", &additional);
    }
    text.push_str(" }");
    text.into()
}

/// The length of a text as it is counted in types: UTF-16 units.
#[must_use]
pub(crate) fn text_length(text: &str) -> i64 {
    if text.is_ascii() {
        return i64::try_from(text.len()).unwrap_or(i64::MAX);
    }
    i64::try_from(text.encode_utf16().count()).unwrap_or(i64::MAX)
}

/// The type without `null`, of a union that has it.
#[must_use]
pub(crate) fn non_null(ty: &Ty) -> Ty {
    without_null(ty).unwrap_or_else(|| ty.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_touch_become_one_in_whatever_order_they_come() {
        let merged = |spans: &[(i64, i64)]| {
            let mut found = Spans::default();
            spans.iter().for_each(|(min, max)| found.push(*min, *max, TypeFlags::empty()));
            found.merged().0.into_iter().map(|(min, max, _)| (min, max)).collect::<Vec<_>>()
        };
        assert_eq!(merged(&[(5, 6), (1, 2), (3, 4), (9, 9)]), [(1, 6), (9, 9)]);
        assert_eq!(merged(&[(1, 10), (2, 3), (11, 12)]), [(1, 12)]);
        assert_eq!(merged(&[(i64::MIN, -5), (i64::MAX, i64::MAX), (-4, i64::MAX)]), [(i64::MIN, i64::MAX)]);
        assert_eq!(merged(&[]), []);
    }
}
