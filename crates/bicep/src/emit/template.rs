//! The whole template.

use arm::template_text::{JsonLayout, Layered, TemplateWriter};
use document::{Document, FileId, ReadLimits};
use syntax::Span;
use syntax::ast::{AstNode as _, Statement};

use super::armsource;
use super::armtypes;
use super::emitter::Emitter;
use super::host::EmitHost;
use super::imports::{ImportSource, imported_models, names};
use super::tree::{EmitTree, merge};
use super::types::alias_value;
use super::unit::Unit;
use crate::codes;
use crate::finding::Finding;
use crate::language::Feature;
use crate::symbols::{ExportKind, Model, Module, SymbolId, SymbolKind};
use crate::types::Scopes;
use crate::work::MAX_TEMPLATE;

const WARNING: &str = "This template uses ARM features that are experimental. Experimental features should be enabled \
                       for testing purposes only, as there are no guarantees about the quality or stability of these \
                       features. Do not enable these settings for any production usage, or your production environment \
                       may be subject to breaking.";

/// The extension that runs modules on the own machine.
pub(super) const LOCAL_DEPLOYMENTS: &str = "az0synthesized";

/// How deep templates may nest; each module adds four levels or so.
const MAX_DEPTH: usize = 4096;

/// Writes the template of a program; or tells why there is none.
pub(crate) fn write_template(host: &dyn EmitHost, model: &Model) -> Result<Layered, Vec<Finding>> {
    let unit = Unit::new(host, model);
    let units: Vec<Unit<'_>> =
        imported_models(model).into_iter().map(|model| Unit::imported(host, model)).collect();
    let names = names(model, &units);
    let mut emitter = Emitter::new(host, &unit, &units, &names);
    emitter.out =
        TemplateWriter::new(String::with_capacity(model.file.tree.text().len()), JsonLayout::Indented);
    let hash_at = emitter.template();
    let findings = std::mem::take(&mut emitter.findings);
    let embedded = std::mem::take(&mut emitter.embedded);
    let text = emitter.out.finish();
    if findings.iter().any(Finding::is_error) {
        return Err(findings);
    }
    let template = Layered::new(text, embedded);
    if template.length() > MAX_TEMPLATE {
        return Err(vec![too_large(host, model)]);
    }
    Ok(with_hash(template, hash_at))
}

/// Writes the bodies of the tests of a program, as outputs, with what they can refer to; none if they cannot be written.
pub(crate) fn write_test_bodies(host: &dyn EmitHost, model: &Model, tests: &[SymbolId]) -> Option<String> {
    let unit = Unit::new(host, model);
    let units: Vec<Unit<'_>> =
        imported_models(model).into_iter().map(|model| Unit::imported(host, model)).collect();
    let names = names(model, &units);
    let mut emitter = Emitter::new(host, &unit, &units, &names);
    emitter.out = TemplateWriter::new(String::new(), JsonLayout::Indented);
    emitter.test_bodies(tests);
    let has_errors = emitter.findings.iter().any(Finding::is_error);
    let embedded = std::mem::take(&mut emitter.embedded);
    let text = Layered::new(emitter.out.finish(), embedded).written();
    (!has_errors).then_some(text)
}

/// The finding about a template that is too large, at the module that has the largest part in it.
fn too_large(host: &dyn EmitHost, model: &Model) -> Finding {
    let length = |module: &&Module| {
        let template = model.module_target(module).and_then(|target| host.template(target.path()));
        template.map_or(0, |template| template.length())
    };
    let most = MAX_TEMPLATE >> 20;
    match model.modules.iter().max_by_key(length) {
        Some(module) => {
            let name = &model.symbol(module.symbol).name;
            codes::TEMPLATE_TOO_LARGE
                .at(model.node_of(module.symbol).span(), &[&most, &format!(" with the module `{name}`")])
        }
        None => codes::TEMPLATE_TOO_LARGE.at(Span::default(), &[&most, &""]),
    }
}

/// A template that was written before.
pub(super) fn read(text: &str) -> Option<Document> {
    let limits = ReadLimits { depth: MAX_DEPTH, ..ReadLimits::DEFAULT };
    Document::from_json(text, FileId::FIRST, &limits).ok()
}

/// Puts the hash of a template behind the version of its maker.
fn with_hash(template: Layered, at: usize) -> Layered {
    let hash = arm::template_hash::indented_hash(&template);
    template.with_text_at(at, &format!(",\n      \"templateHash\": \"{hash}\""))
}

impl<'u> Emitter<'u> {
    /// Writes everything; returns where the hash belongs.
    fn template(&mut self) -> usize {
        let model = self.unit.model;
        let settings = self.unit.settings;
        self.out.begin_object();
        self.text_member("$schema", model.target.schema());
        if settings.experimental {
            let configs = model.features().has(Feature::ModuleExtensionConfigs);
            self.text_member(
                "languageVersion",
                if configs { "2.2-experimental" } else { "2.1-experimental" },
            );
        } else if settings.symbolic {
            self.text_member("languageVersion", "2.0");
        }
        self.text_member("contentVersion", "1.0.0.0");
        let hash_at = self.metadata();
        self.definitions();
        self.functions();
        if model.file.is_test() {
            self.test_parameters();
        }
        self.parameters();
        self.variables();
        self.extensions();
        self.resources();
        if model.file.is_test() {
            self.test_outputs(&model.declarations.tests);
        } else {
            self.outputs();
            self.asserts();
        }
        self.out.end_object();
        hash_at
    }

    fn test_bodies(&mut self, tests: &[SymbolId]) {
        self.out.begin_object();
        self.text_member("$schema", self.unit.model.target.schema());
        self.text_member("contentVersion", "1.0.0.0");
        self.definitions();
        self.functions();
        self.parameters();
        self.variables();
        self.out.key("resources");
        self.out.begin_array();
        self.out.end_array();
        self.test_outputs(tests);
        self.out.end_object();
    }

    fn metadata(&mut self) -> usize {
        let model = self.unit.model;
        self.out.key("metadata");
        self.out.begin_object();
        if self.unit.settings.experimental {
            self.text_member("_EXPERIMENTAL_WARNING", WARNING);
            self.out.key("_EXPERIMENTAL_FEATURES_ENABLED");
            self.out.begin_array();
            for feature in model.features().iter().filter(|feature| feature.needs_engine()) {
                self.out.string(feature.title());
            }
            self.out.end_array();
        }
        let generator = &self.host.options().generator;
        self.out.key("_generator");
        self.out.begin_object();
        self.text_member("name", &generator.name);
        self.text_member("version", &generator.version);
        let hash_at = self.out.sink().len();
        self.out.end_object();
        self.exported_variables();
        for symbol in &model.declarations.metadata {
            let Some(Statement::MetadataDeclaration(metadata)) = model.statement_of(*symbol) else {
                continue;
            };
            self.key(&model.symbol(*symbol).name);
            self.value(metadata.value());
        }
        self.out.end_object();
        hash_at
    }

    fn exported_variables(&mut self) {
        let model = self.unit.model;
        let mut exported: Vec<_> =
            model.exports().filter(|export| export.kind == ExportKind::Variable).collect();
        if exported.is_empty() {
            return;
        }
        exported.sort_by(|a, b| a.name.cmp(&b.name));
        self.out.key("__bicep_exported_variables!");
        self.out.begin_array();
        for export in exported {
            let Some(Statement::VariableDeclaration(variable)) = model.statement_of(export.symbol) else {
                continue;
            };
            self.out.begin_object();
            self.text_member("name", &export.name);
            if let Some(description) = self.description(variable.node()) {
                self.out.key("description");
                self.tree(&description);
            }
            if let Some(ty) = variable.ty() {
                self.out.key("type");
                let members = self.type_members(ty);
                self.tree(&EmitTree::Object(members));
            }
            self.out.end_object();
        }
        self.out.end_array();
    }

    pub(super) fn definitions(&mut self) {
        let model = self.unit.model;
        let names = self.names;
        let imported: Vec<_> = names
            .items
            .iter()
            .filter(|item| match item.what {
                ImportSource::Symbol(model, symbol) => model.symbol(symbol).kind == SymbolKind::Type,
                ImportSource::Template(_, kind) => kind == ExportKind::Type,
                ImportSource::Hoist(..) => false,
            })
            .collect();
        if model.declarations.types.is_empty() && imported.is_empty() {
            return;
        }
        self.out.key("definitions");
        self.out.begin_object();
        for symbol in &model.declarations.types {
            let Some(ty) = alias_value(model, *symbol) else { continue };
            self.out.key(&model.symbol(*symbol).name);
            let members = self.type_members(ty);
            let members = self.with_decorators(model.node_of(*symbol), members, true);
            self.tree(&EmitTree::Object(members));
        }
        for item in imported {
            let mut members = match item.what {
                ImportSource::Symbol(model, symbol) => {
                    let Some(ty) = alias_value(model, symbol) else { continue };
                    self.in_model(model, |this| {
                        let members = this.type_members(ty);
                        this.with_decorators(model.node_of(symbol), members, false)
                    })
                }
                ImportSource::Template(template, kind) => {
                    let identifier = armsource::identifier(kind, &item.original);
                    let Some(value) = armsource::declaration(template, kind, &identifier) else { continue };
                    armtypes::declared(names, template, value, 0)
                }
                ImportSource::Hoist(..) => continue,
            };
            let mut origin = vec![("sourceTemplate".into(), EmitTree::text(item.source.as_str()))];
            if !item.name.ends_with(item.original.as_str()) {
                origin.push(("originalIdentifier".into(), EmitTree::text(item.original.as_str())));
            }
            let origin = EmitTree::Object(vec![("__bicep_imported_from!".into(), EmitTree::Object(origin))]);
            merge(&mut members, "metadata", origin);
            self.out.key(&item.name);
            self.tree(&EmitTree::Object(members));
        }
        self.out.end_object();
    }

    fn extensions(&mut self) {
        let model = self.unit.model;
        let is_local = model.target == Scopes::LOCAL;
        let none = model.declarations.extensions.is_empty() && model.declarations.implicit.is_empty();
        if none && !is_local {
            return;
        }
        let configs = model.features().has(Feature::ModuleExtensionConfigs);
        self.out.key(if configs { "extensions" } else { "imports" });
        self.out.begin_object();
        for symbol in model.declarations.extensions.iter().chain(&model.declarations.implicit) {
            let with = match model.statement_of(*symbol) {
                Some(Statement::ExtensionDeclaration(extension)) => extension.with_clause(),
                _ => None,
            };
            let known = model.extension_of(*symbol);
            let (name, version) =
                known.map_or(("", ""), |known| (known.name.as_str(), known.version.as_str()));
            self.begin_extension(&model.symbol(*symbol).name, name, version, configs);
            if let Some(with) = with {
                self.out.key("config");
                if configs { self.extension_config(with.config()) } else { self.value(with.config()) }
            }
            self.out.end_object();
        }
        if is_local {
            self.begin_extension(LOCAL_DEPLOYMENTS, "LocalNested", "0.0.0", configs);
            self.out.end_object();
        }
        self.out.end_object();
    }

    fn begin_extension(&mut self, alias: &str, name: &str, version: &str, configs: bool) {
        self.out.key(alias);
        self.out.begin_object();
        self.text_member(if configs { "name" } else { "provider" }, name);
        self.text_member("version", version);
    }
}
