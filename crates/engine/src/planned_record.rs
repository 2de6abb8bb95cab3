//! The record of a deployment that was planned and has not begun.

use arm::Caseless as _;
use arm::deployment::{Deployment, DeploymentMode, Plan, StepKind};
use arm::evaluate::{EnvironmentValue, Scope};
use arm::{ObjectBuilder, Value};
use machine::records::{DeploymentRecord, deployment_id};
use smol_str::{SmolStr, format_smolstr};

/// How many dependencies are told: loops that wait for loops have very many.
pub(crate) const MOST_TOLD: usize = 4_096;

/// The record of a deployment, but for what [`DeploymentRecord::begun`] adds.
pub(crate) fn planned_record(plan: &Plan, mode: DeploymentMode) -> DeploymentRecord {
    let deployment = plan.deployment();
    let context = deployment.context();
    let name = context.name.as_deref().unwrap_or_default();
    let is_located = !matches!(context.scope, Scope::ResourceGroup { .. } | Scope::Plane { .. });
    DeploymentRecord {
        location: context.location.clone().filter(|_| is_located),
        tags: Some(context.tags.clone()).filter(|tags| !tags.is_null()),
        template_hash: Some(deployment.template().hash().to_string().into()),
        parameters: Some(shown_parameters(deployment)),
        mode: Some(mode),
        providers: Some(providers(plan)),
        dependencies: Some(dependencies(plan)),
        sections: context.external_inputs.as_object().into_iter().flatten().cloned().collect(),
        ..DeploymentRecord::new(deployment_id(&context.scope.id(), name), name)
    }
}

/// The names under which the template of a nested deployment may be kept with the outermost run: one of its own, which it has if the
/// other is that of a template with the same hash. They are no addresses.
pub(crate) fn nested_templates(record: &DeploymentRecord) -> Option<[SmolStr; 2]> {
    let (hash, id) = (record.template_hash.as_ref()?, record.id.caseless());
    Some([format_smolstr!("\0template/{hash}{id}"), format_smolstr!("\0template/{hash}")])
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
            Some(EnvironmentValue::Value(value)) if !value.is_secret() => {
                shown.set("value".into(), value.clone())
            }
            _ => {}
        }
        all.set(parameter.name.clone(), shown.finish());
    }
    all.finish()
}

/// What waits for what, as the REST API says it; the first few thousand of them.
pub(crate) fn dependencies(plan: &Plan) -> Value {
    let about = |step: usize| {
        let step = plan.steps().get(step)?;
        Some([
            ("id", Value::Text(step.id.clone())),
            ("resourceType", Value::Text(step.type_name.clone())),
            ("resourceName", Value::Text(step.name.clone())),
        ])
    };
    let mut all = Vec::new();
    let mut left = MOST_TOLD;
    for step in plan.steps().iter().filter(|step| step.kind != StepKind::Existing) {
        let groups = step.depends_on_groups.iter().filter_map(|group| plan.groups().get(*group)).flatten();
        let before = step.depends_on.iter().chain(groups).take(left);
        let before: Vec<Value> = before.filter_map(|other| about(*other)).map(Value::object).collect();
        left -= before.len();
        if let (false, Some(members)) = (before.is_empty(), about(step.index)) {
            let before = [("dependsOn", Value::array(before))];
            all.push(Value::object(before.into_iter().chain(members)));
        }
    }
    Value::array(all)
}

/// The types of resources that a deployment puts, by namespace, as the REST API says it.
pub(crate) fn providers(plan: &Plan) -> Value {
    let mut namespaces: Vec<(&str, Vec<(&str, Value)>)> = Vec::new();
    let location = plan.deployment().context().location.clone().map_or(Value::Null, Value::Text);
    for step in
        plan.steps().iter().filter(|step| matches!(step.kind, StepKind::Resource | StepKind::Deployment))
    {
        let Some((namespace, kind)) = step.type_name.split_once('/') else { continue };
        let known = namespaces.iter().position(|(known, _)| known.eq_ignore_ascii_case(namespace));
        let at = known.unwrap_or_else(|| {
            namespaces.push((namespace, Vec::new()));
            namespaces.len() - 1
        });
        let Some((_, kinds)) = namespaces.get_mut(at) else { continue };
        // A template has few types, however many resources it has.
        if !kinds.iter().any(|(known, _)| known.eq_ignore_ascii_case(kind)) {
            let locations = Value::array(vec![location.clone()]);
            let members = [("resourceType", Value::text(kind)), ("locations", locations)];
            kinds.push((kind, Value::object(members)));
        }
    }
    let all = namespaces.into_iter().map(|(namespace, kinds)| {
        let kinds = kinds.into_iter().map(|(_, kind)| kind).collect();
        Value::object([("namespace", Value::text(namespace)), ("resourceTypes", Value::array(kinds))])
    });
    Value::array(all.collect())
}
