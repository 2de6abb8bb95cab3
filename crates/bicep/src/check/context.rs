//! Which values need a deployment: a parameters file is worked out before there is one, so it cannot import them.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use syntax::ast::{AstNode as _, Expr, Statement};

use super::{Checker, Interface};
use crate::functions::{Function, Purity};
use crate::symbols::{Binding, CallSyntax, SymbolId, SymbolKind};
use crate::types::TypeReference;

impl<'m> Checker<'m> {
    /// The functions that a variable or function calls, by whatever way, and that need a deployment.
    pub(super) fn context_functions(&mut self, symbol: SymbolId) -> Vec<SmolStr> {
        let mut found = Vec::new();
        self.collect_context(symbol, &mut FxHashSet::default(), &mut found, 0);
        found.sort();
        found.dedup();
        found
    }

    fn collect_context(
        &mut self,
        symbol: SymbolId,
        seen: &mut FxHashSet<SymbolId>,
        found: &mut Vec<SmolStr>,
        depth: usize,
    ) {
        const MAX_DEPTH: usize = 256;
        let model = self.model;
        if depth > MAX_DEPTH || !seen.insert(symbol) {
            return;
        }
        if let Some((item, source)) = model.imported_item(symbol)
            && let Ok(target) = &source.target
        {
            found.extend(needs(&self.around.interface(target), &item.original));
            return;
        }
        let root = match model.statement_of(symbol) {
            Some(Statement::VariableDeclaration(it)) => it.value().node(),
            Some(Statement::FunctionDeclaration(it)) => it.node(),
            _ => return,
        };
        for node in root.descendants() {
            let Some(expr) = Expr::cast(node) else { continue };
            match model.binding(node.id()) {
                Binding::Function(function) => {
                    if let Some(call) = CallSyntax::of(expr)
                        && !self.is_pure(function, call)
                    {
                        found.push(call.name().into());
                    }
                }
                Binding::Symbol(named) => self.collect_context(named, seen, found, depth + 1),
                _ => {}
            }
            let (base, name) = match expr {
                Expr::PropertyAccess(access) => (access.base(), access.name()),
                Expr::InstanceFunctionCall(call) => (call.base(), call.name()),
                _ => continue,
            };
            if let Some(space) = model.symbol_in(base)
                && model.symbol(space).kind == SymbolKind::WildcardImport
                && let Some(Ok(target)) = model.wildcard_source(space).map(|source| &source.target)
            {
                found.extend(needs(&self.around.interface(target), name.text()));
            }
        }
    }

    /// Tells whether a call gives the same wherever it is worked out.
    fn is_pure(&mut self, function: &Function, call: CallSyntax<'m>) -> bool {
        let scopes = match function.purity {
            Purity::Pure => return true,
            Purity::Impure => return false,
            Purity::WithScope(count) => count,
        };
        let arguments: Vec<Expr<'m>> = call.arguments().collect();
        arguments.len() >= scopes + 2
            && arguments.iter().take(scopes + 1).enumerate().all(|(place, argument)| {
                let ty = self.ty(*argument);
                ty.as_string_literal().is_some_and(|text| {
                    let is_type = TypeReference::parse(text).is_some_and(|ty| {
                        ty.segments() > 1 && ty.name.split('/').next().is_some_and(|it| it.contains('.'))
                    });
                    is_type == (place == scopes)
                })
            })
    }
}

fn needs(interface: &Interface, name: &str) -> Vec<SmolStr> {
    interface.context_functions.get(name).cloned().unwrap_or_default()
}
