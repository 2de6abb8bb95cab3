//! What a deployment was accepted with: kept, so that whoever takes it over runs the same one.
//!
//! What was kept is let in again when it is read: it may have been changed, or come from elsewhere.

use std::sync::Arc;

use arm::binding::StoredParameter;
use arm::budget::Budget;
use arm::deployment::{
    Address, Deployment, DeploymentContext, DeploymentMode, Links, Mocks, ScopeReach, Unresolved, snapshot,
};
use arm::evaluate::{EnvironmentValue, Moment, Scope};
use arm::template::{Template, TemplateError, TemplateLimits};
use arm::{ObjectBuilder, Value};

/// The inputs of a deployment as JSON: all but the template and the secrets, and the values of parameters with them if there are any.
pub(crate) struct Frozen {
    pub(crate) inputs: Value,
    pub(crate) secrets: Option<Value>,
}

/// The member with the configuration of the extensions.
const CONFIGS: &str = "extensionConfigs";

/// Why a deployment that was frozen is not the same again.
#[derive(Debug)]
pub(crate) enum Unusable {
    /// It does not make sense, or a newer program wrote it.
    Unreadable,
    /// Its values are not what its template allows.
    Refused(Vec<TemplateError>),
}

/// Follows all links of a deployment that can be followed before it runs, so that what they lead to is kept with it.
pub(crate) fn read_links(deployment: &Deployment) {
    let text = deployment.template().text();
    // Who has no link leads to none that has.
    if !["emplateLink", "arametersLink"].iter().any(|name| text.contains(name)) {
        return;
    }
    let budget = deployment.context().budget.ahead();
    let context = DeploymentContext { unresolved: Unresolved::Keep, budget, ..deployment.context().clone() };
    // What is wrong is said when the deployment runs.
    let _ = snapshot(deployment.within(context));
}

/// Everything that a deployment was bound with, in the form from which it is bound again; secrets are apart.
pub(crate) fn encode_inputs(deployment: &Deployment) -> Frozen {
    let context = deployment.context();
    let template = deployment.template();
    let mut has_secret = false;
    let values: Vec<Value> = template
        .parameters
        .iter()
        .map(|parameter| match deployment.parameter(&parameter.name) {
            Some(EnvironmentValue::Value(value)) => {
                has_secret |= value.has_secret();
                Value::object([("value", value.clone())])
            }
            Some(EnvironmentValue::Expression(expression)) => {
                Value::object([("expression", Value::text(expression.to_string()))])
            }
            Some(EnvironmentValue::Unknown) | None => Value::object::<&str>([]),
        })
        .collect();
    let values = Value::array(values);
    let mut inputs = ObjectBuilder::default();
    inputs.set("scope".into(), scope(&context.scope));
    if let Some(azure) = &context.azure {
        inputs.set("azure".into(), scope(azure));
    }
    let optional = |text: &Option<smol_str::SmolStr>| text.clone().map_or(Value::Null, Value::Text);
    inputs.set("name".into(), optional(&context.name));
    inputs.set("location".into(), optional(&context.location));
    inputs.set("tenant".into(), optional(&context.tenant));
    if let Some(endpoint) = &context.endpoint {
        inputs.set("endpoint".into(), Value::Text(endpoint.clone()));
    }
    inputs.set("seconds".into(), Value::Int(context.now.seconds));
    inputs.set("ticks".into(), Value::Int(context.now.ticks.into()));
    inputs.set("seed".into(), Value::text(format!("{:032x}", context.seed)));
    inputs.set("mode".into(), Value::text(context.mode.name()));
    inputs.set("deployer".into(), context.deployer.clone().unwrap_or(Value::Null));
    inputs.set("reach".into(), context.reach.to_value());
    inputs.set(CONFIGS.into(), context.extension_configs.clone());
    inputs.set("externalInputs".into(), context.external_inputs.clone());
    if !context.resource_groups.is_empty() {
        let mut groups: Vec<_> = context.resource_groups.iter().collect();
        groups.sort_by_key(|(id, _)| id.as_str());
        let groups = groups.into_iter().map(|(id, members)| (id.clone(), members.clone()));
        inputs.set("resourceGroups".into(), Value::object(groups));
    }
    let link = context.template_link.as_ref().map(|link| link.shown().into());
    inputs.set("templateLink".into(), optional(&link));
    let mocks = context.mocks.content().clone();
    let configs = &context.extension_configs;
    // Mocks are what they are in their file, and a file may have secrets in the place of a key vault's.
    if has_secret || configs.has_secret() || context.mocks.get("secrets").is_some() {
        let mut sealed = ObjectBuilder::default();
        sealed.set("parameters".into(), machine::records::marked(&values));
        sealed.set("mocks".into(), mocks);
        if configs.has_secret() {
            sealed.set(CONFIGS.into(), machine::records::marked(configs));
        }
        return Frozen { inputs: inputs.finish(), secrets: Some(sealed.finish()) };
    }
    inputs.set("parameters".into(), values);
    inputs.set("mocks".into(), mocks);
    Frozen { inputs: inputs.finish(), secrets: None }
}

/// The deployment that was frozen.
///
/// The text of the template lies beside the inputs. Earlier programs kept it among them.
pub(crate) fn decode_inputs(
    template: Option<&str>,
    inputs: &Value,
    secrets: Option<&Value>,
    links: Links,
    budget: Budget,
) -> Result<Deployment, Unusable> {
    let (template, kept, context) = parts(template, inputs, secrets, links).ok_or(Unusable::Unreadable)?;
    let context = DeploymentContext { budget, ..context };
    Deployment::again(Arc::new(template), kept, context).map_err(Unusable::Refused)
}

/// The endpoint that has the resources of a deployment; none if the state has them.
pub(crate) fn endpoint(inputs: &Value) -> Option<smol_str::SmolStr> {
    inputs.as_object()?.get("endpoint")?.as_str().map(Into::into)
}

/// What a deployment is made of again; none if it does not make sense.
fn parts(
    template: Option<&str>,
    inputs: &Value,
    secrets: Option<&Value>,
    links: Links,
) -> Option<(Template, Vec<StoredParameter>, DeploymentContext)> {
    let inputs = inputs.as_object()?;
    let text = |name: &str| inputs.get(name).and_then(Value::as_str);
    let template = template.or_else(|| text("template"))?;
    let template = Template::read(template, &TemplateLimits::default()).ok()?;
    let mut context =
        DeploymentContext::local(scope_of(inputs.get("scope")?)?, text("name").unwrap_or_default());
    context.azure = match inputs.get("azure") {
        Some(azure) => Some(scope_of(azure)?),
        None => None,
    };
    context.location = text("location").map(Into::into);
    context.tenant = text("tenant").map(Into::into);
    context.endpoint = text("endpoint").map(Into::into);
    let int = |name: &str| match inputs.get(name) {
        Some(Value::Int(value)) => Some(*value),
        _ => None,
    };
    context.now = Moment { seconds: int("seconds")?, ticks: u32::try_from(int("ticks")?).ok()? };
    context.seed = u128::from_str_radix(text("seed")?, 16).ok()?;
    context.mode = DeploymentMode::parse(text("mode")?)?;
    context.deployer = inputs.get("deployer").filter(|deployer| !deployer.is_null()).cloned();
    let sealed = secrets.and_then(Value::as_object);
    let kept = |name: &str| sealed.map_or_else(|| inputs.get(name), |sealed| sealed.get(name));
    if let Some(mocks) = kept("mocks").filter(|mocks| !mocks.is_null()) {
        context.mocks = Arc::new(Mocks::new(mocks.clone()).ok()?);
    }
    // Deployments that were accepted by an older version have none; what is not one must not become everything.
    if let Some(reach) = inputs.get("reach") {
        context.reach = ScopeReach::from_value(reach)?;
    }
    // Deployments that were accepted by an older version have the mask in the place of secrets.
    context.extension_configs = match sealed.and_then(|sealed| sealed.get(CONFIGS)) {
        Some(configs) => machine::records::unmarked(configs),
        None => inputs.get(CONFIGS)?.clone(),
    };
    // Deployments that were accepted by an older version have none.
    context.external_inputs = inputs.get("externalInputs").cloned().unwrap_or(Value::Null);
    for (id, members) in inputs.get("resourceGroups").and_then(Value::as_object).into_iter().flatten() {
        context.set_resource_group(id, members.clone());
    }
    context.template_link = text("templateLink").map(|link| Address::new(link, false));
    context.links = links;
    let opened = sealed.and_then(|sealed| sealed.get("parameters")).map(machine::records::unmarked);
    let values = opened.as_ref().or(inputs.get("parameters"))?.as_array()?;
    let answer = |value: &Value| {
        let value = value.as_object()?;
        Some(match (value.get("value"), value.get("expression").and_then(Value::as_str)) {
            (Some(value), _) => StoredParameter::Value(value.clone()),
            (None, Some(expression)) => StoredParameter::Later(arm::expression::parse(expression).ok()?),
            (None, None) => StoredParameter::Unknown,
        })
    };
    let kept = values.iter().map(answer).collect::<Option<Vec<_>>>()?;
    Some((template, kept, context))
}

/// The deployment that was frozen, for people who look at it. Its secrets are erased when it ends: of its parameters it has those that the record
/// `shown`, and the others are not known.
pub(crate) fn thaw_for_looking(
    template: Option<&str>,
    inputs: &Value,
    shown: &Value,
    links: Links,
) -> Result<Deployment, Unusable> {
    let looked_at = || {
        let members = inputs.as_object()?;
        let mut known = ObjectBuilder::default();
        for (name, value) in members {
            known.set(name.clone(), value.clone());
        }
        if members.get("parameters").is_none() {
            known.set("parameters".into(), Value::array(Vec::new()));
        }
        let (template, mut kept, context) = parts(template, &known.finish(), None, links)?;
        if members.get("parameters").is_none() {
            let value = |name: &str| shown.as_object()?.get(name)?.as_object()?.get("value").cloned();
            let parameters = template.parameters.iter();
            kept = parameters
                .map(|it| value(&it.name).map_or(StoredParameter::Unknown, StoredParameter::Value))
                .collect();
        }
        Some((template, kept, DeploymentContext { unresolved: Unresolved::Keep, ..context }))
    };
    let (template, kept, context) = looked_at().ok_or(Unusable::Unreadable)?;
    Deployment::again(Arc::new(template), kept, context).map_err(Unusable::Refused)
}

fn scope(scope: &Scope) -> Value {
    let text = |text: &smol_str::SmolStr| Value::Text(text.clone());
    match scope {
        Scope::Unknown => Value::Null,
        Scope::Tenant => Value::object([("kind", Value::text("tenant"))]),
        Scope::ManagementGroup(name) => {
            Value::object([("kind", Value::text("managementGroup")), ("name", text(name))])
        }
        Scope::Subscription(id) => Value::object([("kind", Value::text("subscription")), ("id", text(id))]),
        Scope::ResourceGroup { subscription, name } => Value::object([
            ("kind", Value::text("resourceGroup")),
            ("id", text(subscription)),
            ("name", text(name)),
        ]),
        Scope::Plane { plane, group } => {
            Value::object([("kind", Value::text("plane")), ("id", text(plane)), ("name", text(group))])
        }
    }
}

fn scope_of(value: &Value) -> Option<Scope> {
    let Some(scope) = value.as_object() else { return Some(Scope::Unknown) };
    let text = |name: &str| scope.get(name).and_then(Value::as_str);
    Some(match text("kind")? {
        "tenant" => Scope::Tenant,
        "managementGroup" => Scope::ManagementGroup(text("name")?.into()),
        "subscription" => Scope::Subscription(text("id")?.into()),
        "plane" => Scope::Plane { plane: text("id")?.into(), group: text("name")?.into() },
        "resourceGroup" => {
            Scope::ResourceGroup { subscription: text("id")?.into(), name: text("name")?.into() }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use arm::Expression;

    use super::*;
    use machine::records::parse;

    #[test]
    fn a_deployment_survives_being_frozen_and_keeps_its_secrets_apart() {
        let text = r#"{
            "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0",
            "parameters": {"plain": {"type": "string"}, "hidden": {"type": "securestring"}},
            "resources": [],
            "outputs": {"o": {"type": "string", "value": "[concat(parameters('plain'), parameters('hidden'))]"}}
        }"#;
        let template = Arc::new(Template::read(text, &TemplateLimits::default()).unwrap());
        let mut context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
        let vaults = Value::object([("v", Value::object([("s", Value::from("hunter3"))]))]);
        context.mocks = Arc::new(Mocks::new(Value::object([("secrets", vaults)])).unwrap());
        let group = context.scope.id();
        context.set_resource_group(&group, Value::object([("location", Value::from("north"))]));
        let values = [("plain".into(), Value::from("a")), ("hidden".into(), Value::from("hunter2"))];
        let deployment = Deployment::with_values(template, values, context).unwrap();
        let frozen = encode_inputs(&deployment);
        assert!(!frozen.inputs.to_json().contains("hunter"));
        let inputs = parse(&frozen.inputs.to_json()).unwrap();
        let secrets = parse(&frozen.secrets.unwrap().to_json()).unwrap();
        let again =
            decode_inputs(Some(text), &inputs, Some(&secrets), Links::default(), Budget::default()).unwrap();
        let Some(EnvironmentValue::Value(hidden)) = again.parameter("hidden") else { panic!() };
        assert!(hidden.is_secret() && hidden.expose() == Value::from("hunter2"));
        assert_eq!(again.context().scope, deployment.context().scope);
        assert_eq!(again.context().resource_groups, deployment.context().resource_groups);
        assert_eq!(again.context().mocks.secret("/a/v", "s"), Some(&Value::from("hunter3")));
        let call_of = |name: &str| Expression::call("parameters", [Expression::text(name)]);
        let call = call_of("plain");
        assert_eq!(again.evaluate(&call).unwrap(), Value::from("a"));
        assert!(
            decode_inputs(Some(text), &inputs, None, Links::default(), Budget::default()).is_err(),
            "without its secrets it is not the same deployment"
        );
        let shown = crate::planned_record::shown_parameters(&deployment);
        let looked_at = thaw_for_looking(Some(text), &inputs, &shown, Links::default()).unwrap();
        assert_eq!(looked_at.evaluate(&call_of("plain")).unwrap(), Value::from("a"));
        assert!(looked_at.evaluate(&call_of("hidden")).is_err(), "secrets are not known");
        assert!(
            decode_inputs(None, &inputs, Some(&secrets), Links::default(), Budget::default()).is_err(),
            "it has no template"
        );
        let mut earlier = ObjectBuilder::default();
        earlier.set("template".into(), Value::text(text));
        for (name, value) in inputs.as_object().unwrap() {
            earlier.set(name.clone(), value.clone());
        }
        let again =
            decode_inputs(None, &earlier.finish(), Some(&secrets), Links::default(), Budget::default())
                .unwrap();
        assert_eq!(again.evaluate(&call).unwrap(), Value::from("a"), "as earlier programs kept it");
    }
}
