//! A store in memory, for tests and simulations. Its clock stands still until it is moved.

mod backup;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use value::Caseless;

use crate::commit::{BatchId, Commit, CommitOutcome, Condition, REMEMBERED, Write};
use crate::lease::{Claim, Claimed, Fence, Lease};
use crate::record::{
    Deployment, DeploymentKey, Operation, Page, Resource, ResourceId, RunId, ScopeUsage, Status, StepRecord,
};
use crate::{Result, Store};

/// State that ends with the process.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    now: i64,
    deployments: BTreeMap<DeploymentKey, Deployment>,
    runs: BTreeMap<RunId, DeploymentKey>,
    leases: BTreeMap<RunId, LeaseRow>,
    batches: BTreeSet<BatchId>,
    /// Runs that were forgotten, and those of them in the order of time.
    forgotten: BTreeSet<RunId>,
    forgotten_at: VecDeque<(i64, RunId)>,
    steps: BTreeMap<(RunId, u32), StepRecord>,
    operations: BTreeMap<(RunId, u32), Operation>,
    blobs: BTreeMap<(RunId, String), Vec<u8>>,
    resources: BTreeMap<ResourceId, Resource>,
}

#[derive(Debug)]
struct LeaseRow {
    owner: Option<String>,
    fence: u64,
    until: i64,
    canceled: bool,
}

impl MemoryStore {
    /// An empty store, whose clock begins at zero and moves only with [`MemoryStore::advance`].
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// Moves the clock on by so many milliseconds, so that leases run out without waiting.
    pub fn advance(&self, milliseconds: i64) {
        let mut state = self.state();
        state.now = state.now.saturating_add(milliseconds);
    }

    /// What a panic in another thread left is whole: every change is made under one lock.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn is_instant(&self) -> bool {
        true
    }

    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        let mut state = self.state();
        batches.iter().map(|batch| state.commit(batch)).collect()
    }

    fn claim(&self, run: RunId, owner: &str, milliseconds: u64) -> Result<Claim> {
        let mut state = self.state();
        if state.of_run(run).is_none_or(|deployment| deployment.status != Status::Active) {
            return Ok(Claim::Gone);
        }
        let now = state.now;
        if let Some(held) = state.leases.get(&run).filter(|held| held.until > now)
            && let Some(other) = &held.owner
        {
            return Ok(Claim::Taken { owner: other.clone(), remaining: held.until.abs_diff(now) });
        }
        Ok(Claim::Granted(state.take(run, owner, milliseconds)))
    }

    fn claim_abandoned(&self, owner: &str, milliseconds: u64, limit: usize) -> Result<Vec<Claimed>> {
        let mut state = self.state();
        let found = state.abandoned(limit);
        let mut claim = |deployment: Deployment| {
            let lease = state.take(deployment.run, owner, milliseconds);
            Claimed { deployment, lease }
        };
        Ok(found.into_iter().map(&mut claim).collect())
    }

    fn renew(&self, leases: &[Lease], milliseconds: u64) -> Result<Vec<Option<Lease>>> {
        let mut state = self.state();
        let until = deadline_after(state.now, milliseconds);
        let mut renew = |lease: &Lease| {
            let held = state.leases.get_mut(&lease.run).filter(|held| held.is(lease))?;
            held.until = until;
            Some(Lease { until, canceled: held.canceled, ..lease.clone() })
        };
        Ok(leases.iter().map(&mut renew).collect())
    }

    fn release(&self, leases: &[Lease]) -> Result<()> {
        let mut state = self.state();
        for lease in leases {
            if let Some(held) = state.leases.get_mut(&lease.run).filter(|held| held.is(lease)) {
                held.owner = None;
            }
        }
        Ok(())
    }

    fn cancel(&self, run: RunId) -> Result<bool> {
        let mut state = self.state();
        let is_open = |it: &Deployment| it.status == Status::Active && it.run == it.root;
        if !state.of_run(run).is_some_and(is_open) {
            return Ok(false);
        }
        let until = state.now;
        state
            .leases
            .entry(run)
            .or_insert(LeaseRow { owner: None, fence: 0, until, canceled: true })
            .canceled = true;
        Ok(true)
    }

    fn abandoned(&self, limit: usize) -> Result<Vec<Deployment>> {
        Ok(self.state().abandoned(limit))
    }

    fn are_over(&self, runs: &[RunId]) -> Result<Vec<bool>> {
        let state = self.state();
        let is_over = |run: &RunId| state.of_run(*run).is_none_or(|it| it.status == Status::Ended);
        Ok(runs.iter().map(is_over).collect())
    }

    fn deployment(&self, key: &DeploymentKey) -> Result<Option<Deployment>> {
        Ok(self.state().deployments.get(key).cloned())
    }

    fn run(&self, run: RunId) -> Result<Option<Deployment>> {
        Ok(self.state().of_run(run).cloned())
    }

    fn runs(&self, root: RunId) -> Result<Vec<Deployment>> {
        let state = self.state();
        let mut found: Vec<Deployment> =
            state.deployments.values().filter(|it| it.root == root).cloned().collect();
        found.sort_by_key(|deployment| deployment.order);
        Ok(found)
    }

    fn deployments(&self, scope: Option<&str>, page: Page) -> Result<Vec<Deployment>> {
        let scope = scope.map(Caseless::caseless);
        let state = self.state();
        let all = state.deployments.values();
        let mut found: Vec<&Deployment> =
            all.filter(|it| scope.as_deref().is_none_or(|scope| it.key.scope() == scope)).collect();
        found.sort_by_key(|deployment| std::cmp::Reverse((deployment.order, deployment.run)));
        Ok(found.into_iter().skip(page.skip).take(page.take).cloned().collect())
    }

    fn steps(&self, run: RunId) -> Result<Vec<StepRecord>> {
        let state = self.state();
        Ok(state.steps.range((run, 0)..=(run, u32::MAX)).map(|(_, step)| step.clone()).collect())
    }

    fn operations(&self, run: RunId, page: Page) -> Result<Vec<Operation>> {
        let state = self.state();
        let all = state.operations.range((run, 0)..=(run, u32::MAX)).map(|(_, operation)| operation);
        Ok(all.skip(page.skip).take(page.take).cloned().collect())
    }

    fn blob(&self, run: RunId, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.state().blobs.get(&(run, name.to_owned())).cloned())
    }

    fn replace_blob(&self, run: RunId, name: &str, was: &[u8], bytes: &[u8]) -> Result<bool> {
        let mut state = self.state();
        let kept = state.blobs.get_mut(&(run, name.to_owned())).filter(|kept| **kept == was);
        Ok(kept.map(|kept| bytes.clone_into(kept)).is_some())
    }

    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>> {
        Ok(self.state().resources.get(id).cloned())
    }

    fn resources(&self, below: &str, page: Page) -> Result<Vec<Resource>> {
        let below = ResourceId::new(below);
        let state = self.state();
        let from = (Bound::Included(&below), Bound::Unbounded);
        let all = state.resources.range::<ResourceId, _>(from);
        let all = all.take_while(|(id, _)| id.as_str().starts_with(below.as_str()));
        Ok(all.skip(page.skip).take(page.take).map(|(_, resource)| resource.clone()).collect())
    }

    fn usage(&self, scope: &str) -> Result<ScopeUsage> {
        let mut usage = ScopeUsage::default();
        let key = DeploymentKey::new(scope, "");
        for resource in self.resources(&format!("{scope}/"), Page::ALL)? {
            usage.resources += 1;
            usage.bytes += resource.body.len() as u64;
        }
        let state = self.state();
        let of_scope = state.deployments.range(&key..).take_while(|(at, _)| at.scope() == key.scope());
        for deployment in of_scope.map(|(_, deployment)| deployment) {
            let run = deployment.run;
            usage.active += u64::from(deployment.status == Status::Active);
            usage.bytes += deployment.body.len() as u64;
            let steps = state.steps.range((run, 0)..=(run, u32::MAX)).map(|(_, it)| it.body.len());
            let operations = state.operations.range((run, 0)..=(run, u32::MAX)).map(|(_, it)| it.body.len());
            let blobs = state.blobs.range((run, String::new())..).take_while(|((of, _), _)| *of == run);
            let parts = steps.chain(operations).chain(blobs.map(|(_, bytes)| bytes.len()));
            usage.bytes += parts.sum::<usize>() as u64;
        }
        Ok(usage)
    }

    fn resources_after(&self, below: &str, after: &ResourceId, take: usize) -> Result<Vec<Resource>> {
        let below = ResourceId::new(below);
        let state = self.state();
        let from = if *after < below { Bound::Included(&below) } else { Bound::Excluded(after) };
        let all = state.resources.range::<ResourceId, _>((from, Bound::Unbounded));
        let all = all.take_while(|(id, _)| id.as_str().starts_with(below.as_str()));
        Ok(all.take(take).map(|(_, resource)| resource.clone()).collect())
    }
}

impl LeaseRow {
    fn is(&self, lease: &Lease) -> bool {
        self.owner.is_some() && self.fence == lease.fence.number
    }
}

impl State {
    fn of_run(&self, run: RunId) -> Option<&Deployment> {
        self.runs.get(&run).and_then(|key| self.deployments.get(key))
    }

    fn abandoned(&self, limit: usize) -> Vec<Deployment> {
        let free = |deployment: &&Deployment| {
            let held = self.leases.get(&deployment.root);
            deployment.status == Status::Active
                && deployment.run == deployment.root
                && held.is_none_or(|held| held.owner.is_none() || held.until <= self.now)
        };
        let mut found: Vec<Deployment> = self.deployments.values().filter(free).cloned().collect();
        found.sort_by_key(|deployment| deployment.order);
        found.truncate(limit);
        found
    }

    /// Gives a lease to an owner, under the next fence.
    fn take(&mut self, run: RunId, owner: &str, milliseconds: u64) -> Lease {
        let until = deadline_after(self.now, milliseconds);
        let held =
            self.leases.entry(run).or_insert(LeaseRow { owner: None, fence: 0, until, canceled: false });
        *held = LeaseRow { owner: Some(owner.to_owned()), fence: held.fence + 1, until, ..*held };
        let fence = Fence { run, number: held.fence };
        Lease { run, owner: owner.to_owned(), fence, until, canceled: held.canceled }
    }

    fn commit(&mut self, batch: &Commit) -> CommitOutcome {
        if self.batches.contains(&batch.id) {
            return CommitOutcome::Committed;
        }
        if let Some(fence) = batch.fence {
            let held = self.leases.get(&fence.run);
            if held.is_none_or(|held| held.owner.is_none() || held.fence != fence.number) {
                return CommitOutcome::Fenced;
            }
        } else if self.forgotten.contains(&batch.id.run) {
            return CommitOutcome::Fenced;
        }
        if let Some(condition) = batch.conditions.iter().position(|condition| !self.holds(condition)) {
            return CommitOutcome::Conflict { condition };
        }
        for write in &batch.writes {
            self.write(write);
        }
        self.batches.insert(batch.id);
        CommitOutcome::Committed
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::NotActive(key) => {
                self.deployments.get(key).is_none_or(|deployment| deployment.status != Status::Active)
            }
            Condition::Current(key, run) => {
                self.deployments.get(key).is_some_and(|deployment| deployment.run == *run)
            }
            Condition::ResourceVersion(id, version) => {
                self.resources.get(id).map(|resource| resource.version) == *version
            }
            Condition::Present(id) => self.resources.contains_key(id),
            Condition::NoResource(like) => {
                let behind = self.resources.range(like.below().clone()..).map(|(id, _)| id);
                let mut below = behind.take_while(|id| id.as_str().starts_with(like.below().as_str()));
                !below.any(|id| like.is(id))
            }
        }
    }

    fn write(&mut self, write: &Write) {
        match write {
            Write::Deployment(deployment) => {
                if let Some(old) = self.deployments.get(&deployment.key).map(|old| old.run)
                    && old != deployment.run
                {
                    self.forget(old);
                }
                self.runs.insert(deployment.run, deployment.key.clone());
                self.deployments.insert(deployment.key.clone(), deployment.clone());
            }
            Write::DeleteDeployment(key) => {
                if let Some(old) = self.deployments.remove(key) {
                    self.forget(old.run);
                }
            }
            Write::Lease { run, owner, milliseconds } => {
                let until = deadline_after(self.now, *milliseconds);
                self.leases
                    .insert(*run, LeaseRow { owner: Some(owner.clone()), fence: 1, until, canceled: false });
            }
            Write::Step(step) => {
                self.steps.insert((step.run, step.number), step.clone());
            }
            Write::Operation(operation) => {
                self.operations.insert((operation.run, operation.number), operation.clone());
            }
            Write::Blob { run, name, bytes } => {
                self.blobs.insert((*run, name.clone()), bytes.clone());
            }
            Write::DeleteBlob { run, name } => {
                self.blobs.remove(&(*run, name.clone()));
            }
            Write::Resource(resource) => {
                let id = ResourceId::new(&resource.id);
                let version = self.resources.get(&id).map_or(0, |old| old.version) + 1;
                self.resources.insert(id, Resource { version, ..resource.clone() });
            }
            Write::DeleteResource(id) => {
                self.resources.remove(id);
            }
        }
    }

    fn forget(&mut self, run: RunId) {
        self.runs.remove(&run);
        self.leases.remove(&run);
        self.batches.retain(|batch| batch.run != run);
        self.steps.retain(|(of, _), _| *of != run);
        self.operations.retain(|(of, _), _| *of != run);
        self.blobs.retain(|(of, _), _| *of != run);
        while let Some((_, old)) = self.forgotten_at.pop_front_if(|(at, _)| *at < self.now - REMEMBERED) {
            self.forgotten.remove(&old);
        }
        self.forgotten.insert(run);
        self.forgotten_at.push_back((self.now, run));
    }
}

fn deadline_after(now: i64, milliseconds: u64) -> i64 {
    now.saturating_add_unsigned(milliseconds)
}
