//! Values that are made once per key, by whichever thread asks first.

use std::hash::Hash;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;

/// A map whose values are made when they are first asked for. Other threads that ask meanwhile wait for that value alone.
#[derive(Debug)]
pub(crate) struct Cells<K, V>(RwLock<FxHashMap<K, Arc<OnceLock<V>>>>);

impl<K, V> Default for Cells<K, V> {
    fn default() -> Self {
        Cells(RwLock::default())
    }
}

impl<K: Hash + Eq + Clone, V: Clone> Cells<K, V> {
    /// The value of a key.
    pub(crate) fn get_or_make(&self, key: &K, make: impl FnOnce() -> V) -> V {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        let cell = known.unwrap_or_else(|| {
            let mut cells = self.0.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(cells.entry(key.clone()).or_default())
        });
        cell.get_or_init(make).clone()
    }

    /// The value of a key, if it was made.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let cells = self.0.read().unwrap_or_else(PoisonError::into_inner);
        cells.get(key).and_then(|cell| cell.get().cloned())
    }

    /// The values that were made, of those keys that are wanted.
    pub(crate) fn kept(&self, is_wanted: impl Fn(&K) -> bool) -> Cells<K, V> {
        let cells = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let wanted = cells.iter().filter(|(key, cell)| cell.get().is_some() && is_wanted(key));
        Cells(RwLock::new(wanted.map(|(key, cell)| (key.clone(), Arc::clone(cell))).collect()))
    }

    /// Looks at all values that were made, in no order.
    pub(crate) fn each(&self, mut look: impl FnMut(&K, &V)) {
        let cells = self.0.read().unwrap_or_else(PoisonError::into_inner);
        #[expect(clippy::iter_over_hash_type, reason = "the caller does not depend on the order")]
        for (key, cell) in &*cells {
            if let Some(value) = cell.get() {
                look(key, value);
            }
        }
    }
}
