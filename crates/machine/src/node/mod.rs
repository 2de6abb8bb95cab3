//! What a node does about the leases on deployments: events in, commands out.
//!
//! Several nodes share one state. Each of them claims deployments that nobody works on, keeps the leases on those that it runs, and
//! gives them up once another has them. [`NodeCore`] decides when; whoever runs it asks the store ([`Command`]) and tells it what came
//! of it ([`Event`]). Like the machine of a deployment it reads no clock, starts no task and rolls no dice, so the same node runs in
//! a server and, many at a time, in the simulator.
//!
//! Time is in milliseconds of a clock of this node that never goes back. It need not agree with any other clock: what is compared
//! with it was read from it.
//!
//! - The fence in the store decides who may write. That a node stops on its own when its lease may have run out
//!   ([`NodeCore::may_call`]) keeps it from calling providers in vain; it is not what safety rests on.
//! - A lease counts from the moment at which it was asked for, so an answer that comes late makes nobody believe in it for too long.

mod pace;

use std::collections::BTreeMap;

use store::{Claimed, Fence, Lease, RunId};

pub use pace::LeaseTimings;

/// What has happened at a node, as its runtime tells it.
#[derive(Clone, Debug)]
pub enum Event {
    /// Time has passed, at least until [`NodeCore::wake`].
    Tick,
    /// There may be something to do, somebody says.
    Hint,
    /// A deployment was accepted here, together with its lease.
    Began {
        /// The lease, which the store granted with the batch that accepted the deployment.
        lease: Lease,
        /// When it was asked for.
        asked: u64,
    },
    /// What the store said to [`Command::Claim`]; none if it gave no answer.
    Claimed(Option<Vec<Claimed>>),
    /// What the store said to [`Command::Renew`]; none if it gave no answer.
    Renewed(Option<Vec<Option<Lease>>>),
    /// The deployment is not worked on here any more, and there is nothing to give back.
    Ended(Fence),
    /// It cannot go on here for now: others may have it at once.
    GaveUp(Fence),
    /// It goes wrong here, and would again: others may have it, after a while.
    Parked(Fence),
    /// The node is about to stop.
    Drain,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Claim deployments that nobody works on.
    Claim {
        /// At most so many.
        limit: usize,
        /// For so long, in milliseconds.
        milliseconds: u64,
    },
    /// Renew leases of this node; the answer is [`Event::Renewed`].
    Renew {
        /// The leases as they were told last; the answer has their order.
        leases: Vec<Lease>,
        /// For so long, in milliseconds.
        milliseconds: u64,
    },
    /// Renew a lease that nobody here uses, so that others leave the deployment alone for a while. Nobody waits for the answer.
    Park {
        /// The lease of the deployment that was parked.
        lease: Lease,
        /// For so long, in milliseconds.
        milliseconds: u64,
    },
    /// Give leases back. Nobody waits for the answer: one that is not given back runs out.
    Release(Vec<Lease>),
    /// Take up a deployment.
    Start(Box<Claimed>),
    /// The lease is good until then; calls that were held back can be made.
    Good {
        /// The lease, by its fence.
        fence: Fence,
        /// The first moment at which it may have run out.
        until: u64,
    },
    /// Somebody asked the deployment to stop.
    Cancel(Fence),
    /// Another has taken the deployment over: stop working on it.
    Lost(Fence),
}

/// A lease that this node has, as far as it knows.
#[derive(Clone, Debug)]
struct HeldLease {
    lease: Lease,
    /// The first moment at which it may have run out.
    until: u64,
    /// Whether the deployment was told that somebody wants it to stop.
    told: bool,
}

/// The leases of a node.
#[derive(Clone, Debug)]
pub struct NodeCore {
    pace: LeaseTimings,
    held: BTreeMap<store::RunId, HeldLease>,
    /// When the store was asked to claim, if it has not answered.
    claiming: Option<(u64, usize)>,
    /// When the store was asked to renew what, if it has not answered.
    renewing: Option<(u64, Vec<Fence>)>,
    next_claim: u64,
    next_renew: u64,
    /// How often nothing was found.
    idle: u32,
    /// Whether a hint came while the store was asked.
    hinted: bool,
    claims: bool,
    drained: bool,
    /// What makes the pauses of nodes differ.
    mixed: u64,
}

impl NodeCore {
    /// A node that works at a pace. Nodes with other seeds pause a little differently, so that they do not all ask at once.
    pub fn new(pace: LeaseTimings, seed: u64, now: u64) -> NodeCore {
        NodeCore {
            pace,
            held: BTreeMap::new(),
            claiming: None,
            renewing: None,
            next_claim: now,
            next_renew: now.saturating_add(pace.renew),
            idle: 0,
            hinted: false,
            claims: false,
            drained: false,
            mixed: seed,
        }
    }

    /// The same, which also claims what nobody works on.
    #[must_use]
    pub fn claiming(self) -> NodeCore {
        NodeCore { claims: true, ..self }
    }

    /// Begins to claim what nobody works on.
    pub fn start_claiming(&mut self, now: u64) {
        self.claims = true;
        self.next_claim = now;
    }

    /// How many deployments it has.
    pub fn count(&self) -> usize {
        self.held.len()
    }

    /// Whether providers may be called for a deployment now: its lease cannot have run out.
    pub fn may_call(&self, fence: Fence, now: u64) -> bool {
        self.get(fence).is_some_and(|held| now < held.until)
    }

    /// The first moment at which a lease may have run out, and whether somebody asked its deployment to stop; none for one that this
    /// node does not have.
    pub fn look(&self, fence: Fence) -> Option<(u64, bool)> {
        self.get(fence).map(|held| (held.until, held.told))
    }

    /// When it wants to hear [`Event::Tick`]; none if nothing is to come by itself.
    pub fn wake(&self) -> Option<u64> {
        let claim = (self.wants_more() && self.claiming.is_none()).then_some(self.next_claim);
        let renew = (!self.held.is_empty() && self.renewing.is_none()).then_some(self.next_renew);
        claim.into_iter().chain(renew).min()
    }

    /// Takes an event, and says what is to be done about it.
    pub fn handle(&mut self, event: Event, now: u64) -> Vec<Command> {
        let mut out = Vec::new();
        match event {
            Event::Tick => {}
            Event::Hint => self.hint(now),
            Event::Began { lease, asked } => self.hold(lease, asked, &mut out),
            Event::Claimed(claimed) => self.claimed(claimed, now, &mut out),
            Event::Renewed(renewed) => self.renewed(renewed, now, &mut out),
            Event::Ended(fence) => drop(self.let_go(fence)),
            Event::GaveUp(fence) => {
                out.extend(self.let_go(fence).map(|held| Command::Release(vec![held.lease])))
            }
            Event::Parked(fence) => {
                let milliseconds = self.pace.park(fence.number);
                out.extend(self.let_go(fence).map(|held| Command::Park { lease: held.lease, milliseconds }));
            }
            Event::Drain => self.drain(&mut out),
        }
        self.ask(now, &mut out);
        out
    }

    fn get(&self, fence: Fence) -> Option<&HeldLease> {
        self.held.get(&fence.run).filter(|held| held.lease.fence == fence)
    }

    fn let_go(&mut self, fence: Fence) -> Option<HeldLease> {
        self.get(fence)?;
        self.held.remove(&fence.run)
    }

    fn wants_more(&self) -> bool {
        self.claims && !self.drained && self.held.len() < self.pace.capacity
    }

    /// Asks the store what is due.
    fn ask(&mut self, now: u64, out: &mut Vec<Command>) {
        let milliseconds = self.pace.lease;
        if self.renewing.is_none() && now >= self.next_renew && !self.held.is_empty() {
            let leases: Vec<Lease> = self.held.values().map(|held| held.lease.clone()).collect();
            self.renewing = Some((now, leases.iter().map(|lease| lease.fence).collect()));
            out.push(Command::Renew { leases, milliseconds });
        }
        if self.claiming.is_none() && now >= self.next_claim && self.wants_more() {
            let limit = self.pace.batch.min(self.pace.capacity.saturating_sub(self.held.len()));
            self.claiming = Some((now, limit));
            out.push(Command::Claim { limit, milliseconds });
        }
    }

    fn hint(&mut self, now: u64) {
        self.hinted = true;
        self.idle = 0;
        // Many hints at once are one.
        let soon = now.saturating_add(self.pace.hint);
        self.next_claim = self.next_claim.min(soon);
        self.next_renew = self.next_renew.min(soon);
    }

    fn hold(&mut self, lease: Lease, asked: u64, out: &mut Vec<Command>) {
        let until = self.pace.good_until(asked);
        let fence = lease.fence;
        if self.drained {
            return out.extend([Command::Lost(fence), Command::Release(vec![lease])]);
        }
        if self.held.is_empty() {
            self.next_renew = asked.saturating_add(self.pace.renew);
        }
        let told = lease.canceled;
        self.held.insert(fence.run, HeldLease { lease, until, told });
        out.push(Command::Good { fence, until });
        if told {
            out.push(Command::Cancel(fence));
        }
    }

    fn claimed(&mut self, claimed: Option<Vec<Claimed>>, now: u64, out: &mut Vec<Command>) {
        let Some((asked, limit)) = self.claiming.take() else { return };
        let found = claimed.as_ref().map_or(0, Vec::len);
        for claimed in claimed.into_iter().flatten() {
            let lease = claimed.lease.clone();
            // It ran out here and nobody had noticed.
            out.extend(self.held.remove(&lease.run).map(|old| Command::Lost(old.lease.fence)));
            if !self.drained {
                out.push(Command::Start(Box::new(claimed)));
            }
            self.hold(lease, asked, out);
        }
        if found == limit {
            // There may be more.
            self.idle = 0;
            self.next_claim = now;
        } else {
            self.idle = if found > 0 || self.hinted { 0 } else { self.idle.saturating_add(1) };
            self.next_claim = now.saturating_add(self.jitter(self.pace.pause(self.idle)));
        }
        if std::mem::take(&mut self.hinted) {
            self.next_claim = self.next_claim.min(now.saturating_add(self.pace.hint));
        }
    }

    fn renewed(&mut self, renewed: Option<Vec<Option<Lease>>>, now: u64, out: &mut Vec<Command>) {
        let Some((asked, fences)) = self.renewing.take() else { return };
        let Some(renewed) = renewed else {
            // Nobody knows; ask again soon, while the leases are good.
            self.next_renew = now.saturating_add(self.jitter(self.pace.renew / 4));
            return;
        };
        self.next_renew = asked.saturating_add(self.jitter(self.pace.renew)).max(now);
        let until = self.pace.good_until(asked);
        for (fence, lease) in fences.into_iter().zip(renewed) {
            // It may have ended, or been claimed again, since it was asked for.
            let Some(held) = self.held.get_mut(&fence.run).filter(|held| held.lease.fence == fence) else {
                continue;
            };
            let Some(lease) = lease else {
                self.held.remove(&fence.run);
                out.push(Command::Lost(fence));
                continue;
            };
            held.until = until;
            out.push(Command::Good { fence, until });
            if lease.canceled && !std::mem::replace(&mut held.told, true) {
                out.push(Command::Cancel(fence));
            }
            held.lease = lease;
        }
    }

    fn drain(&mut self, out: &mut Vec<Command>) {
        self.drained = true;
        let held = std::mem::take(&mut self.held);
        out.extend(held.values().map(|held| Command::Lost(held.lease.fence)));
        if !held.is_empty() {
            out.push(Command::Release(held.into_values().map(|held| held.lease).collect()));
        }
    }

    /// A time that is up to a quarter shorter or longer.
    fn jitter(&mut self, milliseconds: u64) -> u64 {
        self.mixed =
            self.mixed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let quarter = milliseconds / 4;
        (milliseconds - quarter).saturating_add((self.mixed >> 33) % (2 * quarter + 1))
    }
}

/// The lease that a batch takes which begins a run: the first one.
pub fn first_lease(run: RunId, owner: String) -> Lease {
    Lease { run, owner, fence: Fence { run, number: 1 }, until: 0, canceled: false }
}

#[cfg(test)]
mod tests;
