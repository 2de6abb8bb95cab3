//! The types of `a.b`, `a[b]` and `a::b`.

use smol_str::SmolStr;
use syntax::Span;
use syntax::ast::{ArrayAccess, AstNode as _, Expr, PropertyAccess, ResourceAccess};

use super::expressions::Errors;
use super::{Checker, nodes};
use crate::codes;
use crate::decorators::Refines;
use crate::finding::Finding;
use crate::symbols::{SymbolId, SymbolKind};
use crate::types::{
    Ambient, BuiltIn, Discriminated, Object, PropertyFlags, Role, Ty, TyKind, TypeRef, assignable, collapse,
    collapsed_union, nullable, union, union_of, warns_for_properties, without_null,
};

/// What a member of an object is looked up for.
#[derive(Clone, Copy)]
struct Lookup<'n> {
    name: &'n str,
    at: Span,
    safe: bool,
    warn: bool,
}

impl<'m> Checker<'m> {
    /// The type of a chain of accesses.
    pub(super) fn accessed(&mut self, expr: Expr<'m>) -> Ty {
        let mut chain = vec![expr];
        let mut start = expr;
        // What stands in front of `.?` is a chain of its own: it does not know what comes after it.
        while let Some(base) = nodes::base(start) {
            let ends_here = nodes::is_safe(start);
            start = base;
            if ends_here || nodes::base(base).is_none() {
                break;
            }
            chain.push(base);
        }
        let mut ty = self.ty(start);
        let mut may_be_null = false;
        let mut previous: Option<Expr<'m>> = None;
        let mut previous_symbol: Option<SymbolId> = None;
        for access in chain.into_iter().rev() {
            let Some(base) = nodes::base(access) else { continue };
            let (bare, asserted) = nodes::unasserted(base);
            let mut symbol = if asserted { None } else { self.model.symbol_in(bare) };
            let safe = nodes::is_safe(access);
            if safe || previous.is_some_and(nodes::is_safe) {
                if ty.is_null() {
                    return ty;
                }
                if let Some(rest) = without_null(&ty) {
                    may_be_null = true;
                    ty = rest;
                } else if safe
                    && (symbol.is_some_and(|symbol| self.may_be_missing(symbol))
                        || (matches!(previous, Some(Expr::ArrayAccess(_)))
                            && previous_symbol.is_some_and(|symbol| self.may_be_missing(symbol))))
                {
                    may_be_null = true;
                    symbol = None;
                }
            }
            let usable = |checker: &Self, symbol: SymbolId, collection: bool| {
                let known = checker.model.symbol(symbol);
                let body = match known.kind {
                    SymbolKind::Resource => checker.model.resource_of(symbol).map(|it| it.body),
                    SymbolKind::Module => checker.model.module_of(symbol).map(|it| it.body),
                    _ => None,
                };
                let outside =
                    checker.model.cycle(symbol).is_none() && !checker.is_inside(expr.node(), known.node);
                outside && body.is_some_and(|body| body.is_collection() == collection)
            };
            let guarded = previous_symbol
                .filter(|symbol| usable(self, *symbol, true))
                .or_else(|| symbol.filter(|symbol| usable(self, *symbol, false)));
            ty = match access {
                Expr::ArrayAccess(access) => {
                    let index = self.ty(access.index());
                    self.item(access, ty, guarded, &index)
                }
                Expr::PropertyAccess(access) => self.member(access, ty, guarded),
                _ => ty,
            };
            previous = Some(access);
            previous_symbol = symbol;
        }
        if may_be_null { union_of([ty, Ty::null()]) } else { ty }
    }

    /// Tells whether a resource or module may not be deployed, or not exist.
    pub(super) fn may_be_missing(&mut self, symbol: SymbolId) -> bool {
        match self.model.symbol(symbol).kind {
            SymbolKind::Resource => self.is_enabled(symbol) != Some(true),
            SymbolKind::Module => match self.condition_of(symbol) {
                Some(condition) => !matches!(self.ty(condition).kind(), TyKind::BoolLit(true)),
                None => false,
            },
            _ => false,
        }
    }

    fn condition_of(&self, symbol: SymbolId) -> Option<Expr<'m>> {
        let model = self.model;
        match model.statement_of(symbol)? {
            syntax::ast::Statement::ResourceDeclaration(it) => nodes::condition(it.value()),
            syntax::ast::Statement::ModuleDeclaration(it) => nodes::condition(it.value()),
            _ => None,
        }
    }

    fn is_enabled(&mut self, symbol: SymbolId) -> Option<bool> {
        let resource = self.model.resource_of(symbol)?;
        if resource.is_existing && self.model.refined(self.model.node_of(symbol), Refines::Missing).is_some()
        {
            return None;
        }
        if let Some(condition) = self.condition_of(symbol) {
            match self.ty(condition).kind() {
                TyKind::BoolLit(false) => return Some(false),
                TyKind::Bool => return None,
                _ => {}
            }
        }
        match resource.parent.filter(|parent| parent.is_nested) {
            Some(parent) => self.is_enabled(self.model.resource(parent.resource).symbol),
            None => Some(true),
        }
    }

    fn item(&mut self, access: ArrayAccess<'m>, base: Ty, symbol: Option<SymbolId>, index: &Ty) -> Ty {
        if let Some(error) = Errors::of([&base, index]) {
            return error;
        }
        let base = base.body();
        let at = access.index().span();
        if let Some(rest) = without_null(index) {
            let made = self.item(access, base, symbol, &rest);
            if !made.is_error() {
                self.push(codes::NULL_ASSIGNMENT.at(at, &[&rest, index]));
            }
            return made;
        }
        if let Some(rest) = without_null(&base) {
            self.push(codes::MAY_BE_NULL.at(nodes::brackets(access), &[&base]));
            return self.item(access, rest, symbol, index);
        }
        if symbol.is_some_and(|symbol| self.may_be_missing(symbol)) {
            self.push(codes::MAY_BE_NULL.at(nodes::brackets(access), &[&nullable(&base)]));
            return self.item(access, base, None, index);
        }
        let safe = access.safe_access().is_some();
        let from_end = access.from_end();
        let is_text = assignable(index, &Ty::string());
        let is_int = assignable(index, &Ty::int());
        match base.kind() {
            TyKind::Any => {
                if index.is_any() {
                    return Ty::any();
                }
                if is_text && let Some(marker) = from_end {
                    return self.invalid(codes::FROM_END_INDEX.at(marker.span(), &[index]), safe);
                }
                if is_int || is_text {
                    return Ty::any();
                }
                self.invalid(codes::INDEX_KIND.at(at, &[index]), safe)
            }
            TyKind::Tuple(items) => match index.kind() {
                TyKind::IntLit(value) => item_at(&base, items, *value, at, from_end.is_some()),
                TyKind::Union(members)
                    if members.iter().all(|it| matches!(it.get().kind(), TyKind::IntLit(_))) =>
                {
                    let possible = members.iter().map(|member| match member.get().kind() {
                        TyKind::IntLit(value) => item_at(&base, items, *value, at, from_end.is_some()),
                        _ => Ty::any(),
                    });
                    let possible: Vec<Ty> = possible.collect();
                    Errors::of(&possible).unwrap_or_else(|| union_of(possible))
                }
                _ => self.array_item(&base, index, at, is_int, safe),
            },
            TyKind::Array(_) => self.array_item(&base, index, at, is_int, safe),
            TyKind::Object(_) | TyKind::Discriminated(_) if from_end.is_some() => {
                let at = from_end.map_or(at, |marker| marker.span());
                self.invalid(codes::FROM_END_BASE.at(at, &[&base]), safe)
            }
            TyKind::Object(object) => {
                if !index.is_any() && !is_text {
                    return self.invalid(codes::OBJECT_INDEX.at(at, &[index]), safe);
                }
                if let Some(name) = index.as_string_literal() {
                    let warn = safe || warns_for_properties(&base);
                    return self.object_member(&base, object, Lookup { name, at, safe, warn });
                }
                if object.properties.is_empty() && object.additional.is_none() {
                    return Ty::error(codes::NO_PROPERTIES.at(at, &[&base]));
                }
                Ty::any()
            }
            TyKind::Discriminated(_) if is_text => Ty::any(),
            TyKind::Discriminated(_) => self.invalid(codes::OBJECT_INDEX.at(at, &[index]), safe),
            TyKind::Union(members) if !members.is_empty() => {
                let items: Vec<Ty> =
                    members.iter().map(|member| self.item(access, member.get(), symbol, index)).collect();
                if items.iter().any(Ty::is_error) {
                    return Ty::error(codes::NOT_INDEXABLE.at(access.base().span(), &[&base]));
                }
                union_of(items)
            }
            _ => self.invalid(codes::NOT_INDEXABLE.at(access.base().span(), &[&base]), safe),
        }
    }

    fn array_item(&mut self, base: &Ty, index: &Ty, at: Span, is_int: bool, safe: bool) -> Ty {
        if let TyKind::IntLit(value) = index.kind()
            && *value < 0
        {
            return Ty::error(codes::NEGATIVE_INDEX.at(at, &[value]));
        }
        if is_int {
            return base.as_list().map_or_else(Ty::any, |(item, _)| item);
        }
        self.invalid(codes::ARRAY_INDEX.at(at, &[index]), safe)
    }

    /// An access that cannot be: with `?` a warning and null, without it an error.
    fn invalid(&mut self, finding: Finding, safe: bool) -> Ty {
        if safe {
            self.push(Finding { severity: crate::Severity::Warning, ..finding });
            return Ty::null();
        }
        Ty::error(finding)
    }

    fn member(&mut self, access: PropertyAccess<'m>, base: Ty, symbol: Option<SymbolId>) -> Ty {
        let base = base.body();
        if base.is_error() {
            return base;
        }
        let name = access.name();
        let dot = access.dot().map_or(name.span(), |token| token.span());
        let access_span = nodes::between(dot, name.span());
        if let Some(rest) = without_null(&base) {
            self.push(codes::MAY_BE_NULL.at(access_span, &[&base]));
            return self.member(access, rest, None);
        }
        if symbol.is_some_and(|symbol| !self.is_fixed(symbol, name.text()) && self.may_be_missing(symbol)) {
            self.push(codes::MAY_BE_NULL.at(access_span, &[&nullable(&base)]));
            return self.member(access, base, None);
        }
        if matches!(base.kind(), TyKind::Object(_)) && !name.is_valid() {
            return Ty::failed();
        }
        let safe = access.safe_access().is_some();
        let lookup =
            Lookup { name: name.text(), at: name.span(), safe, warn: safe || warns_for_properties(&base) };
        match base.kind() {
            TyKind::Object(object) => self.object_member(&base, object, lookup),
            TyKind::Union(members) if name.is_valid() && !members.is_empty() => {
                self.union_member(&base, members, lookup)
            }
            TyKind::Discriminated(_) => Ty::any(),
            _ if assignable(&base, &Ty::object()) => Ty::any(),
            _ => Ty::error(codes::PROPERTY_OF_NON_OBJECT.at(name.span(), &[&base])),
        }
    }

    /// Tells whether a property is known even of a resource or module that is not deployed.
    fn is_fixed(&mut self, symbol: SymbolId, name: &str) -> bool {
        match self.model.symbol(symbol).kind {
            SymbolKind::Resource => {
                crate::types::azure::FIXED_PROPERTIES.contains(&name)
                    && self.model.resource_of(symbol).is_some_and(|it| it.extension.is_none())
            }
            SymbolKind::Module => name == "name",
            _ => false,
        }
    }

    fn object_member(&mut self, base: &Ty, object: &Object, lookup: Lookup<'_>) -> Ty {
        let known = object.properties.get(lookup.name).or(object.additional.as_ref());
        if let Some(property) = known {
            return self.readable(base, property.flags, lookup).unwrap_or_else(|| property.ty.get());
        }
        let names = object.properties.iter().filter(|(_, it)| !it.flags.contains(PropertyFlags::WRITE_ONLY));
        let mut names: Vec<SmolStr> = names.map(|(name, _)| name.clone()).collect();
        if let Role::BuiltIn(BuiltIn::Sys) = object.role {
            names.extend(Ambient::ALL.into_iter().map(|it| SmolStr::from(it.name())));
        }
        self.unknown_member(base, names, lookup)
    }

    fn union_member(&mut self, base: &Ty, members: &[TypeRef], lookup: Lookup<'_>) -> Ty {
        let folded = collapse(base);
        match folded.as_ref().map(Ty::kind) {
            Some(TyKind::Object(object)) => {
                let folded = folded.clone().unwrap_or_else(Ty::any);
                self.object_member(&folded, object, lookup)
            }
            Some(TyKind::Discriminated(object)) => {
                let folded = folded.clone().unwrap_or_else(Ty::any);
                self.variant_member(&folded, object, lookup)
            }
            None if members.len() > 1
                && members.iter().all(|it| matches!(it.get().kind(), TyKind::Module(..))) =>
            {
                let bodies = union(members.iter().map(|member| TypeRef::Now(member.get().body())));
                match bodies.kind() {
                    TyKind::Union(members) => self.union_member(&bodies, members, lookup),
                    _ => Ty::any(),
                }
            }
            _ => Ty::any(),
        }
    }

    fn variant_member(&mut self, base: &Ty, object: &Discriminated, lookup: Lookup<'_>) -> Ty {
        if lookup.name == object.key {
            return keys_of(object);
        }
        let mut flags = PropertyFlags::empty();
        let mut types = Vec::new();
        let mut known = false;
        let mut names = Vec::new();
        for (_, member) in &object.members {
            let member = member.get();
            let Some(variant) = member.as_object() else { continue };
            match variant.properties.get(lookup.name).or(variant.additional.as_ref()) {
                Some(property) => {
                    known = true;
                    types.push(property.ty.get());
                    flags = flags.union(property.flags);
                }
                None => {
                    types.push(Ty::null());
                    flags = flags.union(PropertyFlags::FALLBACK);
                }
            }
            names.extend(variant.properties.keys().cloned());
        }
        if known {
            return self.readable(base, flags, lookup).unwrap_or_else(|| collapsed_union(types));
        }
        names.sort();
        names.dedup();
        self.unknown_member(base, names, lookup)
    }

    /// Reports a property that cannot be read; nothing means that it can.
    fn readable(&mut self, base: &Ty, flags: PropertyFlags, lookup: Lookup<'_>) -> Option<Ty> {
        if flags.contains(PropertyFlags::WRITE_ONLY) {
            self.push(codes::WRITE_ONLY.or_warning(lookup.warn).at(lookup.at, &[base, &lookup.name]));
            if !lookup.warn {
                return Some(Ty::failed());
            }
        }
        if flags.contains(PropertyFlags::FALLBACK) {
            self.push(codes::FALLBACK_PROPERTY.or_info(lookup.safe).at(lookup.at, &[&lookup.name, &""]));
        }
        None
    }

    fn unknown_member(&mut self, base: &Ty, names: Vec<SmolStr>, lookup: Lookup<'_>) -> Ty {
        self.push(unknown_property(base, &names, lookup.name, lookup.warn, lookup.at));
        if lookup.warn { Ty::any() } else { Ty::failed() }
    }

    pub(super) fn resource_access(&mut self, access: ResourceAccess<'m>) -> Ty {
        let base = self.ty(access.base());
        if base.is_error() {
            return base;
        }
        if base.as_resource().is_none() {
            return Ty::error(codes::NOT_A_RESOURCE.at(access.name().span(), &[&base]));
        }
        if !access.name().is_valid() {
            return Ty::failed();
        }
        match self.model.symbol_at(access.node()) {
            Some(symbol) => self.symbol_type(symbol),
            None => self.name_error(access.name().span()),
        }
    }
}

/// The union of the values of the property that tells objects apart.
pub(super) fn keys_of(object: &Discriminated) -> Ty {
    union_of(object.members.iter().map(|(value, _)| Ty::string_literal(value)))
}

/// The finding about a property that a type does not have.
pub(super) fn unknown_property(base: &Ty, names: &[SmolStr], name: &str, warn: bool, at: Span) -> Finding {
    if names.is_empty() {
        return codes::UNKNOWN_PROPERTY.or_warning(warn).at(at, &[base, &name]);
    }
    match diagnostics::suggest_without_swaps(name, names.iter().map(SmolStr::as_str)) {
        Some(near) => codes::UNKNOWN_PROPERTY_NEAR.or_warning(warn).at(at, &[base, &name, &near]),
        None => codes::UNKNOWN_PROPERTY_LIST.or_warning(warn).at(at, &[base, &name, &codes::list(names)]),
    }
}

fn item_at(base: &Ty, items: &[TypeRef], index: i64, at: Span, from_end: bool) -> Ty {
    let place = usize::try_from(index).ok();
    let found = match (place, from_end) {
        (Some(place), true) => place.checked_sub(1).and_then(|back| items.iter().rev().nth(back)),
        (Some(place), false) => items.get(place),
        (None, _) => None,
    };
    match found {
        Some(item) => item.get(),
        None => Ty::error(codes::TUPLE_INDEX.at(at, &[base, &items.len(), &index])),
    }
}
