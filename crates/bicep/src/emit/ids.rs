//! The ids of resources and of the deployments that modules become.
//!
//! An id begins with a scope, and the scope of an element of a collection is written where its loop is: read from
//! elsewhere, the variables of that loop stand for what the index picks. The public compiler replaces only those that
//! its name mentions, and leaves the others to `copyIndex()`, whatever loop that is in, or none. Both forms are made
//! here. Where they mean the same, which is common because loops often run over the same positions, its form is
//! written; where they do not, the right one.

use rustc_hash::FxHashSet;
use syntax::NodeId;
use syntax::ast::{AstNode as _, Expr};

use super::arena::ExprId;
use super::emitter::Emitter;
use super::references::DEPLOYMENTS;
use crate::layout::ScopeData;
use crate::symbols::{Ancestor, ResourceId, SymbolId};
use crate::types::Scopes;

/// How the scope of an element is read from outside its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// Every variable of a loop stands for what the index picks.
    Exact,
    /// As the public compiler does it.
    ByName,
}

impl<'u> Emitter<'u> {
    /// The id of a resource.
    pub(crate) fn resource_id_expression(&mut self, id: ResourceId) -> ExprId {
        let model = self.unit.model;
        let segments = self.name_segments(id);
        let scope = self.unit.scopes.get(id.0 as usize).copied().unwrap_or_default();
        let ty = model.resource(id).ty.as_ref().map_or("", |ty| ty.name.as_str());
        let ancestors = model.ancestors(id);
        let outer = self.locals.len();
        // The scope of a child is the one of its outermost parent.
        for ancestor in ancestors.iter().rev() {
            self.enter(ancestor.resource, ancestor.index);
        }
        let exact = self.id_at(scope, ty, &segments, Reading::Exact, 0);
        self.locals.truncate(outer);
        let name = model.body_property(&model.resource(id).body, "name").map(|name| name.node().id());
        let index = ancestors.last().and_then(|parent| parent.index);
        let kept = self.locals.clone();
        let changed = self.keep_mentioned(model.resource(id).body.each, [name, index]);
        if !changed && scope.index.is_none() {
            return exact;
        }
        self.enter_by_name(scope, &ancestors);
        let by_name = self.id_at(scope, ty, &segments, Reading::ByName, 0);
        self.locals = kept;
        if self.arena.means_the_same(exact, by_name) { by_name } else { exact }
    }

    /// The id of the deployment that a module becomes.
    pub(super) fn module_id_expression(&mut self, symbol: SymbolId, index: Option<ExprId>) -> ExprId {
        let model = self.unit.model;
        let segments = [self.module_name(symbol, index)];
        let scope = self.unit.module_scope(symbol);
        let exact = self.id_at(scope, DEPLOYMENTS, &segments, Reading::Exact, 0);
        let Some(module) = model.module_of(symbol) else { return exact };
        let name = model.body_property(&module.body, "name").map(|name| name.node().id());
        let kept = self.locals.clone();
        if !self.keep_mentioned(module.body.each, [name]) && scope.index.is_none() {
            return exact;
        }
        let by_name = self.id_at(scope, DEPLOYMENTS, &segments, Reading::ByName, 0);
        self.locals = kept;
        if self.arena.means_the_same(exact, by_name) { by_name } else { exact }
    }

    /// Forgets what the variables of a loop stand for, except for those that one of the nodes mentions. Tells whether
    /// there was anything to forget.
    fn keep_mentioned<const N: usize>(&mut self, each: Option<NodeId>, nodes: [Option<NodeId>; N]) -> bool {
        let model = self.unit.model;
        let Some(each) = each.and_then(|each| self.loop_at(each)) else { return false };
        let Some(scope) = model.scope_of(each.body().node().id()) else { return false };
        let mentioned: FxHashSet<SymbolId> =
            nodes.into_iter().flatten().flat_map(|node| model.mentions(model.file.node(node))).collect();
        let before = self.locals.len();
        self.locals.retain(|(local, _)| !scope.symbols.contains(local) || mentioned.contains(local));
        self.locals.len() < before
    }

    /// Moves to the scope of a child as the public compiler does: the index of the outermost parent picks the scope.
    fn enter_by_name(&mut self, scope: ScopeData, ancestors: &[Ancestor]) {
        let Some((root, inner)) = ancestors.split_first() else { return };
        for ancestor in inner.iter().rev() {
            self.enter(ancestor.resource, ancestor.index);
        }
        if let Some(owner) = self.owner(scope) {
            self.enter(owner, root.index);
        }
        self.enter(root.resource, root.index);
    }

    /// The resource that a scope is, or whose name it has.
    fn owner(&self, scope: ScopeData) -> Option<ResourceId> {
        let model = self.unit.model;
        let name = scope.resource_group.or(scope.management_group);
        scope.resource.or_else(|| {
            let name = name.filter(|_| scope.index.is_some())?;
            let mut all = model.all_resources();
            let is_name = |value: Expr<'_>| value.node().id() == name;
            all.find(|(_, it)| model.body_property(&it.body, "name").is_some_and(is_name)).map(|(id, _)| id)
        })
    }

    /// Moves to where the scope of a resource or module is declared: its name is read there.
    pub(super) fn enter_scope(&mut self, scope: ScopeData) {
        if let Some(owner) = self.owner(scope) {
            self.enter(owner, scope.index);
        }
    }

    fn id_at(
        &mut self,
        scope: ScopeData,
        ty: &str,
        segments: &[ExprId],
        reading: Reading,
        depth: usize,
    ) -> ExprId {
        const MAX_EXTENDED: usize = 32;
        let outer = self.locals.len();
        if reading == Reading::Exact {
            self.enter_scope(scope);
        }
        let ty = self.arena.text(ty);
        let with = |first: &[ExprId]| [first, &[ty], segments].concat();
        let result = match scope.kind {
            Scopes::TENANT => self.arena.call("tenantResourceId", &with(&[])),
            Scopes::SUBSCRIPTION => {
                let subscription: Vec<ExprId> =
                    scope.subscription.into_iter().map(|node| self.convert_node(node)).collect();
                self.arena.call("subscriptionResourceId", &with(&subscription))
            }
            Scopes::MANAGEMENT_GROUP => {
                let group = match scope.management_group {
                    Some(name) => self.management_group_id(name, true),
                    None => {
                        let group = self.arena.call("managementGroup", &[]);
                        self.arena.property(group, "id")
                    }
                };
                self.arena.call("extensionResourceId", &with(&[group]))
            }
            Scopes::RESOURCE if depth < MAX_EXTENDED => match scope.resource {
                Some(resource) => {
                    let extended = self.extended_id(resource, reading, depth);
                    self.arena.call("extensionResourceId", &with(&[extended]))
                }
                None => self.arena.call("resourceId", &with(&[])),
            },
            _ => match scope.resource_group {
                Some(group) => {
                    let subscription = match scope.subscription {
                        Some(subscription) => self.convert_node(subscription),
                        None => self.current_subscription(),
                    };
                    let group = self.convert_node(group);
                    let format = self.arena.text("/subscriptions/{0}/resourceGroups/{1}");
                    let scope = self.arena.call("format", &[format, subscription, group]);
                    self.arena.call("extensionResourceId", &with(&[scope]))
                }
                None => self.arena.call("resourceId", &with(&[])),
            },
        };
        self.locals.truncate(outer);
        result
    }

    /// The id of a resource that another one extends.
    fn extended_id(&mut self, resource: ResourceId, reading: Reading, depth: usize) -> ExprId {
        let model = self.unit.model;
        let names = self.name_segments(resource);
        let scope = self.unit.scopes.get(resource.0 as usize).copied().unwrap_or_default();
        let ty = model.resource(resource).ty.as_ref().map_or("", |ty| ty.name.as_str());
        let outer = self.locals.len();
        if reading == Reading::Exact {
            for ancestor in model.ancestors(resource).iter().rev() {
                self.enter(ancestor.resource, ancestor.index);
            }
        }
        let id = self.id_at(scope, ty, &names, reading, depth + 1);
        self.locals.truncate(outer);
        id
    }

    pub(super) fn current_subscription(&mut self) -> ExprId {
        let subscription = self.arena.call("subscription", &[]);
        self.arena.property(subscription, "subscriptionId")
    }

    /// The id of a management group; the engine wants a short one in some places.
    pub(super) fn management_group_id(&mut self, name: NodeId, full: bool) -> ExprId {
        const TYPE: &str = "Microsoft.Management/managementGroups";
        let name = self.convert_node(name);
        if full {
            let ty = self.arena.text(TYPE);
            return self.arena.call("tenantResourceId", &[ty, name]);
        }
        let format = self.arena.text(&format!("{TYPE}/{{0}}"));
        self.arena.call("format", &[format, name])
    }

    /// The template expression for an expression of the file.
    pub(super) fn convert_node(&mut self, node: NodeId) -> ExprId {
        match Expr::cast(self.unit.model.file.node(node)) {
            Some(expression) => self.convert(expression),
            None => self.arena.text(""),
        }
    }
}
