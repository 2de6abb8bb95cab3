//! Tokens over the API: made, listed, given another end, revoked. The audit log has each change, as that of any request.

use std::collections::BTreeMap;

use ::arm::Value;
use contract::Node;
use document::SourceValue;
use http::{Method, StatusCode};

use crate::access::Access;
use crate::api_error::ApiError;
use crate::body;
use crate::identity::{Grant, Role, ScopePath, TokenInfo, Tokens, now};
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

/// The longest name of a token.
const LONGEST_NAME: usize = 200;

/// The requests, one row for each. Only an owner of everything may send them: no scope is around them but `/`.
pub(crate) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/tendon/tokens",
        access: Access::Own,
        about: "Lists the tokens of callers, without their secrets.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/tendon/tokens",
        access: Access::Own,
        about: "Makes a token (`name`, `role`, `scope`, `expiresIn` in seconds or null) and shows it once.",
        handler: |call| Box::pin(async move { create(&call) }),
    },
    HttpRoute {
        method: Method::PATCH,
        pattern: "/tendon/tokens/{id}",
        access: Access::Own,
        about: "Returns a token another end (`expiresIn` in seconds or null).",
        handler: |call| Box::pin(async move { expire(&call) }),
    },
    HttpRoute {
        method: Method::DELETE,
        pattern: "/tendon/tokens/{id}",
        access: Access::Own,
        about: "Revokes a token: it is refused from then on.",
        handler: |call| Box::pin(async move { revoke(&call) }),
    },
];

fn tokens(call: &RoutedRequest) -> Result<&Tokens, ApiError> {
    call.app.guard.tokens().ok_or_else(|| {
        ApiError::new(
            "NotFound",
            "this server has no tokens of its own; it was not started with `--auth token`",
        )
    })
}

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let all = tokens(call)?.list()?.iter().map(|token| Value::object(shown(token))).collect();
    Ok(HttpResponse::ok(&Value::object([("value", Value::array(all))])))
}

fn create(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let tokens = tokens(call)?;
    let document = body::read(&call.body)?;
    let said = members(document.root(), "a token", &["name", "role", "scope", "expiresIn"])?;
    let text = |name: &str| said.get(name).and_then(|value| value.as_str());
    let name = text("name").unwrap_or_default();
    if name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(invalid(format!(
            "`name` is a text of up to {LONGEST_NAME} characters without control characters"
        )));
    }
    let role = text("role").and_then(Role::parse);
    let role = role.ok_or_else(|| {
        invalid("`role` is `reader`, `deployer`, `owner` or the name of a role of your own")
    })?;
    let scope = text("scope").and_then(ScopePath::parse);
    let scope =
        scope.ok_or_else(|| invalid("`scope` is an id such as `/subscriptions/S`, or `/` for everything"))?;
    let now = now();
    let expires = end(said.get("expiresIn"), now)?;
    let (token, info) = tokens.create(name, Grant { role, scope }, now, expires)?;
    let made = shown(&info).into_iter().chain([("token", Value::text(token))]);
    Ok(HttpResponse::json(StatusCode::CREATED, &Value::object(made)))
}

fn expire(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let tokens = tokens(call)?;
    let document = body::read(&call.body)?;
    let said = members(document.root(), "a token", &["expiresIn"])?;
    let value = said.get("expiresIn").ok_or_else(|| invalid("`expiresIn` is missing"))?;
    let expires = end(Some(value), now())?;
    let info = tokens.expire(call.path.get("id"), expires)?;
    Ok(HttpResponse::ok(&Value::object(shown(&info))))
}

fn revoke(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    tokens(call)?.revoke(call.path.get("id"))?;
    Ok(HttpResponse::empty(StatusCode::NO_CONTENT))
}

/// When a token ends that is valid for so many seconds; never, if it is null. There is no default: a token that never ends is meant.
fn end(seconds: Option<&SourceValue<'_>>, now: i64) -> Result<Option<i64>, ApiError> {
    let wrong =
        || invalid("`expiresIn` is a number of seconds, at least 0, or null for a token that never ends");
    match seconds.map(|seconds| seconds.node()) {
        Some(Node::Null) => Ok(None),
        Some(Node::Int(seconds)) => {
            if seconds < 0 {
                return Err(wrong());
            }
            Ok(Some(now.saturating_add(seconds)))
        }
        Some(_) | None => Err(wrong()),
    }
}

fn shown(token: &TokenInfo) -> Vec<(&'static str, Value)> {
    let moment = |seconds: i64| Value::text(::arm::rest_time::moment_text(seconds.saturating_mul(1000)));
    vec![
        ("id", Value::text(&token.id)),
        ("name", Value::text(&token.name)),
        ("role", Value::text(token.grant.role.name())),
        ("scope", Value::text(token.grant.scope.to_string())),
        ("created", moment(token.created)),
        ("expires", token.expires.map_or(Value::Null, moment)),
    ]
}

pub(crate) fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::new("InvalidRequestContent", message)
}

/// Members by name; others than the known ones are refused.
pub(crate) fn members<'d>(
    object: SourceValue<'d>,
    what: &str,
    known: &[&'static str],
) -> Result<BTreeMap<&'static str, SourceValue<'d>>, ApiError> {
    if !matches!(object.node(), Node::Object(_)) {
        return Err(invalid(format!("the properties of {what} are an object")));
    }
    let mut found = BTreeMap::new();
    for (key, value) in object.members() {
        let key = key.as_str().unwrap_or_default();
        let Some(name) = known.iter().find(|name| **name == key) else {
            let known = known.join("`, `");
            return Err(invalid(format!("the member `{key}` of {what} is unknown; it may have `{known}`")));
        };
        found.insert(*name, value);
    }
    Ok(found)
}
