//! What is kept, for `tendon state`: the deployments and resources that a caller may read.

use ::arm::Value;
use axum::http::{Method, StatusCode};
use engine::state::{self, Item, Listed};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use store::Page;

use crate::access::Access;
use crate::answer::Answer;
use crate::call::Call;
use crate::refusal::Refusal;
use crate::route::Row;

/// How many records a page is made from.
const RECORDS: usize = 500;

/// The requests, one row for each.
pub(crate) const ROWS: &[Row] = &[
    Row {
        method: Method::GET,
        pattern: "/tendon/state/deployments",
        access: Access::List,
        about: "Lists the deployments of all scopes, or of those below an id (`below`).",
        handler: |call| Box::pin(async move { list(&call, "deployments", state::deployments) }),
    },
    Row {
        method: Method::GET,
        pattern: "/tendon/state/resources",
        access: Access::List,
        about: "Lists the resources of all scopes, or those below an id (`below`).",
        handler: |call| Box::pin(async move { list(&call, "resources", state::resources) }),
    },
    Row {
        method: Method::GET,
        pattern: "/tendon/state/item",
        access: Access::List,
        about: "Shows a resource, or a deployment with its operations, by an id or a name (`id`).",
        handler: |call| Box::pin(async move { item(&call) }),
    },
];

/// What lists a kind of record.
type Lister = fn(&dyn store::Store, &str, Page, state::Sight<'_>) -> Result<Listed, engine::Refused>;

fn list(call: &Call, what: &str, lister: Lister) -> Result<Answer, Refusal> {
    let reach = call.caller.reach();
    let below = call.query.get("below").unwrap_or_default();
    let skip = match call.query.get("skip") {
        None => 0,
        Some(skip) => skip
            .parse()
            .map_err(|_| Refusal::new("InvalidQueryParameterValue", format!("`skip` cannot be `{skip}`")))?,
    };
    let page = Page { skip, take: RECORDS };
    let listed = lister(call.app.store(), below, page, &|id| reach.reads(id))?;
    let next = listed.next.map(|next| {
        let below = utf8_percent_encode(below, NON_ALPHANUMERIC);
        let link = format!("{}/tendon/state/{what}?below={below}&skip={next}", call.base);
        ("nextLink", Value::text(link))
    });
    let members = [("value", Value::array(listed.items))].into_iter().chain(next);
    Ok(Answer::json(StatusCode::OK, &Value::object(members)))
}

fn item(call: &Call) -> Result<Answer, Refusal> {
    let reach = call.caller.reach();
    let store = call.app.store();
    let id = call.query.get("id").unwrap_or_default();
    let item = state::find(store, id, &|id| reach.reads(id))?;
    let is_deployment = matches!(item, Item::Deployment(_));
    let shown = Value::object([
        ("id", Value::text(item.id())),
        ("isDeployment", Value::Bool(is_deployment)),
        ("isActive", Value::Bool(item.is_active())),
        ("body", item.shown(store)?),
    ]);
    Ok(Answer::json(StatusCode::OK, &shown))
}
