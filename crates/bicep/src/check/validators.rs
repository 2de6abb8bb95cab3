//! Functions of a program as decorators: what they can decorate, what they return, and what they are given.

use rustc_hash::FxHashSet;
use syntax::ast::AstNode as _;
use syntax::{NodeKind, Span, SyntaxNode};

use super::Checker;
use super::calls::Callee;
use crate::codes;
use crate::decorators::SECURE;
use crate::functions::{Becomes, Purity};
use crate::language::Dialect;
use crate::symbols::{Binding, CallSyntax, ExportKind, SymbolId, SymbolKind};
use crate::types::{FunctionFlags as F, PropertyFlags, Signature, Ty, TyKind, assignable, without_null};

impl<'m> Checker<'m> {
    /// The functions that a call could mean; those of the program get what they decorate before their arguments.
    pub(super) fn decorating(&self, callee: Callee, call: CallSyntax<'m>) -> Callee {
        let is_decorator =
            self.model.parent(call.node()).is_some_and(|parent| parent.kind() == NodeKind::Decorator);
        if !is_decorator || self.model.dialect == Dialect::Public || !self.is_own_function(call) {
            return callee;
        }
        let behind = |signature: &Signature| {
            let parameters = signature.parameters.iter().skip(1).cloned().collect();
            Signature { parameters, ..signature.clone() }
        };
        callee.iter().map(behind).collect()
    }

    /// Tells whether a call means a function that the program declares or imports.
    fn is_own_function(&self, call: CallSyntax<'m>) -> bool {
        match (self.model.binding(call.node().id()), call) {
            (Binding::Symbol(_), _) => true,
            (Binding::None, CallSyntax::Instance(instance)) => self
                .model
                .symbol_in(instance.base())
                .is_some_and(|symbol| self.model.symbol(symbol).kind == SymbolKind::WildcardImport),
            _ => false,
        }
    }

    /// Checks a function of the program that decorates a declaration or part of a type.
    pub(super) fn check_validator(
        &mut self,
        call: CallSyntax<'m>,
        at: Span,
        target: SyntaxNode<'m>,
        ty: &Ty,
    ) {
        let name = call.name();
        let in_type = match target.kind() {
            NodeKind::ParameterDeclaration | NodeKind::OutputDeclaration => false,
            NodeKind::TypeDeclaration
            | NodeKind::ObjectTypeProperty
            | NodeKind::ObjectTypeAdditionalProperties
            | NodeKind::TupleTypeItem => true,
            NodeKind::VariableDeclaration => return self.push(codes::NOT_FOR_VARIABLES.at(at, &[&name])),
            NodeKind::ResourceDeclaration => return self.push(codes::NOT_FOR_RESOURCES.at(at, &[&name])),
            NodeKind::ModuleDeclaration => return self.push(codes::NOT_FOR_MODULES.at(at, &[&name])),
            NodeKind::MetadataDeclaration => return self.push(codes::NOT_FOR_METADATA.at(at, &[&name])),
            _ => return self.push(codes::VALIDATOR_PLACE.at(at, &[&name])),
        };
        let Some(callee) = self.declared_callee(call) else { return };
        let Some(signature) = callee.first() else { return };
        if !signature.result.is_error() && !is_verdict(&signature.result) {
            self.push(codes::VALIDATOR_RESULT.at(at, &[&name, &signature.result, &VERDICT]));
        }
        match signature.parameters.first() {
            None => self.push(codes::VALIDATOR_VALUE.at(at, &[&name])),
            Some(first) => {
                // A validator is not asked about null.
                let ty = without_null(ty).unwrap_or_else(|| ty.clone());
                if !ty.is_error() && !first.ty.is_error() && !assignable(&ty, &first.ty) {
                    self.push(codes::DECORATOR_TARGET.at(at, &[&name, &first.ty, &ty]));
                }
            }
        }
        for argument in call.arguments() {
            self.early_argument(argument.node(), name, in_type);
        }
    }

    /// Reports what an argument of a validator reads that is not known when the validator is asked.
    fn early_argument(&mut self, argument: SyntaxNode<'m>, validator: &str, in_type: bool) {
        let hint = if in_type {
            "in a type, arguments are constants and variables that hold constants"
        } else {
            "arguments are made of constants, parameters and variables"
        };
        let mut seen: FxHashSet<SymbolId> = FxHashSet::default();
        // Each part of the program, with the place in the argument that leads to it and the name that does.
        let mut open: Vec<(SyntaxNode<'m>, Option<(Span, SymbolId)>)> = vec![(argument, None)];
        while let Some((part, through)) = open.pop() {
            for node in part.subtree() {
                let unfit = match self.model.binding(node.id()) {
                    Binding::Symbol(symbol) => match self.model.symbol(symbol).kind {
                        SymbolKind::Variable | SymbolKind::Function => {
                            let is_use =
                                matches!(node.kind(), NodeKind::VariableAccess | NodeKind::FunctionCall);
                            if is_use && self.model.cycle(symbol).is_none() && seen.insert(symbol) {
                                let place = through.unwrap_or((node.span(), symbol));
                                open.push((self.model.node_of(symbol), Some(place)));
                            }
                            false
                        }
                        SymbolKind::Parameter => in_type,
                        SymbolKind::Resource
                        | SymbolKind::Module
                        | SymbolKind::Test
                        | SymbolKind::Assert
                        | SymbolKind::Extension
                        | SymbolKind::This
                        | SymbolKind::Base => true,
                        SymbolKind::Metadata
                        | SymbolKind::Type
                        | SymbolKind::Output
                        | SymbolKind::ParameterAssignment
                        | SymbolKind::ExtensionConfig
                        | SymbolKind::WildcardImport
                        | SymbolKind::Imported(_)
                        | SymbolKind::FailedImport
                        | SymbolKind::LoopItem
                        | SymbolKind::LoopIndex
                        | SymbolKind::LambdaParameter
                        | SymbolKind::FunctionParameter
                        | SymbolKind::Inherited => false,
                    },
                    Binding::Function(function) => {
                        let late = function.flags.contains(F::REQUIRES_INLINING)
                            || function.flags.contains(F::PARAM_DEFAULTS_ONLY);
                        let loaded = matches!(function.becomes, Becomes::Loaded);
                        late || in_type && !loaded && function.purity == Purity::Impure
                    }
                    _ => false,
                };
                if !unfit {
                    continue;
                }
                let name = node.text();
                let name = name.split(['(', '\n']).next().unwrap_or_default().trim();
                let (at, way) = match through {
                    None => (node.span(), String::new()),
                    Some((at, symbol)) => {
                        (at, format!(", it comes through `{}`", self.model.symbol(symbol).name))
                    }
                };
                self.push(codes::VALIDATOR_ARGUMENT.at(at, &[&name, &validator, &way, &hint]));
                // One of them is enough.
                return;
            }
        }
    }

    /// Functions that are called like the decorator of secrets.
    pub(super) fn hidden_secure(&mut self) {
        if self.model.dialect == Dialect::Public {
            return;
        }
        let model = self.model;
        let functions = model.symbols().filter(|(id, symbol)| {
            symbol.name == SECURE.name
                && match symbol.kind {
                    SymbolKind::Function => true,
                    SymbolKind::Imported(_) => {
                        model.imported_item(*id).is_some_and(|(item, _)| item.kind == ExportKind::Function)
                    }
                    _ => false,
                }
        });
        let places: Vec<Span> = functions.filter_map(|(id, _)| self.name_span(id)).collect();
        for at in places {
            self.push(codes::HIDDEN_SECURE.at(at, &[&SECURE.name]));
        }
    }
}

const VERDICT: &str = "{ kind: 'success' } | { kind: 'failure', errorMessage: string }";

/// Tells whether all values of a type are verdicts.
/// An object of which nothing is known may be one.
pub(crate) fn is_verdict(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Any => true,
        TyKind::Union(members) => {
            !members.is_empty() && members.iter().all(|member| is_verdict(&member.get()))
        }
        TyKind::Discriminated(union) => union.members.iter().all(|(_, member)| is_verdict(&member.get())),
        TyKind::Object(object) => {
            let Some(kind) = object.properties.get("kind") else {
                return object.properties.is_empty() && ty.is_same(&Ty::object());
            };
            let succeeds = Ty::string_literal("success");
            let verdicts = crate::types::union_of([succeeds.clone(), Ty::string_literal("failure")]);
            let message = object.properties.get("errorMessage");
            let says_why = message.is_some_and(|message| {
                message.flags.contains(PropertyFlags::REQUIRED)
                    && assignable(&message.ty.get(), &Ty::string())
            });
            let kind_type = kind.ty.get();
            kind.flags.contains(PropertyFlags::REQUIRED)
                && assignable(&kind_type, &verdicts)
                && (says_why || assignable(&kind_type, &succeeds))
        }
        _ => false,
    }
}
