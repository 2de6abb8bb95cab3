//! What the REST API says of a deployment that it would accept.

use arm::deployment::{Level, Plan, Snapshot, WhatIfDiagnostic};
use arm::evaluate::Scope;
use arm::{ProvisioningState, Value};
use machine::records::{DeploymentRecord, deployment_id};

use crate::planned_record::{MOST_TOLD, dependencies, providers, shown_parameters};

/// What is answered for a deployment that would be accepted.
pub fn validated(plan: &Plan, predicted: &Snapshot) -> Value {
    let deployment = plan.deployment();
    let context = deployment.context();
    let name = context.name.clone().unwrap_or_default();
    let id = deployment_id(&context.scope.id(), &name);
    let is_located = !matches!(context.scope, Scope::ResourceGroup { .. });
    let resources =
        predicted.resources.iter().filter_map(|resource| resource.as_object()?.get("id").cloned());
    let resources = resources.map(|id| Value::object([("id", id)]));
    let mut sections = vec![("validatedResources".into(), Value::array(resources.collect()))];
    let later = predicted.unknown.iter().take(MOST_TOLD).map(|parameter| WhatIfDiagnostic {
        target: parameter.clone(),
        level: Level::Info,
        code: "CheckedLater".into(),
        message: format!("the value of '{parameter}' is checked when the deployment knows it"),
    });
    let diagnostics: Vec<WhatIfDiagnostic> = predicted.diagnostics.iter().cloned().chain(later).collect();
    if !diagnostics.is_empty() {
        let diagnostics = diagnostics.iter().map(WhatIfDiagnostic::to_value).collect();
        sections.push(("diagnostics".into(), Value::array(diagnostics)));
    }
    let record = DeploymentRecord {
        state: ProvisioningState::Succeeded,
        location: context.location.clone().filter(|_| is_located),
        template_hash: Some(deployment.template().hash().to_string().into()),
        parameters: Some(shown_parameters(deployment)),
        mode: Some(context.mode),
        providers: Some(providers(plan)),
        dependencies: Some(dependencies(plan)),
        sections,
        ..DeploymentRecord::new(id, name)
    };
    record.to_rest()
}
