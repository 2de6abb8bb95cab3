//! A file with all that has to be known before a template can be written from it.

use std::cmp::Reverse;
use std::sync::Arc;

use arm::Value;
use rustc_hash::FxHashMap;
use syntax::ast::Expr;
use syntax::{NodeId, NodeKind, SyntaxNode};

use super::host::EmitHost;
use super::loads;
use crate::layout::{
    Dependencies, Inlined, ScopeData, TemplateForm, dependencies, module_scope, resource_scopes,
};
use crate::symbols::{CallSyntax, Model, SymbolId};
use crate::types::FunctionFlags as F;
use syntax::ast::AstNode as _;

/// A file, worked out for writing.
pub(crate) struct Unit<'m> {
    pub(crate) model: &'m Model,
    pub(crate) settings: TemplateForm,
    /// The results of calls that are made when compiling.
    pub(crate) loads: FxHashMap<NodeId, Value>,
    /// The calls whose results become variables of their own, in source order.
    pub(crate) hoists: Vec<NodeId>,
    hoisted: FxHashMap<NodeId, usize>,
    pub(crate) inlined: Arc<Inlined>,
    pub(crate) scopes: Vec<ScopeData>,
    pub(crate) module_scopes: FxHashMap<SymbolId, ScopeData>,
    pub(crate) dependencies: Dependencies,
}

impl<'m> Unit<'m> {
    /// Works out a file that becomes a template.
    pub(crate) fn new(host: &dyn EmitHost, model: &'m Model) -> Unit<'m> {
        let mut unit = Unit::imported(host, model);
        unit.settings = TemplateForm::of(model, host.options());
        unit.scopes = resource_scopes(model);
        unit.module_scopes =
            model.modules.iter().map(|module| (module.symbol, module_scope(model, module))).collect();
        unit.inlined = host.checked(model).inlined;
        unit.dependencies = dependencies(model);
        unit
    }

    /// Works out a parameters file.
    pub(crate) fn params(host: &dyn EmitHost, model: &'m Model) -> Unit<'m> {
        let mut unit = Unit::imported(host, model);
        unit.inlined = host.checked(model).inlined;
        unit
    }

    /// Works out a file that others only import from.
    pub(crate) fn imported(host: &dyn EmitHost, model: &'m Model) -> Unit<'m> {
        let mut unit = Unit {
            model,
            settings: TemplateForm::default(),
            loads: FxHashMap::default(),
            hoists: Vec::new(),
            hoisted: FxHashMap::default(),
            inlined: Arc::default(),
            scopes: Vec::new(),
            module_scopes: FxHashMap::default(),
            dependencies: Dependencies::default(),
        };
        unit.load(&host.checked(model).loads);
        unit
    }

    fn load(&mut self, loaded: &FxHashMap<NodeId, Value>) {
        let root = self.model.file.tree.root();
        let calls = root
            .subtree()
            .filter(|node| matches!(node.kind(), NodeKind::FunctionCall | NodeKind::InstanceFunctionCall));
        let mut found: Vec<(SyntaxNode<'m>, Value)> = calls
            .filter_map(|node| {
                let call = Expr::cast(node).and_then(CallSyntax::of)?;
                let value = loaded.get(&node.id()).cloned().or_else(|| loads::value_of(self.model, call))?;
                Some((node, value))
            })
            .collect();
        // The calls are numbered as they begin, outer ones first.
        found.sort_by_key(|(node, _)| (node.span().start, Reverse(node.span().end)));
        for (node, value) in found {
            self.keep(node, value);
        }
    }

    fn keep(&mut self, node: SyntaxNode<'m>, value: Value) {
        let mut around = std::iter::successors(self.model.parent(node), |node| self.model.parent(*node));
        let in_function = around.any(|node| node.kind() == NodeKind::FunctionDeclaration);
        let flags =
            self.model.binding(node.id()).function().map(|function| function.flags).unwrap_or_default();
        let direct =
            self.model.parent(node).is_some_and(|parent| parent.kind() == NodeKind::VariableDeclaration);
        if !in_function && (flags.contains(F::HOIST_ALWAYS) || flags.contains(F::HOIST_INDIRECT) && !direct) {
            self.hoisted.insert(node.id(), self.hoists.len());
            self.hoists.push(node.id());
        }
        self.loads.insert(node.id(), value);
    }

    /// The number of the variable that a call's result becomes.
    pub(crate) fn hoisted(&self, call: NodeId) -> Option<usize> {
        self.hoisted.get(&call).copied()
    }

    /// The scope of a module.
    pub(crate) fn module_scope(&self, module: SymbolId) -> ScopeData {
        self.module_scopes.get(&module).copied().unwrap_or_default()
    }
}

/// The name of the variable that a call's result becomes.
pub(crate) fn hoist_name(number: usize) -> String {
    format!("$fxv#{number}")
}
