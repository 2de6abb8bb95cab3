//! The world around the nodes: time, the network, providers, and what goes wrong.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use arm::{ProvisioningState, Value};
use smol_str::SmolStr;
use store::{BatchId, Claimed, Commit, CommitOutcome, Condition, Fence, RunId, Status, Store as _, Write};

use super::Mutation;
use super::clients::{Client, Poison};
use super::database::{Database, Ran, TransactionKind, TransactionResult, TxId};
use super::history::History;
use super::process::{CommitOwner, NodeQuestion, PendingBatch, Process, Run};
use crate::chance::Chance;
use crate::plan::Plan;
use crate::world::FakeSeal;
use machine::Failure;
use machine::attempts::{self, ATTEMPTS, StartCount};
use machine::core::{
    Command, Event, Machine, MachineSettings, ProviderCall, ProviderReply, Response, RunEnd, Start, Stored,
    Ticket,
};
use machine::node;
use machine::records::{self, DeploymentRecord, Record, ResourceRecord};

/// More events than a small cluster takes, unless something never ends.
const EVENTS: usize = 400_000;
/// When the last fault happens, in milliseconds.
const FAULTS_UNTIL: u64 = 30_000;
/// When everything must have ended.
const END: u64 = 3 * 3_600_000;
/// How often a batch is sent again before its node gives up.
const TRIES: u32 = 10;
/// How long the database waits for the next statement of a transaction: the seed chooses.
const IDLE: [u64; 3] = [1_000, 5_000, 20_000];

/// What a run of a cluster came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterStats {
    /// How many events there were.
    pub events: usize,
    /// How many deployments were accepted.
    pub deployments: usize,
    /// How many of them succeeded.
    pub succeeded: usize,
    /// How many were canceled.
    pub canceled: usize,
    /// How many steps were confirmed.
    pub confirmed: usize,
    /// How often a node died or was stopped.
    pub crashes: usize,
    /// How often that was by a deployment.
    pub aborts: usize,
    /// How often a deployment went from one node to another.
    pub takeovers: usize,
    /// How many transactions the database undid, or ended without an answer.
    pub lost: usize,
}

impl std::ops::Add for ClusterStats {
    type Output = ClusterStats;

    fn add(self, other: ClusterStats) -> ClusterStats {
        ClusterStats {
            events: self.events + other.events,
            deployments: self.deployments + other.deployments,
            succeeded: self.succeeded + other.succeeded,
            canceled: self.canceled + other.canceled,
            confirmed: self.confirmed + other.confirmed,
            crashes: self.crashes + other.crashes,
            aborts: self.aborts + other.aborts,
            takeovers: self.takeovers + other.takeovers,
            lost: self.lost + other.lost,
        }
    }
}

/// Runs the cluster of a seed; an error is the promise that was broken.
pub fn run(seed: u64) -> Result<ClusterStats, String> {
    run_mutated(seed, Mutation::None)
}

/// The same with a mistake in the protocol.
pub fn run_mutated(seed: u64, mutation: Mutation) -> Result<ClusterStats, String> {
    let mut world = World::new(seed, mutation);
    let played = world.play();
    played.map(|()| world.outcome).map_err(|promise| {
        format!("seed {seed}, event {}, {} ms: {promise}", world.outcome.events, world.now)
    })
}

/// Something that will happen.
enum Happens {
    /// Something reaches a node, in one of its lives.
    Note(usize, u32, Note),
    /// A statement reaches the database.
    Statement(TxId),
    /// The database looks whether anybody still wants a transaction.
    Idle(TxId, u32),
    /// A call reaches its provider.
    Call { node: usize, life: u32, fence: Fence, ticket: Ticket, call: ProviderCall },
    /// A client sends, or sends again.
    Send(usize),
    /// A client asks its deployment to stop.
    Stop(usize),
    /// A node dies without giving anything back.
    Kill(usize),
    /// A node is stopped, and hands over.
    Drain(usize),
    /// A node starts again.
    Start(usize),
    /// A node stands still.
    Pause(usize, u64),
    /// The database starts again.
    Restart(u64),
}

/// What a node hears.
enum Note {
    Tick,
    Hint,
    /// The database has run a statement, and waits for the next one.
    Next(TxId),
    Wrote(Option<Vec<CommitOutcome>>),
    WriteAgain,
    Asked(Option<TransactionResult>),
    Answer(Fence, Ticket, ProviderReply),
    Fired(Fence, Ticket),
    TakeUp(Box<Claimed>),
    /// A deployment that was taken over has been there for long enough.
    Proven(Fence),
    Accept(usize),
    Cancel(usize),
    CancelDone(usize, RunId, Option<TransactionResult>),
}

/// Whose a transaction is.
#[derive(Clone, Copy)]
struct TransactionOwner {
    node: usize,
    life: u32,
    purpose: Purpose,
    /// Whether its statements are all sent at once.
    pipelined: bool,
    /// How many statements have come.
    statements: u32,
}

#[derive(Clone, Copy)]
enum Purpose {
    Write,
    Ask,
    Cancel(usize, RunId),
}

struct World {
    mutation: Mutation,
    chance: Chance,
    now: u64,
    events: BinaryHeap<Reverse<(u64, u64)>>,
    happens: BTreeMap<u64, Happens>,
    next: u64,
    database: Database,
    down_until: u64,
    links: BTreeMap<TxId, TransactionOwner>,
    history: History,
    nodes: Vec<Process>,
    clients: Vec<Client>,
    runs: BTreeMap<RunId, usize>,
    bodies: BTreeMap<(RunId, SmolStr), Value>,
    asked: BTreeMap<SmolStr, i64>,
    resources: BTreeMap<SmolStr, Value>,
    hints: bool,
    idle: u64,
    next_run: u128,
    /// Whether nothing ends a node but a deployment.
    only_poison: bool,
    /// How often a deployment ended a node since one of its steps had ended, and how many had.
    aborted: BTreeMap<RunId, (u32, u64)>,
    outcome: ClusterStats,
}

/// How long a deployment that was taken over is watched: together with others, and alone.
const TOGETHER: u64 = 10_000;
const ALONE: u64 = 30_000;
/// The numbers of the batches that count starts, behind all others of a lease.
const COUNT: u64 = 0xFFFF_FFFE;
const SURVIVED: u64 = 0xFFFF_FFFD;

impl World {
    fn new(seed: u64, mutation: Mutation) -> World {
        let mut chance = Chance::new(seed ^ 0xc105_7e25);
        let count = 3 + chance.below(3);
        let nodes = (0..count).map(|number| Process::new(&mut chance, number, 0, 0)).collect();
        let clients: Vec<Client> =
            (0..4 + chance.below(8)).map(|number| Client::new(&mut chance, number)).collect();
        let hints = chance.percent(50);
        let idle = IDLE.get(chance.below(IDLE.len())).copied().unwrap_or_default();
        let mut world = World {
            mutation,
            chance,
            now: 0,
            events: BinaryHeap::new(),
            happens: BTreeMap::new(),
            next: 0,
            database: Database::new(mutation),
            down_until: 0,
            links: BTreeMap::new(),
            history: History::default(),
            nodes,
            clients,
            runs: BTreeMap::new(),
            bodies: BTreeMap::new(),
            asked: BTreeMap::new(),
            resources: BTreeMap::new(),
            hints,
            idle,
            next_run: 0,
            only_poison: false,
            aborted: BTreeMap::new(),
            outcome: ClusterStats::default(),
        };
        // Chances of their own, so that other seeds stay what they were.
        let mut poisons = Chance::new(seed ^ 0x0090_1503);
        if poisons.percent(30) {
            world.only_poison = poisons.percent(60);
            let client = poisons.below(world.clients.len());
            if let Some(client) = world.clients.get_mut(client) {
                client.poison(&mut poisons);
            }
        }
        for node in 0..count {
            world.note(node, Note::Tick, 0);
        }
        for client in 0..world.clients.len() {
            let at = world.chance.below(24_000) as u64;
            world.at(at, Happens::Send(client));
        }
        let faults = if world.only_poison { 0 } else { world.chance.below(12) };
        for _ in 0..faults {
            let at = world.chance.below(FAULTS_UNTIL as usize) as u64;
            let node = world.chance.below(count);
            let fault = match world.chance.below(8) {
                0..=2 => Happens::Kill(node),
                3 => Happens::Drain(node),
                4..=6 => Happens::Pause(node, 200 + world.chance.below(12_000) as u64),
                _ => Happens::Restart(100 + world.chance.below(4_000) as u64),
            };
            world.at(at, fault);
        }
        world
    }

    fn at(&mut self, at: u64, happens: Happens) {
        self.next += 1;
        self.events.push(Reverse((at, self.next)));
        self.happens.insert(self.next, happens);
    }

    fn after(&mut self, least: u64, most: usize, happens: Happens) {
        let at = self.now + least + self.chance.below(most + 1) as u64;
        self.at(at, happens);
    }

    /// Tells a node something after a while, if it lives until then.
    fn note(&mut self, node: usize, note: Note, after: u64) {
        let Some(life) = self.nodes.get(node).map(|it| it.life) else { return };
        self.at(self.now + after, Happens::Note(node, life, note));
    }

    fn play(&mut self) -> Result<(), String> {
        while let Some(Reverse((at, number))) = self.events.pop() {
            let Some(happens) = self.happens.remove(&number) else { continue };
            self.now = self.now.max(at);
            self.outcome.events += 1;
            if self.outcome.events > EVENTS || self.now > END {
                return Err(format!("{} deployments do not end", self.database.open()));
            }
            self.happen(happens)?;
            let woken = std::mem::take(&mut self.database.woken);
            for id in woken {
                self.after(0, 1, Happens::Statement(id));
            }
            if self.now > FAULTS_UNTIL
                && self.database.open() == 0
                && self.clients.iter().all(|client| client.is_served)
            {
                return self.check_end();
            }
        }
        Err("nothing happens any more, and not everything has ended".to_owned())
    }

    fn has_faults(&self) -> bool {
        self.now < FAULTS_UNTIL && !self.only_poison
    }

    /// Whether a deployment ends the node that works on it like this.
    fn is_poisoned(&self, run: RunId, poison: Poison) -> bool {
        let client = self.runs.get(&run).and_then(|client| self.clients.get(*client));
        client.is_some_and(|client| client.poison == Some(poison))
    }

    /// A deployment ends its node.
    fn abort(&mut self, node: usize, run: RunId) -> Result<(), String> {
        if !self.nodes.get(node).is_some_and(|it| it.is_alive) {
            return Ok(());
        }
        self.outcome.aborts += 1;
        let steps = self.ended_steps(run);
        let (times, before) = self.aborted.entry(run).or_insert((0, steps));
        if *before < steps {
            (*times, *before) = (0, steps);
        }
        *times += 1;
        // The start in which its last step ended is none without a step.
        if *times > attempts::MOST + u32::from(steps > 0) && self.only_poison {
            return Err(format!("{run:?} ended {times} nodes, and was begun again"));
        }
        self.kill(node);
        Ok(())
    }

    fn happen(&mut self, happens: Happens) -> Result<(), String> {
        match happens {
            Happens::Note(node, life, note) => {
                let Some(process) = self.nodes.get(node) else { return Ok(()) };
                if process.life != life || !process.is_alive {
                    return Ok(());
                }
                if process.paused_until > self.now {
                    let at = process.paused_until + self.chance.below(3) as u64;
                    self.at(at, Happens::Note(node, life, note));
                    return Ok(());
                }
                self.hear(node, note)
            }
            Happens::Statement(id) => self.statement(id),
            Happens::Idle(id, statements) => {
                if self.links.get(&id).is_some_and(|link| link.statements == statements) {
                    self.lose(id);
                }
                Ok(())
            }
            Happens::Call { node, life, fence, ticket, call } => {
                let answer = self.answer(fence, &call);
                let after = self.chance.below(500) as u64;
                self.at(self.now + after, Happens::Note(node, life, Note::Answer(fence, ticket, answer)));
                Ok(())
            }
            Happens::Send(client) => {
                if self.clients.get(client).is_some_and(|it| !it.is_served) {
                    let node = self.any_node();
                    self.note(node, Note::Accept(client), 1);
                    // Without an answer it is sent again, to any node.
                    self.after(4_000, 4_000, Happens::Send(client));
                }
                Ok(())
            }
            Happens::Stop(client) => {
                let node = self.any_node();
                self.note(node, Note::Cancel(client), 1);
                self.after(2_000, 3_000, Happens::Stop(client));
                Ok(())
            }
            Happens::Kill(node) => {
                self.kill(node);
                Ok(())
            }
            Happens::Drain(node) => {
                let at = self.now + self.chance.below(300) as u64;
                self.at(at, Happens::Kill(node));
                if self.nodes.get(node).is_some_and(|it| it.is_alive && it.paused_until <= self.now) {
                    return self.tell(node, node::Event::Drain);
                }
                Ok(())
            }
            Happens::Start(node) => {
                let Some(life) = self.nodes.get(node).map(|it| it.life + 1) else { return Ok(()) };
                let process = Process::new(&mut self.chance, node, life, self.now);
                if let Some(slot) = self.nodes.get_mut(node) {
                    *slot = process;
                }
                self.note(node, Note::Tick, 0);
                Ok(())
            }
            Happens::Pause(node, milliseconds) => {
                if let Some(process) = self.nodes.get_mut(node) {
                    process.paused_until = self.now + milliseconds;
                }
                Ok(())
            }
            Happens::Restart(milliseconds) => {
                self.down_until = self.now + milliseconds;
                for id in self.database.restart() {
                    self.lose(id);
                }
                Ok(())
            }
        }
    }

    fn any_node(&mut self) -> usize {
        self.chance.below(self.nodes.len())
    }

    fn kill(&mut self, node: usize) {
        let Some(process) = self.nodes.get_mut(node).filter(|it| it.is_alive) else { return };
        process.is_alive = false;
        process.runs.clear();
        let life = process.life;
        self.outcome.crashes += 1;
        self.after(100, 6_000, Happens::Start(node));
        let open: Vec<TxId> = self
            .links
            .iter()
            .filter(|(_, link)| link.node == node && link.life == life && !link.pipelined)
            .map(|(id, _)| *id)
            .collect();
        for id in open {
            // Mostly the database learns of it at once. What was sent as a whole goes on.
            if self.chance.percent(70) {
                self.lose(id);
            }
        }
    }

    // The database and the way to it.

    /// Sends work to the database.
    fn send(&mut self, node: usize, purpose: Purpose, work: TransactionKind) {
        let Some(process) = self.nodes.get(node) else { return };
        let (life, name) = (process.life, process.name.clone());
        if self.down_until > self.now {
            let after = 5 + self.chance.below(500) as u64;
            return self
                .silence(TransactionOwner { node, life, purpose, pipelined: true, statements: 0 }, after);
        }
        let id = self.database.begin(&name, work);
        let pipelined = self.chance.percent(75);
        self.links.insert(id, TransactionOwner { node, life, purpose, pipelined, statements: 0 });
        self.after(0, 4, Happens::Statement(id));
    }

    /// Nobody hears what became of a transaction.
    fn silence(&mut self, link: TransactionOwner, after: u64) {
        let note = match link.purpose {
            Purpose::Write => Note::Wrote(None),
            Purpose::Ask => Note::Asked(None),
            Purpose::Cancel(client, run) => Note::CancelDone(client, run, None),
        };
        self.at(self.now + after, Happens::Note(link.node, link.life, note));
    }

    /// Ends a transaction without a trace and without an answer.
    fn lose(&mut self, id: TxId) {
        self.outcome.lost += 1;
        self.database.abort(id);
        let after = self.chance.below(1_000) as u64;
        if let Some(link) = self.links.remove(&id) {
            self.silence(link, after);
        }
    }

    fn statement(&mut self, id: TxId) -> Result<(), String> {
        let Some(link) = self.links.get_mut(&id) else { return Ok(()) };
        link.statements += 1;
        let link = *link;
        if !self.database.is_open(id) {
            return Ok(());
        }
        if self.has_faults() && self.chance.below(100) == 0 {
            self.lose(id);
            return Ok(());
        }
        match self.database.run(id, self.now, &mut self.history)? {
            Ran::Waits => self.at(self.now + self.idle, Happens::Idle(id, link.statements)),
            Ran::Next if link.pipelined => {
                // Disks and networks stall, now and then.
                let most = if self.has_faults() && self.chance.percent(2) { 8_000 } else { 3 };
                self.after(0, most, Happens::Statement(id));
            }
            Ran::Next => {
                let after = self.chance.below(4) as u64;
                self.at(self.now + after, Happens::Note(link.node, link.life, Note::Next(id)));
                self.at(self.now + self.idle, Happens::Idle(id, link.statements));
            }
            Ran::Undone => self.lose(id),
            Ran::Committed(done) => {
                self.links.remove(&id);
                if self.has_faults() && self.chance.below(60) == 0 {
                    self.outcome.lost += 1;
                    let after = self.chance.below(3_000) as u64;
                    self.silence(link, after);
                } else {
                    self.committed(link, done);
                }
            }
        }
        Ok(())
    }

    fn committed(&mut self, link: TransactionOwner, done: TransactionResult) {
        if self.hints && matches!(done, TransactionResult::Released | TransactionResult::Canceled(true)) {
            for node in 0..self.nodes.len() {
                if self.chance.percent(70) {
                    let after = self.chance.below(2_000) as u64;
                    self.note(node, Note::Hint, after);
                }
            }
        }
        let note = match (link.purpose, done) {
            (Purpose::Write, TransactionResult::Committed(outcomes)) => Note::Wrote(Some(outcomes)),
            (Purpose::Cancel(client, run), done) => Note::CancelDone(client, run, Some(done)),
            (Purpose::Ask | Purpose::Write, done) => Note::Asked(Some(done)),
        };
        let after = self.chance.below(4) as u64;
        self.at(self.now + after, Happens::Note(link.node, link.life, note));
    }

    // A node.

    fn hear(&mut self, node: usize, note: Note) -> Result<(), String> {
        match note {
            Note::Tick => {
                if let Some(process) = self.nodes.get_mut(node) {
                    process.tick = None;
                }
                self.tell(node, node::Event::Tick)
            }
            Note::Hint => self.tell(node, node::Event::Hint),
            Note::Next(id) => {
                self.after(0, 3, Happens::Statement(id));
                Ok(())
            }
            Note::Wrote(outcomes) => self.wrote(node, outcomes),
            Note::WriteAgain => {
                self.write(node);
                Ok(())
            }
            Note::Asked(done) => {
                let asking = self.nodes.get_mut(node).and_then(|it| it.asking.take());
                match (asking, done) {
                    (Some(NodeQuestion::Claim), Some(TransactionResult::Claimed(claimed))) => {
                        self.tell(node, node::Event::Claimed(Some(claimed)))?;
                    }
                    (Some(NodeQuestion::Renew), Some(TransactionResult::Renewed(renewed))) => {
                        self.tell(node, node::Event::Renewed(Some(renewed)))?;
                    }
                    (Some(NodeQuestion::Claim), _) => self.tell(node, node::Event::Claimed(None))?,
                    (Some(NodeQuestion::Renew), _) => self.tell(node, node::Event::Renewed(None))?,
                    (Some(NodeQuestion::Nothing) | None, _) => {}
                }
                self.ask(node);
                Ok(())
            }
            Note::Answer(fence, ticket, answer) => {
                self.event(node, fence, Event::Answered { ticket, answer })
            }
            Note::Fired(fence, ticket) => self.event(node, fence, Event::Fired { ticket }),
            Note::TakeUp(claimed) => self.take_up(node, *claimed),
            Note::Proven(fence) => {
                if self.prove(node, fence)? {
                    self.aborted.remove(&fence.run);
                    self.count(node, fence, SURVIVED, StartCount::SURVIVED, CommitOwner::Nobody);
                }
                Ok(())
            }
            Note::Accept(client) => {
                self.accept(node, client);
                Ok(())
            }
            Note::Cancel(client) => {
                self.cancel(node, client);
                Ok(())
            }
            Note::CancelDone(client, run, done) => {
                if let (Some(TransactionResult::Canceled(true)), Some(client)) =
                    (done, self.clients.get_mut(client))
                {
                    client.stopped.push(run);
                }
                Ok(())
            }
        }
    }

    /// Tells the core of a node something, and does what it says.
    fn tell(&mut self, node: usize, event: node::Event) -> Result<(), String> {
        let now = self.now;
        let Some(process) = self.nodes.get_mut(node) else { return Ok(()) };
        let clock = process.clock(now);
        let commands = process.node.handle(event, clock);
        for command in commands {
            match command {
                node::Command::Claim { limit, milliseconds } => {
                    self.question(node, TransactionKind::Claim { limit, milliseconds }, NodeQuestion::Claim);
                }
                node::Command::Renew { leases, milliseconds } => {
                    self.question(node, TransactionKind::Renew { leases, milliseconds }, NodeQuestion::Renew);
                }
                node::Command::Park { lease, milliseconds } => {
                    let leases = vec![lease];
                    self.question(
                        node,
                        TransactionKind::Renew { leases, milliseconds },
                        NodeQuestion::Nothing,
                    );
                }
                node::Command::Release(leases) => {
                    self.question(node, TransactionKind::Release(leases), NodeQuestion::Nothing)
                }
                node::Command::Start(claimed) => {
                    let after = self.chance.below(300) as u64;
                    self.note(node, Note::TakeUp(claimed), after);
                }
                node::Command::Good { fence, .. } => {
                    let run = self.nodes.get_mut(node).and_then(|it| it.runs.get_mut(&fence));
                    let held = run.map(|run| std::mem::take(&mut run.held)).unwrap_or_default();
                    for (ticket, call) in held {
                        self.call(node, fence, ticket, call)?;
                    }
                }
                node::Command::Cancel(fence) => self.event(node, fence, Event::Cancel)?,
                node::Command::Lost(fence) => self.event(node, fence, Event::Fenced)?,
            }
        }
        let Some(process) = self.nodes.get_mut(node) else { return Ok(()) };
        if let Some(wake) = process.node.wake() {
            let at = process.when(wake, now);
            if process.tick.is_none_or(|tick| at < tick) {
                process.tick = Some(at);
                let life = process.life;
                self.at(at, Happens::Note(node, life, Note::Tick));
            }
        }
        Ok(())
    }

    fn question(&mut self, node: usize, work: TransactionKind, question: NodeQuestion) {
        if let Some(process) = self.nodes.get_mut(node) {
            process.questions.push_back((work, question));
        }
        self.ask(node);
    }

    /// Asks the database the next question, one at a time.
    fn ask(&mut self, node: usize) {
        let Some(process) = self.nodes.get_mut(node).filter(|it| it.asking.is_none()) else { return };
        let Some((work, question)) = process.questions.pop_front() else { return };
        process.asking = Some(question);
        self.send(node, Purpose::Ask, work);
    }

    /// Writes the next batches, or the same again.
    fn write(&mut self, node: usize) {
        let most = 1 + self.chance.below(5);
        let Some(process) = self.nodes.get_mut(node) else { return };
        if process.writing.is_none() && !process.journal.is_empty() {
            let count = most.min(process.journal.len());
            process.writing = Some((process.journal.drain(..count).collect(), 0));
        }
        let Some((entries, _)) = &process.writing else { return };
        let batches = entries.iter().map(|entry| entry.commit.clone()).collect();
        self.send(node, Purpose::Write, TransactionKind::Commit(batches));
    }

    fn journal(&mut self, node: usize, entry: PendingBatch) {
        let Some(process) = self.nodes.get_mut(node) else { return };
        process.journal.push_back(entry);
        if process.writing.is_none() {
            self.write(node);
        }
    }

    fn wrote(&mut self, node: usize, outcomes: Option<Vec<CommitOutcome>>) -> Result<(), String> {
        let Some(process) = self.nodes.get_mut(node) else { return Ok(()) };
        let Some((entries, tries)) = process.writing.take() else { return Ok(()) };
        if outcomes.is_none() && tries + 1 < TRIES {
            process.writing = Some((entries, tries + 1));
            self.note(node, Note::WriteAgain, 50 << tries.min(6));
            return Ok(());
        }
        let mut outcomes = outcomes.unwrap_or_default().into_iter();
        for entry in entries {
            // One of them may have ended the node.
            if !self.nodes.get(node).is_some_and(|it| it.is_alive) {
                return Ok(());
            }
            let outcome = outcomes.next().unwrap_or_else(|| CommitOutcome::Unknown(String::new()));
            let has_step = entry.commit.writes.iter().any(|write| matches!(write, Write::Step(_)));
            if let (CommitOwner::Run(fence, _), CommitOutcome::Committed, true) =
                (entry.whose, &outcome, has_step)
            {
                self.prove(node, fence)?;
            }
            match entry.whose {
                CommitOwner::Run(fence, number) => match outcome {
                    CommitOutcome::Committed => self.event(node, fence, Event::Durable { batch: number })?,
                    CommitOutcome::Conflict { .. } => {
                        self.event(node, fence, Event::Conflict { batch: number })?
                    }
                    CommitOutcome::Fenced => self.event(node, fence, Event::Fenced)?,
                    CommitOutcome::Unknown(_) => {
                        if let Some(process) = self.nodes.get_mut(node)
                            && process.runs.remove(&fence).is_some()
                        {
                            self.prove(node, fence)?;
                            self.tell(node, node::Event::GaveUp(fence))?;
                        }
                    }
                },
                CommitOwner::Client { client, run, asked } => {
                    self.accepted(node, client, run, asked, &outcome)?
                }
                CommitOwner::Start(fence) => self.counted(node, fence, &outcome)?,
                CommitOwner::End(fence) => {
                    self.prove(node, fence)?;
                    let event = match outcome {
                        CommitOutcome::Committed => node::Event::Ended(fence),
                        _ => node::Event::GaveUp(fence),
                    };
                    self.tell(node, event)?;
                }
                CommitOwner::Nobody => {}
            }
        }
        self.write_next(node);
        Ok(())
    }

    fn write_next(&mut self, node: usize) {
        if self.nodes.get(node).is_some_and(|it| it.writing.is_none() && !it.journal.is_empty()) {
            self.write(node);
        }
    }

    // Deployments.

    /// A client brings a deployment.
    fn accept(&mut self, node: usize, client: usize) {
        let now = self.now;
        let (Some(process), Some(wanted)) = (self.nodes.get(node), self.clients.get(client)) else { return };
        let (asked, owner, key) = (process.clock(now), process.name.clone(), wanted.key.clone());
        self.next_run += 1;
        let run = RunId(self.next_run);
        self.runs.insert(run, client);
        let order = i64::try_from(asked).unwrap_or(i64::MAX);
        let record = Box::new(DeploymentRecord::new("", "main"));
        let record =
            Record::Deployment { run, root: run, key: key.clone(), status: Status::Active, order, record };
        let mut writes = Vec::new();
        let _ = records::encode(&record, &FakeSeal, &mut writes);
        writes.push(Write::Blob { run, name: records::SECRETS.to_owned(), bytes: b"sealed".to_vec() });
        writes.push(Write::Lease { run, owner, milliseconds: node::LeaseTimings::USUAL.lease });
        let conditions = vec![Condition::NotActive(key)];
        let commit = Commit { id: BatchId { run, number: 0 }, fence: None, conditions, writes };
        self.journal(node, PendingBatch { commit, whose: CommitOwner::Client { client, run, asked } });
        if self.mutation == Mutation::AckBeforeCommit {
            self.acknowledge(client, run);
        }
    }

    fn acknowledge(&mut self, client: usize, run: RunId) {
        // An answer may be lost on its way.
        if self.has_faults() && self.chance.percent(5) {
            return;
        }
        if let Some(client) = self.clients.get_mut(client) {
            client.acknowledged.push(run);
            client.is_served = true;
        }
    }

    fn accepted(
        &mut self,
        node: usize,
        client: usize,
        run: RunId,
        asked: u64,
        outcome: &CommitOutcome,
    ) -> Result<(), String> {
        match outcome {
            CommitOutcome::Committed => {
                self.acknowledge(client, run);
                if self.clients.get(client).is_some_and(|it| it.cancels) {
                    self.after(0, 4_000, Happens::Stop(client));
                }
                let Some(process) = self.nodes.get(node) else { return Ok(()) };
                let lease = node::first_lease(run, process.name.clone());
                self.tell(node, node::Event::Began { lease: lease.clone(), asked })?;
                self.start(node, client, lease.fence, Stored::new(), false)
            }
            CommitOutcome::Conflict { .. } => {
                // An earlier answer was lost: it is under way.
                if let Some(client) = self.clients.get_mut(client) {
                    client.is_served = true;
                }
                if self.clients.get(client).is_some_and(|it| it.cancels) {
                    self.after(0, 4_000, Happens::Stop(client));
                }
                Ok(())
            }
            CommitOutcome::Fenced | CommitOutcome::Unknown(_) => Ok(()),
        }
    }

    /// Takes up a deployment that was claimed, when it is its turn.
    fn take_up(&mut self, node: usize, claimed: Claimed) -> Result<(), String> {
        let (run, fence) = (claimed.lease.run, claimed.lease.fence);
        let is_last = self.kept_count(run).is_last(self.ended_steps(run));
        let is_last = is_last && self.mutation != Mutation::BeginTogether;
        let Some(process) = self.nodes.get_mut(node) else { return Ok(()) };
        if process.node.look(fence).is_some() {
            process.takeovers.waiting.push_back((claimed, is_last));
        }
        self.begin_next(node)
    }

    fn kept_count(&self, run: RunId) -> StartCount {
        let kept = self.database.store.blob(run, ATTEMPTS).ok().flatten();
        StartCount::of(kept.as_deref())
    }

    fn ended_steps(&self, root: RunId) -> u64 {
        let runs = self.database.store.runs(root).unwrap_or_default();
        let steps = runs.iter().map(|run| self.database.store.steps(run.run).map_or(0, |steps| steps.len()));
        steps.sum::<usize>() as u64
    }

    /// Begins what may begin of those that were taken over: their starts are counted first.
    fn begin_next(&mut self, node: usize) -> Result<(), String> {
        while let Some(process) = self.nodes.get_mut(node).filter(|it| it.is_alive) {
            let Some(claimed) = process.takeovers.next() else { return Ok(()) };
            let (run, fence) = (claimed.lease.run, claimed.lease.fence);
            // It may have been lost while it waited.
            if process.node.look(fence).is_none() {
                process.takeovers.end(fence);
                continue;
            }
            let lasts = if process.takeovers.alone == Some(fence) { ALONE } else { TOGETHER };
            process.takeovers.counting.insert(fence, claimed);
            self.note(node, Note::Proven(fence), lasts);
            match self.kept_count(run).next(self.ended_steps(run)) {
                _ if self.mutation == Mutation::SkipCount => {
                    self.counted(node, fence, &CommitOutcome::Committed)?;
                }
                Some(count) => self.count(node, fence, COUNT, count, CommitOwner::Start(fence)),
                None => self.give_up(node, fence)?,
            }
        }
        Ok(())
    }

    /// A deployment has shown that it ends no node, or is gone; whether it had begun alone. Others may begin now.
    fn prove(&mut self, node: usize, fence: Fence) -> Result<bool, String> {
        let Some(process) = self.nodes.get_mut(node) else { return Ok(false) };
        let was_alone = process.takeovers.end(fence);
        self.begin_next(node)?;
        Ok(was_alone)
    }

    fn count(&mut self, node: usize, fence: Fence, number: u64, count: StartCount, whose: CommitOwner) {
        let bytes = count.to_text().into_bytes();
        let write = Write::Blob { run: fence.run, name: ATTEMPTS.to_owned(), bytes };
        let id = BatchId { run: fence.run, number: (fence.number << 32) | number };
        let commit = Commit { id, fence: Some(fence), conditions: Vec::new(), writes: vec![write] };
        self.journal(node, PendingBatch { commit, whose });
    }

    /// The start of a deployment was counted, or not.
    fn counted(&mut self, node: usize, fence: Fence, outcome: &CommitOutcome) -> Result<(), String> {
        let claimed = self.nodes.get_mut(node).and_then(|it| it.takeovers.counting.remove(&fence));
        let Some(claimed) = claimed else { return Ok(()) };
        match outcome {
            CommitOutcome::Committed => self.begin(node, claimed),
            CommitOutcome::Conflict { .. } | CommitOutcome::Fenced | CommitOutcome::Unknown(_) => {
                self.prove(node, fence)?;
                self.tell(node, node::Event::GaveUp(fence))
            }
        }
    }

    /// Ends a deployment that was begun too often, with those inside it.
    fn give_up(&mut self, node: usize, fence: Fence) -> Result<(), String> {
        let client = self.runs.get(&fence.run).and_then(|client| self.clients.get(*client));
        if self.only_poison && client.is_none_or(|client| client.poison.is_none()) {
            return Err(format!("{:?} is given up because of another deployment", fence.run));
        }
        let end = RunEnd::Failed(Failure::new("DeploymentFailed", "it was begun too often"));
        let mut writes = Vec::new();
        for it in self.database.store.runs(fence.run).unwrap_or_default() {
            if it.status != Status::Active {
                continue;
            }
            let steps = self.database.store.steps(it.run).unwrap_or_default();
            let steps = steps.iter().map(|step| step.number).collect();
            let record = Box::new(DeploymentRecord::new("", "main").ended(&end, 0, 0, Vec::new()));
            let (run, root, key, order) = (it.run, it.root, it.key, it.order);
            let ended = Record::Deployment { run, root, key, status: Status::Ended, order, record };
            for record in [&ended, &Record::EraseSecrets { run, steps }] {
                let _ = records::encode(record, &FakeSeal, &mut writes);
            }
        }
        let id = BatchId { run: fence.run, number: fence.number << 32 };
        let commit = Commit { id, fence: Some(fence), conditions: Vec::new(), writes };
        self.journal(node, PendingBatch { commit, whose: CommitOwner::End(fence) });
        Ok(())
    }

    /// Begins a deployment that was taken over.
    fn begin(&mut self, node: usize, claimed: Claimed) -> Result<(), String> {
        let (run, fence) = (claimed.lease.run, claimed.lease.fence);
        let Some(client) = self.runs.get(&run).copied() else { return Ok(()) };
        let stored = records::load(&self.database.store, &FakeSeal, run)
            .map_err(|error| format!("what was kept cannot be read: {error}"))?;
        let canceled = stored.get(&run).is_some_and(|it| it.record.cancel_requested);
        // Between the claim and now it may have been lost, or been asked to stop.
        let Some((_, told)) = self.nodes.get(node).and_then(|it| it.node.look(fence)) else {
            return self.prove(node, fence).map(drop);
        };
        self.start(node, client, fence, stored, canceled || told || claimed.lease.canceled)
    }

    fn start(
        &mut self,
        node: usize,
        client: usize,
        fence: Fence,
        stored: Stored,
        canceled: bool,
    ) -> Result<(), String> {
        let now = self.now;
        if self.is_poisoned(fence.run, Poison::Start) {
            return self.abort(node, fence.run);
        }
        let Some(wanted) = self.clients.get(client) else { return Ok(()) };
        let order = self.database.store.run(fence.run).ok().flatten().map_or(0, |it| it.order);
        let start = Start {
            run: fence.run,
            key: wanted.key.clone(),
            program: Arc::<Plan>::clone(&wanted.plan),
            record: DeploymentRecord::new("", "main"),
            order,
            fence: fence.number,
            stored,
            canceled,
            settings: MachineSettings { parallel: 1 + self.chance.below(6) },
        };
        let Some(process) = self.nodes.get_mut(node) else { return Ok(()) };
        if process.node.look(fence).is_none() {
            return Ok(());
        }
        let clock = i64::try_from(process.clock(now)).unwrap_or(i64::MAX);
        let (machine, commands) = Machine::start(start, clock);
        process.runs.insert(fence, Run { machine, client, held: Vec::new() });
        self.obey(node, fence, commands)
    }

    /// Tells a deployment that runs on a node something.
    fn event(&mut self, node: usize, fence: Fence, event: Event) -> Result<(), String> {
        let now = self.now;
        if matches!(event, Event::Answered { .. }) && self.is_poisoned(fence.run, Poison::Answer) {
            return self.abort(node, fence.run);
        }
        let Some(process) = self.nodes.get_mut(node) else { return Ok(()) };
        let clock = i64::try_from(process.clock(now)).unwrap_or(i64::MAX);
        let Some(run) = process.runs.get_mut(&fence) else { return Ok(()) };
        let commands = run.machine.handle(event, clock);
        self.obey(node, fence, commands)
    }

    fn obey(&mut self, node: usize, fence: Fence, commands: Vec<Command>) -> Result<(), String> {
        for command in commands {
            if !self.nodes.get(node).is_some_and(|it| it.is_alive) {
                return Ok(());
            }
            match command {
                Command::Persist { .. } if self.is_poisoned(fence.run, Poison::Write) => {
                    return self.abort(node, fence.run);
                }
                Command::Call { ticket, call } => self.call(node, fence, ticket, call)?,
                Command::Wait { ticket, milliseconds } => {
                    self.note(node, Note::Fired(fence, ticket), milliseconds);
                }
                Command::Persist { batch, records, begins } => {
                    let mut writes = Vec::new();
                    let mut conditions = Vec::new();
                    for record in &records {
                        if let Record::Deployment { key, .. } = record
                            && begins
                        {
                            conditions.push(Condition::NotActive(key.clone()));
                        }
                        let _ = records::encode(record, &FakeSeal, &mut writes);
                    }
                    let id = BatchId { run: fence.run, number: batch };
                    let commit = Commit { id, fence: Some(fence), conditions, writes };
                    self.journal(node, PendingBatch { commit, whose: CommitOwner::Run(fence, batch) });
                }
                Command::Report(_) => {}
                Command::Stop(_) => {
                    if let Some(process) = self.nodes.get_mut(node) {
                        process.runs.remove(&fence);
                    }
                    self.prove(node, fence)?;
                    self.tell(node, node::Event::Ended(fence))?;
                }
            }
        }
        Ok(())
    }

    /// A node calls a provider, unless its lease may have run out.
    fn call(&mut self, node: usize, fence: Fence, ticket: Ticket, call: ProviderCall) -> Result<(), String> {
        let now = self.now;
        let Some(process) = self.nodes.get_mut(node) else { return Ok(()) };
        let clock = process.clock(now);
        let may_call = process.node.may_call(fence, clock) || self.mutation == Mutation::CallWithoutLease;
        let life = process.life;
        let Some(run) = process.runs.get_mut(&fence) else { return Ok(()) };
        if !may_call {
            run.held.push((ticket, call));
            return Ok(());
        }
        let (client, name) = (run.client, process.name.clone());
        if !self.history.has(&name, fence.run, fence.number) {
            return Err(format!(
                "{name} called a provider for {:?}, which another has taken over",
                fence.run
            ));
        }
        if self.is_poisoned(fence.run, Poison::Call) && self.is_of_last_step(client, &call) {
            return self.abort(node, fence.run);
        }
        self.check_call(client, fence.run, &call)?;
        let most = if self.chance.percent(20) { 4_000 } else { 400 };
        let takes = 1 + self.chance.below(most) as u64;
        self.at(now + takes, Happens::Call { node, life, fence, ticket, call });
        Ok(())
    }

    /// Whether a call puts what the last step of a plan puts, or is no such call of a plan.
    fn is_of_last_step(&self, client: usize, call: &ProviderCall) -> bool {
        let ProviderCall::Put(put) = call else { return false };
        let last = self.clients.get(client).and_then(|client| client.plan.steps.last());
        last.is_some_and(|last| last.id == put.id)
    }

    fn check_call(&mut self, client: usize, run: RunId, call: &ProviderCall) -> Result<(), String> {
        let ProviderCall::Put(put) = call else { return Ok(()) };
        let Some(client) = self.clients.get(client) else { return Ok(()) };
        let before = self.bodies.entry((run, put.id.clone())).or_insert_with(|| put.body.get().clone());
        if before != put.body.get() {
            return Err(format!("`{}` was put again with another body", put.id));
        }
        let Some(step) = client.plan.steps.iter().position(|step| step.id == put.id) else { return Ok(()) };
        let number = u32::try_from(step).unwrap_or(u32::MAX);
        if self.history.confirmed.contains_key(&(run, number)) {
            return Err(format!("step {step} of {run:?} was confirmed, and sent again"));
        }
        let before = client.plan.steps.get(step).into_iter().flat_map(|step| &step.before);
        for before in before {
            if self.history.confirmed.get(&(run, before.number())) != Some(&true) {
                return Err(format!("step {step} of {run:?} began before what it depends on was durable"));
            }
        }
        Ok(())
    }

    /// What a provider says, and what it has afterwards.
    fn answer(&mut self, fence: Fence, call: &ProviderCall) -> ProviderReply {
        let fails = self.chance.below(40);
        let client = self.runs.get(&fence.run).and_then(|client| self.clients.get(*client));
        let is_endless = client.is_some_and(|client| client.is_endless);
        match call {
            ProviderCall::Put(put) if is_endless => {
                self.resources.insert(put.id.clone(), Value::Null);
                ProviderReply::Running { after: 1_000 }
            }
            ProviderCall::Get { id, .. } if is_endless && self.resources.contains_key(id) => {
                ProviderReply::Running { after: 1_000 }
            }
            ProviderCall::Put(_) if fails == 0 => {
                ProviderReply::Failed(Failure::new("Busy", "try again later"))
            }
            ProviderCall::Put(_) if fails == 1 => {
                ProviderReply::Failed(Failure::new("BadRequest", "the body is wrong"))
            }
            ProviderCall::Put(put) => {
                self.resources.insert(put.id.clone(), put.body.get().clone());
                if fails < 6 {
                    return ProviderReply::Running { after: 1_000 };
                }
                let record = ResourceRecord::simulated(&put.body);
                let kept = Record::PutResource { id: put.id.to_string(), record };
                ProviderReply::Done(Response { body: put.body.get().clone(), writes: vec![kept] })
            }
            ProviderCall::Get { .. } if fails == 0 => {
                ProviderReply::Failed(Failure::new("Unavailable", "not now"))
            }
            ProviderCall::Get { id, .. } => match self.resources.get(id) {
                None => ProviderReply::Missing,
                Some(body) => {
                    let seen = self.asked.entry(id.clone()).or_default();
                    *seen += 1;
                    let properties = ProvisioningState::Succeeded.properties();
                    let body =
                        [("seen", Value::Int(*seen)), ("body", body.clone()), ("properties", properties)];
                    ProviderReply::Done(Response { body: Value::object(body), writes: Vec::new() })
                }
            },
            ProviderCall::Delete { .. } | ProviderCall::Action { .. } => {
                ProviderReply::Done(Response::default())
            }
            ProviderCall::List { .. } => {
                ProviderReply::Done(Response { body: Value::array(Vec::new()), writes: Vec::new() })
            }
        }
    }

    /// A client asks its deployment to stop, at any node.
    fn cancel(&mut self, node: usize, client: usize) {
        let Some(wanted) = self.clients.get(client) else { return };
        let found = self.database.store.deployment(&wanted.key).ok().flatten();
        let Some(found) = found.filter(|it| it.status == Status::Active) else { return };
        if !wanted.stopped.contains(&found.run) {
            self.send(node, Purpose::Cancel(client, found.run), TransactionKind::Cancel(found.run));
        }
    }

    fn check_end(&mut self) -> Result<(), String> {
        let all = self.database.store.deployments(None, store::Page::ALL).unwrap_or_default();
        if let Some(open) = all.iter().find(|it| it.status != Status::Ended) {
            return Err(format!("`{}` was left under way", open.key.name()));
        }
        for client in &self.clients {
            for run in &client.acknowledged {
                if !self.history.accepted.contains_key(run) {
                    return Err(format!("{run:?} was acknowledged, and is not there"));
                }
            }
        }
        for (run, record) in &self.history.accepted {
            let Some(record) = record else { return Err(format!("{run:?} has no end")) };
            let Some(client) = self.runs.get(run).and_then(|client| self.clients.get(*client)) else {
                continue;
            };
            let steps = client.plan.steps.len();
            let mut numbers = (0..steps).map(|step| u32::try_from(step).unwrap_or(u32::MAX));
            let is_good = numbers.all(|step| self.history.confirmed.get(&(*run, step)) == Some(&true));
            let state = DeploymentRecord::from_store(record).map(|record| record.state);
            let is_true = match state {
                Ok(ProvisioningState::Succeeded) => is_good,
                Ok(ProvisioningState::Failed) => !is_good || steps > 0,
                Ok(ProvisioningState::Canceled) => self.history.canceled.contains(run),
                Ok(ProvisioningState::Accepted | ProvisioningState::Running) | Err(_) => false,
            };
            let says = |word: ProvisioningState| state.as_ref().is_ok_and(|state| *state == word);
            if !is_true {
                return Err(format!("the record of {run:?} does not say how it ended: {record}"));
            }
            self.outcome.deployments += 1;
            self.outcome.succeeded += usize::from(says(ProvisioningState::Succeeded));
            self.outcome.canceled += usize::from(says(ProvisioningState::Canceled));
        }
        self.outcome.confirmed = self.history.confirmed.len();
        self.outcome.takeovers = self.history.takeovers;
        for deployment in &all {
            let steps = self.database.store.steps(deployment.run).unwrap_or_default();
            let names = steps.iter().map(|step| format!("step/{}", step.number));
            for name in names.chain([records::SECRETS.to_owned()]) {
                if self.database.store.blob(deployment.run, &name).ok().flatten().is_some() {
                    return Err("a secret is kept after the end".to_owned());
                }
            }
        }
        Ok(())
    }
}
