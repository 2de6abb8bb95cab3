//! A database as several nodes see it: transactions that interleave statement by statement, with row locks, conflicts, and commits
//! of which nobody hears.
//!
//! Isolation is READ COMMITTED. A statement sees what was committed when it runs; a row that it locks stays as it is until the
//! transaction ends; who wants a row that another has locked waits, or skips it; a row that is not there cannot be locked, and
//! inserting one that another has inserted since fails. Nothing of a transaction is seen before its commit.

use std::collections::{BTreeMap, BTreeSet};

use store::{
    BatchId, Claimed, Commit, CommitOutcome, Condition, DeploymentKey, Fence, Lease, MemoryStore, ResourceId,
    RunId, Status, Store as _, Write,
};

use super::Mutation;
use super::history::History;

/// The name of a transaction.
pub(super) type TxId = u64;

/// What a transaction is for.
#[derive(Clone, Debug)]
pub(super) enum TransactionKind {
    /// Batches of deployments, which have an answer each.
    Commit(Vec<Commit>),
    /// Deployments that nobody works on.
    Claim { limit: usize, milliseconds: u64 },
    /// More time for leases.
    Renew { leases: Vec<Lease>, milliseconds: u64 },
    /// Leases that are given back.
    Release(Vec<Lease>),
    /// A wish to stop.
    Cancel(RunId),
}

/// What a transaction answered.
#[derive(Clone, Debug)]
pub(super) enum TransactionResult {
    Committed(Vec<CommitOutcome>),
    Claimed(Vec<Claimed>),
    Renewed(Vec<Option<Lease>>),
    Released,
    Canceled(bool),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LockedRow {
    Key(DeploymentKey),
    Lease(RunId),
    Resource(ResourceId),
    Batch(BatchId),
}

/// A row of the leases.
#[derive(Clone, Debug)]
struct LeaseRow {
    owner: Option<String>,
    fence: u64,
    until: u64,
    canceled: bool,
}

/// What a transaction has changed and nobody else sees yet.
#[derive(Debug)]
enum PendingWrite {
    Batch(Box<Commit>),
    Lease(RunId, LeaseRow),
}

struct Tx {
    owner: String,
    work: TransactionKind,
    locks: BTreeSet<LockedRow>,
    /// Rows that were not there when they were looked at.
    absent: BTreeSet<LockedRow>,
    changes: Vec<PendingWrite>,
    done: Option<TransactionResult>,
    /// Whether what it depends on was locked and read.
    looked: bool,
}

/// What became of a statement.
#[derive(Debug)]
pub(super) enum Ran {
    /// It waits for a row that another has locked.
    Waits,
    /// It is done; the next one can come.
    Next,
    /// The transaction is committed.
    Committed(TransactionResult),
    /// The transaction came in the way of another and was undone.
    Undone,
}

pub(super) struct Database {
    /// What is committed, except for leases.
    pub(super) store: MemoryStore,
    leases: BTreeMap<RunId, LeaseRow>,
    /// The outermost runs that are active, in the order in which they were accepted.
    active: BTreeMap<(i64, RunId), DeploymentKey>,
    batches: BTreeSet<BatchId>,
    txs: BTreeMap<TxId, Tx>,
    next: TxId,
    locks: BTreeMap<LockedRow, TxId>,
    waiting: BTreeMap<TxId, LockedRow>,
    /// Transactions that can go on, because what they waited for is free.
    pub(super) woken: Vec<TxId>,
    mutation: Mutation,
}

impl Database {
    pub(super) fn new(mutation: Mutation) -> Database {
        Database {
            store: MemoryStore::new(),
            leases: BTreeMap::new(),
            active: BTreeMap::new(),
            batches: BTreeSet::new(),
            txs: BTreeMap::new(),
            next: 0,
            locks: BTreeMap::new(),
            waiting: BTreeMap::new(),
            woken: Vec::new(),
            mutation,
        }
    }

    pub(super) fn begin(&mut self, owner: &str, work: TransactionKind) -> TxId {
        self.next += 1;
        let tx = Tx {
            owner: owner.to_owned(),
            work,
            locks: BTreeSet::new(),
            absent: BTreeSet::new(),
            changes: Vec::new(),
            done: None,
            looked: false,
        };
        self.txs.insert(self.next, tx);
        self.next
    }

    pub(super) fn is_open(&self, id: TxId) -> bool {
        self.txs.contains_key(&id)
    }

    /// Ends a transaction without a trace.
    pub(super) fn abort(&mut self, id: TxId) {
        self.waiting.remove(&id);
        let Some(tx) = self.txs.remove(&id) else { return };
        self.unlock(tx.locks);
    }

    /// Ends all transactions: the database starts again.
    pub(super) fn restart(&mut self) -> Vec<TxId> {
        let open: Vec<TxId> = self.txs.keys().copied().collect();
        self.txs.clear();
        self.locks.clear();
        self.waiting.clear();
        open
    }

    fn unlock(&mut self, rows: BTreeSet<LockedRow>) {
        for row in rows {
            self.locks.remove(&row);
            let woken = self.waiting.iter().filter(|(_, wanted)| **wanted == row).map(|(id, _)| *id);
            self.woken.extend(woken);
        }
    }

    /// Locks a row for a transaction; false if it has to wait.
    fn lock(&mut self, id: TxId, tx: &mut Tx, row: &LockedRow) -> bool {
        match self.locks.get(row) {
            Some(other) if *other != id => {
                self.waiting.insert(id, row.clone());
                false
            }
            _ => {
                self.waiting.remove(&id);
                self.locks.insert(row.clone(), id);
                tx.locks.insert(row.clone());
                true
            }
        }
    }

    /// Whether a transaction waits for one that waits for it.
    fn is_deadlock(&self, id: TxId) -> bool {
        let mut at = id;
        for _ in 0..self.txs.len() {
            let Some(holder) = self.waiting.get(&at).and_then(|row| self.locks.get(row)) else {
                return false;
            };
            if *holder == id {
                return true;
            }
            at = *holder;
        }
        false
    }

    fn exists(&self, row: &LockedRow) -> bool {
        match row {
            LockedRow::Key(key) => self.store.deployment(key).ok().flatten().is_some(),
            LockedRow::Lease(run) => self.leases.contains_key(run),
            LockedRow::Resource(id) => self.store.resource(id).ok().flatten().is_some(),
            LockedRow::Batch(id) => self.batches.contains(id),
        }
    }

    /// Runs the next statement of a transaction.
    pub(super) fn run(&mut self, id: TxId, now: u64, history: &mut History) -> Result<Ran, String> {
        let Some(mut tx) = self.txs.remove(&id) else { return Ok(Ran::Undone) };
        let ran = self.statement(id, &mut tx, now);
        match ran {
            Ran::Next | Ran::Waits => {
                self.txs.insert(id, tx);
                if matches!(ran, Ran::Waits) && self.is_deadlock(id) {
                    self.abort(id);
                    return Ok(Ran::Undone);
                }
                Ok(ran)
            }
            Ran::Undone => {
                self.txs.insert(id, tx);
                self.abort(id);
                Ok(Ran::Undone)
            }
            Ran::Committed(done) => {
                for change in tx.changes {
                    self.apply(&tx.owner, change, history)?;
                }
                self.unlock(tx.locks);
                Ok(Ran::Committed(done))
            }
        }
    }

    fn statement(&mut self, id: TxId, tx: &mut Tx, now: u64) -> Ran {
        match tx.work.clone() {
            TransactionKind::Commit(batches) if !tx.looked => self.look(id, tx, &batches),
            TransactionKind::Commit(batches) => self.write(id, tx, &batches, now),
            TransactionKind::Claim { limit, milliseconds } => self.claim(id, tx, limit, milliseconds, now),
            TransactionKind::Renew { leases, milliseconds } => self.renew(id, tx, &leases, milliseconds, now),
            TransactionKind::Release(leases) => self.release(id, tx, &leases),
            TransactionKind::Cancel(run) => self.cancel(id, tx, run, now),
        }
    }

    /// Locks what batches depend on, as far as it is there, and decides what becomes of each.
    fn look(&mut self, id: TxId, tx: &mut Tx, batches: &[Commit]) -> Ran {
        for row in batches.iter().flat_map(rows).collect::<BTreeSet<LockedRow>>() {
            if self.mutation == Mutation::FenceWithoutLock && matches!(row, LockedRow::Lease(_)) {
                continue;
            }
            if !self.exists(&row) {
                tx.absent.insert(row);
            } else if !tx.locks.contains(&row) && !self.lock(id, tx, &row) {
                return Ran::Waits;
            } else {
                // It may have come while another row was waited for.
                tx.absent.remove(&row);
            }
        }
        let mut outcomes = Vec::new();
        for batch in batches {
            let outcome = self.judge(tx, batch);
            if outcome == CommitOutcome::Committed && !self.batches.contains(&batch.id) {
                tx.absent.insert(LockedRow::Batch(batch.id));
                tx.changes.push(PendingWrite::Batch(Box::new(batch.clone())));
            }
            outcomes.push(outcome);
        }
        tx.looked = true;
        tx.done = Some(TransactionResult::Committed(outcomes));
        Ran::Next
    }

    fn judge(&self, tx: &Tx, batch: &Commit) -> CommitOutcome {
        if self.batches.contains(&batch.id) {
            return CommitOutcome::Committed;
        }
        if let Some(fence) = batch.fence.filter(|_| self.mutation != Mutation::SkipFence) {
            let held = self.leases.get(&fence.run);
            if held.is_none_or(|held| held.owner.is_none() || held.fence != fence.number) {
                return CommitOutcome::Fenced;
            }
        }
        let refused = batch.conditions.iter().position(|condition| !self.holds(tx, condition));
        refused.map_or(CommitOutcome::Committed, |condition| CommitOutcome::Conflict { condition })
    }

    fn holds(&self, tx: &Tx, condition: &Condition) -> bool {
        match condition {
            Condition::NotActive(key) => {
                // What the same transaction has written counts.
                let own = tx.changes.iter().rev().find_map(|change| match change {
                    PendingWrite::Batch(batch) => batch.writes.iter().rev().find_map(|write| match write {
                        Write::Deployment(it) if it.key == *key => Some(it.status),
                        _ => None,
                    }),
                    PendingWrite::Lease(..) => None,
                });
                let kept = || self.store.deployment(key).ok().flatten().map(|it| it.status);
                own.or_else(kept) != Some(Status::Active)
            }
            Condition::Current(key, run) => {
                self.store.deployment(key).ok().flatten().is_some_and(|it| it.run == *run)
            }
            Condition::ResourceVersion(id, version) => {
                self.store.resource(id).ok().flatten().map(|it| it.version) == *version
            }
            Condition::Present(id) => self.store.resource(id).ok().flatten().is_some(),
            // Nodes do not ask for it when they work on deployments.
            Condition::NoResource(like) => {
                let below = self.store.resources(like.below().as_str(), store::Page::ALL);
                !below.unwrap_or_default().iter().any(|it| like.is(&ResourceId::new(&it.id)))
            }
        }
    }

    /// Writes what was decided, and commits.
    fn write(&mut self, id: TxId, tx: &mut Tx, batches: &[Commit], now: u64) -> Ran {
        for row in tx.absent.clone() {
            let is_written =
                matches!(row, LockedRow::Batch(_)) || batches.iter().any(|batch| inserts(batch, &row));
            if !is_written {
                continue;
            }
            if !self.lock(id, tx, &row) {
                return Ran::Waits;
            }
            if self.exists(&row) {
                // Somebody else has inserted it.
                return Ran::Undone;
            }
        }
        let mut leases = Vec::new();
        for change in &tx.changes {
            let PendingWrite::Batch(batch) = change else { continue };
            for write in &batch.writes {
                if let Write::Lease { run, owner, milliseconds } = write {
                    let (owner, until) = (Some(owner.clone()), now.saturating_add(*milliseconds));
                    leases.push(PendingWrite::Lease(
                        *run,
                        LeaseRow { owner, fence: 1, until, canceled: false },
                    ));
                }
            }
        }
        tx.changes.extend(leases);
        Ran::Committed(tx.done.take().unwrap_or(TransactionResult::Released))
    }

    fn claim(&mut self, id: TxId, tx: &mut Tx, limit: usize, milliseconds: u64, now: u64) -> Ran {
        let mut claimed = Vec::new();
        for ((_, run), key) in self.active.clone() {
            if claimed.len() == limit {
                break;
            }
            let row = LockedRow::Lease(run);
            let held = self.leases.get(&run).cloned();
            let is_free = held.as_ref().is_none_or(|held| held.owner.is_none() || held.until <= now);
            // Rows that another has locked are skipped.
            if !is_free || self.locks.get(&row).is_some_and(|other| *other != id) {
                continue;
            }
            let Some(deployment) = self.store.deployment(&key).ok().flatten() else { continue };
            self.lock(id, tx, &row);
            let step = u64::from(self.mutation != Mutation::ClaimWithoutFence || held.is_none());
            let number = held.as_ref().map_or(0, |held| held.fence) + step;
            let canceled = held.is_some_and(|held| held.canceled) && self.mutation != Mutation::ForgetCancel;
            let until = now.saturating_add(milliseconds);
            let owner = tx.owner.clone();
            let fence = Fence { run, number };
            tx.changes.push(PendingWrite::Lease(
                run,
                LeaseRow { owner: Some(owner.clone()), fence: number, until, canceled },
            ));
            let until = i64::try_from(until).unwrap_or(i64::MAX);
            claimed.push(Claimed { deployment, lease: Lease { run, owner, fence, until, canceled } });
        }
        Ran::Committed(TransactionResult::Claimed(claimed))
    }

    fn renew(&mut self, id: TxId, tx: &mut Tx, leases: &[Lease], milliseconds: u64, now: u64) -> Ran {
        let mut sorted: Vec<&Lease> = leases.iter().collect();
        sorted.sort_by_key(|lease| lease.run);
        for lease in sorted {
            if self.leases.contains_key(&lease.run) && !self.lock(id, tx, &LockedRow::Lease(lease.run)) {
                return Ran::Waits;
            }
        }
        let mut renewed = Vec::new();
        for lease in leases {
            let held = self.leases.get(&lease.run).filter(|held| {
                self.mutation == Mutation::RenewWithoutCheck
                    || (held.owner.is_some() && held.fence == lease.fence.number)
            });
            renewed.push(held.map(|held| {
                let until = now.saturating_add(milliseconds);
                tx.changes.push(PendingWrite::Lease(lease.run, LeaseRow { until, ..held.clone() }));
                let until = i64::try_from(until).unwrap_or(i64::MAX);
                Lease { until, canceled: held.canceled, ..lease.clone() }
            }));
        }
        Ran::Committed(TransactionResult::Renewed(renewed))
    }

    fn release(&mut self, id: TxId, tx: &mut Tx, leases: &[Lease]) -> Ran {
        for lease in leases {
            if self.leases.contains_key(&lease.run) && !self.lock(id, tx, &LockedRow::Lease(lease.run)) {
                return Ran::Waits;
            }
        }
        for lease in leases {
            if let Some(held) = self.leases.get(&lease.run).filter(|held| held.fence == lease.fence.number) {
                tx.changes.push(PendingWrite::Lease(lease.run, LeaseRow { owner: None, ..held.clone() }));
            }
        }
        Ran::Committed(TransactionResult::Released)
    }

    fn cancel(&mut self, id: TxId, tx: &mut Tx, run: RunId, now: u64) -> Ran {
        // The lease is locked first: an end that is being written is waited for.
        if !self.lock(id, tx, &LockedRow::Lease(run)) {
            return Ran::Waits;
        }
        let is_active = self.active.keys().any(|(_, active)| *active == run);
        if is_active {
            let none = LeaseRow { owner: None, fence: 0, until: now, canceled: true };
            let held = self.leases.get(&run).cloned().unwrap_or(none);
            tx.changes.push(PendingWrite::Lease(run, LeaseRow { canceled: true, ..held }));
        }
        Ran::Committed(TransactionResult::Canceled(is_active))
    }

    fn apply(&mut self, owner: &str, change: PendingWrite, history: &mut History) -> Result<(), String> {
        match change {
            PendingWrite::Lease(run, held) => {
                history.lease(run, held.owner.as_deref(), held.fence, held.canceled)?;
                self.leases.insert(run, held);
            }
            PendingWrite::Batch(batch) => {
                history.batch(owner, &batch)?;
                self.batches.insert(batch.id);
                for write in &batch.writes {
                    let Write::Deployment(it) = write else { continue };
                    if it.run == it.root {
                        match it.status {
                            Status::Active => self.active.insert((it.order, it.run), it.key.clone()),
                            Status::Ended => self.active.remove(&(it.order, it.run)),
                        };
                    }
                }
                let writes = batch.writes.into_iter().filter(|it| !matches!(it, Write::Lease { .. }));
                let bare =
                    Commit { id: batch.id, fence: None, conditions: Vec::new(), writes: writes.collect() };
                self.store.commit(&[bare]);
            }
        }
        Ok(())
    }

    /// How many outermost deployments are under way.
    pub(super) fn open(&self) -> usize {
        self.active.len()
    }
}

/// The rows that a batch depends on or changes.
fn rows(batch: &Commit) -> Vec<LockedRow> {
    let mut rows: Vec<LockedRow> = batch.fence.iter().map(|fence| LockedRow::Lease(fence.run)).collect();
    rows.extend(batch.conditions.iter().filter_map(|condition| match condition {
        Condition::NotActive(key) | Condition::Current(key, _) => Some(LockedRow::Key(key.clone())),
        Condition::ResourceVersion(id, _) | Condition::Present(id) => Some(LockedRow::Resource(id.clone())),
        Condition::NoResource(_) => None,
    }));
    rows.extend(batch.writes.iter().filter_map(changed));
    rows
}

fn changed(write: &Write) -> Option<LockedRow> {
    match write {
        Write::Deployment(it) => Some(LockedRow::Key(it.key.clone())),
        Write::DeleteDeployment(key) => Some(LockedRow::Key(key.clone())),
        Write::Lease { run, .. } => Some(LockedRow::Lease(*run)),
        Write::Resource(it) => Some(LockedRow::Resource(ResourceId::new(&it.id))),
        Write::DeleteResource(id) => Some(LockedRow::Resource(id.clone())),
        Write::Step(_) | Write::Operation(_) | Write::Blob { .. } | Write::DeleteBlob { .. } => None,
    }
}

fn inserts(batch: &Commit, row: &LockedRow) -> bool {
    batch.writes.iter().filter_map(changed).any(|changed| changed == *row)
}
