//! Types of which a value has to fit one: unions, and objects that a property tells apart.

use smol_str::SmolStr;
use syntax::ast::AstNode as _;

use super::super::access::keys_of;
use super::Narrow;
use super::comparison::Comparison;
use crate::codes;
use crate::finding::Finding;
use crate::types::{
    Discriminated, PropertyFlags, Ty, TyKind, TypeRef, assignable, candidates, quoted, union_of,
    warns_for_properties,
};

impl<'m> Narrow<'_, 'm> {
    /// Compares a value with the members of a union.
    pub(super) fn union(&mut self, it: Comparison<'_, 'm>, members: &[TypeRef]) -> Ty {
        let Comparison { source, ty, target, .. } = it;
        let inner = it.config.deeper();
        let inner = Comparison { config: &inner, ..it };
        if let TyKind::Union(candidates) = ty.kind() {
            let mut narrowed = Vec::new();
            let mut failed = false;
            for candidate in candidates {
                let candidate = candidate.get();
                let misfit = || codes::ARGUMENT_TYPE.at(source.span(), &[&candidate, target]);
                if !assignable(&candidate, target) {
                    failed = true;
                    self.out.push(misfit());
                    continue;
                }
                let before = self.out.len();
                narrowed.push(self.union(inner.with(source, &candidate, target), members));
                if self.out.iter().skip(before).any(Finding::is_error) {
                    failed = true;
                    self.out.push(misfit());
                }
            }
            return if failed { target.clone() } else { union_of(narrowed) };
        }
        let mut viable: Vec<(Ty, Vec<Finding>)> = Vec::new();
        let mut rejected: Vec<Finding> = Vec::new();
        let mut any_fits = false;
        for member in &*candidates(target, members, ty) {
            let member = member.get();
            if !assignable(ty, &member) {
                continue;
            }
            any_fits = true;
            let (narrowed, mut found) = self.aside(|this| this.value(inner.with_target(&member)));
            if found.iter().any(Finding::is_error) {
                rejected.append(&mut found);
            } else {
                viable.push((if it.config.is_resource { member } else { narrowed }, found));
            }
        }
        if !viable.is_empty() {
            if viable.iter().all(|(_, found)| !found.is_empty()) {
                self.out.extend(viable.iter().flat_map(|(_, found)| found.iter().cloned()));
            }
            return union_of(viable.into_iter().map(|(ty, _)| ty));
        }
        self.out.append(&mut rejected);
        if !any_fits {
            self.out.push(codes::ARGUMENT_TYPE.at(source.span(), &[ty, target]));
        }
        target.clone()
    }

    /// Compares an object with the one of several that it says it is; nothing if the value is not known to be an object.
    pub(super) fn discriminated(&mut self, it: Comparison<'_, 'm>, wanted: &Discriminated) -> Option<Ty> {
        let Comparison { config, source, ty, target } = it;
        if self.checker.has_parse_errors(source.node()) {
            return Some(Ty::any());
        }
        let own = ty.as_object()?;
        let warn_properties = warns_for_properties(target);
        let Some(given) = own.properties.get(&wanted.key) else {
            let keys = keys_of(wanted);
            let explicit =
                own.additional.as_ref().is_some_and(|it| !it.flags.contains(PropertyFlags::FALLBACK));
            if !explicit {
                let text = own.additional.as_ref().is_some_and(|it| assignable(&it.ty.get(), &Ty::string()));
                let rule = codes::MISSING_PROPERTY.or_warning(text || warn_properties);
                self.out.push(rule.at(self.place(it), &[&wanted.key, &keys]));
                let names = own.properties.keys().map(SmolStr::as_str);
                if let Some(near) = diagnostics::suggest_without_swaps(&wanted.key, names) {
                    let at = self.key_place(it, near);
                    let rule = codes::EXTRA_PROPERTY_NEAR.or_warning(warn_properties);
                    self.out.push(rule.at(at, &[&near, &keys, &wanted.key]));
                }
            }
            return Some(Ty::any());
        };
        let at = match (config.origin, self.written(it, &wanted.key)) {
            (None, Some(property)) => property.value().span(),
            _ => self.place(it),
        };
        let given = given.ty.get();
        if given.is_any() {
            return Some(Ty::any());
        }
        if let Some(value) = given.as_string_literal() {
            if let Some(member) = wanted.member(value) {
                let member = member.get();
                return match member.as_object() {
                    Some(object) => self.object(it.with_target(&member), object),
                    None => Some(Ty::any()),
                };
            }
            let keys = keys_of(wanted);
            let warn = config.is_resource || warn_properties;
            let mut names: Vec<SmolStr> = wanted.members.iter().map(|(key, _)| quoted(key)).collect();
            names.sort();
            let near = diagnostics::suggest_without_swaps(given.name(), names.iter().map(SmolStr::as_str));
            let found = match near.filter(|_| !self.has_origin(config)) {
                Some(near) => {
                    codes::PROPERTY_LITERAL_NEAR.or_warning(warn).at(at, &[&wanted.key, &keys, &given, &near])
                }
                None => {
                    let clause = self.origin_clause(config.origin);
                    codes::PROPERTY_TYPE.or_warning(warn).at(at, &[&wanted.key, &keys, &given, &clause])
                }
            };
            self.out.push(found);
            return Some(Ty::any());
        }
        let keys = keys_of(wanted);
        let found = if assignable(&given, &keys) {
            codes::UNKNOWN_DISCRIMINATOR.at(at, &[&wanted.key])
        } else {
            let warn = config.is_resource || warn_properties;
            let clause = self.origin_clause(config.origin);
            codes::PROPERTY_TYPE.or_warning(warn).at(at, &[&wanted.key, &keys, &given, &clause])
        };
        self.out.push(found);
        Some(Ty::any())
    }
}
