//! What is done to every response, whether a handler or a step made it.

use ::arm::deployment::LOCAL_TENANT;
use http::header::{CONTENT_LENGTH, HeaderValue, WWW_AUTHENTICATE};
use http::{Method, Response, StatusCode};
use hyper::body::Body as _;

use super::Exchange;
use crate::api_error::ApiError;
use crate::response::{HttpResponse, ResponseBody, Stream};
use crate::ui;

/// The answer to a request that is refused, with what clients need to do better: a page for those who asked for one.
pub(super) fn of_refusal(
    exchange: &Exchange,
    page: Option<ui::PageContext>,
    refusal: ApiError,
) -> HttpResponse {
    let refusal = match refusal.status() {
        // Beyond what is allowed, the answer to a wrong token is to wait.
        StatusCode::UNAUTHORIZED => {
            exchange.app.watch.wrong_token(exchange.seen.peer).err().unwrap_or(refusal)
        }
        _ => refusal,
    };
    if let Some(page) = page {
        return page.refused(&refusal);
    }
    match refusal.status() {
        StatusCode::UNAUTHORIZED => {
            let challenge = format!(
                "Bearer authorization_uri=\"{}/{LOCAL_TENANT}\", error=\"invalid_token\"",
                exchange.base
            );
            refusal.to_answer().header(WWW_AUTHENTICATE, &challenge)
        }
        _ => refusal.to_answer(),
    }
}

/// The response to `HEAD` without its body, whose length is told if it is known; others as they are.
pub(super) fn without_body_of(
    method: &Method,
    mut response: Response<ResponseBody>,
) -> Response<ResponseBody> {
    if method != Method::HEAD {
        return response;
    }
    response.extensions_mut().remove::<Stream>();
    let body = std::mem::take(response.body_mut());
    if let Some(length) = body.size_hint().exact().filter(|length| *length > 0) {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}
