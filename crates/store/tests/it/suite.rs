//! What every store must do. A new store is one row of [`stores!`].

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use store::{
    BatchId, Claim, Commit, CommitOutcome, Condition, Deployment, DeploymentKey, Fence, Lease, Like,
    MemoryStore, Operation, Page, PageAfter, Phase, Resource, ResourceId, RunId, SqliteStore, Status,
    StepRecord, Store, Write,
};

/// A store under test, and how its clock is moved.
struct Tested {
    store: Arc<dyn Store>,
    wait: Box<dyn Fn(u64)>,
    folder: Option<PathBuf>,
}

impl Drop for Tested {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn memory() -> Tested {
    let store = Arc::new(MemoryStore::new());
    let clock = Arc::clone(&store);
    Tested { store, wait: Box::new(move |ms| clock.advance(i64::try_from(ms).unwrap())), folder: None }
}

/// A folder of its own for each test.
fn new_folder() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("tendon-store-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(name)
}

fn sqlite() -> Tested {
    let folder = new_folder();
    let store = Arc::new(SqliteStore::open(&folder).unwrap());
    let wait = Box::new(|ms| std::thread::sleep(std::time::Duration::from_millis(ms + 1)));
    Tested { store, wait, folder: Some(folder) }
}

/// A schema of its own for each test, in a server that all of them share.
fn postgres() -> Tested {
    let store = Arc::new(crate::support::open(&crate::support::new_schema()));
    let wait = Box::new(|ms| std::thread::sleep(std::time::Duration::from_millis(ms + 1)));
    Tested { store, wait, folder: None }
}

macro_rules! stores {
    ($($case:ident)*) => {
        mod in_memory {
            $(#[test] fn $case() { super::$case(&super::memory()); })*
        }
        mod in_sqlite {
            $(#[test] fn $case() { super::$case(&super::sqlite()); })*
        }
        mod in_postgres {
            $(#[test] fn $case() { super::$case(&super::postgres()); })*
        }
    };
}

stores! {
    a_batch_is_written_as_a_whole_or_not_at_all
    a_batch_sent_twice_is_written_once
    a_group_of_batches_has_an_answer_each
    one_deployment_of_a_name_is_active
    another_run_replaces_what_the_one_before_left
    a_batch_that_begins_a_run_is_not_written_again_after_the_run_was_forgotten
    a_lease_has_one_owner_and_every_claim_raises_the_fence
    who_lost_the_lease_writes_nothing
    a_released_lease_is_free_at_once
    a_batch_that_begins_a_run_can_take_its_lease
    what_nobody_works_on_is_found
    what_nobody_works_on_is_claimed_together
    a_wish_to_stop_reaches_whoever_has_the_lease
    runs_that_are_over_are_told
    listings_are_newest_first_and_come_in_pages
    runs_inside_of_another_are_found_by_it
    resources_have_versions_that_conditions_compare
    a_batch_can_ask_that_there_is_no_such_resource
    a_batch_can_ask_that_there_is_a_resource
    a_batch_can_ask_that_nothing_else_is_below_an_id
    resources_below_an_id_come_in_order
    erased_blobs_are_gone
    names_do_not_depend_on_case
    a_state_knows_the_key_that_it_is_used_with
}

const ONE: RunId = RunId(1);
const TWO: RunId = RunId(2);

fn key() -> DeploymentKey {
    DeploymentKey::new("/subscriptions/S/resourceGroups/G", "Main")
}

fn deployment(run: RunId, status: Status) -> Deployment {
    Deployment { key: key(), run, root: run, status, order: 7, format: 1, body: "{}".to_owned() }
}

fn batch(run: RunId, number: u64, writes: Vec<Write>) -> Commit {
    Commit { id: BatchId { run, number }, fence: None, conditions: Vec::new(), writes }
}

fn step(run: RunId, number: u32, phase: Phase) -> StepRecord {
    StepRecord { run, number, phase, format: 1, body: format!("step {number}") }
}

fn resource(id: &str, body: &str) -> Write {
    Write::Resource(Resource { id: id.to_owned(), version: 0, format: 1, body: body.to_owned() })
}

fn committed(store: &dyn Store, commit: Commit) {
    assert_eq!(store.commit(&[commit]), [CommitOutcome::Committed]);
}

fn accepted(store: &dyn Store, run: RunId) {
    committed(store, batch(run, 0, vec![Write::Deployment(deployment(run, Status::Active))]));
}

#[track_caller]
fn claimed(store: &dyn Store, run: RunId, owner: &str, milliseconds: u64) -> Lease {
    match store.claim(run, owner, milliseconds).unwrap() {
        Claim::Granted(lease) => lease,
        other => panic!("{owner} should have got the lease: {other:?}"),
    }
}

fn a_batch_is_written_as_a_whole_or_not_at_all(tested: &Tested) {
    let store = &*tested.store;
    let mut refused = batch(ONE, 1, vec![Write::Step(step(ONE, 0, Phase::Confirmed)), resource("/a", "{}")]);
    refused.conditions = vec![
        Condition::ResourceVersion(ResourceId::new("/a"), None),
        Condition::ResourceVersion(ResourceId::new("/b"), Some(1)),
    ];
    assert_eq!(store.commit(&[refused.clone()]), [CommitOutcome::Conflict { condition: 1 }]);
    assert_eq!(store.steps(ONE).unwrap(), []);
    assert_eq!(store.resource(&ResourceId::new("/a")).unwrap(), None);
    // What was refused was not written, so its name is free for another try.
    refused.conditions.pop();
    committed(store, refused);
    assert_eq!(store.steps(ONE).unwrap().len(), 1);
}

fn a_batch_sent_twice_is_written_once(tested: &Tested) {
    let store = &*tested.store;
    let commit = batch(ONE, 3, vec![resource("/a", "1")]);
    committed(store, commit.clone());
    committed(store, commit.clone());
    assert_eq!(store.commit(&[commit.clone(), commit]), [CommitOutcome::Committed, CommitOutcome::Committed]);
    assert_eq!(store.resource(&ResourceId::new("/a")).unwrap().unwrap().version, 1);
}

fn a_group_of_batches_has_an_answer_each(tested: &Tested) {
    let store = &*tested.store;
    let mut wrong = batch(ONE, 2, vec![resource("/b", "")]);
    wrong.conditions = vec![Condition::ResourceVersion(ResourceId::new("/a"), None)];
    let mut right = batch(ONE, 3, vec![resource("/c", "")]);
    right.conditions = vec![Condition::ResourceVersion(ResourceId::new("/a"), Some(1))];
    let mut fenced = batch(ONE, 4, vec![resource("/d", "")]);
    fenced.fence = Some(Fence { run: ONE, number: 1 });
    let group = [batch(ONE, 1, vec![resource("/a", "")]), wrong, right, fenced];
    let answers = [
        CommitOutcome::Committed,
        CommitOutcome::Conflict { condition: 0 },
        CommitOutcome::Committed,
        CommitOutcome::Fenced,
    ];
    assert_eq!(store.commit(&group), answers);
    let ids: Vec<String> = store.resources("", Page::ALL).unwrap().into_iter().map(|it| it.id).collect();
    assert_eq!(ids, ["/a", "/c"]);
}

fn one_deployment_of_a_name_is_active(tested: &Tested) {
    let store = &*tested.store;
    let accept = |run| {
        let mut accept = batch(run, 0, vec![Write::Deployment(deployment(run, Status::Active))]);
        accept.conditions = vec![Condition::NotActive(key())];
        accept
    };
    committed(store, accept(ONE));
    assert_eq!(store.commit(&[accept(TWO)]), [CommitOutcome::Conflict { condition: 0 }]);
    let mut end = batch(ONE, 1, vec![Write::Deployment(deployment(ONE, Status::Ended))]);
    end.conditions = vec![Condition::Current(key(), ONE)];
    committed(store, end);
    committed(store, accept(TWO));
    let mut late = batch(RunId(3), 0, vec![Write::DeleteDeployment(key())]);
    late.conditions = vec![Condition::Current(key(), ONE)];
    assert_eq!(store.commit(&[late]), [CommitOutcome::Conflict { condition: 0 }]);
}

fn another_run_replaces_what_the_one_before_left(tested: &Tested) {
    let store = &*tested.store;
    accepted(store, ONE);
    let operation = Operation { run: ONE, number: 1, format: 1, body: "put".to_owned() };
    let blob = Write::Blob { run: ONE, name: "inputs".to_owned(), bytes: vec![1] };
    let writes = vec![Write::Step(step(ONE, 0, Phase::Intended)), Write::Operation(operation.clone()), blob];
    committed(store, batch(ONE, 1, writes));
    assert_eq!(store.operations(ONE, Page::ALL).unwrap(), [operation]);
    accepted(store, TWO);
    assert_eq!(store.run(ONE).unwrap(), None);
    assert_eq!(store.deployment(&key()).unwrap().unwrap().run, TWO);
    assert_eq!(store.steps(ONE).unwrap(), []);
    assert_eq!(store.operations(ONE, Page::ALL).unwrap(), []);
    assert_eq!(store.blob(ONE, "inputs").unwrap(), None);
    committed(store, batch(TWO, 1, vec![Write::DeleteDeployment(key())]));
    assert_eq!(store.run(TWO).unwrap(), None);
    assert_eq!(store.deployment(&key()).unwrap(), None);
}

fn a_batch_that_begins_a_run_is_not_written_again_after_the_run_was_forgotten(tested: &Tested) {
    let store = &*tested.store;
    let begin = |run| {
        let conditions = vec![Condition::NotActive(key())];
        Commit { conditions, ..batch(run, 0, vec![Write::Deployment(deployment(run, Status::Ended))]) }
    };
    let forget = |run| batch(run, 0, vec![Write::DeleteDeployment(key())]);
    committed(store, begin(ONE));
    committed(store, begin(ONE));
    committed(store, forget(RunId(100)));
    assert_eq!(store.commit(&[begin(ONE)]), [CommitOutcome::Fenced]);
    assert_eq!(store.deployment(&key()).unwrap(), None);
    // The same if another run has taken its place, and within one group.
    committed(store, begin(TWO));
    committed(store, begin(RunId(3)));
    assert_eq!(store.commit(&[begin(TWO)]), [CommitOutcome::Fenced]);
    let together = store.commit(&[begin(RunId(3)), forget(RunId(101)), begin(RunId(3))]);
    assert_eq!(together, [CommitOutcome::Committed, CommitOutcome::Committed, CommitOutcome::Fenced]);
    assert_eq!(store.deployment(&key()).unwrap(), None);
}

fn a_lease_has_one_owner_and_every_claim_raises_the_fence(tested: &Tested) {
    let store = &*tested.store;
    assert_eq!(store.claim(ONE, "a", 60_000).unwrap(), Claim::Gone);
    accepted(store, ONE);
    let first = claimed(store, ONE, "a", 60_000);
    let Claim::Taken { owner, remaining } = store.claim(ONE, "b", 60_000).unwrap() else { panic!() };
    assert!(owner == "a" && remaining <= 60_000 && remaining > 0, "{owner} {remaining}");
    let kept = store.renew(std::slice::from_ref(&first), 120_000).unwrap().pop().flatten().unwrap();
    assert!(kept.until > first.until && kept.fence == first.fence);
    store.release(std::slice::from_ref(&kept)).unwrap();
    let second = claimed(store, ONE, "b", 60_000);
    assert!(second.fence > first.fence);
    assert_eq!(store.renew(std::slice::from_ref(&first), 60_000).unwrap(), [None]);
    committed(store, batch(ONE, 9, vec![Write::Deployment(deployment(ONE, Status::Ended))]));
    store.release(std::slice::from_ref(&second)).unwrap();
    assert_eq!(store.claim(ONE, "c", 1).unwrap(), Claim::Gone);
}

fn who_lost_the_lease_writes_nothing(tested: &Tested) {
    let store = &*tested.store;
    accepted(store, ONE);
    let first = claimed(store, ONE, "a", 20);
    let write = |number, lease: &Lease| {
        let mut write = batch(ONE, number, vec![Write::Step(step(ONE, 0, Phase::Confirmed))]);
        write.fence = Some(lease.fence);
        write
    };
    (tested.wait)(20);
    // A lease that ran out and that nobody took is still the last one.
    committed(store, write(1, &first));
    let second = claimed(store, ONE, "b", 60_000);
    assert_eq!(store.commit(&[write(2, &first)]), [CommitOutcome::Fenced]);
    // What was durable before stays so, whoever asks.
    assert_eq!(store.commit(&[write(1, &first)]), [CommitOutcome::Committed]);
    committed(store, write(2, &second));
}

fn a_released_lease_is_free_at_once(tested: &Tested) {
    let store = &*tested.store;
    accepted(store, ONE);
    let first = claimed(store, ONE, "a", 60_000);
    store.release(std::slice::from_ref(&first)).unwrap();
    let mut late = batch(ONE, 1, vec![resource("/a", "")]);
    late.fence = Some(first.fence);
    assert_eq!(store.commit(&[late]), [CommitOutcome::Fenced]);
    let second = claimed(store, ONE, "b", 60_000);
    // An owner that comes late cannot give away what is no longer its own.
    store.release(std::slice::from_ref(&first)).unwrap();
    assert!(matches!(store.claim(ONE, "c", 1).unwrap(), Claim::Taken { .. }));
    store.release(std::slice::from_ref(&second)).unwrap();
}

fn a_batch_that_begins_a_run_can_take_its_lease(tested: &Tested) {
    let store = &*tested.store;
    let lease = Write::Lease { run: ONE, owner: "a".to_owned(), milliseconds: 60_000 };
    committed(store, batch(ONE, 0, vec![Write::Deployment(deployment(ONE, Status::Active)), lease]));
    assert!(matches!(store.claim(ONE, "b", 1).unwrap(), Claim::Taken { .. }));
    assert!(store.abandoned(10).unwrap().is_empty());
    let mut write = batch(ONE, 1, vec![Write::Step(step(ONE, 0, Phase::Confirmed))]);
    write.fence = Some(Fence { run: ONE, number: 1 });
    committed(store, write.clone());
    let lease = Lease {
        run: ONE,
        owner: "a".to_owned(),
        fence: Fence { run: ONE, number: 1 },
        until: 0,
        canceled: false,
    };
    store.release(&[store.renew(&[lease], 60_000).unwrap().pop().flatten().unwrap()]).unwrap();
    assert_eq!(claimed(store, ONE, "b", 60_000).fence.number, 2);
    write.id.number = 2;
    assert_eq!(store.commit(&[write]), [CommitOutcome::Fenced]);
}

fn what_nobody_works_on_is_found(tested: &Tested) {
    let store = &*tested.store;
    let row = |run, root, name, order, status| {
        let key = DeploymentKey::new("", name);
        let row = Deployment { key, root, order, ..deployment(run, status) };
        batch(run, 0, vec![Write::Deployment(row)])
    };
    committed(store, row(ONE, ONE, "late", 20, Status::Active));
    committed(store, row(TWO, TWO, "early", 10, Status::Active));
    committed(store, row(RunId(3), TWO, "nested", 11, Status::Active));
    committed(store, row(RunId(4), RunId(4), "done", 5, Status::Ended));
    let found = || store.abandoned(10).unwrap().iter().map(|it| it.run.0).collect::<Vec<_>>();
    assert_eq!(found(), [2, 1]);
    assert_eq!(store.abandoned(1).unwrap().len(), 1);
    let lease = claimed(store, TWO, "a", 1_000);
    assert_eq!(found(), [1]);
    (tested.wait)(1_000);
    assert_eq!(found(), [2, 1]);
    store.renew(std::slice::from_ref(&lease), 60_000).unwrap().pop().flatten().unwrap();
    assert_eq!(found(), [1]);
    store.release(std::slice::from_ref(&lease)).unwrap();
    assert_eq!(found(), [2, 1]);
}

fn what_nobody_works_on_is_claimed_together(tested: &Tested) {
    let store = &*tested.store;
    for number in 1..=5_u32 {
        let (run, key) = (RunId(number.into()), DeploymentKey::new("/s", &format!("d{number}")));
        let order = i64::from(number);
        let it = Deployment { key, run, root: run, order, ..deployment(run, Status::Active) };
        committed(store, batch(run, 0, vec![Write::Deployment(it)]));
    }
    // One that is inside another, one that somebody has, and one that has ended are not for the taking.
    let inner = Deployment {
        key: DeploymentKey::new("/s", "inner"),
        root: ONE,
        ..deployment(RunId(6), Status::Active)
    };
    committed(store, batch(ONE, 1, vec![Write::Deployment(inner)]));
    let held = claimed(store, RunId(2), "first", 60_000);
    let ended = Deployment { key: DeploymentKey::new("/s", "d3"), ..deployment(RunId(3), Status::Ended) };
    committed(store, batch(RunId(3), 1, vec![Write::Deployment(ended)]));
    let numbers = |owner: &str, limit: usize| {
        let claimed = store.claim_abandoned(owner, 60_000, limit).unwrap();
        assert!(claimed.iter().all(|it| it.deployment.run == it.lease.run && it.lease.owner == owner));
        claimed.iter().map(|it| (it.lease.run.0, it.lease.fence.number)).collect::<Vec<_>>()
    };
    assert_eq!(numbers("second", 2), [(1, 1), (4, 1)], "the oldest first");
    assert_eq!(numbers("third", 9), [(5, 1)]);
    assert_eq!(numbers("fourth", 9), []);
    store.release(&[held]).unwrap();
    assert_eq!(numbers("fourth", 9), [(2, 2)], "every claim raises the fence");
}

fn a_wish_to_stop_reaches_whoever_has_the_lease(tested: &Tested) {
    let store = &*tested.store;
    assert!(!store.cancel(ONE).unwrap(), "there is no such deployment");
    accepted(store, ONE);
    let lease = claimed(store, ONE, "first", 60_000);
    assert!(!lease.canceled);
    assert!(store.cancel(ONE).unwrap());
    assert!(store.cancel(ONE).unwrap(), "it may be asked again");
    let renewed = store.renew(std::slice::from_ref(&lease), 60_000).unwrap().pop().flatten().unwrap();
    assert_eq!((renewed.canceled, renewed.fence), (true, lease.fence));
    store.release(&[renewed]).unwrap();
    let next = store.claim_abandoned("second", 60_000, 1).unwrap().pop().unwrap().lease;
    assert!(next.canceled && next.fence > lease.fence, "whoever takes over learns of it");
    let ended = Write::Deployment(deployment(ONE, Status::Ended));
    committed(store, Commit { fence: Some(next.fence), ..batch(ONE, 1, vec![ended]) });
    assert!(!store.cancel(ONE).unwrap(), "it has ended");
    accepted(store, TWO);
    assert!(store.cancel(TWO).unwrap(), "before anybody works on it");
    assert!(claimed(store, TWO, "first", 60_000).canceled);
    assert!(!store.cancel(ONE).unwrap(), "it was replaced");
}

fn runs_that_are_over_are_told(tested: &Tested) {
    let store = &*tested.store;
    accepted(store, ONE);
    assert_eq!(store.are_over(&[ONE, TWO]).unwrap(), [false, true]);
    committed(store, batch(ONE, 1, vec![Write::Deployment(deployment(ONE, Status::Ended))]));
    assert_eq!(store.are_over(&[ONE]).unwrap(), [true]);
    assert!(store.are_over(&[]).unwrap().is_empty());
}

fn listings_are_newest_first_and_come_in_pages(tested: &Tested) {
    let store = &*tested.store;
    for number in 0..5u8 {
        let scope = if number % 2 == 0 { "/subscriptions/A" } else { "/subscriptions/b" };
        let row = Deployment {
            key: DeploymentKey::new(scope, &format!("d{number}")),
            order: number.into(),
            ..deployment(RunId(number.into()), Status::Ended)
        };
        committed(store, batch(RunId(number.into()), 0, vec![Write::Deployment(row)]));
    }
    let names = |scope, skip, take| {
        let rows = store.deployments(scope, Page { skip, take }).unwrap();
        rows.iter().map(|row| row.key.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(None, 0, usize::MAX), ["d4", "d3", "d2", "d1", "d0"]);
    assert_eq!(names(Some("/SUBSCRIPTIONS/a"), 0, 9), ["d4", "d2", "d0"]);
    assert_eq!(names(Some("/subscriptions/a"), 1, 1), ["d2"]);
    assert_eq!(names(None, 4, 2), ["d0"]);
    assert_eq!(names(Some("/subscriptions/c"), 0, 2), [""; 0]);
    // A place stays where it is when others come and go, and what came at the same time has an order, too.
    let behind = |after: Option<(i64, RunId)>, take| {
        let rows = store.deployments_after(Some("/SUBSCRIPTIONS/a"), PageAfter { after, take }).unwrap();
        rows.iter().map(|row| row.key.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(behind(None, 2), ["d4", "d2"]);
    let key = DeploymentKey::new("/subscriptions/a", "d2");
    let other = Deployment {
        key: DeploymentKey::new("/subscriptions/A", "same"),
        order: 2,
        ..deployment(RunId(1000), Status::Ended)
    };
    committed(store, batch(RunId(1000), 0, vec![Write::Deployment(other)]));
    assert_eq!(behind(None, 3), ["d4", "same", "d2"]);
    assert_eq!(behind(Some((2, RunId(1000))), 9), ["d2", "d0"]);
    committed(store, batch(RunId(1000), 1, vec![Write::DeleteDeployment(key)]));
    assert_eq!(behind(Some((2, RunId(2))), 9), ["d0"]);
    assert_eq!(behind(Some((0, RunId(0))), 9), [""; 0]);
    let anywhere = store.deployments_after(None, PageAfter { after: Some((3, RunId(3))), take: 2 }).unwrap();
    assert_eq!(anywhere.iter().map(|row| row.key.name()).collect::<Vec<_>>(), ["same", "d1"]);
    let newest = store.deployments_after(None, PageAfter { after: None, take: 1 }).unwrap();
    assert_eq!(newest.first().map(|row| row.key.name()), Some("d4"));
}

fn runs_inside_of_another_are_found_by_it(tested: &Tested) {
    let store = &*tested.store;
    for (number, root) in [(1, 1), (2, 1), (3, 3), (4, 1)] {
        let row = Deployment {
            key: DeploymentKey::new("", &format!("d{number}")),
            root: RunId(root),
            order: 10 - i64::try_from(number).unwrap(),
            ..deployment(RunId(number), Status::Active)
        };
        committed(store, batch(RunId(number), 0, vec![Write::Deployment(row)]));
    }
    let found = |root| {
        let rows = store.runs(RunId(root)).unwrap();
        rows.iter().map(|row| row.key.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(1), ["d4", "d2", "d1"]);
    assert_eq!(found(3), ["d3"]);
    assert_eq!(found(2), [""; 0]);
}

fn resources_have_versions_that_conditions_compare(tested: &Tested) {
    let store = &*tested.store;
    let write = |number, version, body| {
        let mut write = batch(ONE, number, vec![resource("/Things/One", body)]);
        write.conditions = vec![Condition::ResourceVersion(ResourceId::new("/things/one"), version)];
        write
    };
    committed(store, write(1, None, "first"));
    assert_eq!(store.commit(&[write(2, None, "lost")]), [CommitOutcome::Conflict { condition: 0 }]);
    committed(store, write(3, Some(1), "second"));
    let found = store.resource(&ResourceId::new("/THINGS/one")).unwrap().unwrap();
    assert_eq!((found.id.as_str(), found.version, found.body.as_str()), ("/Things/One", 2, "second"));
    committed(store, batch(ONE, 4, vec![Write::DeleteResource(ResourceId::new("/things/ONE"))]));
    assert_eq!(store.resource(&ResourceId::new("/Things/One")).unwrap(), None);
}

fn a_batch_can_ask_that_there_is_no_such_resource(tested: &Tested) {
    let store = &*tested.store;
    let put = |run, id: &str| batch(RunId(run), 0, vec![resource(id, "body")]);
    let if_none = |run, below: &str, part: &str| {
        let conditions = vec![Condition::NoResource(Like::new(below, part))];
        Commit { conditions, ..batch(RunId(run), 0, vec![resource("/type", "changed")]) }
    };
    let used = [CommitOutcome::Conflict { condition: 0 }];
    committed(store, put(1, "/Groups/g/providers/Our.Things/Things/one"));
    committed(store, put(2, "/other/providers/Our.Things/others/two"));
    assert_eq!(store.commit(&[if_none(3, "/groups/", "/providers/our.things/things/")]), used);
    assert_eq!(store.commit(&[if_none(4, "/groups/g", "")]), used);
    committed(store, if_none(5, "/groups/", "/providers/our.things/others/"));
    committed(store, if_none(6, "/groups/h", ""));
    // Within one group, what a batch before puts counts.
    let asked = if_none(7, "/groups/", "/more/");
    let both = store.commit(&[put(8, "/groups/g/more/x"), asked]);
    assert_eq!(both, [CommitOutcome::Committed, CommitOutcome::Conflict { condition: 0 }]);
}

fn a_batch_can_ask_that_there_is_a_resource(tested: &Tested) {
    let store = &*tested.store;
    let if_there = |run| Commit {
        conditions: vec![Condition::Present(ResourceId::new("/Group"))],
        ..batch(RunId(run), 0, vec![resource("/group/one", "")])
    };
    assert_eq!(store.commit(&[if_there(1)]), [CommitOutcome::Conflict { condition: 0 }]);
    committed(store, batch(RunId(2), 0, vec![resource("/group", "")]));
    committed(store, if_there(3));
    // Whatever its version, and within one group as well.
    let deletes = batch(RunId(5), 0, vec![Write::DeleteResource(ResourceId::new("/group"))]);
    let put = batch(RunId(4), 0, vec![resource("/group", "again")]);
    let answers = store.commit(&[put, if_there(6), deletes, if_there(7)]);
    let conflict = CommitOutcome::Conflict { condition: 0 };
    assert_eq!(
        answers,
        [CommitOutcome::Committed, CommitOutcome::Committed, CommitOutcome::Committed, conflict]
    );
    assert_eq!(store.resource(&ResourceId::new("/group/one")).unwrap().unwrap().version, 2);
}

fn a_batch_can_ask_that_nothing_else_is_below_an_id(tested: &Tested) {
    let store = &*tested.store;
    let ids = ["/g/A", "/g/b"].map(ResourceId::new);
    let delete = |run: u128, known: &[ResourceId]| Commit {
        conditions: vec![Condition::NoResource(Like::new("/g/", "").except(known.to_vec()))],
        ..batch(RunId(run), 0, known.iter().cloned().map(Write::DeleteResource).collect())
    };
    committed(
        store,
        batch(RunId(1), 0, vec![resource("/g", ""), resource("/g/a", ""), resource("/g/B", "")]),
    );
    assert_eq!(store.commit(&[delete(2, &ids[..1])]), [CommitOutcome::Conflict { condition: 0 }]);
    assert_eq!(store.commit(&[delete(3, &ids[1..])]), [CommitOutcome::Conflict { condition: 0 }]);
    committed(store, delete(4, &ids));
    assert_eq!(store.resources("/g/", Page::ALL).unwrap(), []);
    committed(store, delete(5, &[]));
}

fn resources_below_an_id_come_in_order(tested: &Tested) {
    let store = &*tested.store;
    let ids = ["/g/b", "/g/A/x", "/g/a", "/g/\u{10ffff}", "/h", "/g", "/G/c%_"];
    let writes = ids.iter().map(|id| resource(id, "")).collect();
    committed(store, batch(ONE, 1, writes));
    let found = |below, page| {
        let rows = store.resources(below, page).unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(found("/g/", Page::ALL), ["/g/a", "/g/A/x", "/g/b", "/G/c%_", "/g/\u{10ffff}"]);
    assert_eq!(found("/G/A", Page::ALL), ["/g/a", "/g/A/x"]);
    assert_eq!(found("/g/", Page { skip: 1, take: 2 }), ["/g/A/x", "/g/b"]);
    assert_eq!(found("", Page::ALL).len(), ids.len());
    assert_eq!(found("%", Page::ALL), [""; 0]);
    let behind = |below, after: &str, take| {
        let rows = store.resources_after(below, &ResourceId::new(after), take).unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(behind("/g/", "", 2), ["/g/a", "/g/A/x"]);
    assert_eq!(behind("/g/", "/g/A", 2), ["/g/A/x", "/g/b"]);
    assert_eq!(behind("/g/", "/g/aa", 9), ["/g/b", "/G/c%_", "/g/\u{10ffff}"]);
    assert_eq!(behind("/g/", "/g/\u{10ffff}", 9), [""; 0]);
    assert_eq!(behind("", "/g/b", 9), ["/G/c%_", "/g/\u{10ffff}", "/h"]);
}

fn erased_blobs_are_gone(tested: &Tested) {
    let store = &*tested.store;
    let blob = |bytes: &[u8]| Write::Blob { run: ONE, name: "secrets".to_owned(), bytes: bytes.to_vec() };
    committed(store, batch(ONE, 1, vec![blob(b"one")]));
    committed(store, batch(ONE, 2, vec![blob(b"two")]));
    assert_eq!(store.blob(ONE, "secrets").unwrap().unwrap(), b"two");
    assert_eq!(store.blob(TWO, "secrets").unwrap(), None);
    committed(store, batch(ONE, 3, vec![Write::DeleteBlob { run: ONE, name: "secrets".to_owned() }]));
    assert_eq!(store.blob(ONE, "secrets").unwrap(), None);
}

fn names_do_not_depend_on_case(tested: &Tested) {
    let store = &*tested.store;
    accepted(store, ONE);
    let other = DeploymentKey::new("/SUBSCRIPTIONS/s/RESOURCEGROUPS/g", "MAIN");
    assert_eq!(store.deployment(&other).unwrap().unwrap().run, ONE);
}

fn a_state_knows_the_key_that_it_is_used_with(tested: &Tested) {
    let store = &*tested.store;
    let (one, other) = (store::Key::random().unwrap(), store::Key::random().unwrap());
    assert_eq!(store::kept_key_check(store).unwrap(), None);
    assert!(store::is_key_of(store, &one).unwrap());
    assert!(store::is_key_of(store, &one).unwrap());
    assert!(!store::is_key_of(store, &other).unwrap());
    assert_eq!(store::kept_key_check(store).unwrap(), Some(store::key_check(&one).unwrap()));
}

#[test]
fn what_sqlite_committed_is_there_when_it_is_opened_again() {
    let folder = new_folder();
    let store = SqliteStore::open(&folder).unwrap();
    accepted(&store, ONE);
    committed(&store, batch(ONE, 1, vec![Write::Step(step(ONE, 4, Phase::Intended)), resource("/a", "{}")]));
    // A process that is killed closes nothing.
    std::mem::forget(store);
    let again = SqliteStore::open(&folder).unwrap();
    assert_eq!(again.steps(ONE).unwrap(), [step(ONE, 4, Phase::Intended)]);
    assert_eq!(again.resources("", Page::ALL).unwrap().len(), 1);
    assert_eq!(again.abandoned(9).unwrap().len(), 1);
    drop(again);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn two_that_open_and_write_the_same_folder_take_turns() {
    let folder = new_folder();
    std::thread::scope(|scope| {
        for writer in 0..4u64 {
            let folder = &folder;
            scope.spawn(move || {
                let store = SqliteStore::open(folder).unwrap();
                for number in 0..25 {
                    let id = format!("/{writer}/{number:02}");
                    committed(&store, batch(RunId(writer.into()), number, vec![resource(&id, "")]));
                }
            });
        }
    });
    let store = SqliteStore::open(&folder).unwrap();
    assert_eq!(store.resources("", Page::ALL).unwrap().len(), 100);
    drop(store);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn state_of_a_newer_program_is_refused() {
    let folder = new_folder();
    drop(SqliteStore::open(&folder).unwrap());
    let database = rusqlite::Connection::open(folder.join("state.db")).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    let error = SqliteStore::open(&folder).unwrap_err().to_string();
    assert!(error.contains("version 99"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}
