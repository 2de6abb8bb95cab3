//! What asserts see of a case.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::deployment::{Deployment, Evaluation, NoLookups, Plan, PlanStep, Snapshot, StepKind, Subject};
use arm::evaluate::EnvironmentValue;
use arm::template::{Resource, Template};
use arm::{Caseless as _, ObjectBuilder, Value};
use engine::core::ProviderReply;
use engine::provider::Provider;
use engine::{DeploymentRecord, Failure, resource_change};
use smol_str::SmolStr;
use store::{DeploymentKey, Store};

use crate::calls::CallRecord;
use crate::functions::PUT_ORDER;
use crate::given::LeftState;
use crate::setup::{CaseSetup, CaseStatus};
use crate::units::{StepOutcome, Unit, UnitName, Units, name};

/// How deep modules are shown in modules.
const DEEPEST: usize = 32;

/// What is known of every case.
pub(crate) struct RunFacts<'r> {
    pub(crate) setup: &'r CaseSetup<'r>,
    pub(crate) template: &'r Template,
    /// None if its parameters were refused.
    pub(crate) deployment: Option<&'r Arc<Deployment>>,
    pub(crate) status: CaseStatus,
    pub(crate) failure: Option<&'r Failure>,
}

/// What is known of a case that ran.
pub(crate) struct Ran<'r> {
    pub(crate) units: &'r Units,
    pub(crate) calls: &'r [CallRecord],
    pub(crate) states: &'r BTreeMap<String, Option<Value>>,
    pub(crate) outputs: &'r Value,
    pub(crate) provider: &'r dyn Provider,
    pub(crate) store: &'r dyn Store,
    pub(crate) before: &'r LeftState,
    pub(crate) after: &'r LeftState,
}

/// The members that differ between cases that ran and cases that did not.
#[derive(Default)]
struct ResultMembers {
    outputs: Option<Value>,
    resources: Option<Value>,
    modules: Option<Value>,
    all: Vec<Value>,
    calls: Vec<Value>,
    changes: Vec<Value>,
    elapsed: i64,
    order: Vec<(String, Value)>,
}

fn finish(facts: &RunFacts<'_>, parts: ResultMembers) -> Value {
    let setup = facts.setup;
    let nothing = || Value::object::<SmolStr>([]);
    let (resources, modules) = empty(facts.template);
    let body = setup.body;
    let name = setup.id.rsplit("::").next().unwrap_or_default();
    let name = match &body.label {
        Some(label) => name.strip_suffix(&format!("[{label}]")).unwrap_or(name),
        None => name,
    };
    let params = facts.deployment.map_or_else(nothing, |it| parameters(it));
    Value::object([
        ("outputs", parts.outputs.unwrap_or_else(nothing)),
        ("resources", parts.resources.unwrap_or(resources)),
        ("modules", parts.modules.unwrap_or(modules)),
        ("all", Value::array(parts.all)),
        ("calls", Value::array(parts.calls)),
        ("changes", Value::array(parts.changes)),
        ("status", Value::text(facts.status.word())),
        ("error", facts.failure.map_or(Value::Null, |failure| error(setup, failure))),
        ("diagnostics", setup.program.diagnostics.clone()),
        ("elapsed", Value::Int(parts.elapsed)),
        ("params", params),
        ("data", body.data.clone()),
        ("name", Value::text(name)),
        ("case", body.label.as_deref().map_or(Value::Null, Value::text)),
        (PUT_ORDER, Value::object(parts.order)),
    ])
}

/// The resources and modules of a template of which nothing was deployed.
fn empty(template: &Template) -> (Value, Value) {
    let (mut resources, mut modules) = (ObjectBuilder::default(), ObjectBuilder::default());
    for resource in &template.resources {
        let Some(symbol) = &resource.symbol else { continue };
        let value = if resource.copy.is_some() { Value::array(Vec::new()) } else { Value::Null };
        if resource.nested.is_some() {
            modules.set(symbol.clone(), value.clone());
        }
        resources.set(symbol.clone(), value);
    }
    (resources.finish(), modules.finish())
}

/// The values of the parameters of a deployment.
fn parameters(deployment: &Deployment) -> Value {
    let values = deployment.template().parameters.iter().filter_map(|parameter| {
        match deployment.parameter(&parameter.name)? {
            EnvironmentValue::Value(value) => Some((parameter.name.clone(), value.clone())),
            EnvironmentValue::Expression(_) | EnvironmentValue::Unknown => None,
        }
    });
    Value::object(values)
}

/// Where the cause of an error is written: a value that was refused is about its parameter, and an error that has no place of its own has that of
/// the first one behind it that has one. Errors do not nest deep.
fn place_of(setup: &CaseSetup<'_>, failure: &Failure) -> Option<(String, u32)> {
    if let Some((file, line, _)) = setup.session.host.place(failure) {
        return Some((file, line));
    }
    let behind = failure.details.iter().find_map(|detail| place_of(setup, detail));
    behind.or_else(|| {
        let target = failure.target.as_deref().filter(|target| !target.starts_with('/'))?;
        let parameter = target.split(['.', '[']).next().unwrap_or(target);
        let (session, main) = (setup.session, &setup.program.main);
        let span = session.compiler.origin(main, &format!("parameters.{parameter}"))?;
        let place = session.place_file(main).place(span);
        Some((place.file, place.start.line))
    })
}

/// An error, as asserts see it. Recursion is bounded by how deep deployments nest.
fn error(setup: &CaseSetup<'_>, failure: &Failure) -> Value {
    let place = place_of(setup, failure);
    let details = failure.details.iter().map(|detail| error(setup, detail)).collect();
    let text = |text: Option<&str>| text.map_or(Value::Null, Value::text);
    Value::object([
        ("code", Value::Text(failure.code.clone())),
        ("message", Value::text(failure.message.as_str())),
        ("target", text(failure.target.as_deref())),
        ("details", Value::array(details)),
        ("file", text(place.as_ref().map(|(file, ..)| file.as_str()))),
        ("line", place.map_or(Value::Null, |(_, line)| Value::Int(line.into()))),
    ])
}

/// A case that was not begun.
pub(crate) fn of_refused(facts: &RunFacts<'_>) -> Value {
    finish(facts, ResultMembers::default())
}

/// A case that ran.
pub(crate) async fn of_run(facts: &RunFacts<'_>, ran: &Ran<'_>) -> Value {
    let names = ran.units.names();
    let (first, duration) = ran.units.duration();
    let mut parts = ResultMembers { elapsed: duration / 1000, ..ResultMembers::default() };
    if let Some(unit) = ran.units.outermost() {
        parts.resources = Some(ran.resources(facts, unit).await);
        parts.modules = Some(ran.modules(facts, unit, 0).await);
    }
    parts.outputs = Some(values_of(ran.outputs));
    for (name, unit, step) in ran.units.resources() {
        let is_there = matches!(unit.outcome(step), Some(StepOutcome::Succeeded | StepOutcome::LeftAlone));
        if step.kind == StepKind::Existing || !is_there {
            continue;
        }
        let state = ran.state(facts, unit, step).await;
        parts.all.push(with_name(&state, &name));
    }
    parts.calls = ran.calls.iter().map(|call| call_value(call, &names, first)).collect();
    parts.changes = ran.changes(&names);
    parts.order = order(ran.calls, &names);
    finish(facts, parts)
}

/// Outputs, by name, without their types.
fn values_of(outputs: &Value) -> Value {
    let members = outputs.as_object().into_iter().flat_map(|it| it.iter());
    Value::object(members.map(|(name, output)| {
        let value = output.as_object().and_then(|output| output.get("value"));
        (name.clone(), value.cloned().unwrap_or(Value::Null))
    }))
}

fn with_name(state: &Value, name: &UnitName) -> Value {
    let mut named = ObjectBuilder::default();
    for (member, value) in state.plain().as_object().into_iter().flat_map(|it| it.iter()) {
        named.set(member.clone(), value.clone());
    }
    // Resources of templates may have none.
    let has_name = !name.symbol.rsplit('.').next().unwrap_or_default().is_empty();
    named.set("symbol".into(), if has_name { Value::text(name.symbol.as_str()) } else { Value::Null });
    named.set("index".into(), index_value(name.index));
    named.finish()
}

fn index_value(index: Option<usize>) -> Value {
    index.and_then(|index| i64::try_from(index).ok()).map_or(Value::Null, Value::Int)
}

fn call_value(call: &CallRecord, names: &BTreeMap<String, UnitName>, first: i64) -> Value {
    let name = names.get(&call.id.caseless());
    Value::object([
        ("method", Value::text(call.method)),
        ("id", Value::text(call.id.as_str())),
        ("type", Value::text(call.kind.as_str())),
        ("symbol", name.map_or(Value::Null, |name| Value::text(name.symbol.as_str()))),
        ("index", index_value(name.and_then(|name| name.index))),
        ("body", call.body.clone()),
        ("code", call.code.as_deref().map_or(Value::Null, Value::text)),
        ("at", Value::Int(call.at.saturating_sub(first) / 1000)),
    ])
}

/// By name the first put and the end of the last one, also for loops and modules as a whole.
fn order(calls: &[CallRecord], names: &BTreeMap<String, UnitName>) -> Vec<(String, Value)> {
    let mut events: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for call in calls.iter().filter(|call| call.method == "put") {
        let (Some(ended), Some(name)) = (call.ended, names.get(&call.id.caseless())) else { continue };
        let mut labels = vec![name.symbol.clone()];
        labels.extend(name.index.map(|index| format!("{}[{index}]", name.symbol)));
        labels.extend(
            name.symbol.match_indices('.').filter_map(|(at, _)| name.symbol.get(..at)).map(str::to_owned),
        );
        for label in labels {
            let entry = events.entry(label).or_insert((call.begun, ended));
            *entry = (entry.0.min(call.begun), entry.1.max(ended));
        }
    }
    let pair = |(first, last)| Value::array(vec![Value::Int(first), Value::Int(last)]);
    events.into_iter().map(|(name, events)| (name, pair(events))).collect()
}

/// Puts the values of the steps of a resource together: one, or an array for a loop.
fn collected(resource: &Resource, steps: Vec<(&PlanStep, Value)>, skipped: &[usize]) -> Value {
    if resource.copy.is_none() {
        return steps.into_iter().next().map_or(Value::Null, |(_, value)| value);
    }
    let mut items: BTreeMap<usize, Value> = skipped.iter().map(|place| (*place, Value::Null)).collect();
    for (place, (step, value)) in steps.into_iter().enumerate() {
        items.insert(step.copy.as_ref().map_or(place, |(_, place)| *place), value);
    }
    Value::array(items.into_values().collect())
}

fn skipped_places(plan: &Plan, resource: usize) -> Vec<usize> {
    plan.skipped().iter().filter(|it| it.resource == resource).filter_map(|it| it.iteration).collect()
}

impl Ran<'_> {
    async fn resources(&self, facts: &RunFacts<'_>, unit: &Unit) -> Value {
        let mut all = ObjectBuilder::default();
        let Some(plan) = unit.plan() else { return all.finish() };
        for (place, resource) in plan.deployment().template().resources.iter().enumerate() {
            let Some(symbol) = &resource.symbol else { continue };
            let mut states = Vec::new();
            for step in plan.steps().iter().filter(|step| step.resource == place) {
                states.push((step, self.state(facts, unit, step).await));
            }
            all.set(symbol.clone(), collected(resource, states, &skipped_places(plan, place)));
        }
        all.finish()
    }

    /// Recursion is bounded by how deep deployments nest.
    async fn modules(&self, facts: &RunFacts<'_>, unit: &Unit, depth: usize) -> Value {
        let mut all = ObjectBuilder::default();
        let Some(plan) = unit.plan().filter(|_| depth < DEEPEST) else { return all.finish() };
        for (place, resource) in plan.deployment().template().resources.iter().enumerate() {
            let (Some(symbol), true) = (&resource.symbol, resource.nested.is_some()) else { continue };
            let mut modules = Vec::new();
            for step in plan.steps().iter().filter(|step| step.resource == place) {
                let value = match self.units.inside(unit, step) {
                    Some(inside) => {
                        let nested = Box::pin(self.modules(facts, inside, depth + 1)).await;
                        self.module(facts, unit, step, inside, nested).await
                    }
                    None => Value::Null,
                };
                modules.push((step, value));
            }
            all.set(symbol.clone(), collected(resource, modules, &skipped_places(plan, place)));
        }
        all.finish()
    }

    async fn module(
        &self,
        facts: &RunFacts<'_>,
        unit: &Unit,
        step: &PlanStep,
        inside: &Unit,
        modules: Value,
    ) -> Value {
        let key = DeploymentKey::new(&step.target.id(), &step.name);
        let kept = self.store.deployment(&key).ok().flatten();
        let record = kept.and_then(|kept| DeploymentRecord::from_store(&kept.body).ok());
        let outputs = record.and_then(|record| record.outputs).unwrap_or(Value::Null);
        let params = inside.plan().map(|plan| parameters(plan.deployment()));
        let status = match unit.outcome(step) {
            Some(StepOutcome::Succeeded | StepOutcome::LeftAlone) => "Succeeded",
            Some(StepOutcome::Failed) | None => "Failed",
        };
        Value::object([
            ("outputs", values_of(&outputs)),
            ("resources", self.resources(facts, inside).await),
            ("modules", modules),
            ("params", params.unwrap_or_else(|| Value::object::<SmolStr>([]))),
            ("status", Value::text(status)),
        ])
    }

    /// A resource as it is kept, with what its service adds; null if it is not there.
    async fn state(&self, facts: &RunFacts<'_>, unit: &Unit, step: &PlanStep) -> Value {
        let id = unit.id(step);
        let api_version = step.api_version.as_deref().unwrap_or_default();
        if step.kind == StepKind::Existing {
            let subject = Subject { id, kind: &step.type_name, symbol: step.symbol.as_deref() };
            if let Some(mock) = facts.setup.mocks.resource("reference", subject) {
                return mocked(step, id, mock);
            }
        }
        let put = self.states.get(&id.caseless()).cloned().flatten();
        match put.filter(|_| step.kind != StepKind::Existing) {
            Some(state) => self.provider.seen(id, &step.type_name, api_version, &state),
            None if step.kind == StepKind::Deployment || id.is_empty() => Value::Null,
            None => match self.provider.get(id, api_version).await {
                ProviderReply::Done(response) => response.body,
                ProviderReply::Running { .. } | ProviderReply::Missing | ProviderReply::Failed(_) => {
                    Value::Null
                }
            },
        }
    }

    /// What is other than before.
    fn changes(&self, names: &BTreeMap<String, UnitName>) -> Vec<Value> {
        let by_id = |state: &LeftState| {
            let records = state.records();
            records.into_iter().map(|(id, record)| (id.caseless(), record)).collect::<BTreeMap<_, _>>()
        };
        let (before, after) = (by_id(self.before), by_id(self.after));
        let mut ids: Vec<&str> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        let resources = self.units.resources();
        let touched = resources.iter().filter(|(_, unit, step)| {
            let is_there =
                matches!(unit.outcome(step), Some(StepOutcome::Succeeded | StepOutcome::LeftAlone));
            step.kind != StepKind::Existing && is_there
        });
        let touched = touched.map(|(_, unit, step)| unit.id(step));
        for id in touched.chain(self.units.deleted.iter().map(String::as_str)) {
            if seen.insert(id.caseless()) {
                ids.push(id);
            }
        }
        let change = |id: &str| {
            let folded = id.caseless();
            let change = resource_change(id, before.get(&folded), after.get(&folded))?;
            let body = change.after.as_ref().or(change.before.as_ref());
            let kind = body.and_then(Value::as_object).and_then(|body| body.get("type")).cloned();
            let symbol = names.get(&folded).map(|name| Value::text(name.symbol.as_str()));
            Some(Value::object([
                ("id", Value::text(change.id.as_str())),
                ("type", kind.unwrap_or(Value::Null)),
                ("symbol", symbol.unwrap_or(Value::Null)),
                ("change", Value::text(change.kind.name())),
                ("delta", Value::array(change.delta.iter().map(engine::Delta::to_value).collect())),
            ]))
        };
        ids.into_iter().filter_map(change).collect()
    }
}

/// A resource of which a mock says the properties.
fn mocked(step: &PlanStep, id: &str, mock: &Value) -> Value {
    Value::object([
        ("id", Value::text(id)),
        ("name", Value::Text(step.name.clone())),
        ("type", Value::Text(step.type_name.clone())),
        ("apiVersion", step.api_version.clone().map_or(Value::Null, Value::Text)),
        ("properties", mock.clone()),
    ])
}

/// What each id is called, with its place in a loop, for expectations.
pub(crate) fn symbols_of(units: &Units) -> Vec<(String, String)> {
    let names = units.names().into_iter();
    let mut all: Vec<(String, String)> = Vec::new();
    for (id, name) in names {
        if let Some(index) = name.index {
            all.push((id.clone(), format!("{}[{index}]", name.symbol)));
        }
        all.push((id, name.symbol));
    }
    if let Some((unit, plan)) = units.outermost().and_then(|unit| Some((unit, unit.plan()?))) {
        let modules = plan.steps().iter().filter(|step| step.kind == StepKind::Deployment);
        all.extend(modules.map(|step| (unit.id(step).caseless(), name("", step).symbol)));
    }
    all
}

/// The ids that more than one resource was put under.
pub(crate) fn put_twice(units: &Units) -> Vec<String> {
    let mut seen = BTreeMap::new();
    for (_, unit, step) in units.resources() {
        let id = unit.id(step);
        if step.kind == StepKind::Resource && unit.outcome(step) == Some(StepOutcome::Succeeded) {
            let entry: &mut (usize, String) = seen.entry(id.caseless()).or_insert((0, id.to_owned()));
            entry.0 += 1;
        }
    }
    seen.into_values().filter(|(count, _)| *count > 1).map(|(_, id)| id).collect()
}

/// The ids that more than one resource is predicted under.
pub(crate) fn predicted_twice(snapshot: &Snapshot) -> Vec<String> {
    let ids = snapshot.resources.iter().filter_map(|it| it.as_object()?.get("id")?.as_str());
    let mut seen: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for id in ids {
        seen.entry(id.caseless()).or_insert((0, id)).0 += 1;
    }
    seen.into_values().filter(|(count, _)| *count > 1).map(|(_, id)| id.to_owned()).collect()
}

/// The outputs that are not secure and hold something that was computed from a secret.
pub(crate) fn secret_outputs(template: &Template, outputs: &Value) -> Vec<String> {
    let Some(outputs) = outputs.as_object() else { return Vec::new() };
    let open = template.outputs.iter().filter(|output| !template.has_secrets(&output.ty));
    let held = open.filter(|output| outputs.get(&output.name).is_some_and(Value::has_secret));
    held.map(|output| output.name.to_string()).collect()
}

/// The asserts of a program that do not hold, as far as they can be told without running it.
pub(crate) fn broken_asserts(deployment: &Arc<Deployment>) -> Option<Failure> {
    let plan = Plan::new(Arc::clone(deployment)).ok()?;
    match plan.asserts(&NoLookups) {
        Evaluation::Ready(asserts) => engine::broken_asserts(deployment.template(), &asserts),
        Evaluation::NeedsLookups(_) | Evaluation::Failed(_) => None,
    }
}

/// A case that was only evaluated.
pub(crate) fn of_snapshot(facts: &RunFacts<'_>, deployment: &Arc<Deployment>, snapshot: &Snapshot) -> Value {
    let mut by_id: BTreeMap<String, &Value> = BTreeMap::new();
    for resource in &snapshot.resources {
        let id = resource.as_object().and_then(|it| it.get("id")).and_then(Value::as_str);
        by_id.extend(id.map(|id| (id.caseless(), resource)));
    }
    let mut parts = ResultMembers {
        outputs: Some(Value::object(snapshot.output_trees.iter().cloned())),
        ..ResultMembers::default()
    };
    let (resources, modules) = predicted(deployment, &by_id, "", &mut parts.all, 0);
    (parts.resources, parts.modules) = (Some(resources), Some(modules));
    finish(facts, parts)
}

/// The resources and modules of a deployment that is only predicted. Recursion is bounded.
fn predicted(
    deployment: &Arc<Deployment>,
    by_id: &BTreeMap<String, &Value>,
    prefix: &str,
    all: &mut Vec<Value>,
    depth: usize,
) -> (Value, Value) {
    let (mut resources, mut modules) = (ObjectBuilder::default(), ObjectBuilder::default());
    let Ok(plan) = Plan::new(Arc::clone(deployment)) else { return (resources.finish(), modules.finish()) };
    for (place, resource) in deployment.template().resources.iter().enumerate() {
        let Some(symbol) = &resource.symbol else { continue };
        let (mut states, mut nested) = (Vec::new(), Vec::new());
        for step in plan.steps().iter().filter(|step| step.resource == place) {
            let state = by_id.get(&step.id.caseless()).map_or(Value::Null, |value| (*value).clone());
            let name = name(prefix, step);
            if matches!(step.kind, StepKind::Resource | StepKind::Extension) && !state.is_null() {
                all.push(with_name(&state, &name));
            }
            states.push((step, state));
            if resource.nested.is_some() {
                let inside = plan.nested(step.index).ok().flatten().filter(|_| depth < DEEPEST);
                let value = inside.map_or(Value::Null, |inside| {
                    let prefix = format!("{}.", name.symbol);
                    let (resources, modules) = predicted(&inside, by_id, &prefix, all, depth + 1);
                    Value::object([
                        ("outputs", Value::object::<SmolStr>([])),
                        ("resources", resources),
                        ("modules", modules),
                        ("params", parameters(&inside)),
                        ("status", Value::text("Succeeded")),
                    ])
                });
                nested.push((step, value));
            }
        }
        let skipped = skipped_places(&plan, place);
        if resource.nested.is_some() {
            modules.set(symbol.clone(), collected(resource, nested, &skipped));
        }
        resources.set(symbol.clone(), collected(resource, states, &skipped));
    }
    (resources.finish(), modules.finish())
}
