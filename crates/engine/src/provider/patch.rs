//! What a PATCH makes of a resource that is there: members are laid over it, and the rest stays.

use arm::{ObjectBuilder, Value};

/// What is kept of a resource before and after, as `{"body": ..., "digests": ...}`.
///
/// Of secrets that the patch does not name, only the digests are known: they stay.
pub(super) fn with_old_digests(before: &Value, after: &Value, patch: &Value) -> Value {
    let part = |kept: &Value, name: &str| {
        kept.as_object().and_then(|kept| kept.get(name)).cloned().unwrap_or(Value::Null)
    };
    let mut digests = ObjectBuilder::default();
    for (place, digest) in part(before, "digests").as_object().into_iter().flatten() {
        if !is_named(patch, place) {
            digests.set(place.clone(), digest.clone());
        }
    }
    for (place, digest) in part(after, "digests").as_object().into_iter().flatten() {
        digests.set(place.clone(), digest.clone());
    }
    Value::object([("body", part(after, "body")), ("digests", digests.finish())])
}

/// Lays a patch over the body of a resource: objects member by member, everything else as a whole.
pub(super) fn laid_over(below: &Value, patch: &Value) -> Value {
    let (Some(lower), Some(upper)) = (below.as_object(), patch.as_object()) else { return patch.clone() };
    let mut merged = ObjectBuilder::default();
    for (name, value) in lower {
        merged.insert(name.clone(), value.clone());
    }
    for (name, value) in upper {
        // Recursion is bounded by how deep a value may nest.
        let value = merged.get(name).map_or_else(|| value.clone(), |old| laid_over(old, value));
        merged.set(name.clone(), value);
    }
    merged.finish()
}

/// Tells whether a patch says what is at a place, which is a JSON pointer.
fn is_named(patch: &Value, place: &str) -> bool {
    let mut at = patch;
    for part in place.split('/').skip(1) {
        let Some(object) = at.as_object() else { return true };
        match object.get(&part.replace("~1", "/").replace("~0", "~")) {
            Some(member) => at = member,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_laid_over_what_is_there() {
        let below = Value::object([
            ("tags", Value::object([("a", Value::Int(1)), ("b", Value::Int(2))])),
            ("list", Value::array(vec![Value::Int(1)])),
        ]);
        let patch = Value::object([
            ("tags", Value::object([("B", Value::Int(3)), ("c", Value::Int(4))])),
            ("list", Value::array(vec![])),
        ]);
        assert_eq!(laid_over(&below, &patch).to_json(), r#"{"tags":{"a":1,"b":3,"c":4},"list":[]}"#);
    }

    #[test]
    fn a_place_is_named_if_it_or_something_around_it_is_replaced() {
        let patch =
            Value::object([("p", Value::object([("a/b", Value::Int(1)), ("o", Value::array(vec![]))]))]);
        assert!(is_named(&patch, "/p/a~1b") && is_named(&patch, "/p/o/0/x"));
        assert!(!is_named(&patch, "/p/other") && !is_named(&patch, "/q"));
    }
}
