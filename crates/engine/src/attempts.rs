//! How often a deployment was begun without getting on: one that ends the process that works on it must not end every process that resumes it.
//!
//! Each start is counted before anything of the deployment is read, and the count is durable before work begins. A process that is stopped in
//! good order takes its count back.

pub(crate) use machine::attempts::{ATTEMPTS, StartCount};
use store::{BatchId, Commit, CommitOutcome, Fence, Lease, RunId, Store, StoreError, Write};

/// The numbers of the batches that count, behind all others of a lease.
const SURVIVED: u64 = 0xFFFF_FFFD;
const COUNT: u64 = 0xFFFF_FFFE;
const TAKE_BACK: u64 = 0xFFFF_FFFF;

/// Counts a start; false if the deployment was begun too often and must not be begun again.
pub(crate) fn count_start(store: &dyn Store, lease: &Lease) -> Result<bool, String> {
    let run = lease.run;
    let kept = store.blob(run, ATTEMPTS).map_err(|error| error.to_string())?;
    let steps = ended_steps(store, run).map_err(|error| error.to_string())?;
    let Some(count) = StartCount::of(kept.as_deref()).next(steps) else { return Ok(false) };
    let commit = counted(lease.fence, COUNT, count, Some(lease.fence));
    match store.commit(&[commit]).pop() {
        Some(CommitOutcome::Committed) => Ok(true),
        other => Err(format!("the start of the deployment was not counted: {other:?}")),
    }
}

/// Whether the next start of a deployment would be its last one.
pub(crate) fn is_last(store: &dyn Store, run: RunId) -> Result<bool, StoreError> {
    let kept = store.blob(run, ATTEMPTS)?;
    Ok(StartCount::of(kept.as_deref()).is_last(ended_steps(store, run)?))
}

/// Counts the starts of a deployment anew that began alone, and by which the process did not end.
pub(crate) fn survived(store: &dyn Store, fence: Fence) {
    let count = StartCount::SURVIVED;
    // Who has lost the lease meanwhile has shown it as well, and the next owner counts from what is kept.
    let _ = store.commit(&[counted(fence, SURVIVED, count, Some(fence))]);
}

/// Takes back what was counted for deployments that a process gives up in good order.
pub(crate) fn take_back(store: &dyn Store, fences: &[Fence]) {
    let none = StartCount::GIVEN_BACK;
    let commits: Vec<Commit> =
        fences.iter().map(|fence| counted(*fence, TAKE_BACK, none, Some(*fence))).collect();
    // Who has lost the lease meanwhile has nothing to take back, and the next start counts itself.
    let _ = store.commit(&commits);
}

fn counted(of: Fence, number: u64, count: StartCount, fence: Option<Fence>) -> Commit {
    let write = Write::Blob { run: of.run, name: ATTEMPTS.to_owned(), bytes: count.to_text().into_bytes() };
    let id = BatchId { run: of.run, number: (of.number << 32) | number };
    Commit { id, fence, conditions: Vec::new(), writes: vec![write] }
}

/// How many steps have ended, those of the deployments inside included.
fn ended_steps(store: &dyn Store, root: RunId) -> Result<u64, StoreError> {
    let mut all = 0;
    for run in store.runs(root)? {
        all += store.steps(run.run)?.len() as u64;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use store::{DeploymentKey, MemoryStore, Phase, Status, StepRecord};

    use super::*;

    const RUN: RunId = RunId(7);

    fn store() -> MemoryStore {
        let store = MemoryStore::new();
        let key = DeploymentKey::new("/subscriptions/s", "d");
        let deployment = store::Deployment {
            key,
            run: RUN,
            root: RUN,
            status: Status::Active,
            order: 1,
            format: 1,
            body: "{}".to_owned(),
        };
        write(&store, 0, None, Write::Deployment(deployment));
        store
    }

    fn write(store: &MemoryStore, number: u64, fence: Option<Fence>, write: Write) {
        let id = BatchId { run: RUN, number };
        let commit = Commit { id, fence, conditions: Vec::new(), writes: vec![write] };
        assert_eq!(store.commit(&[commit]), [CommitOutcome::Committed]);
    }

    /// Another process takes it over; tells whether it may begin.
    fn start(store: &MemoryStore) -> (bool, Lease) {
        let store::Claim::Granted(lease) = store.claim(RUN, "node", 0).unwrap() else {
            panic!("it is taken")
        };
        let may = count_start(store, &lease).unwrap_or_else(|_| panic!("it was not counted"));
        (may, lease)
    }

    #[test]
    fn a_deployment_is_begun_three_times_without_getting_on() {
        let store = store();
        // It was begun when it was accepted.
        assert!(start(&store).0);
        assert!(start(&store).0);
        assert!(!start(&store).0);
        assert!(!start(&store).0);
    }

    #[test]
    fn a_step_that_ended_and_an_orderly_stop_begin_the_count_anew() {
        let store = store();
        assert!(start(&store).0);
        let (may, lease) = start(&store);
        assert!(may);
        let (format, body) = (1, "{}".to_owned());
        let step = StepRecord { run: RUN, number: 0, phase: Phase::Confirmed, format, body };
        write(&store, lease.fence.number << 32, Some(lease.fence), Write::Step(step));
        for _ in 0..3 {
            assert!(start(&store).0);
        }
        take_back(&store, &[start_fence(&store)]);
        assert!(start(&store).0);
    }

    #[test]
    fn the_last_start_is_known_before_and_counted_anew_if_nothing_happened() {
        let store = store();
        assert!(!is_last(&store, RUN).unwrap());
        assert!(start(&store).0);
        assert!(is_last(&store, RUN).unwrap());
        let (may, lease) = start(&store);
        assert!(may && is_last(&store, RUN).unwrap());
        survived(&store, lease.fence);
        assert!(!is_last(&store, RUN).unwrap());
        assert!(start(&store).0 && start(&store).0 && !start(&store).0);
    }

    fn start_fence(store: &MemoryStore) -> Fence {
        let store::Claim::Granted(lease) = store.claim(RUN, "node", 0).unwrap() else {
            panic!("it is taken")
        };
        lease.fence
    }
}
