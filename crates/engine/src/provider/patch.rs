//! What a PATCH leaves of a resource that is there, where only digests of its secrets are known.

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

/// Tells whether a patch says what is at a place, which is a JSON pointer.
fn is_named(patch: &Value, place: &str) -> bool {
    let mut at = patch;
    for part in place.split('/').skip(1) {
        let Some(object) = at.plain().as_object() else { return true };
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
    fn a_place_is_named_if_it_or_something_around_it_is_replaced() {
        let patch =
            Value::object([("p", Value::object([("a/b", Value::Int(1)), ("o", Value::array(vec![]))]))]);
        assert!(is_named(&patch, "/p/a~1b") && is_named(&patch, "/p/o/0/x"));
        assert!(!is_named(&patch, "/p/other") && !is_named(&patch, "/q"));
        let secret = Value::object([("p", Value::object([("a", Value::Int(1))]).secret())]);
        assert!(is_named(&secret, "/p/a") && !is_named(&secret, "/p/b"));
    }
}
