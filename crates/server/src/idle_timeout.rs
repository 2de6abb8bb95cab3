//! Connections on which nothing happens. Those of HTTP/1 end by the time for a head; one of HTTP/2 would stay as long as its client answers
//! pings, and so would an answer that its client does not read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What happens on a connection.
#[derive(Debug)]
pub(crate) struct Activity {
    start: Instant,
    /// How many requests are under way.
    busy: AtomicUsize,
    /// When the last one ended, in milliseconds since the start.
    last: AtomicU64,
}

/// A request that is under way.
pub(crate) struct Busy(Arc<Activity>);

impl Activity {
    pub(crate) fn new() -> Arc<Activity> {
        Arc::new(Activity { start: Instant::now(), busy: AtomicUsize::new(0), last: AtomicU64::new(0) })
    }

    /// Notes a request, until what it gives is dropped.
    pub(crate) fn begin(self: &Arc<Activity>) -> Busy {
        self.busy.fetch_add(1, Ordering::AcqRel);
        Busy(Arc::clone(self))
    }

    /// How long nothing was under way; none if something is.
    fn quiet(&self) -> Option<Duration> {
        let last = Duration::from_millis(self.last.load(Ordering::Acquire));
        let is_quiet = self.busy.load(Ordering::Acquire) == 0;
        is_quiet.then(|| self.start.elapsed().saturating_sub(last))
    }

    /// Waits until nothing was under way for so long.
    pub(crate) async fn ended(&self, patience: Duration) {
        loop {
            match self.quiet() {
                Some(quiet) if quiet >= patience => return,
                Some(quiet) => tokio::time::sleep(patience - quiet).await,
                None => tokio::time::sleep(patience).await,
            }
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let passed = u64::try_from(self.0.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.last.store(passed, Ordering::Release);
        self.0.busy.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_quiet_only_while_nothing_is_under_way() {
        let activity = Activity::new();
        assert!(activity.quiet().is_some());
        let (one, other) = (activity.begin(), activity.begin());
        drop(one);
        assert_eq!(activity.quiet(), None);
        drop(other);
        assert!(activity.quiet().is_some());
    }
}
