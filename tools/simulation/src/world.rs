//! The world around the machine: providers, the store, time, and the end of processes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use arm::{ProvisioningState, Value};
use smol_str::SmolStr;
use store::{
    BatchId, Claim, Commit, CommitOutcome, Condition, DeploymentKey, Fence, MemoryStore, Page, ResourceId,
    RunId, SealError, Status, Store as _, Write,
};

use crate::chance::Chance;
use crate::plan::Plan;
use machine::Failure;
use machine::core::{
    Command, Event, Machine, MachineSettings, ProviderCall, ProviderReply, Response, RunEnd, RunIndex,
    RunProgress, Start, StepIndex, StepProgram as _, Stored, Ticket,
};
use machine::records::{self, DeploymentRecord, Record, ResourceRecord, Sealer, StepEnd};

/// More events than any small deployment takes, unless it never ends.
const EVENTS: usize = 20_000;

/// The group that everything is in.
const GROUP: &str = "/subscriptions/s/resourceGroups/g";

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimulationStats {
    /// How many events there were.
    pub events: usize,
    /// How often the process died.
    pub crashes: usize,
    /// How many steps were confirmed.
    pub confirmed: usize,
    /// How many deployments succeeded.
    pub succeeded: usize,
}

impl std::ops::Add for SimulationStats {
    type Output = SimulationStats;

    fn add(self, other: SimulationStats) -> SimulationStats {
        SimulationStats {
            events: self.events + other.events,
            crashes: self.crashes + other.crashes,
            confirmed: self.confirmed + other.confirmed,
            succeeded: self.succeeded + other.succeeded,
        }
    }
}

/// Runs the deployment of a seed; an error is the promise that was broken.
pub fn run(seed: u64) -> Result<SimulationStats, String> {
    let mut chance = Chance::new(seed);
    let crashes = if chance.percent(60) { chance.below(4) } else { 0 };
    World::new(seed, chance, crashes, None).play()
}

/// Runs the deployment of a seed and ends the process after so many events; none if it ends before.
pub fn run_with_crash_at(seed: u64, event: usize) -> Result<Option<SimulationStats>, String> {
    let outcome = World::new(seed, Chance::new(seed), 0, Some(event)).play()?;
    Ok((outcome.crashes > 0).then_some(outcome))
}

/// Sealing is not what is tried here; a mark shows that it was done.
pub(super) struct FakeSeal;

impl Sealer for FakeSeal {
    fn seal(&self, purpose: &str, secret: &[u8]) -> Result<Vec<u8>, SealError> {
        Ok([purpose.as_bytes(), b"\0", secret].concat())
    }

    fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let open = sealed.strip_prefix(purpose.as_bytes()).and_then(|rest| rest.strip_prefix(b"\0"));
        open.map(<[u8]>::to_vec).ok_or(SealError::Refused)
    }
}

struct World {
    seed: u64,
    chance: Chance,
    store: MemoryStore,
    plan: Arc<Plan>,
    run: RunId,
    fence: Fence,
    now: i64,
    machine: Machine,
    calls: Vec<(Ticket, ProviderCall)>,
    timers: BTreeMap<(i64, Ticket), ()>,
    batches: VecDeque<(u64, Vec<Record>, bool)>,
    /// What providers have, and how often each was asked.
    resources: BTreeMap<SmolStr, Value>,
    asked: BTreeMap<SmolStr, i64>,
    /// The steps that are durable.
    confirmed: BTreeMap<(RunId, u32), bool>,
    /// The ids whose steps are durable.
    settled: BTreeSet<SmolStr>,
    crashes_left: usize,
    crash_at: Option<usize>,
    cancels: bool,
    canceled: bool,
    outcome: SimulationStats,
    end: Option<RunEnd>,
}

impl World {
    fn new(seed: u64, mut chance: Chance, crashes_left: usize, crash_at: Option<usize>) -> World {
        let plan = Arc::new(Plan::new(&mut chance, GROUP, 0));
        let store = MemoryStore::new();
        let run = RunId(u128::from(seed) + 1);
        let key = DeploymentKey::new(GROUP, "main");
        let record = DeploymentRecord::new("", "main");
        let accept = Record::Deployment {
            run,
            root: run,
            key: key.clone(),
            status: Status::Active,
            order: 0,
            record: Box::new(record.clone()),
        };
        let mut writes = Vec::new();
        let _ = records::encode(&accept, &FakeSeal, &mut writes);
        writes.push(Write::Blob { run, name: records::SECRETS.to_owned(), bytes: b"sealed".to_vec() });
        let id = BatchId { run, number: 0 };
        store.commit(&[Commit {
            id,
            fence: None,
            conditions: vec![Condition::NotActive(key.clone())],
            writes,
        }]);
        let fence = Fence { run, number: 1 };
        let _ = store.claim(run, "first", 1_000);
        let settings = MachineSettings { parallel: 1 + chance.below(6) };
        let program = Arc::<Plan>::clone(&plan);
        let start = Start {
            run,
            key,
            program,
            record,
            order: 0,
            fence: 1,
            stored: Stored::new(),
            canceled: false,
            settings,
        };
        let (machine, commands) = Machine::start(start, 0);
        let mut resources = BTreeMap::new();
        for step in &plan.steps {
            // Some resources are there before, and some that nobody names.
            if chance.percent(30) {
                resources.insert(step.id.clone(), Value::object([("old", Value::Bool(true))]));
            }
        }
        if chance.percent(50) {
            resources.insert(format!("{GROUP}/providers/Our.Things/stray").into(), Value::Bool(true));
        }
        let cancels = chance.percent(8);
        let mut world = World {
            seed,
            chance,
            store,
            plan,
            run,
            fence,
            now: 0,
            machine,
            calls: Vec::new(),
            timers: BTreeMap::new(),
            batches: VecDeque::new(),
            resources,
            asked: BTreeMap::new(),
            confirmed: BTreeMap::new(),
            settled: BTreeSet::new(),
            crashes_left,
            crash_at,
            cancels,
            canceled: false,
            outcome: SimulationStats::default(),
            end: None,
        };
        // What the first commands break is found when the run is played.
        let _ = world.take(commands);
        world
    }

    fn broken<T>(&self, promise: &str) -> Result<T, String> {
        Err(format!("seed {}, event {}: {promise}", self.seed, self.outcome.events))
    }

    fn play(mut self) -> Result<SimulationStats, String> {
        while self.end.is_none() {
            self.outcome.events += 1;
            if self.outcome.events > EVENTS {
                return self.broken("the deployment does not end");
            }
            if self.dies() {
                self.crash()?;
                continue;
            }
            if self.cancels && !self.canceled && self.chance.percent(5) {
                self.canceled = true;
                let commands = self.machine.handle(Event::Cancel, self.now);
                self.take(commands)?;
                continue;
            }
            self.step()?;
        }
        self.check_end()?;
        Ok(self.outcome)
    }

    fn dies(&mut self) -> bool {
        if self.crash_at.is_some_and(|at| at == self.outcome.events) {
            return true;
        }
        self.crashes_left > 0 && self.chance.percent(4)
    }

    /// Lets one thing happen.
    fn step(&mut self) -> Result<(), String> {
        let batches = usize::from(!self.batches.is_empty());
        let timers = usize::from(!self.timers.is_empty());
        let choices = self.calls.len() + batches + timers;
        if choices == 0 {
            return self.broken("nothing is under way, and the deployment has not ended");
        }
        let choice = self.chance.below(choices);
        if choice < self.calls.len() {
            let (ticket, call) = self.calls.swap_remove(choice);
            let answer = self.answer(&call)?;
            let commands = self.machine.handle(Event::Answered { ticket, answer }, self.now);
            return self.take(commands);
        }
        if choice < self.calls.len() + batches {
            return self.write();
        }
        let Some(((at, ticket), ())) = self.timers.pop_first() else { return Ok(()) };
        self.now = self.now.max(at);
        let commands = self.machine.handle(Event::Fired { ticket }, self.now);
        self.take(commands)
    }

    /// Writes the next batch; sometimes nobody hears whether it was written, and it is sent again.
    fn write(&mut self) -> Result<(), String> {
        let Some((number, records, begins)) = self.batches.pop_front() else { return Ok(()) };
        let silence = self.chance.below(20);
        if silence == 0 {
            self.batches.push_front((number, records, begins));
            return Ok(());
        }
        let written = self.commit(number, &records, begins, self.fence);
        if silence == 1 {
            // It was written and is sent again: the store must know it.
            if self.commit(number, &records, begins, self.fence) != written {
                return self.broken("a batch that was sent twice was answered differently");
            }
        }
        let event = match written {
            CommitOutcome::Committed => {
                self.keep(&records)?;
                Event::Durable { batch: number }
            }
            CommitOutcome::Conflict { .. } => Event::Conflict { batch: number },
            CommitOutcome::Fenced | CommitOutcome::Unknown(_) => {
                return self.broken("the owner of the lease was refused");
            }
        };
        let commands = self.machine.handle(event, self.now);
        self.take(commands)
    }

    fn commit(&self, number: u64, records: &[Record], begins: bool, fence: Fence) -> CommitOutcome {
        let mut writes = Vec::new();
        for record in records {
            let _ = records::encode(record, &FakeSeal, &mut writes);
        }
        let key = records.iter().find_map(|record| match record {
            Record::Deployment { key, .. } if begins => Some(key.clone()),
            _ => None,
        });
        let conditions = key.map(Condition::NotActive).into_iter().collect();
        let id = BatchId { run: self.run, number };
        self.store.commit(&[Commit { id, fence: Some(fence), conditions, writes }]).remove(0)
    }

    /// Notes what has become durable.
    fn keep(&mut self, records: &[Record]) -> Result<(), String> {
        for record in records {
            if let Record::Step { run, number, ended } = record {
                let is_good = matches!(ended, StepEnd::Succeeded { .. });
                if self.confirmed.insert((*run, *number), is_good).is_some() {
                    return self.broken("a step was confirmed twice");
                }
                self.outcome.confirmed += 1;
                if *run == self.run
                    && let Some(step) = self.plan.steps.get(*number as usize)
                {
                    self.settled.insert(step.id.clone());
                }
            }
        }
        Ok(())
    }

    /// Does what the machine says.
    fn take(&mut self, commands: Vec<Command>) -> Result<(), String> {
        for command in commands {
            match command {
                Command::Call { ticket, call } => {
                    self.check_call(&call)?;
                    self.calls.push((ticket, call));
                }
                Command::Wait { ticket, milliseconds } => {
                    self.timers.insert((self.now.saturating_add_unsigned(milliseconds), ticket), ());
                }
                Command::Persist { batch, records, begins } => {
                    self.batches.push_back((batch, records, begins))
                }
                Command::Report(RunProgress::Ended { step: (RunIndex::OUTERMOST, step), .. }) => {
                    if !self.confirmed.contains_key(&(self.run, step.number())) {
                        return self.broken("a step was reported before it was durable");
                    }
                }
                Command::Report(_) => {}
                Command::Stop(end) => self.end = Some(end),
            }
        }
        Ok(())
    }

    fn check_call(&self, call: &ProviderCall) -> Result<(), String> {
        let ProviderCall::Put(put) = call else { return Ok(()) };
        if self.settled.contains(&put.id) {
            return self.broken("a step that was confirmed was sent again");
        }
        let Some(number) = self.plan.steps.iter().position(|step| step.id == put.id) else { return Ok(()) };
        let before = self.plan.depends_on(StepIndex::new(number)).iter();
        for before in before.map(|before| before.number()) {
            if self.confirmed.get(&(self.run, before)) != Some(&true) {
                return self.broken("a step was started before what it depends on was durable");
            }
        }
        Ok(())
    }

    /// What a provider says, and what it has afterwards.
    fn answer(&mut self, call: &ProviderCall) -> Result<ProviderReply, String> {
        let fails = self.chance.below(20);
        Ok(match call {
            ProviderCall::Put(_) if fails == 0 => {
                ProviderReply::Failed(Failure::new("Busy", "try again later"))
            }
            ProviderCall::Put(_) if fails == 1 => {
                ProviderReply::Failed(Failure::new("BadRequest", "the body is wrong"))
            }
            ProviderCall::Put(put) => {
                let body = put.body.get().clone();
                self.resources.insert(put.id.clone(), body.clone());
                if fails == 2 {
                    return Ok(ProviderReply::Running { after: 1_000 });
                }
                let record = ResourceRecord::simulated(&put.body);
                let kept = Record::PutResource { id: put.id.to_string(), record };
                ProviderReply::Done(Response { body, writes: vec![kept] })
            }
            ProviderCall::Get { .. } if fails == 0 => {
                ProviderReply::Failed(Failure::new("Unavailable", "not now"))
            }
            // What was just put may not be seen yet.
            ProviderCall::Get { .. } if fails == 1 => ProviderReply::Missing,
            ProviderCall::Get { id, .. } => match self.resources.get(id) {
                None => ProviderReply::Missing,
                Some(body) => {
                    let seen = self.asked.entry(id.clone()).or_default();
                    *seen += 1;
                    let properties = ProvisioningState::Succeeded.properties();
                    let body = Value::object([
                        ("seen", Value::Int(*seen)),
                        ("body", body.clone()),
                        ("properties", properties),
                    ]);
                    ProviderReply::Done(Response { body, writes: Vec::new() })
                }
            },
            ProviderCall::Delete { .. } if fails == 0 => {
                ProviderReply::Failed(Failure::new("Locked", "it is locked"))
            }
            ProviderCall::Delete { id } => {
                if !id.contains("stray") {
                    return self.broken("a resource that the deployment names was deleted");
                }
                self.resources.remove(id);
                let gone = Record::DeleteResource { id: id.to_string() };
                ProviderReply::Done(Response { body: Value::Null, writes: vec![gone] })
            }
            ProviderCall::List { below } => {
                let ids = self.resources.keys().filter(|id| id.starts_with(below.as_str()));
                let ids = ids.map(|id| Value::Text(id.clone())).collect();
                ProviderReply::Done(Response { body: Value::array(ids), writes: Vec::new() })
            }
            ProviderCall::Action { .. } if fails < 2 => {
                ProviderReply::Failed(Failure::new("Forbidden", "you may not"))
            }
            ProviderCall::Action { .. } => {
                let keys = Value::object([("key", Value::from("hunter2").secret())]);
                ProviderReply::Done(Response { body: keys, writes: Vec::new() })
            }
        })
    }

    /// Ends the process: what was not durable is gone, what was sent may have been done. Another takes over.
    fn crash(&mut self) -> Result<(), String> {
        self.outcome.crashes += 1;
        self.crashes_left = self.crashes_left.saturating_sub(1);
        self.crash_at = None;
        for (_, call) in std::mem::take(&mut self.calls) {
            if self.chance.percent(50) {
                self.answer(&call)?;
            }
        }
        self.timers.clear();
        let mut unwritten = std::mem::take(&mut self.batches);
        // The next batch may have reached the store, and nobody heard.
        if self.chance.percent(50)
            && let Some((number, records, begins)) = unwritten.pop_front()
            && self.commit(number, &records, begins, self.fence) == CommitOutcome::Committed
        {
            self.keep(&records)?;
        }
        let old = self.fence;
        self.store.advance(1_001);
        self.now += 1_001;
        let claim = self.store.claim(self.run, "next", 1_000);
        let lease = match claim {
            Ok(Claim::Granted(lease)) => lease,
            // The end was durable already: there is nothing to take over.
            Ok(Claim::Gone) => {
                self.end = Some(RunEnd::Lost);
                return Ok(());
            }
            other => return self.broken(&format!("the lease cannot be taken over: {other:?}")),
        };
        self.fence = lease.fence;
        // What the dead process still has on the way must not count any more.
        if let Some((number, records, begins)) = unwritten.pop_front() {
            let late = self.commit(number, &records, begins, old);
            if late != CommitOutcome::Fenced
                && !matches!(late, CommitOutcome::Committed if records.is_empty())
            {
                return self.broken("a process that lost its lease could write");
            }
        }
        let stored = match records::load(&self.store, &FakeSeal, self.run) {
            Ok(stored) => stored,
            Err(error) => return self.broken(&format!("what was kept cannot be read: {error}")),
        };
        // A wish to stop that was not durable is forgotten, as if it had never been heard.
        self.canceled = stored.get(&self.run).is_some_and(|root| root.record.cancel_requested);
        let start = Start {
            run: self.run,
            key: DeploymentKey::new(GROUP, "main"),
            program: Arc::<Plan>::clone(&self.plan),
            record: DeploymentRecord::new("", "main"),
            order: 0,
            fence: lease.fence.number,
            stored,
            canceled: self.canceled,
            settings: MachineSettings { parallel: 1 + self.chance.below(6) },
        };
        let (machine, commands) = Machine::start(start, self.now);
        self.machine = machine;
        self.take(commands)
    }

    /// Holds the end against what was done.
    fn check_end(&mut self) -> Result<(), String> {
        let Ok(Some(deployment)) = self.store.run(self.run) else {
            return self.broken("the deployment is not kept");
        };
        if deployment.status != Status::Ended {
            return self.broken("the deployment ended, and its record does not say so");
        }
        let all = self.store.deployments(None, Page::ALL).unwrap_or_default();
        if all.iter().any(|deployment| deployment.status != Status::Ended) {
            return self.broken("a deployment inside it never ended");
        }
        let Ok(record) = DeploymentRecord::from_store(&deployment.body) else {
            return self.broken("the record of the deployment cannot be read");
        };
        let says = |state: ProvisioningState| record.state == state;
        let steps = (0..self.plan.steps.len()).map(|step| u32::try_from(step).unwrap_or(u32::MAX));
        let good = steps.filter(|step| self.confirmed.get(&(self.run, *step)) == Some(&true)).count();
        let truth = match &self.end {
            Some(RunEnd::Succeeded(_)) => says(ProvisioningState::Succeeded) && good == self.plan.steps.len(),
            Some(RunEnd::Failed(_)) => says(ProvisioningState::Failed),
            Some(RunEnd::Canceled) => says(ProvisioningState::Canceled) && self.canceled,
            Some(RunEnd::Lost) => {
                says(ProvisioningState::Succeeded)
                    || says(ProvisioningState::Failed)
                    || says(ProvisioningState::Canceled)
            }
            None => false,
        };
        if !truth || (says(ProvisioningState::Succeeded) && good != self.plan.steps.len()) {
            return self.broken("the record of the deployment does not say how it ended");
        }
        self.outcome.succeeded = usize::from(says(ProvisioningState::Succeeded));
        for deployment in &all {
            let steps = self.store.steps(deployment.run).unwrap_or_default();
            let names = steps.iter().map(|step| format!("step/{}", step.number));
            for name in names.chain([records::SECRETS.to_owned()]) {
                if self.store.blob(deployment.run, &name).ok().flatten().is_some() {
                    return self.broken("a secret is kept after the end");
                }
            }
            let texts = steps.iter().map(|step| &step.body).chain([&deployment.body]);
            if texts.into_iter().any(|text| text.contains("hunter2")) {
                return self.broken("a secret is readable in a record");
            }
        }
        for step in &self.plan.steps {
            let is_kept = self.store.resource(&ResourceId::new(&step.id)).ok().flatten().is_some();
            if is_kept && !self.resources.contains_key(&step.id) {
                return self.broken("a resource is kept that no provider has");
            }
        }
        Ok(())
    }
}
