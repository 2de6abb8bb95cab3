//! Two values merged into one: what `union` does, a PATCH, and a mock over what the engine knows.

use super::{ObjectBuilder, Value};

impl Value {
    /// This value with another one laid over it: objects member by member, of all else the other one.
    ///
    /// A secret object is merged like any other, and its members stay secret.
    #[must_use]
    pub fn merged_with(&self, later: &Value) -> Value {
        let (Some(a), Some(b)) = (self.plain().as_object(), later.plain().as_object()) else {
            return later.clone();
        };
        if self.is_secret() || later.is_secret() {
            return self.spread().merged_with(&later.spread());
        }
        let mut merged = ObjectBuilder::default();
        for (name, value) in a {
            merged.insert(name.clone(), value.clone());
        }
        for (name, value) in b {
            // Recursion is bounded by how deep a value may nest.
            let value = merged.get(name).map_or_else(|| value.clone(), |before| before.merged_with(value));
            merged.set(name.clone(), value);
        }
        merged.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers<const N: usize>(members: [(&'static str, i64); N]) -> Value {
        Value::object(members.map(|(name, number)| (name, Value::Int(number))))
    }

    #[test]
    fn objects_are_merged_member_by_member_and_all_else_is_replaced() {
        let earlier = Value::object([
            ("tags", numbers([("a", 1), ("b", 2)])),
            ("list", Value::array(vec![Value::Int(1)])),
        ]);
        let later = Value::object([("tags", numbers([("B", 3), ("c", 4)])), ("list", Value::array(vec![]))]);
        assert_eq!(earlier.merged_with(&later).to_json(), r#"{"tags":{"a":1,"b":3,"c":4},"list":[]}"#);
        assert_eq!(earlier.merged_with(&Value::Null), Value::Null);
    }

    #[test]
    fn members_of_a_secret_object_stay_secret() {
        let merged = numbers([("a", 1)]).merged_with(&numbers([("b", 2)]).secret());
        assert_eq!(merged.to_json(), r#"{"a":1,"b":"<secret>"}"#);
        assert_eq!(merged.expose().to_json(), r#"{"a":1,"b":2}"#);
    }
}
