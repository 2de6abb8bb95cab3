//! Resource groups of the plane.

use ::radius::registry::{API_VERSION, Group, RequestForm, StoredResource};
use arm::Caseless as _;
use http::{Method, StatusCode};

use super::elsewhere;
use super::list::PageRequest;
use super::request_scope::{PLANE, escaped, group, of_plane, quoted, version_is};
use crate::access::Access;
use crate::api_error::ApiError;
use crate::body;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

const ONE: &str = "/planes/radius/{plane}/resourceGroups/{group}";

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/planes/radius/{plane}/resourceGroups",
        access: Access::List,
        about: "Lists the resource groups.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: ONE,
        access: Access::Read,
        about: "Shows a resource group.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    HttpRoute {
        method: Method::PUT,
        pattern: ONE,
        access: Access::Own,
        about: "Makes a resource group, or changes it.",
        handler: |call| elsewhere(call, put),
    },
    HttpRoute {
        method: Method::DELETE,
        pattern: ONE,
        access: Access::Own,
        about: "Deletes a resource group that is empty.",
        handler: |call| elsewhere(call, delete),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/planes/radius/{plane}/resourceGroups/{group}/resources",
        access: Access::Read,
        about: "Lists the resources of a group, of all types.",
        handler: |call| elsewhere(call, resources),
    },
];

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let wanted = PageRequest::of(call)?;
    let items = wanted.of_all(of_plane(call)?.groups()?, |group| group.name.caseless(), shown);
    wanted.answer(call, &format!("/planes/radius/{PLANE}/resourceGroups"), items)
}

fn get(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    any_version(call)?;
    Ok(HttpResponse::text(StatusCode::OK, shown(&group(call)?)))
}

fn put(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    any_version(call)?;
    let registry = &call.app.registry;
    super::request_scope::plane(call)?;
    let document = body::read(&call.body)?;
    let body = RequestForm::Group.admit(document.root())?;
    let (group, is_new) = registry.put_group(call.path.get("group"), &body)?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(HttpResponse::text(status, shown(&group)))
}

fn delete(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let deleted = of_plane(call)?.delete_group(call.path.get("group"))?;
    Ok(HttpResponse::empty(if deleted { StatusCode::OK } else { StatusCode::NO_CONTENT }))
}

fn resources(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    version_is(call, API_VERSION)?;
    let wanted = PageRequest::of(call)?;
    let group = group(call)?;
    let found =
        call.app.registry.resources_after(None, Some(&group.name), wanted.after(), wanted.look_for())?;
    let show = |it: &StoredResource| {
        let (id, name, kind) = (quoted(&it.id), quoted(it.text(&["name"])), quoted(it.text(&["type"])));
        format!("{{\"id\":{id},\"name\":{name},\"type\":{kind}}}")
    };
    let path = format!("/planes/radius/{PLANE}/resourceGroups/{}/resources", escaped(&group.name));
    wanted.answer(call, &path, wanted.resources(found, show))
}

/// Clients ask for groups with the version of what they want to put there.
fn any_version(call: &RoutedRequest) -> Result<(), ApiError> {
    call.api_version().map(|_| ())
}

fn shown(group: &Group) -> String {
    let inner = group.body.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default();
    let more = if inner.is_empty() { String::new() } else { format!(",{inner}") };
    format!(
        "{{\"id\":{},\"name\":{},\"type\":\"System.Resources/resourceGroups\"{more},\"properties\":{{\"provisioningState\":\"Succeeded\"}}}}",
        quoted(&group.id()),
        quoted(&group.name)
    )
}
