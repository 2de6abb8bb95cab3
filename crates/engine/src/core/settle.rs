//! How steps and runs end.

use std::collections::BTreeSet;

use arm::Caseless;
use arm::{ObjectBuilder, Value};
use smol_str::SmolStr;
use store::Status;

use super::event::{Answer, Call, Command, End, Progress};
use super::machine::{Machine, Purpose, Then};
use super::program::Evaluated;
use super::run::{Phase, Stage, State};
use crate::Failure;
use crate::records::{self, Record, StepEnd};
use crate::time;

/// The words of the REST API for how a deployment ends.
pub(super) const SUCCEEDED: &str = "Succeeded";
const FAILED: &str = "Failed";
const CANCELED: &str = "Canceled";

impl Machine {
    /// A step has ended; it counts once that is durable. It had room until now.
    pub(super) fn end_step(
        &mut self,
        run: usize,
        step: usize,
        end: StepEnd,
        writes: Vec<Record>,
        out: &mut Vec<Command>,
    ) {
        self.busy = self.busy.saturating_sub(1);
        self.confirm(run, step, end, writes, out);
    }

    pub(super) fn confirm(
        &mut self,
        run: usize,
        step: usize,
        end: StepEnd,
        writes: Vec<Record>,
        out: &mut Vec<Command>,
    ) {
        let failure = match &end {
            StepEnd::Failed(failure) => Some(failure.clone()),
            StepEnd::Succeeded { .. } => None,
        };
        let operation = self.operation(run, step, failure.as_ref());
        let Some(entry) = self.runs.get_mut(run) else { return };
        let number = u32::try_from(step).unwrap_or(u32::MAX);
        let mut records = writes;
        records.push(Record::Step { run: entry.id, number, ended: end.clone() });
        records.extend(operation);
        entry.set(step, State::Confirming(Box::new(end)));
        let mut then = vec![Then::Confirm(run, step)];
        // The end of the last step and that of the run become durable together, unless the step may have to be done again.
        if !records.iter().any(|record| records::condition(record).is_some())
            && let Some(end) = self.end_with(run, step)
        {
            records.extend(self.end_records(run, end));
            then.push(Then::End(run));
        }
        self.persist(records, false, then, out);
    }

    /// How the outermost run ends once a step is durable, if that is known: the step is the last one, and nothing is to be asked for any more.
    fn end_with(&mut self, run: usize, step: usize) -> Option<End> {
        let entry = self.runs.get_mut(run)?;
        let is_last = entry.within.is_none() && entry.open == 1 && entry.phase == Phase::Running;
        if !is_last || self.canceled || !entry.failures.is_empty() || entry.program.cleanup().is_some() {
            return None;
        }
        let Some(State::Confirming(end)) = entry.states.get(step) else { return None };
        let StepEnd::Succeeded { state, .. } = &**end else { return None };
        let state = state.clone();
        let is_secret = state.has_secret();
        *entry.results.get_mut(step)? = Some(state);
        match entry.program.outputs(&entry.live()) {
            Evaluated::Ready(outputs) => {
                if is_secret {
                    entry.secrets.push(u32::try_from(step).unwrap_or(u32::MAX));
                }
                Some(End::Succeeded(outputs))
            }
            // It is asked for, or told, when the step is durable.
            Evaluated::Needs(_) | Evaluated::Failed(_) => {
                *entry.results.get_mut(step)? = None;
                None
            }
        }
    }

    /// What was done for a step, for people who look at the deployment.
    pub(super) fn operation(&mut self, run: usize, step: usize, failure: Option<&Failure>) -> Option<Record> {
        let now = self.now;
        let entry = self.runs.get_mut(run)?;
        entry.operations += 1;
        let number = entry.operations;
        let began = entry.work(step).map_or(now, |work| work.began);
        let (id, symbol) = entry.program.subject(step);
        let mut target = ObjectBuilder::default();
        target.set("id".into(), Value::text(id));
        if let Some((kind, name)) = entry.program.named(step) {
            target.set("resourceType".into(), Value::text(kind));
            target.set("resourceName".into(), Value::text(name));
        }
        if let Some(symbol) = symbol {
            target.set("symbolicName".into(), Value::text(symbol));
        }
        let mut body = ObjectBuilder::default();
        let state = if failure.is_some() { FAILED } else { SUCCEEDED };
        body.set("provisioningOperation".into(), Value::text("Create"));
        body.set("provisioningState".into(), Value::text(state));
        let status = failure.map_or("OK", status_code);
        body.set("statusCode".into(), Value::text(status));
        body.set("timestamp".into(), Value::text(time::moment(now)));
        body.set("duration".into(), Value::text(time::duration(now - began)));
        body.set("targetResource".into(), target.finish());
        if let Some(failure) = failure {
            let mut message = ObjectBuilder::default();
            message.set("status".into(), Value::text(FAILED));
            message.set("error".into(), failure.to_value());
            body.set("statusMessage".into(), message.finish());
        }
        Some(Record::Operation { run: entry.id, number, body: body.finish() })
    }

    pub(super) fn confirmed(&mut self, run: usize, step: usize, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let Some(slot) = entry.states.get_mut(step) else { return };
        let State::Confirming(end) = std::mem::replace(slot, State::Done) else { return };
        let (failure, skipped) = match &*end {
            StepEnd::Succeeded { skipped, .. } => (None, *skipped),
            StepEnd::Failed(failure) => (Some(failure.clone()), false),
        };
        out.push(Command::Report(Progress::Ended { step: (run, step), failure, skipped }));
        self.settle(run, step, *end, out);
        self.finish_if_done(run, out);
    }

    /// Takes over how a step ended: what depends on it can start, or never will.
    pub(super) fn settle(&mut self, run: usize, step: usize, end: StepEnd, out: &mut Vec<Command>) {
        let canceled = self.canceled;
        let Some(entry) = self.runs.get_mut(run) else { return };
        if step >= entry.states.len() {
            return;
        }
        entry.open -= 1;
        match end {
            StepEnd::Succeeded { state, .. } => {
                entry.set(step, State::Done);
                if state.has_secret() {
                    entry.secrets.push(u32::try_from(step).unwrap_or(u32::MAX));
                }
                if let Some(result) = entry.results.get_mut(step) {
                    *result = Some(state);
                }
                let dependents = entry.dependents.get(step).cloned().unwrap_or_default();
                for next in dependents {
                    let Some(missing) = entry.missing.get_mut(next) else { continue };
                    *missing -= 1;
                    let is_ready = *missing == 0 && !canceled && entry.phase == Phase::Running;
                    if is_ready && matches!(entry.states.get(next), Some(State::Waiting)) {
                        entry.set(next, State::Queued);
                        self.queue.insert((run, next));
                    }
                }
            }
            StepEnd::Failed(failure) => {
                entry.set(step, State::Failed);
                entry.failures.insert(step, failure);
                self.never_start(run, step, out);
            }
        }
    }

    /// Everything that depends on a step, however far, will never start.
    fn never_start(&mut self, run: usize, step: usize, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let mut left = entry.dependents.get(step).cloned().unwrap_or_default();
        while let Some(next) = left.pop() {
            if !matches!(entry.states.get(next), Some(State::Waiting)) {
                continue;
            }
            entry.set(next, State::Failed);
            entry.open -= 1;
            out.push(Command::Report(Progress::NotStarted { step: (run, next) }));
            left.extend(entry.dependents.get(next).into_iter().flatten());
        }
    }

    /// Steps of a run that have not started will not, once it is cancelled; those that only wait stop waiting.
    pub(super) fn abandon(&mut self, run: usize, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let mut waiting = Vec::new();
        for (step, state) in entry.states.iter_mut().enumerate() {
            match state {
                State::Waiting | State::Queued => {
                    *state = State::Failed;
                    entry.open -= 1;
                    self.queue.remove(&(run, step));
                    out.push(Command::Report(Progress::NotStarted { step: (run, step) }));
                }
                State::Working(work)
                    if matches!(work.stage, Stage::Resting | Stage::Pausing | Stage::Watching) =>
                {
                    waiting.push(step);
                }
                State::Fetching
                | State::Working(_)
                | State::Deploying
                | State::Confirming(_)
                | State::Done
                | State::Failed => {}
            }
        }
        for step in waiting {
            self.give_up(run, step, out);
        }
    }

    /// Ends a run all of whose steps have ended.
    pub(super) fn finish_if_done(&mut self, run: usize, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        if entry.open > 0 || entry.phase != Phase::Running {
            return;
        }
        if self.canceled {
            return self.end_run(run, End::Canceled, out);
        }
        if !entry.failures.is_empty() {
            let message = "at least one resource deployment operation failed; the details say which and why";
            let details = entry.failures.values().cloned().collect();
            let failure = Failure::new("DeploymentFailed", message).because(details);
            return self.end_run(run, End::Failed(failure), out);
        }
        entry.phase = Phase::Outputs;
        self.evaluate_outputs(run, out);
    }

    pub(super) fn evaluate_outputs(&mut self, run: usize, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        match entry.program.outputs(&entry.live()) {
            Evaluated::Needs(needs) => {
                let step = entry.outputs_step();
                self.fetch(run, step, needs, out);
            }
            Evaluated::Failed(failure) => self.end_run(run, End::Failed(failure), out),
            Evaluated::Ready(outputs) => match entry.program.cleanup() {
                Some(cleanup) => {
                    entry.phase = Phase::Cleaning { outputs, left: BTreeSet::new() };
                    self.ask(Purpose::List(run), Call::List { below: cleanup.below }, out);
                }
                None => self.end_run(run, End::Succeeded(outputs), out),
            },
        }
    }

    pub(super) fn list_answered(&mut self, run: usize, answer: Answer, out: &mut Vec<Command>) {
        let response = match answer {
            Answer::Done(response) => response,
            Answer::Missing => super::event::Response::default(),
            Answer::Failed(failure) => return self.end_run(run, End::Failed(failure), out),
            Answer::Running { .. } => {
                let failure =
                    Failure::new("InternalServerError", "a list was answered with work in progress");
                return self.end_run(run, End::Failed(failure), out);
            }
        };
        let Some(entry) = self.runs.get_mut(run) else { return };
        let Some(cleanup) = entry.program.cleanup() else { return };
        // The deployments inside name resources, too.
        let inner = entry.inner_resources.iter().filter_map(resource_id).map(Caseless::caseless);
        let inner: BTreeSet<String> = inner.collect();
        let Phase::Cleaning { left, .. } = &mut entry.phase else { return };
        // What is inside another goes first: the longer ids of those that begin alike.
        let mut ids: Vec<SmolStr> = response
            .body
            .as_array()
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_str)
            .filter(|id| {
                let rest = id.get(cleanup.below.len()..).unwrap_or_default();
                cleanup.segments.is_none_or(|segments| rest.split('/').count() == segments)
            })
            .filter(|id| {
                let id = id.caseless();
                !cleanup.keep.contains(&id) && !inner.contains(&id)
            })
            .map(SmolStr::from)
            .collect();
        ids.sort_by(|one, other| other.cmp(one));
        left.extend(ids.iter().cloned());
        if ids.is_empty() {
            return self.cleaned(run, out);
        }
        for id in ids {
            self.ask(Purpose::Delete(run, id.clone()), Call::Delete { id }, out);
        }
    }

    pub(super) fn delete_answered(
        &mut self,
        run: usize,
        id: &SmolStr,
        answer: Answer,
        out: &mut Vec<Command>,
    ) {
        let (writes, failure) = match answer {
            Answer::Done(response) => (response.writes, None),
            Answer::Missing => (Vec::new(), None),
            Answer::Running { .. } => {
                let message = format!("`{id}` was still being deleted when the deployment ended");
                (Vec::new(), Some(Failure::new("ResourceDeletionNotFinished", message).target(id.as_str())))
            }
            Answer::Failed(failure) => (Vec::new(), Some(failure)),
        };
        let Some(entry) = self.runs.get_mut(run) else { return };
        match failure {
            Some(failure) => {
                let key = entry.outputs_step() + entry.failures.len();
                entry.failures.insert(key, failure);
            }
            None => {
                out.push(Command::Report(Progress::Deleted { run, id: id.clone() }));
                if !writes.is_empty() {
                    self.persist(writes, false, vec![Then::Nothing], out);
                }
            }
        }
        let Some(entry) = self.runs.get_mut(run) else { return };
        let Phase::Cleaning { left, .. } = &mut entry.phase else { return };
        left.remove(id);
        if left.is_empty() {
            self.cleaned(run, out);
        }
    }

    fn cleaned(&mut self, run: usize, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let Phase::Cleaning { outputs, .. } = std::mem::replace(&mut entry.phase, Phase::Running) else {
            return;
        };
        if entry.failures.is_empty() {
            return self.end_run(run, End::Succeeded(outputs), out);
        }
        let message = "resources that the template does not name could not be deleted";
        let details = entry.failures.values().cloned().collect();
        self.end_run(run, End::Failed(Failure::new("DeploymentFailed", message).because(details)), out);
    }

    /// A run has ended; it counts once that is durable. What it is inside of learns of it in the same batch.
    pub(super) fn end_run(&mut self, run: usize, end: End, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get(run) else { return };
        let within = entry.within;
        let resources = if within.is_some() { entry.output_resources() } else { Vec::new() };
        let records = self.end_records(run, end.clone());
        match within {
            None => self.persist(records, false, vec![Then::End(run)], out),
            Some((outer, step)) => {
                if let Some(entry) = self.runs.get_mut(run) {
                    entry.phase = Phase::Ended;
                }
                if let Some(outer) = self.runs.get_mut(outer) {
                    outer.inner_resources.extend(resources);
                }
                self.inner_ended(outer, step, end, records, out);
            }
        }
    }

    /// What is written of the end of a run.
    fn end_records(&mut self, run: usize, end: End) -> Vec<Record> {
        let now = self.now;
        let Some(entry) = self.runs.get_mut(run) else { return Vec::new() };
        let body = ended_record(&entry.record, &end, now, now - entry.began, entry.output_resources());
        let steps = std::mem::take(&mut entry.secrets);
        entry.phase = Phase::Ending(end);
        let erase = Record::EraseSecrets { run: entry.id, steps };
        let is_outermost = entry.within.is_none();
        let Some(entry) = self.runs.get(run) else { return Vec::new() };
        let mut records = vec![self.record_of(entry, Status::Ended, body), erase];
        if is_outermost {
            records.extend(self.left_behind());
        }
        records
    }

    /// Deployments that an earlier process began and this one had no reason to take up: they end with what they are inside of.
    fn left_behind(&mut self) -> Vec<Record> {
        let (now, root) = (self.now, self.root);
        let mut records = Vec::new();
        for (run, stored) in std::mem::take(&mut self.stored) {
            if stored.has_ended {
                continue;
            }
            let body = ended_record(&stored.record, &End::Canceled, now, 0, Vec::new());
            let (key, order, status) = (stored.key, stored.order, Status::Ended);
            records.push(Record::Deployment { run, root, key, status, order, body });
            let steps = stored.steps.keys().copied().collect();
            records.push(Record::EraseSecrets { run, steps });
        }
        records
    }

    pub(super) fn ended(&mut self, run: usize, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        if let Phase::Ending(end) = std::mem::replace(&mut entry.phase, Phase::Ended) {
            out.push(Command::Stop(end));
        }
    }
}

/// The status of HTTP that goes with a failure, as operations name it: one row for each that is not a bad request.
fn status_code(failure: &Failure) -> &'static str {
    const NAMES: &[(&str, &str)] = &[
        ("AuthorizationFailed", "Forbidden"),
        ("Conflict", "Conflict"),
        ("DeploymentActive", "Conflict"),
        ("DeploymentFailed", "Conflict"),
        ("InternalServerError", "InternalServerError"),
        ("NotFound", "NotFound"),
        ("ResourceDeploymentFailure", "Conflict"),
        ("ResourceGroupNotFound", "NotFound"),
        ("ResourceNotFound", "NotFound"),
    ];
    let row = NAMES.iter().find(|(code, _)| *code == failure.code);
    row.map_or("BadRequest", |(_, name)| name)
}

/// Outputs as the REST API shows them: a secret has a type and no value.
fn without_secrets(outputs: &Value) -> Value {
    let Some(all) = outputs.as_object() else { return outputs.clone() };
    let mut shown = ObjectBuilder::default();
    for (name, output) in all {
        let mut kept = ObjectBuilder::default();
        for (member, value) in output.as_object().into_iter().flatten() {
            if !value.is_secret() {
                kept.set(member.clone(), value.clone());
            }
        }
        shown.set(name.clone(), if output.as_object().is_some() { kept.finish() } else { output.clone() });
    }
    shown.finish()
}

/// Why a step of a cancelled deployment did not end well.
pub(super) fn canceled() -> Failure {
    Failure::new("DeploymentCanceled", "the deployment was cancelled before the step had ended")
}

/// The record of a deployment that has ended.
pub(crate) fn ended_record(
    record: &Value,
    end: &End,
    now: i64,
    duration: i64,
    resources: Vec<Value>,
) -> Value {
    let mut body = ObjectBuilder::default();
    let mut properties = ObjectBuilder::default();
    for (name, value) in record.as_object().into_iter().flatten() {
        if name != "properties" {
            body.set(name.clone(), value.clone());
        }
    }
    let old = record.as_object().and_then(|record| record.get("properties")).and_then(Value::as_object);
    for (name, value) in old.into_iter().flatten() {
        properties.set(name.clone(), value.clone());
    }
    let (state, more) = match end {
        End::Succeeded(outputs) => (SUCCEEDED, Some(("outputs", without_secrets(outputs)))),
        End::Failed(failure) => (FAILED, Some(("error", failure.to_value()))),
        End::Canceled | End::Lost => (CANCELED, None),
    };
    properties.set("provisioningState".into(), Value::text(state));
    properties.set("timestamp".into(), Value::text(time::moment(now)));
    properties.set("duration".into(), Value::text(time::duration(duration)));
    if let Some((name, value)) = more {
        properties.set(name.into(), value);
    }
    properties.set("outputResources".into(), Value::array(resources));
    body.set("properties".into(), properties.finish());
    body.finish()
}

/// The member of a record that says that somebody wants the deployment to stop.
const CANCEL: &str = "cancelRequested";

/// A record that says that somebody wants the deployment to stop.
pub(super) fn cancel_requested(record: &Value) -> Value {
    let mut body = ObjectBuilder::default();
    for (name, value) in record.as_object().into_iter().flatten() {
        body.set(name.clone(), value.clone());
    }
    body.set(CANCEL.into(), Value::Bool(true));
    body.finish()
}

/// Tells whether a record says that somebody wants the deployment to stop.
pub fn is_cancel_requested(record: &Value) -> bool {
    record.as_object().and_then(|record| record.get(CANCEL)) == Some(&Value::Bool(true))
}

/// How a deployment ended, by its record.
pub(super) fn ended(record: &Value) -> End {
    let properties = record.as_object().and_then(|record| record.get("properties"));
    let member = |name: &str| properties.and_then(Value::as_object).and_then(|object| object.get(name));
    match member("provisioningState").and_then(Value::as_str) {
        Some(SUCCEEDED) => End::Succeeded(member("outputs").cloned().unwrap_or(Value::Null)),
        Some(CANCELED) => End::Canceled,
        _ => match member("error") {
            Some(error) => End::Failed(Failure::from_value(error)),
            None => End::Failed(Failure::new("DeploymentFailed", "the deployment failed")),
        },
    }
}

/// What a deployment left behind, by its record.
pub(super) fn left_resources(record: &Value) -> Vec<Value> {
    let properties =
        record.as_object().and_then(|record| record.get("properties")).and_then(Value::as_object);
    let resources = properties.and_then(|properties| properties.get("outputResources"));
    resources.and_then(Value::as_array).unwrap_or_default().to_vec()
}

/// The id of a resource in a record.
fn resource_id(resource: &Value) -> Option<&str> {
    resource.as_object()?.get("id")?.as_str()
}

impl super::run::Run {
    /// What the deployment left behind, those inside it included.
    fn output_resources(&self) -> Vec<Value> {
        // What is on its way to the store becomes durable with this, or not at all.
        let is_done = |state: &State| match state {
            State::Done => true,
            State::Confirming(end) => matches!(**end, StepEnd::Succeeded { .. }),
            State::Waiting
            | State::Queued
            | State::Fetching
            | State::Working(_)
            | State::Deploying
            | State::Failed => false,
        };
        let done = self.states.iter().enumerate().filter(|(_, state)| is_done(state));
        let ids = done.filter_map(|(step, _)| self.program.output_resource(step));
        let own = ids.map(|id| Value::object([("id", Value::text(id))]));
        own.chain(self.inner_resources.iter().cloned()).collect()
    }
}
