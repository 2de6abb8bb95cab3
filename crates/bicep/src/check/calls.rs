//! Calls: which function is meant, which of its overloads fits, and what the arguments lack.

use std::sync::Arc;

use syntax::ast::{AstNode as _, Expr, FunctionCall, InstanceFunctionCall, Lambda};
use syntax::{NodeKind, Span, SyntaxNode};

use super::expressions::Errors;
use super::{Checker, fold, nodes};
use crate::codes;
use crate::decorators::Decorator;
use crate::finding::Finding;
use crate::functions::Function;
use crate::language::Dialect;
use crate::symbols::{Binding, CallSyntax, SymbolId, SymbolKind};
use crate::types::{
    BuiltIn, EvaluationPhase, FunctionFlags, Gives, Role, Signature, Ty, TyKind, assignable,
    assignable_unless_null, extension, nullable,
};

/// The ways to call what a call calls.
pub(crate) type Callee = Arc<[Signature]>;

impl<'m> Checker<'m> {
    pub(super) fn function_call(&mut self, call: FunctionCall<'m>) -> Ty {
        let mut errors = Errors::default();
        for argument in call.arguments() {
            errors.add(&self.ty(argument));
        }
        let name = call.name();
        match self.model.binding(call.node().id()) {
            Binding::Function(function) => {
                if function.flags.contains(FunctionFlags::IGNORES_VALUES)
                    && let Some(Expr::Skipped(unread)) = call.arguments().next()
                {
                    errors.push(codes::NAMELESS.at(unread.span(), &[]));
                }
                let callee = self.built_in(function);
                self.resolve(&callee, CallSyntax::Plain(call), errors)
            }
            Binding::Symbol(symbol) => match self.declared_function(symbol) {
                Some(callee) => {
                    let callee = self.decorating(callee, CallSyntax::Plain(call));
                    self.resolve(&callee, CallSyntax::Plain(call), errors)
                }
                None => {
                    let known = [BuiltIn::Sys, BuiltIn::Az].into_iter().find(|namespace| {
                        self.model
                            .visibility()
                            .function(*namespace, &self.model.symbol(symbol).name)
                            .is_some()
                    });
                    let decorates = self
                        .model
                        .parent(call.node())
                        .is_some_and(|parent| parent.kind() == NodeKind::Decorator);
                    let known = known.or_else(|| {
                        let decorator = self.model.visibility().decorator(name.text());
                        decorator.filter(|_| decorates).map(|_| BuiltIn::Sys)
                    });
                    errors.push(match known {
                        Some(namespace) => {
                            codes::SHADOWED_FUNCTION.at(name.span(), &[&name.text(), &namespace.name()])
                        }
                        None => codes::NOT_A_FUNCTION.at(name.span(), &[&name.text()]),
                    });
                    errors.take().unwrap_or_else(Ty::failed)
                }
            },
            Binding::Decorator(decorator) => {
                let callee = self.decorator_callee(decorator);
                self.resolve(&callee, CallSyntax::Plain(call), errors)
            }
            Binding::DeclaredDecorator(place) => {
                let callee = self.configured_callee(place);
                self.resolve(&callee, CallSyntax::Plain(call), errors)
            }
            Binding::ExtensionFunction => {
                let callee = self.extension_function(name.text());
                self.resolve(&callee, CallSyntax::Plain(call), errors)
            }
            Binding::Unresolved | Binding::None => {
                errors.add(&self.name_error(name.span()));
                errors.take().unwrap_or_else(Ty::failed)
            }
            Binding::Namespace(_) | Binding::Ambient(_) => {
                errors.push(codes::NOT_A_FUNCTION.at(name.span(), &[&name.text()]));
                errors.take().unwrap_or_else(Ty::failed)
            }
        }
    }

    fn built_in(&mut self, function: &'static Function) -> Callee {
        let made = || function.signatures(self.model.target).into();
        Arc::clone(self.built_ins.entry((function.namespace, function.name)).or_insert_with(made))
    }

    /// The function of an extension that is called without the extension's name.
    fn extension_function(&self, name: &str) -> Callee {
        let kind = self.model.file.tree.source_kind();
        let stores = self.model.extensions.iter().filter_map(|it| it.types.as_ref().ok()?.as_ref());
        let all = stores.flat_map(|store| extension::functions(store, kind));
        all.filter(|signature| signature.is_for(name)).collect()
    }

    /// The function that a symbol declares or imports.
    fn declared_function(&mut self, symbol: SymbolId) -> Option<Callee> {
        let signature = match self.kind_of(symbol) {
            SymbolKind::Function => self.function_signature(symbol)?,
            SymbolKind::Imported(_) => self.imported_function(symbol)?,
            _ => return None,
        };
        Some(Arc::new([signature]))
    }

    pub(super) fn instance_call(&mut self, call: InstanceFunctionCall<'m>) -> Ty {
        let base = self.ty(call.base());
        if base.is_error() {
            return base;
        }
        let base = base.body();
        let name = call.name();
        let (bare, asserted) = nodes::unasserted(call.base());
        if !asserted
            && let Some(symbol) = self.model.symbol_in(bare)
            && self.may_be_missing(symbol)
        {
            self.push(codes::MAYBE_MISSING.at(name.span(), &[&nullable(&base)]));
        }
        let Some(object) = base.as_object() else {
            return Ty::error(codes::METHOD_OF_NON_OBJECT.at(name.span(), &[&base]));
        };
        let mut errors = Errors::default();
        for argument in call.arguments() {
            errors.add(&self.ty(argument));
        }
        if !name.is_valid() {
            return Ty::failed();
        }
        let callee = match &object.role {
            Role::BuiltIn(namespace) => match self.model.binding(call.node().id()) {
                Binding::Function(function) => Some(self.built_in(function)),
                Binding::Decorator(decorator) => Some(self.decorator_callee(decorator)),
                _ => {
                    let found = self.name_error(name.span());
                    if found.findings().is_empty() {
                        errors.push(self.no_function(*namespace, call));
                    } else {
                        errors.add(&found);
                    }
                    return errors.take().unwrap_or_else(Ty::failed);
                }
            },
            _ if let Binding::DeclaredDecorator(place) = self.model.binding(call.node().id()) => {
                Some(self.configured_callee(place))
            }
            _ => {
                let found = object.methods.as_ref().map(|methods| methods.named(name.text()));
                found.filter(|found| !found.is_empty())
            }
        };
        match callee {
            Some(callee) => {
                let callee = self.decorating(callee, CallSyntax::Instance(call));
                self.resolve(&callee, CallSyntax::Instance(call), errors)
            }
            None => {
                let methods = object.methods.iter().flat_map(|methods| methods.iter());
                let mut names: Vec<&str> =
                    methods.map(|method| method.name.as_str()).filter(|name| !name.ends_with('*')).collect();
                names.sort_unstable_by_key(|name| name.to_ascii_lowercase());
                let near = diagnostics::suggest_without_swaps(name.text(), names);
                let space = base.is_namespace();
                errors.push(match (space, near) {
                    (true, Some(near)) => {
                        codes::NO_FUNCTION_IN_NAMESPACE_NEAR.at(name.span(), &[&base, &name.text(), &near])
                    }
                    (true, None) => codes::NO_FUNCTION_IN_NAMESPACE.at(name.span(), &[&base, &name.text()]),
                    (false, Some(near)) => {
                        codes::NO_METHOD_NEAR.at(name.span(), &[&base, &name.text(), &near])
                    }
                    (false, None) => codes::NO_METHOD.at(name.span(), &[&base, &name.text()]),
                });
                errors.take().unwrap_or_else(Ty::failed)
            }
        }
    }

    fn no_function(&self, namespace: BuiltIn, call: InstanceFunctionCall<'m>) -> Finding {
        let name = call.name();
        let visibility = self.model.visibility();
        let decorates =
            self.model.parent(call.node()).is_some_and(|parent| parent.kind() == NodeKind::Decorator);
        let decorators = (decorates && namespace == BuiltIn::Sys).then(|| visibility.decorator_names());
        let mut names: Vec<&str> =
            visibility.function_names(namespace).chain(decorators.into_iter().flatten()).collect();
        if namespace == BuiltIn::Sys
            && let Some(banned) = crate::functions::banned(name.text())
        {
            return banned.at(name.span());
        }
        names.sort_unstable_by_key(|name| name.to_ascii_lowercase());
        match diagnostics::suggest_without_swaps(name.text(), names) {
            Some(near) => codes::NO_FUNCTION_IN_NAMESPACE_NEAR
                .at(name.span(), &[&namespace.name(), &name.text(), &near]),
            None => codes::NO_FUNCTION_IN_NAMESPACE.at(name.span(), &[&namespace.name(), &name.text()]),
        }
    }

    /// The functions that a call could mean, for checks that come after the types.
    pub(crate) fn callee(&mut self, call: CallSyntax<'m>) -> Option<Callee> {
        let callee = self.declared_callee(call)?;
        Some(self.decorating(callee, call))
    }

    /// The functions that a call could mean, with all of their parameters.
    pub(crate) fn declared_callee(&mut self, call: CallSyntax<'m>) -> Option<Callee> {
        match self.model.binding(call.node().id()) {
            Binding::Function(function) => return Some(self.built_in(function)),
            Binding::Decorator(decorator) => return Some(self.decorator_callee(decorator)),
            Binding::DeclaredDecorator(place) => return Some(self.configured_callee(place)),
            Binding::Symbol(symbol) => return self.declared_function(symbol),
            Binding::ExtensionFunction => return Some(self.extension_function(call.name())),
            _ => {}
        }
        let CallSyntax::Instance(instance) = call else { return None };
        let base = self.ty(instance.base()).body();
        let object = base.as_object()?;
        let found = object.methods.as_ref()?.named(call.name());
        (!found.is_empty()).then_some(found)
    }

    fn resolve(&mut self, callee: &Callee, call: CallSyntax<'m>, errors: Errors) -> Ty {
        let arguments = call.arguments().map(|argument| {
            let ty = self.ty(argument);
            if ty.is_error() { Ty::any() } else { ty }
        });
        let arguments: Vec<Ty> = arguments.collect();
        self.overload(callee, call, arguments, errors, 0)
    }

    fn overload(
        &mut self,
        callee: &Callee,
        call: CallSyntax<'m>,
        arguments: Vec<Ty>,
        mut errors: Errors,
        depth: usize,
    ) -> Ty {
        let mut possible: Vec<&Signature> = Vec::new();
        let mut exact = None;
        let mut counts: Option<(usize, Option<usize>)> = None;
        let mut mismatches: Vec<(&Signature, usize, Ty)> = Vec::new();
        for signature in callee.iter() {
            let (min, max) = (signature.min(), signature.max());
            if arguments.len() < min || max.is_some_and(|max| arguments.len() > max) {
                counts = Some(match counts {
                    None => (min, max),
                    Some((least, most)) => (least.min(min), most.zip(max).map(|(a, b)| a.max(b))),
                });
                continue;
            }
            if !arguments.is_empty() && arguments.iter().all(Ty::is_any) {
                possible.push(signature);
                continue;
            }
            let wrong = arguments.iter().enumerate().find_map(|(place, argument)| {
                let wanted = signature.argument(place);
                (!assignable(argument, &wanted)).then_some((place, wanted))
            });
            match wrong {
                Some((place, wanted)) => mismatches.push((signature, place, wanted)),
                None if arguments.iter().any(Ty::is_any) => possible.push(signature),
                None => {
                    exact = Some(signature);
                    break;
                }
            }
        }
        let matches: Vec<&Signature> = match exact {
            Some(signature) => vec![signature],
            None => {
                let plain: Vec<&Signature> =
                    possible.iter().copied().filter(|it| !it.name.ends_with('*')).collect();
                if plain.is_empty() { possible } else { plain }
            }
        };
        if matches.is_empty() && !mismatches.is_empty() {
            for (_, place, wanted) in &mismatches {
                let Some(argument) = arguments.get(*place) else { continue };
                // Each round makes one argument non-null, so there are at most as many rounds as arguments.
                if let Some(rest) = assignable_unless_null(argument, wanted)
                    && depth <= arguments.len()
                {
                    let place = *place;
                    let replaced = arguments.iter().enumerate();
                    let replaced =
                        replaced.map(|(at, ty)| if at == place { rest.clone() } else { ty.clone() });
                    let replaced = replaced.collect();
                    return self.overload(callee, call, replaced, errors, depth + 1);
                }
            }
            let first = mismatches.first().map_or(0, |(_, place, _)| *place);
            let same_place = mismatches.iter().all(|(_, place, _)| *place == first);
            if mismatches.len() > 1 && same_place {
                let signatures = codes::list(mismatches.iter().map(|(signature, ..)| signature.describe()));
                if let Some(argument) = arguments.get(first) {
                    errors.push(codes::NO_OVERLOAD.at(argument_span(call, first), &[argument, &signatures]));
                }
            } else if let Some((_, place, wanted)) = mismatches.iter().max_by_key(|(_, place, _)| *place)
                && let Some(argument) = arguments.get(*place)
            {
                errors.push(codes::ARGUMENT_TYPE.at(argument_span(call, *place), &[argument, wanted]));
            }
        } else if matches.is_empty()
            && let Some((min, max)) = counts
        {
            let expected = match max {
                None => format!("at least {}", plural(min)),
                Some(max) if max == min => plural(min),
                Some(max) => format!("{min} to {}", plural(max)),
            };
            errors.push(codes::ARGUMENT_COUNT.at(parentheses(call), &[&expected, &arguments.len()]));
        }
        if let Some(error) = errors.take() {
            return error;
        }
        match matches.as_slice() {
            [signature] => self.matched(callee, signature, call, &arguments),
            _ => Ty::any(),
        }
    }

    /// Checks the arguments of a call against the one signature that fits.
    fn matched(
        &mut self,
        callee: &Callee,
        signature: &Signature,
        call: CallSyntax<'m>,
        arguments: &[Ty],
    ) -> Ty {
        let written: Vec<Expr<'m>> = call.arguments().collect();
        for (place, argument) in written.iter().enumerate() {
            let is_constant = signature
                .parameters
                .get(place)
                .is_some_and(|parameter| parameter.known == EvaluationPhase::Compiling);
            // What can be worked out is a constant, too; whether it can is known when it was tried.
            let function = self.model.binding(call.node().id()).function();
            let is_tried = self.model.dialect == Dialect::Tendon
                && function.is_some_and(|row| row.flags.contains(FunctionFlags::EXTERNAL_INPUT));
            if is_constant && !is_tried {
                let mut found = Vec::new();
                Self::require_constant(argument.node(), &mut found);
                self.out.append(&mut found);
            }
            let wanted =
                self.dependent_type(callee, call, place).unwrap_or_else(|| signature.argument(place));
            self.narrow_argument(*argument, &wanted);
        }
        self.result(signature, call, arguments)
    }

    /// The type of an argument that depends on others.
    pub(super) fn dependent_type(
        &mut self,
        callee: &Callee,
        call: CallSyntax<'m>,
        place: usize,
    ) -> Option<Ty> {
        let depends = callee.iter().find_map(|signature| signature.parameters.get(place)?.depends)?;
        self.type_of_argument(depends, call, place)
    }

    /// The type of the result of a call.
    fn result(&mut self, signature: &Signature, call: CallSyntax<'m>, arguments: &[Ty]) -> Ty {
        let Some(row) = signature.built_in else { return signature.result.clone() };
        if row.folds {
            let known: Vec<&Ty> = arguments.iter().collect();
            let mut parts = 0;
            let folded = fold::fold_counted(&signature.name, &known, &mut parts);
            if !self.spend(call.node(), parts) {
                return Ty::any();
            }
            match folded {
                Ok(Some(literal)) => return literal,
                Ok(None) => {}
                Err(reason) => {
                    self.push(fold::failure(arguments_span(call), &signature.name, &known, &reason));
                }
            }
        }
        match row.gives {
            Gives::Always(ty) => ty(),
            Gives::From(ty) => ty(arguments),
            Gives::Call(rule, _) => self.type_of_call(rule, call, arguments),
        }
    }

    /// The type of an argument of a lambda, from the call that the lambda is an argument of.
    pub(super) fn lambda_argument(&mut self, lambda: Lambda<'m>, place: usize) -> Option<Ty> {
        let parent = self.model.parent(lambda.node())?;
        let call = CallSyntax::of(Expr::cast(parent)?)?;
        let position = call.arguments().position(|argument| argument.node() == lambda.node())?;
        let callee = self.callee(call)?;
        let wanted = self.dependent_type(&callee, call, position).or_else(|| {
            let mut types = callee.iter().filter(|it| it.max().is_none_or(|max| max > position));
            Some(types.next()?.argument(position))
        })?;
        match wanted.kind() {
            TyKind::Lambda(wanted) => wanted.argument(place),
            _ => None,
        }
    }

    /// The one way to call a decorator.
    fn decorator_callee(&mut self, decorator: &'static Decorator) -> Callee {
        let dialect = self.model.dialect;
        let place = std::ptr::from_ref(decorator).addr();
        let known = self.decorators.entry(place).or_insert_with(|| Arc::new([decorator.signature(dialect)]));
        Arc::clone(known)
    }

    /// The one way to call a decorator that is declared outside the language.
    fn configured_callee(&self, place: u32) -> Callee {
        self.model.declared.get(place as usize).map(|own| own.row.signature()).into_iter().collect()
    }

    /// The type of what a decorator decorates.
    pub(crate) fn attached(&mut self, call: SyntaxNode<'m>) -> Option<Ty> {
        let decorator = self.model.parent(call)?;
        let target = self.model.parent(decorator)?;
        self.decorated_type(target)
    }
}

fn plural(count: usize) -> String {
    if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") }
}

fn argument_span(call: CallSyntax<'_>, place: usize) -> Span {
    call.argument(place).map_or(call.node().span(), |argument| argument.span())
}

/// The parentheses of a call.
pub(super) fn parentheses(call: CallSyntax<'_>) -> Span {
    let (open, close) = match call {
        CallSyntax::Plain(call) => (call.open_paren(), call.close_paren()),
        CallSyntax::Instance(call) => (call.open_paren(), call.close_paren()),
    };
    let whole = call.node().span();
    let open = open.map_or(whole, |token| token.span());
    let close = close.map_or(whole, |token| token.span());
    nodes::between(open, close)
}

/// The span of all arguments of a call, or of its parentheses when there are none.
pub(crate) fn arguments_span(call: CallSyntax<'_>) -> Span {
    match (call.arguments().next(), call.arguments().last()) {
        (Some(first), Some(last)) => nodes::between(first.span(), last.span()),
        _ => parentheses(call),
    }
}
