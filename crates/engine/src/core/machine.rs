//! The machine: what is done about each event.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::Value;
use store::{DeploymentKey, RunId, Status};

use super::event::{Act, Answer, Call, Command, End, Event, Progress, Ticket};
use super::program::{Action, Evaluated, Need, Program};
use super::run::{Phase, Run, Stage, State, Stored, Task, Work};
use crate::Failure;
use crate::records::{Record, StepEnd};

/// How often a step is done again because what it was made from has changed.
const CONFLICTS: u32 = 100;

/// How a machine works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many steps are under way at the same time.
    pub parallel: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { parallel: 64 }
    }
}

/// What a machine starts from.
pub struct Start {
    /// The run.
    pub run: RunId,
    /// Where the deployment is found.
    pub key: DeploymentKey,
    /// What it runs.
    pub program: Arc<dyn Program>,
    /// Its record before it ends, as the REST API shows it.
    pub record: Value,
    /// When it was accepted: its place in listings, whoever runs it.
    pub order: i64,
    /// The number of the lease: batches of several owners never have the same name.
    pub fence: u64,
    /// What is kept of an earlier run that was cut off; empty for a new one, whose own record is already kept.
    pub stored: Stored,
    /// Whether it was already asked to stop.
    pub canceled: bool,
    /// How to work.
    pub settings: Settings,
}

/// What a ticket was given out for.
#[derive(Clone, Debug)]
pub(super) enum Purpose {
    /// The answer, or the time, that a step waits for.
    Step(usize, usize),
    /// Something that several may have asked for.
    Fetch(usize, Need),
    /// The resources that are there, for a complete deployment.
    List(usize),
    /// A resource that is deleted.
    Delete(usize, smol_str::SmolStr),
}

/// What happens once a batch is durable.
#[derive(Clone, Debug)]
pub(super) enum Then {
    /// A run has begun.
    Begin(usize),
    /// A step has ended.
    Confirm(usize, usize),
    /// A run has ended.
    End(usize),
    /// Nothing waits for it.
    Nothing,
}

/// A deployment under way.
pub struct Machine {
    pub(super) settings: Settings,
    pub(super) root: RunId,
    pub(super) runs: Vec<Run>,
    pub(super) tickets: BTreeMap<Ticket, Purpose>,
    next_ticket: u64,
    pub(super) batches: BTreeMap<u64, Vec<Then>>,
    next_batch: u64,
    /// Steps that can start, in order.
    pub(super) queue: BTreeSet<(usize, usize)>,
    /// How many steps are under way.
    pub(super) busy: usize,
    pub(super) canceled: bool,
    /// How often steps were done again because something had changed.
    conflicts: BTreeMap<(usize, usize), u32>,
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
            runs: Vec::new(),
            tickets: BTreeMap::new(),
            next_ticket: 0,
            batches: BTreeMap::new(),
            next_batch: start.fence << 32,
            queue: BTreeSet::new(),
            busy: 0,
            canceled: start.canceled,
            conflicts: BTreeMap::new(),
            stored: start.stored,
            now,
            is_over: false,
        };
        let mut out = Vec::new();
        let mut outermost = Run::new(start.run, start.key, None, start.program, start.record, now);
        outermost.order = start.order;
        machine.runs.push(outermost);
        machine.begin(0, &mut out);
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
                out.push(Command::Stop(End::Lost));
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
        while self.busy < self.settings.parallel
            && let Some((run, step)) = self.queue.pop_first()
        {
            self.busy += 1;
            self.evaluate(run, step, out);
        }
    }

    pub(super) fn ask(&mut self, purpose: Purpose, call: Call, out: &mut Vec<Command>) -> Ticket {
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
        then: Vec<Then>,
        out: &mut Vec<Command>,
    ) {
        let batch = self.next_batch;
        self.next_batch += 1;
        self.batches.insert(batch, then);
        out.push(Command::Persist { batch, records, begins });
    }

    /// A run whose beginning is durable: what ended before is taken over, the rest is put in order.
    pub(super) fn begin(&mut self, run: usize, out: &mut Vec<Command>) {
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
            let step = number as usize;
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
        for (step, missing) in entry.missing.iter().enumerate() {
            if *missing == 0 && matches!(entry.states.get(step), Some(State::Waiting)) && !self.canceled {
                self.queue.insert((run, step));
            }
        }
        let queued: Vec<usize> =
            self.queue.range((run, 0)..=(run, usize::MAX)).map(|(_, step)| *step).collect();
        for step in queued {
            entry.set(step, State::Queued);
        }
        if self.canceled {
            self.abandon(run, out);
        }
        self.finish_if_done(run, out);
    }

    /// Asks the program what a step wants, and begins with it.
    pub(super) fn evaluate(&mut self, run: usize, step: usize, out: &mut Vec<Command>) {
        if self.canceled {
            return self.end_step(run, step, StepEnd::Failed(super::settle::canceled()), Vec::new(), out);
        }
        let Some(entry) = self.runs.get(run) else { return };
        match entry.program.evaluate(step, &entry.live()) {
            Evaluated::Needs(needs) => self.fetch(run, step, needs, out),
            Evaluated::Failed(failure) => self.end_step(run, step, StepEnd::Failed(failure), Vec::new(), out),
            Evaluated::Ready(Action::Put(put)) => {
                let (stage, call) = if put.wanted.only_if_missing {
                    let (id, api_version) = (put.id.clone(), put.api_version.clone());
                    (Stage::Looking, Call::Get { id, api_version })
                } else {
                    (Stage::Asking, Call::Put(Arc::clone(&put)))
                };
                self.work(run, step, Task::Put(put), stage, call, out);
            }
            Evaluated::Ready(Action::Read(read)) => {
                let call = Call::Get { id: read.id.clone(), api_version: read.api_version.clone() };
                self.work(run, step, Task::Read(read), Stage::Asking, call, out);
            }
            Evaluated::Ready(Action::Deploy(deploy)) => self.deploy(run, step, *deploy, out),
            Evaluated::Ready(Action::Nothing) => {
                // There is nothing to make durable: whoever takes over finds out again.
                self.busy -= 1;
                self.settle(run, step, StepEnd::Succeeded { state: Value::Null, skipped: true }, out);
                self.finish_if_done(run, out);
            }
        }
    }

    pub(super) fn work(
        &mut self,
        run: usize,
        step: usize,
        task: Task,
        stage: Stage,
        call: Call,
        out: &mut Vec<Command>,
    ) {
        out.push(Command::Report(Progress::Started { step: (run, step), attempt: 1 }));
        let ticket = self.ask(Purpose::Step(run, step), call, out);
        let (attempt, polls, began) = (1, 0, self.now);
        let (deadline, result, writes) = (None, None, Vec::new());
        let (skipped, seen) = (false, None);
        let work =
            Work { task, stage, attempt, polls, began, deadline, writes, skipped, seen, result, ticket };
        if let Some(entry) = self.runs.get_mut(run) {
            entry.set(step, State::Working(Box::new(work)));
        }
    }

    /// Fetches what a step, or the outputs, have to know.
    pub(super) fn fetch(&mut self, run: usize, step: usize, needs: Vec<Need>, out: &mut Vec<Command>) {
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
                return self.end_run(run, End::Failed(failure), out);
            }
            return self.end_step(run, step, StepEnd::Failed(failure), Vec::new(), out);
        }
        entry.set(step, State::Fetching);
        for need in calls {
            let call = match need.clone() {
                Need::Get { id, api_version } => Call::Get { id, api_version },
                Need::Action { id, action, api_version, body } => {
                    Call::Action(Act { id, action, api_version, body })
                }
            };
            self.ask(Purpose::Fetch(run, need), call, out);
        }
    }

    pub(super) fn record_of(&self, run: &Run, status: Status, body: Value) -> Record {
        let (order, key) = (run.order, run.key.clone());
        Record::Deployment { run: run.id, root: self.root, key, status, order, body }
    }

    fn durable(&mut self, then: Then, out: &mut Vec<Command>) {
        match then {
            Then::Begin(run) => self.begin(run, out),
            Then::Confirm(run, step) => self.confirmed(run, step, out),
            Then::End(run) => self.ended(run, out),
            Then::Nothing => {}
        }
    }

    /// What a batch was made from has changed: nothing of it was written.
    fn conflicted(&mut self, then: Then, out: &mut Vec<Command>) {
        match then {
            Then::Begin(run) => self.not_begun(run, out),
            Then::Confirm(run, step) => self.not_confirmed(run, step, out),
            // Their batches have no conditions.
            Then::End(_) | Then::Nothing => {}
        }
    }

    /// A deployment of that name is under way.
    fn not_begun(&mut self, run: usize, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        entry.phase = Phase::Ended;
        let message = format!("a deployment named `{}` is already under way in its scope", entry.key.name());
        let failure = Failure::new("DeploymentActive", message);
        if let Some((outer, step)) = entry.within {
            self.busy += 1;
            self.end_step(outer, step, StepEnd::Failed(failure), Vec::new(), out);
        }
    }

    /// Somebody changed what the step was checked against: it is done again with what is there now.
    fn not_confirmed(&mut self, run: usize, step: usize, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        if !matches!(entry.states.get(step), Some(State::Confirming(_))) {
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
        entry.set(step, State::Queued);
        self.queue.insert((run, step));
    }

    fn answered(&mut self, ticket: Ticket, answer: Answer, out: &mut Vec<Command>) {
        match self.tickets.remove(&ticket) {
            Some(Purpose::Step(run, step)) => self.step_answered(run, step, ticket, answer, out),
            Some(Purpose::Fetch(run, need)) => self.fetch_answered(run, &need, answer, out),
            Some(Purpose::List(run)) => self.list_answered(run, answer, out),
            Some(Purpose::Delete(run, id)) => self.delete_answered(run, &id, answer, out),
            None => {}
        }
    }

    fn fetch_answered(&mut self, run: usize, need: &Need, answer: Answer, out: &mut Vec<Command>) {
        let Some(entry) = self.runs.get_mut(run) else { return };
        let fetched = match answer {
            Answer::Done(response) => Ok(Some(response.body)),
            Answer::Missing => Ok(None),
            Answer::Failed(failure) => Err(failure),
            Answer::Running { .. } => {
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
        if let Some(root) =
            self.runs.first().filter(|root| !matches!(root.phase, Phase::Ending(_) | Phase::Ended))
        {
            // Whoever takes over after a crash has to know.
            let record = super::settle::cancel_requested(&root.record);
            let record = self.record_of(root, Status::Active, record);
            self.persist(vec![record], false, vec![Then::Nothing], out);
        }
        for run in 0..self.runs.len() {
            self.abandon(run, out);
        }
        for run in (0..self.runs.len()).rev() {
            self.finish_if_done(run, out);
        }
    }
}
