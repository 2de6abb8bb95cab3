//! Whose turn it is to evaluate for long. A deployment may evaluate for seconds; in a process that serves many, such evaluations leave the threads that
//! serve, and only so many go on at the same time.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arm::evaluate::{EvaluationTurn, set_pace};
use tokio::runtime::{Handle, RuntimeFlavor};

/// How many evaluations wait for their turn at most; others are refused. Each of them keeps a thread, and the values that it has made.
const WAITING: usize = 256;
/// How much memory there is for each of them at least, and how many wait in any case.
const MEMORY_OF_WAITING: u64 = 32 << 20;
const FEW_WAITING: usize = 16;

/// How many wait in this process.
static MOST_WAITING: AtomicUsize = AtomicUsize::new(WAITING);

/// How long a thread that serves is given up at least, so that another one takes over what it served.
const HANDOVER: Duration = Duration::from_micros(200);

static TURNS: EvaluationLimiter =
    EvaluationLimiter { state: Mutex::new(State { going: 0, waiting: 0 }), free: Condvar::new() };

thread_local! {
    /// Whether an evaluation of this thread has a turn already: one inside it needs no other.
    static HAS_TURN: Cell<bool> = const { Cell::new(false) };

    /// When evaluations of this thread have to end.
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

struct EvaluationLimiter {
    state: Mutex<State>,
    free: Condvar,
}

struct State {
    going: usize,
    waiting: usize,
}

/// A turn, until it is dropped.
struct EvaluationPermit(&'static EvaluationLimiter);

impl Drop for EvaluationPermit {
    fn drop(&mut self) {
        HAS_TURN.set(false);
        self.0.state().going -= 1;
        self.0.free.notify_one();
    }
}

impl EvaluationLimiter {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn; none if too many wait.
    fn wait(&'static self, most: usize) -> Option<EvaluationPermit> {
        let mut state = self.state();
        if state.going >= most {
            if state.waiting >= MOST_WAITING.load(Ordering::Relaxed) {
                return None;
            }
            state.waiting += 1;
            while state.going >= most {
                state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.waiting -= 1;
        }
        state.going += 1;
        HAS_TURN.set(true);
        Some(EvaluationPermit(self))
    }
}

/// Lets only so many evaluations wait for their turn as a process has room for that may use so many bytes of memory.
pub fn wait_within(memory: u64) {
    let most = usize::try_from(memory / MEMORY_OF_WAITING).unwrap_or(WAITING);
    MOST_WAITING.store(most.clamp(FEW_WAITING, WAITING), Ordering::Relaxed);
}

/// How many evaluations wait for their turn.
pub fn waiting_evaluations() -> usize {
    TURNS.state().waiting
}

/// Lets evaluations that take long have turns, in this process.
pub fn take_turns() {
    set_pace(turn);
}

/// Does work on this thread in which nothing is evaluated for long after a moment: what still is then has an error. It counts where evaluations take turns.
pub fn evaluate_until<T>(deadline: Instant, work: impl FnOnce() -> T) -> T {
    struct DeadlineGuard(Option<Instant>);
    impl Drop for DeadlineGuard {
        fn drop(&mut self) {
            DEADLINE.set(self.0);
        }
    }
    let _before = DeadlineGuard(DEADLINE.replace(Some(deadline)));
    work()
}

fn is_over() -> bool {
    DEADLINE.get().is_some_and(|deadline| Instant::now() >= deadline)
}

/// How many go on at the same time: one core is left for all else.
fn most() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1))
}

fn turn() -> Option<EvaluationTurn> {
    if is_over() {
        return None;
    }
    let serves_many = Handle::try_current().is_ok_and(|it| it.runtime_flavor() == RuntimeFlavor::MultiThread);
    if !serves_many || HAS_TURN.get() {
        return Some(Box::new(()));
    }
    let wait = || {
        std::thread::sleep(HANDOVER);
        TURNS.wait(most())
    };
    let going = tokio::task::block_in_place(wait)?;
    // The wait may have been long.
    if is_over() { None } else { Some(Box::new(going)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn nothing_is_evaluated_for_long_after_the_deadline() {
        let now = Instant::now();
        assert!(evaluate_until(now, || turn().is_none()));
        assert!(evaluate_until(now + Duration::from_secs(3_600), || turn().is_some()));
        assert!(turn().is_some());
    }

    #[test]
    fn the_thread_of_an_evaluation_serves_others_meanwhile() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let (served, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        runtime.block_on(async {
            let (said, saw) = (Arc::clone(&served), Arc::clone(&seen));
            let long = tokio::spawn(async move {
                let said = Arc::clone(&said);
                // The only thread is busy until somebody else has been served.
                for _ in 0..100_000 {
                    if said.load(Ordering::Acquire) {
                        saw.store(true, Ordering::Release);
                        return;
                    }
                    drop(turn().unwrap());
                }
            });
            let other = tokio::spawn(async move { served.store(true, Ordering::Release) });
            other.await.unwrap();
            long.await.unwrap();
        });
        assert!(seen.load(Ordering::Acquire));
    }

    #[test]
    fn one_inside_another_waits_for_nobody() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        runtime.block_on(async {
            let task = tokio::spawn(async {
                let held: Vec<EvaluationTurn> = (0..100).map(|_| turn().unwrap()).collect();
                held.len()
            });
            assert_eq!(task.await.unwrap(), 100);
        });
    }

    #[test]
    fn only_so_many_go_on_and_only_so_many_wait() {
        static OTHERS: EvaluationLimiter =
            EvaluationLimiter { state: Mutex::new(State { going: 0, waiting: 0 }), free: Condvar::new() };
        let first = OTHERS.wait(1).unwrap();
        OTHERS.state().waiting = WAITING;
        assert!(OTHERS.wait(1).is_none());
        OTHERS.state().waiting = 0;
        let waits = std::thread::spawn(|| OTHERS.wait(1).is_some());
        while OTHERS.state().waiting == 0 {
            std::thread::yield_now();
        }
        drop(first);
        assert!(waits.join().unwrap());
        assert_eq!(OTHERS.state().going, 0);
    }
}
