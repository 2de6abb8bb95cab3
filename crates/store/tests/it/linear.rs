//! Nodes that write at once on PostgreSQL, over connections that are cut: what they were told must fit one order of events.
//!
//! Every call is recorded with its beginning, its end and its answer. A search then looks for an order in which a model that does one
//! thing after the other gives the same answers, and in which nothing happens before it was asked for or after it was answered.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::support::proxy::{Fault, Proxy};
use crate::support::{address, batch, deployment, new_schema, open, resource, server, settled};
use store::{
    BatchId, Claim, Commit, CommitOutcome, Condition, Deployment, DeploymentKey, Fence, PostgresStore,
    ResourceId, RunId, Status, Store, Write,
};

/// How many histories are recorded.
const ROUNDS: u64 = 15;
/// How many nodes write at once.
const NODES: u64 = 4;
/// How many calls each of them makes.
const CALLS: u64 = 8;

/// Numbers that a seed decides.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Asked {
    Commit(Commit),
    Claim { run: RunId, owner: String },
    Release(Fence),
    Version(ResourceId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Outcome(CommitOutcome),
    Granted(u64),
    Taken(String),
    Gone,
    Released,
    Version(Option<u64>),
}

/// A call that was made.
#[derive(Clone, Debug)]
struct Event {
    begin: u64,
    end: u64,
    asked: Asked,
    answer: Answer,
}

/// What a store is, one thing after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Model {
    deployments: BTreeMap<DeploymentKey, (RunId, bool)>,
    leases: BTreeMap<RunId, (Option<String>, u64)>,
    resources: BTreeMap<ResourceId, u64>,
    batches: BTreeSet<BatchId>,
}

impl Model {
    fn answer(&mut self, asked: &Asked) -> Answer {
        match asked {
            Asked::Commit(commit) => Answer::Outcome(self.commit(commit)),
            Asked::Claim { run, owner } => {
                if !self.deployments.values().any(|(of, active)| of == run && *active) {
                    return Answer::Gone;
                }
                let lease = self.leases.entry(*run).or_insert((None, 0));
                if let Some(owner) = &lease.0 {
                    return Answer::Taken(owner.clone());
                }
                *lease = (Some(owner.clone()), lease.1 + 1);
                Answer::Granted(lease.1)
            }
            Asked::Release(fence) => {
                if let Some(lease) = self.leases.get_mut(&fence.run).filter(|lease| lease.1 == fence.number) {
                    lease.0 = None;
                }
                Answer::Released
            }
            Asked::Version(id) => Answer::Version(self.resources.get(id).copied()),
        }
    }

    fn commit(&mut self, commit: &Commit) -> CommitOutcome {
        if self.batches.contains(&commit.id) {
            return CommitOutcome::Committed;
        }
        let is_held = |fence: Fence| {
            self.leases.get(&fence.run).is_some_and(|it| it.0.is_some() && it.1 == fence.number)
        };
        if commit.fence.is_some_and(|fence| !is_held(fence)) {
            return CommitOutcome::Fenced;
        }
        let holds = |condition: &Condition| match condition {
            Condition::NotActive(key) => self.deployments.get(key).is_none_or(|(_, active)| !active),
            Condition::Current(key, run) => self.deployments.get(key).is_some_and(|(of, _)| of == run),
            Condition::ResourceVersion(id, version) => self.resources.get(id).copied() == *version,
            Condition::Present(id) => self.resources.contains_key(id),
            Condition::NoResource(like) => !self.resources.keys().any(|id| like.is(id)),
        };
        if let Some(condition) = commit.conditions.iter().position(|condition| !holds(condition)) {
            return CommitOutcome::Conflict { condition };
        }
        for write in &commit.writes {
            match write {
                Write::Deployment(it) => {
                    let old = self.deployments.insert(it.key.clone(), (it.run, it.status == Status::Active));
                    if let Some((old, _)) = old.filter(|(old, _)| *old != it.run) {
                        self.leases.remove(&old);
                        self.batches.retain(|batch| batch.run != old);
                    }
                }
                Write::Resource(it) => *self.resources.entry(ResourceId::new(&it.id)).or_default() += 1,
                Write::DeleteResource(id) => drop(self.resources.remove(id)),
                other => panic!("{other:?} is not part of the model"),
            }
        }
        self.batches.insert(commit.id);
        CommitOutcome::Committed
    }
}

/// Whether there is an order that explains all answers.
fn is_linear(events: &[Event]) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![(0u64, Model::default())];
    let all = (1u64 << events.len()) - 1;
    while let Some((done, model)) = open.pop() {
        if done == all {
            return true;
        }
        let left = || (0..events.len()).filter(|at| done & (1 << at) == 0);
        let first_end = left().map(|at| events[at].end).min().unwrap();
        for at in left().filter(|at| events[*at].begin < first_end) {
            let mut next = model.clone();
            if next.answer(&events[at].asked) == events[at].answer
                && seen.insert((done | 1 << at, next.clone()))
            {
                open.push((done | 1 << at, next));
            }
        }
    }
    false
}

fn name(number: u64) -> DeploymentKey {
    DeploymentKey::new("/s", &format!("d{number}"))
}

fn id(number: u64) -> ResourceId {
    ResourceId::new(&format!("/r{number}"))
}

/// A batch on few names, so that nodes are in each other's way.
fn any_commit(random: &mut Random, node: u64, call: u64, fences: &[Fence]) -> Commit {
    // Runs of different nodes, and of two deployments each.
    let run = RunId(u128::from(1 + node * 2 + random.below(2)));
    // The names of batches are those of runs that no deployment has: with a run, its batches are forgotten.
    let mut commit = batch(u128::from(1000 + node), call, Vec::new());
    for _ in 0..random.below(3) {
        commit.conditions.push(match random.below(5) {
            0 => Condition::NotActive(name(random.below(2))),
            1 => Condition::Current(name(random.below(2)), run),
            2 => Condition::Present(id(random.below(3))),
            _ => Condition::ResourceVersion(
                id(random.below(3)),
                Some(random.below(4)).filter(|version| *version > 0),
            ),
        });
    }
    for _ in 0..=random.below(2) {
        commit.writes.push(match random.below(5) {
            0 => {
                let status = if random.below(2) == 0 { Status::Active } else { Status::Ended };
                let kept = Deployment { key: name(run.0 as u64 % 2), ..deployment(run, status) };
                Write::Deployment(kept)
            }
            1 => Write::DeleteResource(id(random.below(3))),
            _ => resource(&format!("/R{}", random.below(3)), ""),
        });
    }
    if random.below(3) == 0 && !fences.is_empty() {
        commit.fence = Some(fences[random.below(fences.len() as u64) as usize]);
    }
    commit
}

/// What a node does, and what it was told.
fn play(store: &PostgresStore, clock: &AtomicU64, seed: u64, node: u64, proxy: Option<&Proxy>) -> Vec<Event> {
    let mut random = Random(seed * 1000 + node);
    let (mut events, mut fences) = (Vec::new(), Vec::new());
    for call in 0..CALLS {
        if let Some(proxy) = proxy {
            proxy.arm([Fault::None, Fault::CutBefore, Fault::CutAfter][random.below(3) as usize]);
        }
        let asked = match random.below(8) {
            0 => Asked::Version(id(random.below(3))),
            1 => {
                Asked::Claim { run: RunId(u128::from(1 + random.below(NODES * 2))), owner: node.to_string() }
            }
            2 if !fences.is_empty() => Asked::Release(fences[random.below(fences.len() as u64) as usize]),
            _ => Asked::Commit(any_commit(&mut random, node, call, &fences)),
        };
        let begin = clock.fetch_add(1, Ordering::SeqCst);
        let answer = match &asked {
            Asked::Commit(commit) => Answer::Outcome(settled(store, commit)),
            Asked::Claim { run, owner } => match store.claim(*run, owner, 3_600_000).unwrap() {
                Claim::Granted(lease) => {
                    fences.push(lease.fence);
                    Answer::Granted(lease.fence.number)
                }
                Claim::Taken { owner, .. } => Answer::Taken(owner),
                Claim::Gone => Answer::Gone,
            },
            Asked::Release(fence) => {
                let lease = store::Lease {
                    run: fence.run,
                    owner: node.to_string(),
                    fence: *fence,
                    until: 0,
                    canceled: false,
                };
                store.release(&[lease]).unwrap();
                Answer::Released
            }
            Asked::Version(id) => Answer::Version(store.resource(id).unwrap().map(|it| it.version)),
        };
        events.push(Event { begin, end: clock.fetch_add(1, Ordering::SeqCst), asked, answer });
    }
    events
}

#[test]
fn what_nodes_are_told_fits_one_order_of_events() {
    let (mut committed, mut refused) = (0, 0);
    for seed in 0..ROUNDS {
        let schema = new_schema();
        drop(open(&schema));
        let (clock, barrier) = (AtomicU64::new(0), Barrier::new(NODES as usize));
        let events: Vec<Event> = thread::scope(|scope| {
            let nodes: Vec<_> = (0..NODES)
                .map(|node| {
                    let (schema, clock, barrier) = (&schema, &clock, &barrier);
                    scope.spawn(move || {
                        // Half of the nodes have connections that are cut now and then.
                        let proxy = (node % 2 == 0).then(|| Proxy::to(server().port()));
                        let url = match &proxy {
                            Some(proxy) => format!(
                                "postgres://{}@127.0.0.1:{}/postgres",
                                postgres_server::USER,
                                proxy.port
                            ),
                            None => server().url("postgres"),
                        };
                        let store = PostgresStore::open(address(&url, schema)).unwrap();
                        barrier.wait();
                        play(&store, clock, seed, node, proxy.as_ref())
                    })
                })
                .collect();
            nodes.into_iter().flat_map(|node| node.join().unwrap()).collect()
        });
        committed +=
            events.iter().filter(|event| event.answer == Answer::Outcome(CommitOutcome::Committed)).count();
        refused += events
            .iter()
            .filter(|event| {
                matches!(
                    event.answer,
                    Answer::Outcome(CommitOutcome::Fenced | CommitOutcome::Conflict { .. })
                )
            })
            .count();
        assert!(is_linear(&events), "seed {seed}: no order explains\n{}", shown(&events));
    }
    assert!(
        committed > 100 && refused > 50,
        "the histories are worth something: {committed} written, {refused} refused"
    );
}

fn shown(events: &[Event]) -> String {
    let mut lines: Vec<_> = events
        .iter()
        .map(|it| (it.begin, format!("{}..{} {:?} -> {:?}", it.begin, it.end, it.asked, it.answer)))
        .collect();
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_search_finds_what_cannot_be() {
    let event = |begin, end, asked, answer| Event { begin, end, asked, answer };
    let create = |run: u128| {
        let mut create = batch(run, 1, vec![resource("/r0", "")]);
        create.conditions = vec![Condition::ResourceVersion(id(0), None)];
        Asked::Commit(create)
    };
    let written = || Answer::Outcome(CommitOutcome::Committed);
    let both = [event(0, 2, create(1), written()), event(1, 3, create(2), written())];
    assert!(!is_linear(&both), "one resource is not made twice");
    let refused = Answer::Outcome(CommitOutcome::Conflict { condition: 0 });
    let one = [event(0, 2, create(1), refused.clone()), event(1, 3, create(2), written())];
    assert!(is_linear(&one), "either may be first");
    let late = [event(0, 1, create(1), refused), event(2, 3, create(2), written())];
    assert!(!is_linear(&late), "what was answered was before what was asked later");
}
