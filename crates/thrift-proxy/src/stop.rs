//! Telling everything to stop.

use std::future::Future;
use std::pin::Pin;

use tokio::sync::watch;

/// Tells everything that waits for a [`Stop`].
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

/// Waits until its [`Stopper`] tells.
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<bool>);

impl Stopper {
    /// The one that tells and the one that waits; the latter can be cloned.
    pub fn new() -> (Stopper, Stop) {
        let (sender, receiver) = watch::channel(false);
        (Stopper(sender), Stop(receiver))
    }

    /// Tells everything to stop.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    /// Waits until it is told, or until nobody is left to tell.
    pub async fn wait(mut self) {
        // An error means that the other end is gone, which is as good as a word.
        let _ = self.0.wait_for(|stop| *stop).await;
    }

    /// The same as something that can be polled.
    pub(crate) fn boxed(self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(self.wait())
    }
}
