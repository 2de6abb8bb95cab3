//! Resources of registered and built-in types: put, get, list, delete.

use ::radius::registry::{
    API_VERSION, Precondition, PutResource, RegistryError, ResourceTypeVersion, StoredResource,
};
use contract::Constant;
use http::header::{ETAG, IF_MATCH, IF_NONE_MATCH};
use http::{HeaderMap, Method, StatusCode};

use super::elsewhere;
use super::list::PageRequest;
use super::request_scope::{PLANE, escaped, group, plane};
use crate::access::Access;
use crate::api_error::ApiError;
use crate::body;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

const ONE: &str = "/planes/radius/{plane}/resourceGroups/{group}/providers/{namespace}/{type}/{name}";

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: ONE,
        access: Access::Read,
        about: "Shows a resource.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    HttpRoute {
        method: Method::PUT,
        pattern: ONE,
        access: Access::Deploy,
        about: "Makes a resource, or changes it, after it was checked against the schema of its type.",
        handler: |call| elsewhere(call, put),
    },
    HttpRoute {
        method: Method::DELETE,
        pattern: ONE,
        access: Access::Deploy,
        about: "Deletes a resource.",
        handler: |call| elsewhere(call, delete),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/planes/radius/{plane}/resourceGroups/{group}/providers/{namespace}/{type}",
        access: Access::Read,
        about: "Lists the resources of a type in a group.",
        handler: |call| elsewhere(call, list),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/planes/radius/{plane}/providers/{namespace}/{type}",
        access: Access::List,
        about: "Lists the resources of a type in all groups.",
        handler: |call| elsewhere(call, list_all),
    },
];

/// The type of a request, in a version that it has. The version that all clients know stands for the default or only one of a type
/// that does not have it.
fn kind(call: &RoutedRequest) -> Result<ResourceTypeVersion, ApiError> {
    let version = call.api_version()?;
    let name = format!("{}/{}", call.path.get("namespace"), call.path.get("type"));
    let registry = &call.app.registry;
    match registry.kind(&name, Some(version)) {
        Err(RegistryError::Version(_)) if version == API_VERSION => Ok(registry.kind(&name, None)?),
        other => Ok(other?),
    }
}

/// The same for those who read: every version shows the same resource.
fn kind_name(call: &RoutedRequest) -> Result<String, ApiError> {
    let version = call.api_version()?;
    let name = format!("{}/{}", call.path.get("namespace"), call.path.get("type"));
    let registry = &call.app.registry;
    match registry.kind(&name, Some(version)) {
        Ok(kind) => Ok(kind.full_name),
        Err(RegistryError::Version(_)) if version == API_VERSION => Ok(name),
        Err(error) => Err(error.into()),
    }
}

/// A resource as clients read it; those who ask for it learn the version that it was put with.
fn shown_to(call: &RoutedRequest, found: &StoredResource) -> String {
    if call.query.get("includeApiVersion").is_some_and(|text| text.eq_ignore_ascii_case("true")) {
        return found.body.to_string();
    }
    shown(found)
}

/// A resource as clients read it.
pub(super) fn shown(found: &StoredResource) -> String {
    let Constant::Object(members) = &found.body else { return found.body.to_string() };
    let is_shown = |(name, _): &&(Constant, Constant)| *name != Constant::text("apiVersion");
    let members = members.iter().filter(is_shown).map(|(name, value)| format!("{name}:{value}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn answer(call: &RoutedRequest, status: StatusCode, found: &StoredResource) -> HttpResponse {
    HttpResponse::text(status, shown_to(call, found)).header(ETAG, &format!("\"{}\"", found.etag()))
}

fn get(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let group = group(call)?;
    let kind = kind_name(call)?;
    let name = call.path.get("name");
    match call.app.registry.named_resource(&group.name, &kind, name)? {
        Some(found) => Ok(answer(call, StatusCode::OK, &found)),
        None => {
            let message = format!("the resource `{kind}/{name}` was not found in the group `{}`", group.name);
            Err(ApiError::new("NotFound", message))
        }
    }
}

fn put(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let group = group(call)?;
    let kind = kind(call)?;
    let document = body::read_within(&call.body, &::radius::LIMITS)?;
    let put = PutResource {
        group: &group.name,
        type_name: &kind.full_name,
        name: call.path.get("name"),
        api_version: Some(&kind.version),
        body: document.root(),
    };
    if let Some(quotas) = &call.app.quotas {
        let path = format!("/planes/radius/{PLANE}/resourceGroups/{}/{}", group.name, call.path.get("name"));
        quotas.check_resource(&path, call.body.len() as u64)?;
    }
    let stored = call.app.registry.put_if(put, precondition(&call.headers)?)?;
    Ok(answer(call, if stored.is_new { StatusCode::CREATED } else { StatusCode::OK }, &stored))
}

fn delete(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    plane(call)?;
    let Some(group) = call.app.registry.group(call.path.get("group"))? else {
        return Ok(HttpResponse::empty(StatusCode::NO_CONTENT));
    };
    let kind = kind_name(call)?;
    let condition = precondition(&call.headers)?;
    let deleted = call.app.registry.delete_if(&group.name, &kind, call.path.get("name"), condition)?;
    Ok(HttpResponse::empty(if deleted { StatusCode::OK } else { StatusCode::NO_CONTENT }))
}

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let group = group(call)?;
    let path = format!("/planes/radius/{PLANE}/resourceGroups/{}", escaped(&group.name));
    listed(call, Some(&group.name), &path)
}

fn list_all(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    plane(call)?;
    listed(call, None, &format!("/planes/radius/{PLANE}"))
}

fn listed(call: &RoutedRequest, group: Option<&str>, path: &str) -> Result<HttpResponse, ApiError> {
    let wanted = PageRequest::of(call)?;
    let kind = kind_name(call)?;
    let found = call.app.registry.resources_after(Some(&kind), group, wanted.after(), wanted.look_for())?;
    let page = wanted.resources(found, |it| shown_to(call, it));
    wanted.answer(call, &format!("{path}/providers/{kind}"), page)
}

/// What the headers say of the resource that is there.
fn precondition(headers: &HeaderMap) -> Result<Precondition<'_>, ApiError> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    match (text(IF_MATCH), text(IF_NONE_MATCH)) {
        (None, None) => Ok(Precondition::None),
        (Some("*"), None) => Ok(Precondition::Match(None)),
        (Some(tag), None) => {
            let tag = tag.trim_start_matches("W/");
            let tag = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).unwrap_or(tag);
            Ok(Precondition::Match(Some(tag)))
        }
        (None, Some("*")) => Ok(Precondition::Absent),
        (_, Some(_)) => {
            Err(ApiError::new("BadRequest", "`If-None-Match` can only be `*`, and not beside `If-Match`"))
        }
    }
}
