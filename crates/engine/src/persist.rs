//! Makes batches durable, on a thread of its own if that takes time: what has gathered meanwhile is written together.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use store::{BatchId, Commit, Condition, Key, Lease, Outcome, Store};
use tokio::sync::mpsc::UnboundedSender;

use crate::core::Event;
use crate::records::{Record, encode};

/// How long a lease is good for without being renewed, in milliseconds.
pub(crate) const LEASE: u64 = 5_000;
/// How often it is renewed.
const RENEW: Duration = Duration::from_millis(1_500);
/// How many batches are written at most in one go.
const GROUP: usize = 512;
/// How often a batch is sent again when nobody can say whether it was written.
const TRIES: u32 = 10;

/// A batch on its way.
pub(crate) struct Batch {
    pub(crate) number: u64,
    pub(crate) records: Vec<Record>,
    pub(crate) begins: bool,
}

/// What the writer says.
pub(crate) enum Said {
    /// Something for the machine.
    Event(Event),
    /// The store does not answer any more.
    Broken(String),
}

/// The way to the writer.
pub(crate) enum Persister {
    /// A thread, which ends when the way to it is closed.
    Thread { batches: Sender<Batch>, thread: JoinHandle<()> },
    /// A writer that never waits: it writes where it is called.
    Here(Mutex<Writer>),
}

impl Persister {
    pub(crate) fn start(
        store: Arc<dyn Store>,
        key: Key,
        lease: Lease,
        said: UnboundedSender<Said>,
    ) -> Persister {
        let is_instant = store.is_instant();
        let mut writer = Writer { store, key, lease, renewed: Instant::now(), said };
        if is_instant {
            return Persister::Here(Mutex::new(writer));
        }
        let (batches, incoming) = channel();
        let thread = thread::spawn(move || writer.run(&incoming));
        Persister::Thread { batches, thread }
    }

    /// Has a batch written; what became of it is said.
    pub(crate) fn send(&self, batch: Batch) {
        match self {
            // A thread that is gone has said why.
            Persister::Thread { batches, .. } => drop(batches.send(batch)),
            Persister::Here(writer) => {
                let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
                if writer.renewed.elapsed() >= RENEW {
                    writer.renew();
                }
                writer.write(&[batch]);
            }
        }
    }

    /// Waits until everything is written, and gives the lease back.
    pub(crate) fn finish(self) {
        match self {
            Persister::Thread { batches, thread } => {
                drop(batches);
                let _ = thread.join();
            }
            Persister::Here(writer) => writer.into_inner().unwrap_or_else(PoisonError::into_inner).release(),
        }
    }
}

pub(crate) struct Writer {
    store: Arc<dyn Store>,
    key: Key,
    lease: Lease,
    renewed: Instant,
    said: UnboundedSender<Said>,
}

impl Writer {
    fn run(&mut self, incoming: &Receiver<Batch>) {
        loop {
            let first = match incoming.recv_timeout(RENEW) {
                Ok(batch) => batch,
                Err(RecvTimeoutError::Timeout) => {
                    self.renew();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let group: Vec<Batch> =
                std::iter::once(first).chain(incoming.try_iter().take(GROUP - 1)).collect();
            if !self.write(&group) {
                break;
            }
        }
        self.release();
    }

    fn release(&self) {
        let _ = self.store.release(&self.lease);
    }

    fn renew(&mut self) {
        self.renewed = Instant::now();
        match self.store.renew(&self.lease, LEASE) {
            Ok(Some(lease)) => self.lease = lease,
            Ok(None) => self.say(Event::Fenced),
            // The store may answer the next time; the fence keeps us safe if not.
            Err(_) => {}
        }
    }

    fn say(&self, event: Event) {
        let _ = self.said.send(Said::Event(event));
    }

    /// Writes a group; false if there is no use in going on.
    fn write(&mut self, group: &[Batch]) -> bool {
        let commits: Result<Vec<Commit>, _> = group.iter().map(|batch| self.commit(batch)).collect();
        let commits = match commits {
            Ok(commits) => commits,
            Err(error) => {
                let _ = self.said.send(Said::Broken(error.to_string()));
                return false;
            }
        };
        let mut left: Vec<Commit> = commits;
        let mut why = String::new();
        for attempt in 0..TRIES {
            let outcomes = self.store.commit(&left);
            let mut unknown = Vec::new();
            for (commit, outcome) in left.into_iter().zip(outcomes) {
                let batch = commit.id.number;
                match outcome {
                    Outcome::Committed => self.say(Event::Durable { batch }),
                    Outcome::Conflict { .. } => self.say(Event::Conflict { batch }),
                    Outcome::Fenced => {
                        self.say(Event::Fenced);
                        return false;
                    }
                    Outcome::Unknown(message) => {
                        why = message;
                        unknown.push(commit);
                    }
                }
            }
            if unknown.is_empty() {
                return true;
            }
            left = unknown;
            thread::sleep(Duration::from_millis(50 << attempt.min(6)));
        }
        let _ = self.said.send(Said::Broken(why));
        false
    }

    fn commit(&self, batch: &Batch) -> Result<Commit, store::SealError> {
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
}
