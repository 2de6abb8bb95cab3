//! Quotas: how many resources a scope may have, how many bytes are kept of it, and how many of its deployments may be under way.
//!
//! A scope is a resource group. What it has is counted by the store now and then, and between two counts what is written here is added, so that a
//! write costs no count. Nodes know of each other's writes by the next count; near the limit that is after a second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arm::Caseless as _;
use machine::Failure;
use machine::core::{ProviderReply, PutRequest};
use store::{ResourceId, ScopeUsage, Store, StoreError};

use super::{Layer, Pending, Provider, UNAVAILABLE};

/// How old a count may be, and how old it may be once there is little left.
const FAR: Duration = Duration::from_secs(30);
const NEAR: Duration = Duration::from_secs(1);
/// How many scopes are remembered.
const SCOPES: usize = 4096;
/// The code of what a quota refuses.
const EXCEEDED: &str = "QuotaExceeded";

/// How much a scope may have; none for as much as there is room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaLimits {
    /// Resources.
    pub resources: Option<u64>,
    /// Bytes of resources and of deployments, with their history.
    pub bytes: Option<u64>,
    /// Deployments that are under way.
    pub active: Option<u64>,
}

impl QuotaLimits {
    /// Whether nothing is limited.
    pub fn is_empty(self) -> bool {
        self == QuotaLimits::default()
    }
}

/// The quotas of a process.
pub struct Quotas {
    limits: QuotaLimits,
    store: Arc<dyn Store>,
    scopes: Mutex<HashMap<String, Counted>>,
}

/// What a scope had, and what was added since.
#[derive(Clone, Copy)]
struct Counted {
    usage: ScopeUsage,
    at: Instant,
}

impl Quotas {
    /// Quotas of a state.
    pub fn new(limits: QuotaLimits, store: Arc<dyn Store>) -> Arc<Quotas> {
        Arc::new(Quotas { limits, store, scopes: Mutex::default() })
    }

    /// A provider that keeps to them; the provider itself if nothing is limited.
    pub fn around(self: &Arc<Quotas>, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        if self.limits.is_empty() {
            return below;
        }
        Arc::new(Limited { below, quotas: Arc::clone(self) })
    }

    /// Refuses another deployment of a resource group if too many are under way, or if too much is kept. Other scopes have no quota.
    pub fn check_deployment(&self, scope: &str, bytes: u64) -> Result<(), Failure> {
        let Some(scope) = group_of(&format!("{scope}/")) else { return Ok(()) };
        self.admit(&scope, ScopeUsage { active: 1, bytes, resources: 0 })
    }

    /// Refuses a resource of so many bytes if its scope has too many of them or too much. One that is there already may stay and change.
    pub fn check_resource(&self, id: &str, bytes: u64) -> Result<(), Failure> {
        let Some(scope) = group_of(id) else { return Ok(()) };
        let added = ScopeUsage { resources: 1, bytes, active: 0 };
        let Err(failure) = self.admit(&scope, added) else { return Ok(()) };
        // Only who is at the limit has it looked up what the write replaces.
        let Some(before) = self.store.resource(&ResourceId::new(id)).map_err(|error| away(&error))? else {
            return Err(failure);
        };
        self.admit(
            &scope,
            ScopeUsage { bytes: bytes.saturating_sub(before.body.len() as u64), ..ScopeUsage::default() },
        )
    }

    fn scopes(&self) -> MutexGuard<'_, HashMap<String, Counted>> {
        self.scopes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admit(&self, scope: &str, added: ScopeUsage) -> Result<(), Failure> {
        if self.limits.is_empty() {
            return Ok(());
        }
        let known = self.scopes().get(scope).copied();
        let is_close = known.is_some_and(|it| self.is_near(&it.usage, &added));
        let fresh = known.filter(|it| it.at.elapsed() < if is_close { NEAR } else { FAR });
        let mut counted = match fresh {
            Some(counted) => counted,
            None => {
                Counted { usage: self.store.usage(scope).map_err(|error| away(&error))?, at: Instant::now() }
            }
        };
        let refused = self.exceeded(scope, &counted.usage, &added);
        let mut scopes = self.scopes();
        if refused.is_none() {
            // Others may have added to it since it was read.
            if fresh.is_some()
                && let Some(now) = scopes.get(scope)
            {
                counted = *now;
            }
            counted.usage.resources += added.resources;
            counted.usage.bytes += added.bytes;
            counted.usage.active += added.active;
        }
        if scopes.len() >= SCOPES && !scopes.contains_key(scope) {
            scopes.retain(|_, counted| counted.at.elapsed() < NEAR);
        }
        if scopes.len() < SCOPES || scopes.contains_key(scope) {
            scopes.insert(scope.to_owned(), counted);
        }
        refused.map_or(Ok(()), Err)
    }

    /// Whether so little is left that an old count may be wrong about it. How many deployments are under way changes all the time.
    fn is_near(&self, usage: &ScopeUsage, added: &ScopeUsage) -> bool {
        let near = |used: u64, added: u64, most: Option<u64>| {
            most.is_some_and(|most| used.saturating_add(added) > most / 10 * 9)
        };
        near(usage.resources, added.resources, self.limits.resources)
            || near(usage.bytes, added.bytes, self.limits.bytes)
            || near(usage.active, added.active, self.limits.active)
    }

    fn exceeded(&self, scope: &str, usage: &ScopeUsage, added: &ScopeUsage) -> Option<Failure> {
        let over = |used: u64, added: u64, most: Option<u64>| {
            most.filter(|most| added > 0 && used.saturating_add(added) > *most)
        };
        let said = |what: String| Some(Failure::new(EXCEEDED, what).target(scope));
        if let Some(most) = over(usage.resources, added.resources, self.limits.resources) {
            return said(format!(
                "the resource group has {most} resources already, which is its quota; delete some of them"
            ));
        }
        if let Some(most) = over(usage.bytes, added.bytes, self.limits.bytes) {
            return said(format!(
                "what is kept of the resource group would be larger than its quota of {} MiB; delete resources, or deployments of its history",
                most >> 20
            ));
        }
        if let Some(most) = over(usage.active, added.active, self.limits.active) {
            let message = format!(
                "{most} deployments of the resource group are under way, which is its quota; try again when one has ended"
            );
            return Some(Failure::new("TooManyRequests", message).target(scope));
        }
        None
    }
}

fn away(error: &StoreError) -> Failure {
    Failure::new(UNAVAILABLE, error.to_string())
}

/// The resource group that an id is in, in lower case; none if it is in none.
fn group_of(id: &str) -> Option<String> {
    let id = id.caseless();
    let mut slashes = id.match_indices('/').map(|(at, _)| at);
    let parts = if id.starts_with("/planes/") { 5 } else { 4 };
    let end = slashes.nth(parts)?;
    let scope = id.get(..end)?;
    let word = scope.rsplit('/').nth(1)?;
    (word == "resourcegroups").then(|| scope.to_owned())
}

/// A provider that keeps to quotas.
struct Limited {
    below: Arc<dyn Provider>,
    quotas: Arc<Quotas>,
}

impl Layer for Limited {
    fn inner(&self) -> &dyn Provider {
        &*self.below
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        // Nothing of a trial is kept.
        below
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        match self.quotas.check_resource(&put.id, put.body.get().written()) {
            Ok(()) => self.below.put(put),
            Err(failure) => Box::pin(async { ProviderReply::Failed(failure) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use store::{BatchId, Commit, MemoryStore, Resource, RunId, Write};

    use super::*;

    const GROUP: &str = "/subscriptions/s/resourceGroups/G";

    fn write(store: &MemoryStore, number: u64, write: Write) {
        let id = BatchId { run: RunId(1), number };
        store.commit(&[Commit { id, fence: None, conditions: Vec::new(), writes: vec![write] }]);
    }

    fn resource(name: &str) -> Resource {
        Resource {
            id: format!("{GROUP}/providers/A.B/c/{name}"),
            version: 0,
            format: 1,
            body: "x".repeat(100),
        }
    }

    fn quotas(store: &Arc<MemoryStore>, limits: QuotaLimits) -> Arc<Quotas> {
        Quotas::new(limits, Arc::<MemoryStore>::clone(store))
    }

    #[test]
    fn a_group_has_as_many_resources_as_its_quota_and_what_is_there_may_change() {
        let store = Arc::new(MemoryStore::new());
        write(&store, 0, Write::Resource(resource("one")));
        let quotas = quotas(&store, QuotaLimits { resources: Some(2), ..QuotaLimits::default() });
        quotas.check_resource(&resource("two").id, 10).unwrap();
        let refused = quotas.check_resource(&resource("three").id, 10).unwrap_err();
        assert_eq!(refused.code, EXCEEDED);
        quotas.check_resource(&resource("ONE").id, 10).unwrap();
        quotas.check_resource("/subscriptions/s/resourceGroups/other/providers/A.B/c/n", 10).unwrap();
        quotas.check_resource("extension/x", 10).unwrap();
    }

    #[test]
    fn bytes_are_counted_and_what_is_deleted_is_room_again() {
        let store = Arc::new(MemoryStore::new());
        for (number, name) in ["one", "two"].into_iter().enumerate() {
            write(&store, number as u64, Write::Resource(resource(name)));
        }
        let quotas = quotas(&store, QuotaLimits { bytes: Some(250), ..QuotaLimits::default() });
        let id = resource("three").id;
        assert_eq!(quotas.check_resource(&id, 100).unwrap_err().code, EXCEEDED);
        assert_eq!(quotas.check_deployment(GROUP, 100).unwrap_err().code, EXCEEDED);
        // A larger one may take the place of one that is there.
        quotas.check_resource(&resource("one").id, 140).unwrap();
        write(&store, 1000, Write::DeleteResource(ResourceId::new(&resource("two").id)));
        quotas.scopes().clear();
        quotas.check_resource(&id, 100).unwrap();
    }

    #[test]
    fn only_so_many_deployments_are_under_way() {
        let store = Arc::new(MemoryStore::new());
        let quotas = quotas(&store, QuotaLimits { active: Some(2), ..QuotaLimits::default() });
        quotas.check_deployment(GROUP, 1).unwrap();
        quotas.check_deployment(&GROUP.to_uppercase(), 1).unwrap();
        assert_eq!(quotas.check_deployment(GROUP, 1).unwrap_err().code, "TooManyRequests");
        quotas.check_deployment("/subscriptions/s/resourceGroups/h", 1).unwrap();
        // The next count finds that none of them was accepted after all.
        quotas.scopes().clear();
        quotas.check_deployment(GROUP, 1).unwrap();
    }

    #[test]
    fn a_group_is_that_of_azure_or_of_a_plane() {
        assert_eq!(group_of(&format!("{GROUP}/x")).as_deref(), Some("/subscriptions/s/resourcegroups/g"));
        let plane = "/planes/radius/local/resourceGroups/G/providers/a/b/c";
        assert_eq!(group_of(plane).as_deref(), Some("/planes/radius/local/resourcegroups/g"));
        for id in [GROUP, "/subscriptions/s/providers/a/b/c", "x", "/"] {
            assert_eq!(group_of(id), None, "{id}");
        }
    }
}
