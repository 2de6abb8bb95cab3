//! What becomes of a step that a provider works on: attempts, following, waiting.

use std::sync::Arc;

use arm::Value;
use smol_str::SmolStr;

use super::event::{Command, ProviderCall, ProviderReply, RunProgress, Ticket};
use super::index::{RunIndex, StepIndex};
use super::machine::{Machine, Purpose};
use super::mask_secrets;
use super::program::{Enough, PutRequest, StepPolicy};
use super::run::{PolledState, Stage, StepStatus, Task};
use crate::Failure;
use crate::records::{Record, StepEnd};

/// The first pause, in milliseconds; it doubles each time.
const FIRST_PAUSE: u64 = 1_000;
const LONGEST_PAUSE: u64 = 60_000;
/// How many looks at a state are at most a minute apart: those of the first twenty minutes.
const LOOKS_BY_THE_MINUTE: u32 = 26;
/// How often a resource that was put may be missing before it counts as lost.
const MISSING: u32 = 20;
/// The most times that a step is tried again, whatever the template says.
pub(super) const MOST: u32 = 100;
/// How much of a state a message quotes.
const QUOTED: usize = 300;

pub(super) fn pause(times: u32) -> u64 {
    FIRST_PAUSE.saturating_mul(1 << times.min(10)).min(LONGEST_PAUSE)
}

/// How long to wait for the next look at a state. Whoever waits for hours need not know it to the minute: after some looks each
/// takes a twentieth longer, so that waits of any length end after some hundred.
fn next_look(looks: u32) -> u64 {
    let more = looks.saturating_sub(LOOKS_BY_THE_MINUTE).min(1_000);
    let longest = LONGEST_PAUSE as f64 * 1.05_f64.powi(more.cast_signed());
    pause(looks).max(if more == 0 { 0 } else { longest as u64 })
}

impl Machine {
    pub(super) fn step_answered(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        ticket: Ticket,
        answer: ProviderReply,
        out: &mut Vec<Command>,
    ) {
        let Some(work) = self.runs.get_mut(run).and_then(|entry| entry.work(step)) else { return };
        if work.ticket != ticket {
            return;
        }
        match &work.task {
            Task::Read(read) => {
                let end = match answer {
                    ProviderReply::Done(response) => {
                        StepEnd::Succeeded { state: response.body, skipped: false }
                    }
                    ProviderReply::Missing if read.may_be_missing => {
                        StepEnd::Succeeded { state: Value::Null, skipped: false }
                    }
                    ProviderReply::Missing => StepEnd::Failed(not_found(&read.id)),
                    ProviderReply::Failed(failure) => StepEnd::Failed(failure),
                    ProviderReply::Running { after } => {
                        return self.schedule_retry(run, step, Stage::Pausing, after, "it is busy", out);
                    }
                };
                self.end_step(run, step, end, Vec::new(), out);
            }
            Task::Put(put) => {
                let (put, stage) = (Arc::clone(put), work.stage);
                self.put_answered(run, step, &put, stage, answer, out);
            }
            Task::Deployment => {
                let stage = work.stage;
                self.inner_answered(run, step, stage, answer, out);
            }
        }
    }

    fn put_answered(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        put: &Arc<PutRequest>,
        stage: Stage,
        answer: ProviderReply,
        out: &mut Vec<Command>,
    ) {
        match (stage, answer) {
            (Stage::Looking, ProviderReply::Missing) => self.put(run, step, Arc::clone(put), out),
            (Stage::Looking, ProviderReply::Done(response)) => {
                self.put_done(run, step, put, response.body, true, out)
            }
            (Stage::Asking | Stage::Following, ProviderReply::Done(response)) => {
                if let Some(work) = self.runs.get_mut(run).and_then(|entry| entry.work(step)) {
                    work.writes = response.writes;
                }
                self.put_done(run, step, put, response.body, false, out);
            }
            (Stage::Asking | Stage::Following | Stage::Looking, ProviderReply::Running { after }) => {
                self.schedule_retry(run, step, Stage::Pausing, after, "the provider works on it", out);
            }
            // What was put and cannot be seen yet is not lost yet.
            (Stage::Following, ProviderReply::Missing) if self.polls(run, step) < MISSING => {
                let after = pause(self.polls(run, step));
                self.schedule_retry(run, step, Stage::Pausing, after, "it cannot be seen yet", out);
            }
            (Stage::Following | Stage::Asking, ProviderReply::Missing) => {
                self.put_failed(run, step, put, not_found(&put.id), out);
            }
            (Stage::Looking, ProviderReply::Failed(failure)) => {
                self.end_step(run, step, StepEnd::Failed(failure), Vec::new(), out);
            }
            (Stage::Asking | Stage::Following, ProviderReply::Failed(failure)) => {
                self.put_failed(run, step, put, failure, out);
            }
            // A state that cannot be read while it is waited for is not the end; the deadline is.
            (Stage::Until, ProviderReply::Done(response)) => self.watch(run, step, response.body, out),
            (
                Stage::Until,
                ProviderReply::Missing | ProviderReply::Failed(_) | ProviderReply::Running { .. },
            ) => {
                self.unseen(run, step, out);
            }
            (Stage::Resting | Stage::Pausing | Stage::Watching, _) => {}
        }
    }

    fn polls(&mut self, run: RunIndex, step: StepIndex) -> u32 {
        self.runs.get_mut(run).and_then(|entry| entry.work(step)).map_or(0, |work| work.polls)
    }

    /// Puts a resource, for the first time or again.
    fn put(&mut self, run: RunIndex, step: StepIndex, put: Arc<PutRequest>, out: &mut Vec<Command>) {
        self.ask_again(run, step, Stage::Asking, ProviderCall::Put(put), out);
    }

    fn ask_again(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        stage: Stage,
        call: ProviderCall,
        out: &mut Vec<Command>,
    ) {
        let ticket = self.ask(Purpose::Step(run, step), call, out);
        if let Some(work) = self.runs.get_mut(run).and_then(|entry| entry.work(step)) {
            (work.stage, work.ticket) = (stage, ticket);
        }
    }

    /// Lets time pass before a step goes on.
    pub(super) fn schedule_retry(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        stage: Stage,
        milliseconds: u64,
        why: &'static str,
        out: &mut Vec<Command>,
    ) {
        if self.canceled {
            return self.give_up(run, step, out);
        }
        let ticket = self.ticket(Purpose::Step(run, step));
        if let Some(work) = self.runs.get_mut(run).and_then(|entry| entry.work(step)) {
            (work.stage, work.ticket) = (stage, ticket);
            work.polls = work.polls.saturating_add(1);
        }
        let why = SmolStr::new_static(why);
        out.push(Command::Report(RunProgress::Waiting { step: (run, step), milliseconds, why }));
        out.push(Command::Wait { ticket, milliseconds });
    }

    pub(super) fn fired(&mut self, ticket: Ticket, out: &mut Vec<Command>) {
        let Some(Purpose::Step(run, step)) = self.tickets.remove(&ticket) else { return };
        let Some(entry) = self.runs.get_mut(run) else { return };
        let inner = entry.inner.get(&step).map(|inner| (inner.id.clone(), inner.api_version.clone()));
        let Some(work) = entry.work(step) else { return };
        if work.ticket != ticket {
            return;
        }
        let (id, api_version) = match &work.task {
            Task::Put(put) => (put.id.clone(), put.api_version.clone()),
            Task::Read(read) => (read.id.clone(), read.api_version.clone()),
            Task::Deployment => inner.unwrap_or_default(),
        };
        let get = ProviderCall::Get { id, api_version };
        match (work.stage, &work.task) {
            (Stage::Resting, Task::Put(put)) => {
                let put = Arc::clone(put);
                work.attempt += 1;
                work.polls = 0;
                let attempt = work.attempt;
                work.began = self.now;
                out.push(Command::Report(RunProgress::Started { step: (run, step), attempt }));
                self.put(run, step, put, out);
            }
            (Stage::Resting, Task::Deployment) => self.evaluate(run, step, out),
            (Stage::Pausing, Task::Deployment) => self.ask_again(run, step, Stage::Looking, get, out),
            (Stage::Pausing, Task::Read(_)) => self.ask_again(run, step, Stage::Asking, get, out),
            (Stage::Pausing, Task::Put(_)) => self.ask_again(run, step, Stage::Following, get, out),
            (Stage::Watching, _) => self.ask_again(run, step, Stage::Until, get, out),
            (Stage::Looking | Stage::Asking | Stage::Following | Stage::Until | Stage::Resting, _) => {}
        }
    }

    /// A put that failed is tried again if its errors are worth it.
    fn put_failed(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        put: &PutRequest,
        failure: Failure,
        out: &mut Vec<Command>,
    ) {
        let failure = mask_secrets::mask_secrets(failure, &mask_secrets::secrets(put.body.get()));
        let attempt =
            self.runs.get_mut(run).and_then(|entry| entry.work(step)).map_or(1, |work| work.attempt);
        let again = put.wanted.retry.as_ref().is_some_and(|retry| {
            attempt <= retry.attempts.min(MOST)
                && retry.codes.iter().any(|code| failure.code.eq_ignore_ascii_case(code))
        });
        if !again {
            return self.end_step(run, step, StepEnd::Failed(failure), Vec::new(), out);
        }
        let operation = self.operation_record(run, step, Some(&failure));
        self.persist(operation.into_iter().collect(), false, vec![super::machine::AfterCommit::Nothing], out);
        self.schedule_retry(
            run,
            step,
            Stage::Resting,
            pause(attempt - 1),
            "it is tried again, as `retryOn` says",
            out,
        );
    }

    /// A resource that is there: it ends, or is watched until it is enough.
    fn put_done(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        put: &PutRequest,
        state: Value,
        skipped: bool,
        out: &mut Vec<Command>,
    ) {
        if let Some(work) = self.runs.get_mut(run).and_then(|entry| entry.work(step)) {
            work.skipped = skipped;
        }
        let Some(wait) = &put.wanted.wait else { return self.put_ends(run, step, state, out) };
        let deadline = self.now.saturating_add_unsigned(wait.milliseconds);
        if let Some(work) = self.runs.get_mut(run).and_then(|entry| entry.work(step)) {
            work.deadline = Some(deadline);
            work.polls = 0;
        }
        self.watch(run, step, state, out);
    }

    /// Holds a state against what is waited for.
    pub(super) fn watch(&mut self, run: RunIndex, step: StepIndex, state: Value, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let enough = entry.program.is_enough(step, &state, &entry.live());
        let Some(work) = entry.work(step) else { return };
        match enough {
            Ok(Enough::Yes) => return self.put_ends(run, step, state, out),
            Err(failure) => return self.fails(run, step, failure, out),
            Ok(Enough::NotYet) => work.seen = Some(PolledState { state, unclear: None }),
            Ok(Enough::Unclear(why)) => work.seen = Some(PolledState { state, unclear: Some(why) }),
        }
        self.unseen(run, step, out);
    }

    /// What is waited for is not there yet, or cannot be read: time passes, or is over.
    pub(super) fn unseen(&mut self, run: RunIndex, step: StepIndex, out: &mut Vec<Command>) {
        let now = self.now;
        let Some(work) = self.runs.get_mut(run).and_then(|entry| entry.work(step)) else { return };
        let (polls, deadline) = (work.polls, work.deadline.unwrap_or(now));
        if now < deadline {
            let milliseconds = next_look(polls).min(deadline.abs_diff(now));
            let why = "`waitUntil` does not hold yet";
            return self.schedule_retry(run, step, Stage::Watching, milliseconds, why, out);
        }
        let seen = work.seen.take();
        let secrets = match &work.task {
            Task::Put(put) => mask_secrets::secrets(put.body.get()),
            Task::Read(_) | Task::Deployment => Vec::new(),
        };
        let (id, wait) = self.waited_for(run, step);
        let mut message = format!("`waitUntil` of `{id}` did not hold within {wait}");
        if let Some(PolledState { state, unclear }) = seen {
            if let Some(why) = unclear {
                message.push_str(&format!("; its lambda could not be evaluated: {why}"));
            }
            let seen = self.runs.get(run).map(|entry| entry.program.seen_of(&state)).unwrap_or_default();
            let seen = mask_secrets::masked(&seen, &secrets);
            let end = seen.char_indices().nth(QUOTED).map(|(end, _)| end);
            let (seen, more) =
                end.map_or((seen.as_str(), ""), |end| (seen.get(..end).unwrap_or_default(), "…"));
            message.push_str(&format!("; the last state seen is {seen}{more}"));
        }
        let failure = Failure::new("WaitUntilTimeout", message).target(id.as_str());
        self.fails(run, step, failure, out);
    }

    /// What is waited for, and how long.
    fn waited_for(&mut self, run: RunIndex, step: StepIndex) -> (SmolStr, SmolStr) {
        let Some(entry) = self.runs.get_mut(run) else { return Default::default() };
        let written =
            |wanted: &StepPolicy| wanted.wait.as_ref().map(|wait| wait.written.clone()).unwrap_or_default();
        let inner = entry.inner.get(&step).map(|inner| (inner.id.clone(), written(&inner.wanted)));
        match entry.work(step).map(|work| &work.task) {
            Some(Task::Put(put)) => (put.id.clone(), written(&put.wanted)),
            Some(Task::Deployment) => inner.unwrap_or_default(),
            Some(Task::Read(_)) | None => Default::default(),
        }
    }

    /// A step that fails after something was done for it: that is kept.
    pub(super) fn fails(&mut self, run: RunIndex, step: StepIndex, failure: Failure, out: &mut Vec<Command>) {
        let work = self.runs.get_mut(run).and_then(|entry| entry.work(step));
        let writes: Vec<Record> = work.map(|work| std::mem::take(&mut work.writes)).unwrap_or_default();
        self.end_step(run, step, StepEnd::Failed(failure), writes, out);
    }

    fn put_ends(&mut self, run: RunIndex, step: StepIndex, state: Value, out: &mut Vec<Command>) {
        let work = self.runs.get_mut(run).and_then(|entry| entry.work(step));
        let (result, writes, skipped) = work
            .map(|work| (work.result.take(), std::mem::take(&mut work.writes), work.skipped))
            .unwrap_or_default();
        let state = result.unwrap_or(state);
        self.end_step(run, step, StepEnd::Succeeded { state, skipped }, writes, out);
    }

    /// A step that waits when the deployment is cancelled does not go on.
    pub(super) fn give_up(&mut self, run: RunIndex, step: StepIndex, out: &mut Vec<Command>) {
        let is_waiting = matches!(
            self.runs.get(run).and_then(|entry| entry.states.get(step)),
            Some(StepStatus::Working(_))
        );
        if is_waiting {
            self.fails(run, step, super::step_end::canceled(), out);
        }
    }
}

fn not_found(id: &str) -> Failure {
    Failure::new("ResourceNotFound", format!("the resource `{id}` was not found")).target(id)
}
