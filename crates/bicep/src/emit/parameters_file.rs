//! Parameters files to parameters JSON.

use arm::evaluate::{EvaluationLimits, Evaluator, inline};
use arm::template_text::{JsonLayout, TemplateWriter};
use arm::{Expression, Reduced, Value};
use rustc_hash::FxHashSet;
use syntax::SyntaxElement;
use syntax::ast::{AstNode as _, Expr, ObjectProperty, Program, Statement};
use syntax::{NodeKind, SyntaxNode};

use super::collation;
use super::host::EmitHost;
use super::imports::{SymbolNames, imported_models, names};
use super::parameters_file_env::{Env, Params, ParamsFile};
use super::unit::Unit;
use crate::codes;
use crate::config::InputsForm;
use crate::files::ReferenceKind;
use crate::finding::Finding;
use crate::functions::Becomes;
use crate::language::{Dialect, Feature};
use crate::symbols::{CallSyntax, Model, ModuleTarget, SymbolId, SymbolKind};

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#";

/// Writes the parameters of a parameters file; or tells why there are none. `failed` are the parameters and variables
/// that are known to have no values.
pub(crate) fn write_parameters(
    host: &dyn EmitHost,
    model: &Model,
    failed: &FxHashSet<SymbolId>,
) -> Result<String, Vec<Finding>> {
    let models = chain(model);
    let units: Vec<Unit<'_>> = models.iter().map(|model| Unit::params(host, model)).collect();
    let imports: Vec<Vec<Unit<'_>>> = models
        .iter()
        .map(|model| imported_models(model).into_iter().map(|model| Unit::imported(host, model)).collect())
        .collect();
    let names: Vec<SymbolNames<'_>> =
        models.iter().zip(&imports).map(|(model, units)| names(model, units)).collect();
    let files = units.iter().zip(&imports).zip(&names);
    let files = files.map(|((unit, units), names)| ParamsFile::new(host, unit, units, names)).collect();
    let form = host.options().inputs_form(&model.file.config);
    let mut writer = ParamsWriter {
        params: Params::new(host, files, form),
        model,
        form,
        out: TemplateWriter::new(String::new(), JsonLayout::Indented),
        findings: Vec::new(),
    };
    writer.check_inputs(failed);
    // What inputs ask for is looked up by everything that follows.
    if !writer.findings.is_empty() {
        return Err(writer.findings);
    }
    writer.collect_inputs();
    writer.evaluate(failed);
    if !failed.is_empty() || !writer.findings.is_empty() {
        return Err(writer.findings);
    }
    writer.write();
    if writer.findings.iter().any(Finding::is_error) { Err(writer.findings) } else { Ok(writer.out.finish()) }
}

/// A parameters file, the one it extends, the one that extends, and so on.
fn chain(model: &Model) -> Vec<&Model> {
    let address = |model: &Model| std::ptr::from_ref(model).addr();
    let mut found = vec![model];
    let mut seen = FxHashSet::from_iter([address(model)]);
    let mut at = model;
    while let Some(ModuleTarget::Bicep(parent)) = at.target_of(ReferenceKind::Extends) {
        if !parent.is_params() || !seen.insert(address(parent)) {
            break;
        }
        found.push(parent);
        at = parent;
    }
    found
}

pub(super) struct ParamsWriter<'u> {
    pub(super) params: Params<'u>,
    pub(super) model: &'u Model,
    pub(super) form: InputsForm,
    pub(super) out: TemplateWriter<String>,
    pub(super) findings: Vec<Finding>,
}

impl<'u> ParamsWriter<'u> {
    fn write(&mut self) {
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

    pub(super) fn fail(&mut self, span: syntax::Span, what: &str, why: &dyn std::fmt::Display) {
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

    pub(super) fn value_of(&self, place: usize, symbol: SymbolId) -> Option<(&'u Model, Expr<'u>)> {
        let model: &'u Model = self.params.files.get(place)?.unit.model;
        match model.statement_of(symbol)? {
            Statement::ParameterAssignment(assignment) => Some((model, assignment.value())),
            _ => None,
        }
    }

    fn evaluated(&mut self, place: usize, model: &'u Model, value: Expr<'u>, what: &str) {
        let env = Env { params: &self.params, file: place, index: None };
        let result = Evaluator::run(&env, EvaluationLimits::DEFAULT, |evaluator| {
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
        match self.settled(place, model, value) {
            Ok(Reduced::Expression(expression)) => {
                self.out.key("expression");
                self.string_expression(&expression);
            }
            // All that depends on an input is gone, such as a branch that is not taken.
            Ok(Reduced::Value(value)) => {
                self.out.key("value");
                self.out.value(value.view());
            }
            Err(error) => {
                self.out.key("expression");
                self.out.null();
                self.fail(value.span(), &format!("the parameter `{name}`"), &error);
            }
        }
    }

    /// What is left of an expression when everything that is known is worked out, as far as the form wants it.
    pub(super) fn settled(
        &self,
        place: usize,
        model: &'u Model,
        value: Expr<'u>,
    ) -> Result<Reduced, arm::EvaluateError> {
        let env = Env { params: &self.params, file: place, index: None };
        let all = || {
            Evaluator::run(&env, EvaluationLimits::DEFAULT, |evaluator| {
                self.params.value(place, model, value, evaluator)
            })
        };
        let settled = match self.form {
            InputsForm::Azure if !self.params.is_loop(place, value) => {
                // The public compiler leaves calls as they are.
                Reduced::Expression(self.inlined(place, model, value)?)
            }
            InputsForm::Azure | InputsForm::Proposal => all()?,
        };
        match (settled, model.dialect) {
            (Reduced::Expression(left), Dialect::Tendon) => {
                let left = self.params.without_functions(place, left)?;
                match self.form {
                    InputsForm::Azure => Ok(Reduced::Expression(left)),
                    InputsForm::Proposal => {
                        Evaluator::run(&env, EvaluationLimits::DEFAULT, |evaluator| evaluator.reduce(&left))
                    }
                }
            }
            (settled, _) => Ok(settled),
        }
    }

    fn string_expression(&mut self, expression: &Expression) {
        let mut text = String::new();
        arm::expression::print_template_string(expression, &mut text);
        self.out.string(&text);
    }

    /// Where a secret lies: constants give an id, anything else an expression for it.
    fn secret(&mut self, place: usize, model: &'u Model, call: CallSyntax<'u>) {
        let constants: Option<Vec<String>> =
            call.arguments().map(|argument| super::loads::constant_text(model, argument, 0)).collect();
        let arguments: Vec<Expression> = match &constants {
            Some(texts) => texts.iter().map(|text| Expression::text(text.as_str())).collect(),
            None => {
                let mut found = Vec::new();
                for argument in call.arguments() {
                    match self.settled(place, model, argument) {
                        Ok(reduced) => found.push(reduced.into_expression()),
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
        match self.form {
            InputsForm::Proposal => self.expression(0, self.model, config, "using"),
            InputsForm::Azure => {
                self.out.key("expression");
                let converted = self.params.convert(0, self.model, config);
                self.string_expression(&converted);
            }
        }
        self.out.end_object();
    }
}

/// The parameter or variable that a node refers to.
pub(super) fn mentioned(model: &Model, node: SyntaxNode<'_>) -> Option<SymbolId> {
    let symbol = model.symbol_at(node).filter(|_| node.kind() == NodeKind::VariableAccess)?;
    matches!(model.symbol(symbol).kind, SymbolKind::ParameterAssignment | SymbolKind::Variable)
        .then_some(symbol)
}

/// The parameters and variables of a file in an order in which none comes before what it refers to, except in cycles.
pub(super) fn in_order(model: &Model) -> Vec<SymbolId> {
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
pub(super) fn using_config(model: &Model) -> Option<Expr<'_>> {
    Program::cast(model.file.tree.root())?.statements().find_map(|statement| match statement {
        Statement::UsingDeclaration(using) => using.with_clause().map(|with| with.config()),
        _ => None,
    })
}

/// The call of `getSecret` that a value is.
fn secret_call<'m>(model: &'m Model, value: Expr<'m>) -> Option<CallSyntax<'m>> {
    let mut value = value;
    while let Expr::ParenthesizedExpression(inner) = value {
        value = inner.expression();
    }
    let call = CallSyntax::of(value)?;
    let function = model.binding(call.node().id()).function()?;
    matches!(function.becomes, Becomes::SecretReference).then_some(call)
}
