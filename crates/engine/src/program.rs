//! A plan of a template as the program of a machine.
//!
//! A group of steps that others wait for together becomes a step of its own that does nothing, so that a loop of a thousand
//! resources that wait for a thousand others has two thousand edges and not a million.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arm::Caseless as _;
use arm::deployment::{
    Asserts, Diagnostic, Evaluated as Made, Links, Live as Known, Mode, Need as Wish, OptionArgument,
    Outputs, Plan, Request, Step, StepKind, StepOption, radius_id,
};
use arm::evaluate::{Cause, EvaluateError, Scope};
use arm::template::{Template, TemplateError, TypeWord};
use arm::{Expression, ObjectBuilder, Value};
use contract::Admitted;
use smol_str::{SmolStr, format_smolstr};
use store::DeploymentKey;

use crate::core::{
    Action, Cleanup, Deploy, Enough, Evaluated, Live, Need, Program, Put, Retry, Wait, Wanted,
};
use crate::provider::{Provider, unauthorized};
use crate::record::{active_record, nested_templates};
use crate::{Failure, time};

/// The function that gives the outputs of a nested deployment with those that are secure.
const SECURE_OUTPUTS: &str = "listOutputsWithSecureValues";

/// The options that leave alone what is there.
const LEAVES_ALONE: [&str; 2] = ["onlyIfNotExists", "deployIfNotExists"];

/// What the ids of resources of extensions begin with.
pub(crate) const EXTENSION: &str = "extension/";

/// How often a put is tried again if `retryOn` does not say it.
const ATTEMPTS: u32 = 3;

/// A plan that can be run.
pub struct PlanProgram {
    plan: Plan,
    /// By step; the groups follow the steps.
    before: Vec<Vec<usize>>,
    /// Nested deployments by their id in lower case.
    nested: BTreeMap<String, usize>,
    /// The ids of resources that have none in the template, as soon as they were evaluated.
    made: BTreeMap<usize, OnceLock<SmolStr>>,
    /// The conditions of `waitUntil`, of the steps that were evaluated.
    waits: Mutex<BTreeMap<usize, Expression>>,
    /// The states of steps as expressions see them, of those that were read.
    seen: Mutex<BTreeMap<usize, Value>>,
    provider: Arc<dyn Provider>,
    mode: Mode,
}

impl PlanProgram {
    /// Makes a program of a plan whose resources a provider has.
    pub fn new(plan: Plan, mode: Mode, provider: Arc<dyn Provider>) -> PlanProgram {
        let steps = plan.steps().len();
        let of_step = |step: &Step| {
            let groups = step.depends_on_groups.iter().map(|group| steps + group);
            step.depends_on.iter().copied().chain(groups).collect()
        };
        let before = plan.steps().iter().map(of_step).chain(plan.groups().iter().cloned()).collect();
        for step in plan.steps() {
            if let Some(symbol) = &step.symbol {
                provider.introduce(symbol, &step.id);
            }
        }
        let nested = plan.steps().iter().filter(|step| step.kind == StepKind::Deployment);
        let nested = nested.map(|step| (step.id.caseless(), step.index)).collect();
        let made = plan.steps().iter().filter(|step| step.id.is_empty());
        let made = made.map(|step| (step.index, OnceLock::new())).collect();
        let (waits, seen) = (Mutex::default(), Mutex::default());
        PlanProgram { plan, before, nested, made, waits, seen, provider, mode }
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The state of a step that has ended, as expressions see it.
    fn state(&self, index: usize, live: &Live<'_>) -> Option<Value> {
        let state = live.state(index)?;
        let Some(step) = self.plan.steps().get(index).filter(|step| step.kind == StepKind::Resource) else {
            return Some(state.clone());
        };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let version = step.api_version.as_deref().unwrap_or_default();
        let made = || self.provider.seen(&step.id, &step.type_name, version, state);
        Some(seen.entry(index).or_insert_with(made).clone())
    }

    /// The outputs of a nested deployment that has ended, secure ones included.
    fn secure_outputs(&self, id: &str, live: &Live<'_>) -> Option<Result<Value, TemplateError>> {
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
        step: &Step,
        body: Admitted<Value>,
        patch: bool,
        options: Vec<StepOption>,
    ) -> Result<Action, Failure> {
        let wanted = Wanted { patch, ..self.wanted(step, options)? };
        let id = self.id_of(step, body.get());
        if let Some(made) = self.made.get(&step.index) {
            let id = made.get_or_init(|| id.clone());
            if let Some(symbol) = &step.symbol {
                self.provider.introduce(symbol, id);
            }
        }
        Ok(Action::Put(Arc::new(Put {
            id,
            kind: step.type_name.clone(),
            api_version: step.api_version.clone().unwrap_or_default(),
            body,
            wanted,
            extension: self.plan.extension(step),
        })))
    }

    /// The id of a step. A resource of an extension has none; it gets the one that its provider knows, or one of its type and its
    /// name.
    fn id_of(&self, step: &Step, body: &Value) -> SmolStr {
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
    fn wanted(&self, step: &Step, options: Vec<StepOption>) -> Result<Wanted, Failure> {
        let mut wanted = Wanted::default();
        for option in options {
            let name = option.name.to_ascii_lowercase();
            let is_secret = |argument: &OptionArgument| match argument {
                OptionArgument::Value(value) => value.has_secret(),
                OptionArgument::Lambda(_) => false,
            };
            match (name.as_str(), option.arguments.as_slice()) {
                ("retryon" | "waituntil", arguments) if arguments.iter().any(is_secret) => {
                    return Err(wrong(
                        step,
                        &option,
                        "arguments that people may see; one is made from a secure value",
                    ));
                }
                ("onlyifnotexists" | "deployifnotexists", []) => wanted.only_if_missing = true,
                ("retryon", [OptionArgument::Value(codes), rest @ ..]) => {
                    let refused = || wrong(step, &option, "a list of error codes, which are strings");
                    let codes = codes.as_array().ok_or_else(refused)?;
                    let codes = codes.iter().map(|code| code.as_str().map(SmolStr::from));
                    let codes = codes.collect::<Option<_>>().ok_or_else(refused)?;
                    let refused = || wrong(step, &option, "a number of attempts that is not negative");
                    let attempts = match rest {
                        [] => ATTEMPTS,
                        [OptionArgument::Value(Value::Int(count))] => {
                            u32::try_from(*count).map_err(|_| refused())?
                        }
                        _ => return Err(refused()),
                    };
                    wanted.retry = Some(Retry { codes, attempts });
                }
                ("waituntil", [OptionArgument::Lambda(lambda), OptionArgument::Value(duration)]) => {
                    let refused = || wrong(step, &option, "an ISO 8601 duration such as `PT20M`");
                    let written = duration.as_str().ok_or_else(refused)?;
                    let milliseconds = time::parse_duration(written).ok_or_else(refused)?;
                    wanted.wait = Some(Wait { milliseconds, written: written.into() });
                    let mut waits = self.waits.lock().unwrap_or_else(PoisonError::into_inner);
                    waits.insert(step.index, lambda.clone());
                }
                ("onlyifnotexists" | "deployifnotexists", _) => {
                    return Err(wrong(step, &option, "no arguments"));
                }
                ("retryon", _) => return Err(wrong(step, &option, "a list of error codes")),
                ("waituntil", _) => return Err(wrong(step, &option, "a lambda and an ISO 8601 duration")),
                _ => {
                    let values = option.arguments.iter().map(|argument| match argument {
                        OptionArgument::Value(value) => value.clone(),
                        OptionArgument::Lambda(lambda) => Value::text(format!("[{lambda}]")),
                    });
                    wanted.others.push((option.name.clone(), Value::array(values.collect())));
                }
            }
        }
        Ok(wanted)
    }
}

/// The name of a resource of an extension, or its place in the template if it has none that people may see.
fn name_of(step: &Step, body: &Value) -> String {
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

fn wrong(step: &Step, option: &StepOption, expected: &str) -> Failure {
    let message = format!("the option `{}` of `{}` needs {expected}", option.name, step.id);
    Failure::new("InvalidTemplate", message).target(step.id.as_str())
}

/// What would be left undone without a word is refused.
fn unsupported(step: &Step, what: &str) -> Failure {
    Failure::new("NotSupported", format!("{what} is not supported by the local engine"))
        .target(step.id.as_str())
}

impl Program for PlanProgram {
    fn steps(&self) -> usize {
        self.before.len()
    }

    fn depends_on(&self, step: usize) -> &[usize] {
        self.before.get(step).map_or(&[], Vec::as_slice)
    }

    fn evaluate(&self, step: usize, live: &Live<'_>) -> Evaluated<Action> {
        let Some(entry) = self.plan.steps().get(step) else { return Evaluated::Ready(Action::Nothing) };
        match self.plan.evaluate(step, &Answers { program: self, live }) {
            Made::Needs(needs) => Evaluated::Needs(needs.iter().filter_map(question).collect()),
            Made::Failed(error) => Evaluated::Failed(failure(&error)),
            Made::Ready(Request::Existing) => Evaluated::Ready(Action::Nothing),
            Made::Ready(Request::Put { body, method, options }) => {
                let patch = match method.as_deref() {
                    None => false,
                    Some(method) if method.eq_ignore_ascii_case("PUT") => false,
                    Some(method) if method.eq_ignore_ascii_case("PATCH") => true,
                    Some(method) => {
                        return Evaluated::Failed(unsupported(entry, &format!("the method `{method}`")));
                    }
                };
                match self.put(entry, body, patch, options) {
                    Ok(action) => Evaluated::Ready(action),
                    Err(failure) => Evaluated::Failed(failure),
                }
            }
            Made::Ready(Request::Deploy { nested, options }) => {
                let wanted = match self.wanted(entry, options) {
                    Ok(wanted) => wanted,
                    Err(failure) => return Evaluated::Failed(failure),
                };
                if !self.plan.deployment().context().reach.writes(&entry.id) {
                    return Evaluated::Failed(unauthorized(&entry.id, "deploy"));
                }
                let key = DeploymentKey::new(&scope_id(&entry.target), &entry.name);
                match Plan::new(Arc::clone(&nested.deployment)) {
                    Ok(plan) => {
                        let record = active_record(&plan, nested.mode);
                        let program =
                            Arc::new(PlanProgram::new(plan, nested.mode, Arc::clone(&self.provider)));
                        let links = &nested.deployment.context().links;
                        keep_template(&record, nested.deployment.template(), links);
                        let links = links.take_fresh();
                        let id = entry.id.clone();
                        let api_version = entry.api_version.clone().unwrap_or_default();
                        let deploy = Deploy { key, program, record, id, api_version, wanted, links };
                        Evaluated::Ready(Action::Deploy(Box::new(deploy)))
                    }
                    Err(errors) => Evaluated::Failed(together(errors).target(entry.id.as_str())),
                }
            }
        }
    }

    fn subject(&self, step: usize) -> (&str, Option<&str>) {
        let made = self.made.get(&step).and_then(OnceLock::get);
        let step = self.plan.steps().get(step);
        step.map_or(("", None), |step| (made.unwrap_or(&step.id), step.symbol.as_deref()))
    }

    fn named(&self, step: usize) -> Option<(&str, &str)> {
        self.plan.steps().get(step).map(|step| (step.type_name.as_str(), step.name.as_str()))
    }

    fn output_resource(&self, step: usize) -> Option<&str> {
        let entry = self.plan.steps().get(step)?;
        match entry.kind {
            StepKind::Resource => Some(&entry.id),
            // Those of Radius have ids that others can ask for.
            StepKind::Extension => Some(self.subject(step).0).filter(|id| id.starts_with('/')),
            StepKind::Deployment | StepKind::Existing => None,
        }
    }

    fn is_enough(&self, step: usize, state: &Value, live: &Live<'_>) -> Result<Enough, Failure> {
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
        match self.plan.apply(step, lambda, &[seen], &Answers { program: self, live }) {
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

    fn diagnostics(&self) -> &[Diagnostic] {
        self.plan.diagnostics()
    }

    fn options(&self, step: usize) -> Vec<&str> {
        self.plan.options_of(step).iter().map(|option| option.name.as_str()).collect()
    }

    fn left_alone_by(&self, step: usize) -> Option<&str> {
        let mut names = self.options(step).into_iter();
        names.find(|name| LEAVES_ALONE.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }

    fn outputs(&self, live: &Live<'_>) -> Evaluated<Value> {
        let live = Answers { program: self, live };
        match self.plan.outputs(&live) {
            Outputs::Needs(needs) => Evaluated::Needs(needs.iter().filter_map(question).collect()),
            Outputs::Failed(error) => Evaluated::Failed(failure(&error)),
            Outputs::Ready(outputs) => {
                match self.plan.asserts(&live) {
                    Asserts::Needs(needs) => {
                        return Evaluated::Needs(needs.iter().filter_map(question).collect());
                    }
                    Asserts::Failed(error) => return Evaluated::Failed(failure(&error)),
                    Asserts::Ready(asserts) => {
                        if let Some(broken) = asserts.iter().find(|assert| !assert.holds) {
                            let message = format!("the assert `{}` does not hold", broken.name);
                            let failure = Failure::new("DeploymentAssertionFailed", message);
                            return Evaluated::Failed(failure.target(broken.name.as_str()));
                        }
                    }
                }
                let outputs = outputs.iter().map(|output| (output.name.clone(), output.to_state()));
                Evaluated::Ready(Value::object(outputs))
            }
        }
    }

    fn kept_outputs(&self, kept: Value) -> Result<Value, Failure> {
        let outputs = self.plan.kept_outputs(&kept).map_err(|error| failure(&error))?;
        Ok(Value::object(outputs))
    }

    fn cleanup(&self) -> Option<Cleanup> {
        if self.mode != Mode::Complete {
            return None;
        }
        let below = match &self.plan.deployment().context().scope {
            scope @ Scope::ResourceGroup { .. } => scope_id(scope),
            _ => return None,
        };
        // What is only read, or whose condition is false, is not part of the template.
        let steps = self.plan.steps().iter().filter(|step| step.kind == StepKind::Resource);
        let keep: BTreeSet<String> = steps.map(|step| step.id.caseless()).collect();
        // Namespace, type and name: what is inside a resource goes with it, or stays.
        Some(Cleanup { below: format_smolstr!("{below}/providers/"), segments: Some(3), keep })
    }
}

/// Keeps the template of a nested deployment, so that it can be shown; once, however often it is deployed.
fn keep_template(record: &Value, template: &Template, links: &Links) {
    let Some([own, shared]) = nested_templates(record) else { return };
    let text = || Arc::from(template.text());
    if !links.set_aside(shared, template.digest(), text) {
        links.set_aside(own, template.digest(), text);
    }
}

/// The id that resources of a scope start with.
pub(crate) fn scope_id(scope: &Scope) -> String {
    match scope {
        Scope::Unknown | Scope::Tenant => String::new(),
        Scope::ManagementGroup(name) => format!("/providers/Microsoft.Management/managementGroups/{name}"),
        Scope::Subscription(id) => format!("/subscriptions/{id}"),
        Scope::ResourceGroup { subscription, name } => {
            format!("/subscriptions/{subscription}/resourceGroups/{name}")
        }
        Scope::Plane { .. } => scope.id().to_string(),
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
fn question(wish: &Wish) -> Option<Need> {
    let version = |version: &Option<SmolStr>| version.clone().unwrap_or_default();
    Some(match wish {
        Wish::Step(_) => return None,
        Wish::Resource { id, api_version, null_if_missing: _ } => {
            Need::Get { id: id.clone(), api_version: version(api_version) }
        }
        Wish::List { function, id, api_version, body } => Need::Action {
            id: id.clone(),
            action: function.clone(),
            api_version: version(api_version),
            body: body.as_ref().map_or_else(SmolStr::default, |body| body.expose().to_json().into()),
        },
        Wish::Secret { vault, name, version: number } => Need::Action {
            id: format_smolstr!("{vault}/secrets/{name}"),
            action: SmolStr::new_static("getSecret"),
            api_version: version(number),
            body: SmolStr::default(),
        },
    })
}

/// What the machine knows, for evaluations.
struct Answers<'l> {
    program: &'l PlanProgram,
    live: &'l Live<'l>,
}

impl Known for Answers<'_> {
    fn answer(&self, wish: &Wish) -> Option<Result<Value, TemplateError>> {
        if let Wish::Step(step) = wish {
            return self.program.state(*step, self.live).map(Ok);
        }
        if let Wish::List { function, id, .. } = wish
            && function.eq_ignore_ascii_case(SECURE_OUTPUTS)
            && let Some(outputs) = self.program.secure_outputs(id, self.live)
        {
            return Some(outputs);
        }
        let need = question(wish)?;
        Some(match self.live.fetched(&need)? {
            Ok(Some(body)) => Ok(body.clone()),
            Ok(None) if matches!(wish, Wish::Resource { null_if_missing: true, .. }) => Ok(Value::Null),
            Ok(None) => {
                let (Need::Get { id, .. } | Need::Action { id, .. }) = &need;
                let message = format!("The resource '{id}' was not found.");
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
