//! Roles that an operator makes: a name and the actions that it stands for, kept in the state, so that all nodes know the same ones.
//!
//! Records have ids without a slash at the beginning, so that no path of a request leads to them. A role that is not there allows nothing.

use std::sync::Arc;

use arm::Caseless as _;
use arm::Value;
use arm::deployment::ActionSet;
use store::{Page, Resource, ResourceId, Store, StoreError, Write};

use super::grant::{Caller, Grant, Role};
use super::tokens::{TokenError, commit};

/// What ids of records begin with.
const PREFIX: &str = "role:";
/// The form of the records.
const FORMAT: store::Format = 1;

/// A role of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleInfo {
    /// Its name, in lower case.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What it allows.
    pub actions: Arc<ActionSet>,
}

/// The roles of a state.
#[derive(Clone, Copy)]
pub struct Roles<'s>(pub &'s dyn Store);

impl Roles<'_> {
    /// Looks up what the roles of a caller stand for.
    pub(crate) fn resolve(store: &dyn Store, caller: Caller) -> Result<Caller, TokenError> {
        if caller.grants.iter().all(|grant| grant.role.own_name().is_none()) {
            return Ok(caller);
        }
        let resolved = |grant: Grant| {
            let found = match grant.role.own_name() {
                Some(name) => Roles(store).find(name)?.map(|found| found.actions),
                None => None,
            };
            Ok(Grant { role: grant.role.with_actions(found), ..grant })
        };
        let grants = caller.grants.into_iter().map(resolved).collect::<Result<Vec<_>, TokenError>>()?;
        Ok(Caller { grants, ..caller })
    }

    /// A role; none if there is none of the name.
    pub fn find(&self, name: &str) -> Result<Option<RoleInfo>, TokenError> {
        let Some(record) = self.0.resource(&id(name))? else { return Ok(None) };
        read(&record).map(Some).ok_or(TokenError::Damaged(record.id))
    }

    /// Whether a role is always there, or was made.
    pub fn has(&self, role: &Role) -> Result<bool, TokenError> {
        match role.own_name() {
            Some(name) => Ok(self.find(name)?.is_some()),
            None => Ok(true),
        }
    }

    /// All roles of the operator, in the order of their names.
    pub fn list(&self) -> Result<Vec<RoleInfo>, TokenError> {
        let records = self.0.resources(PREFIX, Page::ALL)?;
        let read = |record: &Resource| read(record).ok_or_else(|| TokenError::Damaged(record.id.clone()));
        records.iter().map(read).collect()
    }

    /// Makes a role, or gives one other actions. It counts from the next request of whoever has it.
    pub fn put(&self, role: &RoleInfo) -> Result<(), TokenError> {
        commit(self.0, Write::Resource(record(role)), Vec::new())
    }

    /// Forgets a role: whoever has it may nothing by it. False if there is none.
    pub fn delete(&self, name: &str) -> Result<bool, TokenError> {
        let key = id(name);
        if self.0.resource(&key)?.is_none() {
            return Ok(false);
        }
        commit(self.0, Write::DeleteResource(key), Vec::new())?;
        Ok(true)
    }

    /// How many roles there are.
    pub(crate) fn count(&self) -> Result<usize, StoreError> {
        self.0.resources(PREFIX, Page::ALL).map(|all| all.len())
    }
}

fn id(name: &str) -> ResourceId {
    ResourceId::new(&format!("{PREFIX}{}", name.caseless()))
}

fn record(role: &RoleInfo) -> Resource {
    let body = Value::object([
        ("description", Value::text(&role.description)),
        ("actions", role.actions.to_value()),
    ]);
    Resource { id: format!("{PREFIX}{}", role.name), version: 0, format: FORMAT, body: body.to_json() }
}

fn read(record: &Resource) -> Option<RoleInfo> {
    let name = record.id.strip_prefix(PREFIX)?;
    let role = Role::parse(name)?;
    let is_whole_name = role.own_name() == Some(name);
    let body = engine::records::parse(&record.body).ok()?;
    let body = body.as_object().filter(|body| body.len() == 2 && is_whole_name)?;
    Some(RoleInfo {
        name: name.to_owned(),
        description: body.get("description")?.as_str()?.to_owned(),
        actions: Arc::new(ActionSet::from_value(body.get("actions")?)?),
    })
}

/// Whether a record is that of a role, as this program writes them.
pub fn is_role_record(record: &Resource) -> bool {
    read(record).is_some() && record.format == FORMAT && record.version > 0
}

#[cfg(test)]
mod tests {
    use store::MemoryStore;

    use super::*;
    use crate::identity::ScopePath;

    #[test]
    fn a_role_counts_from_the_next_request_on_and_is_forgotten() {
        let store = MemoryStore::new();
        let roles = Roles(&store);
        let grant = Grant { role: Role::parse("Releaser").unwrap(), scope: ScopePath::everything() };
        let caller = || Caller { name: "n".to_owned(), grants: vec![grant.clone()] };
        let reads = || Roles::resolve(&store, caller()).unwrap().reach().can_read("/subscriptions/s");
        assert!(!reads() && !roles.has(&grant.role).unwrap());
        let actions = Arc::new(ActionSet::new(["*/read"], []).unwrap());
        let role = RoleInfo { name: "releaser".to_owned(), description: "d".to_owned(), actions };
        roles.put(&role).unwrap();
        assert!(reads() && roles.has(&grant.role).unwrap());
        assert_eq!(roles.list().unwrap(), std::slice::from_ref(&role));
        let none = RoleInfo { actions: Arc::default(), ..role };
        roles.put(&none).unwrap();
        assert!(!reads());
        assert!(roles.delete("RELEASER").unwrap() && !roles.delete("releaser").unwrap());
        assert!(!reads());
        assert_eq!(roles.count().unwrap(), 0);
    }

    #[test]
    fn a_record_that_is_changed_is_no_role() {
        let actions = Arc::new(ActionSet::new(["*/read"], []).unwrap());
        let role = RoleInfo { name: "r".to_owned(), description: String::new(), actions };
        let good = Resource { version: 1, ..record(&role) };
        assert!(is_role_record(&good));
        for (id, body) in [
            ("role:owner", good.body.clone()),
            ("role:R", good.body.clone()),
            ("role:", good.body.clone()),
            ("role:r", good.body.replace("*/read", "no pattern")),
            ("role:r", good.body.replace("description", "other")),
            ("role:r", "[]".to_owned()),
        ] {
            assert!(!is_role_record(&Resource { id: id.to_owned(), body, ..good.clone() }), "{id}");
        }
    }
}
