//! Roles over the API: made, changed, listed, forgotten. The audit log has each change, as that of any request.

use std::sync::Arc;

use ::arm::Value;
use ::arm::deployment::ActionSet;
use contract::Node;
use document::SourceValue;
use http::{Method, StatusCode};

use crate::access::Access;
use crate::api_error::ApiError;
use crate::body;
use crate::identity::{Role, RoleInfo, Roles};
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;
use crate::token_routes::{invalid, members};

/// The longest description.
const LONGEST_DESCRIPTION: usize = 1000;
/// How many roles there may be.
const MOST: usize = 1000;

/// The requests, one row for each.
pub(crate) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/tendon/roles",
        access: Access::Own,
        about: "Lists roles with their actions.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::PUT,
        pattern: "/tendon/roles/{name}",
        access: Access::Own,
        about: "Makes a role of the operator, or changes it (`actions`, `notActions`, `description`).",
        handler: |call| Box::pin(async move { put(&call) }),
    },
    HttpRoute {
        method: Method::DELETE,
        pattern: "/tendon/roles/{name}",
        access: Access::Own,
        about: "Forgets a role of the operator: whoever has it may nothing by it.",
        handler: |call| Box::pin(async move { delete(&call) }),
    },
];

/// What the roles that are always there stand for, for whoever reads a list.
const BUILT_IN: [(&str, &str, &str); 3] = [
    ("reader", "reads", "*/read"),
    ("deployer", "also deploys, changes resources and calls their actions", ""),
    ("owner", "also changes groups, resource types, tokens and roles", "*"),
];

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let built_in = BUILT_IN.iter().map(|(name, description, actions)| {
        let actions =
            if actions.is_empty() { Value::Null } else { Value::array(vec![Value::text(*actions)]) };
        Value::object([
            ("name", Value::text(*name)),
            ("description", Value::text(*description)),
            ("actions", actions),
            ("isBuiltIn", Value::Bool(true)),
        ])
    });
    let own = Roles(call.app.store()).list()?;
    let all = built_in.chain(own.iter().map(shown)).collect();
    Ok(HttpResponse::ok(&Value::object([("value", Value::array(all))])))
}

/// The name of a role that may be changed.
fn own_name(call: &RoutedRequest) -> Result<String, ApiError> {
    match Role::parse(call.path.get("name")) {
        Some(Role::Own(own)) => Ok(Role::Own(own).name().to_owned()),
        Some(built_in) => {
            let message = format!("the role `{}` is always there and cannot be changed", built_in.name());
            Err(ApiError::new("Conflict", message))
        }
        None => Err(invalid(
            "the name of a role is a letter and up to 63 letters, digits, `.`, `_` and `-` behind it",
        )),
    }
}

fn put(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let name = own_name(call)?;
    let document = body::read(&call.body)?;
    let said = members(document.root(), "a role", &["actions", "notActions", "description"])?;
    let description = match said.get("description") {
        Some(text) => text.as_str().ok_or_else(|| invalid("`description` is a text"))?,
        None => "",
    };
    if description.chars().count() > LONGEST_DESCRIPTION || description.chars().any(char::is_control) {
        return Err(invalid(format!(
            "`description` is a text of up to {LONGEST_DESCRIPTION} characters without control characters"
        )));
    }
    let allowed = said.get("actions").ok_or_else(|| invalid("`actions` is missing"))?;
    let denied = said.get("notActions").map(|list| texts(*list, "notActions")).transpose()?;
    let actions = ActionSet::new(texts(*allowed, "actions")?, denied.unwrap_or_default());
    let actions = actions.map_err(|error| invalid(error.to_string()))?;
    let roles = Roles(call.app.store());
    let is_new = roles.find(&name)?.is_none();
    if is_new && roles.count()? >= MOST {
        return Err(ApiError::new("QuotaExceeded", format!("there are {MOST} roles already")));
    }
    let role = RoleInfo { name, description: description.to_owned(), actions: Arc::new(actions) };
    roles.put(&role)?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(HttpResponse::json(status, &shown(&role)))
}

fn delete(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let found = Roles(call.app.store()).delete(&own_name(call)?)?;
    Ok(HttpResponse::empty(if found { StatusCode::OK } else { StatusCode::NO_CONTENT }))
}

/// The texts of a list.
fn texts<'d>(list: SourceValue<'d>, name: &str) -> Result<Vec<&'d str>, ApiError> {
    let wrong = || invalid(format!("`{name}` is a list of patterns such as `Our.Things/things/write`"));
    if !matches!(list.node(), Node::List(_)) {
        return Err(wrong());
    }
    list.items().map(|item| item.as_str()).collect::<Option<Vec<_>>>().ok_or_else(wrong)
}

fn shown(role: &RoleInfo) -> Value {
    let list = |patterns: &mut dyn Iterator<Item = &str>| Value::array(patterns.map(Value::text).collect());
    Value::object([
        ("name", Value::text(&role.name)),
        ("description", Value::text(&role.description)),
        ("actions", list(&mut role.actions.allowed())),
        ("notActions", list(&mut role.actions.denied())),
        ("isBuiltIn", Value::Bool(false)),
    ])
}
