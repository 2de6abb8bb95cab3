//! What is kept, for `tendon state`: the deployments and resources that a caller may read.

use ::arm::Value;
use engine::state::{self, Listed, StateItem};
use http::{Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use store::Page;

use crate::access::Access;
use crate::api_error::ApiError;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

/// How many records a page is made from.
const RECORDS: usize = 500;

/// The requests, one row for each.
pub(crate) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/tendon/state/deployments",
        access: Access::List,
        about: "Lists the deployments of all scopes, or of those below an id (`below`).",
        handler: |call| Box::pin(async move { list(&call, "deployments", state::deployments) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/tendon/state/resources",
        access: Access::List,
        about: "Lists the resources of all scopes, or those below an id (`below`).",
        handler: |call| Box::pin(async move { list(&call, "resources", state::resources) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/tendon/state/item",
        access: Access::List,
        about: "Shows a resource, or a deployment with its operations, by an id or a name (`id`).",
        handler: |call| Box::pin(async move { item(&call) }),
    },
];

/// What lists a kind of record.
type Lister = fn(&dyn store::Store, &str, Page, state::Sight<'_>) -> Result<Listed, engine::StartError>;

fn list(call: &RoutedRequest, what: &str, lister: Lister) -> Result<HttpResponse, ApiError> {
    let reach = call.caller.reach();
    let below = call.query.get("below").unwrap_or_default();
    let skip = match call.query.get("skip") {
        None => 0,
        Some(skip) => skip
            .parse()
            .map_err(|_| ApiError::new("InvalidQueryParameterValue", format!("`skip` cannot be `{skip}`")))?,
    };
    let page = Page { skip, take: RECORDS };
    let listed = lister(call.app.store(), below, page, &|id| reach.can_read(id))?;
    let next = listed.next.map(|next| {
        let below = utf8_percent_encode(below, NON_ALPHANUMERIC);
        let link = format!("{}/tendon/state/{what}?below={below}&skip={next}", call.base);
        ("nextLink", Value::text(link))
    });
    let members = [("value", Value::array(listed.items))].into_iter().chain(next);
    Ok(HttpResponse::json(StatusCode::OK, &Value::object(members)))
}

fn item(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let reach = call.caller.reach();
    let store = call.app.store();
    let id = call.query.get("id").unwrap_or_default();
    let item = state::find(store, id, &|id| reach.can_read(id))?;
    let is_deployment = matches!(item, StateItem::Deployment(_));
    let shown = Value::object([
        ("id", Value::text(item.id())),
        ("isDeployment", Value::Bool(is_deployment)),
        ("isActive", Value::Bool(item.is_active())),
        ("body", item.shown(store)?),
    ]);
    Ok(HttpResponse::json(StatusCode::OK, &shown))
}
