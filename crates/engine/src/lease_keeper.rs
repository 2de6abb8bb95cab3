//! The thin runtime around [`NodeCore`]: a thread that asks the store, so that leases are renewed however busy the rest of the process is.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use machine::core;
use machine::node::{Command, Event, LeaseTimings, NodeCore};
use store::{Claimed, Fence, Lease, Store};
use tokio::sync::mpsc::UnboundedSender;

use crate::persist_message::PersistMessage;
use crate::random::random;

/// How long a lease is good for without being renewed, in milliseconds.
pub(crate) const LEASE: u64 = LeaseTimings::USUAL.lease;

/// The longest time between two looks at the clock.
const LONGEST: Duration = Duration::from_secs(60);

/// A lease, when it was asked for, and who keeps it.
pub(crate) enum LeaseHandle {
    /// Whoever runs the deployment has to keep it.
    Fresh { lease: Lease, asked: u64 },
    /// The keeper has it already.
    Kept(Lease),
}

impl LeaseHandle {
    pub(crate) fn lease(&self) -> &Lease {
        match self {
            LeaseHandle::Fresh { lease, .. } | LeaseHandle::Kept(lease) => lease,
        }
    }
}

/// A deployment that runs in this process, as the keeper sees it.
pub(crate) struct Holder {
    /// Who hears that it is lost, or is to stop.
    pub(crate) said: UnboundedSender<PersistMessage>,
    /// The first moment at which the lease may have run out.
    pub(crate) until: Arc<AtomicU64>,
}

/// Why a deployment is not worked on here any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// It has ended, or another has it.
    Ended,
    /// The store does not answer: whoever can may have it.
    GaveUp,
    /// It went wrong in a way that it would again.
    Parked,
}

/// What is done with a deployment that was claimed.
pub(crate) type TakeUp = Box<dyn Fn(Claimed) + Send>;

enum KeeperMessage {
    Hold { lease: Lease, asked: u64, holder: Holder },
    Attach { fence: Fence, holder: Holder },
    Over(Fence, StopReason),
    TakeUp(TakeUp),
    Hint,
    Drain(Sender<()>),
    Stop,
}

/// Keeps the leases of a process.
pub(crate) struct Keeper {
    messages: Sender<KeeperMessage>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts to keep leases on a store.
    pub(crate) fn start(store: Arc<dyn Store>) -> Keeper {
        let (messages, incoming) = channel();
        let hints = messages.clone();
        store.listen(Box::new(move || drop(hints.send(KeeperMessage::Hint))));
        let seed =
            random().map_or(0, |bytes| u64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default()));
        let thread = thread::spawn(move || {
            let node = NodeCore::new(LeaseTimings::USUAL, seed, monotonic());
            let mut keeping = Keeping { store, node, holders: BTreeMap::new(), take_up: None };
            keeping.run(&incoming);
        });
        Keeper { messages, thread: Some(thread) }
    }

    fn send(&self, message: KeeperMessage) {
        // The thread ends when the keeper does.
        let _ = self.messages.send(message);
    }

    /// Keeps the lease of a deployment for whoever runs it.
    pub(crate) fn hold(&self, right: LeaseHandle, holder: Holder) {
        self.send(match right {
            LeaseHandle::Fresh { lease, asked } => {
                // Good at once, for those who do not want to wait for the thread.
                holder.until.store(LeaseTimings::USUAL.good_until(asked), Ordering::Relaxed);
                KeeperMessage::Hold { lease, asked, holder }
            }
            LeaseHandle::Kept(lease) => KeeperMessage::Attach { fence: lease.fence, holder },
        });
    }

    /// A deployment is not worked on here any more.
    pub(crate) fn release(&self, fence: Fence, over: StopReason) {
        self.send(KeeperMessage::Over(fence, over));
    }

    /// Begins to claim what nobody works on.
    pub(crate) fn take_up(&self, take_up: TakeUp) {
        self.send(KeeperMessage::TakeUp(take_up));
    }

    /// Gives all leases back and claims no more; what runs is told that it is lost. Waits until the store knows.
    pub(crate) fn drain(&self) {
        let (done, wait) = channel();
        self.send(KeeperMessage::Drain(done));
        let _ = wait.recv();
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.send(KeeperMessage::Stop);
        // The last one to let go may be something that the thread itself has just done.
        if let Some(thread) = self.thread.take().filter(|it| it.thread().id() != thread::current().id()) {
            let _ = thread.join();
        }
    }
}

struct Keeping {
    store: Arc<dyn Store>,
    node: NodeCore,
    holders: BTreeMap<Fence, Holder>,
    take_up: Option<TakeUp>,
}

impl Keeping {
    fn run(&mut self, incoming: &Receiver<KeeperMessage>) {
        loop {
            let patience = match self.node.wake() {
                Some(wake) => Duration::from_millis(wake.saturating_sub(monotonic())).min(LONGEST),
                None => LONGEST,
            };
            match incoming.recv_timeout(patience) {
                Ok(KeeperMessage::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => self.handle(Event::Tick),
            }
        }
    }

    fn take(&mut self, message: KeeperMessage) {
        match message {
            KeeperMessage::Hold { lease, asked, holder } => {
                self.holders.insert(lease.fence, holder);
                self.handle(Event::Began { lease, asked });
            }
            KeeperMessage::Attach { fence, holder } => {
                let Some((until, canceled)) = self.node.look(fence) else {
                    return holder.send(PersistMessage::Event(core::Event::Fenced));
                };
                holder.good(until);
                if canceled {
                    holder.send(PersistMessage::Event(core::Event::Cancel));
                }
                self.holders.insert(fence, holder);
            }
            KeeperMessage::Over(fence, over) => {
                self.holders.remove(&fence);
                self.handle(match over {
                    StopReason::Ended => Event::Ended(fence),
                    StopReason::GaveUp => Event::GaveUp(fence),
                    StopReason::Parked => Event::Parked(fence),
                });
            }
            KeeperMessage::TakeUp(take_up) => {
                self.take_up = Some(take_up);
                self.node.start_claiming(monotonic());
                self.handle(Event::Tick);
            }
            KeeperMessage::Hint => self.handle(Event::Hint),
            KeeperMessage::Drain(done) => {
                self.handle(Event::Drain);
                self.take_up = None;
                let _ = done.send(());
            }
            KeeperMessage::Stop => {}
        }
    }

    /// Tells the node what happened, and asks the store until nothing more is to be asked.
    fn handle(&mut self, event: Event) {
        let mut commands: std::collections::VecDeque<Command> = self.node.handle(event, monotonic()).into();
        while let Some(command) = commands.pop_front() {
            let answer = match command {
                Command::Claim { limit, milliseconds } => {
                    Event::Claimed(self.store.claim_abandoned(owner(), milliseconds, limit).ok())
                }
                Command::Renew { leases, milliseconds } => {
                    Event::Renewed(self.store.renew(&leases, milliseconds).ok())
                }
                Command::Park { lease, milliseconds } => {
                    let _ = self.store.renew(&[lease], milliseconds);
                    continue;
                }
                Command::Release(leases) => {
                    let _ = self.store.release(&leases);
                    continue;
                }
                Command::Start(claimed) => {
                    if let Some(take_up) = &self.take_up {
                        take_up(*claimed);
                    }
                    continue;
                }
                Command::Good { fence, until } => {
                    if let Some(holder) = self.holders.get(&fence) {
                        holder.good(until);
                    }
                    continue;
                }
                Command::Cancel(fence) => {
                    if let Some(holder) = self.holders.get(&fence) {
                        holder.send(PersistMessage::Event(core::Event::Cancel));
                    }
                    continue;
                }
                Command::Lost(fence) => {
                    if let Some(holder) = self.holders.remove(&fence) {
                        holder.send(PersistMessage::Event(core::Event::Fenced));
                    }
                    continue;
                }
            };
            commands.extend(self.node.handle(answer, monotonic()));
        }
    }
}

impl Holder {
    fn send(&self, said: PersistMessage) {
        // Whoever ran it may have just stopped.
        let _ = self.said.send(said);
    }

    fn good(&self, until: u64) {
        self.until.store(until, Ordering::Relaxed);
        self.send(PersistMessage::Good);
    }
}

/// Milliseconds of a clock that never goes back.
pub(crate) fn monotonic() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let since = START.get_or_init(Instant::now).elapsed();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The name under which this process holds leases: no other has it, on this machine or elsewhere.
pub(crate) fn owner() -> &'static str {
    static OWNER: OnceLock<String> = OnceLock::new();
    OWNER.get_or_init(|| {
        let bytes = random().unwrap_or_default();
        let random: String = bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        format!("{} process {} ({random})", machine(), std::process::id())
    })
}

/// The name of this machine, as far as the system tells it.
fn machine() -> String {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let told = told.or_else(|| ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|name| std::env::var(name).ok()));
    let name = told.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| "this machine".to_owned())
}
