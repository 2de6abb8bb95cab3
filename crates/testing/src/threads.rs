//! Work on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The stack of a worker, as large as that of a program's first thread.
const STACK: usize = 8 << 20;

/// Does something with all items, on so many threads.
pub(crate) fn parallel<T: Sync>(jobs: usize, items: &[T], work: impl Fn(&T) + Sync) {
    let threads = jobs.min(items.len());
    if threads <= 1 {
        return items.iter().for_each(work);
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(item);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // With fewer threads it only takes longer.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
        }
        worker();
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn everything_is_done_once() {
        let done = Mutex::new(vec![0; 100]);
        let places: Vec<usize> = (0..100).collect();
        parallel(4, &places, |place| done.lock().unwrap()[*place] += 1);
        assert!(done.into_inner().unwrap().iter().all(|count| *count == 1));
    }
}
