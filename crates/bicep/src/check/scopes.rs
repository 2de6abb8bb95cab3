//! Scopes: where resources and modules are deployed, and whether they can be.

use syntax::Span;
use syntax::ast::{AstNode as _, Expr, Statement};

use super::{Checker, nodes};
use crate::codes;
use crate::symbols::{ResourceId, SymbolId, SymbolKind};
use crate::types::{ResourceTy, Scopes, TyKind, scope_names, scope_of};

/// Where something is deployed.
#[derive(Clone, Copy, Debug)]
struct DeployedScope {
    scope: Scopes,
    /// Whether the scope is named, and not the one of the file.
    is_named: bool,
    /// How many of its parts are named.
    arguments: usize,
    /// The resource that it is an extension of.
    resource: Option<SymbolId>,
}

impl<'m> Checker<'m> {
    /// Checks the scopes of resources and modules.
    pub(super) fn scopes(&mut self) {
        let model = self.model;
        let ids: Vec<ResourceId> = model.all_resources().map(|(id, _)| id).collect();
        for id in ids {
            if self.is_sound(id) {
                self.resource_scope(id);
            }
        }
        for symbol in model.declarations.modules.clone() {
            self.module_scope(symbol);
        }
    }

    fn resource_scope(&mut self, id: ResourceId) {
        let model = self.model;
        let resource = model.resource(id);
        let symbol = resource.symbol;
        let declared = self.declared_resource(symbol);
        let Some(ty) = declared.as_resource() else { return };
        if ty.extension.is_some() {
            return;
        }
        let scope = self.body_value(symbol, "scope");
        let ancestors = model.ancestors(id);
        let at = scope.map_or_else(|| self.value_span(symbol), |scope| scope.span());
        if let Some(first) = ancestors.first() {
            if let Some(scope) = scope {
                self.push(codes::CHILD_SCOPE.at(scope.span(), &[]));
                return;
            }
            let root = model.resource(first.resource);
            let place = self.place_of(first.resource, 0);
            if !resource.is_existing && root.is_existing && !self.is_deployable(place) {
                let name = &model.symbol(root.symbol).name;
                self.push(codes::PARENT_SCOPE.at(self.value_span(symbol), &[name]));
                return;
            }
            if !resource.is_existing {
                self.restrictions(ty, place, at);
            }
            return;
        }
        let place = self.requested(ty.scopes, scope, symbol, Some(codes::RESOURCE_SCOPE));
        let place = place.unwrap_or(DeployedScope {
            scope: model.target,
            is_named: false,
            arguments: 0,
            resource: None,
        });
        if resource.is_existing || model.cycle(symbol).is_some() {
            return;
        }
        self.restrictions(ty, place, at);
    }

    fn restrictions(&mut self, ty: &ResourceTy, place: DeployedScope, at: Span) {
        if !self.is_deployable(place) {
            self.push(codes::RESOURCE_SCOPE_DIFFERS.at(at, &[]));
        }
        let root = self.root_of(place, 0);
        if !ty.read_only_scopes.is_empty()
            && !root.scope.is_empty()
            && ty.read_only_scopes.contains(root.scope)
        {
            let writable = ty.scopes.difference(ty.read_only_scopes);
            let names = codes::list(scope_names(writable, ",").split(','));
            self.push(codes::READ_ONLY_TYPE_AT_SCOPE.at(at, &[&ty.reference.full_name(), &names]));
        }
    }

    fn value_span(&self, symbol: SymbolId) -> Span {
        match self.model.statement_of(symbol) {
            Some(Statement::ResourceDeclaration(it)) => it.value().span(),
            Some(Statement::ModuleDeclaration(it)) => it.value().span(),
            _ => self.model.node_of(symbol).span(),
        }
    }

    /// Where a resource is deployed.
    fn place_of(&mut self, id: ResourceId, depth: usize) -> DeployedScope {
        const MAX_DEPTH: usize = 64;
        let model = self.model;
        let here = DeployedScope { scope: model.target, is_named: false, arguments: 0, resource: None };
        if depth > MAX_DEPTH {
            return here;
        }
        let root = model.ancestors(id).first().map_or(id, |first| first.resource);
        let symbol = model.resource(root).symbol;
        let scope = self.body_value(symbol, "scope");
        let declared = self.declared_resource(symbol);
        let scopes = declared.as_resource().map_or(Scopes::all(), |ty| ty.scopes);
        self.requested(scopes, scope, symbol, None).unwrap_or(here)
    }

    /// The place that a chain of extended resources ends at.
    fn root_of(&mut self, place: DeployedScope, depth: usize) -> DeployedScope {
        const MAX_DEPTH: usize = 64;
        match place.resource.and_then(|symbol| self.model.resource_id(symbol)) {
            Some(id) if depth < MAX_DEPTH && self.model.cycle(self.model.resource(id).symbol).is_none() => {
                let next = self.place_of(id, depth + 1);
                self.root_of(next, depth + 1)
            }
            _ => place,
        }
    }

    fn is_deployable(&mut self, place: DeployedScope) -> bool {
        let root = self.root_of(place, 0);
        root.scope == Scopes::TENANT || (root.scope == self.model.target && !root.is_named)
    }

    /// The scope that is asked for; scopes that are not possible are reported by `rule`.
    fn requested(
        &mut self,
        possible: Scopes,
        scope: Option<Expr<'m>>,
        owner: SymbolId,
        rule: Option<codes::DiagnosticCode>,
    ) -> Option<DeployedScope> {
        let model = self.model;
        let report = |checker: &mut Self, at: Span, found: Scopes| {
            if let Some(rule) = rule {
                let names = codes::list(scope_names(possible, ",").split(','));
                checker.push(rule.at(at, &[&scope_names(found, " | "), &names]));
            }
        };
        let Some(scope) = scope else {
            if !possible.contains(model.target) {
                let at = self.value_span(owner);
                report(self, at, model.target);
            }
            return None;
        };
        let ty = self.ty(scope);
        if let Some((kind, arguments)) = scope_of(&ty) {
            if !possible.contains(kind) {
                report(self, scope.span(), kind);
                return None;
            }
            let arguments = arguments.len();
            return Some(DeployedScope { scope: kind, is_named: arguments > 0, arguments, resource: None });
        }
        let (base, index) = nodes::unindexed(scope);
        let symbol = model.symbol_in(base);
        match symbol.map(|symbol| (symbol, model.symbol(symbol).kind)) {
            Some((symbol, SymbolKind::Resource)) => {
                let target = self.declared_resource(symbol);
                let target = target.as_resource()?;
                if self.is_collection(symbol) && index.is_none() {
                    return None;
                }
                let group = if target.reference.is("Microsoft.Resources/resourceGroups") {
                    Some(Scopes::RESOURCE_GROUP)
                } else if target.reference.is("Microsoft.Management/managementGroups") {
                    Some(Scopes::MANAGEMENT_GROUP)
                } else {
                    None
                };
                // A group that cannot be where it is said to be is a resource like any other.
                let (kind, named) = match group {
                    Some(group) if !self.is_misplaced(symbol, target.scopes) => (group, true),
                    _ => (Scopes::RESOURCE, false),
                };
                if !possible.contains(kind) {
                    report(self, scope.span(), kind);
                    return None;
                }
                let resource = (!named).then_some(symbol);
                Some(DeployedScope { scope: kind, is_named: named, arguments: usize::from(named), resource })
            }
            Some((symbol, SymbolKind::Module)) => {
                if self.is_collection(symbol) == index.is_some() {
                    report(self, scope.span(), Scopes::MODULE);
                }
                None
            }
            Some((symbol, SymbolKind::Parameter)) if ty.as_resource().is_some() => {
                if rule.is_some() {
                    let name = &model.symbol(symbol).name;
                    self.push(codes::RESOURCE_PARAMETER_AS_SCOPE.at(scope.span(), &[name]));
                }
                None
            }
            _ => {
                if symbol.is_none()
                    && let TyKind::Union(members) = ty.kind()
                    && !members.is_empty()
                    && members.iter().all(|member| member.get().is_scope())
                    && rule.is_some()
                {
                    self.push(codes::UNKNOWN_SCOPE_KIND.at(scope.span(), &[]));
                }
                None
            }
        }
    }

    /// Tells whether the scope of a resource is none that its type can have.
    fn is_misplaced(&mut self, symbol: SymbolId, possible: Scopes) -> bool {
        let model = self.model;
        let Some(scope) = self.body_value(symbol, "scope") else { return !possible.contains(model.target) };
        if let Some((kind, _)) = scope_of(&self.ty(scope)) {
            return !possible.contains(kind);
        }
        let (base, index) = nodes::unindexed(scope);
        let Some(target) = model.symbol_in(base) else { return false };
        match model.symbol(target).kind {
            SymbolKind::Resource => [Scopes::RESOURCE, Scopes::RESOURCE_GROUP, Scopes::MANAGEMENT_GROUP]
                .into_iter()
                .all(|kind| !possible.contains(kind)),
            SymbolKind::Module => self.is_collection(target) == index.is_some(),
            _ => false,
        }
    }

    fn module_scope(&mut self, symbol: SymbolId) {
        let model = self.model;
        let declared = self.declared_module(symbol);
        let TyKind::Module(possible, _) = declared.kind() else { return };
        let scope = self.body_value(symbol, "scope");
        let place = self.requested(*possible, scope, symbol, Some(codes::MODULE_SCOPE));
        let place = place.unwrap_or(DeployedScope {
            scope: model.target,
            is_named: false,
            arguments: 0,
            resource: None,
        });
        let target = model.target;
        let from = |scopes: &[Scopes]| scopes.contains(&target);
        let (tenant, group) = (Scopes::TENANT, Scopes::MANAGEMENT_GROUP);
        let (subscription, resource_group) = (Scopes::SUBSCRIPTION, Scopes::RESOURCE_GROUP);
        let valid = match place.scope {
            Scopes::TENANT => from(&[tenant, group, subscription, resource_group]),
            Scopes::MANAGEMENT_GROUP => from(&[tenant, group]),
            Scopes::SUBSCRIPTION if place.is_named => from(&[tenant, group, subscription, resource_group]),
            Scopes::SUBSCRIPTION => from(&[subscription, resource_group]),
            Scopes::RESOURCE_GROUP if place.arguments > 1 => {
                from(&[tenant, group, subscription, resource_group])
            }
            Scopes::RESOURCE_GROUP if place.is_named => from(&[subscription, resource_group]),
            Scopes::RESOURCE_GROUP => from(&[resource_group]),
            _ => false,
        };
        if valid {
            return;
        }
        let rule = match target {
            Scopes::TENANT => codes::MODULE_SCOPE_IN_TENANT,
            Scopes::MANAGEMENT_GROUP => codes::MODULE_SCOPE_IN_MANAGEMENT_GROUP,
            Scopes::SUBSCRIPTION => codes::MODULE_SCOPE_IN_SUBSCRIPTION,
            Scopes::RESOURCE_GROUP => codes::MODULE_SCOPE_IN_RESOURCE_GROUP,
            _ => return,
        };
        let at = scope.map_or_else(|| self.value_span(symbol), |scope| scope.span());
        self.push(rule.at(at, &[]));
    }
}
