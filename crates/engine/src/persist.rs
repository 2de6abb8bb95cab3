//! What one deployment wants kept, on its way to the journal, and what became of it on its way back.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use machine::core::{Event, RunEnd};
use machine::records::{Record, condition, encode};
use store::{BatchId, Commit, CommitOutcome, Condition, Fence, Key};
use tokio::sync::mpsc::UnboundedSender;

use crate::journal::Journal;
use crate::lease_keeper::{Holder, Keeper, LeaseHandle, StopReason};
use crate::persist_message::PersistMessage;

/// A batch on its way.
pub(crate) struct Batch {
    pub(crate) number: u64,
    pub(crate) records: Vec<Record>,
    pub(crate) begins: bool,
}

/// Those who write for the deployments of a process.
#[derive(Clone)]
pub(crate) struct Writers {
    /// Writes the batches of all deployments of the process.
    pub(crate) journal: Arc<Journal>,
    /// Keeps leases; none for a store that is this process's own, where nobody takes them away.
    pub(crate) keeper: Option<Arc<Keeper>>,
}

/// The way of one deployment to the journal, under its lease.
pub(crate) struct Persister {
    writers: Writers,
    key: Key,
    fence: Fence,
    said: UnboundedSender<PersistMessage>,
    /// The first moment at which the lease may have run out.
    until: Arc<AtomicU64>,
    is_over: bool,
}

impl Persister {
    /// Keeps the lease as long as the deployment runs.
    pub(crate) fn start(
        writers: Writers,
        key: Key,
        right: LeaseHandle,
        said: UnboundedSender<PersistMessage>,
    ) -> Persister {
        let (fence, until) = (right.lease().fence, Arc::new(AtomicU64::new(u64::MAX)));
        if let Some(keeper) = &writers.keeper {
            keeper.hold(right, Holder { said: said.clone(), until: Arc::clone(&until) });
        }
        Persister { writers, key, fence, said, until, is_over: false }
    }

    /// The first moment at which the lease may have run out.
    pub(crate) fn until(&self) -> &Arc<AtomicU64> {
        &self.until
    }

    /// Has a batch written; what became of it is said.
    pub(crate) fn send(&self, batch: &Batch) {
        let said = self.said.clone();
        match self.encode(batch) {
            Ok(commit) => {
                let number = batch.number;
                let told = move |outcome| {
                    let _ = said.send(match outcome {
                        CommitOutcome::Committed => PersistMessage::Event(Event::Durable { batch: number }),
                        CommitOutcome::Conflict { .. } => {
                            PersistMessage::Event(Event::Conflict { batch: number })
                        }
                        CommitOutcome::Fenced => PersistMessage::Event(Event::Fenced),
                        CommitOutcome::Unknown(why) => PersistMessage::Broken(why),
                    });
                };
                self.writers.journal.commit(commit, Box::new(told));
            }
            Err(error) => drop(said.send(PersistMessage::Broken(error.to_string()))),
        }
    }

    fn encode(&self, batch: &Batch) -> Result<Commit, store::SealError> {
        let mut writes = Vec::new();
        let mut conditions = Vec::new();
        for record in &batch.records {
            if let Record::Deployment { key, .. } = record
                && batch.begins
            {
                conditions.push(Condition::NotActive(key.clone()));
            }
            conditions.extend(condition(record));
            encode(record, &self.key, &mut writes)?;
        }
        let id = BatchId { run: self.fence.run, number: batch.number };
        Ok(Commit { id, fence: Some(self.fence), conditions, writes })
    }

    /// The deployment is no longer worked on here. One that has ended needs no lease; any other is free for the next.
    pub(crate) fn finish(mut self, end: Option<&RunEnd>) {
        self.over(match end {
            Some(RunEnd::Succeeded(_) | RunEnd::Failed(_) | RunEnd::Canceled | RunEnd::Lost) => {
                StopReason::Ended
            }
            None => StopReason::GaveUp,
        });
    }

    fn over(&mut self, over: StopReason) {
        self.is_over = true;
        if let Some(keeper) = &self.writers.keeper {
            keeper.release(self.fence, over);
        }
    }
}

impl Drop for Persister {
    /// Whoever ran the deployment panicked, and would again; or the process ends.
    fn drop(&mut self) {
        if !self.is_over {
            self.over(if std::thread::panicking() { StopReason::Parked } else { StopReason::GaveUp });
        }
    }
}
