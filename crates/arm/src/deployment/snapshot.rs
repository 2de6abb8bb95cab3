//! Predicts what a deployment would do: all resources of all nested deployments, and the outputs.
//!
//! Everything that can be known is worked out, and what only the run time knows stays an expression. Nested deployments
//! are not shown: their resources are, as if the template had no modules.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use contract::Admitted;
use diagnostics::Message;
use smol_str::SmolStr;

use super::environment::Loops;
use super::outputs;
use super::partial::{Nulls, Partial, PartialName, template_string};
use super::plan::{Level, Plan, PlanStep, StepKind, WhatIfDiagnostic};
use super::run::{NoLookups, Runtime, StepError};
use super::{Deployment, STEP_LIMITS, Unresolved, budget_error, nested, over_budget};
use super::{step_options, walk};
use crate::evaluate::{Cause, EnvironmentValue, Reduced};
use crate::expression::{Expression, TemplateString, escape_text};
use crate::template::{OpenResourceTerms, Resource, ResourceOption, TemplateError, code};
use crate::value::{ObjectBuilder, Value};

/// What a deployment would do.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The resources, in the order of the template; those of extensions come last.
    pub resources: Vec<Value>,
    /// The extensions that the last of the resources are of, by their names.
    pub extensions: Vec<SmolStr>,
    /// The nested deployments that would run, with their ids and outputs. They are no part of the document.
    pub deployments: Vec<Value>,
    /// What could not be told.
    pub diagnostics: Vec<WhatIfDiagnostic>,
    /// The parameters of nested deployments that are checked when the deployment knows their values, as `deployment.parameter`.
    pub unknown: Vec<String>,
    /// The outputs, in order. One that is not known, or only in part, is one expression string, as the public tool writes it.
    pub outputs: Vec<(SmolStr, Value)>,
    /// The outputs, in order. What is known in part is JSON, with expression strings for what is not known.
    pub output_trees: Vec<(SmolStr, Value)>,
}

impl Snapshot {
    /// The document that `snapshot` writes.
    pub fn to_json(&self) -> Value {
        self.json(&self.outputs)
    }

    /// The same document, with outputs as JSON also where they are known in part.
    pub fn to_json_with_trees(&self) -> Value {
        self.json(&self.output_trees)
    }

    fn json(&self, outputs: &[(SmolStr, Value)]) -> Value {
        let diagnostics = self.diagnostics.iter().map(|diagnostic| Value::from(diagnostic.to_string()));
        Value::object([
            ("predictedResources", Value::array(self.resources.clone())),
            ("diagnostics", Value::array(diagnostics.collect())),
            ("outputs", Value::object(outputs.iter().cloned())),
        ])
    }
}

impl Snapshot {
    /// Tells whether everything is known; each expression that is left is an error.
    pub fn complete(&self) -> Result<(), Vec<TemplateError>> {
        let mut errors = Vec::new();
        for resource in &self.resources {
            let id = resource.as_object().and_then(|resource| resource.get("id")).and_then(Value::as_str);
            find_expressions(resource, id.unwrap_or_default(), &mut errors);
        }
        for (name, value) in &self.outputs {
            find_expressions(value, name, &mut errors);
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// Recursion is bounded by how deep a value may nest.
fn find_expressions(value: &Value, target: &str, errors: &mut Vec<TemplateError>) {
    match value {
        Value::Text(text) => {
            if let TemplateString::Expression(rest) = TemplateString::of(text) {
                let message = Message::sentence(format!("The value of '{rest}' is not known"));
                errors.push(TemplateError::invalid_template(message).target(target));
            }
        }
        Value::Array(items) => {
            items.items().iter().for_each(|item| find_expressions(item, target, errors));
        }
        Value::Object(members) => {
            members.iter().for_each(|(_, value)| find_expressions(value, target, errors));
        }
        _ => {}
    }
}

/// Predicts a deployment. Its context says what becomes of values that are not known: they should be kept.
pub fn snapshot(deployment: impl Into<Arc<Deployment>>) -> Result<Snapshot, Vec<TemplateError>> {
    let deployment = deployment.into();
    let budget = deployment.context().budget.clone();
    let snapshot = whole_snapshot(deployment).map_err(|errors| over_budget(&budget, errors))?;
    // What was not needed after all may have been too much as well.
    match budget_error(&budget) {
        Some(error) => Err(vec![error]),
        None => Ok(snapshot),
    }
}

fn whole_snapshot(deployment: Arc<Deployment>) -> Result<Snapshot, Vec<TemplateError>> {
    let left = Cell::new(deployment.template().limits().expanded_resources);
    let limits = PredictionLimits { left, parts: Cell::new(MAX_PARTS) };
    let predicted = predict(deployment, &limits)?;
    let mut resources = predicted.resources;
    let (extensions, of_extensions): (Vec<SmolStr>, Vec<Value>) = predicted.extensions.into_iter().unzip();
    resources.extend(of_extensions);
    let trees = predicted
        .outputs
        .iter()
        .map(|(name, _, value)| (name.clone(), Partial::from(value.clone()).into_template_json(Nulls::Keep)));
    let output_trees = trees.collect();
    let outputs = predicted.outputs.into_iter().map(|(name, _, value)| (name, shown_output(value)));
    Ok(Snapshot {
        resources,
        extensions,
        deployments: predicted.deployments,
        diagnostics: predicted.diagnostics,
        unknown: predicted.unknown,
        outputs: outputs.collect(),
        output_trees,
    })
}

/// An output as the document has it.
fn shown_output(value: Reduced) -> Value {
    match value {
        Reduced::Value(value) => super::partial::escaped(&value, Nulls::Keep),
        Reduced::Expression(expression) => Value::Text(template_string(&expression)),
    }
}

/// How many values a snapshot may hold.
const MAX_PARTS: u64 = 20_000_000;

/// How many resources all deployments together may still have, and how large they may be.
struct PredictionLimits {
    left: Cell<usize>,
    parts: Cell<u64>,
}

impl PredictionLimits {
    /// Counts a resource; false if there are too many parts.
    fn try_spend(&self, resource: &Value) -> bool {
        let left = self.parts.get().checked_sub(resource.size());
        self.parts.set(left.unwrap_or(0));
        left.is_some()
    }
}

struct PredictedDeployment {
    resources: Vec<Value>,
    extensions: Vec<(SmolStr, Value)>,
    deployments: Vec<Value>,
    diagnostics: Vec<WhatIfDiagnostic>,
    unknown: Vec<String>,
    outputs: Vec<(SmolStr, Option<&'static str>, Reduced)>,
}

/// What a step turned out to be.
#[derive(Default)]
struct PredictedStep {
    resources: Vec<Value>,
    /// Those of extensions, with the names of these.
    extensions: Vec<(SmolStr, Value)>,
    /// The nested deployment, and those inside it.
    deployments: Vec<Value>,
}

fn predict(
    deployment: Arc<Deployment>,
    limits: &PredictionLimits,
) -> Result<PredictedDeployment, Vec<TemplateError>> {
    let plan = Plan::new(deployment)?;
    let count = plan.steps().len();
    match limits.left.get().checked_sub(count.max(1)) {
        Some(left) => limits.left.set(left),
        None => {
            let message = "the template and those inside it have too many resources".to_owned();
            return Err(vec![TemplateError::invalid_template(message)]);
        }
    }
    let mut diagnostics = plan.diagnostics().to_vec();
    let mut unknown = Vec::new();
    let mut errors = Vec::new();
    // What is known of the outputs of nested deployments that came before.
    let known: RefCell<HashMap<usize, EnvironmentValue>> = RefCell::default();
    let ask = |step: usize| known.borrow().get(&step).cloned();
    let mut shown: Vec<PredictedStep> = Vec::new();
    shown.resize_with(count, PredictedStep::default);
    for at in plan.order() {
        let Some(step) = plan.steps().get(*at) else { continue };
        let Some(resource) = plan.resource(step) else { continue };
        let mut runtime = Runtime::new(&plan, &NoLookups, Some(step.index));
        runtime.predicted = Some(&ask);
        let mut show = PredictedStep::default();
        let before = errors.len();
        errors.extend(wrong_options(&plan, &runtime, step, resource));
        match step.kind {
            StepKind::Existing => {}
            StepKind::Resource | StepKind::Extension => {
                let body = plan.around(&runtime, step, |around, evaluator| {
                    walk::members(around, evaluator, &resource.body)
                });
                let body = body.map(|body| {
                    let terms = OpenResourceTerms::of_prediction(body.with_unknowns());
                    let shown = if step.kind == StepKind::Extension {
                        extension(step, body)
                    } else {
                        predicted_resource(step, body)
                    };
                    (terms, shown)
                });
                let body = match body {
                    Ok((terms, body)) => {
                        plan.admit_body(step, resource, &terms, body).map(Admitted::into_inner)
                    }
                    Err(located) => Err(plan.step_error(step, &located, None)),
                };
                match body {
                    Ok(body) if !limits.try_spend(&body) => {
                        let message = "the template and those inside it are too large to be predicted";
                        return Err(vec![TemplateError::invalid_template(message)]);
                    }
                    Ok(body) if step.kind == StepKind::Extension => {
                        show.extensions.push((plan.extension(step).unwrap_or_default(), body));
                    }
                    Ok(body) => show.resources.push(body),
                    Err(error) => errors.push(error),
                }
            }
            StepKind::Deployment => {
                let request = plan.around(&runtime, step, |around, evaluator| {
                    // Nothing is fetched: what is asked for is simply not known.
                    let request = nested::request(&runtime, around, evaluator, step, resource, true);
                    runtime.needs.take();
                    // As the deployment pays for them.
                    if let Ok(Some(request)) = &request
                        && let Err(over) = plan.pay_parameters(step, &request.deployment)
                    {
                        return Err(StepError::At(walk::Located::new(over.into(), resource.span)));
                    }
                    request
                });
                if let Ok(Some(request)) = &request {
                    let nested = &request.deployment;
                    let later = nested.template().parameters.iter().filter(|parameter| {
                        matches!(nested.parameter(&parameter.name), Some(EnvironmentValue::Expression(_)))
                    });
                    unknown.extend(later.map(|parameter| format!("{}.{}", step.name, parameter.name)));
                }
                match inner(request, limits) {
                    Ok(Some(inner)) => {
                        show.deployments = nested_deployments(step, &inner);
                        known.borrow_mut().insert(step.index, state(inner.outputs));
                        show.resources = inner.resources;
                        show.extensions = inner.extensions;
                        diagnostics.extend(inner.diagnostics);
                        unknown.extend(inner.unknown);
                    }
                    Ok(None) => {}
                    Err(SnapshotError::At(located)) => errors.push(plan.step_error(step, &located, None)),
                    Err(SnapshotError::Whole(all)) => errors.extend(all),
                }
            }
        }
        if step.is_uncertain {
            // What may not be deployed is not certainly wrong.
            diagnostics.extend(errors.drain(before..).map(|error| uncertain(step, &error)));
        }
        if let Some(slot) = shown.get_mut(step.index) {
            *slot = show;
        }
        let is_full = errors.len() >= plan.deployment().template().limits().errors;
        if is_full || (plan.deployment().context().budget.is_exhausted() && !errors.is_empty()) {
            return Err(errors);
        }
    }
    let outputs = outputs_of(&plan, &ask, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut predicted = PredictedDeployment {
        resources: Vec::new(),
        extensions: Vec::new(),
        deployments: Vec::new(),
        diagnostics,
        unknown,
        outputs,
    };
    for show in shown {
        predicted.deployments.extend(show.deployments);
        predicted.resources.extend(show.resources);
        predicted.extensions.extend(show.extensions);
    }
    Ok(predicted)
}

/// A nested deployment, and those inside it.
fn nested_deployments(step: &PlanStep, inner: &PredictedDeployment) -> Vec<Value> {
    let outputs = inner.outputs.iter().map(|(name, _, value)| (name.clone(), shown_output(value.clone())));
    let own = Value::object([
        ("id", Value::Text(step.id.clone())),
        ("outputs", Value::object(outputs.collect::<Vec<_>>())),
    ]);
    std::iter::once(own).chain(inner.deployments.iter().cloned()).collect()
}

/// What would be wrong if a resource were deployed.
fn uncertain(step: &PlanStep, error: &TemplateError) -> WhatIfDiagnostic {
    WhatIfDiagnostic {
        target: step.id.to_string(),
        level: Level::Warning,
        code: "ResourceUnknown".into(),
        message: format!("if it is deployed, it cannot be: {}", error.brief()),
    }
}

/// What is wrong with the options of a step, as far as that is known.
fn wrong_options(
    plan: &Plan,
    runtime: &Runtime<'_>,
    step: &PlanStep,
    resource: &Resource,
) -> Vec<TemplateError> {
    if step.kind == StepKind::Existing || resource.options.is_empty() {
        return Vec::new();
    }
    let mistakes =
        plan.around(runtime, step, |around, evaluator| step_options::mistakes(around, evaluator, resource));
    // Nothing is fetched: what is asked for is simply not known.
    runtime.needs.take();
    match mistakes {
        Ok(mistakes) => {
            let error = |(option, needs): (&ResourceOption, &str)| {
                let message = format!("the option `{}` of `{}` needs {needs}", option.name, step.id);
                let error = TemplateError::invalid_template(message).target(step.id.as_str());
                match option.arguments.first() {
                    Some(first) => error.at(plan.deployment().template().location(first.span)),
                    None => error.at(plan.deployment().template().location(resource.span)),
                }
            };
            mistakes.into_iter().map(error).collect()
        }
        Err(located) => vec![plan.step_error(step, &located, None)],
    }
}

enum SnapshotError {
    At(walk::Located),
    Whole(Vec<TemplateError>),
}

fn inner(
    request: Result<Option<nested::NestedRequest>, StepError>,
    limits: &PredictionLimits,
) -> Result<Option<PredictedDeployment>, SnapshotError> {
    match request {
        Ok(Some(request)) => predict(request.deployment, limits).map(Some).map_err(SnapshotError::Whole),
        Ok(None) => Ok(None),
        Err(StepError::At(located)) => Err(SnapshotError::At(located)),
        Err(StepError::Whole(error)) => Err(SnapshotError::Whole(vec![*error])),
    }
}

fn outputs_of(
    plan: &Plan,
    ask: &dyn Fn(usize) -> Option<EnvironmentValue>,
    errors: &mut Vec<TemplateError>,
) -> Vec<(SmolStr, Option<&'static str>, Reduced)> {
    let mut results = Vec::new();
    let keeps = plan.deployment().context().unresolved == Unresolved::Keep;
    let budget = &plan.deployment().context().budget;
    let mut waiting = 0_u64;
    for output in &plan.deployment().template().outputs {
        let mut runtime = Runtime::new(plan, &NoLookups, None);
        runtime.predicted = Some(&ask);
        let value = plan.deployment().run(&runtime, &Loops::NONE, STEP_LIMITS, |around, evaluator| {
            outputs::evaluate(around, evaluator, output)
        });
        let value = value.and_then(|value| {
            // They are kept together until all are there, as those of a deployment are.
            value.iter().try_for_each(|value| outputs::hold(budget, output, value, &mut waiting))?;
            Ok(value)
        });
        match value {
            Ok(None) => {}
            Ok(Some(Partial::Value(value))) => match plan.finish(output, value) {
                Ok(result) => {
                    results.push((result.name, result.type_name, Reduced::Value(result.value.into_inner())))
                }
                // What is wrong with its value is told here like the rest: one error for each.
                Err(error) => errors.extend(error.details.into_iter().map(|detail| TemplateError {
                    code: if detail.code == code::INVALID_TEMPLATE {
                        error.code.clone()
                    } else {
                        detail.code
                    },
                    ..detail
                })),
            },
            Ok(Some(rest)) => {
                let mut rest = rest.into_reduced();
                // The variables of a module mean nothing outside.
                if plan.deployment().context().depth > 0 && reads_variables(&rest) {
                    rest = Reduced::Expression(output_of(plan.deployment(), &output.name));
                }
                results.push((output.name.clone(), output.ty.name(), rest));
            }
            // How long a loop is may be known to the run time alone.
            Err(located) if *located.error.cause() == Cause::Unknown && keeps => {
                let rest = output_of(plan.deployment(), &output.name);
                results.push((output.name.clone(), output.ty.name(), Reduced::Expression(rest)));
            }
            Err(located) => {
                let is_over = located.error.cause().ends_everything();
                errors.push(plan.output_error(output, &located, None));
                if is_over {
                    return results;
                }
            }
        }
    }
    // What is too much is said by whoever looks at the budget.
    let _ = budget.send(waiting);
    results
}

fn reads_variables(rest: &Reduced) -> bool {
    let Reduced::Expression(expression) = rest else { return false };
    let mut found = false;
    expression.for_each(&mut |part| found |= part.as_call().is_some_and(|call| call.is_call_to("variables")));
    found
}

/// What an output will be once its deployment has run.
fn output_of(deployment: &Deployment, output: &SmolStr) -> Expression {
    let context = deployment.context();
    let name = context.name.clone().unwrap_or_default();
    let id = format!("{}/providers/Microsoft.Resources/deployments/{name}", context.scope.id());
    let state = Expression::call("reference", [Expression::text(id)]);
    state.property("outputs").property(output.clone()).property("value")
}

/// What `reference` says of a nested deployment whose outputs are known, or known in part.
fn state(outputs: Vec<(SmolStr, Option<&'static str>, Reduced)>) -> EnvironmentValue {
    let outputs = outputs.into_iter().map(|(name, type_name, value)| {
        let mut members = Vec::new();
        if let Some(type_name) = type_name {
            members.push((PartialName::Text("type".into()), Partial::Value(type_name.into())));
        }
        members.push((PartialName::Text("value".into()), Partial::from(value)));
        (PartialName::Text(name), Partial::object(members))
    });
    let outputs = Partial::object(outputs.collect());
    match Partial::object(vec![(PartialName::Text("outputs".into()), outputs)]).into_reduced() {
        Reduced::Value(value) => EnvironmentValue::Value(value),
        Reduced::Expression(expression) => EnvironmentValue::Expression(expression),
    }
}

/// The members that come first, in this order, whatever the order of the template is.
const FIRST: &[&str] = &["location", "sku", "kind"];

/// A resource as snapshots show it.
fn predicted_resource(step: &PlanStep, body: Partial) -> Value {
    let body = body.into_template_json(Nulls::Drop);
    let mut shown = ObjectBuilder::default();
    shown.set("id".into(), Value::Text(step.id.clone()));
    shown.set("type".into(), Value::Text(step.type_name.clone()));
    // Where the id is known, so is the name: text, which may look like an expression.
    let name = if step.id.starts_with('[') { step.name.clone() } else { escape_text(&step.name).into() };
    shown.set("name".into(), Value::Text(name));
    if let Some(api_version) = &step.api_version {
        shown.set("apiVersion".into(), Value::Text(api_version.clone()));
    }
    let body = body.as_object();
    for name in FIRST {
        if let Some(value) = body.and_then(|body| body.get(name)) {
            shown.set((*name).into(), value.clone());
        }
    }
    for (name, value) in body.into_iter().flatten() {
        if shown.get(name).is_none() {
            shown.set(name.clone(), value.clone());
        }
    }
    shown.finish()
}

/// A resource of an extension as snapshots show it.
fn extension(step: &PlanStep, body: Partial) -> Value {
    let body = body.into_template_json(Nulls::Drop);
    let mut shown = ObjectBuilder::default();
    for (name, value) in body.as_object().into_iter().flatten() {
        shown.set(name.clone(), value.clone());
    }
    shown.set("type".into(), Value::Text(step.type_name.clone()));
    if let Some(api_version) = &step.api_version {
        shown.set("apiVersion".into(), Value::Text(api_version.clone()));
    }
    shown.finish()
}
