//! What the REST API says of a deployment that it would accept, and what waits for what in it.

use arm::Value;
use arm::deployment::{Diagnostic, Level, Plan, Snapshot, StepKind};
use arm::evaluate::Scope;

use crate::record::{DEPLOYMENTS, deployment_id, shown_parameters};

/// How many dependencies are told: loops that wait for loops have very many.
const MOST_TOLD: usize = 4_096;

/// What is answered for a deployment that would be accepted.
pub fn validated(plan: &Plan, predicted: &Snapshot) -> Value {
    let deployment = plan.deployment();
    let context = deployment.context();
    let name = context.name.clone().unwrap_or_default();
    let id = deployment_id(&context.scope, &name);
    let mut members = vec![("id", Value::from(id)), ("name", Value::Text(name))];
    members.push(("type", DEPLOYMENTS.into()));
    if !matches!(context.scope, Scope::ResourceGroup { .. }) {
        members.extend(context.location.clone().map(|location| ("location", Value::Text(location))));
    }
    let resources =
        predicted.resources.iter().filter_map(|resource| resource.as_object()?.get("id").cloned());
    let resources = resources.map(|id| Value::object([("id", id)]));
    let hash = deployment.template().hash();
    let mut properties = vec![
        ("templateHash", Value::text(hash.to_string())),
        ("parameters", shown_parameters(deployment)),
        ("mode", context.mode.name().into()),
        ("provisioningState", "Succeeded".into()),
        ("providers", providers(plan)),
        ("dependencies", dependencies(plan)),
        ("validatedResources", Value::array(resources.collect())),
    ];
    let later = predicted.unknown.iter().take(MOST_TOLD).map(|parameter| Diagnostic {
        target: parameter.clone(),
        level: Level::Info,
        code: "CheckedLater".into(),
        message: format!("the value of '{parameter}' is checked when the deployment knows it"),
    });
    let diagnostics: Vec<Diagnostic> = predicted.diagnostics.iter().cloned().chain(later).collect();
    if !diagnostics.is_empty() {
        let diagnostics = diagnostics.iter().map(Diagnostic::to_value).collect();
        properties.push(("diagnostics", Value::array(diagnostics)));
    }
    members.push(("properties", Value::object(properties)));
    Value::object(members)
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
