//! What the store keeps of groups and resources, as answers show it.

use arm::evaluate::Scope;
use arm::{ObjectBuilder, ProvisioningState, Value};
use engine::DeploymentRecord;
use engine::records::parse;
use store::{Deployment, Page, ResourceId};

use super::filter::Filter;
use crate::api_error::ApiError;
use crate::app::App;

/// The type of groups.
pub(super) const GROUPS: &str = "Microsoft.Resources/resourceGroups";

/// How many deployments of a group are looked at, the newest first.
const LOOKED_AT: usize = 100;

/// The body of what is kept of a resource, without what only its provider needs.
pub(super) fn shown(kept: &str) -> Result<Value, ApiError> {
    let kept = parse(kept)?;
    let body = kept.as_object().and_then(|kept| kept.get("body"));
    Ok(body.map_or(Value::Null, without_version))
}

/// A resource without the version of the API that it was put with, which answers do not show.
pub(super) fn without_version(body: &Value) -> Value {
    let Some(object) = body.as_object() else { return body.clone() };
    let mut shown = ObjectBuilder::default();
    for (name, value) in object.iter().filter(|(name, _)| name != "apiVersion") {
        shown.insert(name.clone(), value.clone());
    }
    shown.finish()
}

/// A resource group that was put; a request in one that was not is refused.
pub(super) fn group(app: &App, subscription: &str, name: &str) -> Result<Value, ApiError> {
    kept_group(app, subscription, name)?.ok_or_else(|| no_group(name))
}

fn kept_group(app: &App, subscription: &str, name: &str) -> Result<Option<Value>, ApiError> {
    let id = format!("/subscriptions/{subscription}/resourceGroups/{name}");
    app.store().resource(&ResourceId::new(&id))?.map(|found| shown(&found.body)).transpose()
}

fn no_group(name: &str) -> ApiError {
    ApiError::new("ResourceGroupNotFound", format!("Resource group '{name}' could not be found."))
}

/// A resource group for those who read: one that was put, or one that has a resource in it or a deployment that succeeded. Where groups are there as soon
/// as they are named, as for `tendon deploy`, nobody puts them. Others may be what is left of a deployment that came too late for its group.
pub(super) fn readable_group(app: &App, subscription: &str, name: &str) -> Result<Value, ApiError> {
    if let Some(found) = kept_group(app, subscription, name)? {
        return Ok(found);
    }
    let id = format!("/subscriptions/{subscription}/resourceGroups/{name}");
    let resources = app.store().resources(&format!("{id}/"), Page { skip: 0, take: 1 })?;
    if resources.is_empty() {
        let deployments = app.store().deployments(Some(&id), Page { skip: 0, take: LOOKED_AT })?;
        if !deployments.iter().any(has_succeeded) {
            return Err(no_group(name));
        }
    }
    // As whoever was there first spelled it.
    let spelled = resources.first().and_then(|it| it.id.split('/').nth(4)).unwrap_or(name);
    let properties = ProvisioningState::Succeeded.properties();
    Ok(Value::object([
        ("id", Value::text(format!("/subscriptions/{subscription}/resourceGroups/{spelled}"))),
        ("name", Value::text(spelled)),
        ("type", GROUPS.into()),
        ("properties", properties),
    ]))
}

fn has_succeeded(deployment: &Deployment) -> bool {
    let record = DeploymentRecord::from_store(&deployment.body);
    record.is_ok_and(|record| record.state == ProvisioningState::Succeeded)
}

/// Refuses a request that reads in a group that is not there.
pub(super) fn check_readable(app: &App, scope: &Scope) -> Result<(), ApiError> {
    match scope {
        Scope::ResourceGroup { subscription, name } => readable_group(app, subscription, name).map(drop),
        _ => group_of(app, scope).map(drop),
    }
}

/// What is known of the group of a scope; none for scopes that are not groups, which are always there.
pub(crate) fn group_of(app: &App, scope: &Scope) -> Result<Option<Value>, ApiError> {
    match scope {
        Scope::ResourceGroup { subscription, name } => group(app, subscription, name).map(Some),
        Scope::Plane { plane, group } => crate::radius::check_group(app, plane, group).map(|()| None),
        Scope::Unknown | Scope::Tenant | Scope::ManagementGroup(_) | Scope::Subscription(_) => Ok(None),
    }
}

/// A member of an object that is text.
pub(super) fn str_member<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.as_object()?.get(name)?.as_str()
}

/// Whether something has the tag that a filter wants.
pub(super) fn has_tag(value: &Value, filter: &Filter) -> bool {
    let tag = |name: &str| value.as_object()?.get("tags")?.as_object()?.get(name)?.as_str();
    match (filter.get("tagName"), filter.get("tagValue")) {
        (None, None) => true,
        (Some(name), None) => tag(name).is_some(),
        (Some(name), Some(wanted)) => tag(name) == Some(wanted),
        // A value without a name means nothing.
        (None, Some(_)) => false,
    }
}
