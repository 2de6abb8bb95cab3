//! Modules: deployments inside the deployment.

use contract::Node;
use document::SourceValue;
use syntax::SyntaxElement;
use syntax::ast::{AstNode as _, For, ObjectProperty};

use super::access::DEPLOYMENTS_VERSION;
use super::emitter::Emitter;
use super::external_resources::takes_resource;
use super::references::DEPLOYMENTS;
use super::template::LOCAL_DEPLOYMENTS;
use super::values::ExpressionShape;
use crate::language::Feature;
use crate::symbols::{Module, ModuleTarget};
use crate::types::Scopes;

/// Properties of a module that templates write elsewhere.
const ELSEWHERE: [&str; 5] = ["name", "params", "extensionConfigs", "scope", "dependsOn"];

impl<'u> Emitter<'u> {
    pub(super) fn module(&mut self, module: &'u Module) {
        if self.unit.model.target == Scopes::LOCAL {
            return self.local_module(module);
        }
        let model = self.unit.model;
        let name = &model.symbol(module.symbol).name;
        self.out.begin_object();
        if let Some(each) = module.body.each {
            self.collection(each, name, module.symbol);
        }
        if let Some(condition) = module.body.condition {
            self.condition(condition);
        }
        self.options(model.node_of(module.symbol));
        self.text_member("type", DEPLOYMENTS);
        self.text_member("apiVersion", DEPLOYMENTS_VERSION);
        if let Some(object) = model.body_object(&module.body) {
            self.object_members(object, &ELSEWHERE);
        }
        self.out.key("name");
        match model.body_property(&module.body, "name") {
            Some(name) => self.value(name),
            None => {
                let name = self.module_name(module.symbol, None);
                self.expression(name);
                self.done();
            }
        }
        let scope = self.unit.module_scope(module.symbol);
        self.scope_members(scope);
        self.done();
        if scope.kind != Scopes::RESOURCE_GROUP {
            let holder = if model.target == Scopes::RESOURCE_GROUP { "resourceGroup" } else { "deployment" };
            self.out.key("location");
            let holder = self.arena.call(holder, &[]);
            let location = self.arena.property(holder, "location");
            self.expression(location);
            self.done();
        }
        self.out.key("properties");
        self.out.begin_object();
        self.out.key("expressionEvaluationOptions");
        self.out.begin_object();
        self.text_member("scope", "inner");
        self.out.end_object();
        self.text_member("mode", "Incremental");
        self.module_parameters(module);
        if model.features().has(Feature::ModuleExtensionConfigs) {
            self.module_extension_configs(module);
        }
        self.module_template(module);
        self.out.end_object();
        self.depends_on(module.symbol);
        self.description_metadata(model.node_of(module.symbol));
        self.out.end_object();
    }

    /// A module that runs on the own machine: its template is text to the engine around it.
    fn local_module(&mut self, module: &'u Module) {
        let model = self.unit.model;
        let configs = model.features().has(Feature::ModuleExtensionConfigs);
        self.out.begin_object();
        self.text_member(if configs { "extension" } else { "import" }, LOCAL_DEPLOYMENTS);
        if let Some(each) = module.body.each {
            self.collection(each, &model.symbol(module.symbol).name, module.symbol);
        }
        if let Some(condition) = module.body.condition {
            self.condition(condition);
        }
        self.options(model.node_of(module.symbol));
        self.text_member("type", DEPLOYMENTS);
        self.out.key("properties");
        self.out.begin_object();
        let scope = self.unit.module_scope(module.symbol);
        self.scope_members(scope);
        self.done();
        if let Some(object) = model.body_object(&module.body) {
            self.object_members(object, &ELSEWHERE);
        }
        self.module_parameters(module);
        if configs {
            self.module_extension_configs(module);
        }
        if let Some(target) = model.module_target(module) {
            self.out.key("template");
            let template = self.host.template(target.path());
            let document = template.and_then(|template| super::template::read(&template.written()));
            match document {
                Some(document) => self.escaped(document.root()),
                None => self.out.null(),
            }
            if let ModuleTarget::Bicep(_) = target {
                self.text_member("sourceUri", &file_uri(target.path().as_str()));
            }
        }
        self.out.end_object();
        self.depends_on(module.symbol);
        self.description_metadata(model.node_of(module.symbol));
        self.out.end_object();
    }

    /// Writes a value whose texts are no expressions here.
    fn escaped(&mut self, value: SourceValue<'_>) {
        match value.node() {
            Node::Text(text) => self.out.string(&arm::expression::escape_text(text)),
            Node::List(_) => {
                self.out.begin_array();
                for item in value.items() {
                    self.escaped(item);
                }
                self.out.end_array();
            }
            Node::Object(_) => {
                self.out.begin_object();
                for (name, member) in value.members() {
                    self.out.key(name.as_str().unwrap_or_default());
                    self.escaped(member);
                }
                self.out.end_object();
            }
            _ => self.out.value(value),
        }
    }

    fn module_parameters(&mut self, module: &'u Module) {
        let Some(params) = self.unit.model.body_property(&module.body, "params") else { return };
        let ExpressionShape::Object(params) = self.shape(params) else { return };
        let target = self.unit.model.module_target(module);
        self.out.key("parameters");
        self.out.begin_object();
        for property in params.items().filter_map(SyntaxElement::node).filter_map(ObjectProperty::cast) {
            let Some(name) = property.key().constant() else { continue };
            self.key(&name);
            if let ExpressionShape::Loop(each) = self.loop_shape(property.value()) {
                self.copied_value(each);
            } else if target.is_some_and(|target| takes_resource(target, &name))
                && let Some(id) = self.id_of(property.value())
            {
                self.out.begin_object();
                self.out.key("value");
                self.expression(id);
                self.out.end_object();
                self.done();
            } else {
                self.module_parameter(property.value());
            }
        }
        self.out.end_object();
    }

    /// The value of a parameter that is a loop.
    fn copied_value(&mut self, each: For<'u>) {
        self.out.begin_object();
        self.out.key("copy");
        self.out.begin_array();
        self.value_copy(each);
        self.out.end_array();
        self.out.end_object();
    }

    fn module_extension_configs(&mut self, module: &'u Module) {
        let Some(configs) = self.unit.model.body_property(&module.body, "extensionConfigs") else { return };
        let ExpressionShape::Object(configs) = self.shape(configs) else { return };
        self.out.key("extensionConfigs");
        self.out.begin_object();
        for config in configs.items().filter_map(SyntaxElement::node).filter_map(ObjectProperty::cast) {
            let Some(alias) = config.key().constant() else { continue };
            self.key(&alias);
            match self.shape(config.value()) {
                ExpressionShape::Object(object) => {
                    self.out.begin_object();
                    for property in
                        object.items().filter_map(SyntaxElement::node).filter_map(ObjectProperty::cast)
                    {
                        let Some(name) = property.key().constant() else { continue };
                        self.key(&name);
                        if let ExpressionShape::Loop(each) = self.loop_shape(property.value()) {
                            self.copied_value(each);
                        } else {
                            self.extension_config_value(property.value());
                        }
                    }
                    self.out.end_object();
                }
                _ => {
                    let converted = self.convert(config.value());
                    self.expression(converted);
                    self.done();
                }
            }
        }
        self.out.end_object();
    }

    fn module_template(&mut self, module: &Module) {
        let Some(target) = self.unit.model.module_target(module) else { return };
        if let ModuleTarget::Template(template) = target
            && let Some(id) = &template.spec_id
        {
            self.out.key("templateLink");
            self.out.begin_object();
            self.text_member("id", id);
            self.out.end_object();
            return;
        }
        self.out.key("template");
        match self.host.template(target.path()) {
            Some(template) => {
                let depth = self.out.hole();
                self.embedded.push((depth, template));
            }
            None => self.out.null(),
        }
    }
}

/// The address of a file.
fn file_uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:!$&'()*+,;=@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
