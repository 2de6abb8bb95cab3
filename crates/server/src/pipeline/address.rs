//! What a request is sent to: the name of the server, the path, and where the request comes from.

use http::header::HOST;
use http::request::Parts;
use http::uri::Authority;

use super::Exchange;
use crate::api_error::ApiError;
use crate::route::Path;

/// What the paths of Radius begin with behind a Kubernetes API server.
const KUBERNETES: &[&str] = &["apis", "api.ucp.dev", "v1alpha3"];

/// The same as text.
const KUBERNETES_PATH: &str = "/apis/api.ucp.dev/v1alpha3";

/// How long a path may be.
const LONGEST_PATH: usize = 8 * 1024;

/// Refuses a request that names two hosts, or what cannot be one: answers would repeat it in links.
pub(super) fn check_host(exchange: &mut Exchange) -> Result<(), ApiError> {
    let parts = &exchange.parts;
    let is_one = parts.headers.get_all(HOST).iter().count() <= 1;
    let is_name = match (parts.uri.authority(), parts.headers.get(HOST)) {
        (None, None) => true,
        (Some(authority), _) => is_host(authority.as_str()),
        (None, Some(header)) => header.to_str().is_ok_and(is_host),
    };
    if is_one && is_name {
        return Ok(());
    }
    Err(ApiError::new(
        "InvalidRequestHost",
        "the header `Host` must be one name or address, with or without a port",
    ))
}

fn is_host(text: &str) -> bool {
    // A path, a user or a quote behind it would be the sender's idea of who we are.
    text.parse::<Authority>().is_ok_and(|authority| !authority.host().is_empty())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte))
}

/// Refuses a path that is longer than any id.
pub(super) fn check_length(exchange: &mut Exchange) -> Result<(), ApiError> {
    if exchange.parts.uri.path().len() <= LONGEST_PATH {
        return Ok(());
    }
    let message = format!("the path of the request has more than {LONGEST_PATH} bytes");
    Err(ApiError::new("RequestUriTooLong", message))
}

/// Refuses what no honest client sends.
pub(super) fn check_origin(exchange: &mut Exchange) -> Result<(), ApiError> {
    let parts = &exchange.parts;
    exchange.app.guard.admit(host(parts), &exchange.base, &parts.headers)
}

/// Takes the path apart.
pub(super) fn parse_path(exchange: &mut Exchange) -> Result<(), ApiError> {
    exchange.path = Path::parse(exchange.parts.uri.path())?.without(KUBERNETES);
    Ok(())
}

/// The name that the client used for the server, with the port.
fn host(parts: &Parts) -> Option<&str> {
    // Where both are, the address counts.
    let authority = parts.uri.authority().map(|authority| authority.as_str());
    authority.or_else(|| parts.headers.get(HOST).and_then(|host| host.to_str().ok()))
}

/// The address that the client used, up to the path: what absolute links begin with.
pub(super) fn base(scheme: &str, parts: &Parts) -> String {
    let host = host(parts).filter(|host| is_host(host)).unwrap_or("localhost");
    let prefix = parts.uri.path().get(..KUBERNETES_PATH.len());
    let prefix = prefix.filter(|prefix| prefix.eq_ignore_ascii_case(KUBERNETES_PATH));
    format!("{scheme}://{host}{}", prefix.unwrap_or_default())
}
