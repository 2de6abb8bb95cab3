//! What tests of PostgreSQL share: a state of its own in a server that all use, and a way to it that breaks on demand.

mod database;
pub(crate) mod proxy;

use store::{
    BatchId, Commit, CommitOutcome, Deployment, DeploymentKey, Resource, RunId, Status, Store, Write,
};

pub(crate) use database::{address, new_schema, open, server};

pub(crate) fn key() -> DeploymentKey {
    DeploymentKey::new("/subscriptions/S/resourceGroups/G", "Main")
}

pub(crate) fn deployment(run: RunId, status: Status) -> Deployment {
    Deployment { key: key(), run, root: run, status, order: 7, format: 1, body: "{}".to_owned() }
}

pub(crate) fn batch(run: u128, number: u64, writes: Vec<Write>) -> Commit {
    Commit { id: BatchId { run: RunId(run), number }, fence: None, conditions: Vec::new(), writes }
}

pub(crate) fn resource(id: &str, body: &str) -> Write {
    Write::Resource(Resource { id: id.to_owned(), version: 0, format: 1, body: body.to_owned() })
}

#[track_caller]
pub(crate) fn committed(store: &dyn Store, commit: Commit) {
    assert_eq!(store.commit(&[commit]), [CommitOutcome::Committed]);
}

/// Sends a batch until somebody can say what became of it, as the engine does.
pub(crate) fn settled(store: &dyn Store, commit: &Commit) -> CommitOutcome {
    for _ in 0..600 {
        let outcome = store.commit(std::slice::from_ref(commit)).remove(0);
        if !matches!(outcome, CommitOutcome::Unknown(_)) {
            return outcome;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("nobody can say what became of {:?}", commit.id);
}
