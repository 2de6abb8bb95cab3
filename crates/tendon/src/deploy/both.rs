//! Two who watch one deployment.

use engine::Watcher;
use engine::core::Progress;
use server::Recorder;

/// Two who watch.
pub(crate) struct Both<'w> {
    pub(crate) first: &'w mut dyn Watcher,
    pub(crate) second: Option<&'w mut Recorder>,
}

impl Watcher for Both<'_> {
    fn see(&mut self, progress: &Progress, now: i64) {
        self.first.see(progress, now);
        if let Some(second) = &mut self.second {
            second.see(progress, now);
        }
    }
}
