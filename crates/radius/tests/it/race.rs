//! Somebody makes the first resource of a type just before another deletes or changes the type.

use std::sync::{Arc, Mutex};

use document::{Document, FileId, ReadLimits};
use radius::ManifestDialect;
use radius::registry::{Registry, RegistryError};
use store::{
    BatchId, Claim, Claimed, Commit, CommitOutcome, Condition, Deployment, DeploymentKey, Key, Lease,
    MemoryStore, Operation, Page, Resource, ResourceId, Result, RunId, StepRecord, Store, Write,
};

const TYPE: &str = "Our.Things/things";
const TYPE_ID: &str =
    "/planes/radius/local/providers/System.Resources/resourceProviders/Our.Things/resourceTypes/things";
const RESOURCE: &str = "/planes/radius/local/resourceGroups/default/providers/Our.Things/things/one";

/// A store in which something happens just before the next commit: after whoever commits has looked.
struct Between {
    inner: MemoryStore,
    before: Mutex<Option<Commit>>,
}

impl Between {
    /// What a deployment writes that puts a resource: it depends on the record of the type.
    fn put_first(&self) {
        let version = self.inner.resource(&ResourceId::new(TYPE_ID)).unwrap().map(|it| it.version);
        let body = format!(r#"{{"body":{{"id":"{RESOURCE}","name":"one","type":"{TYPE}"}},"digests":{{}}}}"#);
        let put = Write::Resource(Resource { id: RESOURCE.to_owned(), version: 0, format: 1, body });
        let conditions = vec![Condition::ResourceVersion(ResourceId::new(TYPE_ID), version)];
        let id = BatchId { run: RunId(7), number: 1 };
        *self.before.lock().unwrap() = Some(Commit { id, fence: None, conditions, writes: vec![put] });
    }
}

impl Store for Between {
    fn commit(&self, batches: &[Commit]) -> Vec<CommitOutcome> {
        if let Some(before) = self.before.lock().unwrap().take() {
            assert_eq!(self.inner.commit(&[before]), [CommitOutcome::Committed]);
        }
        self.inner.commit(batches)
    }

    fn claim(&self, run: RunId, owner: &str, milliseconds: u64) -> Result<Claim> {
        self.inner.claim(run, owner, milliseconds)
    }

    fn claim_abandoned(&self, owner: &str, milliseconds: u64, limit: usize) -> Result<Vec<Claimed>> {
        self.inner.claim_abandoned(owner, milliseconds, limit)
    }

    fn renew(&self, leases: &[Lease], milliseconds: u64) -> Result<Vec<Option<Lease>>> {
        self.inner.renew(leases, milliseconds)
    }

    fn release(&self, leases: &[Lease]) -> Result<()> {
        self.inner.release(leases)
    }

    fn cancel(&self, run: RunId) -> Result<bool> {
        self.inner.cancel(run)
    }

    fn abandoned(&self, limit: usize) -> Result<Vec<Deployment>> {
        self.inner.abandoned(limit)
    }

    fn are_over(&self, runs: &[RunId]) -> Result<Vec<bool>> {
        self.inner.are_over(runs)
    }

    fn deployment(&self, key: &DeploymentKey) -> Result<Option<Deployment>> {
        self.inner.deployment(key)
    }

    fn run(&self, run: RunId) -> Result<Option<Deployment>> {
        self.inner.run(run)
    }

    fn runs(&self, root: RunId) -> Result<Vec<Deployment>> {
        self.inner.runs(root)
    }

    fn deployments(&self, scope: Option<&str>, page: Page) -> Result<Vec<Deployment>> {
        self.inner.deployments(scope, page)
    }

    fn steps(&self, run: RunId) -> Result<Vec<StepRecord>> {
        self.inner.steps(run)
    }

    fn operations(&self, run: RunId, page: Page) -> Result<Vec<Operation>> {
        self.inner.operations(run, page)
    }

    fn blob(&self, run: RunId, name: &str) -> Result<Option<Vec<u8>>> {
        self.inner.blob(run, name)
    }

    fn replace_blob(&self, run: RunId, name: &str, was: &[u8], bytes: &[u8]) -> Result<bool> {
        self.inner.replace_blob(run, name, was, bytes)
    }

    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>> {
        self.inner.resource(id)
    }

    fn resources(&self, below: &str, page: Page) -> Result<Vec<Resource>> {
        self.inner.resources(below, page)
    }
}

fn manifest(property: &str) -> Document {
    let text = format!(
        r#"{{"namespace": "Our.Things", "types": {{"things": {{"apiVersions": {{"2025-01-01": {{"schema":
        {{"type": "object", "properties": {{"{property}": {{"type": "string"}}}}}}}}}}}}}}}}"#
    );
    Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).unwrap()
}

fn registry() -> (Arc<Between>, Registry) {
    let store = Arc::new(Between { inner: MemoryStore::new(), before: Mutex::default() });
    let registry = Registry::new(store.clone(), Key::random().unwrap());
    registry.register(&manifest("size"), None, ManifestDialect::Tendon, false).unwrap();
    (store, registry)
}

#[test]
fn a_type_stays_if_a_resource_of_it_comes_in_between() {
    let (store, registry) = registry();
    store.put_first();
    let refused = registry.delete_type(TYPE, false);
    assert!(matches!(refused, Err(RegistryError::InUse { .. })), "{refused:?}");
    assert!(registry.resource_type(TYPE).unwrap().is_some());
    assert!(registry.delete_type(TYPE, true).unwrap(), "unless that is wanted");
}

#[test]
fn a_type_stays_as_it_is_if_a_resource_of_it_comes_in_between() {
    let (store, registry) = registry();
    store.put_first();
    let refused = registry.register(&manifest("colour"), None, ManifestDialect::Tendon, false);
    assert!(matches!(refused, Err(RegistryError::Breaks { .. })), "{refused:?}");
    let (store, registry) = self::registry();
    store.put_first();
    let refused = registry.delete_provider("Our.Things", false);
    assert!(matches!(refused, Err(RegistryError::InUse { .. })), "{refused:?}");
}

#[test]
fn a_type_that_was_deleted_and_made_anew_is_the_new_one() {
    let (_, registry) = registry();
    let old = registry.kind(TYPE, None).unwrap();
    assert!(Arc::ptr_eq(&old.schema, &registry.kind(TYPE, None).unwrap().schema), "it is compiled once");
    assert!(registry.delete_type(TYPE, false).unwrap());
    registry.register(&manifest("colour"), None, ManifestDialect::Tendon, false).unwrap();
    let new = registry.kind(TYPE, None).unwrap();
    assert!(old.schema.property("size").is_some() && new.schema.property("size").is_none());
    assert!(new.schema.property("colour").is_some());
}
