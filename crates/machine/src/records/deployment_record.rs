//! What is kept of a deployment, in the two forms that it has: that of the REST API, and that of the store.
//!
//! No other file spells the members of either.

use arm::deployment::DeploymentMode;
use arm::{ObjectBuilder, PROVISIONING_STATE, ProvisioningState, Value, rest_time};
use smol_str::SmolStr;
use store::RunId;

use super::stored_text::{LoadError, parse};
use crate::Failure;

/// The type of deployments.
pub const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

/// The id of the deployment of a name in a scope, which is an id itself, or empty.
pub fn deployment_id(scope: &str, name: &str) -> String {
    format!("{scope}/providers/{DEPLOYMENTS}/{name}")
}

/// The member of the stored form that says that somebody wants the deployment to stop. The REST API does not show it.
const CANCEL_REQUESTED: &str = "cancelRequested";

/// A deployment, without its secrets. What is none was not known, or not kept by the program that wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct DeploymentRecord {
    /// Its id, in which its scope and its name are.
    pub id: SmolStr,
    /// Its name, as it was spelled when it was accepted.
    pub name: SmolStr,
    /// Where it is kept; none for deployments to resource groups, which are where their group is.
    pub location: Option<SmolStr>,
    /// Its tags: an object.
    pub tags: Option<Value>,
    /// An id that it shares with all deployments inside it; none before it begins.
    pub correlation_id: Option<SmolStr>,
    /// The hash of its template.
    pub template_hash: Option<SmolStr>,
    /// Its parameters by name, each with its type and, unless that is a secret, its value.
    pub parameters: Option<Value>,
    /// What becomes of resources that the template does not name.
    pub mode: Option<DeploymentMode>,
    /// How far it has come.
    pub state: ProvisioningState,
    /// The types of resources that it puts, by namespace.
    pub providers: Option<Value>,
    /// What waits for what in it.
    pub dependencies: Option<Value>,
    /// Further sections of its properties, such as `externalInputs`, by name.
    pub sections: Vec<(SmolStr, Value)>,
    /// When it began or, once it has ended, when it ended, in milliseconds since 1970.
    pub timestamp: Option<i64>,
    /// How long it took, in milliseconds; zero while it runs.
    pub duration: Option<i64>,
    /// Its outputs by name, each with its type and, unless that is a secret, its value; none unless it succeeded.
    pub outputs: Option<Value>,
    /// Why it failed; none unless it did.
    pub error: Option<Failure>,
    /// The ids of the resources that it left behind, those of the deployments inside it included; none while it runs.
    pub output_resources: Option<Vec<SmolStr>>,
    /// Whether somebody wants it to stop.
    pub cancel_requested: bool,
}

/// How a deployment ended.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEnd {
    /// Everything was done; the outputs.
    Succeeded(Value),
    /// Something was not done.
    Failed(Failure),
    /// Somebody cancelled it before it had ended by itself.
    Canceled,
    /// Another has taken it over; how it ends is not for us to say.
    Lost,
}

/// An output of a deployment that succeeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownOutput<'r> {
    /// Its name, as the template spells it.
    pub name: &'r str,
    /// The word for its type; empty if the record does not have it.
    pub type_name: &'r str,
    /// Its value; none if it is a secret.
    pub value: Option<&'r Value>,
}

impl DeploymentRecord {
    /// A deployment that runs and of which nothing else is known.
    pub fn new(id: impl Into<SmolStr>, name: impl Into<SmolStr>) -> DeploymentRecord {
        DeploymentRecord {
            id: id.into(),
            name: name.into(),
            location: None,
            tags: None,
            correlation_id: None,
            template_hash: None,
            parameters: None,
            mode: None,
            state: ProvisioningState::Running,
            providers: None,
            dependencies: None,
            sections: Vec::new(),
            timestamp: None,
            duration: None,
            outputs: None,
            error: None,
            output_resources: None,
            cancel_requested: false,
        }
    }

    /// Returns this deployment as it begins, at a time in milliseconds, inside the outermost run.
    #[must_use]
    pub fn begun(self, root: RunId, now: i64) -> DeploymentRecord {
        let correlation_id = Some(guid(root).into());
        DeploymentRecord { correlation_id, timestamp: Some(now), duration: Some(0), ..self }
    }

    /// Returns this deployment as it ended, at a time and after a while in milliseconds, with the ids of the resources that it left.
    #[must_use]
    pub fn ended(
        &self,
        end: &RunEnd,
        now: i64,
        duration: i64,
        output_resources: Vec<SmolStr>,
    ) -> DeploymentRecord {
        let (state, outputs, error) = match end {
            RunEnd::Succeeded(outputs) => {
                (ProvisioningState::Succeeded, Some(without_secrets(outputs)), None)
            }
            RunEnd::Failed(failure) => (ProvisioningState::Failed, None, Some(failure.clone())),
            RunEnd::Canceled | RunEnd::Lost => (ProvisioningState::Canceled, None, None),
        };
        DeploymentRecord {
            state,
            outputs,
            error,
            timestamp: Some(now),
            duration: Some(duration),
            output_resources: Some(output_resources),
            ..self.clone()
        }
    }

    /// How it ended. One that neither succeeded nor was cancelled has failed, also if its record does not say why.
    pub fn end(&self) -> RunEnd {
        match self.state {
            ProvisioningState::Succeeded => RunEnd::Succeeded(self.outputs.clone().unwrap_or(Value::Null)),
            ProvisioningState::Canceled => RunEnd::Canceled,
            ProvisioningState::Failed | ProvisioningState::Accepted | ProvisioningState::Running => {
                let unsaid = || Failure::new("DeploymentFailed", "the deployment failed");
                RunEnd::Failed(self.error.clone().unwrap_or_else(unsaid))
            }
        }
    }

    /// The outputs, in the order of the template.
    pub fn shown_outputs(&self) -> impl Iterator<Item = ShownOutput<'_>> {
        self.outputs.as_ref().and_then(Value::as_object).into_iter().flatten().map(|(name, output)| {
            let member = |name: &str| output.as_object().and_then(|output| output.get(name));
            let type_name = member("type").and_then(Value::as_str).unwrap_or_default();
            ShownOutput { name, type_name, value: member("value") }
        })
    }

    /// What the REST API shows.
    pub fn to_rest(&self) -> Value {
        self.members().finish()
    }

    fn members(&self) -> ObjectBuilder {
        let text = |text: &SmolStr| Value::Text(text.clone());
        let mut body = ObjectBuilder::default();
        body.set("id".into(), text(&self.id));
        body.set("name".into(), text(&self.name));
        body.set("type".into(), Value::text(DEPLOYMENTS));
        for (name, value) in [("location", self.location.as_ref().map(text)), ("tags", self.tags.clone())] {
            if let Some(value) = value {
                body.set(name.into(), value);
            }
        }
        body.set("properties".into(), self.properties());
        body
    }

    fn properties(&self) -> Value {
        let text = |text: &SmolStr| Value::Text(text.clone());
        let resource = |id: &SmolStr| Value::object([("id", Value::Text(id.clone()))]);
        let resources = |ids: &Vec<SmolStr>| Value::array(ids.iter().map(resource).collect());
        let before = [
            ("correlationId", self.correlation_id.as_ref().map(text)),
            ("templateHash", self.template_hash.as_ref().map(text)),
            ("parameters", self.parameters.clone()),
            ("mode", self.mode.map(|mode| Value::text(mode.name()))),
            (PROVISIONING_STATE, Some(Value::text(self.state.as_str()))),
            ("providers", self.providers.clone()),
            ("dependencies", self.dependencies.clone()),
        ];
        let after = [
            ("timestamp", self.timestamp.map(|at| Value::text(rest_time::moment_text(at)))),
            ("duration", self.duration.map(|took| Value::text(rest_time::duration_text(took)))),
            ("outputs", self.outputs.clone()),
            ("error", self.error.as_ref().map(Failure::to_value)),
            ("outputResources", self.output_resources.as_ref().map(resources)),
        ];
        let known = |(name, value): (&'static str, Option<Value>)| Some((SmolStr::new_static(name), value?));
        let before = before.into_iter().filter_map(known);
        let after = after.into_iter().filter_map(known);
        Value::object(before.chain(self.sections.iter().cloned()).chain(after))
    }

    /// Reads what the REST API shows; what is missing is none, or empty. A state of which nothing is known is one that goes on.
    pub fn from_rest(body: &Value) -> DeploymentRecord {
        let top = |name: &str| body.as_object().and_then(|body| body.get(name));
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(SmolStr::from);
        let mut record = DeploymentRecord {
            location: text(top("location")),
            tags: top("tags").cloned(),
            cancel_requested: top(CANCEL_REQUESTED) == Some(&Value::Bool(true)),
            ..DeploymentRecord::new(
                text(top("id")).unwrap_or_default(),
                text(top("name")).unwrap_or_default(),
            )
        };
        let properties = top("properties").and_then(Value::as_object);
        for (name, value) in properties.into_iter().flatten() {
            let word = value.as_str();
            match name.as_str() {
                "correlationId" => record.correlation_id = word.map(Into::into),
                "templateHash" => record.template_hash = word.map(Into::into),
                "parameters" => record.parameters = Some(value.clone()),
                "mode" => record.mode = word.and_then(DeploymentMode::parse),
                PROVISIONING_STATE => {
                    record.state =
                        word.and_then(ProvisioningState::parse).unwrap_or(ProvisioningState::Running);
                }
                "providers" => record.providers = Some(value.clone()),
                "dependencies" => record.dependencies = Some(value.clone()),
                "timestamp" => record.timestamp = word.and_then(rest_time::parse_moment),
                "duration" => {
                    record.duration = word.and_then(rest_time::parse_duration);
                }
                "outputs" => record.outputs = Some(value.clone()),
                "error" => record.error = Some(Failure::from_value(value)),
                "outputResources" => {
                    let id = |resource: &Value| resource.as_object()?.get("id")?.as_str().map(SmolStr::from);
                    let resources = value.as_array().unwrap_or_default();
                    record.output_resources = Some(resources.iter().filter_map(id).collect());
                }
                _ => record.sections.push((name.clone(), value.clone())),
            }
        }
        record
    }

    /// What the store keeps: what the REST API shows, and whether somebody wants it to stop.
    pub fn to_store(&self) -> String {
        let mut body = self.members();
        if self.cancel_requested {
            body.set(CANCEL_REQUESTED.into(), Value::Bool(true));
        }
        body.finish().to_json()
    }

    /// Reads what the store keeps, in the form of this program or of an earlier one, which left out some of it.
    pub fn from_store(text: &str) -> Result<DeploymentRecord, LoadError> {
        parse(text).map(|body| DeploymentRecord::from_rest(&body))
    }
}

/// What references to a deployment that succeeded see.
pub fn succeeded_state(id: &str, outputs: Value) -> Value {
    let state = Value::text(ProvisioningState::Succeeded.as_str());
    let properties = Value::object([(PROVISIONING_STATE, state), ("outputs", outputs)]);
    Value::object([("id", Value::text(id)), ("properties", properties)])
}

/// What the REST API of a service shows of a deployment, with other outputs: all else stays as the service says it.
pub fn with_outputs(shown: &Value, outputs: Value) -> Value {
    let (mut body, mut properties) = (ObjectBuilder::default(), ObjectBuilder::default());
    for (name, value) in shown.as_object().into_iter().flatten() {
        body.set(name.clone(), value.clone());
        if name == "properties" {
            let members = value.as_object().into_iter().flatten();
            members.for_each(|(name, value)| properties.set(name.clone(), value.clone()));
        }
    }
    properties.set("outputs".into(), outputs);
    body.set("properties".into(), properties.finish());
    body.finish()
}

/// Outputs as the REST API shows them: a secret has a type and no value.
fn without_secrets(outputs: &Value) -> Value {
    let Some(all) = outputs.as_object() else { return outputs.clone() };
    let mut shown = ObjectBuilder::default();
    for (name, output) in all {
        let mut kept = ObjectBuilder::default();
        for (member, value) in output.as_object().into_iter().flatten() {
            if !value.is_secret() {
                kept.set(member.clone(), value.clone());
            }
        }
        shown.set(name.clone(), if output.as_object().is_some() { kept.finish() } else { output.clone() });
    }
    shown.finish()
}

/// A run as ids are written.
pub fn guid(run: RunId) -> String {
    let hex = format!("{:032x}", run.0);
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#""id":"/subscriptions/s/providers/Microsoft.Resources/deployments/d","name":"d","type":"Microsoft.Resources/deployments""#;

    #[track_caller]
    fn check(text: &str) -> DeploymentRecord {
        let record = DeploymentRecord::from_store(text).unwrap();
        assert_eq!(record.to_store(), text);
        record
    }

    #[test]
    fn one_that_runs_is_read_back() {
        let record = check(&format!(
            r#"{{{HEAD},"location":"westus","tags":{{"a":"b"}},"properties":{{"correlationId":"00000000-0000-0000-0000-000000000001","templateHash":"12","parameters":{{"p":{{"type":"Int","value":3}}}},"mode":"Complete","provisioningState":"Running","providers":[],"dependencies":[],"externalInputs":{{}},"timestamp":"2026-01-31T12:00:00.1230000Z","duration":"PT0S"}},"cancelRequested":true}}"#
        ));
        assert!(record.cancel_requested && record.mode == Some(DeploymentMode::Complete));
        assert!(!record.to_rest().to_json().contains("cancelRequested"));
    }

    #[test]
    fn one_that_ended_is_read_back() {
        let start = format!(r#"{{{HEAD},"properties":{{"mode":"Incremental""#);
        let times = r#""timestamp":"2026-01-31T12:00:00.1230000Z","duration":"PT1M2.500S""#;
        let record = check(&format!(
            r#"{start},"provisioningState":"Succeeded",{times},"outputs":{{"o":{{"type":"SecureString"}}}},"outputResources":[{{"id":"/a"}}]}}}}"#
        ));
        assert!(matches!(record.end(), RunEnd::Succeeded(_)));
        let record = check(&format!(
            r#"{start},"provisioningState":"Failed",{times},"error":{{"code":"Conflict","message":"no"}},"outputResources":[]}}}}"#
        ));
        assert_eq!(record.end(), RunEnd::Failed(Failure::new("Conflict", "no")));
        let record =
            check(&format!(r#"{start},"provisioningState":"Canceled",{times},"outputResources":[]}}}}"#));
        assert_eq!(record.end(), RunEnd::Canceled);
    }

    #[test]
    fn earlier_programs_kept_less() {
        let record = check(&format!(r#"{{{HEAD},"properties":{{"provisioningState":"Failed"}}}}"#));
        assert!(matches!(record.end(), RunEnd::Failed(_)));
    }

    #[test]
    fn a_record_says_how_its_deployment_ended_and_no_secret() {
        let begun = DeploymentRecord::new("/d", "d").begun(RunId(1), 1_000);
        let outputs = Value::object([("o", Value::object([("value", Value::from("hunter2").secret())]))]);
        let ended = begun.ended(&RunEnd::Succeeded(outputs), 3_000, 2_000, vec!["/a".into()]);
        assert_eq!(
            ended.to_store(),
            r#"{"id":"/d","name":"d","type":"Microsoft.Resources/deployments","properties":{"correlationId":"00000000-0000-0000-0000-000000000001","provisioningState":"Succeeded","timestamp":"1970-01-01T00:00:03.0000000Z","duration":"PT2S","outputs":{"o":{}},"outputResources":[{"id":"/a"}]}}"#
        );
    }
}
