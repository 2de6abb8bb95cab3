//! The file that was edited last: what a check of it leaves is worth the memory, because the next edit is there as well.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::check::CheckCache;
use crate::world::FilePath;

/// The file that was edited last, with what its last check left.
#[derive(Debug, Default)]
pub(super) struct LastEdit(Mutex<Option<(FilePath, Option<CheckCache>)>>);

impl LastEdit {
    fn lock(&self) -> MutexGuard<'_, Option<(FilePath, Option<CheckCache>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns of an edit.
    pub(super) fn note(&self, path: &FilePath) {
        let mut last = self.lock();
        if last.as_ref().is_none_or(|(known, _)| known != path) {
            *last = Some((path.clone(), None));
        }
    }

    /// What the last check of a file left, if it is the file that was edited last. It is given once.
    pub(super) fn take(&self, path: &FilePath) -> Option<Option<CheckCache>> {
        self.lock().as_mut().filter(|(known, _)| known == path).map(|(_, kept)| kept.take())
    }

    /// Keeps what a check left, if nothing else was edited meanwhile.
    pub(super) fn put(&self, path: &FilePath, kept: CheckCache) {
        if let Some((_, place)) = self.lock().as_mut().filter(|(known, _)| known == path) {
            *place = Some(kept);
        }
    }

    /// The same, unless nobody needs the file any more.
    pub(super) fn only(&self, is_needed: impl Fn(&FilePath) -> bool) -> LastEdit {
        LastEdit(Mutex::new(self.lock().take().filter(|(path, _)| is_needed(path))))
    }
}
