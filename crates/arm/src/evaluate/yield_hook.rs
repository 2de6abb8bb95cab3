//! Evaluations that take long: now and then they ask whoever runs them whether to go on, so that a process that has more to do can let others have
//! their turn. Short ones never ask.

use std::any::Any;
use std::cell::Cell;
use std::sync::OnceLock;

/// How many steps are done on a thread before it is asked: some milliseconds.
pub(super) const STEPS: u64 = 100_000;

/// What an evaluation holds while it goes on; the next one may when it is dropped.
pub type EvaluationTurn = Box<dyn Any>;

/// Asked on the thread of an evaluation, which holds no turn while it asks; may wait. None if there is too much to do.
pub type YieldHook = fn() -> Option<EvaluationTurn>;

static PACE: OnceLock<YieldHook> = OnceLock::new();

thread_local! {
    /// The steps that evaluations of this thread did since it was asked.
    static SINCE: Cell<u64> = const { Cell::new(0) };
}

/// Lets long evaluations of this process ask. The first one who says it decides.
pub fn set_pace(pace: YieldHook) {
    let _ = PACE.set(pace);
}

/// After how many steps an evaluation that begins on this thread asks.
pub(super) fn first() -> u64 {
    if PACE.get().is_some() { STEPS.saturating_sub(SINCE.get()) } else { u64::MAX }
}

/// Notes that an evaluation has ended so many steps before it would have asked.
pub(super) fn ended(before: u64) {
    if PACE.get().is_some() {
        SINCE.set(STEPS.saturating_sub(before));
    }
}

/// Asks; none if the evaluation must not go on.
pub(super) fn yield_now() -> Option<EvaluationTurn> {
    SINCE.set(0);
    match PACE.get() {
        Some(pace) => pace(),
        None => Some(Box::new(())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::evaluate::{EvaluationLimits, Evaluator, Void};

    static ASKED: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn only_long_evaluations_ask_and_many_short_ones_are_a_long_one() {
        set_pace(|| {
            ASKED.fetch_add(1, Ordering::Relaxed);
            Some(Box::new(()))
        });
        let run = |steps: u64| {
            let before = ASKED.load(Ordering::Relaxed);
            let count = |evaluator: &Evaluator<'_>| (0..steps).all(|_| evaluator.count(1).is_ok());
            assert!(Evaluator::run(&Void, EvaluationLimits::DEFAULT, count));
            ASKED.load(Ordering::Relaxed) - before
        };
        // Other tests of this process evaluate on other threads, and none of them for long.
        assert_eq!(run(STEPS / 2), 0);
        assert_eq!(run(STEPS / 4), 0);
        assert_eq!(run(STEPS / 2), 1);
        assert_eq!(run(5 * STEPS), 5);
    }
}
