//! Variables of a template: results of calls, own ones, and those that are taken over.

use arm::expression::{Expression, TemplateString};
use contract::Node;
use document::SourceValue;
use syntax::ast::{Expr, Statement};

use super::armsource;
use super::emitter::Emitter;
use super::imports::{ImportSource, TemplateImport};
use super::unit::hoist_name;
use super::values::ExpressionShape;
use crate::symbols::{ExportKind, Model, SymbolId, SymbolKind, TemplateModel};

impl<'u> Emitter<'u> {
    pub(super) fn variables(&mut self) {
        let model = self.unit.model;
        let own: Vec<SymbolId> = model
            .declarations
            .variables
            .iter()
            .copied()
            .filter(|symbol| !self.unit.inlined.variables.contains(symbol))
            .collect();
        let names = self.names;
        let imported: Vec<&'u TemplateImport<'u>> =
            names.items.iter().filter(|item| is_variable(item)).collect();
        if own.is_empty() && imported.is_empty() && self.unit.hoists.is_empty() {
            return;
        }
        self.out.key("variables");
        self.out.begin_object();
        self.loop_variables(&own, &imported);
        let mut hoists: Vec<(String, syntax::NodeId)> =
            self.unit.hoists.iter().enumerate().map(|(number, call)| (hoist_name(number), *call)).collect();
        hoists.sort();
        for (name, call) in hoists {
            self.key(&name);
            if let Some(value) = self.unit.loads.get(&call) {
                self.loaded_value(value);
            }
        }
        for symbol in own {
            if let Some(value) = variable_value(model, symbol)
                && !matches!(self.loop_shape(value), ExpressionShape::Loop(_))
            {
                self.key(&model.symbol(symbol).name);
                self.value(value);
            }
        }
        for item in imported {
            self.imported_variable(item);
        }
        self.out.end_object();
    }

    /// Writes the variables that are loops.
    fn loop_variables(&mut self, own: &[SymbolId], imported: &[&'u TemplateImport<'u>]) {
        let model = self.unit.model;
        let mut open = false;
        for symbol in own {
            let Some(value) = variable_value(model, *symbol) else { continue };
            if let ExpressionShape::Loop(each) = self.loop_shape(value) {
                self.open_copy(&mut open);
                self.copy_object(Some(&model.symbol(*symbol).name), each, Some(each.body()), None);
            }
        }
        for item in imported {
            match item.what {
                ImportSource::Symbol(model, symbol) => {
                    let Some(value) = variable_value(model, symbol) else { continue };
                    if let ExpressionShape::Loop(each) = self.loop_shape(value) {
                        self.open_copy(&mut open);
                        self.in_model(model, |this| {
                            this.copy_object(Some(&item.name), each, Some(each.body()), None)
                        });
                    }
                }
                ImportSource::Template(template, _) => {
                    if let Some(looped) = armsource::copy_variable(template, &item.original) {
                        self.open_copy(&mut open);
                        self.template_loop(template, item, looped);
                    }
                }
                ImportSource::Hoist(..) => {}
            }
        }
        if open {
            self.out.end_array();
        }
    }

    fn open_copy(&mut self, open: &mut bool) {
        if !*open {
            self.out.key("copy");
            self.out.begin_array();
            *open = true;
        }
    }

    fn imported_variable(&mut self, item: &'u TemplateImport<'u>) {
        match item.what {
            ImportSource::Symbol(model, symbol) => {
                let Some(value) = variable_value(model, symbol) else { return };
                if !matches!(self.loop_shape(value), ExpressionShape::Loop(_)) {
                    self.key(&item.name);
                    self.in_model(model, |this| this.value(value));
                }
            }
            ImportSource::Hoist(model, number) => {
                let Some(unit) = self.unit_of(model) else { return };
                let Some(value) = unit.hoists.get(number).and_then(|call| unit.loads.get(call)) else {
                    return;
                };
                self.key(&item.name);
                self.loaded_value(value);
            }
            ImportSource::Template(template, _) => {
                if let Some(value) = armsource::declaration(template, ExportKind::Variable, &item.original) {
                    self.key(&item.name);
                    self.template_value(template, value);
                }
            }
        }
    }

    fn template_loop(
        &mut self,
        template: &'u TemplateModel,
        item: &'u TemplateImport<'u>,
        looped: SourceValue<'u>,
    ) {
        self.out.begin_object();
        self.text_member("name", &item.name);
        self.out.key("count");
        let count = looped.member("count").and_then(|count| self.template_expression(template, count));
        let zero = Expression::Int(0);
        let range = Expression::call("range", [zero, count.unwrap_or(Expression::Int(0))]);
        self.out.expression(&Expression::call("length", [range]));
        if let Some(input) = looped.member("input") {
            self.out.key("input");
            self.template_value(template, input);
        }
        self.out.end_object();
    }

    fn template_expression(&self, template: &TemplateModel, value: SourceValue<'u>) -> Option<Expression> {
        let names = self.names;
        let rename = |kind, name: &str| names.template(template, kind, name).map(str::to_owned);
        match value.node() {
            Node::Int(value) => Some(Expression::Int(value)),
            Node::Text(text) => {
                TemplateString::parse(text).ok().map(|parsed| armsource::rename(&parsed, &rename))
            }
            _ => None,
        }
    }

    /// Writes a value of a template, with the names that its parts have in this one.
    pub(super) fn template_value(&mut self, template: &'u TemplateModel, value: SourceValue<'u>) {
        match value.node() {
            Node::Text(text) => match TemplateString::of(text) {
                TemplateString::Text(text) => self.out.string(&arm::expression::escape_text(text)),
                TemplateString::Expression(_) => match self.template_expression(template, value) {
                    Some(expression) => self.out.expression(&expression),
                    None => self.out.string(text),
                },
            },
            Node::Float(_) | Node::Decimal(_) => {
                let text = value.document().text();
                let place = value.place();
                let literal = text.get(place.start as usize..place.end as usize).unwrap_or("0");
                self.out.expression(&Expression::call("json", [Expression::text(literal)]));
            }
            Node::List(_) => {
                self.out.begin_array();
                for item in value.items() {
                    self.template_value(template, item);
                }
                self.out.end_array();
            }
            Node::Object(_) => {
                self.out.begin_object();
                for (name, member) in value.members() {
                    self.out.key(name.as_str().unwrap_or_default());
                    self.template_value(template, member);
                }
                self.out.end_object();
            }
            _ => self.out.value(value),
        }
    }
}

fn is_variable(item: &TemplateImport<'_>) -> bool {
    match item.what {
        ImportSource::Symbol(model, symbol) => model.symbol(symbol).kind == SymbolKind::Variable,
        ImportSource::Hoist(..) => true,
        ImportSource::Template(_, kind) => kind == ExportKind::Variable,
    }
}

fn variable_value(model: &Model, symbol: SymbolId) -> Option<Expr<'_>> {
    match model.statement_of(symbol)? {
        Statement::VariableDeclaration(variable) => Some(variable.value()),
        _ => None,
    }
}
