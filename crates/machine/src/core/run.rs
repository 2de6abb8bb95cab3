//! One deployment of a machine: how far each of its steps has come.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::Value;
use smol_str::SmolStr;
use store::{DeploymentKey, RunId};

use super::event::Ticket;
use super::index::{IndexVec, RunIndex, StepIndex};
use super::nested::NestedStep;
use super::program::{Fetched, KnownResults, ProviderQuestion, PutRequest, StepProgram};
use crate::Failure;
use crate::records::{DeploymentRecord, Record, RunEnd, StepEnd};

/// How far a step has come.
#[derive(Debug)]
pub(super) enum StepStatus {
    /// Steps before it have not ended, or a deployment that is called like it.
    Waiting,
    /// It can start as soon as there is room.
    Queued,
    /// It waits for what it needs to know.
    Fetching,
    /// It is being put, read, followed or waited for.
    Working(Box<StepAttempt>),
    /// It is a deployment that runs.
    Deploying,
    /// Its end is on its way to the store.
    Confirming(Box<StepEnd>),
    /// It ended well, and is durable.
    Done,
    /// It ended, or never started.
    Failed,
}

/// A step that is being done.
#[derive(Debug)]
pub(super) struct StepAttempt {
    pub(super) task: Task,
    pub(super) stage: Stage,
    /// Which attempt, from 1.
    pub(super) attempt: u32,
    /// How often it was asked for its state.
    pub(super) polls: u32,
    /// When the attempt began.
    pub(super) began: i64,
    /// When waiting is over.
    pub(super) deadline: Option<i64>,
    /// What is kept when it ends: what the provider wants, or how a deployment ended.
    pub(super) writes: Vec<Record>,
    /// Whether nothing was done, because it was there.
    pub(super) skipped: bool,
    /// What was seen last while it was waited for.
    pub(super) seen: Option<PolledState>,
    /// What it ends with, whatever is seen while it is waited for.
    pub(super) result: Option<Value>,
    /// What was asked last.
    pub(super) ticket: Ticket,
}

/// What was seen of a step that is waited for.
#[derive(Debug)]
pub(super) struct PolledState {
    pub(super) state: Value,
    /// Why that could not be judged.
    pub(super) unclear: Option<String>,
}

#[derive(Debug)]
pub(super) enum Task {
    Put(Arc<PutRequest>),
    Read(super::program::ReadRequest),
    /// A deployment that is looked for, waited for, or run again after a while; see [`Run::inner`].
    Deployment,
}

/// What an answer or a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Is it there already?
    Looking,
    /// The put itself, or the read.
    Asking,
    /// Time before another attempt.
    Resting,
    /// Time before the state is asked for.
    Pausing,
    /// The state, while the provider works on it.
    Following,
    /// Time before it is looked at again.
    Watching,
    /// The state, until it is enough.
    Until,
}

/// Where a run is.
#[derive(Debug, PartialEq)]
pub(super) enum Phase {
    /// Its beginning is on its way to the store.
    Beginning,
    /// Steps are started, done and confirmed.
    Running,
    /// The outputs wait for what they need to know.
    Outputs,
    /// What it does not name is being deleted; the outputs wait.
    Cleaning { outputs: Value, left: BTreeSet<SmolStr> },
    /// Its end is on its way to the store.
    Ending(RunEnd),
    /// It has ended, and its end is durable.
    Ended,
}

pub(super) struct Run {
    pub(super) id: RunId,
    pub(super) key: DeploymentKey,
    /// The run and the step that this is inside of.
    pub(super) within: Option<(RunIndex, StepIndex)>,
    pub(super) program: Arc<dyn StepProgram>,
    pub(super) record: DeploymentRecord,
    pub(super) order: i64,
    pub(super) began: i64,
    pub(super) phase: Phase,
    pub(super) states: IndexVec<StepIndex, StepStatus>,
    /// How many dependencies of a step have not ended.
    pub(super) missing: IndexVec<StepIndex, u32>,
    pub(super) dependents: IndexVec<StepIndex, Vec<StepIndex>>,
    /// How many steps have not ended.
    pub(super) open: usize,
    /// What the steps ended with.
    pub(super) results: IndexVec<StepIndex, Option<Value>>,
    /// The steps whose results hold secrets.
    pub(super) secrets: Vec<u32>,
    pub(super) fetched: BTreeMap<ProviderQuestion, Fetched>,
    /// Who waits for what is being fetched; the outputs are the step after the last.
    pub(super) fetching: BTreeMap<ProviderQuestion, BTreeSet<StepIndex>>,
    /// How many things each of them waits for.
    pub(super) lacking: BTreeMap<StepIndex, usize>,
    pub(super) failures: BTreeMap<StepIndex, Failure>,
    /// The steps that are deployments.
    pub(super) inner: BTreeMap<StepIndex, NestedStep>,
    /// Those of them that have waited for their name and do so no more.
    pub(super) has_waited: BTreeSet<StepIndex>,
    /// The ids of what the deployments inside it left behind.
    pub(super) inner_resources: Vec<SmolStr>,
    pub(super) operations: u32,
}

impl Run {
    pub(super) fn new(
        id: RunId,
        key: DeploymentKey,
        within: Option<(RunIndex, StepIndex)>,
        program: Arc<dyn StepProgram>,
        record: DeploymentRecord,
        now: i64,
    ) -> Run {
        let count = program.steps();
        let mut dependents = IndexVec::<StepIndex, Vec<StepIndex>>::new(vec![Vec::new(); count]);
        let mut missing = IndexVec::new(vec![0; count]);
        for (step, missing) in missing.iter_mut() {
            for before in program.depends_on(step) {
                if let Some(list) = dependents.get_mut(*before) {
                    list.push(step);
                    *missing += 1;
                }
            }
        }
        Run {
            id,
            key,
            within,
            program,
            record,
            order: now,
            began: now,
            phase: Phase::Beginning,
            states: IndexVec::new((0..count).map(|_| StepStatus::Waiting).collect()),
            missing,
            dependents,
            open: count,
            results: IndexVec::new(vec![None; count]),
            secrets: Vec::new(),
            fetched: BTreeMap::new(),
            fetching: BTreeMap::new(),
            lacking: BTreeMap::new(),
            failures: BTreeMap::new(),
            inner: BTreeMap::new(),
            has_waited: BTreeSet::new(),
            inner_resources: Vec::new(),
            operations: 0,
        }
    }

    pub(super) fn live(&self) -> KnownResults<'_> {
        KnownResults { states: self.results.as_slice(), fetched: &self.fetched }
    }

    pub(super) fn set(&mut self, step: StepIndex, state: StepStatus) {
        if let Some(slot) = self.states.get_mut(step) {
            *slot = state;
        }
    }

    pub(super) fn work(&mut self, step: StepIndex) -> Option<&mut StepAttempt> {
        match self.states.get_mut(step) {
            Some(StepStatus::Working(work)) => Some(work),
            _ => None,
        }
    }

    /// The number that the step of the outputs has among those who wait for something.
    pub(super) fn outputs_step(&self) -> StepIndex {
        self.states.next_index()
    }
}
