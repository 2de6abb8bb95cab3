//! A group of batches: what it has to know, what becomes of each batch, and what all of them change together.
//!
//! What the batches depend on is read under locks, so it holds until the transaction ends. Then each batch is decided in its turn,
//! on what those before it leave, and what remains in the end is written once for each row.
//!
//! A row that is not there cannot be locked. Each one that a batch asked for is therefore inserted: for good if the group writes it, and
//! otherwise to be deleted again in the same transaction. Another node that inserts the same row waits, or makes the insertion fail; then the
//! whole group is decided again.

use std::collections::{BTreeMap, BTreeSet};

use crate::commit::{BatchId, Commit, CommitOutcome, Condition, Like, Write};
use crate::record::{Deployment, DeploymentKey, Operation, Resource, ResourceId, RunId, Status, StepRecord};

/// What has to be known to decide on batches.
#[derive(Debug, Default)]
pub(super) struct ReadSet {
    pub(super) deployments: BTreeSet<DeploymentKey>,
    pub(super) leases: BTreeSet<RunId>,
    pub(super) resources: BTreeSet<ResourceId>,
    /// Resources that only have to be there.
    pub(super) present: BTreeSet<ResourceId>,
    pub(super) batches: BTreeSet<BatchId>,
    /// The runs of batches without a fence.
    pub(super) begun: BTreeSet<RunId>,
    /// Resources of which there must be none.
    pub(super) likes: BTreeSet<Like>,
}

impl ReadSet {
    pub(super) fn by(batches: &[Commit]) -> ReadSet {
        let mut wanted = ReadSet::default();
        for batch in batches {
            wanted.batches.insert(batch.id);
            match batch.fence {
                Some(fence) => wanted.leases.insert(fence.run),
                None => wanted.begun.insert(batch.id.run),
            };
            wanted.rows_of(batch);
        }
        wanted
    }

    fn rows_of(&mut self, batch: &Commit) {
        for condition in &batch.conditions {
            match condition {
                Condition::NotActive(key) | Condition::Current(key, _) => {
                    self.deployments.insert(key.clone());
                }
                Condition::ResourceVersion(id, _) => {
                    self.resources.insert(id.clone());
                }
                Condition::Present(id) => {
                    self.present.insert(id.clone());
                }
                Condition::NoResource(like) => {
                    self.likes.insert(like.clone());
                }
            }
        }
        for write in &batch.writes {
            match write {
                Write::Deployment(deployment) => {
                    self.deployments.insert(deployment.key.clone());
                }
                Write::DeleteDeployment(key) => {
                    self.deployments.insert(key.clone());
                }
                Write::Resource(resource) => {
                    self.resources.insert(ResourceId::new(&resource.id));
                }
                Write::DeleteResource(id) => {
                    self.resources.insert(id.clone());
                }
                Write::Lease { .. }
                | Write::Step(_)
                | Write::Operation(_)
                | Write::Blob { .. }
                | Write::DeleteBlob { .. } => {}
            }
        }
    }
}

/// What there is of it.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadSnapshot {
    /// The run of a deployment, and whether it is active.
    pub(super) deployments: BTreeMap<DeploymentKey, (RunId, bool)>,
    /// The fence of a lease that somebody has.
    pub(super) leases: BTreeMap<RunId, u64>,
    /// The version of a resource.
    pub(super) resources: BTreeMap<ResourceId, u64>,
    /// Batches that were written before.
    pub(super) batches: BTreeSet<BatchId>,
    /// Runs that were forgotten.
    pub(super) forgotten: BTreeSet<RunId>,
    /// What there are resources like.
    pub(super) likes: BTreeSet<Like>,
}

/// What a group changes: at most one change for each row.
#[derive(Debug, Default)]
pub(super) struct Changes<'b> {
    /// Runs of which everything goes, before anything is written.
    pub(super) forget: BTreeSet<RunId>,
    pub(super) deployments: BTreeMap<&'b DeploymentKey, Option<&'b Deployment>>,
    pub(super) leases: BTreeMap<RunId, (&'b str, u64)>,
    pub(super) steps: BTreeMap<(RunId, u32), &'b StepRecord>,
    pub(super) operations: BTreeMap<(RunId, u32), &'b Operation>,
    pub(super) blobs: BTreeMap<(RunId, &'b str), Option<&'b [u8]>>,
    pub(super) resources: BTreeMap<ResourceId, Option<(u64, &'b Resource)>>,
    pub(super) batches: BTreeSet<BatchId>,
    /// Rows that batches were decided by, for which those that are not there have to be kept away.
    pub(super) asked: ReadSet,
}

/// Decides on batches, each on what those before it leave.
pub(super) fn decide(seen: ReadSnapshot, batches: &[Commit]) -> (Vec<CommitOutcome>, Changes<'_>) {
    let mut group = Group { now: seen, changes: Changes::default() };
    let outcomes = batches.iter().map(|batch| group.decide(batch)).collect();
    (outcomes, group.changes)
}

struct Group<'b> {
    now: ReadSnapshot,
    changes: Changes<'b>,
}

impl<'b> Group<'b> {
    fn decide(&mut self, batch: &'b Commit) -> CommitOutcome {
        if self.now.batches.contains(&batch.id) {
            return CommitOutcome::Committed;
        }
        let is_refused = match batch.fence {
            Some(fence) => self.now.leases.get(&fence.run) != Some(&fence.number),
            None => self.now.forgotten.contains(&batch.id.run),
        };
        if is_refused {
            return CommitOutcome::Fenced;
        }
        self.changes.asked.rows_of(batch);
        // One that is missing has to stay missing until the group is written, as any row that a batch was decided by.
        let asked = &mut self.changes.asked;
        asked
            .resources
            .extend(asked.present.iter().filter(|id| !self.now.resources.contains_key(*id)).cloned());
        if let Some(condition) = batch.conditions.iter().position(|condition| !self.holds(condition)) {
            return CommitOutcome::Conflict { condition };
        }
        for write in &batch.writes {
            self.write(write);
        }
        self.now.batches.insert(batch.id);
        self.changes.batches.insert(batch.id);
        CommitOutcome::Committed
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::NotActive(key) => self.now.deployments.get(key).is_none_or(|(_, active)| !active),
            Condition::Current(key, run) => {
                self.now.deployments.get(key).is_some_and(|(kept, _)| kept == run)
            }
            Condition::ResourceVersion(id, version) => self.now.resources.get(id).copied() == *version,
            Condition::Present(id) => self.now.resources.contains_key(id),
            // One that a batch before this one deletes counts as well: who asked looks again.
            Condition::NoResource(like) => {
                !self.now.likes.contains(like) && !self.now.resources.keys().any(|id| like.is(id))
            }
        }
    }

    fn write(&mut self, write: &'b Write) {
        match write {
            Write::Deployment(deployment) => {
                let kept = (deployment.run, deployment.status == Status::Active);
                if let Some((old, _)) = self.now.deployments.insert(deployment.key.clone(), kept)
                    && old != deployment.run
                {
                    self.forget(old);
                }
                self.changes.deployments.insert(&deployment.key, Some(deployment));
            }
            Write::DeleteDeployment(key) => {
                if let Some((old, _)) = self.now.deployments.remove(key) {
                    self.forget(old);
                }
                self.changes.deployments.insert(key, None);
            }
            Write::Lease { run, owner, milliseconds } => {
                self.now.leases.insert(*run, 1);
                self.changes.leases.insert(*run, (owner, *milliseconds));
            }
            Write::Step(step) => {
                self.changes.steps.insert((step.run, step.number), step);
            }
            Write::Operation(operation) => {
                self.changes.operations.insert((operation.run, operation.number), operation);
            }
            Write::Blob { run, name, bytes } => {
                self.changes.blobs.insert((*run, name), Some(bytes));
            }
            Write::DeleteBlob { run, name } => {
                self.changes.blobs.insert((*run, name), None);
            }
            Write::Resource(resource) => {
                let id = ResourceId::new(&resource.id);
                let version = self.now.resources.get(&id).map_or(0, |version| *version) + 1;
                self.now.resources.insert(id.clone(), version);
                self.changes.resources.insert(id, Some((version, resource)));
            }
            Write::DeleteResource(id) => {
                self.now.resources.remove(id);
                self.changes.resources.insert(id.clone(), None);
            }
        }
    }

    /// Forgets a run, with what batches of this group wrote for it.
    fn forget(&mut self, run: RunId) {
        let changes = &mut self.changes;
        changes.forget.insert(run);
        changes.leases.remove(&run);
        remove(&mut changes.steps, (run, 0), |(of, _)| *of == run);
        remove(&mut changes.operations, (run, 0), |(of, _)| *of == run);
        remove(&mut changes.blobs, (run, ""), |(of, _)| *of == run);
        for batches in [&mut changes.batches, &mut self.now.batches] {
            let from = BatchId { run, number: 0 };
            let gone: Vec<BatchId> = batches.range(from..).take_while(|id| id.run == run).copied().collect();
            for id in gone {
                batches.remove(&id);
            }
        }
        self.now.leases.remove(&run);
        self.now.forgotten.insert(run);
    }
}

/// Removes the rows from a key on that belong together.
fn remove<K: Ord + Copy, V>(rows: &mut BTreeMap<K, V>, from: K, is_of: impl Fn(&K) -> bool) {
    let gone: Vec<K> = rows.range(from..).map(|(key, _)| *key).take_while(is_of).collect();
    for key in gone {
        rows.remove(&key);
    }
}
