//! Where a deployment may read and write: everywhere, unless whoever asks for it may not.

use std::sync::Arc;

use crate::Caseless;
use crate::Value;

/// The scopes that a deployment, and those inside it, may touch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScopeReach(Option<Arc<[Within]>>);

/// A path and all that is below it.
#[derive(Clone, Debug, PartialEq)]
struct Within {
    parts: Vec<String>,
    writes: bool,
}

impl ScopeReach {
    /// A reach without bounds, for callers who may do everything.
    pub fn everything() -> ScopeReach {
        ScopeReach::default()
    }

    /// These scopes, each with whether it may be written; `/` is everything.
    pub fn within<'s>(scopes: impl IntoIterator<Item = (&'s str, bool)>) -> ScopeReach {
        let within = |(scope, writes): (&str, bool)| Within { parts: parts(scope).collect(), writes };
        ScopeReach(Some(scopes.into_iter().map(within).collect()))
    }

    /// Whether a resource may be read.
    pub fn can_read(&self, id: &str) -> bool {
        self.allows(id, false)
    }

    /// Whether a resource may be put, changed and deleted, and its actions called.
    pub fn can_write(&self, id: &str) -> bool {
        self.allows(id, true)
    }

    fn allows(&self, id: &str, writes: bool) -> bool {
        let Some(all) = &self.0 else { return true };
        all.iter().filter(|within| within.writes || !writes).any(|within| {
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
            Value::object([("scope", Value::text(path)), ("writes", Value::Bool(within.writes))])
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
            let writes = matches!(row.get("writes")?, Value::Bool(true));
            Some(Within { parts: parts(row.get("scope")?.as_str()?).collect(), writes })
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
        let reach =
            ScopeReach::within([("/subscriptions/S/resourceGroups/App", true), ("/subscriptions/S", false)]);
        assert!(reach.can_write("/subscriptions/s/RESOURCEGROUPS/app/providers/a/b/c"));
        assert!(!reach.can_write("/subscriptions/s/resourceGroups/apples"));
        assert!(!reach.can_write("/subscriptions/s"));
        assert!(reach.can_read("/subscriptions/s/resourceGroups/apples"));
        assert!(!reach.can_read("/subscriptions/other"));
        assert!(!reach.can_write("extension/x"));
        assert!(ScopeReach::within([("/", true)]).can_write("extension/x"));
        assert!(!ScopeReach::within([]).can_read("/"));
        assert!(ScopeReach::everything().can_write("extension/x"));
    }

    #[test]
    fn a_reach_is_kept_and_read_again() {
        for reach in [
            ScopeReach::everything(),
            ScopeReach::within([]),
            ScopeReach::within([("/A/b", true), ("/", false)]),
        ] {
            assert_eq!(ScopeReach::from_value(&reach.to_value()), Some(reach));
        }
        assert_eq!(ScopeReach::from_value(&Value::text("x")), None);
    }
}
