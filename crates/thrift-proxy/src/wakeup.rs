//! What wakes a connection besides bytes: it is time to look at the clock, or to stop.
//!
//! The threads that serve connections keep no timers while calls go through: an event loop that waits for a time as
//! well as for bytes has the system set an alarm each time it waits. The time is kept for all of them by a
//! [`Ticker`], on a thread that has little else to do.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use tokio::sync::watch;

use crate::stop::Stop;

/// Tells connections when to look at the clock.
#[derive(Debug)]
pub(crate) struct Ticker(watch::Sender<()>);

/// Is told when to look at the clock.
#[derive(Clone, Debug)]
pub(crate) struct Ticks(watch::Receiver<()>);

impl Ticker {
    pub(crate) fn new() -> (Ticker, Ticks) {
        let (sender, receiver) = watch::channel(());
        (Ticker(sender), Ticks(receiver))
    }

    /// Tells everybody again and again, until it is dropped.
    pub(crate) async fn run(self, interval: Duration) {
        loop {
            tokio::time::sleep(interval).await;
            self.0.send_replace(());
        }
    }
}

impl Ticks {
    /// Asks for one tick after the other, and never ends.
    async fn all(mut self) {
        while self.0.changed().await.is_ok() {}
        std::future::pending().await
    }
}

type Alarm = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Rings when there is a tick, or when it is time to stop.
pub(crate) struct Bell {
    ticks: Alarm,
    /// Until it is told.
    stop: Option<Alarm>,
    ringer: Option<Arc<Ringer>>,
}

/// Wakes a task, which can see that it was not bytes that woke it.
struct Ringer {
    task: Waker,
    rung: AtomicBool,
}

impl Wake for Ringer {
    fn wake(self: Arc<Self>) {
        self.rung.store(true, Ordering::Release);
        self.task.wake_by_ref();
    }
}

/// What the bell rang for; a tick at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rung {
    /// Whether it is time to stop.
    pub(crate) stop: bool,
}

impl Bell {
    pub(crate) fn new(ticks: Ticks, stop: Stop) -> Bell {
        Bell { ticks: Box::pin(ticks.all()), stop: Some(stop.boxed()), ringer: None }
    }

    /// Whether the bell has rung since it was asked last; it always has when it is asked first.
    #[inline]
    pub(crate) fn poll(&mut self, cx: &Context<'_>) -> Option<Rung> {
        match &self.ringer {
            Some(ringer) if ringer.task.will_wake(cx.waker()) && !ringer.rung.load(Ordering::Acquire) => None,
            _ => Some(self.listen(cx)),
        }
    }

    #[cold]
    fn listen(&mut self, cx: &Context<'_>) -> Rung {
        // What rings from here on rings for the next time.
        let ringer = Arc::new(Ringer { task: cx.waker().clone(), rung: AtomicBool::new(false) });
        let waker = Waker::from(Arc::clone(&ringer));
        self.ringer = Some(ringer);
        let cx = &mut Context::from_waker(&waker);
        // It never ends; polling it asks for the next tick.
        let _ = self.ticks.as_mut().poll(cx);
        if self.stop.as_mut().is_some_and(|stop| stop.as_mut().poll(cx).is_ready()) {
            self.stop = None;
        }
        Rung { stop: self.stop.is_none() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop::Stopper;

    /// Counts how often it was woken.
    #[derive(Default)]
    struct Woken(std::sync::atomic::AtomicU32);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_bell_rings_for_every_tick_and_for_the_end() {
        let (ticker, ticks) = Ticker::new();
        let (stopper, stop) = Stopper::new();
        let mut bell = Bell::new(ticks, stop);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let cx = &Context::from_waker(&waker);
        assert_eq!(bell.poll(cx), Some(Rung { stop: false }));
        assert_eq!(bell.poll(cx), None);
        for count in 1..=3 {
            ticker.0.send_replace(());
            assert_eq!(woken.0.load(Ordering::Relaxed), count);
            assert_eq!(bell.poll(cx), Some(Rung { stop: false }));
            assert_eq!(bell.poll(cx), None);
        }
        stopper.stop();
        assert_eq!(woken.0.load(Ordering::Relaxed), 4);
        assert_eq!(bell.poll(cx), Some(Rung { stop: true }));
        assert_eq!(bell.poll(cx), None);
        // What was taken before is finished, and the clock is looked at meanwhile.
        ticker.0.send_replace(());
        assert_eq!(bell.poll(cx), Some(Rung { stop: true }));
        assert_eq!(bell.poll(cx), None);
    }

    #[test]
    fn a_bell_follows_its_task() {
        let (ticker, ticks) = Ticker::new();
        let (_stopper, stop) = Stopper::new();
        let mut bell = Bell::new(ticks, stop);
        let tasks = [Arc::new(Woken::default()), Arc::new(Woken::default())];
        for task in &tasks {
            let waker = Waker::from(Arc::clone(task));
            assert!(bell.poll(&Context::from_waker(&waker)).is_some());
        }
        ticker.0.send_replace(());
        assert_eq!(tasks.map(|task| task.0.load(Ordering::Relaxed)), [0, 1]);
    }
}
