//! The body of a request: what it may be, how large, and how long it may take.

use http::header::{CONTENT_ENCODING, HeaderValue};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::body::Frame;

use super::{Exchange, RequestBody};
use crate::access::Access;
use crate::admission::AdmissionPermit;
use crate::api_error::ApiError;
use crate::ui;

/// How large a body may be whose sender nobody knows: a form with a secret in it.
const UNKNOWN_BODY: usize = 64 * 1024;

/// Refuses a body that is compressed.
pub(super) fn check_encoding(exchange: &mut Exchange) -> Result<(), ApiError> {
    let plain = |encoding: &HeaderValue| encoding.as_bytes().eq_ignore_ascii_case(b"identity");
    if exchange.parts.headers.get_all(CONTENT_ENCODING).iter().all(plain) {
        return Ok(());
    }
    Err(ApiError::new("UnsupportedMediaType", "bodies with a `Content-Encoding` are not accepted"))
}

/// Takes room for the request, or refuses it if too many are under way.
pub(super) fn take_room(exchange: &mut Exchange) -> Result<(), ApiError> {
    let who = exchange.caller.name.as_str();
    exchange.room = Some(match exchange.seen.peer.filter(|_| who.is_empty()) {
        Some(peer) => exchange.app.room.take(&peer.to_string())?,
        None => exchange.app.room.take(who)?,
    });
    Ok(())
}

/// Reads the body, as far as is allowed and while it arrives in time.
pub(super) async fn read(exchange: &mut Exchange) -> Result<(), ApiError> {
    let limits = exchange.app.limits;
    // Who has not said who they are has little to say.
    let most = match exchange.row.access {
        Access::Anybody => limits.body.min(UNKNOWN_BODY),
        Access::Somebody | Access::List | Access::Read | Access::Deploy | Access::Own => limits.body,
    };
    let body = std::mem::take(&mut exchange.body);
    let collected = tokio::time::timeout(limits.body_time, collect(body, most, exchange.room.as_mut())).await;
    let Ok(collected) = collected else {
        let seconds = limits.body_time.as_secs();
        return Err(ApiError::new(
            "RequestTimeout",
            format!("the body of the request did not arrive within {seconds} seconds"),
        ));
    };
    exchange.bytes = collected?;
    Ok(())
}

async fn collect(
    body: RequestBody,
    most: usize,
    mut room: Option<&mut AdmissionPermit>,
) -> Result<Bytes, ApiError> {
    let mut body = Limited::new(body, most);
    // Most bodies come in one piece, which is not copied.
    let mut first = Bytes::new();
    let mut all = Vec::new();
    while let Some(frame) = body.frame().await {
        let data = match frame.map(Frame::into_data) {
            Ok(Ok(data)) => data,
            // Trailers say nothing that anybody here asks for.
            Ok(Err(_)) => continue,
            Err(error) if error.is::<LengthLimitError>() => {
                return Err(ApiError::new(
                    "RequestEntityTooLarge",
                    format!("the body of the request has more than {most} bytes"),
                ));
            }
            Err(_) => {
                return Err(ApiError::new(
                    "InvalidRequestContent",
                    "the body of the request did not arrive whole",
                ));
            }
        };
        if let Some(room) = &mut room {
            room.grow(first.len() + all.len() + data.len())?;
        }
        if first.is_empty() && all.is_empty() {
            first = data;
        } else {
            all.extend_from_slice(&std::mem::take(&mut first));
            all.extend_from_slice(&data);
        }
    }
    Ok(if all.is_empty() { first } else { Bytes::from(all) })
}

/// Refuses a form that a page of somebody else sent.
pub(super) fn check_form(exchange: &mut Exchange) -> Result<(), ApiError> {
    if !ui::is_page(&exchange.path) {
        return Ok(());
    }
    ui::check_form(&exchange.app, &exchange.base, &exchange.parts, &exchange.bytes)
}
