//! The handler is asked, and its answer looked at.

use std::sync::Arc;

use http::StatusCode;

use super::Exchange;
use crate::api_error::{ApiError, broken};
use crate::identity::shown;
use crate::response::HttpResponse;
use crate::routed_request::{Query, RoutedRequest};

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
    let handled = (exchange.row.handler)(call);
    let handled = async move {
        let _room = room;
        handled.await
    };
    let patience = exchange.app.limits.request_time;
    let Ok(handled) = tokio::time::timeout(patience, tokio::spawn(handled)).await else {
        return Err(ApiError::new("ServerTimeout", "the request takes too long; it may still be done"));
    };
    exchange.answer = handled.map_err(|error| broken(&error))??;
    Ok(())
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
