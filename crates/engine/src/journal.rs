//! The one writer of a store: what all deployments want written while the disk is busy becomes durable together.
//!
//! It has a thread of its own, unless the store never waits.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use store::{Commit, CommitOutcome, Store};

/// How many batches are written at most in one go.
const GROUP: usize = 512;
/// How often a batch is sent again when nobody can say whether it was written.
const TRIES: u32 = 10;
/// The same for a batch that somebody waits for, who is told that the state is away.
const HASTY_TRIES: u32 = 2;

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

/// A batch on its way.
struct Message {
    commit: Commit,
    told: CommitCallback,
    /// Whether a request waits for it: one that begins a deployment.
    is_awaited: bool,
    /// How often it was tried.
    tries: u32,
}

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
        self.send(Message { commit, told, is_awaited: false, tries: 0 });
    }

    fn send(&self, message: Message) {
        match &self.0 {
            JournalMode::Thread { messages, .. } => {
                let refused = messages.as_ref().and_then(|messages| messages.send(message).err());
                if let Some(refused) = refused {
                    let ended = "the writer of the state has ended".to_owned();
                    (refused.0.told)(CommitOutcome::Unknown(ended));
                }
            }
            JournalMode::Here(writer) => {
                let writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
                let outcome = writer.store.commit(std::slice::from_ref(&message.commit)).pop();
                // Whoever is told may want to write again.
                drop(writer);
                (message.told)(outcome.unwrap_or_else(silent));
            }
        }
    }

    /// Has the first batch of a deployment written, and waits for it, but not for a state that is away.
    pub(crate) async fn committed(&self, commit: Commit) -> CommitOutcome {
        let (told, outcome) = tokio::sync::oneshot::channel();
        let told: CommitCallback = Box::new(move |outcome| drop(told.send(outcome)));
        self.send(Message { commit, told, is_awaited: true, tries: 0 });
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
        let mut left: Vec<Message> = Vec::new();
        loop {
            if left.is_empty() {
                let Ok(first) = incoming.recv() else { return };
                left.push(first);
            } else {
                self.wait(incoming, &mut left);
            }
            let room = GROUP.saturating_sub(left.len());
            left.extend(incoming.try_iter().take(room));
            left = self.write(left);
        }
    }

    /// Waits before batches are sent again. What somebody waits for is tried meanwhile, by itself: it is the first of its deployment, so that it
    /// overtakes nothing, and whoever asked hears at once that the state is away.
    fn wait(&self, incoming: &Receiver<Message>, left: &mut Vec<Message>) {
        let tries = left.iter().map(|message| message.tries).max().unwrap_or_default();
        let until = Instant::now() + Duration::from_millis(50 << tries.saturating_sub(1).min(6));
        let rest = || until.saturating_duration_since(Instant::now());
        while let Ok(message) = incoming.recv_timeout(rest()) {
            if message.is_awaited {
                self.write(vec![Message { tries: HASTY_TRIES, ..message }]);
            } else {
                left.push(message);
            }
        }
        // Where nobody can send any more, nothing was waited for.
        thread::sleep(rest());
    }

    /// Writes batches, and tells what became of them. Those of which nobody can say whether they were written
    /// are given back, unless they were tried often enough.
    fn write(&self, messages: Vec<Message>) -> Vec<Message> {
        let (commits, told): (Vec<Commit>, Vec<_>) = messages
            .into_iter()
            .map(|Message { commit, told, is_awaited, tries }| (commit, (told, is_awaited, tries + 1)))
            .unzip();
        let mut said = self.store.commit(&commits).into_iter();
        let (mut left, mut known) = (Vec::new(), Vec::new());
        for (commit, (told, is_awaited, tries)) in commits.into_iter().zip(told) {
            let outcome = said.next().unwrap_or_else(silent);
            let most = if is_awaited { HASTY_TRIES } else { TRIES };
            if matches!(outcome, CommitOutcome::Unknown(_)) && tries < most {
                left.push(Message { commit, told, is_awaited, tries });
            } else {
                known.push((told, outcome));
            }
        }
        for (told, outcome) in known {
            told(outcome);
        }
        left
    }
}

fn silent() -> CommitOutcome {
    CommitOutcome::Unknown("the store gave no answer".to_owned())
}
