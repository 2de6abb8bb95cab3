//! Predictions are kept apart from the state, so that what they were made from cannot be compared with what is there when they are kept.

use std::sync::Arc;

use machine::core::{ProviderReply, PutRequest};
use machine::records::Record;

use super::{Layer, Pending, Provider};

/// A provider whose answers are kept whatever has changed meanwhile.
pub(crate) struct Unconditional(pub(crate) Arc<dyn Provider>);

impl Layer for Unconditional {
    fn inner(&self) -> &dyn Provider {
        &*self.0
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        Arc::new(Unconditional(below))
    }

    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        Box::pin(async move { unconditional(self.0.get(id, api_version).await) })
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        Box::pin(async move { unconditional(self.0.put(put).await) })
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        Box::pin(async move { unconditional(self.0.delete(id).await) })
    }
}

fn unconditional(mut answer: ProviderReply) -> ProviderReply {
    if let ProviderReply::Done(response) = &mut answer {
        response.writes.retain(|write| !matches!(write, Record::Unchanged { .. } | Record::Present { .. }));
    }
    answer
}
