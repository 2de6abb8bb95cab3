//! The graph of an application: its resources, and what they are connected to.

use std::collections::HashMap;

use ::radius::registry::{API_VERSION, CORE_API_VERSION, StoredResource};
use arm::Caseless as _;
use contract::Constant;
use http::{Method, StatusCode};

use super::elsewhere;
use super::environments::member;
use super::request_scope::{group, quoted, version_is};
use crate::access::Access;
use crate::api_error::ApiError;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::POST,
        pattern: "/planes/radius/{plane}/resourceGroups/{group}/providers/Applications.Core/applications/{name}/getGraph",
        access: Access::Read,
        about: "Shows the resources of an application and their connections.",
        handler: |call| elsewhere(call, |call| graph(call, "Applications.Core/applications", API_VERSION)),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/planes/radius/{plane}/resourceGroups/{group}/providers/Radius.Core/applications/{name}/getGraph",
        access: Access::Read,
        about: "Shows the resources of an application and their connections.",
        handler: |call| elsewhere(call, |call| graph(call, "Radius.Core/applications", CORE_API_VERSION)),
    },
];

fn graph(call: &RoutedRequest, kind: &str, version: &str) -> Result<HttpResponse, ApiError> {
    version_is(call, version)?;
    let group = group(call)?;
    let name = call.path.get("name");
    let registry = &call.app.registry;
    let Some(application) = registry.named_resource(&group.name, kind, name)? else {
        return Err(ApiError::new("NotFound", format!("the application `{name}` was not found")));
    };
    let all = registry.resources(None, None)?;
    let is_in =
        |it: &&StoredResource| it.text(&["properties", "application"]).eq_ignore_ascii_case(&application.id);
    let is_seen = |it: &&StoredResource| call.caller.sees(&it.id);
    let inside: Vec<&StoredResource> = all.iter().filter(is_in).filter(is_seen).collect();
    // By the id in lower case: who is connected to it.
    let mut inbound: HashMap<String, Vec<&str>> = HashMap::new();
    for it in &inside {
        for source in sources(it) {
            inbound.entry(source.caseless()).or_default().push(&it.id);
        }
    }
    let connection =
        |id: &str, direction: &str| format!("{{\"id\":{},\"direction\":\"{direction}\"}}", quoted(id));
    let shown = inside.iter().map(|it| {
        let out = sources(it).map(|id| connection(id, "Outbound"));
        let back = inbound.get(&it.id.caseless()).into_iter().flatten();
        let connections: Vec<String> = out.chain(back.map(|id| connection(id, "Inbound"))).collect();
        format!(
            "{{\"id\":{},\"name\":{},\"type\":{},\"provisioningState\":\"Succeeded\",\"connections\":[{}],\"outputResources\":[]}}",
            quoted(&it.id),
            quoted(it.text(&["name"])),
            quoted(it.text(&["type"])),
            connections.join(",")
        )
    });
    let body = format!("{{\"resources\":[{}]}}", shown.collect::<Vec<_>>().join(","));
    Ok(HttpResponse::text(StatusCode::OK, body))
}

/// The resources that a resource is connected to, by their ids.
fn sources(resource: &StoredResource) -> impl Iterator<Item = &str> {
    let path = ["properties", "connections"];
    let connections = path.iter().try_fold(&resource.body, |value, name| member(value, name));
    let connections = match connections {
        Some(Constant::Object(members)) => members.as_slice(),
        _ => &[],
    };
    connections.iter().filter_map(|(_, connection)| match member(connection, "source") {
        Some(Constant::Text(source)) => Some(source.as_str()),
        _ => None,
    })
}
