//! The thin runtime around [`Node`]: a thread that asks the store, so that leases are renewed however busy the rest of the process is.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use store::{Claimed, Fence, Lease, RunId, Store};
use tokio::sync::mpsc::UnboundedSender;

use crate::core;
use crate::deploy::random;
use crate::node::{Command, Event, Node, Pace};
use crate::persist::Said;

/// How long a lease is good for without being renewed, in milliseconds.
pub(crate) const LEASE: u64 = Pace::USUAL.lease;

/// The longest time between two looks at the clock.
const LONGEST: Duration = Duration::from_secs(60);

/// A lease, when it was asked for, and who keeps it.
pub(crate) enum Right {
    /// Whoever runs the deployment has to keep it.
    Fresh { lease: Lease, asked: u64 },
    /// The keeper has it already.
    Kept(Lease),
}

impl Right {
    pub(crate) fn lease(&self) -> &Lease {
        match self {
            Right::Fresh { lease, .. } | Right::Kept(lease) => lease,
        }
    }
}

/// A deployment that runs in this process, as the keeper sees it.
pub(crate) struct Holder {
    /// Who hears that it is lost, or is to stop.
    pub(crate) said: UnboundedSender<Said>,
    /// The first moment at which the lease may have run out.
    pub(crate) until: Arc<AtomicU64>,
}

/// Why a deployment is not worked on here any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// It has ended, or another has it.
    Ended,
    /// The store does not answer: whoever can may have it.
    GaveUp,
    /// It went wrong in a way that it would again.
    Parked,
}

/// What is done with a deployment that was claimed.
pub(crate) type TakeUp = Box<dyn Fn(Claimed) + Send>;

enum Message {
    Hold { lease: Lease, asked: u64, holder: Holder },
    Attach { fence: Fence, holder: Holder },
    Over(Fence, Over),
    TakeUp(TakeUp),
    Hint,
    Drain(Sender<()>),
    Stop,
}

/// Keeps the leases of a process.
pub(crate) struct Keeper {
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts to keep leases on a store.
    pub(crate) fn start(store: Arc<dyn Store>) -> Keeper {
        let (messages, incoming) = channel();
        let hints = messages.clone();
        store.listen(Box::new(move || drop(hints.send(Message::Hint))));
        let seed =
            random().map_or(0, |bytes| u64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default()));
        let thread = thread::spawn(move || {
            let node = Node::new(Pace::USUAL, seed, monotonic());
            let mut keeping = Keeping { store, node, holders: BTreeMap::new(), take_up: None };
            keeping.run(&incoming);
        });
        Keeper { messages, thread: Some(thread) }
    }

    fn send(&self, message: Message) {
        // The thread ends when the keeper does.
        let _ = self.messages.send(message);
    }

    /// Keeps the lease of a deployment for whoever runs it.
    pub(crate) fn hold(&self, right: Right, holder: Holder) {
        self.send(match right {
            Right::Fresh { lease, asked } => {
                // Good at once, for those who do not want to wait for the thread.
                holder.until.store(Pace::USUAL.good_until(asked), Ordering::Relaxed);
                Message::Hold { lease, asked, holder }
            }
            Right::Kept(lease) => Message::Attach { fence: lease.fence, holder },
        });
    }

    /// A deployment is not worked on here any more.
    pub(crate) fn over(&self, fence: Fence, over: Over) {
        self.send(Message::Over(fence, over));
    }

    /// Begins to claim what nobody works on.
    pub(crate) fn take_up(&self, take_up: TakeUp) {
        self.send(Message::TakeUp(take_up));
    }

    /// Gives all leases back and claims no more; what runs is told that it is lost. Waits until the store knows.
    pub(crate) fn drain(&self) {
        let (done, wait) = channel();
        self.send(Message::Drain(done));
        let _ = wait.recv();
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.send(Message::Stop);
        // The last one to let go may be something that the thread itself has just done.
        if let Some(thread) = self.thread.take().filter(|it| it.thread().id() != thread::current().id()) {
            let _ = thread.join();
        }
    }
}

struct Keeping {
    store: Arc<dyn Store>,
    node: Node,
    holders: BTreeMap<Fence, Holder>,
    take_up: Option<TakeUp>,
}

impl Keeping {
    fn run(&mut self, incoming: &Receiver<Message>) {
        loop {
            let patience = match self.node.wake() {
                Some(wake) => Duration::from_millis(wake.saturating_sub(monotonic())).min(LONGEST),
                None => LONGEST,
            };
            match incoming.recv_timeout(patience) {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => self.handle(Event::Tick),
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Hold { lease, asked, holder } => {
                self.holders.insert(lease.fence, holder);
                self.handle(Event::Began { lease, asked });
            }
            Message::Attach { fence, holder } => {
                let Some((until, canceled)) = self.node.look(fence) else {
                    return holder.say(Said::Event(core::Event::Fenced));
                };
                holder.good(until);
                if canceled {
                    holder.say(Said::Event(core::Event::Cancel));
                }
                self.holders.insert(fence, holder);
            }
            Message::Over(fence, over) => {
                self.holders.remove(&fence);
                self.handle(match over {
                    Over::Ended => Event::Ended(fence),
                    Over::GaveUp => Event::GaveUp(fence),
                    Over::Parked => Event::Parked(fence),
                });
            }
            Message::TakeUp(take_up) => {
                self.take_up = Some(take_up);
                self.node.start_claiming(monotonic());
                self.handle(Event::Tick);
            }
            Message::Hint => self.handle(Event::Hint),
            Message::Drain(done) => {
                self.handle(Event::Drain);
                self.take_up = None;
                let _ = done.send(());
            }
            Message::Stop => {}
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
                        holder.say(Said::Event(core::Event::Cancel));
                    }
                    continue;
                }
                Command::Lost(fence) => {
                    if let Some(holder) = self.holders.remove(&fence) {
                        holder.say(Said::Event(core::Event::Fenced));
                    }
                    continue;
                }
            };
            commands.extend(self.node.handle(answer, monotonic()));
        }
    }
}

impl Holder {
    fn say(&self, said: Said) {
        // Whoever ran it may have just stopped.
        let _ = self.said.send(said);
    }

    fn good(&self, until: u64) {
        self.until.store(until, Ordering::Relaxed);
        self.say(Said::Good);
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

/// The lease that a batch takes which begins a run: the first one.
pub(crate) fn first_lease(run: RunId, owner: String) -> Lease {
    Lease { run, owner, fence: Fence { run, number: 1 }, until: 0, canceled: false }
}
