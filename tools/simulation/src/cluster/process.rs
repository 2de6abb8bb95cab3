//! A node's process: what dies with it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use store::{Claimed, Commit, Fence, RunId};

use super::database::TransactionKind;
use crate::chance::Chance;
use machine::core::{Machine, ProviderCall, Ticket};
use machine::node::{LeaseTimings, NodeCore};

/// How many times longer or shorter a second is on a node, in thousandths.
const DRIFT: usize = 20;

/// A batch on its way to the database, and whose it is.
#[derive(Clone)]
pub(super) struct PendingBatch {
    pub(super) commit: Commit,
    pub(super) whose: CommitOwner,
}

#[derive(Clone, Copy)]
pub(super) enum CommitOwner {
    /// A deployment that runs.
    Run(Fence, u64),
    /// A client that waits, and when the lease was asked for.
    Client { client: usize, run: RunId, asked: u64 },
    /// A deployment that begins once its start is counted.
    Start(Fence),
    /// A deployment that was begun too often, and ends.
    End(Fence),
    /// Nobody waits for it.
    Nobody,
}

/// A deployment that runs.
pub(super) struct Run {
    pub(super) machine: Machine,
    pub(super) client: usize,
    /// Calls that wait for the lease to be renewed.
    pub(super) held: Vec<(Ticket, ProviderCall)>,
}

/// What a node wants to hear of what it asks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeQuestion {
    Claim,
    Renew,
    /// It does not wait for the answer.
    Nothing,
}

pub(super) struct Process {
    /// Which node, and which of its lives.
    pub(super) name: String,
    pub(super) life: u32,
    pub(super) is_alive: bool,
    pub(super) paused_until: u64,
    /// What its clock shows at the beginning, and how fast it runs, in thousandths.
    offset: u64,
    speed: u64,
    pub(super) node: NodeCore,
    pub(super) runs: BTreeMap<Fence, Run>,
    pub(super) journal: VecDeque<PendingBatch>,
    /// What is being written, and how often that was tried.
    pub(super) writing: Option<(Vec<PendingBatch>, u32)>,
    /// What the node wants to ask the database.
    pub(super) questions: VecDeque<(TransactionKind, NodeQuestion)>,
    /// What it has asked and has no answer to.
    pub(super) asking: Option<NodeQuestion>,
    /// When the next tick comes.
    pub(super) tick: Option<u64>,
    /// Who of those that were taken over begins when.
    pub(super) takeovers: Takeovers,
}

/// Deployments of nodes that died, as the engine keeps them apart: those that begin together, one that begins alone, and those that wait.
#[derive(Default)]
pub(super) struct Takeovers {
    pub(super) together: BTreeSet<Fence>,
    pub(super) alone: Option<Fence>,
    /// In their order, and whether the next start is the last one.
    pub(super) waiting: VecDeque<(Claimed, bool)>,
    /// What begins once its start is counted.
    pub(super) counting: BTreeMap<Fence, Claimed>,
}

impl Takeovers {
    /// The next that may begin.
    pub(super) fn next(&mut self) -> Option<Claimed> {
        let (_, is_last) = self.waiting.front()?;
        if self.alone.is_some() || (*is_last && !self.together.is_empty()) {
            return None;
        }
        let (claimed, is_last) = self.waiting.pop_front()?;
        if is_last {
            self.alone = Some(claimed.lease.fence);
        } else {
            self.together.insert(claimed.lease.fence);
        }
        Some(claimed)
    }

    /// A deployment has shown that it ends no node, or is gone; whether it had begun alone.
    pub(super) fn end(&mut self, fence: Fence) -> bool {
        self.together.remove(&fence);
        self.counting.remove(&fence);
        let was_alone = self.alone == Some(fence);
        if was_alone {
            self.alone = None;
        }
        was_alone
    }
}

impl Process {
    pub(super) fn new(chance: &mut Chance, number: usize, life: u32, now: u64) -> Process {
        let offset = chance.below(1_200_000) as u64;
        let speed = 1_000 - (DRIFT as u64) + chance.below(2 * DRIFT + 1) as u64;
        let clock = offset + now * speed / 1_000;
        Process {
            name: format!("node {number}.{life}"),
            life,
            is_alive: true,
            paused_until: 0,
            offset,
            speed,
            node: NodeCore::new(LeaseTimings::USUAL, chance.next(), clock).claiming(),
            runs: BTreeMap::new(),
            journal: VecDeque::new(),
            writing: None,
            questions: VecDeque::new(),
            asking: None,
            tick: None,
            takeovers: Takeovers::default(),
        }
    }

    /// What its clock shows.
    pub(super) fn clock(&self, now: u64) -> u64 {
        self.offset + now * self.speed / 1_000
    }

    /// When its clock will show something.
    pub(super) fn when(&self, clock: u64, now: u64) -> u64 {
        now + clock.saturating_sub(self.clock(now)) * 1_000 / self.speed + 1
    }
}
