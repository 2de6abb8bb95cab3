//! What one deployment wants kept, on its way to the journal, and what became of it on its way back.

use store::{BatchId, Commit, Condition, Key, Lease, Outcome};
use tokio::sync::mpsc::UnboundedSender;

use crate::core::{End, Event};
use crate::journal::Journal;
use crate::records::{Record, encode};

/// A batch on its way.
pub(crate) struct Batch {
    pub(crate) number: u64,
    pub(crate) records: Vec<Record>,
    pub(crate) begins: bool,
}

/// What is said about batches.
pub(crate) enum Said {
    /// Something for the machine.
    Event(Event),
    /// The store does not answer any more.
    Broken(String),
}

/// The way of one deployment to the journal.
pub(crate) struct Persister<'j> {
    journal: &'j Journal,
    key: Key,
    lease: Lease,
    said: UnboundedSender<Said>,
}

impl Persister<'_> {
    /// Keeps the lease as long as the deployment runs.
    pub(crate) fn start(
        journal: &Journal,
        key: Key,
        lease: Lease,
        said: UnboundedSender<Said>,
    ) -> Persister<'_> {
        let fenced = said.clone();
        let lost = Box::new(move || drop(fenced.send(Said::Event(Event::Fenced))));
        journal.hold(lease.clone(), lost);
        Persister { journal, key, lease, said }
    }

    /// Has a batch written; what became of it is said.
    pub(crate) fn send(&self, batch: &Batch) {
        let said = self.said.clone();
        match self.encode(batch) {
            Ok(commit) => {
                let number = batch.number;
                let told = move |outcome| {
                    let _ = said.send(match outcome {
                        Outcome::Committed => Said::Event(Event::Durable { batch: number }),
                        Outcome::Conflict { .. } => Said::Event(Event::Conflict { batch: number }),
                        Outcome::Fenced => Said::Event(Event::Fenced),
                        Outcome::Unknown(why) => Said::Broken(why),
                    });
                };
                self.journal.commit(commit, Box::new(told));
            }
            Err(error) => drop(said.send(Said::Broken(error.to_string()))),
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
            encode(record, &self.key, &mut writes)?;
        }
        let id = BatchId { run: self.lease.run, number: batch.number };
        Ok(Commit { id, fence: Some(self.lease.fence), conditions, writes })
    }

    /// The deployment is no longer worked on here. One that has ended needs no lease; any other is free for the next.
    pub(crate) fn finish(self, end: Option<&End>) {
        let release = match end {
            Some(End::Succeeded(_) | End::Failed(_) | End::Canceled) => false,
            Some(End::Lost) | None => true,
        };
        self.journal.free(self.lease, release);
    }
}
