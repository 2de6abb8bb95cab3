//! The handler is asked, and its answer looked at.

use std::sync::Arc;

use http::{Method, StatusCode};
use tokio::runtime::Handle;

use super::Exchange;
use crate::access::Access;
use crate::api_error::{ApiError, broken};
use crate::identity::shown;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::{Query, RoutedRequest};
use crate::ui;

/// Has it written down that the request will be done, where that is required.
pub(super) fn announce(exchange: &mut Exchange) -> Result<(), ApiError> {
    exchange.app.watch.begins(&exchange.seen)
}

/// Asks the handler of the row, which goes on if the client goes away: what is half done is finished.
pub(super) async fn run(exchange: &mut Exchange) -> Result<(), ApiError> {
    let uri = &exchange.parts.uri;
    let call = RoutedRequest {
        app: Arc::clone(&exchange.app),
        caller: exchange.caller.clone(),
        path: std::mem::take(&mut exchange.captures),
        query: Query::parse(uri.query().unwrap_or_default()),
        target: uri.path_and_query().map_or("", |target| target.as_str()).to_owned(),
        headers: std::mem::take(&mut exchange.parts.headers),
        body: std::mem::take(&mut exchange.bytes),
        base: exchange.base.clone(),
        room: exchange.room.take().map(Arc::new),
    };
    let room = call.room.clone();
    // Records may be large: who reads many of them does not keep those waiting who ask for one.
    let aside = exchange.app.host.aside().filter(|_| reads_many(exchange.row)).cloned();
    let slot = match &aside {
        Some(_) => Some(exchange.app.lists.take(&exchange.caller.name).await?),
        None => None,
    };
    let handled = (exchange.row.handler)(call);
    let handled = async move {
        let _taken = (room, slot);
        handled.await
    };
    let patience = exchange.app.limits.request_time;
    let handled = aside.unwrap_or_else(Handle::current).spawn(handled);
    let Ok(handled) = tokio::time::timeout(patience, handled).await else {
        return Err(ApiError::new("ServerTimeout", "the request takes too long; it may still be done"));
    };
    exchange.answer = handled.map_err(|error| broken(&error))??;
    Ok(())
}

/// Whether a request reads many records: it asks for a collection, or for a page or a template that is made of many.
fn reads_many(row: &HttpRoute) -> bool {
    let last = row.pattern.rsplit('/').next().unwrap_or_default();
    let is_collection = row.method == Method::GET && !last.starts_with('{');
    let is_page = row.method == Method::GET && ui::is_row(row) && !row.pattern.contains("/assets/");
    let is_light =
        row.access == Access::Anybody || row.pattern == "/metrics" || row.pattern.contains("/events/");
    (is_collection || is_page || last == "exportTemplate") && !is_light
}

/// Notes who logged in. A login that failed is a wrong token, too, whatever form its answer has.
pub(super) fn note_login(exchange: &mut Exchange) -> Result<(), ApiError> {
    if let Some(who) = exchange.answer.who() {
        who.clone_into(&mut exchange.seen.who);
    }
    if exchange.answer.status() == StatusCode::UNAUTHORIZED {
        exchange.app.watch.wrong_token(exchange.seen.peer)?;
    }
    Ok(())
}

/// Leaves of the answer what its caller may see.
pub(super) fn hide_the_rest(exchange: &mut Exchange) -> Result<(), ApiError> {
    let answer = std::mem::replace(&mut exchange.answer, HttpResponse::empty(StatusCode::NOT_FOUND));
    exchange.answer = shown(answer, exchange.allowed, &exchange.caller)?;
    Ok(())
}
