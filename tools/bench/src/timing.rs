//! Timing side by side: contenders take turns, so that whatever else the machine does hits all of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long one sample should take: long enough for the clock, short enough to slip between disturbances.
const SAMPLE: Duration = Duration::from_micros(200);

/// How long the contenders of one race take together, about.
const BUDGET: Duration = Duration::from_millis(1000);

/// The same where it has to be quick.
const QUICK_BUDGET: Duration = Duration::from_millis(120);

/// Whether it has to be quick.
static IS_QUICK: AtomicBool = AtomicBool::new(false);

/// Makes all races short.
pub(crate) fn be_quick() {
    IS_QUICK.store(true, Ordering::Relaxed);
}

/// The fewest and the most rounds of a race.
const ROUNDS: (usize, usize) = (7, 400);

/// What is timed: work that can be done again and again.
pub(crate) type Work<'a> = Box<dyn FnMut() + 'a>;

/// What times itself: given a number of runs, it tells the nanoseconds that one of them took.
pub(crate) type Sampler<'a> = Box<dyn FnMut(u32) -> f64 + 'a>;

/// The time that one run of the work takes, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    pub(crate) median: f64,
    pub(crate) least: f64,
}

impl Time {
    /// The share of each of so many things that a run does.
    pub(crate) fn each(self, count: usize) -> Time {
        Time { median: self.median / count as f64, least: self.least / count as f64 }
    }
}

/// Times contenders in turns: A, B, C, A, B, C and so on, each sample a batch of runs.
///
/// A short race settles for the fewest rounds, for when there are many of them.
pub(crate) fn race<const N: usize>(long: bool, contenders: [Work<'_>; N]) -> [Time; N] {
    race_samplers(
        long,
        contenders.map(|mut work| -> Sampler<'_> {
            Box::new(move |batch| {
                let start = Instant::now();
                for _ in 0..batch {
                    work();
                }
                start.elapsed().as_nanos() as f64 / f64::from(batch)
            })
        }),
    )
}

/// The same for contenders that time themselves, some of them in another process.
pub(crate) fn race_samplers<const N: usize>(long: bool, mut contenders: [Sampler<'_>; N]) -> [Time; N] {
    let batches = contenders.each_mut().map(|sample| batch_size(sample));
    let mut samples: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
    let budget = if IS_QUICK.load(Ordering::Relaxed) { QUICK_BUDGET } else { BUDGET };
    let start = Instant::now();
    for round in 0..ROUNDS.1 {
        if round >= ROUNDS.0 && (!long || start.elapsed() > budget) {
            break;
        }
        for ((sample, batch), samples) in contenders.iter_mut().zip(batches).zip(&mut samples) {
            samples.push(sample(batch));
        }
    }
    samples.map(|mut samples| {
        samples.sort_unstable_by(f64::total_cmp);
        let at = |index: usize| samples.get(index).copied().unwrap_or(f64::NAN);
        Time { median: at(samples.len() / 2), least: at(0) }
    })
}

/// How many runs fill a sample; finding out warms up caches and branch predictors.
fn batch_size(sample: &mut Sampler<'_>) -> u32 {
    let mut batch = 1;
    loop {
        let taken = sample(batch) * f64::from(batch);
        if taken >= SAMPLE.as_nanos() as f64 || taken.is_nan() || batch >= 1 << 24 {
            return batch;
        }
        batch *= 2;
    }
}

/// The mean processor time of a run, in nanoseconds: for work so long that others get their turn in between.
///
/// The system counts in steps of some milliseconds, so that many runs are counted together.
pub(crate) fn mean_processor_time(budget: Duration, work: &mut dyn FnMut()) -> f64 {
    const LEAST_RUNS: u32 = 3;
    work();
    let before = processor_time();
    let start = Instant::now();
    let mut runs = 0;
    while runs < LEAST_RUNS || start.elapsed() < budget {
        work();
        runs += 1;
    }
    let wall = start.elapsed().as_nanos() as f64;
    let taken = before.zip(processor_time()).map_or(wall, |(before, after)| after - before);
    taken / f64::from(runs)
}

/// How long this thread has been on a processor, in nanoseconds, where the system tells.
pub(crate) fn processor_time() -> Option<f64> {
    // The count is brought up to date when the thread gives way; else it may be some milliseconds old.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// The geometric mean.
pub(crate) fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) =
        values.into_iter().fold((0.0, 0u32), |(sum, count), value| (sum + value.ln(), count + 1));
    (sum / f64::from(count)).exp()
}

/// A time with a unit that keeps three digits readable.
pub(crate) fn show(nanoseconds: f64) -> String {
    match nanoseconds {
        time if time < 1e3 => format!("{time:.0} ns"),
        time if time < 1e6 => format!("{:.2} µs", time / 1e3),
        time => format!("{:.2} ms", time / 1e6),
    }
}
