//! The headers that tell requests apart: every answer has them, and clients print them with errors.

use engine::guid;
use http::Response;
use http::header::{CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use store::RunId;

use crate::response::ResponseBody;

/// The name of this one request.
const REQUEST: HeaderName = HeaderName::from_static("x-ms-request-id");
/// The name that requests share which belong together; a client may choose it.
pub(crate) const CORRELATION: HeaderName = HeaderName::from_static("x-ms-correlation-request-id");
/// The name that the client gives its request.
const CLIENT: HeaderName = HeaderName::from_static("x-ms-client-request-id");
/// Whether the client wants its name back.
const RETURN_CLIENT: HeaderName = HeaderName::from_static("x-ms-return-client-request-id");

/// The longest name of a request that is sent back.
const LONGEST: usize = 128;

/// What an answer tells of its request.
pub(crate) struct CorrelationHeaders {
    request: HeaderValue,
    correlation: Option<HeaderValue>,
    client: Option<HeaderValue>,
}

/// Reads what the request says of itself.
pub(crate) fn of(headers: &HeaderMap) -> CorrelationHeaders {
    let short = |name: HeaderName| headers.get(name).filter(|value| value.len() <= LONGEST).cloned();
    let wants_it =
        headers.get(RETURN_CLIENT).is_some_and(|wish| wish.as_bytes().eq_ignore_ascii_case(b"true"));
    let client = if wants_it { short(CLIENT) } else { None };
    CorrelationHeaders { request: fresh(), correlation: short(CORRELATION), client }
}

impl CorrelationHeaders {
    /// Puts the headers on an answer. What the answer says itself stays.
    pub(crate) fn put_on(self, mut response: Response<ResponseBody>) -> Response<ResponseBody> {
        let headers = response.headers_mut();
        if !headers.contains_key(CORRELATION) {
            headers.insert(CORRELATION, self.correlation.unwrap_or_else(|| self.request.clone()));
        }
        // What is answered to one is for nobody else, and is not what a browser may guess it to be.
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REQUEST, self.request);
        if let Some(client) = self.client {
            headers.insert(CLIENT, client);
        }
        response
    }
}

/// A name that no other request has.
fn fresh() -> HeaderValue {
    let mut bytes = [0; 16];
    // Without randomness the name is the same for all; nothing depends on it.
    let _ = getrandom::fill(&mut bytes);
    HeaderValue::from_str(&guid(RunId(u128::from_be_bytes(bytes)))).unwrap_or(HeaderValue::from_static("0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_its_name_back_if_it_wants_it() {
        let ask = |wish: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CLIENT, HeaderValue::from_static("mine"));
            headers.insert(RETURN_CLIENT, HeaderValue::from_static(wish));
            headers.insert(CORRELATION, HeaderValue::from_static("shared"));
            of(&headers).put_on(Response::new(ResponseBody::default())).headers().clone()
        };
        let told = ask("True");
        assert_eq!(told.get(CLIENT).unwrap(), "mine");
        assert_eq!(told.get(CORRELATION).unwrap(), "shared");
        assert_eq!(ask("false").get(CLIENT), None);
        assert_eq!(ask("true").get(REQUEST).unwrap().len(), 36);
    }
}
