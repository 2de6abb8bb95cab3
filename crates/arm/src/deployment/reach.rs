//! Where a deployment may read and write: everywhere, unless whoever asks for it may not.

use std::sync::Arc;

use super::actions::{ActionSet, type_of_path};
use crate::Caseless;
use crate::Value;

/// The scopes that a deployment, and those inside it, may touch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScopeReach(Option<Arc<[Within]>>);

/// A path and all that is below it.
#[derive(Clone, Debug, PartialEq)]
struct Within {
    parts: Vec<String>,
    rights: Rights,
}

/// What may be done in a scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Rights {
    /// Everything is read, and nothing else.
    Reads,
    /// Everything is done.
    Writes,
    /// These actions.
    Actions(Arc<ActionSet>),
}

impl Rights {
    fn allow(&self, id: &str, what: &str) -> bool {
        match self {
            Rights::Reads => what == READ,
            Rights::Writes => true,
            Rights::Actions(actions) => actions.allows(&type_of(id), what),
        }
    }
}

const READ: &str = "read";
const WRITE: &str = "write";
const DELETE: &str = "delete";

/// The type of what an id names; what is in no scope is of an extension.
fn type_of(id: &str) -> String {
    if !id.starts_with('/') {
        return "Tendon/extensions".to_owned();
    }
    type_of_path(id.split('/').filter(|part| !part.is_empty())).0
}

impl ScopeReach {
    /// A reach without bounds, for callers who may do everything.
    pub fn everything() -> ScopeReach {
        ScopeReach::default()
    }

    /// These scopes, each with what may be done there; `/` is everything.
    pub fn within<'s>(scopes: impl IntoIterator<Item = (&'s str, Rights)>) -> ScopeReach {
        let within = |(scope, rights): (&str, Rights)| Within { parts: parts(scope).collect(), rights };
        ScopeReach(Some(scopes.into_iter().map(within).collect()))
    }

    /// Whether a resource may be read.
    pub fn can_read(&self, id: &str) -> bool {
        self.allows(id, READ)
    }

    /// Whether a resource may be put and changed.
    pub fn can_write(&self, id: &str) -> bool {
        self.allows(id, WRITE)
    }

    /// Whether a resource may be deleted.
    pub fn can_delete(&self, id: &str) -> bool {
        self.allows(id, DELETE)
    }

    /// Whether an action of a resource may be called.
    pub fn can_call(&self, id: &str, action: &str) -> bool {
        self.allows(id, &format!("{action}/action"))
    }

    fn allows(&self, id: &str, what: &str) -> bool {
        let Some(all) = &self.0 else { return true };
        all.iter().filter(|within| within.rights.allow(id, what)).any(|within| {
            // What is in no scope, such as a resource of an extension, is only in everything.
            if !id.starts_with('/') {
                return within.parts.is_empty();
            }
            let mut of_id = parts(id);
            within.parts.iter().all(|part| of_id.next().is_some_and(|it| it == *part))
        })
    }

    /// The reach as JSON, to be kept; null for everything.
    pub fn to_value(&self) -> Value {
        let Some(all) = &self.0 else { return Value::Null };
        let row = |within: &Within| {
            let path: String = within.parts.iter().flat_map(|part| ["/", part]).collect();
            // A reader that knows no sets of actions finds one that may not be written.
            let writes = Value::Bool(within.rights == Rights::Writes);
            let mut row = vec![("scope", Value::text(path)), ("writes", writes)];
            if let Rights::Actions(actions) = &within.rights {
                row.push(("rights", actions.to_value()));
            }
            Value::object(row)
        };
        Value::array(all.iter().map(row).collect())
    }

    /// The reach that was kept; none if it cannot be read.
    pub fn from_value(value: &Value) -> Option<ScopeReach> {
        if value.is_null() {
            return Some(ScopeReach::everything());
        }
        let rows = value.as_array()?.iter().map(|row| {
            let row = row.as_object()?;
            let rights = match (row.get("rights"), row.get("writes")?) {
                (Some(actions), _) => Rights::Actions(Arc::new(ActionSet::from_value(actions)?)),
                (None, Value::Bool(true)) => Rights::Writes,
                (None, _) => Rights::Reads,
            };
            Some(Within { parts: parts(row.get("scope")?.as_str()?).collect(), rights })
        });
        rows.collect::<Option<Arc<[Within]>>>().map(|all| ScopeReach(Some(all)))
    }
}

fn parts(path: &str) -> impl Iterator<Item = String> {
    path.split('/').filter(|part| !part.is_empty()).map(Caseless::caseless)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reach_ends_between_two_parts_and_does_not_depend_on_case() {
        let reach = ScopeReach::within([
            ("/subscriptions/S/resourceGroups/App", Rights::Writes),
            ("/subscriptions/S", Rights::Reads),
        ]);
        assert!(reach.can_write("/subscriptions/s/RESOURCEGROUPS/app/providers/a/b/c"));
        assert!(!reach.can_write("/subscriptions/s/resourceGroups/apples"));
        assert!(!reach.can_write("/subscriptions/s"));
        assert!(reach.can_read("/subscriptions/s/resourceGroups/apples"));
        assert!(!reach.can_read("/subscriptions/other"));
        assert!(!reach.can_write("extension/x"));
        assert!(ScopeReach::within([("/", Rights::Writes)]).can_write("extension/x"));
        assert!(!ScopeReach::within([]).can_read("/"));
        assert!(ScopeReach::everything().can_write("extension/x"));
    }

    fn things() -> Rights {
        Rights::Actions(Arc::new(ActionSet::new(["A.B/c/*", "*/read"], ["A.B/c/delete"]).unwrap()))
    }

    #[test]
    fn a_set_of_actions_is_for_its_types_and_its_scope() {
        let reach = ScopeReach::within([("/subscriptions/s", things())]);
        let id = "/subscriptions/s/resourceGroups/g/providers/A.B/c/n";
        assert!(reach.can_write(id) && reach.can_read(id) && reach.can_call(id, "listKeys"));
        assert!(!reach.can_delete(id));
        let other = "/subscriptions/s/resourceGroups/g/providers/A.B/d/n";
        assert!(reach.can_read(other) && !reach.can_write(other) && !reach.can_call(other, "listKeys"));
        assert!(!reach.can_write("/subscriptions/t/resourceGroups/g/providers/A.B/c/n"));
        assert!(!reach.can_write("extension/x"));
    }

    #[test]
    fn a_reach_is_kept_and_read_again() {
        for reach in [
            ScopeReach::everything(),
            ScopeReach::within([]),
            ScopeReach::within([("/A/b", Rights::Writes), ("/", Rights::Reads), ("/c", things())]),
        ] {
            assert_eq!(ScopeReach::from_value(&reach.to_value()), Some(reach));
        }
        assert_eq!(ScopeReach::from_value(&Value::text("x")), None);
    }
}
