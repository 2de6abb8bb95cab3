//! A node's process: what dies with it.

use std::collections::{BTreeMap, VecDeque};

use store::{Commit, Fence, RunId};

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
