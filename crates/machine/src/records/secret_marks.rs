//! Values in plain in which secrets are marked, for sealing: what is opened again has the same secrets.

use arm::{ObjectBuilder, Value};

/// The member that says which parts of a sealed value are secret.
const MARK: &str = "$secret";

/// A value in plain in which secrets are marked, for sealing.
pub fn marked(value: &Value) -> Value {
    if !value.has_secret() {
        return value.clone();
    }
    // Recursion is bounded by how deep a value may nest.
    match value {
        Value::Secret(inner) => Value::object([(MARK, (**inner).clone())]),
        Value::Array(list) => Value::array(list.items().iter().map(marked).collect()),
        Value::Object(object) => {
            let mut members = ObjectBuilder::default();
            for (name, value) in &**object {
                members.insert(name.clone(), marked(value));
            }
            members.finish()
        }
        scalar => scalar.clone(),
    }
}

/// The value that [`marked`] gives, with its secrets.
pub fn unmarked(value: &Value) -> Value {
    match value {
        Value::Array(list) => Value::array(list.items().iter().map(unmarked).collect()),
        Value::Object(object) => {
            if let Some(inner) = object.get(MARK).filter(|_| object.len() == 1) {
                return inner.clone().secret();
            }
            let mut members = ObjectBuilder::default();
            for (name, value) in &**object {
                members.insert(name.clone(), unmarked(value));
            }
            members.finish()
        }
        scalar => scalar.clone(),
    }
}
