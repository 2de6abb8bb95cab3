//! Decorators: what they can be attached to, and what follows them.

use rustc_hash::FxHashMap;
use syntax::ast::{AstNode as _, TypeExpr};
use syntax::{NodeKind, Span, SyntaxNode};

use super::Checker;
use super::decorator_uses::DecoratorUse;
use crate::codes;
use crate::decorators::{Applied, Decorator, ForFile, is_existing};
use crate::language::Dialect;
use crate::layout::{carried, is_certain};
use crate::symbols::{Binding, CallSyntax, SymbolId};
use crate::types::{FunctionFlags as F, Ty, assignable, without_null};

struct DecoratorTarget<'t, 'm> {
    node: SyntaxNode<'m>,
    /// The type that it writes, without its question mark.
    written: Option<TypeExpr<'m>>,
    /// The type that it has.
    ty: &'t Ty,
}

impl<'m> Checker<'m> {
    /// Checks the decorators of a declaration or part of a type.
    pub(super) fn check_decorators(&mut self, target: SyntaxNode<'m>, ty: &Ty) {
        let mut used: Vec<(&'m str, Span)> = Vec::new();
        let written = written_type(target);
        for decorator in target.decorators() {
            let expression = decorator.expression();
            let found = self.ty(expression);
            if found.is_error() {
                self.out.extend_from_slice(found.findings());
                continue;
            }
            match self.model.applied(decorator) {
                Some(Applied::BuiltIn(row)) => {
                    if let Some(call) = CallSyntax::of(expression) {
                        used.push((row.name, decorator.span()));
                        let on = DecoratorTarget { node: target, written, ty };
                        self.attach(row, decorator.span(), call, &on);
                    }
                }
                Some(Applied::Declared(_) | Applied::Member(_)) if self.model.dialect == Dialect::Tendon => {
                    match CallSyntax::of(expression) {
                        Some(call) => self.check_validator(call, decorator.span(), target, ty),
                        None => self.push(codes::NOT_CALLABLE.at(expression.span(), &[])),
                    }
                }
                Some(Applied::Configured(own)) => {
                    used.push((&own.row.name, decorator.span()));
                    self.of_extension(own, decorator.span(), target);
                    if let Some(call) = CallSyntax::of(expression) {
                        self.check_arguments(own, call);
                    }
                    if is_existing(target) {
                        self.push(codes::OPTION_ON_EXISTING.at(decorator.span(), &[&own.row.name]));
                    }
                }
                Some(Applied::Declared(_)) => self.push(codes::NOT_CALLABLE.at(expression.span(), &[])),
                Some(Applied::Member(_)) => {}
                None => {
                    if let Binding::Namespace(_) = self.model.binding(expression.node().id()) {
                        self.push(codes::NOT_CALLABLE.at(expression.span(), &[]));
                    }
                }
            }
        }
        let mut times: FxHashMap<&str, u32> = FxHashMap::default();
        for (name, _) in &used {
            *times.entry(name).or_default() += 1;
        }
        for (name, at) in &used {
            if times.get(name).is_some_and(|times| *times > 1) {
                self.push(codes::DUPLICATE_DECORATOR.at(*at, &[name]));
            }
        }
    }

    /// What is not certain is held against its type when it is deployed; where no template can say the type, it must be certain.
    fn check_arguments(&mut self, own: &ForFile, call: CallSyntax<'m>) {
        for (parameter, argument) in own.row.parameters.iter().zip(call.arguments()) {
            if carried(&parameter.ty).is_none() && !is_certain(self.model, argument) {
                self.push(codes::CONSTANT_REQUIRED.at(argument.span(), &[]));
            }
        }
    }

    /// The decorators of an extension are for its own resources.
    fn of_extension(&mut self, own: &ForFile, at: Span, target: SyntaxNode<'m>) {
        let Some(declaration) = own.extension else { return };
        let Some(resource) = self.model.symbol_at(target).and_then(|symbol| self.model.resource_of(symbol))
        else {
            return;
        };
        let extension = resource.extension.map(|symbol| self.model.symbol(symbol));
        if extension.is_none_or(|extension| extension.node != declaration) {
            let name = self.model.symbol_at(self.model.file.node(declaration));
            let name = name.map(|symbol| self.model.symbol(symbol).name.as_str()).unwrap_or_default();
            self.push(codes::OTHER_EXTENSION.at(at, &[&own.row.name, &name]));
        }
    }

    fn attach(
        &mut self,
        decorator: &'static Decorator,
        at: Span,
        call: CallSyntax<'m>,
        on: &DecoratorTarget<'_, 'm>,
    ) {
        let ty = without_null(on.ty).unwrap_or_else(|| on.ty.clone());
        if ty.is_error() {
            return;
        }
        let fits = match decorator.attaches {
            None => true,
            Some(attachable) => {
                let attachable = attachable();
                let fits = assignable(&ty, &attachable);
                if !fits {
                    self.push(codes::DECORATOR_TARGET.at(at, &[&decorator.name, &attachable, &ty]));
                }
                fits
            }
        };
        if let Some(rule) = decorator.check {
            let DecoratorTarget { node: target, written, .. } = *on;
            self.check_use(rule, &DecoratorUse { decorator, at, call, target, written, ty, fits });
        }
    }

    /// The symbols that a declaration needs, directly or through others.
    pub(crate) fn closure(&self, start: SymbolId) -> Vec<SymbolId> {
        let mut found: Vec<SymbolId> = Vec::new();
        let mut open = vec![start];
        let mut seen = rustc_hash::FxHashSet::from_iter([start]);
        while let Some(symbol) = open.pop() {
            for next in self.model.mentions(self.model.node_of(symbol)) {
                if seen.insert(next) {
                    found.push(next);
                    if !self.model.symbol(next).kind.is_local() {
                        open.push(next);
                    }
                }
            }
        }
        found
    }

    /// Decorators that nothing follows.
    pub(super) fn missing_declaration(&mut self, node: SyntaxNode<'m>) {
        if self.has_parse_errors(node) {
            return;
        }
        for decorator in node.decorators() {
            let found = self.ty(decorator.expression());
            self.out.extend_from_slice(found.findings());
        }
        let Some(last) = node.decorators().last() else { return };
        let flags = match self.model.applied(last) {
            Some(Applied::BuiltIn(row)) => row.targets(self.model.dialect),
            Some(Applied::Configured(own)) => own.row.targets,
            Some(Applied::Declared(_) | Applied::Member(_)) if self.model.dialect == Dialect::Tendon => {
                F::DATA_DECORATOR
            }
            Some(Applied::Declared(_) | Applied::Member(_)) | None => F::empty(),
        };
        let rule = [
            (F::PARAMETER_DECORATOR, codes::EXPECTED_PARAMETER),
            (F::DATA_DECORATOR, codes::EXPECTED_DATA),
            (F::RESOURCE_DECORATOR, codes::EXPECTED_RESOURCE),
            (F::RESOURCE_DECORATOR.union(F::MODULE_DECORATOR), codes::EXPECTED_RESOURCE_OR_MODULE),
        ];
        let rule = rule.into_iter().find(|(known, _)| *known == flags);
        let rule = rule.map_or(codes::EXPECTED_DECLARATION, |(_, rule)| rule);
        self.push(rule.at(last.span(), &[]));
    }
}

/// The type that a declaration or part of a type writes, without its question mark.
pub(crate) fn written_type(target: SyntaxNode<'_>) -> Option<TypeExpr<'_>> {
    if target.kind() == NodeKind::ResourceDeclaration {
        return None;
    }
    target
        .child_nodes()
        .filter(|child| child.kind() != NodeKind::Decorator)
        .find_map(|child| if child.is_skipped() { None } else { TypeExpr::cast(child) })
        .map(bare_type)
}

/// A type without its question mark.
pub(crate) fn bare_type(ty: TypeExpr<'_>) -> TypeExpr<'_> {
    match ty {
        TypeExpr::NullableType(it) => it.base(),
        other => other,
    }
}
