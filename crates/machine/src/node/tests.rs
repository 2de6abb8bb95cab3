//! When a node looks for work, and what it takes.

use store::{Deployment, DeploymentKey, RunId, Status};

use super::*;

const PACE: LeaseTimings = LeaseTimings::USUAL;

fn lease(run: u128, number: u64) -> Lease {
    let run = RunId(run);
    Lease { run, owner: "n".to_owned(), fence: Fence { run, number }, until: 0, canceled: false }
}

fn claimed(run: u128, number: u64) -> Claimed {
    let lease = lease(run, number);
    let key = DeploymentKey::new("", &format!("d{run}"));
    let (run, status, body) = (lease.run, Status::Active, String::new());
    Claimed { deployment: Deployment { key, run, root: run, status, order: 0, format: 1, body }, lease }
}

fn node() -> NodeCore {
    NodeCore::new(PACE, 1, 0).claiming()
}

/// A node that has one deployment since 0.
fn busy() -> NodeCore {
    let mut node = NodeCore::new(PACE, 1, 0);
    node.handle(Event::Began { lease: lease(1, 1), asked: 0 }, 10);
    node
}

fn claims(commands: &[Command]) -> Option<usize> {
    commands.iter().find_map(|command| match command {
        Command::Claim { limit, .. } => Some(*limit),
        _ => None,
    })
}

fn renews(commands: &[Command]) -> usize {
    commands.iter().filter(|command| matches!(command, Command::Renew { .. })).count()
}

#[test]
fn it_claims_as_much_as_it_can_run_and_pauses_when_there_is_nothing() {
    let mut node = node();
    assert_eq!(claims(&node.handle(Event::Tick, 0)), Some(PACE.batch));
    assert_eq!(claims(&node.handle(Event::Tick, 1)), None, "one question at a time");
    let full = (0..PACE.batch as u128).map(|run| claimed(run, 1)).collect();
    let commands = node.handle(Event::Claimed(Some(full)), 5);
    assert_eq!(commands.iter().filter(|it| matches!(it, Command::Start(_))).count(), PACE.batch);
    assert_eq!(claims(&commands), Some(PACE.batch), "there may be more");
    assert_eq!(claims(&node.handle(Event::Claimed(Some(Vec::new())), 10)), None);
    let mut pauses = Vec::new();
    let mut now = 10;
    for _ in 0..6 {
        node.next_renew = u64::MAX;
        let wake = node.wake().unwrap();
        pauses.push(wake - now);
        now = wake;
        assert!(claims(&node.handle(Event::Tick, now)).is_some());
        node.handle(Event::Claimed(Some(Vec::new())), now);
    }
    let longest = PACE.claim_idle * 5 / 4;
    assert!(pauses.iter().all(|pause| (PACE.claim * 3 / 4..=longest).contains(pause)), "{pauses:?}");
    assert!(pauses.last() > pauses.first(), "{pauses:?}");
}

#[test]
fn it_takes_no_more_than_its_share() {
    let mut node = NodeCore::new(LeaseTimings { capacity: 3, ..PACE }, 1, 0).claiming();
    assert_eq!(claims(&node.handle(Event::Tick, 0)), Some(3));
    node.handle(Event::Claimed(Some(vec![claimed(1, 1), claimed(2, 1), claimed(3, 1)])), 1);
    assert_eq!(claims(&node.handle(Event::Tick, 1_000)), None);
    let freed = node.handle(Event::Ended(lease(2, 1).fence), 1_001);
    assert_eq!(claims(&freed), Some(1), "as soon as it has room");
}

#[test]
fn a_lease_is_good_from_when_it_was_asked_for() {
    let mut node = busy();
    let fence = lease(1, 1).fence;
    let end = PACE.lease - PACE.margin;
    assert!(node.may_call(fence, end - 1) && !node.may_call(fence, end));
    assert_eq!(renews(&node.handle(Event::Tick, PACE.renew)), 1);
    // The answer comes late: what counts is when it was asked for.
    let commands = node.handle(Event::Renewed(Some(vec![Some(lease(1, 1))])), 4_000);
    assert!(commands.contains(&Command::Good { fence, until: PACE.renew + end }));
    assert!(!node.may_call(fence, PACE.renew + end));
    assert!(!node.may_call(Fence { number: 2, ..fence }, 0), "of another claim it knows nothing");
}

#[test]
fn a_store_that_does_not_answer_is_asked_again_soon() {
    let mut node = busy();
    node.handle(Event::Tick, PACE.renew);
    node.handle(Event::Renewed(None), PACE.renew + 100);
    let wake = node.wake().unwrap();
    assert!(wake <= PACE.renew + 100 + PACE.renew / 2, "{wake}");
    assert_eq!(renews(&node.handle(Event::Tick, wake)), 1);
}

#[test]
fn what_is_lost_is_given_up_and_what_is_canceled_is_told_once() {
    let mut node = busy();
    node.handle(Event::Began { lease: lease(2, 7), asked: 0 }, 10);
    let stop = Lease { canceled: true, ..lease(2, 7) };
    node.handle(Event::Tick, PACE.renew);
    let commands = node.handle(Event::Renewed(Some(vec![None, Some(stop.clone())])), PACE.renew);
    assert!(commands.contains(&Command::Lost(lease(1, 1).fence)));
    assert!(commands.contains(&Command::Cancel(stop.fence)));
    assert_eq!(node.count(), 1);
    let wake = node.wake().unwrap();
    node.handle(Event::Tick, wake);
    let commands = node.handle(Event::Renewed(Some(vec![Some(stop)])), wake);
    assert!(!commands.iter().any(|it| matches!(it, Command::Cancel(_))));
}

#[test]
fn what_ended_while_it_was_renewed_is_not_lost() {
    let mut node = busy();
    node.handle(Event::Tick, PACE.renew);
    node.handle(Event::Ended(lease(1, 1).fence), PACE.renew);
    assert_eq!(node.handle(Event::Renewed(Some(vec![None])), PACE.renew), []);
}

#[test]
fn what_it_claims_again_it_had_lost() {
    let mut node = busy();
    node.start_claiming(0);
    node.handle(Event::Tick, 20);
    let commands = node.handle(Event::Claimed(Some(vec![claimed(1, 2)])), 30);
    assert_eq!(commands.first(), Some(&Command::Lost(lease(1, 1).fence)));
    assert!(matches!(commands.get(1), Some(Command::Start(_))));
    assert!(node.may_call(lease(1, 2).fence, 30) && !node.may_call(lease(1, 1).fence, 30));
}

#[test]
fn a_hint_makes_it_look_at_once() {
    let mut node = node();
    node.handle(Event::Tick, 0);
    node.handle(Event::Claimed(Some(Vec::new())), 0);
    assert!(node.wake().unwrap() > PACE.hint);
    node.handle(Event::Hint, 20);
    assert_eq!(node.wake(), Some(20 + PACE.hint));
    assert!(claims(&node.handle(Event::Tick, 20 + PACE.hint)).is_some());
    // One that comes while it asks is not lost.
    node.handle(Event::Hint, 40);
    node.handle(Event::Claimed(Some(Vec::new())), 41);
    assert_eq!(node.wake(), Some(41 + PACE.hint));
}

#[test]
fn a_node_that_stops_gives_back_what_it_has() {
    let mut node = busy();
    node.start_claiming(0);
    assert!(claims(&node.handle(Event::Tick, 20)).is_some());
    let commands = node.handle(Event::Drain, 30);
    let fence = lease(1, 1).fence;
    assert_eq!(commands, [Command::Lost(fence), Command::Release(vec![lease(1, 1)])]);
    // What comes too late goes back, too.
    let commands = node.handle(Event::Claimed(Some(vec![claimed(2, 1)])), 40);
    assert_eq!(commands, [Command::Lost(lease(2, 1).fence), Command::Release(vec![lease(2, 1)])]);
    assert_eq!(node.wake(), None);
}

#[test]
fn what_goes_wrong_is_left_alone_longer_each_time() {
    let mut node = NodeCore::new(PACE, 1, 0);
    let mut before = 0;
    for number in [1, 2, 5] {
        node.handle(Event::Began { lease: lease(1, number), asked: 0 }, 0);
        let commands = node.handle(Event::Parked(lease(1, number).fence), 0);
        let [Command::Park { milliseconds, .. }] = commands.as_slice() else { panic!("{commands:?}") };
        assert!(*milliseconds > before);
        before = *milliseconds;
    }
    node.handle(Event::Began { lease: lease(1, 9), asked: 0 }, 0);
    let given = node.handle(Event::GaveUp(lease(1, 9).fence), 0);
    assert_eq!(given, [Command::Release(vec![lease(1, 9)])]);
}
