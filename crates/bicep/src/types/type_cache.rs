//! Resource types that were read from type data, kept for the next check: while one types, it is the same types again
//! and again.

use std::sync::{Arc, Mutex, PoisonError};

use bicep_types::TypeStore;
use rustc_hash::FxHashMap;

use super::TypeReference;
use super::azure::{self, DeclarationFlags};
use super::model::ResourceTy;

/// How many types are kept at most. The programs of the public registry name at most half as many.
const MOST: usize = 64;

/// The types that were asked for last.
#[derive(Debug, Default)]
pub(crate) struct RecentTypes(Mutex<ResourceTypeCache>);

#[derive(Debug, Default)]
struct ResourceTypeCache {
    /// The types, with the question that they answered last.
    types: FxHashMap<(DeclarationFlags, TypeReference), (u64, ResourceTy)>,
    questions: u64,
}

impl RecentTypes {
    /// The type of a resource, if type data has it. INVARIANT: it is always asked with the same store.
    pub(crate) fn find(
        &self,
        store: Option<&Arc<TypeStore>>,
        reference: &TypeReference,
        how: DeclarationFlags,
    ) -> Option<ResourceTy> {
        let key = (how, reference.clone());
        if let Some(known) = self.kept(|kept| kept.get(&key)) {
            return Some(known);
        }
        // Two threads may read a type at once, which is the same both times.
        let found = azure::find(store, reference, how)?;
        self.kept(|kept| kept.put(key, found.clone()));
        Some(found)
    }

    fn kept<T>(&self, work: impl FnOnce(&mut ResourceTypeCache) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ResourceTypeCache {
    fn get(&mut self, key: &(DeclarationFlags, TypeReference)) -> Option<ResourceTy> {
        self.questions += 1;
        let (last, known) = self.types.get_mut(key)?;
        *last = self.questions;
        Some(known.clone())
    }

    fn put(&mut self, key: (DeclarationFlags, TypeReference), ty: ResourceTy) {
        if self.types.len() >= MOST {
            // The half that nobody asked for the longest makes room.
            let mut last: Vec<u64> = self.types.values().map(|(last, _)| *last).collect();
            last.sort_unstable();
            let middle = last.get(last.len() / 2).copied().unwrap_or_default();
            self.types.retain(|_, (last, _)| *last >= middle);
        }
        self.types.insert(key, (self.questions, ty));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> (DeclarationFlags, TypeReference) {
        let name = format!("Our.Things/things{number}@2025-01-01");
        (DeclarationFlags::default(), TypeReference::parse(&name).unwrap())
    }

    #[test]
    fn types_that_nobody_asks_for_make_room() {
        let mut kept = ResourceTypeCache::default();
        for number in 0..10 * MOST {
            let (how, reference) = key(number);
            let ty = azure::assumed(&reference, how).unwrap();
            assert!(kept.get(&(how, reference.clone())).is_none());
            kept.put((how, reference), ty);
            // One is asked for all the time.
            assert!(kept.get(&key(0)).is_some());
        }
        assert!(kept.types.len() <= MOST);
    }
}
