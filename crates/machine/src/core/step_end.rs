//! How steps and runs end.

use std::collections::BTreeSet;

use arm::deployment::Evaluation;
use arm::{Caseless, ProvisioningState, Value};
use smol_str::SmolStr;
use store::Status;

use super::event::{Command, ProviderCall, ProviderReply, RunProgress};
use super::index::{RunIndex, StepIndex};
use super::machine::{AfterCommit, Machine, Purpose};
use super::run::{Phase, Stage, StepStatus};
use crate::Failure;
use crate::records::{self, OperationRecord, OperationTarget, Record, RunEnd, StepEnd};

impl Machine {
    /// A step has ended; it counts once that is durable. It had room until now.
    pub(super) fn end_step(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        end: StepEnd,
        writes: Vec<Record>,
        out: &mut Vec<Command>,
    ) {
        self.busy = self.busy.saturating_sub(1);
        self.confirm(run, step, end, writes, out);
    }

    pub(super) fn confirm(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        end: StepEnd,
        writes: Vec<Record>,
        out: &mut Vec<Command>,
    ) {
        let failure = match &end {
            StepEnd::Failed(failure) => Some(failure.clone()),
            StepEnd::Succeeded { .. } => None,
        };
        let operation = self.operation_record(run, step, failure.as_ref());
        let Some(entry) = self.runs.get_mut(run) else { return };
        let number = step.number();
        let mut records = writes;
        records.push(Record::Step { run: entry.id, number, ended: end.clone() });
        records.extend(operation);
        entry.set(step, StepStatus::Confirming(Box::new(end)));
        let mut then = vec![AfterCommit::Confirm(run, step)];
        // The end of the last step and that of the run become durable together, unless the step may have to be done again.
        if !records.iter().any(|record| records::condition(record).is_some())
            && let Some(end) = self.end_with(run, step)
        {
            records.extend(self.end_records(run, end));
            then.push(AfterCommit::End(run));
        }
        self.persist(records, false, then, out);
    }

    /// How the outermost run ends once a step is durable, if that is known: the step is the last one, and nothing is to be asked for any more.
    fn end_with(&mut self, run: RunIndex, step: StepIndex) -> Option<RunEnd> {
        let entry = self.runs.get_mut(run)?;
        let is_last = entry.within.is_none() && entry.open == 1 && entry.phase == Phase::Running;
        if !is_last || self.canceled || !entry.failures.is_empty() || entry.program.cleanup().is_some() {
            return None;
        }
        let Some(StepStatus::Confirming(end)) = entry.states.get(step) else { return None };
        let StepEnd::Succeeded { state, .. } = &**end else { return None };
        let state = state.clone();
        let is_secret = state.has_secret();
        *entry.results.get_mut(step)? = Some(state);
        match entry.program.outputs(&entry.live()) {
            Evaluation::Ready(outputs) => {
                if is_secret {
                    entry.secrets.push(step.number());
                }
                Some(RunEnd::Succeeded(outputs))
            }
            // It is asked for, or told, when the step is durable.
            Evaluation::NeedsLookups(_) | Evaluation::Failed(_) => {
                *entry.results.get_mut(step)? = None;
                None
            }
        }
    }

    /// What was done for a step, for people who look at the deployment.
    pub(super) fn operation_record(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        failure: Option<&Failure>,
    ) -> Option<Record> {
        let now = self.now;
        let entry = self.runs.get_mut(run)?;
        entry.operations += 1;
        let number = entry.operations;
        let began = entry.work(step).map_or(now, |work| work.began);
        let (id, symbol) = entry.program.subject(step);
        let (resource_type, resource_name) = entry.program.named(step).unzip();
        let target = OperationTarget {
            id: id.into(),
            resource_type: resource_type.map(Into::into),
            resource_name: resource_name.map(Into::into),
            symbolic_name: symbol.map(Into::into),
        };
        let state = match failure {
            Some(_) => ProvisioningState::Failed,
            None => ProvisioningState::Succeeded,
        };
        let record = Box::new(OperationRecord {
            operation: SmolStr::new_static("Create"),
            state,
            status_code: Some(SmolStr::new_static(failure.map_or("OK", status_code))),
            timestamp: Some(now),
            duration: Some(now - began),
            target: Some(target),
            error: failure.cloned(),
        });
        Some(Record::Operation { run: entry.id, number, record })
    }

    pub(super) fn confirmed(&mut self, run: RunIndex, step: StepIndex, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let Some(slot) = entry.states.get_mut(step) else { return };
        let StepStatus::Confirming(end) = std::mem::replace(slot, StepStatus::Done) else { return };
        let (failure, skipped) = match &*end {
            StepEnd::Succeeded { skipped, .. } => (None, *skipped),
            StepEnd::Failed(failure) => (Some(failure.clone()), false),
        };
        out.push(Command::Report(RunProgress::Ended { step: (run, step), failure, skipped }));
        self.free_name((run, step));
        self.settle(run, step, *end, out);
        self.finish_if_done(run, out);
    }

    /// Takes over how a step ended: what depends on it can start, or never will.
    pub(super) fn settle(&mut self, run: RunIndex, step: StepIndex, end: StepEnd, out: &mut Vec<Command>) {
        let canceled = self.canceled;
        let Some(entry) = self.runs.get_mut(run) else { return };
        if step >= entry.outputs_step() {
            return;
        }
        entry.open -= 1;
        match end {
            StepEnd::Succeeded { state, .. } => {
                entry.set(step, StepStatus::Done);
                if state.has_secret() {
                    entry.secrets.push(step.number());
                }
                if let Some(result) = entry.results.get_mut(step) {
                    *result = Some(state);
                }
                let dependents = entry.dependents.get(step).cloned().unwrap_or_default();
                for next in dependents {
                    let Some(missing) = entry.missing.get_mut(next) else { continue };
                    *missing -= 1;
                    let is_ready = *missing == 0 && !canceled && entry.phase == Phase::Running;
                    if is_ready && matches!(entry.states.get(next), Some(StepStatus::Waiting)) {
                        entry.set(next, StepStatus::Queued);
                        self.queue.insert((run, next));
                    }
                }
            }
            StepEnd::Failed(failure) => {
                entry.set(step, StepStatus::Failed);
                entry.failures.insert(step, failure);
                self.never_start(run, step, out);
            }
        }
    }

    /// Everything that depends on a step, however far, will never start.
    fn never_start(&mut self, run: RunIndex, step: StepIndex, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let mut left = entry.dependents.get(step).cloned().unwrap_or_default();
        while let Some(next) = left.pop() {
            if !matches!(entry.states.get(next), Some(StepStatus::Waiting)) {
                continue;
            }
            entry.set(next, StepStatus::Failed);
            entry.open -= 1;
            out.push(Command::Report(RunProgress::NotStarted { step: (run, next) }));
            left.extend(entry.dependents.get(next).into_iter().flatten());
        }
    }

    /// Steps of a run that have not started will not, once it is cancelled; those that only wait stop waiting.
    pub(super) fn abandon(&mut self, run: RunIndex, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let mut waiting = Vec::new();
        for (step, state) in entry.states.iter_mut() {
            match state {
                StepStatus::Waiting | StepStatus::Queued => {
                    *state = StepStatus::Failed;
                    entry.open -= 1;
                    self.queue.remove(&(run, step));
                    out.push(Command::Report(RunProgress::NotStarted { step: (run, step) }));
                }
                StepStatus::Working(work)
                    if matches!(work.stage, Stage::Resting | Stage::Pausing | Stage::Watching) =>
                {
                    waiting.push(step);
                }
                StepStatus::Fetching
                | StepStatus::Working(_)
                | StepStatus::Deploying
                | StepStatus::Confirming(_)
                | StepStatus::Done
                | StepStatus::Failed => {}
            }
        }
        for step in waiting {
            self.give_up(run, step, out);
        }
    }

    /// Ends a run all of whose steps have ended.
    pub(super) fn finish_if_done(&mut self, run: RunIndex, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        if entry.open > 0 || entry.phase != Phase::Running {
            return;
        }
        if self.canceled || entry.program.was_canceled() {
            return self.end_run(run, RunEnd::Canceled, out);
        }
        if !entry.failures.is_empty() {
            let message = "at least one resource deployment operation failed; the details say which and why";
            let details = entry.failures.values().cloned().collect();
            let failure = Failure::new("DeploymentFailed", message).because(details);
            return self.end_run(run, RunEnd::Failed(failure), out);
        }
        entry.phase = Phase::Outputs;
        self.evaluate_outputs(run, out);
    }

    pub(super) fn evaluate_outputs(&mut self, run: RunIndex, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        match entry.program.outputs(&entry.live()) {
            Evaluation::NeedsLookups(needs) => {
                let step = entry.outputs_step();
                self.fetch(run, step, needs, out);
            }
            // The wish to stop ends an evaluation before it is told here.
            Evaluation::Failed(_) if entry.program.was_canceled() => {
                self.end_run(run, RunEnd::Canceled, out);
            }
            Evaluation::Failed(failure) => self.end_run(run, RunEnd::Failed(failure), out),
            Evaluation::Ready(outputs) => match entry.program.cleanup() {
                Some(cleanup) => {
                    entry.phase = Phase::Cleaning { outputs, left: BTreeSet::new() };
                    self.ask(Purpose::List(run), ProviderCall::List { below: cleanup.below }, out);
                }
                None => self.end_run(run, RunEnd::Succeeded(outputs), out),
            },
        }
    }

    pub(super) fn list_answered(&mut self, run: RunIndex, answer: ProviderReply, out: &mut Vec<Command>) {
        let response = match answer {
            ProviderReply::Done(response) => response,
            ProviderReply::Missing => super::event::Response::default(),
            ProviderReply::Failed(failure) => return self.end_run(run, RunEnd::Failed(failure), out),
            ProviderReply::Running { .. } => {
                let failure =
                    Failure::new("InternalServerError", "a list was answered with work in progress");
                return self.end_run(run, RunEnd::Failed(failure), out);
            }
        };
        let Some(entry) = self.runs.get_mut(run) else { return };
        let Some(cleanup) = entry.program.cleanup() else { return };
        // The deployments inside name resources, too.
        let inner = entry.inner_resources.iter().map(|id| id.caseless());
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
            self.ask(Purpose::Delete(run, id.clone()), ProviderCall::Delete { id }, out);
        }
    }

    pub(super) fn delete_answered(
        &mut self,
        run: RunIndex,
        id: &SmolStr,
        answer: ProviderReply,
        out: &mut Vec<Command>,
    ) {
        let (writes, failure) = match answer {
            ProviderReply::Done(response) => (response.writes, None),
            ProviderReply::Missing => (Vec::new(), None),
            ProviderReply::Running { .. } => {
                let message = format!("`{id}` was still being deleted when the deployment ended");
                (Vec::new(), Some(Failure::new("ResourceDeletionNotFinished", message).target(id.as_str())))
            }
            ProviderReply::Failed(failure) => (Vec::new(), Some(failure)),
        };
        let Some(entry) = self.runs.get_mut(run) else { return };
        match failure {
            Some(failure) => {
                let key = StepIndex::new(entry.outputs_step().get() + entry.failures.len());
                entry.failures.insert(key, failure);
            }
            None => {
                out.push(Command::Report(RunProgress::Deleted { run, id: id.clone() }));
                if !writes.is_empty() {
                    self.persist(writes, false, vec![AfterCommit::Nothing], out);
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

    fn cleaned(&mut self, run: RunIndex, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let Phase::Cleaning { outputs, .. } = std::mem::replace(&mut entry.phase, Phase::Running) else {
            return;
        };
        if entry.failures.is_empty() {
            return self.end_run(run, RunEnd::Succeeded(outputs), out);
        }
        let message = "resources that the template does not name could not be deleted";
        let details = entry.failures.values().cloned().collect();
        self.end_run(run, RunEnd::Failed(Failure::new("DeploymentFailed", message).because(details)), out);
    }

    /// A run has ended; it counts once that is durable. What it is inside of learns of it in the same batch.
    pub(super) fn end_run(&mut self, run: RunIndex, end: RunEnd, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get(run) else { return };
        let within = entry.within;
        let resources = if within.is_some() { entry.output_resources() } else { Vec::new() };
        let records = self.end_records(run, end.clone());
        match within {
            None => self.persist(records, false, vec![AfterCommit::End(run)], out),
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
    fn end_records(&mut self, run: RunIndex, end: RunEnd) -> Vec<Record> {
        let now = self.now;
        let Some(entry) = self.runs.get_mut(run) else { return Vec::new() };
        let record = entry.record.ended(&end, now, now - entry.began, entry.output_resources());
        let steps = std::mem::take(&mut entry.secrets);
        entry.phase = Phase::Ending(end);
        let erase = Record::EraseSecrets { run: entry.id, steps };
        let is_outermost = entry.within.is_none();
        let Some(entry) = self.runs.get(run) else { return Vec::new() };
        let mut records = vec![self.record_of(entry, Status::Ended, record), erase];
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
            let record = Box::new(stored.record.ended(&RunEnd::Canceled, now, 0, Vec::new()));
            let (key, order, status) = (stored.key, stored.order, Status::Ended);
            records.push(Record::Deployment { run, root, key, status, order, record });
            let steps = stored.steps.keys().copied().collect();
            records.push(Record::EraseSecrets { run, steps });
        }
        records
    }

    pub(super) fn ended(&mut self, run: RunIndex, out: &mut Vec<Command>) {
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

/// Why a step of a cancelled deployment did not end well.
pub(super) fn canceled() -> Failure {
    Failure::new("DeploymentCanceled", "the deployment was cancelled before the step had ended")
}

impl super::run::Run {
    /// The ids of what the deployment left behind, those inside it included.
    fn output_resources(&self) -> Vec<SmolStr> {
        // What is on its way to the store becomes durable with this, or not at all.
        let is_done = |state: &StepStatus| match state {
            StepStatus::Done => true,
            StepStatus::Confirming(end) => matches!(**end, StepEnd::Succeeded { .. }),
            StepStatus::Waiting
            | StepStatus::Queued
            | StepStatus::Fetching
            | StepStatus::Working(_)
            | StepStatus::Deploying
            | StepStatus::Failed => false,
        };
        let done = self.states.iter().filter(|(_, state)| is_done(state));
        let ids = done.filter_map(|(step, _)| self.program.output_resource(step));
        ids.map(SmolStr::from).chain(self.inner_resources.iter().cloned()).collect()
    }
}
