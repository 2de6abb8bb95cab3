//! Why something was not done, in the shape that the REST API gives errors.

use std::fmt;

use arm::{ObjectBuilder, Value};
use diagnostics::bound::{self, Allowance};
use smol_str::SmolStr;

/// An error of a step, of a deployment, or of a provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// A word for programs, such as `Conflict`.
    pub code: SmolStr,
    /// A sentence for people.
    pub message: String,
    /// What it speaks of: the id of a resource, or a path.
    pub target: Option<String>,
    /// The errors behind it.
    pub details: Vec<Failure>,
    /// More that programs can use, such as a place in the template.
    pub additional_info: Vec<Value>,
}

impl Failure {
    /// An error with a code and a message.
    pub fn new(code: impl Into<SmolStr>, message: impl Into<String>) -> Failure {
        Failure {
            code: code.into(),
            message: message.into(),
            target: None,
            details: Vec::new(),
            additional_info: Vec::new(),
        }
    }

    /// Says what it speaks of.
    #[must_use]
    pub fn target(mut self, target: impl Into<String>) -> Failure {
        self.target = Some(target.into());
        self
    }

    /// Adds the errors behind it.
    #[must_use]
    pub fn because(mut self, details: Vec<Failure>) -> Failure {
        self.details = details;
        self
    }

    /// The error as JSON: `code`, `message`, and what else there is. Of what is long, or too much, only a part is there.
    pub fn to_value(&self) -> Value {
        self.to_value_within(&mut Allowance::default())
    }

    /// How long its own texts are where they are written.
    fn length(&self) -> usize {
        bound::message(&self.message).len()
            + self.target.as_deref().map_or(0, |target| bound::name(target).len())
    }

    fn to_value_within(&self, allowance: &mut Allowance) -> Value {
        let mut error = ObjectBuilder::default();
        error.set("code".into(), Value::Text(self.code.clone()));
        error.set("message".into(), Value::text(bound::message(&self.message).as_ref()));
        if let Some(target) = &self.target {
            error.set("target".into(), Value::text(bound::name(target).as_ref()));
        }
        if !self.details.is_empty() {
            let mut details = Vec::new();
            for detail in &self.details {
                if !allowance.take(detail.length()) {
                    break;
                }
                // Recursion is bounded by how deep deployments nest.
                details.push(detail.to_value_within(allowance));
            }
            error.set("details".into(), Value::array(details));
        }
        if !self.additional_info.is_empty() {
            error.set("additionalInfo".into(), Value::array(self.additional_info.clone()));
        }
        error.finish()
    }

    /// The error that JSON stands for; what is missing is empty.
    pub fn from_value(error: &Value) -> Failure {
        let member = |name: &str| error.as_object().and_then(|object| object.get(name));
        let text = |name: &str| member(name).and_then(Value::as_str).unwrap_or_default();
        let list = |name: &str| member(name).and_then(Value::as_array).unwrap_or_default();
        Failure {
            code: text("code").into(),
            message: text("message").to_owned(),
            target: member("target").and_then(Value::as_str).map(str::to_owned),
            details: list("details").iter().map(Failure::from_value).collect(),
            additional_info: list("additionalInfo").to_vec(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_survives_json() {
        let inner = Failure::new("Conflict", "it is busy").target("/a");
        let failure = Failure::new("DeploymentFailed", "a step failed").because(vec![inner]);
        let json = failure.to_value();
        assert_eq!(
            json.to_json(),
            r#"{"code":"DeploymentFailed","message":"a step failed","details":[{"code":"Conflict","message":"it is busy","target":"/a"}]}"#
        );
        assert_eq!(Failure::from_value(&json), failure);
    }
}
