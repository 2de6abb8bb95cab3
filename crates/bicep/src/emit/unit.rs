//! A file with all that has to be known before a template can be written from it.

use arm::Value;
use rustc_hash::FxHashMap;
use syntax::ast::Expr;
use syntax::{NodeId, NodeKind, SyntaxNode};

use super::dependencies::{Dependencies, dependencies};
use super::inlining::{Inlined, inlined};
use super::loads;
use super::scopes::{ScopeData, module_scope, resource_scopes};
use super::settings::Settings;
use crate::Compiler;
use crate::functions::FunctionFlags as F;
use crate::symbols::{Call, Model, SymbolId};
use syntax::ast::AstNode as _;

/// A file, worked out for writing.
pub(crate) struct Unit<'m> {
    pub(crate) model: &'m Model,
    pub(crate) settings: Settings,
    /// The results of calls that are made when compiling.
    pub(crate) loads: FxHashMap<NodeId, Value>,
    /// The calls whose results become variables of their own, in source order.
    pub(crate) hoists: Vec<NodeId>,
    hoisted: FxHashMap<NodeId, usize>,
    pub(crate) inlined: Inlined,
    pub(crate) scopes: Vec<ScopeData>,
    pub(crate) module_scopes: FxHashMap<SymbolId, ScopeData>,
    pub(crate) dependencies: Dependencies,
}

impl<'m> Unit<'m> {
    /// Works out a file that becomes a template.
    pub(crate) fn new(compiler: &Compiler, model: &'m Model) -> Unit<'m> {
        let mut unit = Unit::imported(compiler, model);
        unit.settings = Settings::of(model, compiler.options());
        unit.scopes = resource_scopes(model);
        unit.module_scopes =
            model.modules.iter().map(|module| (module.symbol, module_scope(model, module))).collect();
        unit.inlined = inlined(model, &unit.scopes);
        unit.dependencies = dependencies(model);
        unit
    }

    /// Works out a parameters file.
    pub(crate) fn params(compiler: &Compiler, model: &'m Model) -> Unit<'m> {
        let mut unit = Unit::imported(compiler, model);
        unit.inlined = inlined(model, &[]);
        unit
    }

    /// Works out a file that others only import from.
    pub(crate) fn imported(compiler: &Compiler, model: &'m Model) -> Unit<'m> {
        let mut unit = Unit {
            model,
            settings: Settings::default(),
            loads: FxHashMap::default(),
            hoists: Vec::new(),
            hoisted: FxHashMap::default(),
            inlined: Inlined::default(),
            scopes: Vec::new(),
            module_scopes: FxHashMap::default(),
            dependencies: Dependencies::default(),
        };
        unit.load(&compiler.loads(&model.file.path), model.file.tree.root(), false);
        unit
    }

    fn load(&mut self, loaded: &FxHashMap<NodeId, Value>, node: SyntaxNode<'m>, in_function: bool) {
        let kind = node.kind();
        if matches!(kind, NodeKind::FunctionCall | NodeKind::InstanceFunctionCall) {
            self.load_call(loaded, node, in_function);
        }
        let in_function = in_function || kind == NodeKind::FunctionDeclaration;
        for child in node.child_nodes() {
            self.load(loaded, child, in_function);
        }
    }

    fn load_call(&mut self, loaded: &FxHashMap<NodeId, Value>, node: SyntaxNode<'m>, in_function: bool) {
        let Some(call) = Expr::cast(node).and_then(Call::of) else { return };
        let value = loaded.get(&node.id()).cloned().or_else(|| loads::value_of(self.model, call));
        let Some(value) = value else { return };
        let flags =
            self.model.binding(node.id()).function().map(|function| function.flags()).unwrap_or_default();
        let direct =
            self.model.parent(node).is_some_and(|parent| parent.kind() == NodeKind::VariableDeclaration);
        if !in_function && (flags.has(F::HOIST_ALWAYS) || flags.has(F::HOIST_INDIRECT) && !direct) {
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
