//! What templates cannot say of modules: two of one name, bodies that are not written out, and outputs that can only be
//! read here or there.

use rustc_hash::FxHashMap;
use syntax::ast::{AstNode as _, Expr, Statement};
use syntax::{Span, SyntaxNode};

use super::{Checker, nodes};
use crate::codes;
use crate::language::Feature;
use crate::symbols::{ModuleTarget, SymbolId, SymbolKind};
use crate::types::azure::FIXED_PROPERTIES;
use crate::types::{Scopes, TyKind, scope_of};

impl<'m> Checker<'m> {
    /// A deployment to the own machine has no secrets to give.
    pub(super) fn local_secrets(&mut self) {
        if self.model.target != Scopes::LOCAL {
            return;
        }
        for symbol in self.model.declarations.modules.clone() {
            let source =
                self.model.module_of(symbol).and_then(|module| self.model.sources.get(module.source?));
            let target = source.and_then(|source| source.target.as_ref().ok());
            if target.is_some_and(ModuleTarget::has_secure_outputs)
                && let Some(at) = self.name_span(symbol)
            {
                self.push(codes::SECURE_LOCAL.at(at, &[&self.model.symbol(symbol).name]));
            }
        }
    }

    /// The parts of a module's body that have to be written out.
    pub(super) fn module_bodies(&mut self) {
        let modules = self.model.declarations.modules.clone();
        for symbol in modules {
            self.extension_configurations(symbol);
            if let Some(value) = self.body_value(symbol, "params")
                && !matches!(value, Expr::Object(_) | Expr::Skipped(_))
            {
                self.push(codes::OBJECT_LITERAL.at(value.span(), &[&"params"]));
            }
        }
    }

    /// What a module's extensions are configured with is written out, or is what an extension of the file has.
    fn extension_configurations(&mut self, module: SymbolId) {
        let value = self.body_value(module, "extensionConfigs");
        let Some(value) = value.filter(|_| self.model.features().has(Feature::ModuleExtensionConfigs)) else {
            return;
        };
        let configs = match value {
            Expr::Object(configs) => configs,
            Expr::Skipped(_) => return,
            _ => return self.push(codes::OBJECT_LITERAL.at(value.span(), &[&"extensionConfigs"])),
        };
        for property in configs.properties() {
            let value = property.value();
            if !matches!(value, Expr::Object(_) | Expr::Skipped(_)) && !self.is_inherited_config(value) {
                let name = property.key().constant().unwrap_or_default();
                self.push(codes::CONFIGURATION_VALUE.at(property.span(), &[&name]));
            }
        }
    }

    fn is_inherited_config(&self, value: Expr<'m>) -> bool {
        match value {
            Expr::ParenthesizedExpression(it) => self.is_inherited_config(it.expression()),
            Expr::TernaryOperation(it) => {
                self.is_inherited_config(it.true_expression())
                    && self.is_inherited_config(it.false_expression())
            }
            Expr::PropertyAccess(it) => {
                let owner = self.model.symbol_in(it.base());
                let is_extension =
                    owner.is_some_and(|it| self.model.symbol(it).kind == SymbolKind::Extension);
                is_extension && it.name().text() == "config"
            }
            _ => false,
        }
    }

    /// Modules of one name and one scope would be one deployment.
    pub(super) fn module_names(&mut self) {
        let model = self.model;
        let mut same: Vec<Vec<(SymbolId, Span)>> = Vec::new();
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        for symbol in model.declarations.modules.clone() {
            let (Some(name), true) = (self.body_value(symbol, "name"), self.is_unconditional(symbol)) else {
                continue;
            };
            if self.symbol_type(symbol).is_error() {
                continue;
            }
            let Some(segment) = self.ty(name).as_string_literal().cloned() else { continue };
            let scope = self.body_value(symbol, "scope");
            let scope = match scope {
                None => Some(String::new()),
                // The scope of the file itself can be written out.
                Some(scope)
                    if scope_of(&self.ty(scope))
                        .is_some_and(|(kind, named)| kind == model.target && named.is_empty()) =>
                {
                    Some(String::new())
                }
                Some(scope) => self.scope_key(scope),
            };
            let Some(scope) = scope else { continue };
            let key = format!("{segment}\n{scope}");
            let place = *places.entry(key).or_insert(same.len());
            match same.get_mut(place) {
                Some(group) => group.push((symbol, name.span())),
                None => same.push(vec![(symbol, name.span())]),
            }
        }
        for group in same.into_iter().filter(|group| group.len() > 1) {
            let names = codes::list(group.iter().map(|(symbol, _)| &model.symbol(*symbol).name));
            let found: Vec<_> = group.iter().map(|(_, at)| codes::SAME_MODULE.at(*at, &[&names])).collect();
            self.out.extend(found);
        }
    }

    /// Tells whether any module has an output that is a resource.
    pub(super) fn modules_give_resources(&mut self) -> bool {
        self.model.declarations.modules.clone().into_iter().any(|symbol| {
            let body = self.declared_module(symbol).body();
            let outputs = body.as_object().and_then(|body| body.properties.get("outputs"));
            outputs.is_some_and(|outputs| {
                let outputs = outputs.ty.get();
                let mut all = outputs.as_object().into_iter().flat_map(|it| it.properties.values());
                all.any(|output| output.ty.get().as_resource().is_some())
            })
        })
    }

    /// A resource that a module gives is known by its id alone.
    pub(super) fn output_resource(&mut self, node: SyntaxNode<'m>) {
        let (base, allowed) = match Expr::cast(node) {
            Some(Expr::PropertyAccess(it)) => (it.base(), FIXED_PROPERTIES.contains(&it.name().text())),
            Some(Expr::InstanceFunctionCall(it)) => (it.base(), it.name().text() == "getSecret"),
            _ => return,
        };
        if !allowed && self.is_output_resource(base, 0) {
            self.push(codes::OUTPUT_RESOURCE.at(node.span(), &[]));
        }
    }

    fn is_output_resource(&mut self, expr: Expr<'m>, depth: usize) -> bool {
        const MAX_DEPTH: usize = 64;
        let model = self.model;
        match expr {
            Expr::VariableAccess(_) if depth < MAX_DEPTH => {
                let symbol = model.symbol_in(expr).filter(|symbol| model.cycle(*symbol).is_none());
                match symbol.and_then(|symbol| model.statement_of(symbol)) {
                    Some(Statement::VariableDeclaration(it)) => {
                        self.is_output_resource(it.value(), depth + 1)
                    }
                    _ => false,
                }
            }
            Expr::PropertyAccess(access) => {
                let Expr::PropertyAccess(outputs) = access.base() else { return false };
                let owner = match outputs.base() {
                    Expr::ArrayAccess(access) => access.base(),
                    base => base,
                };
                let is_module = model.symbol_in(owner).is_some_and(|it| model.module_of(it).is_some());
                is_module && outputs.name().text() == "outputs" && self.ty(expr).as_resource().is_some()
            }
            _ => false,
        }
    }

    /// A secret that a module gives is read from the module itself.
    pub(super) fn secure_output(&mut self, node: SyntaxNode<'m>) {
        let Some(Expr::PropertyAccess(access)) = Expr::cast(node) else { return };
        let Expr::PropertyAccess(outputs) = access.base() else { return };
        if outputs.name().text() != "outputs" {
            return;
        }
        let base = self.ty(outputs.base());
        let is_module = match base.kind() {
            TyKind::Module(..) => true,
            TyKind::Union(members) => {
                !members.is_empty()
                    && members.iter().all(|member| matches!(member.get().kind(), TyKind::Module(..)))
            }
            _ => false,
        };
        if !is_module || !crate::types::holds_secret(&self.ty(Expr::PropertyAccess(access))) {
            return;
        }
        let direct = |checker: &Self, expr: Expr<'m>| {
            let symbol = checker.model.symbol_in(expr)?;
            (checker.model.symbol(symbol).kind == SymbolKind::Module).then_some(symbol)
        };
        let indexed = match nodes::without_assertion(outputs.base()) {
            Expr::ArrayAccess(access) => direct(self, access.base()),
            _ => None,
        };
        if direct(self, outputs.base()).is_none() && indexed.is_none() {
            self.push(codes::SECURE_INDIRECT.at(access.name().span(), &[]));
        }
    }
}
