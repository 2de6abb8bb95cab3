//! Parameters, variables, functions, extensions, outputs and asserts.

use std::collections::HashSet;

use contract::Node;
use document::SourceValue;
use smol_str::SmolStr;

use super::members::Unknown;
use super::problems::ErrorSection;
use super::tree::ExpressionSite;
use super::{TemplateReader, is, span};
use crate::Expression;
use crate::evaluate::UserFunction;
use crate::functions::Stage;
use crate::template::declaration_map::DeclarationMap;
use crate::template::json::{Span, TemplateNode};
use crate::template::model::{
    Assert, DeclaredSetting, Extension, Function, OutputDeclaration, OutputValue, Parameter, Variable,
    VariableValue,
};
use crate::template::version::Feature;
use crate::value::folded;

/// What the configuration of an extension is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Configs {
    /// What an extension declares of its settings.
    Declared,
    /// Values, as templates had them when extensions were called imports.
    Values,
}

impl<'d> TemplateReader<'d> {
    pub(super) fn parameters(&mut self, section: SourceValue<'d>, declared: &mut DeclarationMap<Parameter>) {
        if !self.expect_object(section, "`parameters`", ErrorSection::Template) {
            return;
        }
        self.limit(section, "parameters", self.limits.parameters);
        for (key, value) in section.members() {
            let name = key.as_str().unwrap_or_default();
            let section = ErrorSection::Parameter(name);
            let Some(ty) = self.declared_type(value, section) else { continue };
            let default = value.members().find(|(key, _)| is(*key, "defaultValue"));
            let default =
                default.map(|(_, value)| self.json(value, ExpressionSite::new(section, Stage::Parameter)));
            let parameter =
                Parameter { name: name.into(), name_span: span(key), span: span(value), ty, default };
            self.declare(key, "parameter", declared, parameter);
        }
    }

    pub(super) fn variables(&mut self, section: SourceValue<'d>, declared: &mut DeclarationMap<Variable>) {
        if !self.expect_object(section, "`variables`", ErrorSection::Template) {
            return;
        }
        self.limit(section, "variables", self.limits.variables);
        for (key, value) in section.members() {
            let name = key.as_str().unwrap_or_default();
            let at = ExpressionSite {
                loops: true,
                ..ExpressionSite::new(ErrorSection::Variable(name), Stage::Variable)
            };
            if is(key, "copy") && matches!(value.node(), Node::List(_)) {
                for item in value.items() {
                    if let Some(copy) = self.property_loop(item, at) {
                        let (name, name_span) = (copy.name.clone(), copy.span);
                        let value = VariableValue::Loop(Box::new(copy));
                        let variable = Variable { name: name.clone(), name_span, value };
                        self.declare_as(&name, name_span, "variable", declared, variable);
                    }
                }
                continue;
            }
            let value = VariableValue::Json(self.json(value, at));
            let variable = Variable { name: name.into(), name_span: span(key), value };
            self.declare(key, "variable", declared, variable);
        }
    }

    pub(super) fn functions(&mut self, section: SourceValue<'d>, declared: &mut DeclarationMap<Function>) {
        if !self.expect_array(section, "`functions`", ErrorSection::Template) {
            return;
        }
        for space in section.items() {
            if !self.expect_object(space, "an element of `functions`", ErrorSection::Template) {
                continue;
            }
            let [namespace, members] =
                self.members(space, ["namespace", "members"], Unknown::Refused, ErrorSection::Template);
            let Some(namespace) = namespace else {
                self.missing(space, "namespace", ErrorSection::Template);
                continue;
            };
            let Some(namespace) = self.expect_text(namespace, "`namespace`", ErrorSection::Template) else {
                continue;
            };
            for (key, value) in members.into_iter().flat_map(SourceValue::members) {
                self.function(namespace, key, value, declared);
            }
        }
        let count = declared.len();
        if count > self.limits.functions {
            self.too_many(section, "functions", count, self.limits.functions, ErrorSection::Template);
        }
    }

    fn function(
        &mut self,
        namespace: &'d str,
        key: SourceValue<'d>,
        value: SourceValue<'d>,
        declared: &mut DeclarationMap<Function>,
    ) {
        let name = key.as_str().unwrap_or_default();
        let section = ErrorSection::Function(namespace, name);
        if !self.expect_object(value, "a function", section) {
            return;
        }
        let [parameters, output, _] =
            self.members(value, ["parameters", "output", "metadata"], Unknown::Refused, section);
        let mut names: Vec<SmolStr> = Vec::new();
        let mut own = HashSet::new();
        let mut types = Vec::new();
        for parameter in parameters.into_iter().flat_map(SourceValue::items) {
            let Some(ty) = self.declared_type(parameter, section) else { continue };
            let found = parameter.members().find(|(key, _)| is(*key, "name"));
            let Some((_, found)) = found else {
                self.missing(parameter, "name", section);
                continue;
            };
            let Some(name) = self.expect_text(found, "the name of a parameter", section) else { continue };
            if !own.insert(folded(name)) {
                let message = format!("the parameter '{name}' is declared twice");
                self.problems.add(span(found), section, message);
            }
            names.push(name.into());
            types.push(ty);
        }
        let Some(output) = output else {
            self.missing(value, "output", section);
            return;
        };
        let Some(result) = self.declared_type(output, section) else { return };
        let Some((_, body)) = output.members().find(|(key, _)| is(*key, "value")) else {
            self.missing(output, "value", section);
            return;
        };
        // A function sees its own parameters alone.
        let outside = std::mem::replace(&mut self.names.parameters, own);
        let body = self.json(body, ExpressionSite::new(section, Stage::Function));
        self.names.parameters = outside;
        let call = UserFunction {
            parameters: names,
            body: body.to_expression().unwrap_or_else(|| Expression::call("null", [])),
        };
        let function = Function {
            namespace: namespace.into(),
            name: name.into(),
            name_span: span(key),
            parameters: types,
            result,
            value_span: body.span,
            call,
        };
        let full = format!("{namespace}.{name}");
        self.declare_as(&full, span(key), "function", declared, function);
    }

    pub(super) fn extensions(
        &mut self,
        section: SourceValue<'d>,
        configs: Configs,
        declared: &mut DeclarationMap<Extension>,
    ) {
        if !self.expect_object(section, "`extensions`", ErrorSection::Template) {
            return;
        }
        for (key, value) in section.members() {
            let alias = key.as_str().unwrap_or_default();
            let section = ErrorSection::Extension(alias);
            if !self.expect_object(value, "an extension", section) {
                continue;
            }
            // `provider` is what `name` was called in previews.
            let [name, provider, version, config, _] = self.members(
                value,
                ["name", "provider", "version", "config", "metadata"],
                Unknown::Ignored,
                section,
            );
            let Some(name) = name.or(provider) else {
                self.missing(value, "name", section);
                continue;
            };
            let name = self.expect_text(name, "`name`", section).unwrap_or_default().into();
            let version = version.and_then(|version| self.expect_text(version, "`version`", section));
            let settings = match config {
                Some(config) if configs == Configs::Declared => self.settings(config, section),
                Some(_) | None => Vec::new(),
            };
            let config =
                config.map(|config| self.json(config, ExpressionSite::new(section, Stage::Resource)));
            let extension = Extension {
                alias: alias.into(),
                alias_span: span(key),
                name,
                version: version.unwrap_or_default().into(),
                config,
                settings,
            };
            self.declare(key, "extension", declared, extension);
        }
    }

    /// The settings of a configuration that have a type; compilers write some that have only a default.
    fn settings(&mut self, config: SourceValue<'d>, section: ErrorSection<'_>) -> Vec<DeclaredSetting> {
        let mut settings = Vec::new();
        for (key, value) in config.members() {
            let has = |name: &str| value.members().any(|(key, _)| is(key, name));
            if !has("type") && !has("$ref") {
                continue;
            }
            let Some(ty) = self.declared_type(value, section) else { continue };
            let name = key.as_str().unwrap_or_default().into();
            settings.push(DeclaredSetting { name, ty, has_default: has("defaultValue") });
        }
        settings
    }

    pub(super) fn outputs(
        &mut self,
        section: SourceValue<'d>,
        declared: &mut DeclarationMap<OutputDeclaration>,
    ) {
        if !self.expect_object(section, "`outputs`", ErrorSection::Template) {
            return;
        }
        self.limit(section, "outputs", self.limits.outputs);
        for (key, value) in section.members() {
            let name = key.as_str().unwrap_or_default();
            let section = ErrorSection::Output(name);
            let Some(ty) = self.declared_type(value, section) else { continue };
            let at = ExpressionSite { loops: true, ..ExpressionSite::new(section, Stage::Output) };
            let find = |name: &str| value.members().find(|(key, _)| is(*key, name)).map(|(_, value)| value);
            let condition = find("condition")
                .map(|condition| self.json(condition, ExpressionSite { stage: Stage::Structure, ..at }));
            let made = match (find("value"), find("copy")) {
                (Some(made), None) => OutputValue::Json(self.json(made, at)),
                (None, Some(copy)) => match self.output_loop(copy, at) {
                    Some((count, input)) => {
                        OutputValue::Loop { count: Box::new(count), input: Box::new(input) }
                    }
                    None => continue,
                },
                (Some(_), Some(copy)) => {
                    let message = "an output has either 'value' or 'copy'";
                    self.problems.add(span(copy), section, message);
                    continue;
                }
                (None, None) => {
                    self.missing(value, "value", section);
                    continue;
                }
            };
            let output = OutputDeclaration {
                name: name.into(),
                name_span: span(key),
                span: span(value),
                ty,
                value: made,
                condition,
            };
            self.declare(key, "output", declared, output);
        }
    }

    fn output_loop(
        &mut self,
        copy: SourceValue<'d>,
        at: ExpressionSite<'_>,
    ) -> Option<(TemplateNode, TemplateNode)> {
        if !self.expect_object(copy, "`copy`", at.section) {
            return None;
        }
        let [count, input] = self.members(copy, ["count", "input"], Unknown::Refused, at.section);
        for (member, there) in [("count", count), ("input", input)] {
            if there.is_none() {
                self.missing(copy, member, at.section);
            }
        }
        let count = self.json(count?, ExpressionSite { stage: Stage::Structure, ..at });
        self.check_count(&count, at.section);
        self.loops.push(SmolStr::default());
        let input = self.json(input?, at);
        self.loops.pop();
        Some((count, input))
    }

    pub(super) fn asserts(&mut self, section: SourceValue<'d>, declared: &mut DeclarationMap<Assert>) {
        if !self.expect_object(section, "`asserts`", ErrorSection::Template) {
            return;
        }
        if !self.version.has(Feature::Asserts) {
            self.not_in_version(section, "`asserts`", ErrorSection::Template);
        }
        self.limit(section, "asserts", self.limits.asserts);
        for (key, value) in section.members() {
            let name = key.as_str().unwrap_or_default();
            let made = self.json(value, ExpressionSite::new(ErrorSection::Assert(name), Stage::Output));
            let assert = Assert { name: name.into(), name_span: span(key), value: made };
            self.declare(key, "assert", declared, assert);
        }
    }

    fn limit(&mut self, section: SourceValue<'d>, what: &str, most: usize) {
        let count = section.members().len();
        if count > most {
            self.too_many(section, what, count, most, ErrorSection::Template);
        }
    }

    fn declare<T>(&mut self, key: SourceValue<'d>, what: &str, declared: &mut DeclarationMap<T>, item: T) {
        self.declare_as(key.as_str().unwrap_or_default(), span(key), what, declared, item);
    }

    fn declare_as<T>(&mut self, name: &str, at: Span, what: &str, declared: &mut DeclarationMap<T>, item: T) {
        if !declared.add(name, item) {
            let message =
                format!("The template {what} '{name}' is declared twice; names do not depend on case");
            self.problems.add(at, ErrorSection::Template, message);
        }
    }

    #[cold]
    pub(super) fn not_in_version(&mut self, value: SourceValue<'d>, what: &str, section: ErrorSection<'_>) {
        let version = self.version.name();
        let message = format!("{what} cannot be used in a template of language version '{version}'");
        self.problems.add(span(value), section, message);
    }
}
