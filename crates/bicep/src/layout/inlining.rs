//! Which variables and existing resources have no place of their own in a template.
//!
//! A variable that needs the deployment is written out wherever it is used. What it mentions, in source order, decides:
//! see [`Event`]. An existing resource whose name needs the deployment is likewise only ever named by its id.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::ast::{AstNode as _, Expr, InstanceFunctionCall, PropertyAccess, Statement};
use syntax::{NodeKind, SyntaxNode};

use super::resource_type;
use super::scopes::ScopeData;
use crate::files::ReferenceKind;
use crate::symbols::{Binding, CallSyntax, Model, ModuleTarget, ResourceId, SymbolId, SymbolKind};
use crate::types::{FunctionFlags as F, Ty};

/// What is not written at its own place.
#[derive(Debug, Default)]
pub(crate) struct Inlined {
    pub(crate) variables: FxHashSet<SymbolId>,
    pub(crate) resources: FxHashSet<ResourceId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Keep,
    Inline,
    /// Keep, and a resource that is mentioned later does not change that.
    Skip,
}

/// Something that a variable or name mentions.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A built-in function, and whether it needs the deployment.
    Call(bool),
    /// A variable or parameter assignment.
    Variable(SymbolId),
    /// A resource or module as a whole.
    Whole,
    /// A property of a resource or module that is known at the start, or unknown to its type.
    Constant,
    /// A property of a resource or module that the deployment gives.
    Runtime,
    /// The id or name of a resource.
    Identity(SymbolId),
}

/// The types of the bodies of resources, as they were given; none for a body that can be one of several types.
pub(crate) type Bodies = FxHashMap<SymbolId, Ty>;

/// Decides for all variables, parameter assignments and existing resources of a file.
pub(crate) fn inlined(model: &Model, scopes: &[ScopeData], bodies: &Bodies) -> Inlined {
    let mut search = Search { model, scopes, bodies, base: OnceCell::new(), done: FxHashMap::default() };
    let declarations = &model.declarations;
    for symbol in
        declarations.variables.iter().chain(&declarations.assignments).chain(&declarations.resources)
    {
        search.decide(*symbol);
    }
    let mut found = Inlined::default();
    let mut decided: Vec<_> =
        search.done.into_iter().filter(|(_, decision)| *decision == Decision::Inline).collect();
    decided.sort_unstable_by_key(|(symbol, _)| *symbol);
    for (symbol, _) in decided {
        match model.resource_id(symbol) {
            Some(resource) => drop(found.resources.insert(resource)),
            None => drop(found.variables.insert(symbol)),
        }
    }
    found
}

struct Search<'m> {
    model: &'m Model,
    scopes: &'m [ScopeData],
    bodies: &'m Bodies,
    /// The parameters of the extended file that need an input of the deployment.
    base: OnceCell<FxHashSet<SmolStr>>,
    done: FxHashMap<SymbolId, Decision>,
}

impl<'m> Search<'m> {
    /// Decides for a symbol after all that it depends on, without recursion.
    fn decide(&mut self, symbol: SymbolId) {
        let mut open: Vec<(SymbolId, bool)> = vec![(symbol, false)];
        let mut seen = FxHashSet::default();
        while let Some((symbol, ready)) = open.pop() {
            if self.done.contains_key(&symbol) {
                continue;
            }
            if ready {
                let decision = self.weigh(symbol);
                self.done.insert(symbol, decision);
                continue;
            }
            // A cycle of declarations is an error; it only must not keep the search going.
            if !seen.insert(symbol) {
                continue;
            }
            open.push((symbol, true));
            open.extend(self.needs(symbol).into_iter().map(|needed| (needed, false)));
        }
    }

    fn needs(&self, symbol: SymbolId) -> Vec<SymbolId> {
        let mut needed: Vec<SymbolId> =
            self.above(symbol).into_iter().map(|id| self.model.resource(id).symbol).collect();
        needed.extend(self.events(symbol).into_iter().filter_map(|event| match event {
            Event::Variable(symbol) | Event::Identity(symbol) => Some(symbol),
            _ => None,
        }));
        needed
    }

    /// The resources that a resource is a child or an extension of.
    fn above(&self, symbol: SymbolId) -> Vec<ResourceId> {
        let Some(id) = self.model.resource_id(symbol) else { return Vec::new() };
        let ancestors = self.model.ancestors(id).into_iter().map(|ancestor| ancestor.resource);
        let scope = self.scopes.get(id.0 as usize).and_then(|scope| scope.resource);
        ancestors.chain(scope).collect()
    }

    fn weigh(&self, symbol: SymbolId) -> Decision {
        let is_inline = |symbol: SymbolId| self.done.get(&symbol) == Some(&Decision::Inline);
        if let Some(id) = self.model.resource_id(symbol) {
            let resource = self.model.resource(id);
            if !resource.is_existing || resource.extension.is_some() {
                return Decision::Skip;
            }
            let mut above = false;
            for ancestor in self.model.ancestors(id) {
                let ancestor = self.model.resource(ancestor.resource);
                above = ancestor.is_existing && (above || is_inline(ancestor.symbol));
            }
            let scope = self.scopes.get(id.0 as usize).and_then(|scope| scope.resource);
            if above || scope.is_some_and(|scope| is_inline(self.model.resource(scope).symbol)) {
                return Decision::Inline;
            }
        }
        let mut decision = Decision::Keep;
        for event in self.events(symbol) {
            decision = match event {
                _ if decision == Decision::Inline => return decision,
                Event::Call(needs) => {
                    if needs {
                        Decision::Inline
                    } else {
                        Decision::Keep
                    }
                }
                Event::Variable(symbol) => {
                    if is_inline(symbol) {
                        Decision::Inline
                    } else {
                        Decision::Keep
                    }
                }
                Event::Whole if decision == Decision::Skip => Decision::Skip,
                Event::Whole | Event::Runtime => Decision::Inline,
                Event::Constant => Decision::Skip,
                Event::Identity(symbol) => {
                    if is_inline(symbol) {
                        Decision::Inline
                    } else {
                        Decision::Skip
                    }
                }
            };
        }
        decision
    }

    /// What the value of a variable, or the parts of a resource that identify it, mention.
    fn events(&self, symbol: SymbolId) -> Vec<Event> {
        let mut events = Vec::new();
        match self.model.statement_of(symbol) {
            Some(Statement::VariableDeclaration(it)) => self.collect(it.node(), &mut events),
            Some(Statement::ParameterAssignment(it)) => self.collect(it.node(), &mut events),
            Some(Statement::ResourceDeclaration(it)) => {
                let Expr::Object(object) = it.value() else { return events };
                for property in object.properties() {
                    if !matches!(property.key().constant().as_deref(), Some("dependsOn" | "parent" | "scope"))
                    {
                        self.collect(property.node(), &mut events);
                    }
                }
            }
            _ => {}
        }
        events
    }

    fn collect(&self, node: SyntaxNode<'m>, events: &mut Vec<Event>) {
        match node.kind() {
            NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => {
                let brought = Expr::cast(node).and_then(CallSyntax::of);
                let brought = brought.and_then(|call| self.model.extension_function(call));
                if brought.is_some_and(|function| function.needs_input()) {
                    events.push(Event::Call(true));
                }
                let flags = match self.model.binding(node.id()) {
                    Binding::Function(function) => Some(function.flags),
                    Binding::Decorator(decorator) => Some(decorator.targets(self.model.dialect)),
                    _ => self.list_method(node).map(|function| function.flags),
                };
                if let Some(flags) = flags {
                    events.push(Event::Call(flags.intersects(F::REQUIRES_INLINING | F::EXTERNAL_INPUT)));
                    if flags.contains(F::IGNORES_VALUES) {
                        return;
                    }
                }
            }
            NodeKind::VariableAccess | NodeKind::ResourceAccess => {
                if let Binding::Symbol(symbol) = self.model.binding(node.id()) {
                    match self.model.symbol(symbol).kind {
                        SymbolKind::Variable | SymbolKind::ParameterAssignment => {
                            events.push(Event::Variable(symbol))
                        }
                        SymbolKind::Resource | SymbolKind::Module => events.push(Event::Whole),
                        SymbolKind::Parameter if self.gives_resource(symbol) => events.push(Event::Whole),
                        _ => {}
                    }
                }
            }
            NodeKind::PropertyAccess => {
                if let Some(access) = PropertyAccess::cast(node)
                    && let Some(event) = self.property(access)
                {
                    events.push(event);
                    return;
                }
            }
            _ => {}
        }
        for child in node.child_nodes() {
            self.collect(child, events);
        }
    }

    /// The built-in function behind `resource.listKeys()`.
    fn list_method(&self, node: SyntaxNode<'m>) -> Option<&'static crate::functions::Function> {
        let call = InstanceFunctionCall::cast(node)?;
        let name = call.name().text();
        let base = resolve(self.model, call.base())?;
        let is_resource = self.model.symbol(base).kind == SymbolKind::Resource;
        (is_resource && name.starts_with("list"))
            .then(|| self.model.visibility().function(crate::types::BuiltIn::Az, name))
            .flatten()
    }

    /// Tells whether a parameter is a resource.
    fn gives_resource(&self, symbol: SymbolId) -> bool {
        match self.model.statement_of(symbol) {
            Some(Statement::ParameterDeclaration(parameter)) => resource_type(parameter.ty()).is_some(),
            _ => false,
        }
    }

    fn property(&self, access: PropertyAccess<'m>) -> Option<Event> {
        let symbol = resolve(self.model, access.base())?;
        let name = access.name().text();
        match self.model.symbol(symbol).kind {
            SymbolKind::Resource => {
                let resource = self.model.resource_of(symbol)?;
                resource.ty.as_ref()?;
                if resource.extension.is_some() {
                    return Some(Event::Runtime);
                }
                // Without one type to ask, this is a mention of the whole resource.
                let body = self.bodies.get(&symbol)?.as_object()?;
                match name {
                    _ if !body.properties.contains_key(name) => Some(Event::Constant),
                    "id" | "name" => Some(Event::Identity(symbol)),
                    "type" | "apiVersion" => Some(Event::Constant),
                    _ => Some(Event::Runtime),
                }
            }
            SymbolKind::Base => {
                let late = self.base.get_or_init(|| late_in_base(self.model, 0));
                Some(Event::Call(late.contains(name)))
            }
            SymbolKind::Parameter if self.gives_resource(symbol) => Some(match name {
                "id" | "name" | "type" | "apiVersion" => Event::Constant,
                _ => Event::Runtime,
            }),
            SymbolKind::Module => Some(match name {
                "outputs" | "params" | "dependsOn" | "identity" | "extensionConfigs" => Event::Runtime,
                _ => Event::Constant,
            }),
            _ => None,
        }
    }
}

/// The parameters that a file takes over from the one it extends, and that need an input of the deployment.
fn late_in_base(model: &Model, depth: usize) -> FxHashSet<SmolStr> {
    const MAX_FILES: usize = 128;
    let Some(ModuleTarget::Bicep(parent)) = model.target_of(ReferenceKind::Extends) else {
        return FxHashSet::default();
    };
    if depth >= MAX_FILES {
        return FxHashSet::default();
    }
    let mut late = late_in_base(parent, depth + 1);
    let own = inlined(parent, &[], &Bodies::default()).variables;
    for symbol in &parent.declarations.assignments {
        let name = &parent.symbol(*symbol).name;
        if own.contains(symbol) {
            late.insert(name.clone());
        } else {
            late.remove(name);
        }
    }
    late
}

/// The symbol at the base of an access; elements of collections count as the collection.
fn resolve(model: &Model, expression: Expr<'_>) -> Option<SymbolId> {
    match expression {
        Expr::NonNullAssertion(it) => resolve(model, it.base()),
        Expr::ArrayAccess(it) => resolve(model, it.base()),
        expression => model.symbol_in(expression),
    }
}
