//! Values that are made once per key, by whichever thread asks first.

use std::hash::Hash;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};

/// A value that is made, or about to be.
type Cell<V> = Arc<OnceLock<V>>;

/// So many values of its own a map may always have; above that, a quarter of what it shares.
const FEW: usize = 64;

/// A map whose values are made when they are first asked for. Other threads that ask meanwhile wait for that value alone.
///
/// A map that was made from another one shares what it has in common with it, so that leaving out a few of
/// very many keys costs little.
#[derive(Debug)]
pub(crate) struct Cells<K, V> {
    /// Values that were made before, and that other maps may have, too.
    shared: Arc<FxHashMap<K, Cell<V>>>,
    /// The keys of `shared` that are not in this map.
    left_out: FxHashSet<K>,
    /// What is not shared.
    own: RwLock<FxHashMap<K, Cell<V>>>,
}

impl<K, V> Default for Cells<K, V> {
    fn default() -> Self {
        Cells { shared: Arc::default(), left_out: FxHashSet::default(), own: RwLock::default() }
    }
}

impl<K: Hash + Eq + Clone, V: Clone> Cells<K, V> {
    /// The value of a key.
    pub(crate) fn get_or_make(&self, key: &K, make: impl FnOnce() -> V) -> V {
        let cell = self.cell(key).unwrap_or_else(|| {
            let mut own = self.own.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(own.entry(key.clone()).or_default())
        });
        cell.get_or_init(make).clone()
    }

    /// The value of a key, if it was made.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.cell(key)?.get().cloned()
    }

    fn cell(&self, key: &K) -> Option<Cell<V>> {
        let shared = self.shared.get(key).filter(|_| !self.left_out.contains(key));
        shared.cloned().or_else(|| self.own.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned())
    }

    /// The values that were made, of all keys but some.
    pub(crate) fn without<'k>(&self, keys: impl IntoIterator<Item = &'k K> + Clone) -> Cells<K, V>
    where
        K: 'k,
    {
        let mut left_out = self.left_out.clone();
        left_out.extend(keys.clone().into_iter().filter(|key| self.shared.contains_key(key)).cloned());
        let mut own: FxHashMap<K, Cell<V>> = {
            let own = self.own.read().unwrap_or_else(PoisonError::into_inner);
            let made = own.iter().filter(|(_, cell)| cell.get().is_some());
            made.map(|(key, cell)| (key.clone(), Arc::clone(cell))).collect()
        };
        for key in keys {
            own.remove(key);
        }
        if own.len() + left_out.len() <= FEW.max(self.shared.len() / 4) {
            return Cells { shared: Arc::clone(&self.shared), left_out, own: RwLock::new(own) };
        }
        let shared = self.shared.iter().filter(|(key, _)| !left_out.contains(*key));
        own.extend(shared.map(|(key, cell)| (key.clone(), Arc::clone(cell))));
        Cells { shared: Arc::new(own), ..Cells::default() }
    }

    /// The values that were made, of those keys that are wanted.
    pub(crate) fn only(&self, is_wanted: impl Fn(&K) -> bool) -> Cells<K, V> {
        let mut wanted = FxHashMap::default();
        self.each_cell(|key, cell| {
            if cell.get().is_some() && is_wanted(key) {
                wanted.insert(key.clone(), Arc::clone(cell));
            }
        });
        Cells { shared: Arc::new(wanted), ..Cells::default() }
    }

    /// Looks at all values that were made, in no order.
    pub(crate) fn each(&self, mut look: impl FnMut(&K, &V)) {
        self.each_cell(|key, cell| {
            if let Some(value) = cell.get() {
                look(key, value);
            }
        });
    }

    #[expect(clippy::iter_over_hash_type, reason = "the callers do not depend on the order")]
    fn each_cell(&self, mut look: impl FnMut(&K, &Cell<V>)) {
        for (key, cell) in &*self.shared {
            if !self.left_out.contains(key) {
                look(key, cell);
            }
        }
        for (key, cell) in &*self.own.read().unwrap_or_else(PoisonError::into_inner) {
            look(key, cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Everything that a map has.
    fn all(cells: &Cells<u32, u32>) -> BTreeMap<u32, u32> {
        let mut found = BTreeMap::new();
        cells.each(|key, value| assert_eq!(found.insert(*key, *value), None, "{key} is there twice"));
        found
    }

    #[test]
    fn a_map_without_some_keys_is_the_map_without_them() {
        let mut cells = Cells::default();
        let mut expected = BTreeMap::new();
        let mut shared = 0;
        for round in 0..200_u32 {
            for key in 0..10 {
                let key = (round * 7 + key * 13) % 300;
                let value = *expected.entry(key).or_insert(round);
                assert_eq!(cells.get_or_make(&key, || round), value);
            }
            let gone = [round % 300, (round * 31) % 300];
            let next = cells.without(&gone);
            assert_eq!(all(&cells), expected, "what a map has stays when another is made of it");
            expected.retain(|key, _| !gone.contains(key));
            assert_eq!(all(&next), expected);
            assert!(gone.iter().all(|key| next.get(key).is_none()));
            shared += usize::from(Arc::ptr_eq(&cells.shared, &next.shared));
            cells = next;
        }
        assert!((100..200).contains(&shared), "{shared} of 200 were shared");
    }

    #[test]
    fn a_map_of_wanted_keys_has_no_others() {
        let cells = Cells::default();
        for key in 0..10_u32 {
            cells.get_or_make(&key, || key * 2);
        }
        let less = cells.without(&[1, 2]).only(|key| key % 2 == 0);
        assert_eq!(all(&less), BTreeMap::from([(0, 0), (4, 8), (6, 12), (8, 16)]));
    }
}
