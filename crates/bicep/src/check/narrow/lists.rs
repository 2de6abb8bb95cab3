//! Arrays, tuples and lambdas, item by item.

use syntax::ast::{Array, AstNode as _, Expr, Lambda, LocalVariable};

use super::super::nodes;
use super::Narrow;
use super::bounds::{Bounds, tighter};
use super::comparison::{Comparison, Config, Mismatch, Source};
use crate::codes;
use crate::types::{Range, Ty, TyKind, TypeRef, union, warns};

impl<'m> Narrow<'_, 'm> {
    /// Compares an array; nothing if the value is not known to be one.
    pub(super) fn list(&mut self, it: Comparison<'_, 'm>) -> Option<Ty> {
        if let Source::Expr(Expr::Array(array)) = it.source {
            return Some(self.array(it, array));
        }
        if let Some(made) = self.named(it) {
            return Some(made);
        }
        let inner = it.config.deeper();
        let inner = Comparison { config: &inner, ..it };
        if let (TyKind::Tuple(own), TyKind::Tuple(wanted)) = (it.ty.kind(), it.target.kind()) {
            if own.len() != wanted.len() {
                let rule = codes::TOO_LONG.or_warning(it.only_warns());
                self.out.push(rule.at(it.source.span(), &[&own.len(), &wanted.len()]));
                return Some(it.ty.clone());
            }
            let items = own.iter().zip(wanted);
            let items = items
                .map(|(own, wanted)| self.value(inner.with(it.source, &own.get(), &wanted.get())).into());
            return Some(Ty::flagged(TyKind::Tuple(items.collect()), it.target.flags()));
        }
        let ((item, own), (wanted_item, wanted)) = (it.ty.as_list()?, it.target.as_list()?);
        let bounds = Bounds::lengths(it);
        if bounds.disjoint(own, wanted, &mut self.out) {
            return Some(it.ty.clone());
        }
        bounds.overlap(own, wanted, &mut self.out);
        let item = self.value(inner.with(it.source, &item, &wanted_item));
        Some(Ty::array_within(item, tighter(own, wanted, 0), it.target.flags()))
    }

    /// Compares an array that is written out.
    fn array(&mut self, it: Comparison<'_, 'm>, array: Array<'m>) -> Ty {
        let target = it.target;
        if self.checker.has_parse_errors(array.node()) {
            return target.clone();
        }
        let Some((item, length)) = target.as_list() else { return target.clone() };
        let warn = warns(target);
        let mut items: Vec<TypeRef> = Vec::new();
        let mut has_spread = false;
        for value in array.values() {
            let inner = |mismatch| Config { skip_errors: true, mismatch, ..it.config.deeper() };
            if let Expr::SpreadExpression(spread) = value {
                has_spread = true;
                let wanted = Ty::array_within(item.clone(), Range::default(), target.flags());
                let narrowed = self.part(&inner(Mismatch::Spread(warn)), spread.expression(), &wanted);
                items.push(narrowed.as_list().map_or_else(Ty::any, |(item, _)| item).into());
            } else {
                let wanted = match target.kind() {
                    TyKind::Tuple(wanted) if !has_spread => {
                        wanted.get(items.len()).map_or_else(Ty::any, TypeRef::get)
                    }
                    _ => item.clone(),
                };
                items.push(self.part(&inner(Mismatch::Item(warn)), value, &wanted).into());
            }
        }
        if has_spread {
            return Ty::array_within(union(items), Range::default(), target.flags());
        }
        let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let warn = it.only_warns();
        if let Some(max) = length.max.filter(|max| *max < count) {
            self.out.push(codes::TOO_LONG.or_warning(warn).at(array.span(), &[&count, &max]));
        } else if let Some(min) = length.min.filter(|min| *min > count) {
            self.out.push(codes::TOO_SHORT.or_warning(warn).at(array.span(), &[&count, &min]));
        }
        Ty::flagged(TyKind::Tuple(items), target.flags())
    }

    /// Compares a lambda: its result and its parameters.
    pub(super) fn lambda(
        &mut self,
        config: &Config,
        lambda: Lambda<'m>,
        wanted: &crate::types::Lambda,
    ) -> Ty {
        let config = config.deeper();
        let result = self.part(&config, lambda.body(), &wanted.result.get());
        let variables: Vec<LocalVariable<'m>> = nodes::variables(lambda.variables()).collect();
        let arguments = variables.iter().enumerate().map(|(place, variable)| {
            let source = Source::Local(variable.node());
            let ty = self.type_of(source);
            let target = wanted.argument(place).unwrap_or_else(Ty::any);
            self.value(Comparison { config: &config, source, ty: &ty, target: &target })
        });
        let arguments = arguments.collect();
        Ty::lambda(arguments, Vec::new(), result)
    }
}
