//! Deployments inside deployments: how they begin, and what becomes of the step that each of them is.
//!
//! What `@options` asks for is done with the whole deployment: it is left out if one of its name has succeeded, run again after
//! some errors, and waited for. A deployment that is run again is another run.

use std::sync::Arc;

use arm::Value;
use smol_str::SmolStr;
use store::{RunId, Status};

use super::event::{Command, NestedProgram, ProviderCall, ProviderReply, RunProgress};
use super::index::{RunIndex, StepIndex};
use super::machine::{AfterCommit, Machine, Purpose};
use super::program::{Deploy, StepPolicy, StepProgram};
use super::run::{Run, Stage, StepAttempt, StepStatus, Task};
use super::step_progress::{MOST, pause};
use crate::Failure;
use crate::records::{DeploymentRecord, Record, RunEnd, StepEnd, succeeded_state, with_outputs};

/// What is known of a step that is a deployment.
#[derive(Clone, Debug)]
pub(super) struct NestedStep {
    pub(super) id: SmolStr,
    pub(super) api_version: SmolStr,
    pub(super) wanted: StepPolicy,
    /// What the nested deployment runs.
    program: NestedProgram,
    /// Whether it was looked for one that is there.
    looked: bool,
    /// Which attempt, from 1.
    attempt: u32,
    /// The run of the attempt, once it has begun.
    pub(super) child: Option<RunIndex>,
}

impl Machine {
    /// Starts a deployment inside another one, unless it has to be looked for first. It has room until it starts.
    pub(super) fn deploy(&mut self, run: RunIndex, step: StepIndex, deploy: Deploy, out: &mut Vec<Command>) {
        let Deploy { key, program, record, links, id, api_version, wanted } = deploy;
        let Some(outer) = self.runs.get_mut(run) else { return };
        let inner = outer.inner.entry(step).or_insert_with(|| NestedStep {
            id,
            api_version,
            wanted,
            program: NestedProgram(Arc::clone(&program)),
            looked: false,
            attempt: 1,
            child: None,
        });
        let outer_id = outer.id;
        let most = inner.wanted.retry.as_ref().map_or(0, |retry| retry.attempts.min(MOST)) + 1;
        // Whoever was cut off may have come to a later attempt.
        let begun =
            (1..=most).rev().find(|attempt| self.stored.contains_key(&inner_run(outer_id, step, *attempt)));
        inner.attempt = inner.attempt.max(begun.unwrap_or(1));
        if inner.wanted.only_if_missing && !inner.looked && begun.is_none() {
            inner.looked = true;
            let call = ProviderCall::Get { id: inner.id.clone(), api_version: inner.api_version.clone() };
            return self.work(run, step, Task::Deployment, Stage::Looking, call, out);
        }
        let before = inner.child;
        let inner_id = inner_run(outer_id, step, inner.attempt);
        if !self.stored.contains_key(&inner_id) && self.waits_for_name((run, step), inner_id, &key) {
            return;
        }
        // The deployment takes no room: its steps do.
        self.busy -= 1;
        if let Some(outer) = self.runs.get_mut(run) {
            outer.set(step, StepStatus::Deploying);
        }
        let stored = self.stored.get(&inner_id);
        let is_kept = stored.is_some();
        if let Some(stored) = stored.filter(|stored| stored.has_ended) {
            let end = let_out(&*program, stored.record.end());
            return self.inner_ended(run, step, end, Vec::new(), out);
        }
        let child = self.runs.next_index();
        self.names.take(&key, child, before);
        if let Some(inner) = self.runs.get_mut(run).and_then(|outer| outer.inner.get_mut(&step)) {
            inner.child = Some(child);
        }
        let inside = NestedProgram(Arc::clone(&program));
        let record = record.begun(self.root, self.now);
        let entry = Run::new(inner_id, key, Some((run, step)), program, record, self.now);
        out.push(Command::Report(RunProgress::Began { run: child, within: (run, step), inside }));
        let begin = self.record_of(&entry, Status::Active, entry.record.clone());
        self.runs.push(entry);
        if is_kept {
            self.begin(child, out);
        } else {
            let root = self.root;
            let links = links.into_iter().map(|(address, text)| Record::Link { run: root, address, text });
            self.persist(
                [begin].into_iter().chain(links).collect(),
                true,
                vec![AfterCommit::Begin(child)],
                out,
            );
        }
    }

    /// A deployment inside another has ended, and what is to be kept of that: so has the step that it was,
    /// unless it is run again or waited for.
    pub(super) fn inner_ended(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        end: RunEnd,
        records: Vec<Record>,
        out: &mut Vec<Command>,
    ) {
        let Some(entry) = self.runs.get(run) else { return };
        let (id, _) = entry.program.subject(step);
        let inner = entry.inner.get(&step);
        let end = match end {
            RunEnd::Succeeded(outputs) => {
                let state = succeeded_state(id, outputs);
                if let Some(wait) = inner.and_then(|inner| inner.wanted.wait.as_ref()) {
                    let wait = wait.milliseconds;
                    return self.wait_for(run, step, state, wait, records, out);
                }
                StepEnd::Succeeded { state, skipped: false }
            }
            RunEnd::Failed(failure) => {
                let failure = failure.target(id);
                if inner.is_some_and(|inner| is_worth_it(inner, &failure)) && !self.canceled {
                    return self.run_again(run, step, &failure, records, out);
                }
                StepEnd::Failed(failure)
            }
            RunEnd::Canceled | RunEnd::Lost => {
                StepEnd::Failed(Failure::new("DeploymentCanceled", "the deployment was cancelled").target(id))
            }
        };
        self.confirm(run, step, end, records, out);
    }

    /// Runs a deployment again after a while; that it failed is kept at once.
    fn run_again(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        failure: &Failure,
        mut records: Vec<Record>,
        out: &mut Vec<Command>,
    ) {
        records.extend(self.operation_record(run, step, Some(failure)));
        self.persist(records, false, vec![AfterCommit::Nothing], out);
        let Some(inner) = self.runs.get_mut(run).and_then(|entry| entry.inner.get_mut(&step)) else { return };
        let attempt = inner.attempt;
        inner.attempt += 1;
        self.take_room(run, step, Stage::Resting, None);
        self.schedule_retry(
            run,
            step,
            Stage::Resting,
            pause(attempt - 1),
            "it is tried again, as `retryOn` says",
            out,
        );
    }

    /// Waits until a deployment is what its step wants; that it ended is kept at once, so that it can be seen.
    fn wait_for(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        state: Value,
        wait: u64,
        records: Vec<Record>,
        out: &mut Vec<Command>,
    ) {
        self.persist(records, false, vec![AfterCommit::Nothing], out);
        self.take_room(run, step, Stage::Watching, Some(state.clone()));
        let deadline = self.now.saturating_add_unsigned(wait);
        if let Some(work) = self.runs.get_mut(run).and_then(|entry| entry.work(step)) {
            work.deadline = Some(deadline);
        }
        self.watch(run, step, state, out);
    }

    /// Gives a step that is a deployment room again.
    fn take_room(&mut self, run: RunIndex, step: StepIndex, stage: Stage, result: Option<Value>) {
        self.busy += 1;
        let ticket = self.ticket(Purpose::Step(run, step));
        let began = self.now;
        let work = StepAttempt {
            task: Task::Deployment,
            stage,
            attempt: 1,
            polls: 0,
            began,
            deadline: None,
            writes: Vec::new(),
            skipped: false,
            seen: None,
            result,
            ticket,
        };
        if let Some(entry) = self.runs.get_mut(run) {
            entry.set(step, StepStatus::Working(Box::new(work)));
        }
    }

    /// What is there of a deployment that is looked for, or waited for.
    pub(super) fn inner_answered(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        stage: Stage,
        answer: ProviderReply,
        out: &mut Vec<Command>,
    ) {
        match (stage, answer) {
            (Stage::Looking, ProviderReply::Done(response)) => {
                match DeploymentRecord::from_rest(&response.body).end() {
                    RunEnd::Succeeded(outputs) => {
                        let Some(entry) = self.runs.get_mut(run) else { return };
                        let Some(inner) = entry.inner.get(&step) else { return };
                        let outputs = match inner.program.0.kept_outputs(outputs) {
                            Ok(outputs) => outputs,
                            Err(failure) => {
                                let failure = not_as_declared(&inner.id, failure);
                                return self.end_step(run, step, StepEnd::Failed(failure), Vec::new(), out);
                            }
                        };
                        let state = succeeded_state(entry.program.subject(step).0, outputs);
                        let wait = entry.inner.get(&step).and_then(|inner| inner.wanted.wait.as_ref());
                        let wait = wait.map(|wait| wait.milliseconds);
                        if let Some(work) = entry.work(step) {
                            work.result = Some(state.clone());
                            work.skipped = true;
                            work.deadline = wait.map(|wait| self.now.saturating_add_unsigned(wait));
                        }
                        match wait {
                            Some(_) => self.watch(run, step, state, out),
                            None => {
                                let end = StepEnd::Succeeded { state, skipped: true };
                                self.end_step(run, step, end, Vec::new(), out);
                            }
                        }
                    }
                    // One that failed or runs is none that has succeeded.
                    RunEnd::Failed(_) | RunEnd::Canceled | RunEnd::Lost => self.evaluate(run, step, out),
                }
            }
            (Stage::Looking, ProviderReply::Missing) => self.evaluate(run, step, out),
            (Stage::Looking, ProviderReply::Failed(failure)) => {
                self.end_step(run, step, StepEnd::Failed(failure), Vec::new(), out);
            }
            (Stage::Looking, ProviderReply::Running { after }) => {
                self.schedule_retry(run, step, Stage::Pausing, after, "it is busy", out);
            }
            (Stage::Until, ProviderReply::Done(response)) => {
                let inner = self.runs.get(run).and_then(|entry| entry.inner.get(&step));
                let Some(inner) = inner else { return };
                match seen_again(inner, response.body) {
                    Ok(state) => self.watch(run, step, state, out),
                    Err(failure) => self.fails(run, step, failure, out),
                }
            }
            (
                Stage::Until,
                ProviderReply::Missing | ProviderReply::Failed(_) | ProviderReply::Running { .. },
            ) => {
                self.unseen(run, step, out);
            }
            (Stage::Asking | Stage::Following | Stage::Resting | Stage::Pausing | Stage::Watching, _) => {}
        }
    }

    /// The ids of the resources that the deployments left that were steps of a run which is resumed.
    pub(super) fn inner_resources(&self, outer: RunId, step: StepIndex) -> Vec<SmolStr> {
        if self.stored.is_empty() {
            return Vec::new();
        }
        let attempts = (1..=MOST + 1).rev().map(|attempt| inner_run(outer, step, attempt));
        let stored = attempts.filter_map(|run| self.stored.get(&run)).find(|stored| stored.has_ended);
        stored.and_then(|stored| stored.record.output_resources.clone()).unwrap_or_default()
    }
}

/// How a run ended whose outputs were kept: well, if they are what it declares.
fn let_out(program: &dyn StepProgram, end: RunEnd) -> RunEnd {
    match end {
        RunEnd::Succeeded(outputs) => {
            program.kept_outputs(outputs).map_or_else(RunEnd::Failed, RunEnd::Succeeded)
        }
        other => other,
    }
}

/// Why a deployment that is there is not taken for the one that a step wants.
fn not_as_declared(id: &str, failure: Failure) -> Failure {
    let message = format!(
        "the deployment `{id}` was there already, and its outputs are not what its template declares; deploy it again, without `onlyIfNotExists`"
    );
    Failure::new("InvalidDeploymentOutputs", message).target(id).because(vec![failure])
}

/// The record of a deployment that is waited for, whose outputs others will refer to.
fn seen_again(inner: &NestedStep, record: Value) -> Result<Value, Failure> {
    let RunEnd::Succeeded(outputs) = DeploymentRecord::from_rest(&record).end() else { return Ok(record) };
    let outputs = inner.program.0.kept_outputs(outputs);
    let outputs = outputs.map_err(|failure| not_as_declared(&inner.id, failure))?;
    Ok(with_outputs(&record, outputs))
}

/// Tells whether a deployment is run again: its errors, or those behind them, are worth it.
fn is_worth_it(inner: &NestedStep, failure: &Failure) -> bool {
    let Some(retry) = &inner.wanted.retry else { return false };
    // Recursion is as deep as deployments may be inside each other.
    fn has(failure: &Failure, codes: &[SmolStr]) -> bool {
        codes.iter().any(|code| failure.code.eq_ignore_ascii_case(code))
            || failure.details.iter().any(|detail| has(detail, codes))
    }
    inner.attempt <= retry.attempts.min(MOST) && has(failure, &retry.codes)
}

/// The run of a deployment inside another: the same each time that it is evaluated, so that it is found again.
pub(super) fn inner_run(outer: RunId, step: StepIndex, attempt: u32) -> RunId {
    // Two rounds of a mixer over the three; runs are random to begin with, so that no two meet.
    let place = (step.get() as u128 + 1) | (u128::from(attempt - 1) << 64);
    let mut mixed = outer.0 ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    for _ in 0..2 {
        mixed ^= mixed >> 67;
        mixed = mixed.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645);
    }
    RunId(mixed ^ (mixed >> 59))
}
