//! Planes: that of Radius, and those of the clouds whose credentials can be kept.

use ::radius::registry::{API_VERSION, RequestForm};
use http::{Method, StatusCode};

use super::request_scope::version_is;
use crate::access::Access;
use crate::api_error::ApiError;
use crate::body;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/planes",
        access: Access::Somebody,
        about: "Lists the planes.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/planes/{kind}",
        access: Access::Somebody,
        about: "Lists the planes of a kind.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/planes/{kind}/{plane}",
        access: Access::Somebody,
        about: "Shows a plane.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    HttpRoute {
        method: Method::PUT,
        pattern: "/planes/{kind}/{plane}",
        access: Access::Own,
        about: "Puts an existing plane; new ones cannot be created.",
        handler: |call| Box::pin(async move { put(&call) }),
    },
];

/// The planes that there are: their kind, their name, their type.
const PLANES: &[(&str, &str, &str)] = &[
    ("radius", "local", "System.Radius/planes"),
    ("azure", "azurecloud", "System.Azure/planes"),
    ("aws", "aws", "System.AWS/planes"),
];

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    version_is(call, API_VERSION)?;
    let kind = call.path.get("kind");
    let planes = PLANES.iter().filter(|row| kind.is_empty() || row.0.eq_ignore_ascii_case(kind));
    let planes = planes.map(shown).collect::<Vec<_>>().join(",");
    Ok(HttpResponse::text(StatusCode::OK, format!("{{\"value\":[{planes}]}}")))
}

fn get(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    version_is(call, API_VERSION)?;
    let (kind, name) = (call.path.get("kind"), call.path.get("plane"));
    let is_it =
        |row: &&(&str, &str, &str)| row.0.eq_ignore_ascii_case(kind) && row.1.eq_ignore_ascii_case(name);
    match PLANES.iter().find(is_it) {
        Some(row) => Ok(HttpResponse::text(StatusCode::OK, shown(row))),
        None => Err(ApiError::new("NotFound", format!("the plane `/planes/{kind}/{name}` was not found"))),
    }
}

/// What is sent changes nothing, and has to be what a plane is all the same.
fn put(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    RequestForm::Plane.admit(body::read(&call.body)?.root())?;
    get(call)
}

fn shown((kind, name, type_name): &(&str, &str, &str)) -> String {
    format!(
        "{{\"id\":\"/planes/{kind}/{name}\",\"name\":\"{name}\",\"type\":\"{type_name}\",\"location\":\"global\",\"properties\":{{\"provisioningState\":\"Succeeded\"}}}}"
    )
}
