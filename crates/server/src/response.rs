//! What a handler answers.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use arm::Value;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Bytes, Frame, SizeHint};

/// The body of a response: text that is there, or a stream. Making it does not fail, and what breaks on the way is the connection.
pub type ResponseBody = UnsyncBoxBody<Bytes, Infallible>;

/// A body that keeps something until it is sent or given up.
pub(crate) struct HoldingBody<T> {
    body: ResponseBody,
    _held: T,
}

impl<T: Send + Unpin + 'static> HoldingBody<T> {
    /// The body, which keeps `held` from now on.
    pub(crate) fn around(body: ResponseBody, held: T) -> ResponseBody {
        ResponseBody::new(HoldingBody { body, _held: held })
    }
}

impl<T: Unpin> Body for HoldingBody<T> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The type of a body, unless it has another.
const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// Marks an answer that goes on for longer than its request: its connection is in use until it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream;

/// An answer: a status, JSON, text, a stream or nothing, and headers.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Option<String>,
    stream: Option<ResponseBody>,
    media: Option<HeaderValue>,
    who: Option<String>,
}

impl HttpResponse {
    /// `200` with a value; secrets in it are masked.
    pub(crate) fn ok(value: &Value) -> HttpResponse {
        HttpResponse::json(StatusCode::OK, value)
    }

    /// A value with a status; secrets in it are masked.
    pub(crate) fn json(status: StatusCode, value: &Value) -> HttpResponse {
        HttpResponse::text(status, value.to_json())
    }

    /// Text that is JSON already.
    pub(crate) fn text(status: StatusCode, json: String) -> HttpResponse {
        HttpResponse { status, headers: Vec::new(), body: Some(json), stream: None, media: None, who: None }
    }

    /// A status and nothing else.
    pub(crate) fn empty(status: StatusCode) -> HttpResponse {
        HttpResponse { status, headers: Vec::new(), body: None, stream: None, media: None, who: None }
    }

    /// What goes on after it was answered: `text/event-stream`. Nobody filters it, so whoever makes one has asked what its reader may see.
    pub(crate) fn events(stream: ResponseBody) -> HttpResponse {
        HttpResponse { stream: Some(stream), ..HttpResponse::empty(StatusCode::OK) }
            .of_type("text/event-stream; charset=utf-8")
    }

    /// The same with a header. A value that no header can have is left out.
    #[must_use]
    pub(crate) fn header(mut self, name: HeaderName, value: &str) -> HttpResponse {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
        self
    }

    /// The same with a body that is not JSON.
    #[must_use]
    pub(crate) fn of_type(mut self, media: &'static str) -> HttpResponse {
        self.media = Some(HeaderValue::from_static(media));
        self
    }

    /// The same to somebody who has said only in the request who they are.
    #[must_use]
    pub(crate) fn to(mut self, who: &str) -> HttpResponse {
        self.who = Some(who.to_owned());
        self
    }

    /// Who asked, if the request itself said it.
    pub(crate) fn who(&self) -> Option<&str> {
        self.who.as_deref()
    }

    pub(crate) fn body(&self) -> Option<&str> {
        self.body.as_deref()
    }

    /// The same with another body.
    #[must_use]
    pub(crate) fn with_body(mut self, json: String) -> HttpResponse {
        self.body = Some(json);
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// The answer as HTTP has it.
    pub(crate) fn into_response(self) -> Response<ResponseBody> {
        let has_body = self.body.is_some() || self.stream.is_some();
        let is_stream = self.stream.is_some();
        let body =
            self.stream.or_else(|| self.body.map(|text| Full::from(text).boxed_unsync())).unwrap_or_default();
        let mut response = Response::new(body);
        if is_stream {
            response.extensions_mut().insert(Stream);
        }
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if has_body {
            headers.insert(CONTENT_TYPE, self.media.unwrap_or(JSON));
        }
        for (name, value) in self.headers {
            headers.insert(name, value);
        }
        response
    }
}
