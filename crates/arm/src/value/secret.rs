//! Values that nobody may read: what secure parameters hold, and everything computed from them.
//!
//! A secret is wrapped, and wraps plain content only. Whatever prints a value prints a mask in its place, and a
//! container knows whether a secret is inside, so that asking costs nothing. [`Value::expose`] is the one way to
//! the content; it is for those who hand it to a provider or to another deployment, never for text.

use std::sync::Arc;

use super::{ObjectBuilder, Value};

impl Value {
    /// The value as a secret. Null stays null: that nothing was given is not a secret.
    #[must_use]
    pub fn secret(self) -> Value {
        match self {
            Value::Null | Value::Secret(_) => self,
            value => Value::Secret(Arc::new(value.expose())),
        }
    }

    /// Tells whether the value is a secret, or has one inside.
    pub fn has_secret(&self) -> bool {
        self.extent().secret
    }

    /// Tells whether the value as a whole is a secret.
    pub fn is_secret(&self) -> bool {
        matches!(self, Value::Secret(_))
    }

    /// The value with all its secrets in plain.
    #[must_use]
    pub fn expose(&self) -> Value {
        if !self.has_secret() {
            return self.clone();
        }
        // Recursion is bounded by how deep a value may nest.
        match self {
            Value::Secret(inner) => (**inner).clone(),
            Value::Array(list) => Value::array(list.items.iter().map(Value::expose).collect()),
            Value::Object(object) => {
                let mut plain = ObjectBuilder::default();
                for (name, value) in &**object {
                    plain.insert(name.clone(), value.expose());
                }
                plain.finish()
            }
            scalar => scalar.clone(),
        }
    }

    /// The value itself, or what the secret is; a secret further inside stays one.
    pub fn plain(&self) -> &Value {
        match self {
            Value::Secret(inner) => inner,
            value => value,
        }
    }

    /// A secret container as a container of secrets, for those who look at its parts one by one.
    #[must_use]
    pub(crate) fn spread(&self) -> Value {
        let Value::Secret(inner) = self else { return self.clone() };
        match &**inner {
            Value::Array(list) => Value::array(list.items.iter().cloned().map(Value::secret).collect()),
            Value::Object(object) => {
                let mut members = ObjectBuilder::default();
                for (name, value) in &**object {
                    members.insert(name.clone(), value.clone().secret());
                }
                members.finish()
            }
            _ => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Value::from("hunter2").secret();
        let around = Value::object([("a", Value::array(vec![secret.clone(), Value::Int(1)]))]);
        assert_eq!(around.to_json(), r#"{"a":["<secret>",1]}"#);
        assert_eq!(format!("{around:?} {secret:?}"), r#"{"a":["<secret>",1]} "<secret>""#);
        assert_eq!(crate::template_text::indented(secret.view()), r#""<secret>""#);
        assert_eq!(
            crate::Expression::from_value(&around).to_string(),
            "createObject('a', createArray('<secret>', 1))"
        );
        assert_eq!(around.expose().to_json(), r#"{"a":["hunter2",1]}"#);
    }

    #[test]
    fn containers_know_whether_a_secret_is_inside() {
        let secret = Value::from("s").secret();
        assert!(secret.has_secret() && secret.is_secret());
        let around = Value::array(vec![Value::object([("a", secret)])]);
        assert!(around.has_secret() && !around.is_secret());
        assert!(!around.expose().has_secret());
        let wrapped = around.secret();
        assert!(!wrapped.plain().has_secret(), "a secret wraps plain content");
    }

    #[test]
    fn null_is_no_secret_and_a_secret_stays_one() {
        assert!(!Value::Null.secret().has_secret());
        assert_eq!(Value::Int(1).secret().secret().plain().to_json(), "1");
    }

    #[test]
    fn a_secret_equals_its_content() {
        assert_eq!(Value::Int(1).secret(), Value::Int(1));
        assert_eq!(Value::array(vec![Value::Int(1).secret()]), Value::array(vec![Value::Int(1)]));
        assert_ne!(Value::Int(1).secret(), Value::Int(2).secret());
    }
}
