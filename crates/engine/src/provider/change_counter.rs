//! Counts what becomes of resources, for people who want to know what a deployment did.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use machine::core::{ProviderReply, PutRequest};
use machine::records::Record;
use machine::records::ResourceRecord;
use store::{ResourceId, Store};

use super::{Layer, Pending, Provider};
use crate::predicted_change::{ChangeKind, change};

/// A provider that does what another one does, and remembers what changed.
///
/// What was there before is asked of the store, which has it until the step is durable. Resources that are not kept there are not counted.
pub struct Tally {
    provider: Arc<dyn Provider>,
    store: Arc<dyn Store>,
    changes: Mutex<BTreeMap<ResourceId, ChangeKind>>,
}

impl Tally {
    /// Counts what a provider does to the resources of a store.
    pub fn new(provider: Arc<dyn Provider>, store: Arc<dyn Store>) -> Tally {
        Tally { provider, store, changes: Mutex::default() }
    }

    /// How many resources became what.
    pub fn counts(&self) -> BTreeMap<ChangeKind, usize> {
        let mut counts = BTreeMap::new();
        for kind in self.changes.lock().unwrap_or_else(PoisonError::into_inner).values() {
            *counts.entry(*kind).or_default() += 1;
        }
        counts
    }

    fn note(&self, answer: &ProviderReply) {
        let ProviderReply::Done(response) = answer else { return };
        for record in &response.writes {
            let (id, after) = match record {
                Record::PutResource { id, record } => (ResourceId::new(id), Some(record)),
                Record::DeleteResource { id } => (ResourceId::new(id), None),
                _ => continue,
            };
            // A count that cannot be made is no reason to fail.
            let before = self.store.resource(&id).ok().flatten();
            let before = before.and_then(|it| ResourceRecord::from_store(&it).ok());
            let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
            // Before the deployment is before its first change.
            let known = changes.get(&id).copied();
            let told = change(id.as_str(), before.as_ref(), after).map(|change| change.kind);
            let kind = match (known, told) {
                (Some(ChangeKind::Create), Some(ChangeKind::Modify | ChangeKind::NoChange)) => known,
                (Some(ChangeKind::Modify), Some(ChangeKind::NoChange)) => known,
                (_, told) => told,
            };
            if let Some(kind) = kind {
                changes.insert(id, kind);
            }
        }
    }
}

impl Layer for Tally {
    fn inner(&self) -> &dyn Provider {
        &*self.provider
    }

    /// What is only tried is not counted.
    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        below
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        Box::pin(async move {
            let answer = self.provider.put(put).await;
            self.note(&answer);
            answer
        })
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        Box::pin(async move {
            let answer = self.provider.delete(id).await;
            self.note(&answer);
            answer
        })
    }
}

#[cfg(test)]
mod tests {
    use arm::Value;
    use store::{Key, MemoryStore};

    use super::*;
    use crate::admit_body;
    use crate::provider::Local;
    use machine::core::StepPolicy;

    #[test]
    fn what_changes_is_counted() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let local = Local::new(Arc::clone(&store), Key::random().unwrap());
        let tally = Tally::new(Arc::new(local), store);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for (name, color) in [("a", "red"), ("b", "red"), ("a", "blue")] {
            let put = PutRequest {
                id: format!("/subscriptions/s/resourceGroups/g/providers/Our.Things/things/{name}").into(),
                kind: "Our.Things/things".into(),
                api_version: "2025-01-01".into(),
                body: admit_body(
                    "/a",
                    Value::object([("properties", Value::object([("color", Value::from(color))]))]),
                )
                .unwrap(),
                wanted: StepPolicy::default(),
                extension: None,
            };
            runtime.block_on(Provider::put(&tally, &put));
        }
        assert_eq!(tally.counts(), BTreeMap::from([(ChangeKind::Create, 2)]));
    }
}
