//! Existing resources whose names are only known during the deployment.
//!
//! Such a resource has no place of its own in a template: it is named by its id wherever it is used. So nothing but
//! what makes up its id can be read of it, and it takes no part in explicit dependencies.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use syntax::ast::{AstNode as _, Expr, InstanceFunctionCall, ObjectProperty};
use syntax::{NodeKind, SyntaxNode};

use super::runtime::Container;
use super::{Checker, nodes};
use crate::codes;
use crate::layout::{Bodies, inlined, resource_scopes};
use crate::symbols::{CallSyntax, SymbolId, SymbolKind};
use crate::types::azure::{FIXED_PROPERTIES, IDENTIFIERS};
use crate::types::{FunctionFlags as F, PropertyFlags as P, Ty, TyKind};

impl<'m> Checker<'m> {
    /// Finds these resources, and what is asked of them in vain.
    pub(super) fn inlined(&mut self) {
        let model = self.model;
        let resources = &model.declarations.resources;
        let bodies: Bodies =
            resources.iter().filter_map(|symbol| Some((*symbol, self.body_type(*symbol)?))).collect();
        self.inlined = Arc::new(inlined(model, &resource_scopes(model), &bodies));
        if self.inlined.resources.is_empty() {
            return;
        }
        let found: FxHashSet<SymbolId> =
            self.inlined.resources.iter().map(|id| model.resource(*id).symbol).collect();
        let mut seen = FxHashSet::default();
        let mut order = Vec::new();
        let mut symbols: Vec<SymbolId> = found.iter().copied().collect();
        symbols.sort_unstable();
        for symbol in symbols {
            self.after_what_it_names(symbol, &mut seen, &mut order, 0);
        }
        for symbol in order.into_iter().filter(|symbol| found.contains(symbol)) {
            self.late_identity(symbol);
        }
        self.no_properties();
        self.no_dependencies(&found);
    }

    fn after_what_it_names(
        &self,
        symbol: SymbolId,
        seen: &mut FxHashSet<SymbolId>,
        order: &mut Vec<SymbolId>,
        depth: usize,
    ) {
        const MAX_DEPTH: usize = 256;
        if depth > MAX_DEPTH || !seen.insert(symbol) {
            return;
        }
        for node in self.model.node_of(symbol).descendants() {
            if matches!(node.kind(), NodeKind::VariableAccess | NodeKind::ResourceAccess)
                && let Some(named) = self.model.symbol_at(node)
                && self.model.symbol(named).kind == SymbolKind::Resource
            {
                self.after_what_it_names(named, seen, order, depth + 1);
            }
        }
        order.push(symbol);
    }

    /// Notes which parts of the identity of a resource are not known when the deployment starts.
    fn late_identity(&mut self, symbol: SymbolId) {
        let Some(body) = self.body_type(symbol) else { return };
        let TyKind::Object(object) = body.kind() else { return };
        let mut object = object.clone();
        let mut late = vec!["id"];
        for name in IDENTIFIERS {
            let Some(property) = self.body_member(symbol, name) else { continue };
            let container =
                Container::Property { name: name.into(), object: String::new(), is_link: name != "name" };
            let before = std::mem::take(&mut self.out);
            self.contained(&container, property.value().node());
            if !std::mem::replace(&mut self.out, before).is_empty() {
                late.push(name);
            }
        }
        for name in late {
            if let Some(property) = object.properties.get_mut(name) {
                property.flags =
                    property.flags.difference(P::READABLE_AT_DEPLOY_TIME.union(P::DEPLOY_TIME_CONSTANT));
            }
        }
        self.late_bodies.insert(symbol, Ty::flagged(TyKind::Object(object), body.flags()));
        // Variables were looked at while less was known.
        self.timely.clear();
    }

    fn body_member(&self, symbol: SymbolId, name: &str) -> Option<ObjectProperty<'m>> {
        let resource = self.model.resource_of(symbol)?;
        let mut properties = self.model.body_object(&resource.body)?.properties();
        properties.find(|property| property.key().constant().as_deref() == Some(name))
    }

    /// An existing resource of Azure that is not known when the deployment starts.
    pub(super) fn late_existing(&mut self, expr: Expr<'m>) -> Option<(SymbolId, Ty)> {
        let (symbol, body) = self.deployed(expr)?;
        let resource = self.model.resource_of(symbol)?;
        let object = body.as_object()?;
        let is_late = IDENTIFIERS
            .into_iter()
            .filter_map(|name| object.properties.get(name))
            .any(|property| !property.flags.contains(P::READABLE_AT_DEPLOY_TIME));
        (resource.is_existing && resource.extension.is_none() && is_late).then_some((symbol, body.clone()))
    }

    fn no_properties(&mut self) {
        for node in self.model.file.tree.root().descendants() {
            let late = match node.kind() {
                NodeKind::PropertyAccess | NodeKind::ArrayAccess => self.late_access(node),
                NodeKind::InstanceFunctionCall => {
                    let Some(call) = InstanceFunctionCall::cast(node) else { continue };
                    self.late_existing(call.base())
                        .filter(|_| {
                            self.call_flags(CallSyntax::Instance(call)).contains(F::REQUIRES_INLINING)
                        })
                        .map(|(symbol, _)| symbol)
                }
                _ => None,
            };
            if let Some(symbol) = late {
                let name = &self.model.symbol(symbol).name;
                let known = codes::list(FIXED_PROPERTIES);
                self.push(codes::LATE_IDENTITY.at(node.span(), &[name, &known]));
            }
        }
    }

    fn late_access(&mut self, node: SyntaxNode<'m>) -> Option<SymbolId> {
        let late = |body: &Ty, name: &str| {
            !FIXED_PROPERTIES.contains(&name)
                && body
                    .as_object()
                    .and_then(|object| object.properties.get(name))
                    .is_some_and(|property| !property.flags.contains(P::READABLE_AT_DEPLOY_TIME))
        };
        match Expr::cast(node)? {
            Expr::PropertyAccess(access) => {
                let (symbol, body) = self.late_existing(access.base())?;
                late(&body, access.name().text()).then_some(symbol)
            }
            Expr::ArrayAccess(access) => {
                let Expr::String(index) = access.index() else { return None };
                let (symbol, body) = self.late_existing(access.base())?;
                index.constant().is_none_or(|name| late(&body, &name)).then_some(symbol)
            }
            _ => None,
        }
    }

    fn no_dependencies(&mut self, inlined: &FxHashSet<SymbolId>) {
        let model = self.model;
        for symbol in model.declarations.resources.clone() {
            let Some(property) = self.body_member(symbol, "dependsOn") else { continue };
            let name = &model.symbol(symbol).name;
            if inlined.contains(&symbol) {
                self.push(codes::LATE_WITH_DEPENDENCIES.at(property.span(), &[name]));
                continue;
            }
            for node in property.value().node().descendants() {
                if matches!(node.kind(), NodeKind::VariableAccess | NodeKind::ResourceAccess)
                    && let Some(named) = model.symbol_at(node)
                    && inlined.contains(&named)
                {
                    let other = &model.symbol(named).name;
                    self.push(codes::DEPENDENCY_ON_LATE.at(node.span(), &[name, other]));
                }
            }
        }
    }

    /// The resource that a parent or scope names, if it is not known when the deployment starts.
    pub(super) fn late_link(&mut self, node: SyntaxNode<'m>) -> Option<(SyntaxNode<'m>, SymbolId)> {
        let (child, parent) = self.asserted(node);
        match parent.and_then(Expr::cast) {
            Some(Expr::PropertyAccess(_)) => None,
            Some(Expr::ArrayAccess(access)) => {
                let inner = access.base().node() == child && self.is_last_access(access);
                let (symbol, _) = inner.then(|| self.late_existing(Expr::ArrayAccess(access))).flatten()?;
                let index = self.ty(access.index());
                matches!(index.kind(), TyKind::Int(_) | TyKind::IntLit(_)).then_some((child, symbol))
            }
            _ => {
                let (symbol, _) = self.late_existing(nodes::without_assertion(Expr::cast(node)?))?;
                Some((child, symbol))
            }
        }
    }
}
