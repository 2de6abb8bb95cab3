//! Tries many seeds: `cargo xtask simulate --seeds 1000000`, or one again: `cargo xtask simulate --seed 42`; with `--cluster` on several nodes.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to the terminal")]
#![expect(clippy::disallowed_methods, reason = "a simulation has no threads; who runs many of them may")]

use std::fmt::Debug;
use std::ops::Add;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use simulation::cluster;

/// How many seeds a thread takes at a time.
const CHUNK: u64 = 500;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| {
        let position = arguments.iter().position(|argument| argument == name)?;
        arguments.get(position + 1)?.parse::<u64>().ok()
    };
    let (seed, seeds) = (number("--seed"), number("--seeds").unwrap_or(100_000));
    if arguments.iter().any(|argument| argument == "--cluster") {
        try_all(seed, seeds, " --cluster", cluster::run)
    } else {
        try_all(seed, seeds, "", simulation::run)
    }
}

/// Tries one seed, or many.
fn try_all<T: Add<Output = T> + Copy + Default + Debug + Send>(
    seed: Option<u64>,
    seeds: u64,
    option: &str,
    run: fn(u64) -> Result<T, String>,
) -> ExitCode {
    if let Some(seed) = seed {
        return match run(seed) {
            Ok(outcome) => {
                println!("seed {seed}: {outcome:?}");
                ExitCode::SUCCESS
            }
            Err(broken) => {
                eprintln!("{broken}");
                ExitCode::FAILURE
            }
        };
    }
    let (next, broken, sum) = (AtomicU64::new(0), AtomicUsize::new(0), Mutex::new(T::default()));
    let work = || {
        loop {
            let first = next.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= seeds || broken.load(Ordering::Relaxed) > 0 {
                return;
            }
            let mut own = T::default();
            for seed in first..(first + CHUNK).min(seeds) {
                match run(seed) {
                    Ok(outcome) => own = own + outcome,
                    Err(message) => {
                        broken.fetch_add(1, Ordering::Relaxed);
                        eprintln!("{message}\nagain with: cargo xtask simulate{option} --seed {seed}");
                    }
                }
            }
            if let Ok(mut sum) = sum.lock() {
                *sum = *sum + own;
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let broken = broken.load(Ordering::Relaxed);
    println!("{seeds} seeds: {broken} promises broken; {:?}", sum.into_inner().unwrap_or_default());
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
