//! Functions of a template, own ones and those that are taken over.

use contract::Node;
use document::SourceValue;
use syntax::SyntaxNode;
use syntax::ast::{Statement, TypedVariableBlock};

use super::armsource;
use super::armtypes;
use super::collation;
use super::emitter::Emitter;
use super::imports::{ImportSource, TemplateImport, split_function};
use super::tree::{EmitTree, merge};
use crate::symbols::{ExportKind, Model, SymbolId, SymbolKind, TemplateModel};

/// A function to be written.
struct FunctionEntry<'u> {
    name: String,
    source: Source<'u>,
    item: Option<&'u TemplateImport<'u>>,
}

#[derive(Clone, Copy)]
enum Source<'u> {
    Bicep(&'u Model, SymbolId),
    Template(&'u TemplateModel, SourceValue<'u>),
}

impl<'u> Emitter<'u> {
    pub(super) fn functions(&mut self) {
        let model = self.unit.model;
        let own = model.declarations.functions.iter().map(|symbol| FunctionEntry {
            name: model.symbol(*symbol).name.to_string(),
            source: Source::Bicep(model, *symbol),
            item: None,
        });
        let names = self.names;
        let imported = names.items.iter().filter_map(|item| {
            let source = match item.what {
                ImportSource::Symbol(model, symbol) if model.symbol(symbol).kind == SymbolKind::Function => {
                    Source::Bicep(model, symbol)
                }
                ImportSource::Template(template, ExportKind::Function) => {
                    let identifier = armsource::identifier(ExportKind::Function, &item.original);
                    Source::Template(
                        template,
                        armsource::declaration(template, ExportKind::Function, &identifier)?,
                    )
                }
                _ => return None,
            };
            Some(FunctionEntry { name: item.name.clone(), source, item: Some(item) })
        });
        // Imported functions are in the order of their names without the namespaces.
        let mut imported: Vec<FunctionEntry<'u>> = imported.collect();
        imported.sort_by(|a, b| collation::compare(split_function(&a.name).1, split_function(&b.name).1));
        let mut spaces: Vec<(String, Vec<FunctionEntry<'u>>)> = Vec::new();
        for entry in own.chain(imported) {
            let space = split_function(&entry.name).0.to_owned();
            match spaces.iter_mut().find(|(known, _)| *known == space) {
                Some((_, entries)) => entries.push(entry),
                None => spaces.push((space, vec![entry])),
            }
        }
        if spaces.is_empty() && !self.has_type_functions() {
            return;
        }
        self.out.key("functions");
        self.out.begin_array();
        for (space, entries) in spaces {
            self.out.begin_object();
            self.text_member("namespace", &space);
            self.out.key("members");
            self.out.begin_object();
            for entry in entries {
                self.out.key(split_function(&entry.name).1);
                self.out.begin_object();
                match entry.source {
                    Source::Bicep(model, symbol) => self.in_model(model, |this| this.function(model, symbol)),
                    Source::Template(template, value) => self.template_function(template, value),
                }
                self.function_metadata(&entry);
                self.out.end_object();
            }
            self.out.end_object();
            self.out.end_object();
        }
        self.write_type_functions();
        self.out.end_array();
    }

    fn function(&mut self, model: &'u Model, symbol: SymbolId) {
        let Some(Statement::FunctionDeclaration(function)) = model.statement_of(symbol) else { return };
        let Some(lambda) = function.lambda() else { return };
        self.out.key("parameters");
        self.out.begin_array();
        for variable in lambda.variables().into_iter().flat_map(TypedVariableBlock::variables) {
            let mut members = self.type_members(variable.ty());
            merge(&mut members, "name", EmitTree::text(variable.name().text()));
            self.tree(&EmitTree::Object(members));
        }
        self.out.end_array();
        self.out.key("output");
        let mut members = self.type_members(lambda.return_type());
        if self.host.options().probes {
            self.out.begin_object();
            for (name, member) in &members {
                self.out.key(name);
                self.tree(member);
            }
            self.out.key("value");
            let value = self.convert(lambda.body());
            let value = self.probed("function", function.name().span(), value);
            self.string_expression(value);
            self.done();
            self.out.end_object();
            return;
        }
        merge(&mut members, "value", EmitTree::Expression(lambda.body()));
        self.tree(&EmitTree::Object(members));
    }

    fn template_function(&mut self, template: &'u TemplateModel, value: SourceValue<'u>) {
        let names = self.names;
        self.out.key("parameters");
        self.out.begin_array();
        for parameter in value.member("parameters").into_iter().flat_map(SourceValue::items) {
            let mut members = armtypes::members(names, template, parameter, 0);
            if let Some(name) = parameter.member("name") {
                merge(&mut members, "name", EmitTree::Json(name));
            }
            self.tree(&EmitTree::Object(members));
        }
        self.out.end_array();
        self.out.key("output");
        self.out.begin_object();
        if let Some(output) = value.member("output") {
            let members = armtypes::members(names, template, output, 0);
            self.members(&members);
            if let Some(value) = output.member("value") {
                self.out.key("value");
                self.template_value(template, value);
            }
        }
        self.out.end_object();
    }

    fn function_metadata(&mut self, entry: &FunctionEntry<'u>) {
        let description = match entry.source {
            Source::Bicep(model, symbol) => {
                let node: SyntaxNode<'u> = model.node_of(symbol);
                self.in_model(model, |this| this.description(node))
            }
            Source::Template(_, value) => {
                let text = value.member("metadata").and_then(|it| it.member("description"));
                text.filter(|text| matches!(text.node(), Node::Text(_))).map(EmitTree::Json)
            }
        };
        let exported = matches!(entry.source, Source::Bicep(model, symbol) if entry.item.is_none() && model.is_exported(symbol));
        if description.is_none() && !exported && entry.item.is_none() {
            return;
        }
        self.out.key("metadata");
        self.out.begin_object();
        if let Some(description) = description {
            self.out.key("description");
            self.tree(&description);
        }
        if exported {
            self.out.key("__bicep_export!");
            self.out.bool(true);
        }
        if let Some(item) = entry.item {
            self.out.key("__bicep_imported_from!");
            self.out.begin_object();
            self.text_member("sourceTemplate", &item.source);
            if split_function(&item.name).1 != item.original {
                self.text_member("originalIdentifier", &item.original);
            }
            self.out.end_object();
        }
        self.out.end_object();
    }
}
