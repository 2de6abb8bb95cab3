//! What requests to Radius have in common: the plane, the group, the version of the API.

use ::radius::registry::{API_VERSION, Group, Registry};
use arm::Value;

use crate::api_error::ApiError;
use crate::app::App;
use crate::routed_request::RoutedRequest;

/// The one plane of Radius.
pub(super) const PLANE: &str = "local";

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    Value::text(text).to_json()
}

/// The plane of a request has to be there.
pub(super) fn plane(call: &RoutedRequest) -> Result<(), ApiError> {
    known_plane(call.path.get("plane"))
}

fn known_plane(plane: &str) -> Result<(), ApiError> {
    if plane.eq_ignore_ascii_case(PLANE) {
        return Ok(());
    }
    Err(ApiError::new("NotFound", format!("the plane `/planes/radius/{plane}` was not found")))
}

/// A request to the plane itself: its registry, its groups, its applications of the first kind.
pub(super) fn of_plane(call: &RoutedRequest) -> Result<&Registry, ApiError> {
    plane(call)?;
    version_is(call, API_VERSION)?;
    Ok(&call.app.registry)
}

/// The version of the API is the only one that there is.
pub(super) fn version_is(call: &RoutedRequest, known: &str) -> Result<(), ApiError> {
    let version = call.api_version()?;
    if version == known {
        return Ok(());
    }
    let message = format!("the API version `{version}` is not supported; the supported version is `{known}`");
    Err(ApiError::new("InvalidApiVersionParameter", message))
}

/// The group of a request has to be there.
pub(super) fn group(call: &RoutedRequest) -> Result<Group, ApiError> {
    plane(call)?;
    known_group(&call.app, call.path.get("group"))
}

fn known_group(app: &App, name: &str) -> Result<Group, ApiError> {
    let found = app.registry.group(name)?;
    found.ok_or_else(|| ApiError::new("NotFound", format!("the resource group `{name}` was not found")))
}

/// The plane and the group of a deployment have to be there.
pub(crate) fn check_group(app: &App, plane: &str, group: &str) -> Result<(), ApiError> {
    known_plane(plane)?;
    known_group(app, group).map(|_| ())
}

/// A part of a path in a link.
pub(super) fn escaped(part: &str) -> String {
    percent_encoding::utf8_percent_encode(part, UNSAFE).to_string()
}

/// What a link cannot have as it is.
const UNSAFE: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
