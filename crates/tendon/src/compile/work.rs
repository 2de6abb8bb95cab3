//! Many jobs on all processors, with results in the order of the jobs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::exit::CommandError;

/// The stack of a worker, as large as that of a program's first thread.
pub(super) const STACK: usize = 8 << 20;

/// Does each job on some thread and hands its result to `take`, in the order of the jobs and as soon as it can be.
pub(crate) fn each_in_order<J: Sync, R: Send>(
    jobs: &[J],
    work: impl Fn(&J) -> R + Sync,
    mut take: impl FnMut(&J, R) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    if threads <= 1 {
        return jobs.iter().try_for_each(|job| take(job, work(job)));
    }
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..threads {
            let sender = sender.clone();
            let (next, stop, work) = (&next, &stop, &work);
            let worker = move || {
                while !stop.load(Ordering::Relaxed) {
                    let position = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(position) else { break };
                    if sender.send((position, work(job))).is_err() {
                        break;
                    }
                }
            };
            let started = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
            started.map_err(|error| CommandError::Environment(format!("cannot start a thread: {error}")))?;
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut wanted = 0;
        for (position, result) in results {
            waiting.insert(position, result);
            while let (Some(result), Some(job)) = (waiting.remove(&wanted), jobs.get(wanted)) {
                take(job, result).inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
                wanted += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..200).collect();
        let slow_first = |job: &u64| {
            std::thread::sleep(std::time::Duration::from_micros(if job.is_multiple_of(2) { 300 } else { 0 }));
            job * 10
        };
        let mut seen = Vec::new();
        each_in_order(&jobs, slow_first, |job, result| {
            assert_eq!(result, job * 10);
            seen.push(*job);
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, jobs);
    }

    #[test]
    fn a_failure_ends_the_work() {
        let jobs: Vec<u64> = (0..1000).collect();
        let result = each_in_order(
            &jobs,
            |job| *job,
            |_, job| if job < 3 { Ok(()) } else { Err(CommandError::ClosedPipe) },
        );
        assert!(matches!(result, Err(CommandError::ClosedPipe)));
    }
}
