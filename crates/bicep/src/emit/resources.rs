//! Resources.

use syntax::NodeId;
use syntax::ast::{AstNode as _, Expr};

use super::emitter::Emitter;
use super::tree::EmitTree;
use crate::decorators::{BATCH_SIZE, Writes};
use crate::language::Feature;
use crate::layout::ScopeData;
use crate::symbols::{AZURE, ResourceId, SymbolId};
use crate::types::Scopes;

/// Properties of a resource that templates write elsewhere.
const ELSEWHERE: [&str; 4] = ["name", "scope", "parent", "dependsOn"];
impl<'u> Emitter<'u> {
    /// Writes the resources and modules of the file.
    pub(super) fn resources(&mut self) {
        let model = self.unit.model;
        let symbolic = self.unit.settings.symbolic;
        self.out.key("resources");
        if symbolic {
            self.out.begin_object()
        } else {
            self.out.begin_array()
        }
        for id in model.resources_in_template_order() {
            if self.unit.inlined.resources.contains(&id) || !symbolic && model.resource(id).is_existing {
                continue;
            }
            if symbolic {
                let name = self.symbolic_name(id);
                self.out.key(&name);
            }
            self.resource(id);
        }
        for module in &model.modules {
            if symbolic {
                self.out.key(&model.symbol(module.symbol).name);
            }
            self.module(module);
        }
        if symbolic { self.out.end_object() } else { self.out.end_array() }
    }

    fn resource(&mut self, id: ResourceId) {
        let model = self.unit.model;
        let resource = model.resource(id);
        let node = model.node_of(resource.symbol);
        self.out.begin_object();
        if let Some(each) = resource.body.each {
            let name = self.symbolic_name(id);
            self.collection(each, &name, resource.symbol);
        }
        self.resource_condition_member(id);
        if self.unit.settings.symbolic && resource.is_existing {
            self.out.key("existing");
            self.out.bool(true);
        }
        let configs = model.features().has(Feature::ModuleExtensionConfigs);
        // Azure's own resources name their extension where the file declares it.
        let declared = || model.extensions.iter().find(|known| known.name == AZURE).map(|it| it.symbol);
        if let Some(extension) = resource.extension.or_else(declared) {
            self.text_member(if configs { "extension" } else { "import" }, &model.symbol(extension).name);
        }
        self.options(node);
        self.method(node);
        if let Some(ty) = &resource.ty {
            if resource.extension.is_none() || configs {
                self.text_member("type", &ty.name);
                if let Some(version) = &ty.version {
                    self.text_member("apiVersion", version);
                }
            } else {
                self.text_member("type", &ty.full_name());
            }
        }
        self.resource_scope(id);
        if resource.extension.is_none() {
            self.out.key("name");
            let name = self.qualified_name(id);
            self.string_expression(name);
            self.done();
            if let Some(object) = model.body_object(&resource.body) {
                self.object_members(object, &ELSEWHERE);
            }
        } else {
            self.out.key("properties");
            self.out.begin_object();
            if let Some(object) = model.body_object(&resource.body) {
                self.object_members(object, &["dependsOn"]);
            }
            self.out.end_object();
        }
        self.depends_on(resource.symbol);
        self.description_metadata(node);
        self.out.end_object();
    }

    /// Writes how often a resource or module is repeated.
    pub(super) fn collection(&mut self, each: NodeId, name: &str, symbol: SymbolId) {
        let model = self.unit.model;
        let batch =
            model.decorator(model.node_of(symbol), &BATCH_SIZE).and_then(|call| match call.argument(0)? {
                Expr::IntegerLiteral(size) => Some(size.value()),
                _ => None,
            });
        if let Some(each) = self.loop_at(each) {
            self.out.key("copy");
            self.copy_object(Some(name), each, None, batch);
        }
    }

    /// Writes the condition of a resource: as a plain value when it is the only one.
    fn resource_condition_member(&mut self, id: ResourceId) {
        let model = self.unit.model;
        let mut outer = model.ancestors(id).into_iter().filter(|ancestor| {
            let body = &model.resource(ancestor.resource).body;
            ancestor.is_nested && body.condition.is_some() && body.each.is_none()
        });
        if outer.next().is_none() {
            if let Some(condition) = model.resource(id).body.condition {
                self.condition(condition);
            }
        } else if let Some(condition) = self.resource_condition(id) {
            self.out.key("condition");
            match self.arena.as_bool(condition) {
                Some(literal) => self.out.bool(literal),
                None => self.expression(condition),
            }
            self.done();
        }
    }

    pub(super) fn condition(&mut self, node: NodeId) {
        if let Some(condition) = Expr::cast(self.unit.model.file.node(node)) {
            self.out.key("condition");
            if self.host.options().probes {
                let value = self.convert(condition);
                let value = self.probed("condition", condition.node().span(), value);
                self.string_expression(value);
                return self.done();
            }
            self.value(condition);
        }
    }

    fn method(&mut self, node: syntax::SyntaxNode<'u>) {
        let model = self.unit.model;
        let method = model.decorators(node).find_map(|(row, _)| match row.writes {
            Writes::Method(method) => Some(method),
            Writes::Elsewhere(_) | Writes::Member(..) | Writes::Part(..) | Writes::Options => None,
        });
        if let Some(method) = method {
            self.text_member("method", method);
        }
    }

    /// Writes the description of a resource or module.
    pub(super) fn description_metadata(&mut self, node: syntax::SyntaxNode<'u>) {
        if let Some(description) = self.description(node) {
            self.out.key("metadata");
            self.tree(&EmitTree::Object(vec![("description".into(), description)]));
        }
    }

    fn resource_scope(&mut self, id: ResourceId) {
        let model = self.unit.model;
        let scope = self.unit.scopes.get(id.0 as usize).copied().unwrap_or_default();
        if model.resource(id).extension.is_some() {
            return;
        }
        let outer = self.locals.len();
        // Children are written with the scope of their outermost parent, seen from where they stand.
        for ancestor in model.ancestors(id).iter().rev() {
            self.enter(ancestor.resource, ancestor.index);
        }
        if let Some(target) = scope.resource {
            self.enter_scope(scope);
            self.out.key("scope");
            let target = self.resource_id_expression(target);
            self.string_expression(target);
        } else {
            self.scope_members(scope);
        }
        self.locals.truncate(outer);
        self.done();
    }

    /// Writes where a resource or module is deployed to, where that is not where the template is.
    pub(super) fn scope_members(&mut self, scope: ScopeData) {
        let target = self.unit.model.target;
        let outer = self.locals.len();
        self.enter_scope(scope);
        match scope.kind {
            Scopes::TENANT if target != Scopes::TENANT => self.text_member("scope", "/"),
            Scopes::MANAGEMENT_GROUP => {
                if let Some(name) = scope.management_group {
                    let full = target != Scopes::TENANT && target != Scopes::MANAGEMENT_GROUP;
                    self.out.key("scope");
                    let group = self.management_group_id(name, full);
                    self.string_expression(group);
                }
            }
            Scopes::SUBSCRIPTION => {
                if let Some(subscription) = scope.subscription {
                    self.node_member("subscriptionId", subscription);
                } else if target == Scopes::RESOURCE_GROUP {
                    self.out.key("subscriptionId");
                    let subscription = self.current_subscription();
                    self.string_expression(subscription);
                }
            }
            Scopes::RESOURCE_GROUP => {
                if let Some(subscription) = scope.subscription {
                    self.node_member("subscriptionId", subscription);
                }
                if let Some(group) = scope.resource_group {
                    self.node_member("resourceGroup", group);
                }
            }
            _ => {}
        }
        self.locals.truncate(outer);
    }

    fn node_member(&mut self, name: &str, node: NodeId) {
        self.out.key(name);
        let value = self.convert_node(node);
        self.string_expression(value);
    }
}
