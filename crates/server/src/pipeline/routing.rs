//! Which request of the table it is.

use http::Method;

use super::{Exchange, caller};
use crate::access::Access;
use crate::api_error::ApiError;
use crate::identity::unauthorized;
use crate::requests::rows_for;
use crate::route::{HttpRoute, RouteMatch, find};
use crate::ui;
use crate::watch::RouteLabel;

/// The row of a request that has none yet: nobody has the right to it who does not own everything, and nothing is there.
pub(super) static UNROUTED: HttpRoute = HttpRoute {
    method: Method::GET,
    pattern: "",
    access: Access::Own,
    about: "Nothing.",
    handler: |_| Box::pin(async { Err(ApiError::new("NotFound", "there is nothing here")) }),
};

/// What logs and metrics call a row.
fn label(row: &'static HttpRoute) -> RouteLabel {
    // The forms of pages that only ask are sent while somebody types.
    let is_question = row.access == Access::Somebody && ui::is_row(row);
    RouteLabel { method: row.method.as_str(), pattern: row.pattern, is_question }
}

/// Finds the row of a request.
pub(super) async fn find_row(exchange: &mut Exchange) -> Result<(), ApiError> {
    let parts = &exchange.parts;
    let methods = match find(|| rows_for(&exchange.path), &parts.method, &exchange.path) {
        RouteMatch::Row(row, captures) => {
            exchange.seen.route = Some(label(row));
            exchange.row = row;
            exchange.captures = captures;
            return Ok(());
        }
        RouteMatch::OtherMethod(methods) => Some(methods),
        RouteMatch::Nothing => None,
    };
    if caller::of(&exchange.app, &exchange.base, &exchange.path, parts).await.is_err() {
        return Err(unauthorized("log in first"));
    }
    let path = parts.uri.path();
    Err(match methods {
        Some(methods) => {
            ApiError::method(format!("`{path}` does not take {} requests", parts.method), &methods)
        }
        None => ApiError::new("NotFound", format!("there is nothing at `{path}`")),
    })
}
