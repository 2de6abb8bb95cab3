//! The one writer of a store: what all deployments want written while the disk is busy becomes durable together.
//!
//! It has a thread of its own, unless the store never waits.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use store::{Commit, CommitOutcome, Store};

/// How many batches are written at most in one go.
const GROUP: usize = 512;
/// How often a batch is sent again when nobody can say whether it was written.
const TRIES: u32 = 10;

/// Hears what became of a batch.
pub(crate) type CommitCallback = Box<dyn FnOnce(CommitOutcome) + Send>;

/// The writer of a store.
pub(crate) struct Journal(JournalMode);

enum JournalMode {
    /// A thread, which ends when the way to it is closed.
    Thread { messages: Option<Sender<Message>>, thread: Option<JoinHandle<()>> },
    /// A store that never waits: it is written where somebody asks for it.
    Here(Mutex<Writer>),
}

type Message = (Commit, CommitCallback);

impl Journal {
    /// Starts the writer of a store.
    pub(crate) fn start(store: Arc<dyn Store>) -> Journal {
        let is_instant = store.is_instant();
        let writer = Writer { store };
        if is_instant {
            return Journal(JournalMode::Here(Mutex::new(writer)));
        }
        let (messages, incoming) = channel();
        let thread = thread::spawn(move || writer.run(&incoming));
        Journal(JournalMode::Thread { messages: Some(messages), thread: Some(thread) })
    }

    /// Has a batch written; batches of one sender keep their order.
    pub(crate) fn commit(&self, commit: Commit, told: CommitCallback) {
        let message = (commit, told);
        match &self.0 {
            JournalMode::Thread { messages, .. } => {
                let refused = messages.as_ref().and_then(|messages| messages.send(message).err());
                if let Some((_, told)) = refused.map(|refused| refused.0) {
                    told(CommitOutcome::Unknown("the writer of the state has ended".to_owned()));
                }
            }
            JournalMode::Here(writer) => {
                let writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
                let told = writer.take(vec![message]);
                // Whoever is told may want to write again.
                drop(writer);
                for (told, outcome) in told {
                    told(outcome);
                }
            }
        }
    }

    /// Has a batch written, and waits for it.
    pub(crate) async fn committed(&self, commit: Commit) -> CommitOutcome {
        let (told, outcome) = tokio::sync::oneshot::channel();
        self.commit(commit, Box::new(move |outcome| drop(told.send(outcome))));
        outcome
            .await
            .unwrap_or_else(|_| CommitOutcome::Unknown("the writer of the state has ended".to_owned()))
    }
}

impl Drop for Journal {
    /// Waits until everything is written.
    fn drop(&mut self) {
        if let JournalMode::Thread { messages, thread } = &mut self.0 {
            drop(messages.take());
            if let Some(thread) = thread.take() {
                let _ = thread.join();
            }
        }
    }
}

struct Writer {
    store: Arc<dyn Store>,
}

impl Writer {
    fn run(&self, incoming: &Receiver<Message>) {
        while let Ok(first) = incoming.recv() {
            let group = std::iter::once(first).chain(incoming.try_iter().take(GROUP - 1)).collect();
            for (told, outcome) in self.take(group) {
                told(outcome);
            }
        }
    }

    /// Writes a group of batches; who is to be told what.
    fn take(&self, group: Vec<Message>) -> Vec<(CommitCallback, CommitOutcome)> {
        let (commits, told): (Vec<Commit>, Vec<CommitCallback>) = group.into_iter().unzip();
        told.into_iter().zip(self.write(commits)).collect()
    }

    /// Writes batches. Those of which nobody can say whether they were written are sent again, for a while.
    fn write(&self, commits: Vec<Commit>) -> Vec<CommitOutcome> {
        let mut outcomes: Vec<Option<CommitOutcome>> = commits.iter().map(|_| None).collect();
        let mut left: Vec<(usize, Commit)> = commits.into_iter().enumerate().collect();
        for attempt in 0..TRIES {
            if left.is_empty() {
                break;
            }
            if attempt > 0 {
                thread::sleep(Duration::from_millis(50 << (attempt - 1).min(6)));
            }
            let (places, batches): (Vec<usize>, Vec<Commit>) = left.into_iter().unzip();
            let said = self.store.commit(&batches);
            left = Vec::new();
            for ((place, batch), outcome) in places.into_iter().zip(batches).zip(said) {
                if matches!(outcome, CommitOutcome::Unknown(_)) {
                    left.push((place, batch));
                }
                if let Some(known) = outcomes.get_mut(place) {
                    *known = Some(outcome);
                }
            }
        }
        let silent = || CommitOutcome::Unknown("the store gave no answer".to_owned());
        outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(silent)).collect()
    }
}
