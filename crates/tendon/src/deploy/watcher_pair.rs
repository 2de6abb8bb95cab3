//! Two who watch one deployment.

use engine::Watcher;
use engine::core::RunProgress;
use server::Recorder;

pub(crate) struct WatcherPair<'w> {
    pub(crate) first: &'w mut dyn Watcher,
    pub(crate) second: Option<&'w mut Recorder>,
}

impl Watcher for WatcherPair<'_> {
    fn on_progress(&mut self, progress: &RunProgress, now: i64) {
        self.first.on_progress(progress, now);
        if let Some(second) = &mut self.second {
            second.on_progress(progress, now);
        }
    }
}
