//! Tries many seeds: `cargo xtask simulate --seeds 1000000`, or one again: `cargo xtask simulate --seed 42`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to the terminal")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use engine::simulate::run;

/// How many seeds a thread takes at a time.
const CHUNK: u64 = 500;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| {
        let position = arguments.iter().position(|argument| argument == name)?;
        arguments.get(position + 1)?.parse::<u64>().ok()
    };
    if let Some(seed) = number("--seed") {
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
    let seeds = number("--seeds").unwrap_or(100_000);
    let (next, broken) = (AtomicU64::new(0), AtomicUsize::new(0));
    let (events, crashes, confirmed, succeeded) = <[AtomicUsize; 4]>::default().into();
    let work = || {
        loop {
            let first = next.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= seeds || broken.load(Ordering::Relaxed) > 0 {
                return;
            }
            for seed in first..(first + CHUNK).min(seeds) {
                match run(seed) {
                    Ok(outcome) => {
                        events.fetch_add(outcome.events, Ordering::Relaxed);
                        crashes.fetch_add(outcome.crashes, Ordering::Relaxed);
                        confirmed.fetch_add(outcome.confirmed, Ordering::Relaxed);
                        succeeded.fetch_add(usize::from(outcome.succeeded), Ordering::Relaxed);
                    }
                    Err(message) => {
                        broken.fetch_add(1, Ordering::Relaxed);
                        eprintln!("{message}\nagain with: cargo xtask simulate --seed {seed}");
                    }
                }
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    println!(
        "{seeds} seeds: {} events, {} crashes, {} steps confirmed, {} deployments succeeded, {} promises broken",
        count(&events),
        count(&crashes),
        count(&confirmed),
        count(&succeeded),
        count(&broken)
    );
    if count(&broken) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
