//! The functions that ask for the surroundings of a deployment.

use std::cell::Cell;

use smol_str::SmolStr;

use super::{Deployment, DeploymentContext, Unresolved, roles};
use crate::evaluate::{
    Cause, Environment, EnvironmentValue, EvaluateError, Evaluator, ExtraFunction, Moment, Scope,
};
use crate::value::{ObjectBuilder, Value};
use crate::{Expression, PROVISIONING_STATE, ProvisioningState, hash};

/// Regions that have availability zones.
const ZONED: &[&str] = &[
    "australiaeast",
    "brazilsouth",
    "canadacentral",
    "centralindia",
    "centralus",
    "eastasia",
    "eastus",
    "eastus2",
    "francecentral",
    "germanywestcentral",
    "indonesiacentral",
    "israelcentral",
    "italynorth",
    "japaneast",
    "japanwest",
    "koreacentral",
    "malaysiawest",
    "mexicocentral",
    "newzealandnorth",
    "northeurope",
    "norwayeast",
    "polandcentral",
    "qatarcentral",
    "southafricanorth",
    "southcentralus",
    "southeastasia",
    "spaincentral",
    "swedencentral",
    "switzerlandnorth",
    "uaenorth",
    "uksouth",
    "westeurope",
    "westus2",
    "westus3",
];

/// What default values of parameters see of a deployment: all but its template.
#[derive(Debug)]
pub struct DefaultsEnvironment<'c> {
    context: &'c DeploymentContext,
    /// How many ids were made.
    made: Cell<u64>,
}

impl<'c> DefaultsEnvironment<'c> {
    /// The surroundings of a deployment that has no template yet.
    pub fn new(context: &'c DeploymentContext) -> DefaultsEnvironment<'c> {
        DefaultsEnvironment { context, made: Cell::new(0) }
    }
}

impl Environment for DefaultsEnvironment<'_> {
    fn host(
        &self,
        name: &str,
        arguments: &[Value],
        _: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        if name.eq_ignore_ascii_case("deployment") {
            return Ok(deployment(self.context, None));
        }
        of_context(self.context, name, arguments)
    }

    fn extra_function(&self, namespace: &str, name: &str) -> Option<ExtraFunction> {
        self.context.extra_functions.find(namespace, name)
    }

    fn scope(&self) -> Scope {
        self.context.scope.clone()
    }

    fn now(&self) -> Option<Moment> {
        Some(self.context.now)
    }

    fn is_timeless(&self) -> bool {
        self.context.is_predicted()
    }

    fn new_guid(&self) -> Option<[u8; 16]> {
        let number = self.made.get();
        self.made.set(number + 1);
        let mut bytes =
            hash::guid_bytes([format!("{:032x}", self.context.seed).as_str(), &number.to_string()]);
        if let Some(version) = bytes.get_mut(6) {
            *version = *version & 0x0f | 0x40;
        }
        Some(bytes)
    }
}

/// Answers a function that asks for the deployment or its surroundings.
pub(super) fn call(
    deployment: &Deployment,
    name: &str,
    arguments: &[Value],
) -> Result<EnvironmentValue, EvaluateError> {
    if name.eq_ignore_ascii_case("deployment") {
        return Ok(self::deployment(&deployment.context, Some(deployment)));
    }
    if name.eq_ignore_ascii_case("extensions") {
        return extension(deployment, arguments);
    }
    of_context(&deployment.context, name, arguments)
}

/// Functions without arguments that say where the deployment goes.
const METADATA: &[&str] =
    &["tenant", "subscription", "managementGroup", "resourceGroup", "environment", "deployer"];

fn of_context(
    context: &DeploymentContext,
    name: &str,
    arguments: &[Value],
) -> Result<EnvironmentValue, EvaluateError> {
    if let Some(function) = METADATA.iter().find(|function| function.eq_ignore_ascii_case(name)) {
        return context.metadata(function)?.ok_or_else(|| {
            let message = format!(
                "the function `{function}` says nothing at this scope: the deployment goes to {}",
                to(&context.scope)
            );
            EvaluateError::new(Cause::NotAllowedHere((*function).into()), message)
        });
    }
    if let Some(value) = context.mocks.call(name, arguments) {
        return Ok(EnvironmentValue::Value(value));
    }
    let text = |at: usize| arguments.get(at).and_then(Value::as_str).unwrap_or_default();
    let is = |function: &str| name.eq_ignore_ascii_case(function);
    let keeps = context.unresolved == Unresolved::Keep && context.deployer.is_none();
    if is("providers") {
        let kind = arguments.get(1).and_then(Value::as_str);
        let known = context.mocks.provider(text(0), kind);
        let known = known.or_else(|| kind.filter(|_| !keeps).and_then(|kind| context.resource_type(kind)));
        return Ok(known.map_or(EnvironmentValue::Unknown, EnvironmentValue::Value));
    }
    if is("roleDefinitions") {
        if keeps {
            return Ok(EnvironmentValue::Unknown);
        }
        return match roles::find(text(0)) {
            Some(id) => Ok(EnvironmentValue::Value(Value::object([
                ("id", Value::from(format!("/providers/Microsoft.Authorization/roleDefinitions/{id}"))),
                ("roleDefinitionId", id.into()),
            ]))),
            None => Err(wrong(name, format!("there is no built-in role `{}`", text(0)))),
        };
    }
    if is("pickZones") {
        return if keeps { Ok(EnvironmentValue::Unknown) } else { pick_zones(arguments) };
    }
    if let Some(answer) = zones(name, arguments) {
        return if keeps { Ok(EnvironmentValue::Unknown) } else { answer.map(EnvironmentValue::Value) };
    }
    Err(EvaluateError::not_allowed_here(name))
}

fn wrong(function: &str, message: String) -> EvaluateError {
    EvaluateError::new(Cause::Argument(function.into()), format!("`{function}`: {message}"))
}

fn to(scope: &Scope) -> &'static str {
    match scope {
        Scope::Unknown => "a scope that is not known",
        Scope::Tenant => "the tenant",
        Scope::ManagementGroup(_) => "a management group",
        Scope::Subscription(_) => "a subscription",
        Scope::ResourceGroup { .. } => "a resource group",
        Scope::Plane { .. } => "a resource group of Radius",
    }
}

fn region(location: &str) -> String {
    location.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
}

fn pick_zones(arguments: &[Value]) -> Result<EnvironmentValue, EvaluateError> {
    let number = |at: usize, default: i64| match arguments.get(at) {
        None => Ok(default),
        Some(Value::Int(number)) => Ok(*number),
        Some(_) => Err(wrong("pickZones", format!("argument {} must be an int", at + 1))),
    };
    let (count, offset) = (number(3, 1)?, number(4, 0)?);
    if !(1..=3).contains(&count) || !(0..=2).contains(&offset) {
        return Err(wrong("pickZones", "there are 1 to 3 zones, and the offset is 0 to 2".to_owned()));
    }
    let location = region(arguments.get(2).and_then(Value::as_str).unwrap_or_default());
    if !ZONED.contains(&location.as_str()) {
        return Ok(EnvironmentValue::Value(Value::array(vec![])));
    }
    if offset + count > 3 {
        return Err(wrong("pickZones", format!("`{location}` has 3 zones, not {}", offset + count)));
    }
    let zones = (offset + 1..=offset + count).map(|zone| Value::from(zone.to_string()));
    Ok(EnvironmentValue::Value(Value::array(zones.collect())))
}

/// Zones are numbered alike for everybody: zone 1 of `eastus` is `eastus-az1`.
fn zones(name: &str, arguments: &[Value]) -> Option<Result<Value, EvaluateError>> {
    let is = |function: &str| name.eq_ignore_ascii_case(function);
    let to_physical = is("toPhysicalZone") || is("toPhysicalZones");
    if !to_physical && !is("toLogicalZone") && !is("toLogicalZones") {
        return None;
    }
    let location = region(arguments.get(1).and_then(Value::as_str).unwrap_or_default());
    let prefix = format!("{location}-az");
    let one = |zone: &Value| -> Result<Value, EvaluateError> {
        let zone = zone.as_str().unwrap_or_default();
        if to_physical {
            return Ok(if zone.is_empty() { "".into() } else { format!("{prefix}{zone}").into() });
        }
        match zone.strip_prefix(prefix.as_str()) {
            Some(number) => Ok(number.into()),
            None if zone.is_empty() => Ok("".into()),
            None => Err(wrong(name, format!("`{zone}` is not a zone of `{location}`"))),
        }
    };
    Some(match arguments.get(2) {
        Some(Value::Array(zones)) => {
            zones.items().iter().map(one).collect::<Result<Vec<_>, _>>().map(Value::array)
        }
        Some(zone) => one(zone),
        None => Ok(Value::Null),
    })
}

/// `deployment()`.
fn deployment(context: &DeploymentContext, deployment: Option<&Deployment>) -> EnvironmentValue {
    let version = deployment.map_or_else(|| "1.0.0.0".into(), |d| d.template.content_version.clone());
    let mut properties = ObjectBuilder::default();
    properties.set("template".into(), Value::object([("contentVersion", Value::Text(version))]));
    if let Some(link) = &context.template_link {
        properties.set("templateLink".into(), Value::object([("uri", link.value())]));
    }
    properties.set("parameters".into(), Value::object::<SmolStr>([]));
    properties.set("mode".into(), context.mode.name().into());
    properties.set(PROVISIONING_STATE.into(), ProvisioningState::Accepted.as_str().into());
    let properties = properties.finish();
    let has_location = !matches!(context.scope, Scope::ResourceGroup { .. } | Scope::Plane { .. });
    let mut members: Vec<(&str, Option<Value>)> = vec![("name", context.name.clone().map(Value::Text))];
    if has_location {
        members.push(("location", context.location.clone().map(Value::Text)));
    }
    members.push(("properties", Some(properties)));
    if members.iter().all(|(_, value)| value.is_some()) {
        let known = members.into_iter().filter_map(|(name, value)| Some((name, value?)));
        return context.laid_over("deployment", Value::object(known));
    }
    if let Some(mock) = context.mocks.object("deployment") {
        let known = members.iter().filter_map(|(name, value)| Some((*name, value.clone()?)));
        let object = Value::object(known);
        return EnvironmentValue::Value(object.merged_with(&mock));
    }
    let arguments = members.into_iter().flat_map(|(name, value)| {
        let value = match value {
            Some(value) => Expression::from_value(&value),
            None => Expression::call("deployment", []).property(name),
        };
        [Expression::text(name), value]
    });
    EnvironmentValue::Expression(Expression::call("createObject", arguments.collect::<Vec<_>>()))
}

/// `extensions('alias')`: what the template declares, with the configuration that the deployment was given.
fn extension(deployment: &Deployment, arguments: &[Value]) -> Result<EnvironmentValue, EvaluateError> {
    let alias = arguments.first().and_then(Value::as_str).unwrap_or_default();
    let Some(extension) = deployment.template.extensions.get(alias) else {
        return Err(wrong("extensions", format!("the template has no extension `{alias}`")));
    };
    let given = deployment.context.extension_configs.as_object().and_then(|configs| configs.get(alias));
    let mut config = ObjectBuilder::default();
    for (name, entry) in given.and_then(Value::as_object).into_iter().flatten() {
        let value = entry.as_object().and_then(|entry| entry.get("value")).cloned();
        config.set(name.clone(), value.unwrap_or(Value::Null));
    }
    Ok(EnvironmentValue::Value(Value::object([
        ("name", Value::Text(extension.name.clone())),
        ("version", Value::Text(extension.version.clone())),
        ("config", config.finish()),
    ])))
}
