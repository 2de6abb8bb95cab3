//! A plan of a template as the program of a machine.
//!
//! A group of steps that others wait for together becomes a step of its own that does nothing, so that a loop of a thousand
//! resources that wait for a thousand others has two thousand edges and not a million.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arm::Caseless as _;
use arm::deployment::{
    AssertResult, DeploymentMode, Evaluation, Links, LookupResults, OptionMeaning, Plan, PlanStep,
    ReadMember, ResourceLookup, StepKind, StepOption, StepRequest, WhatIfDiagnostic, radius_id,
};
use arm::evaluate::{Cause, EvaluateError, Scope};
use arm::template::{Message, Template, TemplateError, TypeWord};
use arm::{Expression, ObjectBuilder, Value};
use contract::Admitted;
use machine::Failure;
use machine::core::{
    Act, Cleanup, Deploy, Enough, KnownResults, ProviderQuestion, PutRequest, Retry, StepAction,
    StepEvaluation, StepIndex, StepPolicy, StepProgram, Wait,
};
use machine::records::DeploymentRecord;
use smol_str::{SmolStr, format_smolstr};
use store::DeploymentKey;

use crate::planned_record::{nested_templates, planned_record};
use crate::provider::{EXTENSION, Provider, SCRIPTS, is_placeholder, unauthorized};

/// The function that gives the outputs of a nested deployment with those that are secure.
const SECURE_OUTPUTS: &str = "listOutputsWithSecureValues";

/// The options that leave alone what is there.
const LEAVES_ALONE: [&str; 2] = ["onlyIfNotExists", "deployIfNotExists"];

/// How often a put is tried again if `retryOn` does not say it.
const ATTEMPTS: u32 = 3;

/// A plan that can be run.
pub struct PlanProgram {
    plan: Plan,
    /// By step; the groups follow the steps.
    before: Vec<Vec<StepIndex>>,
    /// Nested deployments by their id in lower case.
    nested: BTreeMap<String, StepIndex>,
    /// The names of steps that the template has none for, as far as the provider knows them.
    named: BTreeMap<StepIndex, SmolStr>,
    /// The ids of resources that have none in the template, as soon as they were evaluated.
    made: BTreeMap<StepIndex, OnceLock<SmolStr>>,
    /// The conditions of `waitUntil`, of the steps that were evaluated.
    waits: Mutex<BTreeMap<StepIndex, Expression>>,
    /// The states of steps as expressions see them, of those that were read.
    seen: Mutex<BTreeMap<StepIndex, Value>>,
    /// What the template reads of its scripts, once there is one.
    script_outputs: OnceLock<Arc<[ReadMember]>>,
    /// What the template reads of resources, once there is one that is only taken to be there.
    read_members: OnceLock<Vec<ReadMember>>,
    provider: Arc<dyn Provider>,
    mode: DeploymentMode,
}

/// The id of the deployment of a plan.
fn deployment_id(plan: &Plan) -> String {
    let context = plan.deployment().context();
    let name = context.name.as_deref().unwrap_or_default();
    format!("{}/providers/Microsoft.Resources/deployments/{name}", context.scope.id())
}

impl PlanProgram {
    /// Makes a program of a plan whose resources a provider has.
    pub fn new(plan: Plan, mode: DeploymentMode, provider: Arc<dyn Provider>) -> PlanProgram {
        let steps = plan.steps().len();
        let of_step = |step: &PlanStep| {
            let groups = step.depends_on_groups.iter().map(|group| steps + group);
            step.depends_on.iter().copied().chain(groups).map(StepIndex::new).collect()
        };
        let of_group = |group: &Vec<usize>| group.iter().copied().map(StepIndex::new).collect();
        let before = plan.steps().iter().map(of_step).chain(plan.groups().iter().map(of_group)).collect();
        let own = deployment_id(&plan);
        for step in plan.steps() {
            if let Some(symbol) = &step.symbol {
                provider.register_symbol(symbol, &step.id, &own);
            }
        }
        let nameless = plan.steps().iter().filter(|step| step.symbol.is_none());
        let named =
            nameless.filter_map(|step| Some((StepIndex::new(step.index), provider.symbol(&step.id)?)));
        let named = named.collect();
        let nested = plan.steps().iter().filter(|step| step.kind == StepKind::Deployment);
        let nested = nested.map(|step| (step.id.caseless(), StepIndex::new(step.index))).collect();
        let made = plan.steps().iter().filter(|step| step.id.is_empty());
        let made = made.map(|step| (StepIndex::new(step.index), OnceLock::new())).collect();
        let (waits, seen) = (Mutex::default(), Mutex::default());
        let (script_outputs, read_members) = (OnceLock::new(), OnceLock::new());
        PlanProgram {
            plan,
            before,
            nested,
            named,
            made,
            waits,
            seen,
            script_outputs,
            read_members,
            provider,
            mode,
        }
    }

    /// The plan that it was made of.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The state of a step that has ended, as expressions see it.
    fn state(&self, index: StepIndex, live: &KnownResults<'_>) -> Option<Value> {
        let state = live.state(index)?;
        let Some(step) = self.plan.steps().get(index.get()).filter(|step| step.kind == StepKind::Resource)
        else {
            return Some(state.clone());
        };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let version = step.api_version.as_deref().unwrap_or_default();
        let made = || self.provider.seen(&step.id, &step.type_name, version, state);
        Some(seen.entry(index).or_insert_with(made).clone())
    }

    /// What a lookup says of a resource; of one that is only taken to be there, with what the template reads of it.
    fn looked_up(&self, id: &str, body: &Value) -> Value {
        if !id.rsplit('/').next().is_some_and(is_placeholder) {
            return body.clone();
        }
        let template = self.plan.deployment().template();
        let read = self.read_members.get_or_init(|| ReadMember::of_resources(template));
        self.provider.presumed(id, body, read)
    }

    /// The outputs of a nested deployment that has ended, secure ones included.
    fn secure_outputs(&self, id: &str, live: &KnownResults<'_>) -> Option<Result<Value, TemplateError>> {
        let state = live.state(*self.nested.get(&id.caseless())?)?;
        let properties = state.as_object()?.get("properties")?.as_object()?;
        let outputs = properties.get("outputs")?.as_object()?;
        let member = |output: &Value, name: &str| output.as_object().and_then(|it| it.get(name)).cloned();
        let is_lost = |output: &Value| {
            let kind = member(output, "type");
            let word = kind.as_ref().and_then(Value::as_str).and_then(TypeWord::parse);
            word.is_some_and(|(_, secure)| secure) && member(output, "value").is_none()
        };
        // A deployment that was there already has what was kept of it.
        if let Some((name, _)) = outputs.into_iter().find(|(_, output)| is_lost(output)) {
            let message = format!(
                "The deployment '{id}' was there already, and the value of its secure output '{name}' was not kept. \
                 Deploy it again, without `onlyIfNotExists`."
            );
            return Some(Err(TemplateError::new("SecureOutputNotKept", message).target(id)));
        }
        let value = |output: &Value| member(output, "value").unwrap_or(Value::Null);
        Some(Ok(Value::object(outputs.into_iter().map(|(name, output)| (name.clone(), value(output))))))
    }

    fn put(
        &self,
        step: &PlanStep,
        body: Admitted<Value>,
        patch: bool,
        options: Vec<StepOption>,
    ) -> Result<StepAction, Failure> {
        let script_outputs = match step.type_name.eq_ignore_ascii_case(SCRIPTS) {
            true => Arc::clone(
                self.script_outputs
                    .get_or_init(|| ReadMember::of_scripts(self.plan.deployment().template()).into()),
            ),
            false => Arc::default(),
        };
        let wanted = StepPolicy { patch, script_outputs, ..self.step_policy(step, options)? };
        let id = self.id_of(step, body.get());
        if let Some(made) = self.made.get(&StepIndex::new(step.index)) {
            let id = made.get_or_init(|| id.clone());
            if let Some(symbol) = &step.symbol {
                self.provider.register_symbol(symbol, id, &deployment_id(&self.plan));
            }
        }
        Ok(StepAction::Put(Arc::new(PutRequest {
            id,
            kind: step.type_name.clone(),
            api_version: step.api_version.clone().unwrap_or_default(),
            body,
            wanted,
            extension: self.plan.extension(step),
        })))
    }

    /// The id of a step. A resource of an extension has none; it gets the one that its provider knows, or one
    /// of its type and its name.
    fn id_of(&self, step: &PlanStep, body: &Value) -> SmolStr {
        if !step.id.is_empty() {
            return step.id.clone();
        }
        let name = name_of(step, body);
        let scope = &self.plan.deployment().context().scope;
        if let Scope::Plane { .. } = scope
            && let Some(id) = radius_id(scope, &step.type_name, &name)
        {
            return id;
        }
        let of = self.plan.extension(step).unwrap_or_default();
        self.provider.identify(&of, &step.type_name, &name, scope).unwrap_or_else(|| {
            let extension = step.extension.as_deref().unwrap_or_default();
            format_smolstr!("{EXTENSION}{extension}/{}/{name}", step.type_name)
        })
    }

    /// What `@options` asks for.
    fn step_policy(&self, step: &PlanStep, options: Vec<StepOption>) -> Result<StepPolicy, Failure> {
        let mut wanted = StepPolicy::default();
        for option in options {
            match option.meaning().map_err(|needs| wrong(step, &option, needs))? {
                OptionMeaning::OnlyIfMissing => wanted.only_if_missing = true,
                OptionMeaning::Retry { codes, attempts } => {
                    wanted.retry = Some(Retry { codes, attempts: attempts.unwrap_or(ATTEMPTS) });
                }
                OptionMeaning::Wait { lambda, milliseconds, written } => {
                    wanted.wait = Some(Wait { milliseconds, written });
                    let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
                    waits.insert(StepIndex::new(step.index), lambda);
                }
                OptionMeaning::Other(arguments) => wanted.others.push((option.name.clone(), arguments)),
            }
        }
        Ok(wanted)
    }
}

/// The name of a resource of an extension, or its place in the template if it has none that people may see.
fn name_of(step: &PlanStep, body: &Value) -> String {
    let properties = body.as_object().and_then(|body| body.get("properties")).and_then(Value::as_object);
    let member = |object: &str, name: &str| {
        let object = properties?.get(object)?.as_object()?;
        object.get(name)?.as_str().map(str::to_owned)
    };
    let own =
        properties.and_then(|properties| properties.get("name")).and_then(Value::as_str).map(str::to_owned);
    let name = own.or_else(|| {
        let name = member("metadata", "name")?;
        Some(member("metadata", "namespace").map_or_else(|| name.clone(), |space| format!("{space}.{name}")))
    });
    let name = name.filter(|name| !name.is_empty() && !name.contains('/'));
    name.unwrap_or_else(|| step.index.to_string())
}

fn wrong(step: &PlanStep, option: &StepOption, expected: &str) -> Failure {
    let message = format!("the option `{}` of `{}` needs {expected}", option.name, step.id);
    Failure::new("InvalidTemplate", message).target(step.id.as_str())
}

/// What would be left undone without a word is refused.
fn unsupported(step: &PlanStep, what: &str) -> Failure {
    Failure::new("NotSupported", format!("{what} is not supported by the local engine"))
        .target(step.id.as_str())
}

impl StepProgram for PlanProgram {
    fn was_canceled(&self) -> bool {
        self.plan.deployment().context().budget.is_canceled()
    }

    fn steps(&self) -> usize {
        self.before.len()
    }

    fn depends_on(&self, step: StepIndex) -> &[StepIndex] {
        self.before.get(step.get()).map_or(&[], Vec::as_slice)
    }

    fn evaluate(&self, step: StepIndex, live: &KnownResults<'_>) -> StepEvaluation<StepAction> {
        let Some(entry) = self.plan.steps().get(step.get()) else {
            return Evaluation::Ready(StepAction::Nothing);
        };
        match self.plan.evaluate(step.get(), &Answers { program: self, live }) {
            Evaluation::NeedsLookups(needs) => {
                Evaluation::NeedsLookups(needs.iter().filter_map(question).collect())
            }
            Evaluation::Failed(error) => Evaluation::Failed(failure(&error)),
            Evaluation::Ready(StepRequest::Existing) => Evaluation::Ready(StepAction::Nothing),
            Evaluation::Ready(StepRequest::Put { body, method, options }) => {
                let patch = match method.as_deref() {
                    None => false,
                    Some(method) if method.eq_ignore_ascii_case("PUT") => false,
                    Some(method) if method.eq_ignore_ascii_case("PATCH") => true,
                    Some(method) => {
                        return Evaluation::Failed(unsupported(entry, &format!("the method `{method}`")));
                    }
                };
                match self.put(entry, body, patch, options) {
                    Ok(action) => Evaluation::Ready(action),
                    Err(failure) => Evaluation::Failed(failure),
                }
            }
            Evaluation::Ready(StepRequest::Deploy { nested, options }) => {
                let wanted = match self.step_policy(entry, options) {
                    Ok(wanted) => wanted,
                    Err(failure) => return Evaluation::Failed(failure),
                };
                if !self.plan.deployment().context().reach.can_write(&entry.id) {
                    return Evaluation::Failed(unauthorized(&entry.id, "deploy"));
                }
                let key = DeploymentKey::new(&entry.target.id(), &entry.name);
                match Plan::new(Arc::clone(&nested.deployment)) {
                    Ok(plan) => {
                        let record = planned_record(&plan, nested.mode);
                        let program =
                            Arc::new(PlanProgram::new(plan, nested.mode, Arc::clone(&self.provider)));
                        let links = &nested.deployment.context().links;
                        keep_template(&record, nested.deployment.template(), links);
                        let links = links.take_fresh();
                        let id = entry.id.clone();
                        let api_version = entry.api_version.clone().unwrap_or_default();
                        let deploy = Deploy { key, program, record, id, api_version, wanted, links };
                        Evaluation::Ready(StepAction::Deploy(Box::new(deploy)))
                    }
                    Err(errors) => Evaluation::Failed(together(errors).target(entry.id.as_str())),
                }
            }
        }
    }

    fn subject(&self, step: StepIndex) -> (&str, Option<&str>) {
        let made = self.made.get(&step).and_then(OnceLock::get);
        let named = self.named.get(&step).map(SmolStr::as_str);
        let step = self.plan.steps().get(step.get());
        step.map_or(("", None), |step| (made.unwrap_or(&step.id), step.symbol.as_deref().or(named)))
    }

    fn named(&self, step: StepIndex) -> Option<(&str, &str)> {
        self.plan.steps().get(step.get()).map(|step| (step.type_name.as_str(), step.name.as_str()))
    }

    fn output_resource(&self, step: StepIndex) -> Option<&str> {
        let entry = self.plan.steps().get(step.get())?;
        match entry.kind {
            StepKind::Resource => Some(&entry.id),
            // Those of Radius have ids that others can ask for.
            StepKind::Extension => Some(self.subject(step).0).filter(|id| id.starts_with('/')),
            StepKind::Deployment | StepKind::Existing => None,
        }
    }

    fn is_enough(&self, step: StepIndex, state: &Value, live: &KnownResults<'_>) -> Result<Enough, Failure> {
        let waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(lambda) = waits.get(&step) else {
            // A condition that cannot be tested does not hold.
            return Err(Failure::new("InternalServerError", "the condition of `waitUntil` is not known"));
        };
        let seen = laid_open(state);
        // An error may quote what it is about.
        let hides = seen.has_secret();
        let told = |error: &EvaluateError| {
            if hides { "its state has secrets".to_owned() } else { error.message().to_string() }
        };
        let failed = |why: &str| {
            let (id, _) = self.subject(step);
            let message = format!("the lambda of `waitUntil` of `{id}` cannot be evaluated: {why}");
            Failure::new("InvalidTemplate", message).target(id)
        };
        match self.plan.apply(step.get(), lambda, &[seen], &Answers { program: self, live }) {
            Ok(value) => match value.plain() {
                Value::Bool(true) => Ok(Enough::Yes),
                Value::Bool(false) => Ok(Enough::NotYet),
                _ => Err(failed("it gives neither true nor false")),
            },
            Err(error) => match error.cause() {
                // What is not there yet is not enough yet.
                Cause::MissingProperty(_) | Cause::OutOfBounds(_) | Cause::NotIndexable => Ok(Enough::NotYet),
                // Another state may be one that the lambda can work with.
                Cause::Argument(_) | Cause::Overflow(_) => Ok(Enough::Unclear(told(&error))),
                Cause::UnknownFunction(_)
                | Cause::NotAllowedHere(_)
                | Cause::ArgumentCount(_)
                | Cause::MissingParameter(_)
                | Cause::MissingVariable(_)
                | Cause::Failed
                | Cause::Unknown
                | Cause::Unreadable
                | Cause::TooDeep
                | Cause::TooLarge
                | Cause::OverBudget
                | Cause::Canceled
                | Cause::Syntax => Err(failed(&told(&error))),
            },
        }
    }

    fn seen_of(&self, state: &Value) -> String {
        let mut seen = ObjectBuilder::default();
        let object = state.as_object();
        let properties = object.and_then(|state| state.get("properties")).and_then(Value::as_object);
        // What people wait for comes first, because the text is cut.
        if let Some(outputs) = properties.and_then(|properties| properties.get("outputs")) {
            seen.insert("outputs".into(), outputs.clone());
        }
        for (name, value) in properties.into_iter().flatten().chain(object.into_iter().flatten()) {
            let is_shown = !name.eq_ignore_ascii_case("properties") || properties.is_none();
            if is_shown && seen.get(name).is_none() {
                seen.insert(name.clone(), value.clone());
            }
        }
        seen.finish().to_json()
    }

    fn plan(&self) -> Option<&Plan> {
        Some(&self.plan)
    }

    fn diagnostics(&self) -> &[WhatIfDiagnostic] {
        self.plan.diagnostics()
    }

    fn options(&self, step: StepIndex) -> Vec<&str> {
        self.plan.options_of(step.get()).iter().map(|option| option.name.as_str()).collect()
    }

    fn left_alone_by(&self, step: StepIndex) -> Option<&str> {
        let mut names = self.options(step).into_iter();
        names.find(|name| LEAVES_ALONE.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }

    fn outputs(&self, live: &KnownResults<'_>) -> StepEvaluation<Value> {
        let live = Answers { program: self, live };
        match self.plan.outputs(&live) {
            Evaluation::NeedsLookups(needs) => {
                Evaluation::NeedsLookups(needs.iter().filter_map(question).collect())
            }
            Evaluation::Failed(error) => Evaluation::Failed(failure(&error)),
            Evaluation::Ready(outputs) => {
                match self.plan.asserts(&live) {
                    Evaluation::NeedsLookups(needs) => {
                        return Evaluation::NeedsLookups(needs.iter().filter_map(question).collect());
                    }
                    Evaluation::Failed(error) => return Evaluation::Failed(failure(&error)),
                    Evaluation::Ready(asserts) => {
                        if let Some(failure) = broken_asserts(self.plan.deployment().template(), &asserts) {
                            return Evaluation::Failed(failure);
                        }
                    }
                }
                let outputs = outputs.iter().map(|output| (output.name.clone(), output.to_state()));
                Evaluation::Ready(Value::object(outputs))
            }
        }
    }

    fn kept_outputs(&self, kept: Value) -> Result<Value, Failure> {
        let outputs = self.plan.kept_outputs(&kept).map_err(|error| failure(&error))?;
        Ok(Value::object(outputs))
    }

    fn cleanup(&self) -> Option<Cleanup> {
        if self.mode != DeploymentMode::Complete {
            return None;
        }
        let below = match &self.plan.deployment().context().scope {
            scope @ Scope::ResourceGroup { .. } => scope.id(),
            _ => return None,
        };
        // What is only read, or whose condition is false, is not part of the template.
        let steps = self.plan.steps().iter().filter(|step| step.kind == StepKind::Resource);
        let keep: BTreeSet<String> = steps.map(|step| step.id.caseless()).collect();
        // Namespace, type and name: what is inside a resource goes with it, or stays.
        Some(Cleanup { below: format_smolstr!("{below}/providers/"), segments: Some(3), keep })
    }
}

/// The error of a deployment with asserts that do not hold; none if all hold. Of several, each is a detail.
pub fn broken_asserts(template: &Template, asserts: &[AssertResult]) -> Option<Failure> {
    const CODE: &str = "DeploymentAssertionFailed";
    let one = |assert: &AssertResult| {
        let message = format!("the assert `{}` does not hold", assert.name);
        let error = TemplateError::new(CODE, message).target(assert.name.as_str());
        let declared = template.asserts.iter().find(|it| it.name == assert.name);
        let located = declared.map(|it| template.location(it.value.span));
        failure(&match located {
            Some(place) => error.at(place),
            None => error,
        })
    };
    let mut broken: Vec<Failure> = asserts.iter().filter(|assert| !assert.holds).map(one).collect();
    match broken.len() {
        0 => None,
        1 => broken.pop(),
        count => {
            let names: Vec<String> =
                broken.iter().filter_map(|it| it.target.as_ref()).map(|name| format!("`{name}`")).collect();
            let message = format!("{count} asserts do not hold: {}", names.join(", "));
            Some(Failure::new(CODE, message).because(broken))
        }
    }
}

/// Keeps the template of a nested deployment, so that it can be shown; once, however often it is deployed.
fn keep_template(record: &DeploymentRecord, template: &Template, links: &Links) {
    let Some([own, shared]) = nested_templates(record) else { return };
    let text = || Arc::from(template.text());
    if !links.set_aside(shared, template.digest(), text) {
        links.set_aside(own, template.digest(), text);
    }
}

/// The state of a resource with its properties laid over it: what `waitUntil` sees.
fn laid_open(state: &Value) -> Value {
    let mut seen = ObjectBuilder::default();
    let object = state.as_object();
    let properties = object.and_then(|state| state.get("properties")).and_then(Value::as_object);
    for (name, value) in object.into_iter().flatten().chain(properties.into_iter().flatten()) {
        seen.set(name.clone(), value.clone());
    }
    seen.finish()
}

/// An error of a template as the error of a step.
pub fn failure(error: &TemplateError) -> Failure {
    Failure::from_value(&error.to_json())
}

/// Errors of a template as one.
pub fn together(errors: Vec<TemplateError>) -> Failure {
    match TemplateError::together(errors) {
        Some(error) => failure(&error),
        None => Failure::new("InvalidTemplate", "the template is not valid"),
    }
}

/// What the machine has to fetch for something that an evaluation asks for; the states of steps are there already.
fn question(lookup: &ResourceLookup) -> Option<ProviderQuestion> {
    let version = |version: &Option<SmolStr>| version.clone().unwrap_or_default();
    Some(match lookup {
        ResourceLookup::Step(_) => return None,
        ResourceLookup::Resource { id, api_version, null_if_missing: _ } => {
            ProviderQuestion::Get { id: id.clone(), api_version: version(api_version) }
        }
        ResourceLookup::List { function, id, api_version, body } => ProviderQuestion::Action(Act {
            id: id.clone(),
            action: function.clone(),
            api_version: version(api_version),
            body: body.as_ref().map_or_else(SmolStr::default, |body| body.expose().to_json().into()),
        }),
        ResourceLookup::Secret { vault, name, version: number } => ProviderQuestion::Action(Act {
            id: format_smolstr!("{vault}/secrets/{name}"),
            action: SmolStr::new_static("getSecret"),
            api_version: version(number),
            body: SmolStr::default(),
        }),
    })
}

/// What the machine knows, for evaluations.
struct Answers<'l> {
    program: &'l PlanProgram,
    live: &'l KnownResults<'l>,
}

impl LookupResults for Answers<'_> {
    fn answer(&self, lookup: &ResourceLookup) -> Option<Result<Value, TemplateError>> {
        if let ResourceLookup::Step(step) = lookup {
            return self.program.state(StepIndex::new(*step), self.live).map(Ok);
        }
        if let ResourceLookup::List { function, id, .. } = lookup
            && function.eq_ignore_ascii_case(SECURE_OUTPUTS)
            && let Some(outputs) = self.program.secure_outputs(id, self.live)
        {
            return Some(outputs);
        }
        let need = question(lookup)?;
        Some(match self.live.fetched(&need)? {
            Ok(Some(body)) => Ok(match lookup {
                ResourceLookup::Resource { id, .. } => self.program.looked_up(id, body),
                ResourceLookup::Step(_) | ResourceLookup::List { .. } | ResourceLookup::Secret { .. } => {
                    body.clone()
                }
            }),
            Ok(None) if matches!(lookup, ResourceLookup::Resource { null_if_missing: true, .. }) => {
                Ok(Value::Null)
            }
            Ok(None) => {
                let (ProviderQuestion::Get { id, .. } | ProviderQuestion::Action(Act { id, .. })) = &need;
                let message = Message::sentence(format!("The resource '{id}' was not found"));
                Err(TemplateError::new("ResourceNotFound", message).target(id.as_str()))
            }
            Err(failure) => Err(template_error(failure)),
        })
    }
}

fn template_error(failure: &Failure) -> TemplateError {
    let error = TemplateError::new(failure.code.to_string(), failure.message.clone());
    let error = error.details(failure.details.iter().map(template_error).collect());
    match &failure.target {
        Some(target) => error.target(target.as_str()),
        None => error,
    }
}
