//! The record of a deployment as the REST API shows it, before it ends.

use arm::deployment::{Deployment, Mode};
use arm::evaluate::{Answer, Scope};
use arm::{ObjectBuilder, Value};

use crate::program::scope_id;

/// The type of deployments.
pub(crate) const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

/// The id of a deployment.
pub(crate) fn deployment_id(scope: &Scope, name: &str) -> String {
    format!("{}/providers/{DEPLOYMENTS}/{name}", scope_id(scope))
}

/// The record of a deployment that runs.
pub(crate) fn active_record(deployment: &Deployment, mode: Mode) -> Value {
    let context = deployment.context();
    let name = context.name.as_deref().unwrap_or_default();
    let mut properties = ObjectBuilder::default();
    properties.set("mode".into(), Value::text(mode.name()));
    properties.set("provisioningState".into(), Value::text("Running"));
    properties.set("parameters".into(), shown_parameters(deployment));
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
    record.set("properties".into(), properties.finish());
    record.finish()
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
