//! What is done to every response, whether a handler or a step made it.

use ::arm::deployment::LOCAL_TENANT;
use http::header::{CONTENT_LENGTH, HeaderValue, STRICT_TRANSPORT_SECURITY, WWW_AUTHENTICATE};
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

/// The same that tells browsers to come back over TLS alone. Not by a name of this machine itself, where other servers listen on other ports.
pub(super) fn with_transport_security(base: &str, answer: HttpResponse) -> HttpResponse {
    let Some(rest) = base.strip_prefix("https://") else { return answer };
    let host = rest.split('/').next().unwrap_or_default();
    let host = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|it| it.is_ascii_digit()))
        .map_or(host, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_local = host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|it| it.is_loopback());
    if is_local { answer } else { answer.header(STRICT_TRANSPORT_SECURITY, "max-age=31536000") }
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
