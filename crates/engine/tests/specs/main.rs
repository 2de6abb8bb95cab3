//! Runs the documents in `resources/specs`: sessions with deployments on a scripted provider, in processes that may crash.
//!
//! `main.json` is a template without the lines that all have; `provider.json` is what the provider answers, as in the `provider`
//! section of a mocks file. Time is virtual. The output of a case is a `session` of these statements:
//!
//! - `deploy [FILE] [complete] [crash before|after commit N]` runs a template in a new process. The first commit accepts it;
//! - `resume [crash before|after commit N]` has another process go on, once the lease of the one that crashed has run out;
//! - `deploy [FILE] [complete] crash at every commit` does both in fresh states, once for every moment, and compares how they end;
//! - `requests` tells what the provider was asked since the last time; `operations` what is kept for people;
//! - `resources`, `resource TYPE/NAME`, `output NAME` and `duration` tell what there is after it.
//!
//! The script begins anew with every process.

#![expect(clippy::unwrap_used, reason = "a case without what it needs may fail")]

#[path = "../it/layered_store.rs"]
mod layered_store;
mod process;
mod session;

use session::Session;
use spec_test::{Case, CaseOutput, play_session};

fn main() -> std::process::ExitCode {
    spec_test::main("resources/specs", run)
}

fn run(case: &Case) -> CaseOutput {
    let mut session = Session::of(case);
    match play_session(case, "session", |statement| session.say(statement)) {
        Some(played) => CaseOutput::new().output("session", played),
        None => CaseOutput::error("no output `session`"),
    }
}
