//! Parameters files to parameters JSON.

use arm::evaluate::{Evaluator, Limits, inline};
use arm::template_text::{Layout, Writer};
use arm::{Expression, Reduced, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::SyntaxElement;
use syntax::ast::{AstNode as _, Expr, ObjectProperty, Program, Statement};
use syntax::{NodeKind, SyntaxNode};

use super::collation;
use super::imports::{Names, imported_models, names};
use super::parameters_file_env::{Env, Params, ParamsFile};
use super::unit::Unit;
use crate::Compiler;
use crate::codes;
use crate::config::Feature;
use crate::files::ReferenceKind;
use crate::finding::Finding;
use crate::functions::{Becomes, FunctionFlags as F};
use crate::symbols::{Call, Model, ModuleTarget, SymbolId, SymbolKind};

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#";

/// Writes the parameters of a parameters file; or tells why there are none. `failed` are the parameters and variables
/// that are known to have no values.
pub(crate) fn write_parameters(
    compiler: &Compiler,
    model: &Model,
    failed: &FxHashSet<SymbolId>,
) -> Result<String, Vec<Finding>> {
    let models = chain(model);
    let units: Vec<Unit<'_>> = models.iter().map(|model| Unit::params(compiler, model)).collect();
    let imports: Vec<Vec<Unit<'_>>> = models
        .iter()
        .map(|model| {
            imported_models(model).into_iter().map(|model| Unit::imported(compiler, model)).collect()
        })
        .collect();
    let names: Vec<Names<'_>> =
        models.iter().zip(&imports).map(|(model, units)| names(model, units)).collect();
    let files = units.iter().zip(&imports).zip(&names);
    let files = files.map(|((unit, units), names)| ParamsFile::new(compiler, unit, units, names)).collect();
    let mut writer = ParamsWriter {
        params: Params::new(compiler, files),
        model,
        inputs: Inputs::default(),
        out: Writer::new(String::new(), Layout::Indented),
        findings: Vec::new(),
    };
    writer.evaluate(failed);
    if !failed.is_empty() || !writer.findings.is_empty() {
        return Err(writer.findings);
    }
    writer.write();
    if writer.findings.iter().any(Finding::is_error) { Err(writer.findings) } else { Ok(writer.out.finish()) }
}

/// A parameters file, the one it extends, the one that extends, and so on.
fn chain(model: &Model) -> Vec<&Model> {
    let mut found = vec![model];
    let mut at = model;
    while let Some(ModuleTarget::Bicep(parent)) = at.target_of(ReferenceKind::Extends) {
        if !parent.is_params() || found.iter().any(|known| std::ptr::eq(*known, &**parent)) {
            break;
        }
        found.push(parent);
        at = parent;
    }
    found
}

/// The external inputs that a file asks for, by the text of the call.
#[derive(Default)]
struct Inputs {
    keys: FxHashMap<String, String>,
    definitions: Vec<(String, Expression, Option<Expression>)>,
}

impl Inputs {
    /// Finds the calls in an expression and gives each its key.
    fn collect(&mut self, expression: &Expression) {
        match expression {
            Expression::Call(call) if call.is("externalInput") => {
                let text = expression.to_string();
                let Some(Expression::Text(kind)) = call.arguments.first() else { return };
                if self.keys.contains_key(&text) {
                    return;
                }
                let word = |character: char| {
                    if character.is_alphanumeric() || character == '_' { character } else { '_' }
                };
                let kind: String = kind.chars().map(word).collect();
                let key = format!("{kind}_{}", self.keys.len());
                self.keys.insert(text, key.clone());
                if let Some(kind) = call.arguments.first() {
                    self.definitions.push((key, kind.clone(), call.arguments.get(1).cloned()));
                }
            }
            Expression::Call(call) => call.arguments.iter().for_each(|argument| self.collect(argument)),
            Expression::Access(access) => {
                self.collect(access.base());
                access.path().iter().for_each(|step| self.collect(step));
            }
            Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => {}
        }
    }

    /// The expression with keys in the place of calls.
    fn keyed(&self, expression: &Expression) -> Expression {
        match expression {
            Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => expression.clone(),
            Expression::Call(call) => {
                if call.is("externalInput")
                    && let Some(key) = self.keys.get(&expression.to_string())
                {
                    return Expression::call("externalInputs", [Expression::text(key.as_str())]);
                }
                let arguments: Vec<Expression> =
                    call.arguments.iter().map(|argument| self.keyed(argument)).collect();
                match &call.namespace {
                    Some(space) => Expression::user_call(space.clone(), call.name.clone(), arguments),
                    None => Expression::call(call.name.clone(), arguments),
                }
            }
            Expression::Access(access) => {
                let base = self.keyed(access.base());
                access.path().iter().fold(base, |base, step| base.index(self.keyed(step)))
            }
        }
    }
}

struct ParamsWriter<'u> {
    params: Params<'u>,
    model: &'u Model,
    inputs: Inputs,
    out: Writer<String>,
    findings: Vec<Finding>,
}

impl<'u> ParamsWriter<'u> {
    fn write(&mut self) {
        self.collect_inputs();
        self.out.begin_object();
        self.text_member("$schema", SCHEMA);
        self.text_member("contentVersion", "1.0.0.0");
        self.out.key("parameters");
        self.out.begin_object();
        let declared = self.declared();
        let names: Vec<&'u str> = self.model.assigned_names().collect();
        for name in names {
            if declared.as_ref().is_none_or(|declared| declared.contains(name)) {
                self.out.key(name);
                self.out.begin_object();
                self.parameter(name);
                self.out.end_object();
            }
        }
        self.out.end_object();
        self.definitions();
        if self.model.features().has(Feature::ModuleExtensionConfigs) {
            self.extension_configs();
        }
        self.using_config();
        self.out.end_object();
    }

    fn text_member(&mut self, name: &str, text: &str) {
        self.out.key(name);
        self.out.string(text);
    }

    /// The parameters of the file that the values are for; none when any will do.
    fn declared(&self) -> Option<FxHashSet<String>> {
        match self.model.target_of(ReferenceKind::Using)? {
            ModuleTarget::Bicep(model) => {
                let parameters = model.declarations.parameters.iter();
                Some(parameters.map(|symbol| model.symbol(*symbol).name.to_string()).collect())
            }
            ModuleTarget::Template(template) => {
                Some(template.parameters.iter().map(|parameter| parameter.name.to_string()).collect())
            }
        }
    }

    fn fail(&mut self, span: syntax::Span, what: &str, why: &dyn std::fmt::Display) {
        self.findings.push(codes::NOT_EVALUATED.at(span, &[&format!("the value of {what}"), why]));
    }

    fn parameter(&mut self, name: &str) {
        let Some((place, symbol)) = self.params.assignment(0, name) else { return };
        let Some((model, value)) = self.value_of(place, symbol) else { return };
        if let Some(call) = secret_call(model, value) {
            self.out.key("reference");
            return self.secret(place, model, call);
        }
        let inlined =
            self.params.files.get(place).is_some_and(|file| file.unit.inlined.variables.contains(&symbol));
        if inlined {
            self.out.key("expression");
            return self.expression(place, model, value, name);
        }
        self.out.key("value");
        let result = self.params.parameter(place, symbol);
        self.outcome(result, value, &format!("the parameter `{name}`"));
    }

    /// Works out all values, those that others need first. What refers to something without a value has none itself.
    fn evaluate(&mut self, failed: &FxHashSet<SymbolId>) {
        let model = self.model;
        let mut failed = failed.clone();
        for symbol in in_order(model) {
            if failed.contains(&symbol) {
                continue;
            }
            let mut sound = true;
            for node in model.node_of(symbol).descendants() {
                let Some(mentioned) = mentioned(model, node) else { continue };
                if failed.contains(&mentioned) {
                    sound = false;
                } else if let Some(unknown) = self.unknown(mentioned) {
                    self.findings.push(unknown(node.span(), &model.symbol(mentioned).name));
                    sound = false;
                }
            }
            if sound && let Some(Statement::ParameterAssignment(assignment)) = model.statement_of(symbol) {
                sound = self.has_value(symbol, assignment.value());
            }
            if !sound {
                failed.insert(symbol);
            }
        }
    }

    /// Why the value of a parameter cannot be used when compiling, although nothing is wrong with it.
    fn unknown(&self, symbol: SymbolId) -> Option<fn(syntax::Span, &str) -> Finding> {
        let (model, value) = self.value_of(0, symbol)?;
        if secret_call(model, value).is_some() {
            return Some(|at, name| codes::SECRET_PARAMETER.at(at, &[&name]));
        }
        match self.params.parameter(0, symbol) {
            Ok(Reduced::Value(Value::Null)) => Some(|at, name| codes::DEFAULTED_PARAMETER.at(at, &[&name])),
            _ => None,
        }
    }

    /// Tells whether a parameter has a value, or an expression in its place; if not, says so.
    fn has_value(&mut self, symbol: SymbolId, value: Expr<'u>) -> bool {
        let inlined =
            self.params.files.first().is_some_and(|file| file.unit.inlined.variables.contains(&symbol));
        if inlined || secret_call(self.model, value).is_some() {
            return true;
        }
        let what = || format!("the parameter `{}`", self.model.symbol(symbol).name);
        match self.params.parameter(0, symbol) {
            Ok(Reduced::Value(_)) => true,
            Ok(Reduced::Expression(rest)) => {
                let what = what();
                self.fail(value.span(), &what, &format!("`{rest}` is not known when compiling"));
                false
            }
            Err(error) => {
                let what = what();
                self.fail(value.span(), &what, &error);
                false
            }
        }
    }

    fn value_of(&self, place: usize, symbol: SymbolId) -> Option<(&'u Model, Expr<'u>)> {
        let model: &'u Model = self.params.files.get(place)?.unit.model;
        match model.statement_of(symbol)? {
            Statement::ParameterAssignment(assignment) => Some((model, assignment.value())),
            _ => None,
        }
    }

    fn evaluated(&mut self, place: usize, model: &'u Model, value: Expr<'u>, what: &str) {
        let env = Env { params: &self.params, file: place, index: None };
        let result = Evaluator::run(&env, Limits::DEFAULT, |evaluator| {
            self.params.value(place, model, value, evaluator)
        });
        self.outcome(result, value, what);
    }

    fn outcome(&mut self, result: Result<Reduced, arm::EvaluateError>, value: Expr<'u>, what: &str) {
        match result {
            Ok(Reduced::Value(value)) => self.out.value(value.view()),
            Ok(Reduced::Expression(rest)) => {
                self.out.null();
                self.fail(value.span(), what, &format!("`{rest}` is not known when compiling"));
            }
            Err(error) => {
                self.out.null();
                self.fail(value.span(), what, &error);
            }
        }
    }

    /// What is left of an expression when all references in it are worked out.
    fn inlined(
        &self,
        place: usize,
        model: &'u Model,
        value: Expr<'u>,
    ) -> Result<Expression, arm::EvaluateError> {
        let converted = self.params.convert(place, model, value);
        inline(&converted, &Env { params: &self.params, file: place, index: None })
    }

    fn expression(&mut self, place: usize, model: &'u Model, value: Expr<'u>, name: &str) {
        match self.inlined(place, model, value) {
            Ok(expression) => {
                let expression = self.with_keys(&expression);
                self.string_expression(&expression);
            }
            Err(error) => {
                self.out.null();
                self.fail(value.span(), &format!("the parameter `{name}`"), &error);
            }
        }
    }

    /// The expression with keys in the place of inputs. Those that only come through the extended file get theirs here.
    fn with_keys(&mut self, expression: &Expression) -> Expression {
        self.inputs.collect(expression);
        self.inputs.keyed(expression)
    }

    fn string_expression(&mut self, expression: &Expression) {
        let mut text = String::new();
        arm::expression::print_template_string(expression, &mut text);
        self.out.string(&text);
    }

    /// Where a secret lies: constants give an id, anything else an expression for it.
    fn secret(&mut self, place: usize, model: &'u Model, call: Call<'u>) {
        let constants: Option<Vec<String>> =
            call.arguments().map(|argument| super::loads::constant_text(model, argument, 0)).collect();
        let arguments: Vec<Expression> = match &constants {
            Some(texts) => texts.iter().map(|text| Expression::text(text.as_str())).collect(),
            None => {
                let mut found = Vec::new();
                for argument in call.arguments() {
                    match self.inlined(place, model, argument) {
                        Ok(expression) => found.push(self.with_keys(&expression)),
                        Err(error) => self.fail(argument.span(), "a secret", &error),
                    }
                }
                found
            }
        };
        let mut arguments = arguments.into_iter();
        let (subscription, group, vault) = (arguments.next(), arguments.next(), arguments.next());
        let id = match (subscription, group, vault) {
            (
                Some(Expression::Text(subscription)),
                Some(Expression::Text(group)),
                Some(Expression::Text(vault)),
            ) if constants.is_some() => Expression::text(format!(
                "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.KeyVault/vaults/{vault}"
            )),
            (Some(subscription), Some(group), Some(vault)) => Expression::call(
                "resourceId",
                [
                    subscription,
                    group,
                    Expression::text("Microsoft.KeyVault"),
                    Expression::text("vaults"),
                    vault,
                ],
            ),
            _ => Expression::text(""),
        };
        self.out.begin_object();
        self.out.key("keyVault");
        self.out.begin_object();
        self.out.key("id");
        self.string_expression(&id);
        self.out.end_object();
        for (name, value) in ["secretName", "secretVersion"].into_iter().zip(arguments) {
            self.out.key(name);
            self.string_expression(&value);
        }
        self.out.end_object();
    }

    fn collect_inputs(&mut self) {
        let model = self.model;
        for name in model.assigned_names() {
            if let Some((place, symbol)) = self.params.assignment(0, name)
                && let Some((model, _)) = self.value_of(place, symbol)
            {
                self.collect_in(place, model, model.node_of(symbol));
            }
        }
        for symbol in &model.declarations.variables {
            self.collect_in(0, model, model.node_of(*symbol));
        }
        if let Some(config) = using_config(model) {
            self.collect_in(0, model, config.node());
        }
    }

    fn collect_in(&mut self, place: usize, model: &'u Model, node: SyntaxNode<'u>) {
        for call in node.descendants() {
            if !matches!(call.kind(), NodeKind::FunctionCall | NodeKind::InstanceFunctionCall) {
                continue;
            }
            let flags =
                model.binding(call.id()).function().map(|function| function.flags).unwrap_or_default();
            let Some(expression) = Expr::cast(call) else { continue };
            let brought = Call::of(expression).and_then(|call| model.extension_function(call));
            if !flags.has(F::EXTERNAL_INPUT) && !brought.is_some_and(|it| it.needs_input()) {
                continue;
            }
            if let Ok(expression) = self.inlined(place, model, expression) {
                self.inputs.collect(&expression);
            }
        }
    }

    fn definitions(&mut self) {
        if self.inputs.definitions.is_empty() {
            return;
        }
        let mut definitions = std::mem::take(&mut self.inputs.definitions);
        definitions.sort_by(|(a, ..), (b, ..)| collation::compare(a, b));
        self.out.key("externalInputDefinitions");
        self.out.begin_object();
        for (key, kind, config) in definitions {
            self.out.key(&key);
            self.out.begin_object();
            self.out.key("kind");
            self.constant(&kind);
            if let Some(config) = config {
                self.out.key("config");
                self.constant(&config);
            }
            self.out.end_object();
        }
        self.out.end_object();
    }

    fn constant(&mut self, expression: &Expression) {
        let env = Env { params: &self.params, file: 0, index: None };
        let value = Evaluator::run(&env, Limits::DEFAULT, |evaluator| evaluator.evaluate(expression));
        self.out.value(value.unwrap_or(Value::Null).view());
    }

    fn extension_configs(&mut self) {
        let model = self.model;
        let mut configs: Vec<SymbolId> = model.declarations.extension_configs.clone();
        configs.sort_by(|a, b| collation::compare(&model.symbol(*a).name, &model.symbol(*b).name));
        self.out.key("extensionConfigs");
        self.out.begin_object();
        for symbol in configs {
            let Some(Statement::ExtensionConfigAssignment(config)) = model.statement_of(symbol) else {
                continue;
            };
            self.out.key(&model.symbol(symbol).name);
            self.out.begin_object();
            if let Some(Expr::Object(object)) = config.with_clause().map(|with| with.config()) {
                let properties =
                    object.items().filter_map(SyntaxElement::node).filter_map(ObjectProperty::cast);
                let mut properties: Vec<(String, Expr<'u>)> = properties
                    .filter_map(|it| Some((it.key().constant()?.into_owned(), it.value())))
                    .collect();
                properties.sort_by(|(a, _), (b, _)| collation::compare(a, b));
                for (name, value) in properties {
                    self.out.key(&name);
                    self.out.begin_object();
                    if let Some(call) = secret_call(model, value) {
                        self.out.key("keyVaultReference");
                        self.secret(0, model, call);
                    } else {
                        self.out.key("value");
                        self.evaluated(0, model, value, &format!("the setting `{name}`"));
                    }
                    self.out.end_object();
                }
            }
            self.out.end_object();
        }
        self.out.end_object();
    }

    fn using_config(&mut self) {
        let Some(config) = using_config(self.model) else { return };
        self.out.key("usingConfig");
        self.out.begin_object();
        self.out.key("expression");
        let converted = self.params.convert(0, self.model, config);
        let keyed = self.with_keys(&converted);
        self.string_expression(&keyed);
        self.out.end_object();
    }
}

/// The parameter or variable that a node refers to.
fn mentioned(model: &Model, node: SyntaxNode<'_>) -> Option<SymbolId> {
    let symbol = model.symbol_at(node).filter(|_| node.kind() == NodeKind::VariableAccess)?;
    matches!(model.symbol(symbol).kind, SymbolKind::ParameterAssignment | SymbolKind::Variable)
        .then_some(symbol)
}

/// The parameters and variables of a file in an order in which none comes before what it refers to, except in cycles.
fn in_order(model: &Model) -> Vec<SymbolId> {
    let mut seen = FxHashSet::default();
    let mut order = Vec::new();
    let all = model.declarations.variables.iter().chain(&model.declarations.assignments);
    for start in all {
        let mut open: Vec<(SymbolId, Vec<SymbolId>)> = Vec::new();
        let mut next = Some(*start);
        loop {
            if let Some(symbol) = next.filter(|symbol| seen.insert(*symbol)) {
                let inside = model.node_of(symbol).descendants();
                open.push((symbol, inside.filter_map(|node| mentioned(model, node)).collect()));
            }
            let Some((symbol, mentions)) = open.last_mut() else { break };
            next = mentions.pop();
            if next.is_none() {
                order.push(*symbol);
                open.pop();
            }
        }
    }
    order
}

/// The object behind `using ... with`.
fn using_config(model: &Model) -> Option<Expr<'_>> {
    Program::cast(model.file.tree.root())?.statements().find_map(|statement| match statement {
        Statement::UsingDeclaration(using) => using.with_clause().map(|with| with.config()),
        _ => None,
    })
}

/// The call of `getSecret` that a value is.
fn secret_call<'m>(model: &'m Model, value: Expr<'m>) -> Option<Call<'m>> {
    let mut value = value;
    while let Expr::ParenthesizedExpression(inner) = value {
        value = inner.expression();
    }
    let call = Call::of(value)?;
    let function = model.binding(call.node().id()).function()?;
    matches!(function.becomes, Becomes::SecretReference).then_some(call)
}
