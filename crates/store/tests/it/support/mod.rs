//! What tests of PostgreSQL share: a state of its own in a server that all use, and a way to it that breaks on demand.

pub(crate) mod proxy;

use std::sync::atomic::{AtomicU32, Ordering};

use postgres_server::Server;
use store::{
    Address, BatchId, Commit, CommitOutcome, Deployment, DeploymentKey, Passwords, PostgresStore, Resource,
    RunId, Status, Store, Write,
};

/// A schema that no other test uses.
pub(crate) fn new_schema() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("t{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

pub(crate) fn server() -> &'static Server {
    Server::shared().unwrap()
}

pub(crate) fn address(url: &str, schema: &str) -> Address {
    Address::parse(&format!("{url}?schema={schema}&connections=4"), &Passwords::default()).unwrap()
}

/// A state in the server that all tests use, or in the database that `TENDON_TEST_DATABASE` names: behind a pooler, for example.
pub(crate) fn open(schema: &str) -> PostgresStore {
    let other = std::env::var("TENDON_TEST_DATABASE").ok();
    let url = other.unwrap_or_else(|| server().url("postgres"));
    PostgresStore::open(address(&url, schema)).unwrap()
}

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
