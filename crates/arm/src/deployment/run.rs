//! Evaluates steps at run time: what is needed is asked for, and once it is there the request is ready.

use std::cell::RefCell;
use std::sync::Arc;

use contract::{Admitted, Boundary, OpenTerms, admit};
use diagnostics::Message;
use smol_str::SmolStr;

use super::environment::{DeploymentEnvironment, LoopKind, Loops, Resources};
use super::mocks::Subject;
use super::nested::{self, NestedRequest};
use super::partial::{Partial, without_nulls};
use super::plan::{Index, Plan, PlanStep, StepKind, StepTarget, label};
use super::step_options::{self, StepOption};
use super::walk::{self, Located};
use super::{Deployment, STEP_LIMITS, budget_error, id, over_budget_alone};
use crate::budget::Overrun;
use crate::evaluate::{Cause, EnvironmentValue, EvaluateError, Evaluator};
use crate::expression::Expression;
use crate::template::ResourceOption;
use crate::template::{
    MemberName, OpenResourceTerms, Resource, Template, TemplateError, TemplateMember, TypeViolation, code,
};
use crate::value::{ObjectBuilder, Value};

/// Something that has to be fetched before an evaluation can go on.
#[derive(Clone, Debug, PartialEq)]
pub enum ResourceLookup {
    /// The state that a step of this plan ended with: the whole body of a resource, for a nested deployment
    /// `{"properties": {"outputs": {...}}}`, for a resource of an extension its properties.
    Step(usize),
    /// A resource that this plan does not deploy: its whole body.
    Resource {
        /// The id of the resource.
        id: SmolStr,
        /// The version of the API; none if nobody says it.
        api_version: Option<SmolStr>,
        /// Whether null is the answer if there is no such resource.
        null_if_missing: bool,
    },
    /// What a `list...` operation of a resource gives.
    List {
        /// The name of the function.
        function: SmolStr,
        /// The id of the resource.
        id: SmolStr,
        /// The version of the API; none if nobody says it.
        api_version: Option<SmolStr>,
        /// What is sent along.
        body: Option<Value>,
    },
    /// A secret of a key vault.
    Secret {
        /// The id of the vault.
        vault: SmolStr,
        /// The name of the secret.
        name: SmolStr,
        /// Its version; none for the newest.
        version: Option<SmolStr>,
    },
}

/// What has been looked up so far.
pub trait LookupResults {
    /// The result of a lookup; none if nobody has looked it up. An error is what the evaluation then fails with.
    fn answer(&self, lookup: &ResourceLookup) -> Option<Result<Value, TemplateError>>;
}

/// Nothing has been fetched.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLookups;

impl LookupResults for NoLookups {
    fn answer(&self, _: &ResourceLookup) -> Option<Result<Value, TemplateError>> {
        None
    }
}

/// What became of an evaluation that may have to know something of resources. Who runs a plan has lookups and errors of its own.
#[derive(Debug)]
pub enum Evaluation<T, L = ResourceLookup, E = TemplateError> {
    /// Everything that it reads was known.
    Ready(T),
    /// These have to be looked up first; then the evaluation is run again.
    NeedsLookups(Vec<L>),
    /// It cannot be evaluated.
    Failed(E),
}

/// What has to be done for a step.
#[derive(Debug)]
pub enum StepRequest {
    /// Put a resource, with what is wanted beyond that.
    Put {
        /// The body: `location`, `tags`, `properties` and the like, without members that are null. Secrets in it
        /// are secrets: whoever sends it exposes them.
        body: Admitted<Value>,
        /// `PATCH` instead of a put, where the template says so.
        method: Option<SmolStr>,
        /// How it is to be done; see `@options`.
        options: Vec<StepOption>,
    },
    /// Run a deployment of its own.
    Deploy {
        /// What to run, and with what.
        nested: Box<NestedRequest>,
        /// How it is to be done; see `@options`.
        options: Vec<StepOption>,
    },
    /// Nothing: the resource is read when somebody asks for it.
    Existing,
}

impl Plan {
    /// Evaluates what a step has to do, or says what has to be looked up first.
    pub fn evaluate(&self, step: usize, live: &dyn LookupResults) -> Evaluation<StepRequest> {
        self.within_budget(self.evaluate_step(step, live))
    }

    /// What became of an evaluation, unless the budget was exceeded on the way.
    pub(super) fn within_budget<T>(&self, evaluation: Evaluation<T>) -> Evaluation<T> {
        let budget = &self.deployment.context().budget;
        match evaluation {
            Evaluation::Failed(error) => Evaluation::Failed(over_budget_alone(budget, error)),
            other => match budget_error(budget) {
                Some(error) => Evaluation::Failed(error),
                None => other,
            },
        }
    }

    fn evaluate_step(&self, step: usize, live: &dyn LookupResults) -> Evaluation<StepRequest> {
        let found = self.steps().get(step).and_then(|step| Some((step, self.resource(step)?)));
        let Some((step, resource)) = found else {
            return Evaluation::Failed(TemplateError::invalid_template("the plan has no such step"));
        };
        let runtime = Runtime::new(self, live, Some(step.index));
        let is_waiting = || !runtime.needs.borrow().is_empty();
        let result = self.around(&runtime, step, |around, evaluator| match step.kind {
            StepKind::Existing => Ok(Some(StepRequest::Existing)),
            StepKind::Deployment => {
                let nested = nested::request(&runtime, around, evaluator, step, resource, false)?;
                let Some(nested) = nested else { return Ok(None) };
                if let Err(overrun) = self.pay_parameters(step, &nested.deployment) {
                    return Err(StepError::At(Located::new(overrun.into(), resource.span)));
                }
                let options = step_options::evaluate(is_waiting, around, evaluator, resource)?;
                let Some(options) = options else { return Ok(None) };
                Ok(Some(StepRequest::Deploy { nested: Box::new(nested), options }))
            }
            StepKind::Resource | StepKind::Extension => {
                let body = walk::members(around, evaluator, &resource.body)?;
                let options = step_options::evaluate(is_waiting, around, evaluator, resource)?;
                let Some(options) = options else { return Ok(None) };
                Ok(match body {
                    Partial::Value(body) => {
                        let terms = OpenResourceTerms::of_template();
                        let body = self.admit_body(step, resource, &terms, without_nulls(&body));
                        let body = body.map_err(|error| StepError::Whole(Box::new(error)))?;
                        let method = method(around, evaluator, resource)?;
                        Some(StepRequest::Put { body, method, options })
                    }
                    rest if runtime.needs.borrow().is_empty() => {
                        let rest = rest.into_reduced().into_expression();
                        return Err(StepError::At(Located::new(
                            crate::evaluate::unknown(&rest),
                            resource.span,
                        )));
                    }
                    _ => None,
                })
            }
        });
        let needs = runtime.needs.take();
        match result {
            Ok(Some(request)) if needs.is_empty() => Evaluation::Ready(request),
            Ok(_) if !needs.is_empty() => Evaluation::NeedsLookups(needs),
            Ok(_) => Evaluation::Failed(TemplateError::invalid_template("the step cannot be evaluated")),
            Err(StepError::Whole(error)) => Evaluation::Failed(*error),
            Err(StepError::At(located)) => {
                Evaluation::Failed(self.step_error(step, &located, runtime.failure(&located.error)))
            }
        }
    }

    /// The deployment that a step runs, as far as it is known before anything runs; none if the step runs none, or if nobody knows where the
    /// link to its template leads.
    pub fn nested(&self, step: usize) -> Result<Option<Arc<Deployment>>, TemplateError> {
        let found = self.steps().get(step).and_then(|step| Some((step, self.resource(step)?)));
        let Some((step, resource)) = found.filter(|(step, _)| step.kind == StepKind::Deployment) else {
            return Ok(None);
        };
        let runtime = Runtime::new(self, &NoLookups, Some(step.index));
        let request = self.around(&runtime, step, |around, evaluator| {
            nested::request(&runtime, around, evaluator, step, resource, true)
        });
        match request {
            Ok(request) => Ok(request.map(|request| request.deployment)),
            Err(error) => {
                let error = match error {
                    StepError::Whole(error) => *error,
                    StepError::At(located) => self.step_error(step, &located, None),
                };
                Err(over_budget_alone(&self.deployment.context().budget, error))
            }
        }
    }

    /// The options of a step, as its template writes them.
    pub fn options_of(&self, step: usize) -> &[ResourceOption] {
        let resource = self.steps().get(step).and_then(|step| self.resource(step));
        resource.map_or(&[], |resource| &resource.options)
    }

    /// Applies a lambda of a step's options to some values.
    pub fn apply(
        &self,
        step: usize,
        lambda: &Expression,
        arguments: &[Value],
        live: &dyn LookupResults,
    ) -> Result<Value, EvaluateError> {
        let wrong = || EvaluateError::new(Cause::Argument("lambda".into()), "this is not a lambda");
        let Some(step) = self.steps().get(step) else { return Err(wrong()) };
        let call = lambda.as_call().filter(|call| call.is_call_to("lambda")).ok_or_else(wrong)?;
        // `map` hands one element, and its index, to the lambda: the others are put in its place.
        let Some((body, names)) = call.arguments.split_last() else { return Err(wrong()) };
        let body = body.clone().rewrite(&mut |part| {
            let variable = part.as_call().filter(|call| call.is_call_to("lambdaVariables"));
            let name = variable.and_then(|call| call.arguments.first());
            let at = name.and_then(|name| names.iter().position(|other| other == name));
            match at.and_then(|at| arguments.get(at)) {
                Some(value) => Expression::from_value(&value.expose()),
                None => part,
            }
        });
        let runtime = Runtime::new(self, live, Some(step.index));
        self.around(&runtime, step, |_, evaluator| evaluator.evaluate(&body))
    }

    /// Does something in the environment of a step.
    pub(super) fn around<T>(
        &self,
        runtime: &dyn Resources,
        step: &PlanStep,
        work: impl FnOnce(&DeploymentEnvironment<'_>, &Evaluator<'_>) -> T,
    ) -> T {
        let (name, index) = step.copy.clone().unwrap_or_default();
        let kind = if step.copy.is_some() { LoopKind::Plain } else { LoopKind::None };
        let loops = Loops { outer: None, name: &name, index, kind };
        self.deployment.run(runtime, &loops, STEP_LIMITS, work)
    }

    /// Lets the body of a resource in if every reader sees the same in it, and its envelope is that of a resource. What its type asks
    /// beyond that, its provider knows; that of an extension has paths of its own for what is wrong, and is asked for everything.
    pub(super) fn admit_body(
        &self,
        step: &PlanStep,
        resource: &Resource,
        terms: &OpenResourceTerms,
        body: Value,
    ) -> Result<Admitted<Value>, TemplateError> {
        let paid = self.pay(step, body.written(), || body.largest_part(&label(step)));
        if let Err(overrun) = paid {
            let located = Located::new(overrun.into(), resource.span);
            let error = self.step_error(step, &located, None);
            return Err(over_budget_alone(&self.deployment.context().budget, error));
        }
        if step.kind == StepKind::Extension {
            return Ok(OpenTerms::admit(Boundary::Resource, body));
        }
        admit(Boundary::OpenResource, terms, body)
            .map_err(|breaches| invalid_body(self.deployment.template(), step, resource, &breaches))
    }

    /// Pays for the parameters of a nested deployment, which are kept with it.
    pub(super) fn pay_parameters(&self, step: &PlanStep, nested: &Deployment) -> Result<(), Overrun> {
        let each = nested.template.parameters.iter().zip(&nested.parameters);
        let budget = &self.deployment.context().budget;
        let mut all = 0_u64;
        for (parameter, value) in each {
            let name = || format!("{}.properties.parameters.{}", label(step), parameter.name);
            let (bytes, known) = match value {
                EnvironmentValue::Value(value) => (value.written(), Some(value)),
                // What is known of it already is kept as well.
                EnvironmentValue::Expression(rest) => (rest.written(), None),
                EnvironmentValue::Unknown => (0, None),
            };
            let path = || known.map_or_else(name, |value| value.largest_part(&name()));
            budget.check_part(bytes, 0, path)?;
            all = all.saturating_add(bytes);
        }
        self.pay_for(step, all)
    }

    pub(super) fn step_error(
        &self,
        step: &PlanStep,
        located: &Located,
        failed: Option<TemplateError>,
    ) -> TemplateError {
        let location = self.deployment.template().location(located.span);
        let before =
            format!("Unable to process template language expressions for resource '{}'", label(step));
        let behind = format!(". '{}'", located.error.message());
        let place = (location.line, location.column);
        let error = TemplateError::placed(code::INVALID_TEMPLATE, &before, place, behind.into());
        error.at(location).target(label(step)).details(failed.into_iter().collect())
    }
}

/// What a resource breaks of the terms of all resources.
pub(super) fn invalid_body(
    template: &Template,
    step: &PlanStep,
    resource: &Resource,
    breaches: &[TypeViolation],
) -> TemplateError {
    let location = template.location(resource.span);
    let (before, place) = (format!("The resource '{}'", label(step)), (location.line, location.column));
    let detail = |breach: &TypeViolation| {
        let target = breach.target(&label(step));
        TemplateError::new(breach.kind.code(), breach.message.clone()).target(target)
    };
    let details = breaches.iter().map(detail).collect();
    let error =
        TemplateError::placed(code::INVALID_TEMPLATE, &before, place, Message::sentence(" is not valid"));
    error.at(location).target(label(step)).details(details)
}

/// Why a step has no request.
pub(super) enum StepError {
    /// An expression of the template.
    At(Located),
    /// An error that speaks of the whole step.
    Whole(Box<TemplateError>),
}

impl From<Located> for StepError {
    fn from(located: Located) -> StepError {
        StepError::At(located)
    }
}

/// The method that a resource is sent with, if the template says it.
fn method(
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    resource: &Resource,
) -> Result<Option<SmolStr>, Located> {
    let Some(json) = &resource.method else { return Ok(None) };
    match walk::reduce(around, evaluator, json)? {
        Partial::Value(Value::Text(method)) => Ok(Some(method)),
        Partial::Value(other) => {
            let message = format!("the method must be a string, not {}", crate::evaluate::article(&other));
            Err(Located::new(EvaluateError::new(Cause::Argument("method".into()), message), json.span))
        }
        rest => {
            let rest = rest.into_reduced().into_expression();
            Err(Located::new(crate::evaluate::unknown(&rest), json.span))
        }
    }
}

/// A member of a resource's body, by whatever case.
pub(super) fn body_member<'r>(
    resource: &'r Resource,
    wanted: &str,
) -> Option<&'r crate::template::TemplateNode> {
    resource.body.iter().find_map(|member| match member {
        TemplateMember::Property { name: MemberName::Text(name), value, .. }
            if name.eq_ignore_ascii_case(wanted) =>
        {
            Some(value)
        }
        TemplateMember::Property { .. } | TemplateMember::Loop(_) => None,
    })
}

/// What a prediction says of a step.
pub(super) type StepPrediction<'p> = &'p dyn Fn(usize) -> Option<EnvironmentValue>;

/// Answers `reference` and the like from what has been fetched, and notes down what has not.
pub(super) struct Runtime<'r> {
    plan: &'r Plan,
    live: &'r dyn LookupResults,
    current: Option<usize>,
    pub(super) needs: RefCell<Vec<ResourceLookup>>,
    pub(super) failed: RefCell<Option<TemplateError>>,
    pub(super) predicted: Option<StepPrediction<'r>>,
}

/// What an argument of `reference` names.
enum ReferencedResource<'r> {
    Step(&'r PlanStep),
    Several(Vec<usize>),
    Other { id: SmolStr, api_version: Option<SmolStr> },
}

impl<'r> Runtime<'r> {
    pub(super) fn new(plan: &'r Plan, live: &'r dyn LookupResults, current: Option<usize>) -> Runtime<'r> {
        Runtime {
            plan,
            live,
            current,
            needs: RefCell::default(),
            failed: RefCell::default(),
            predicted: None,
        }
    }

    pub(super) fn deployment(&self) -> Arc<Deployment> {
        Arc::clone(&self.plan.deployment)
    }

    pub(super) fn index(&self) -> Arc<Index> {
        Arc::clone(&self.plan.index)
    }

    /// What a provider said about something that could not be evaluated; without its words if a secret is in them.
    pub(super) fn failure(&self, error: &EvaluateError) -> Option<TemplateError> {
        let failed = self.failed.take()?;
        Some(if error.is_hidden() {
            TemplateError::new(
                failed.code,
                Message::sentence("The provider refused a request that a secret is part of"),
            )
        } else {
            failed
        })
    }

    /// The answer to a need; none if it is not there yet.
    pub(super) fn fetch(
        &self,
        need: ResourceLookup,
        evaluator: &Evaluator<'_>,
    ) -> Result<Option<Value>, EvaluateError> {
        match self.live.answer(&need) {
            Some(Ok(value)) => Ok(Some(value)),
            Some(Err(error)) => {
                let message = error.message.clone();
                *self.failed.borrow_mut() = Some(error);
                Err(EvaluateError::new(Cause::Argument("reference".into()), message))
            }
            None => {
                let mut needs = self.needs.borrow_mut();
                if !evaluator.is_attempt() && !needs.contains(&need) {
                    needs.push(need);
                }
                Ok(None)
            }
        }
    }

    fn find(&self, text: &SmolStr) -> Result<ReferencedResource<'r>, EvaluateError> {
        let index: &Index = &self.plan.index;
        // What belongs to the template around is evaluated there, before anything of this one is put.
        if let Some(known) = self.find_around(text) {
            return Ok(known);
        }
        match index.find(text) {
            Some(StepTarget::Step(step)) => {
                if let Some(step) = self.plan.steps().get(step) {
                    return Ok(ReferencedResource::Step(step));
                }
            }
            Some(StepTarget::Loop(resource)) => {
                return Ok(ReferencedResource::Several(index.steps_of_resource(resource).collect()));
            }
            Some(StepTarget::Steps(steps)) => {
                // Of several with that name, the one that asks does not mean itself.
                let mut others = steps.iter().copied().filter(|step| Some(*step) != self.current);
                return Ok(match (others.next(), others.next()) {
                    (Some(only), None) if let Some(step) = self.plan.steps().get(only) => {
                        ReferencedResource::Step(step)
                    }
                    _ => ReferencedResource::Several(steps),
                });
            }
            // An id may be that of a resource which another template deployed.
            Some(StepTarget::Skipped) if text.starts_with('/') => {}
            Some(StepTarget::Skipped) => {
                let message = format!("the resource `{text}` is not deployed: its condition is false");
                return Err(EvaluateError::new(Cause::Argument("reference".into()), message));
            }
            None => {}
        }
        let deployment = &self.plan.deployment;
        let id =
            if text.starts_with('/') { text.clone() } else { id::of_scope(text, &deployment.context.scope) };
        Ok(ReferencedResource::Other { id, api_version: None })
    }

    /// A resource of the template around, or the one that asks for itself, as it was before.
    fn find_around(&self, text: &SmolStr) -> Option<ReferencedResource<'r>> {
        let outer = self.plan.deployment.outer.as_ref()?;
        if let Some(StepTarget::Step(step)) = outer.index.find(text) {
            let about = outer.index.about(step)?;
            let (id, api_version) = (about.id.clone(), about.api_version.clone());
            return Some(ReferencedResource::Other { id, api_version });
        }
        let Some(StepTarget::Step(step)) = self.plan.index.find(text) else { return None };
        let own = self.plan.steps().get(step).filter(|own| Some(own.index) == self.current)?;
        Some(ReferencedResource::Other { id: own.id.clone(), api_version: own.api_version.clone() })
    }

    /// `reference(resource, apiVersion?, 'Full'?)`: what a step or a lookup says of a resource.
    fn reference(
        &self,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        let text = text(arguments, "reference")?;
        let given = arguments.get(1).and_then(Value::as_str).map(SmolStr::new);
        let full = is_full("reference", arguments.get(2))?;
        match self.find(&text)? {
            ReferencedResource::Step(step) => self.state(step, given, full, evaluator),
            ReferencedResource::Several(_) => Err(ambiguous("reference", &text)),
            ReferencedResource::Other { id, api_version } => {
                let api_version = given.or(api_version);
                let kind = id::kind(&id);
                let subject = Subject { id: &id, kind: &kind, symbol: None };
                if let Some(mock) = self.plan.deployment.context.mocks.resource("reference", subject) {
                    return Ok(EnvironmentValue::Value(mocked(mock, subject, api_version.as_ref(), full)));
                }
                let left = left("reference", &id, api_version.as_ref(), full);
                let shown = |body: Value| EnvironmentValue::Value(view(&body, &id, full));
                let need = ResourceLookup::Resource { id: id.clone(), api_version, null_if_missing: false };
                Ok(self.fetch(need, evaluator)?.map_or(left, shown))
            }
        }
    }

    /// The state of a step.
    fn state(
        &self,
        step: &PlanStep,
        given: Option<SmolStr>,
        full: bool,
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        let api_version = given.or_else(|| step.api_version.clone());
        let subject = Subject { id: &step.id, kind: &step.type_name, symbol: step.symbol.as_deref() };
        if let Some(mock) = self.plan.deployment.context.mocks.resource("reference", subject) {
            return Ok(EnvironmentValue::Value(mocked(mock, subject, api_version.as_ref(), full)));
        }
        if !full && let Some(answer) = self.predicted.and_then(|predicted| predicted(step.index)) {
            return Ok(answer);
        }
        let (need, is_extension) = match step.kind {
            StepKind::Existing => {
                let options = self.plan.resource(step).map_or(&[][..], |resource| &resource.options);
                let null_if_missing = options.iter().any(|o| o.name.eq_ignore_ascii_case("nullIfNotFound"));
                (
                    ResourceLookup::Resource {
                        id: step.id.clone(),
                        api_version: api_version.clone(),
                        null_if_missing,
                    },
                    false,
                )
            }
            StepKind::Extension => (ResourceLookup::Step(step.index), true),
            StepKind::Resource | StepKind::Deployment => (ResourceLookup::Step(step.index), false),
        };
        match self.fetch(need, evaluator)? {
            Some(body) => Ok(EnvironmentValue::Value(view(&body, &step.id, full))),
            // An extension's resource has no id: its symbolic name stays.
            None if is_extension => Ok(EnvironmentValue::Unknown),
            None => Ok(left("reference", &step.id, api_version.as_ref(), full)),
        }
    }

    /// `references(loop, 'Full'?)`: the same for all resources of a loop, as a list.
    fn references(
        &self,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        let text = text(arguments, "references")?;
        let full = is_full("references", arguments.get(1))?;
        let steps = match self.find(&text)? {
            ReferencedResource::Several(steps) => steps,
            ReferencedResource::Step(step) => vec![step.index],
            ReferencedResource::Other { .. } => {
                let message = format!("`references`: there is no resource `{text}` in the template");
                return Err(EvaluateError::new(Cause::Argument("references".into()), message));
            }
        };
        let mut states = Vec::with_capacity(steps.len());
        let mut unknown = false;
        for step in steps.iter().filter_map(|step| self.plan.steps().get(*step)) {
            match self.state(step, None, full, evaluator)? {
                EnvironmentValue::Value(value) => states.push(value),
                EnvironmentValue::Expression(_) | EnvironmentValue::Unknown => unknown = true,
            }
        }
        Ok(if unknown { EnvironmentValue::Unknown } else { EnvironmentValue::Value(Value::array(states)) })
    }

    /// `listKeys(resource, apiVersion, body?)` and all others.
    fn list(
        &self,
        name: &str,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        let text = text(arguments, name)?;
        let given = arguments.get(1).and_then(Value::as_str).map(SmolStr::new);
        let body = arguments.get(2).cloned();
        let (id, kind, symbol, api_version) = match self.find(&text)? {
            ReferencedResource::Step(step) => {
                let api_version = given.or_else(|| step.api_version.clone());
                (step.id.clone(), step.type_name.clone(), step.symbol.clone(), api_version)
            }
            ReferencedResource::Several(_) => {
                return Err(ambiguous(name, &text));
            }
            ReferencedResource::Other { id, api_version } => {
                let kind = id::kind(&id);
                (id, kind, None, given.or(api_version))
            }
        };
        let subject = Subject { id: &id, kind: &kind, symbol: symbol.as_deref() };
        if let Some(mock) = self.plan.deployment.context.mocks.resource(name, subject) {
            return Ok(EnvironmentValue::Value(mock.clone()));
        }
        let mut left = vec![Expression::Text(id.clone())];
        left.extend(api_version.clone().map(Expression::Text));
        left.extend(body.as_ref().map(Expression::from_value));
        let need = ResourceLookup::List { function: name.into(), id, api_version, body };
        Ok(match self.fetch(need, evaluator)? {
            Some(value) => EnvironmentValue::Value(value),
            None => EnvironmentValue::Expression(Expression::call(name, left)),
        })
    }

    /// `resourceInfo(symbol)`: what is known of a resource without asking for it.
    fn info(&self, arguments: &[Value]) -> Result<EnvironmentValue, EvaluateError> {
        let text = text(arguments, "resourceInfo")?;
        let ReferencedResource::Step(step) = self.find(&text)? else {
            let message = format!("`resourceInfo`: there is no resource `{text}` in the template");
            return Err(EvaluateError::new(Cause::Argument("resourceInfo".into()), message));
        };
        let api_version = step.api_version.clone().map_or(Value::Null, Value::Text);
        Ok(EnvironmentValue::Value(Value::object([
            ("id", Value::Text(step.id.clone())),
            ("type", Value::Text(step.type_name.clone())),
            ("apiVersion", api_version),
            ("name", Value::Text(step.name.clone())),
        ])))
    }

    /// `target('full'?)`: what is there before the resource is deployed, or null.
    fn target(
        &self,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        let full = is_full("target", arguments.first())?;
        let Some(step) = self.current.and_then(|at| self.plan.steps().get(at)) else {
            return Err(EvaluateError::not_allowed_here("target"));
        };
        let need = ResourceLookup::Resource {
            id: step.id.clone(),
            api_version: step.api_version.clone(),
            null_if_missing: true,
        };
        Ok(self
            .fetch(need, evaluator)?
            .map_or(EnvironmentValue::Unknown, |body| EnvironmentValue::Value(state_view(&body, full))))
    }
}

impl Resources for Runtime<'_> {
    fn call(
        &self,
        name: &str,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<Option<EnvironmentValue>, EvaluateError> {
        let is = |function: &str| name.eq_ignore_ascii_case(function);
        Ok(Some(if is("reference") {
            self.reference(arguments, evaluator)?
        } else if is("references") {
            self.references(arguments, evaluator)?
        } else if is("resourceInfo") {
            self.info(arguments)?
        } else if is("target") {
            self.target(arguments, evaluator)?
        } else if name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("list")) {
            self.list(name, arguments, evaluator)?
        } else {
            return Ok(None);
        }))
    }
}

fn ambiguous(function: &str, text: &str) -> EvaluateError {
    let message = format!(
        "`{function}`: `{text}` names several resources; name one of a loop as `{text}[0]`, and another one by its `resourceId`"
    );
    EvaluateError::new(Cause::Argument(function.into()), message)
}

fn text(arguments: &[Value], function: &str) -> Result<SmolStr, EvaluateError> {
    match arguments.first() {
        Some(Value::Text(text)) => Ok(text.clone()),
        other => {
            let kind = crate::evaluate::article(other.unwrap_or(&Value::Null));
            let message = format!("`{function}`: argument 1 must be a string, not {kind}");
            Err(EvaluateError::new(Cause::Argument(function.into()), message))
        }
    }
}

fn is_full(function: &str, argument: Option<&Value>) -> Result<bool, EvaluateError> {
    match argument {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Text(word)) if word.eq_ignore_ascii_case("full") => Ok(true),
        Some(other) => {
            let shown = crate::evaluate::display_value(other);
            let message = format!("`{function}`: the last argument can only be 'Full', not `{shown}`");
            Err(EvaluateError::new(Cause::Argument(function.into()), message))
        }
    }
}

/// What `reference` shows of the whole body of a resource.
fn view(body: &Value, id: &str, full: bool) -> Value {
    if full { with_place(body, id) } else { state_view(body, full) }
}

/// The same without the place where it is.
fn state_view(body: &Value, full: bool) -> Value {
    if full || body.is_null() {
        return body.clone();
    }
    let properties = body.as_object().and_then(|body| body.get("properties"));
    properties.cloned().unwrap_or_else(|| Value::object::<SmolStr>([]))
}

/// A mock, which gives the properties, as `reference` shows it.
fn mocked(mock: &Value, subject: Subject<'_>, api_version: Option<&SmolStr>, full: bool) -> Value {
    if !full {
        return mock.clone();
    }
    let mut body = ObjectBuilder::default();
    body.set("id".into(), subject.id.into());
    body.set("type".into(), subject.kind.into());
    if let Some(api_version) = api_version {
        body.set("apiVersion".into(), Value::Text(api_version.clone()));
    }
    body.set("properties".into(), mock.clone());
    with_place(&body.finish(), subject.id)
}

/// A resource with the place where it is, as `reference` shows it beside what the resource says of itself.
fn with_place(body: &Value, id: &str) -> Value {
    let Some(members) = body.as_object() else { return body.clone() };
    let mut all = ObjectBuilder::default();
    for (name, value) in members {
        all.set(name.clone(), value.clone());
    }
    for (name, value) in id::place_members(id) {
        if all.get(name).is_none() {
            all.set(name.into(), Value::text(value));
        }
    }
    all.finish()
}

/// What is left of a call that asks for a resource: its id instead of what the template calls it.
fn left(function: &str, id: &SmolStr, api_version: Option<&SmolStr>, full: bool) -> EnvironmentValue {
    if id.starts_with('[') {
        return EnvironmentValue::Unknown;
    }
    let mut arguments = vec![Expression::Text(id.clone())];
    arguments.extend(api_version.cloned().map(Expression::Text));
    if full && arguments.len() == 2 {
        arguments.push(Expression::text("full"));
    }
    EnvironmentValue::Expression(Expression::call(function, arguments))
}
