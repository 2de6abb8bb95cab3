//! The one writer of a store: what all deployments want written while the disk is busy becomes durable together.
//!
//! It has a thread of its own, unless the store never waits. It also keeps the leases of those who write.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use store::{Commit, Lease, Outcome, RunId, Store};

/// How long a lease is good for without being renewed, in milliseconds.
pub(crate) const LEASE: u64 = 5_000;
/// How often leases are renewed.
const RENEW: Duration = Duration::from_millis(1_500);
/// How many batches are written at most in one go.
const GROUP: usize = 512;
/// How often a batch is sent again when nobody can say whether it was written.
const TRIES: u32 = 10;

/// Hears what became of a batch.
pub(crate) type Told = Box<dyn FnOnce(Outcome) + Send>;
/// Hears that a lease was lost.
pub(crate) type Lost = Box<dyn Fn() + Send>;

/// The writer of a store.
pub(crate) struct Journal(Way);

enum Way {
    /// A thread, which ends when the way to it is closed.
    Thread { messages: Option<Sender<Message>>, thread: Option<JoinHandle<()>> },
    /// A store that never waits: it is written where somebody asks for it.
    Here(Mutex<Writer>),
}

enum Message {
    Commit(Commit, Told),
    Hold(Lease, Lost),
    Free { lease: Lease, release: bool },
}

impl Journal {
    /// Starts the writer of a store.
    pub(crate) fn start(store: Arc<dyn Store>) -> Journal {
        let is_instant = store.is_instant();
        let mut writer = Writer { store, leases: Vec::new(), renewed: Instant::now() };
        if is_instant {
            return Journal(Way::Here(Mutex::new(writer)));
        }
        let (messages, incoming) = channel();
        let thread = thread::spawn(move || writer.run(&incoming));
        Journal(Way::Thread { messages: Some(messages), thread: Some(thread) })
    }

    fn send(&self, message: Message) {
        match &self.0 {
            Way::Thread { messages, .. } => {
                let refused = messages.as_ref().and_then(|messages| messages.send(message).err());
                if let Some(Message::Commit(_, told)) = refused.map(|refused| refused.0) {
                    told(Outcome::Unknown("the writer of the state has ended".to_owned()));
                }
            }
            Way::Here(writer) => {
                let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
                let told = writer.take(vec![message]);
                // Whoever is told may want to write again.
                drop(writer);
                for (told, outcome) in told {
                    told(outcome);
                }
            }
        }
    }

    /// Has a batch written; batches of one sender keep their order.
    pub(crate) fn commit(&self, commit: Commit, told: Told) {
        self.send(Message::Commit(commit, told));
    }

    /// Has a batch written, and waits for it.
    pub(crate) async fn committed(&self, commit: Commit) -> Outcome {
        let (told, outcome) = tokio::sync::oneshot::channel();
        self.commit(commit, Box::new(move |outcome| drop(told.send(outcome))));
        outcome.await.unwrap_or_else(|_| Outcome::Unknown("the writer of the state has ended".to_owned()))
    }

    /// Keeps a lease until it is freed.
    pub(crate) fn hold(&self, lease: Lease, lost: Lost) {
        self.send(Message::Hold(lease, lost));
    }

    /// Lets a lease go; it is given back at once if there is something left to do for somebody else.
    pub(crate) fn free(&self, lease: Lease, release: bool) {
        self.send(Message::Free { lease, release });
    }
}

impl Drop for Journal {
    /// Waits until everything is written.
    fn drop(&mut self) {
        if let Way::Thread { messages, thread } = &mut self.0 {
            drop(messages.take());
            if let Some(thread) = thread.take() {
                let _ = thread.join();
            }
        }
    }
}

struct Held {
    lease: Lease,
    lost: Lost,
}

struct Writer {
    store: Arc<dyn Store>,
    leases: Vec<Held>,
    renewed: Instant,
}

impl Writer {
    fn run(&mut self, incoming: &Receiver<Message>) {
        loop {
            let first = match incoming.recv_timeout(RENEW) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => {
                    self.renew();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let group = std::iter::once(first).chain(incoming.try_iter().take(GROUP - 1)).collect();
            for (told, outcome) in self.take(group) {
                told(outcome);
            }
        }
    }

    /// Does what a group of messages asks for; who is to be told what.
    fn take(&mut self, group: Vec<Message>) -> Vec<(Told, Outcome)> {
        let mut commits = Vec::new();
        let mut told = Vec::new();
        let mut freed = Vec::new();
        for message in group {
            match message {
                Message::Commit(commit, tell) => {
                    commits.push(commit);
                    told.push(tell);
                }
                Message::Hold(lease, lost) => self.leases.push(Held { lease, lost }),
                Message::Free { lease, release } => freed.push((lease, release)),
            }
        }
        let outcomes = self.write(commits);
        for (lease, release) in freed {
            self.leases.retain(|held| held.lease.fence != lease.fence);
            if release {
                let _ = self.store.release(&[lease]);
            }
        }
        if self.renewed.elapsed() >= RENEW {
            self.renew();
        }
        told.into_iter().zip(outcomes).collect()
    }

    fn renew(&mut self) {
        self.renewed = Instant::now();
        if self.leases.is_empty() {
            return;
        }
        let leases: Vec<Lease> = self.leases.iter().map(|held| held.lease.clone()).collect();
        // The store may answer the next time; the fence keeps us safe if not.
        let Ok(renewed) = self.store.renew(&leases, LEASE) else { return };
        let mut renewed = renewed.into_iter();
        self.leases.retain_mut(|held| match renewed.next().flatten() {
            Some(lease) => {
                held.lease = lease;
                true
            }
            None => {
                (held.lost)();
                false
            }
        });
    }

    /// Writes batches. Those of which nobody can say whether they were written are sent again, for a while.
    fn write(&self, commits: Vec<Commit>) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = commits.iter().map(|_| None).collect();
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
                if matches!(outcome, Outcome::Unknown(_)) {
                    left.push((place, batch));
                }
                if let Some(known) = outcomes.get_mut(place) {
                    *known = Some(outcome);
                }
            }
        }
        let silent = || Outcome::Unknown("the store gave no answer".to_owned());
        outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(silent)).collect()
    }
}

/// The name under which this process holds leases.
pub(crate) fn owner() -> String {
    format!("process {}", std::process::id())
}

/// The lease that a batch takes which begins a run: the first one.
pub(crate) fn first_lease(run: RunId, owner: String) -> Lease {
    Lease { run, owner, fence: store::Fence { run, number: 1 }, until: 0, canceled: false }
}
