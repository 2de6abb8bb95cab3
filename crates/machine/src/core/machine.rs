//! The machine: what is done about each event.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::Value;
use arm::deployment::Evaluation;
use store::{DeploymentKey, RunId, Status};

use super::event::{Command, Event, ProviderCall, ProviderReply, RunProgress, Ticket};
use super::index::{IndexVec, RunIndex, StepIndex};
use super::names::TakenNames;
use super::program::{ProviderQuestion, StepAction, StepProgram};
use super::run::{Phase, Run, Stage, StepAttempt, StepStatus, Task};
use crate::Failure;
use crate::records::{DeploymentRecord, Record, RunEnd, StepEnd, Stored};

/// How often a step is done again because what it was made from has changed.
const CONFLICTS: u32 = 100;

/// How a machine works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineSettings {
    /// How many steps are under way at the same time.
    pub parallel: usize,
}

impl Default for MachineSettings {
    fn default() -> MachineSettings {
        MachineSettings { parallel: 64 }
    }
}

/// What a machine starts from.
pub struct Start {
    /// The run, under which everything is kept.
    pub run: RunId,
    /// Where the deployment is found.
    pub key: DeploymentKey,
    /// What its steps are and what each of them does.
    pub program: Arc<dyn StepProgram>,
    /// Its record before it ends.
    pub record: DeploymentRecord,
    /// When it was accepted: its place in listings, whoever runs it.
    pub order: i64,
    /// The number of the lease: batches of several owners never have the same name.
    pub fence: u64,
    /// What is kept of an earlier run that was cut off; empty for a new one, whose own record is already kept.
    pub stored: Stored,
    /// Whether it was already asked to stop.
    pub canceled: bool,
    /// How many steps it may do at the same time, and the like.
    pub settings: MachineSettings,
}

/// What a ticket was given out for.
#[derive(Clone, Debug)]
pub(super) enum Purpose {
    /// The answer, or the time, that a step waits for.
    Step(RunIndex, StepIndex),
    /// Something that several may have asked for.
    Fetch(RunIndex, ProviderQuestion),
    /// The resources that are there, for a complete deployment.
    List(RunIndex),
    /// A resource that is deleted.
    Delete(RunIndex, smol_str::SmolStr),
}

/// What happens once a batch is durable.
#[derive(Clone, Debug)]
pub(super) enum AfterCommit {
    /// A run has begun.
    Begin(RunIndex),
    /// A step has ended.
    Confirm(RunIndex, StepIndex),
    /// A run has ended.
    End(RunIndex),
    /// Nothing waits for it.
    Nothing,
}

/// A deployment under way.
pub struct Machine {
    pub(super) settings: MachineSettings,
    pub(super) root: RunId,
    pub(super) runs: IndexVec<RunIndex, Run>,
    pub(super) tickets: BTreeMap<Ticket, Purpose>,
    next_ticket: u64,
    pub(super) batches: BTreeMap<u64, Vec<AfterCommit>>,
    next_batch: u64,
    /// Steps that can start, in order.
    pub(super) queue: BTreeSet<(RunIndex, StepIndex)>,
    /// How many steps are under way.
    pub(super) busy: usize,
    pub(super) canceled: bool,
    pub(super) names: TakenNames,
    /// How often steps were done again because something had changed.
    conflicts: BTreeMap<(RunIndex, StepIndex), u32>,
    pub(super) stored: Stored,
    pub(super) now: i64,
    is_over: bool,
}

impl Machine {
    /// Starts a deployment, or resumes one that was interrupted. Its record is durable already.
    pub fn start(start: Start, now: i64) -> (Machine, Vec<Command>) {
        let mut machine = Machine {
            settings: start.settings,
            root: start.run,
            runs: IndexVec::new(Vec::new()),
            tickets: BTreeMap::new(),
            next_ticket: 0,
            batches: BTreeMap::new(),
            next_batch: start.fence << 32,
            queue: BTreeSet::new(),
            busy: 0,
            canceled: start.canceled,
            names: TakenNames::of_stored(&start.stored, start.run),
            conflicts: BTreeMap::new(),
            stored: start.stored,
            now,
            is_over: false,
        };
        let mut out = Vec::new();
        let mut outermost = Run::new(start.run, start.key, None, start.program, start.record, now);
        outermost.order = start.order;
        machine.runs.push(outermost);
        machine.begin(RunIndex::OUTERMOST, &mut out);
        machine.pump(&mut out);
        (machine, out)
    }

    /// Takes an event at a time of the runtime's clock, in milliseconds, and says what is to be done about it.
    pub fn handle(&mut self, event: Event, now: i64) -> Vec<Command> {
        let mut out = Vec::new();
        if self.is_over {
            return out;
        }
        self.now = self.now.max(now);
        match event {
            Event::Answered { ticket, answer } => self.answered(ticket, answer, &mut out),
            Event::Fired { ticket } => self.fired(ticket, &mut out),
            Event::Durable { batch } => {
                for then in self.batches.remove(&batch).unwrap_or_default() {
                    self.durable(then, &mut out);
                }
            }
            Event::Conflict { batch } => {
                for then in self.batches.remove(&batch).unwrap_or_default() {
                    self.conflicted(then, &mut out);
                }
            }
            Event::Fenced => {
                self.is_over = true;
                out.push(Command::Stop(RunEnd::Lost));
            }
            Event::Cancel => self.cancel(&mut out),
        }
        self.pump(&mut out);
        if out.iter().any(|command| matches!(command, Command::Stop(_))) {
            self.is_over = true;
        }
        out
    }

    /// Starts what can be started.
    fn pump(&mut self, out: &mut Vec<Command>) {
        loop {
            while self.busy < self.settings.parallel
                && let Some((run, step)) = self.queue.pop_first()
            {
                self.busy += 1;
                self.evaluate(run, step, out);
            }
            if !self.wake_any() {
                return;
            }
        }
    }

    pub(super) fn ask(&mut self, purpose: Purpose, call: ProviderCall, out: &mut Vec<Command>) -> Ticket {
        let ticket = self.ticket(purpose);
        out.push(Command::Call { ticket, call });
        ticket
    }

    pub(super) fn ticket(&mut self, purpose: Purpose) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.tickets.insert(ticket, purpose);
        ticket
    }

    pub(super) fn persist(
        &mut self,
        records: Vec<Record>,
        begins: bool,
        then: Vec<AfterCommit>,
        out: &mut Vec<Command>,
    ) {
        let batch = self.next_batch;
        self.next_batch += 1;
        self.batches.insert(batch, then);
        out.push(Command::Persist { batch, records, begins });
    }

    /// A run whose beginning is durable: what ended before is taken over, the rest is put in order.
    pub(super) fn begin(&mut self, run: RunIndex, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let stored = self.stored.remove(&entry.id);
        let mut ended = Vec::new();
        if let Some(stored) = stored {
            entry.operations = stored.operations;
            entry.order = stored.order;
            ended.extend(stored.steps);
        }
        let outer = entry.id;
        for (number, end) in ended {
            let step = StepIndex::new(number as usize);
            // A deployment that was a step of it has left resources.
            let resources = self.inner_resources(outer, step);
            if let Some(entry) = self.runs.get_mut(run) {
                entry.inner_resources.extend(resources);
            }
            self.settle(run, step, end, out);
        }
        let Some(entry) = self.runs.get_mut(run) else { return };
        // Only now: a step that ended before must not be put in order by the one that ended before it.
        entry.phase = Phase::Running;
        for (step, missing) in entry.missing.iter() {
            if *missing == 0 && matches!(entry.states.get(step), Some(StepStatus::Waiting)) && !self.canceled
            {
                self.queue.insert((run, step));
            }
        }
        let of_run = (run, StepIndex::FIRST)..=(run, StepIndex::LAST);
        let queued: Vec<StepIndex> = self.queue.range(of_run).map(|(_, step)| *step).collect();
        for step in queued {
            entry.set(step, StepStatus::Queued);
        }
        if self.canceled {
            self.abandon(run, out);
        }
        self.finish_if_done(run, out);
    }

    /// Asks the program what a step wants, and begins with it.
    pub(super) fn evaluate(&mut self, run: RunIndex, step: StepIndex, out: &mut Vec<Command>) {
        if self.canceled {
            return self.end_step(run, step, StepEnd::Failed(super::step_end::canceled()), Vec::new(), out);
        }
        let Some(entry) = self.runs.get(run) else { return };
        match entry.program.evaluate(step, &entry.live()) {
            Evaluation::NeedsLookups(needs) => self.fetch(run, step, needs, out),
            Evaluation::Failed(failure) => {
                self.end_step(run, step, StepEnd::Failed(failure), Vec::new(), out)
            }
            Evaluation::Ready(StepAction::Put(put)) => {
                let (stage, call) = if put.wanted.only_if_missing {
                    let (id, api_version) = (put.id.clone(), put.api_version.clone());
                    (Stage::Looking, ProviderCall::Get { id, api_version })
                } else {
                    (Stage::Asking, ProviderCall::Put(Arc::clone(&put)))
                };
                self.work(run, step, Task::Put(put), stage, call, out);
            }
            Evaluation::Ready(StepAction::Read(read)) => {
                let call = ProviderCall::Get { id: read.id.clone(), api_version: read.api_version.clone() };
                self.work(run, step, Task::Read(read), Stage::Asking, call, out);
            }
            Evaluation::Ready(StepAction::Deploy(deploy)) => self.deploy(run, step, *deploy, out),
            Evaluation::Ready(StepAction::Nothing) => {
                // There is nothing to make durable: whoever takes over finds out again.
                self.busy -= 1;
                self.settle(run, step, StepEnd::Succeeded { state: Value::Null, skipped: true }, out);
                self.finish_if_done(run, out);
            }
        }
    }

    pub(super) fn work(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        task: Task,
        stage: Stage,
        call: ProviderCall,
        out: &mut Vec<Command>,
    ) {
        out.push(Command::Report(RunProgress::Started { step: (run, step), attempt: 1 }));
        let ticket = self.ask(Purpose::Step(run, step), call, out);
        let (attempt, polls, began) = (1, 0, self.now);
        let (deadline, result, writes) = (None, None, Vec::new());
        let (skipped, seen) = (false, None);
        let work = StepAttempt {
            task,
            stage,
            attempt,
            polls,
            began,
            deadline,
            writes,
            skipped,
            seen,
            result,
            ticket,
        };
        if let Some(entry) = self.runs.get_mut(run) {
            entry.set(step, StepStatus::Working(Box::new(work)));
        }
    }

    /// Fetches what a step, or the outputs, have to know.
    pub(super) fn fetch(
        &mut self,
        run: RunIndex,
        step: StepIndex,
        needs: Vec<ProviderQuestion>,
        out: &mut Vec<Command>,
    ) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let mut calls = Vec::new();
        for need in needs {
            if entry.fetched.contains_key(&need) {
                continue;
            }
            let waiting = entry.fetching.entry(need.clone()).or_default();
            if waiting.is_empty() {
                calls.push(need.clone());
            }
            if waiting.insert(step) {
                *entry.lacking.entry(step).or_default() += 1;
            }
        }
        if !entry.lacking.contains_key(&step) {
            // What it asks for is there, and it asks again: nothing would ever come of it.
            let failure =
                Failure::new("InternalServerError", "the evaluation asks for what it has been given");
            if step == entry.outputs_step() {
                return self.end_run(run, RunEnd::Failed(failure), out);
            }
            return self.end_step(run, step, StepEnd::Failed(failure), Vec::new(), out);
        }
        entry.set(step, StepStatus::Fetching);
        for need in calls {
            let call = need.clone().into();
            self.ask(Purpose::Fetch(run, need), call, out);
        }
    }

    pub(super) fn record_of(&self, run: &Run, status: Status, record: DeploymentRecord) -> Record {
        let (order, key, record) = (run.order, run.key.clone(), Box::new(record));
        Record::Deployment { run: run.id, root: self.root, key, status, order, record }
    }

    fn durable(&mut self, then: AfterCommit, out: &mut Vec<Command>) {
        match then {
            AfterCommit::Begin(run) => self.begin(run, out),
            AfterCommit::Confirm(run, step) => self.confirmed(run, step, out),
            AfterCommit::End(run) => self.ended(run, out),
            AfterCommit::Nothing => {}
        }
    }

    /// What a batch was made from has changed: nothing of it was written.
    fn conflicted(&mut self, then: AfterCommit, out: &mut Vec<Command>) {
        match then {
            AfterCommit::Begin(run) => self.not_begun(run, out),
            AfterCommit::Confirm(run, step) => self.not_confirmed(run, step, out),
            // Their batches have no conditions.
            AfterCommit::End(_) | AfterCommit::Nothing => {}
        }
    }

    /// A deployment of that name is under way.
    fn not_begun(&mut self, run: RunIndex, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        entry.phase = Phase::Ended;
        let within = entry.within;
        let message = format!("a deployment named `{}` is already under way in its scope", entry.key.name());
        let failure = Failure::new("DeploymentActive", message);
        if let Some((outer, step)) = within {
            self.free_name((outer, step));
            self.busy += 1;
            self.end_step(outer, step, StepEnd::Failed(failure), Vec::new(), out);
        }
    }

    /// Somebody changed what the step was checked against: it is done again with what is there now.
    fn not_confirmed(&mut self, run: RunIndex, step: StepIndex, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        if !matches!(entry.states.get(step), Some(StepStatus::Confirming(_))) {
            return;
        }
        let times = self.conflicts.entry((run, step)).or_default();
        *times += 1;
        if *times > CONFLICTS {
            self.busy += 1;
            let message = "what the resource is checked against was changed again and again meanwhile";
            let failure = Failure::new("Conflict", message);
            return self.end_step(run, step, StepEnd::Failed(failure), Vec::new(), out);
        }
        entry.set(step, StepStatus::Queued);
        self.queue.insert((run, step));
    }

    fn answered(&mut self, ticket: Ticket, answer: ProviderReply, out: &mut Vec<Command>) {
        match self.tickets.remove(&ticket) {
            Some(Purpose::Step(run, step)) => self.step_answered(run, step, ticket, answer, out),
            Some(Purpose::Fetch(run, need)) => self.fetch_answered(run, &need, answer, out),
            Some(Purpose::List(run)) => self.list_answered(run, answer, out),
            Some(Purpose::Delete(run, id)) => self.delete_answered(run, &id, answer, out),
            None => {}
        }
    }

    fn fetch_answered(
        &mut self,
        run: RunIndex,
        need: &ProviderQuestion,
        answer: ProviderReply,
        out: &mut Vec<Command>,
    ) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let fetched = match answer {
            ProviderReply::Done(response) => Ok(Some(response.body)),
            ProviderReply::Missing => Ok(None),
            ProviderReply::Failed(failure) => Err(failure),
            ProviderReply::Running { .. } => {
                Err(Failure::new("InternalServerError", "a question was answered with work in progress"))
            }
        };
        entry.fetched.insert(need.clone(), fetched);
        let mut free = Vec::new();
        for step in entry.fetching.remove(need).unwrap_or_default() {
            let lacking = entry.lacking.entry(step).or_insert(1);
            *lacking -= 1;
            if *lacking == 0 {
                entry.lacking.remove(&step);
                free.push(step);
            }
        }
        let outputs = entry.outputs_step();
        for step in free {
            if step == outputs {
                self.evaluate_outputs(run, out);
            } else {
                self.evaluate(run, step, out);
            }
        }
    }

    fn cancel(&mut self, out: &mut Vec<Command>) {
        if self.canceled {
            return;
        }
        self.canceled = true;
        if let Some(root) = self
            .runs
            .get(RunIndex::OUTERMOST)
            .filter(|root| !matches!(root.phase, Phase::Ending(_) | Phase::Ended))
        {
            // Whoever takes over after a crash has to know.
            let record = DeploymentRecord { cancel_requested: true, ..root.record.clone() };
            let record = self.record_of(root, Status::Active, record);
            self.persist(vec![record], false, vec![AfterCommit::Nothing], out);
        }
        for run in self.runs.indices() {
            self.abandon(run, out);
        }
        for run in self.runs.indices().rev() {
            self.finish_if_done(run, out);
        }
    }
}
