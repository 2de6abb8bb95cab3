//! The promises of several nodes on one state, over many schedules, crashes and faults.

#![expect(clippy::disallowed_methods, reason = "a simulation has no threads; who runs many of them may")]

use std::thread;

use simulation::cluster::{ClusterStats, Mutation, run, run_mutated};

/// How many seeds the tests try; `cargo xtask simulate --cluster` tries as many as it is told.
const SEEDS: u64 = 5_000;

/// Within how many seeds a mistake in the protocol is found.
const FOUND_WITHIN: u64 = 300;

#[test]
fn promises_hold_on_several_nodes() {
    let half = |first: u64| {
        let mut sum = ClusterStats::default();
        for seed in (first..SEEDS).step_by(2) {
            match run(seed) {
                Ok(outcome) => sum = sum + outcome,
                Err(broken) => panic!("{broken}"),
            }
        }
        sum
    };
    let sum = thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        half(0) + other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    // A simulation in which nothing happens shows nothing.
    let seeds = usize::try_from(SEEDS).unwrap_or_default();
    assert!(sum.deployments > 5 * seeds && sum.confirmed > 5 * seeds, "{sum:?}");
    assert!(sum.succeeded > seeds && sum.canceled > seeds / 2, "{sum:?}");
    assert!(sum.crashes > seeds && sum.takeovers > seeds && sum.lost > seeds, "{sum:?}");
    assert!(sum.aborts > seeds / 4, "{sum:?}");
}

/// The same for what needs a deployment that ends nodes, and another one beside it that does not get on.
const FOUND_LATE: u64 = 4_000;

#[test]
fn deployments_that_begin_beside_one_that_ends_its_node_are_noticed() {
    let broken = (0..FOUND_LATE).find_map(|seed| run_mutated(seed, Mutation::BeginTogether).err());
    assert!(broken.as_ref().is_some_and(|it| it.contains("given up because of another")), "{broken:?}");
}

/// The first promise that a mistake breaks.
fn found(mutation: Mutation) -> String {
    match (0..FOUND_WITHIN).find_map(|seed| run_mutated(seed, mutation).err()) {
        Some(broken) => broken,
        None => panic!("{mutation:?} was not found within {FOUND_WITHIN} seeds"),
    }
}

macro_rules! mutations {
    ($($name:ident: $mutation:ident breaks $promise:literal)*) => {
        $(#[test]
        fn $name() {
            let broken = found(Mutation::$mutation);
            assert!($promise.split('|').any(|promise| broken.contains(promise)), "{broken}");
        })*
    };
}

mutations! {
    a_fence_that_is_not_checked_is_noticed: SkipFence breaks "under fence|confirmed"
    a_fence_that_is_not_locked_is_noticed: FenceWithoutLock breaks "under fence"
    a_renewal_that_is_not_checked_is_noticed: RenewWithoutCheck breaks "taken over"
    a_claim_that_keeps_the_fence_is_noticed: ClaimWithoutFence breaks "under one fence"
    a_wish_to_stop_that_is_forgotten_is_noticed: ForgetCancel breaks "forgot"
    an_early_acknowledgement_is_noticed: AckBeforeCommit breaks "acknowledged"
    starts_that_are_not_counted_are_noticed: SkipCount breaks "was begun again|do not end"
    a_call_without_a_lease_is_noticed: CallWithoutLease breaks "taken over"
}
