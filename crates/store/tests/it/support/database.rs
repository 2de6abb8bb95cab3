//! States in a PostgreSQL that all tests use.

use std::sync::atomic::{AtomicU32, Ordering};

use postgres_server::Server;
use store::{Address, Passwords, PostgresStore};

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
