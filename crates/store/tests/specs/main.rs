//! Runs the documents in `resources/specs`: sessions that every store must answer in the same way.
//!
//! The output of a case is a `session`. `NAME` is the name of a deployment, `NAME in SCOPE` one of a scope; a run is a number, a
//! batch is `RUN.NUMBER`, a lease `RUN#FENCE`. The statements, with what may be left out in brackets:
//!
//! - `commit BATCH [under LEASE] [if CONDITION, ...]: WRITE; ...`, with `+ commit ...` below it for more batches of one group.
//!   A `CONDITION` is `NAME is not active`, `NAME is run RUN`, `resource ID is absent`, `resource ID is version N`,
//!   `resource ID is there` or `no resource below ID with PART [except ID ...]`. A `WRITE` is
//!   `deployment NAME [ended] [inside RUN] [order N]`, `forget NAME`, `lease OWNER MS`, `step N intended|confirmed`,
//!   `operation N BODY`, `blob NAME BYTES`, `erase blob NAME`, `resource ID [BODY]` or `delete ID`;
//! - `claim RUN for OWNER MS`, `claim abandoned for OWNER MS at most N`, `renew LEASE MS`, `release LEASE`, `cancel RUN`;
//! - `abandoned at most N`, `over RUN ...`, `deployment NAME`, `run RUN`, `runs inside RUN`, `steps RUN`, `operations RUN`,
//!   `blob RUN NAME`, `resource ID`;
//! - `deployments [in SCOPE] [skip N] [take N]` and `deployments [in SCOPE] from the start|after ORDER.RUN take N`;
//! - `resources ID [skip N] [take N]` and `resources ID after ID take N`;
//! - `wait MS`, and `open again`, which is what a process does that takes over from one that was killed.

#![expect(clippy::unwrap_used, reason = "a case without what it needs may fail")]

#[path = "../it/support/database.rs"]
mod database;
mod statement;
mod words;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use spec_test::{Case, CaseOutput, play_session};
use statement::Session;
use store::{MemoryStore, SqliteStore, Store};

fn main() -> std::process::ExitCode {
    spec_test::main("resources/specs", run)
}

/// Plays the session on every store at the same time, because some of them really wait.
fn run(case: &Case) -> CaseOutput {
    let stores = ["memory", "SQLite", "PostgreSQL"];
    let played = std::thread::scope(|scope| {
        let play = |name: &'static str| scope.spawn(move || played_on(name, case));
        stores.map(play).map(|thread| thread.join().ok().flatten())
    });
    let Some(first) = &played[0] else { return CaseOutput::error("no output `session`") };
    for (name, other) in stores.iter().zip(&played) {
        if other.as_ref() != Some(first) {
            let other = other.as_deref().unwrap_or("nothing");
            return CaseOutput::error(format!(
                "{name} answers differently than memory\n{first}\nbut {name}:\n{other}"
            ));
        }
    }
    CaseOutput::new().output("session", first)
}

fn played_on(name: &str, case: &Case) -> Option<String> {
    let mut session = Session::of(match name {
        "memory" => Box::new(Memory(Arc::new(MemoryStore::new()))),
        "SQLite" => Box::new(Sqlite(new_folder())),
        _ => Box::new(Postgres(database::new_schema())),
    });
    play_session(case, "session", |statement| session.say(statement))
}

/// Where a store keeps what it has, and its clock.
pub(crate) trait Home {
    /// Opens the store that is there.
    fn open(&self) -> Arc<dyn Store>;

    fn wait(&self, milliseconds: u64) {
        std::thread::sleep(Duration::from_millis(milliseconds + 1));
    }
}

struct Memory(Arc<MemoryStore>);

impl Home for Memory {
    fn open(&self) -> Arc<dyn Store> {
        Arc::<MemoryStore>::clone(&self.0)
    }

    fn wait(&self, milliseconds: u64) {
        self.0.advance(i64::try_from(milliseconds).unwrap());
    }
}

struct Sqlite(PathBuf);

impl Home for Sqlite {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(&self.0).unwrap())
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A folder of its own for each session.
fn new_folder() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("tendon-store-specs-{}-{count}", std::process::id()))
}

/// A schema of its own for each session, in a server that all of them share.
struct Postgres(String);

impl Home for Postgres {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(database::open(&self.0))
    }
}
