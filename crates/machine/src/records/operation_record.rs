//! What was done for a step of a deployment, for people who look at it.

use arm::{ObjectBuilder, PROVISIONING_STATE, ProvisioningState, Value, rest_time};
use smol_str::SmolStr;

use super::stored_text::{LoadError, parse};
use crate::Failure;

/// Something that was done for a deployment.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationRecord {
    /// What it was, such as `Create`.
    pub operation: SmolStr,
    /// How it ended: succeeded, failed, or cancelled.
    pub state: ProvisioningState,
    /// The status of HTTP that goes with it, by its name; earlier programs did not keep it.
    pub status_code: Option<SmolStr>,
    /// When it ended, in milliseconds since 1970.
    pub timestamp: Option<i64>,
    /// How long it took, in milliseconds.
    pub duration: Option<i64>,
    /// What it was done for; the outputs of a deployment have none.
    pub target: Option<OperationTarget>,
    /// Why it failed; none unless it did.
    pub error: Option<Failure>,
}

/// What an operation was done for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationTarget {
    /// The id of the resource.
    pub id: SmolStr,
    /// Its type, as far as it is known.
    pub resource_type: Option<SmolStr>,
    /// Its name, as far as it is known.
    pub resource_name: Option<SmolStr>,
    /// Its symbolic name in the template, if it has one.
    pub symbolic_name: Option<SmolStr>,
}

impl OperationRecord {
    /// The properties of the operation as the REST API shows them.
    pub fn to_rest(&self) -> Value {
        let mut body = ObjectBuilder::default();
        body.set("provisioningOperation".into(), Value::Text(self.operation.clone()));
        body.set(PROVISIONING_STATE.into(), Value::text(self.state.as_str()));
        let text = |text: &SmolStr| Value::Text(text.clone());
        let members = [
            ("statusCode", self.status_code.as_ref().map(text)),
            ("timestamp", self.timestamp.map(|at| Value::text(rest_time::moment_text(at)))),
            ("duration", self.duration.map(|took| Value::text(rest_time::duration_text(took)))),
            ("targetResource", self.target.as_ref().map(OperationTarget::to_rest)),
            ("statusMessage", self.error.as_ref().map(status_message)),
        ];
        for (name, value) in members {
            if let Some(value) = value {
                body.set(name.into(), value);
            }
        }
        body.finish()
    }

    /// Reads the properties of an operation as the REST API shows them; what is missing is empty.
    pub fn from_rest(body: &Value) -> OperationRecord {
        let member = |name: &str| body.as_object().and_then(|body| body.get(name));
        let text = |name: &str| member(name).and_then(Value::as_str);
        let error = member("statusMessage").and_then(Value::as_object).and_then(|said| said.get("error"));
        OperationRecord {
            operation: text("provisioningOperation").unwrap_or_default().into(),
            state: text(PROVISIONING_STATE)
                .and_then(ProvisioningState::parse)
                .unwrap_or(ProvisioningState::Running),
            status_code: text("statusCode").map(Into::into),
            timestamp: text("timestamp").and_then(rest_time::parse_moment),
            duration: text("duration").and_then(rest_time::parse_duration),
            target: member("targetResource").map(OperationTarget::from_rest),
            error: error.map(Failure::from_value),
        }
    }

    /// What the store keeps: what the REST API shows.
    pub fn to_store(&self) -> String {
        self.to_rest().to_json()
    }

    /// Reads what the store keeps.
    pub fn from_store(text: &str) -> Result<OperationRecord, LoadError> {
        parse(text).map(|body| OperationRecord::from_rest(&body))
    }

    /// The id of what it was done for; empty if it was done for nothing that has one.
    pub fn target_id(&self) -> &str {
        self.target.as_ref().map_or("", |target| target.id.as_str())
    }
}

impl OperationTarget {
    fn to_rest(&self) -> Value {
        let mut target = ObjectBuilder::default();
        target.set("id".into(), Value::Text(self.id.clone()));
        let members = [
            ("resourceType", &self.resource_type),
            ("resourceName", &self.resource_name),
            ("symbolicName", &self.symbolic_name),
        ];
        for (name, value) in members {
            if let Some(value) = value {
                target.set(name.into(), Value::Text(value.clone()));
            }
        }
        target.finish()
    }

    fn from_rest(target: &Value) -> OperationTarget {
        let text = |name: &str| target.as_object()?.get(name)?.as_str().map(SmolStr::from);
        OperationTarget {
            id: text("id").unwrap_or_default(),
            resource_type: text("resourceType"),
            resource_name: text("resourceName"),
            symbolic_name: text("symbolicName"),
        }
    }
}

fn status_message(error: &Failure) -> Value {
    let failed = Value::text(ProvisioningState::Failed.as_str());
    Value::object([("status", failed), ("error", error.to_value())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str) {
        assert_eq!(OperationRecord::from_store(text).unwrap().to_store(), text);
    }

    #[test]
    fn what_the_store_keeps_is_read_back() {
        check(
            r#"{"provisioningOperation":"Create","provisioningState":"Succeeded","statusCode":"OK","timestamp":"2026-01-31T12:00:00.1230000Z","duration":"PT1M2.500S","targetResource":{"id":"/a/b","resourceType":"N.S/t","resourceName":"b","symbolicName":"it"}}"#,
        );
        check(
            r#"{"provisioningOperation":"Create","provisioningState":"Failed","statusCode":"Conflict","timestamp":"2026-01-31T12:00:00.1230000Z","duration":"PT0S","targetResource":{"id":"/a/b"},"statusMessage":{"status":"Failed","error":{"code":"Conflict","message":"no"}}}"#,
        );
    }

    #[test]
    fn earlier_programs_kept_less() {
        check(
            r#"{"provisioningOperation":"Create","provisioningState":"Succeeded","targetResource":{"id":"/a"}}"#,
        );
    }
}
