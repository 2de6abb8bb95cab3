//! The promises of the engine, over many schedules and crashes.

use simulation::{run, run_with_crash_at};

/// How many seeds the tests try; `cargo xtask simulate` tries as many as it is told.
const SEEDS: u64 = 10_000;

#[test]
fn promises_hold_over_schedules_and_crashes() {
    let (mut crashes, mut succeeded, mut confirmed) = (0, 0, 0);
    for seed in 0..SEEDS {
        match run(seed) {
            Ok(outcome) => {
                crashes += outcome.crashes;
                succeeded += outcome.succeeded;
                confirmed += outcome.confirmed;
            }
            Err(broken) => panic!("{broken}"),
        }
    }
    // A simulation in which nothing happens shows nothing.
    assert!(crashes > 1_000 && succeeded > 1_000 && confirmed > 10_000, "{crashes} {succeeded} {confirmed}");
}

#[test]
fn ten_plans_survive_a_crash_at_every_event() {
    let mut tried = 0;
    for seed in 0..10 {
        for event in 1.. {
            match run_with_crash_at(seed, event) {
                Ok(Some(_)) => tried += 1,
                Ok(None) => break,
                Err(broken) => panic!("{broken}"),
            }
        }
    }
    assert!(tried > 50, "{tried}");
}
