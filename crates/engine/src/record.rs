//! The record of a deployment as the REST API shows it, before it ends.

use arm::Caseless as _;
use arm::deployment::{Deployment, Mode, Plan};
use arm::evaluate::{Answer, Scope};
use arm::{ObjectBuilder, Value};
use smol_str::{SmolStr, format_smolstr};
use store::RunId;

use crate::program::scope_id;
use crate::time;
use crate::validated::{dependencies, providers};

/// The type of deployments.
pub(crate) const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

/// The id of a deployment.
pub(crate) fn deployment_id(scope: &Scope, name: &str) -> String {
    format!("{}/providers/{DEPLOYMENTS}/{name}", scope_id(scope))
}

/// The record of a deployment that runs, but for what [`begun_record`] adds.
pub(crate) fn active_record(plan: &Plan, mode: Mode) -> Value {
    let deployment = plan.deployment();
    let context = deployment.context();
    let name = context.name.as_deref().unwrap_or_default();
    let hash = deployment.template().hash();
    let mut properties = ObjectBuilder::default();
    properties.set("templateHash".into(), Value::text(hash.to_string()));
    properties.set("parameters".into(), shown_parameters(deployment));
    properties.set("mode".into(), Value::text(mode.name()));
    properties.set("provisioningState".into(), Value::text("Running"));
    properties.set("providers".into(), providers(plan));
    properties.set("dependencies".into(), dependencies(plan));
    for (section, definitions) in context.external_inputs.as_object().into_iter().flatten() {
        properties.set(section.clone(), definitions.clone());
    }
    let mut record = ObjectBuilder::default();
    record.set("id".into(), Value::text(deployment_id(&context.scope, name)));
    record.set("name".into(), Value::text(name));
    record.set("type".into(), Value::text(DEPLOYMENTS));
    if !matches!(context.scope, Scope::ResourceGroup { .. } | Scope::Plane { .. })
        && let Some(location) = &context.location
    {
        record.set("location".into(), Value::Text(location.clone()));
    }
    if !context.tags.is_null() {
        record.set("tags".into(), context.tags.clone());
    }
    record.set("properties".into(), properties.finish());
    record.finish()
}

/// A record with the id that a deployment shares with all those inside it, and the moment it began, in milliseconds.
pub(crate) fn begun_record(record: &Value, root: RunId, now: i64) -> Value {
    let mut body = ObjectBuilder::default();
    for (name, value) in record.as_object().into_iter().flatten() {
        let value = match name.as_str() {
            "properties" => {
                let mut properties = ObjectBuilder::default();
                properties.set("correlationId".into(), Value::text(guid(root)));
                for (name, value) in value.as_object().into_iter().flatten() {
                    properties.set(name.clone(), value.clone());
                }
                properties.set("timestamp".into(), Value::text(time::moment(now)));
                properties.set("duration".into(), Value::text(time::duration(0)));
                properties.finish()
            }
            _ => value.clone(),
        };
        body.set(name.clone(), value);
    }
    body.finish()
}

/// The names under which the template of a nested deployment may be kept with the outermost run: one of its own, which it has if the
/// other is that of a template with the same hash. They are no addresses.
pub(crate) fn nested_templates(record: &Value) -> Option<[SmolStr; 2]> {
    let record = record.as_object()?;
    let hash = record.get("properties")?.as_object()?.get("templateHash")?.as_str()?;
    let id = record.get("id")?.as_str()?.caseless();
    Some([format_smolstr!("\0template/{hash}{id}"), format_smolstr!("\0template/{hash}")])
}

/// A run as ids are written.
pub fn guid(run: RunId) -> String {
    let hex = format!("{:032x}", run.0);
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

/// The parameters as the REST API shows them: with the words for their types, and no value where it is a secret.
pub fn shown_parameters(deployment: &Deployment) -> Value {
    let mut all = ObjectBuilder::default();
    for parameter in &deployment.template().parameters {
        let mut shown = ObjectBuilder::default();
        if let Some(word) = parameter.ty.name() {
            shown.set("type".into(), Value::text(word));
        }
        match deployment.parameter(&parameter.name) {
            Some(Answer::Value(value)) if !value.is_secret() => shown.set("value".into(), value.clone()),
            _ => {}
        }
        all.set(parameter.name.clone(), shown.finish());
    }
    all.finish()
}
