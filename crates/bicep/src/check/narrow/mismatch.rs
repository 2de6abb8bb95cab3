//! What is said when a value does not fit, and where.

use smol_str::SmolStr;
use syntax::{NodeId, Span};

use super::Narrow;
use super::comparison::{Comparison, Config, Mismatch};
use crate::codes;
use crate::types::{Ty, TyKind, TypeFlags, warns};

impl<'m> Narrow<'_, 'm> {
    /// Where findings about the value are reported: where it is written, or at the name that stands for it.
    pub(super) fn place(&self, it: Comparison<'_, 'm>) -> Span {
        it.config.origin.map_or_else(|| it.source.span(), |origin| self.checker.node(origin).span())
    }

    /// Words for the declaration that a value comes from.
    pub(super) fn origin_clause(&self, origin: Option<NodeId>) -> String {
        let symbol = origin.and_then(|id| self.checker.model.symbol_at(self.checker.node(id)));
        symbol.map_or_else(String::new, |id| {
            format!(", in the value of `{}`", self.checker.model.symbol(id).name)
        })
    }

    /// Tells whether the value comes from a declaration.
    pub(super) fn has_origin(&self, config: &Config) -> bool {
        config.origin.is_some_and(|id| self.checker.model.symbol_at(self.checker.node(id)).is_some())
    }

    /// Reports a value of another type.
    pub(super) fn mismatch(&mut self, it: Comparison<'_, 'm>) {
        let Comparison { config, source, ty, target } = it;
        let ty = &discreet(ty, target);
        let found = match &config.mismatch {
            Mismatch::Value => codes::VALUE_TYPE.or_warning(warns(target)).at(self.place(it), &[target, ty]),
            Mismatch::Item(warn) => codes::ITEM_TYPE.or_warning(*warn).at(source.span(), &[target, ty]),
            Mismatch::Spread(warn) => codes::SPREAD_ITEMS.or_warning(*warn).at(source.span(), &[target, ty]),
            Mismatch::Property { name, warn, origin } => {
                let at = origin.map_or_else(|| source.span(), |id| self.checker.node(id).span());
                let clause = self.origin_clause(*origin);
                match near_literal(ty, target).filter(|_| clause.is_empty()) {
                    Some(near) => {
                        codes::PROPERTY_LITERAL_NEAR.or_warning(*warn).at(at, &[name, target, ty, &near])
                    }
                    None => codes::PROPERTY_TYPE.or_warning(*warn).at(at, &[name, target, ty, &clause]),
                }
            }
        };
        self.out.push(found);
    }
}

/// How deep a type is searched for secrets.
const SEARCHED: usize = 4;

/// The type of a value as it is shown where a secret is asked for, or something that holds one: the type of a literal is its text.
pub(crate) fn discreet(ty: &Ty, target: &Ty) -> Ty {
    if !holds_secrets(target, SEARCHED) {
        return ty.clone();
    }
    match ty.kind() {
        TyKind::BoolLit(_) => Ty::bool(),
        TyKind::Int(_) | TyKind::IntLit(_) => Ty::int(),
        TyKind::Str(_) | TyKind::StrLit(_) => Ty::string(),
        TyKind::Array(_) | TyKind::Tuple(_) => Ty::array(),
        TyKind::Object(_) | TyKind::Discriminated(_) => Ty::object(),
        _ => ty.clone(),
    }
}

fn holds_secrets(ty: &Ty, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else { return false };
    if ty.flags().contains(TypeFlags::SECURE) {
        return true;
    }
    match ty.kind() {
        TyKind::Union(parts) | TyKind::Tuple(parts) => {
            parts.iter().any(|part| holds_secrets(&part.get(), below))
        }
        TyKind::Array(array) => holds_secrets(&array.item.get(), below),
        TyKind::Object(object) => object.properties.values().any(|it| holds_secrets(&it.ty.get(), below)),
        TyKind::Discriminated(union) => {
            union.members.iter().any(|(_, member)| holds_secrets(&member.get(), below))
        }
        _ => false,
    }
}

/// The string that was most likely meant, where only some are allowed.
fn near_literal(ty: &Ty, target: &Ty) -> Option<SmolStr> {
    ty.as_string_literal()?;
    let mut names: Vec<SmolStr> = match target.kind() {
        TyKind::StrLit(_) => vec![target.name().clone()],
        TyKind::Union(members) => {
            let names = members.iter().map(|member| {
                let member = member.get();
                member.as_string_literal().is_some().then(|| member.name().clone())
            });
            names.collect::<Option<Vec<_>>>()?
        }
        _ => return None,
    };
    names.sort();
    diagnostics::suggest_without_swaps(ty.name(), names.iter().map(SmolStr::as_str)).map(Into::into)
}
