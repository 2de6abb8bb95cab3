//! Credentials of clouds. No answer has a secret: none is kept.

use ::radius::registry::{API_VERSION, CLOUDS, Cloud, RequestForm};
use http::{Method, StatusCode};

use super::elsewhere;
use super::list::PageRequest;
use super::request_scope::version_is;
use crate::access::Access;
use crate::api_error::ApiError;
use crate::body;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

const ALL: &str = "/planes/{kind}/{plane}/providers/{namespace}/credentials";
const ONE: &str = "/planes/{kind}/{plane}/providers/{namespace}/credentials/{name}";

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: ALL,
        access: Access::Read,
        about: "Lists the credentials of a cloud.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: ONE,
        access: Access::Read,
        about: "Shows a credential of a cloud, without its secret.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    HttpRoute {
        method: Method::PUT,
        pattern: ONE,
        access: Access::Own,
        about: "Registers a credential of a cloud.",
        handler: |call| elsewhere(call, put),
    },
    HttpRoute {
        method: Method::DELETE,
        pattern: ONE,
        access: Access::Own,
        about: "Deletes a credential of a cloud.",
        handler: |call| elsewhere(call, delete),
    },
];

fn cloud(call: &RoutedRequest) -> Result<&'static Cloud, ApiError> {
    version_is(call, API_VERSION)?;
    let is = |part: &str, word: &str| call.path.get(part).eq_ignore_ascii_case(word);
    let found = CLOUDS
        .iter()
        .find(|row| is("kind", row.plane) && is("plane", row.name) && is("namespace", row.namespace));
    found.ok_or_else(|| ApiError::new("NotFound", "there is no such plane with credentials"))
}

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let cloud = cloud(call)?;
    let wanted = PageRequest::of(call)?;
    let items = wanted.of_all(call.app.registry.credentials(cloud)?, String::clone, String::clone);
    let path = format!("/planes/{}/{}/providers/{}/credentials", cloud.plane, cloud.name, cloud.namespace);
    wanted.answer(call, &path, items)
}

fn get(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let name = call.path.get("name");
    match call.app.registry.credential(cloud(call)?, name)? {
        Some(shown) => Ok(HttpResponse::text(StatusCode::OK, shown)),
        None => Err(ApiError::new("NotFound", format!("the credential `{name}` was not found"))),
    }
}

fn put(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let cloud = cloud(call)?;
    let document = body::read(&call.body)?;
    let body = RequestForm::Credential.admit(document.root())?;
    let (shown, is_new) = call.app.registry.put_credential(cloud, call.path.get("name"), &body)?;
    Ok(HttpResponse::text(if is_new { StatusCode::CREATED } else { StatusCode::OK }, shown))
}

fn delete(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let deleted = call.app.registry.delete_credential(cloud(call)?, call.path.get("name"))?;
    Ok(HttpResponse::empty(if deleted { StatusCode::OK } else { StatusCode::NO_CONTENT }))
}
