//! From a request to its answer: the row is found, the body is read, the handler is asked.

use std::sync::Arc;

use ::arm::deployment::LOCAL_TENANT;
use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_ENCODING, HOST, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use crate::answer::Answer;
use crate::app::App;
use crate::call::{Call, Query};
use crate::headers;
use crate::identity::{Caller, authorize, shown, unauthorized};
use crate::limits::Limits;
use crate::refusal::{Refusal, broken};
use crate::requests::rows_for;
use crate::route::{Access, Found, Path, find};
use crate::watch::{LATER, Seen};

/// What the paths of Radius begin with behind a Kubernetes API server.
const KUBERNETES: &[&str] = &["apis", "api.ucp.dev", "v1alpha3"];

/// Answers a request that came over `http` or `https`.
pub async fn respond<B>(app: Arc<App>, scheme: &'static str, request: Request<B>) -> Response<Body>
where
    B: axum::body::HttpBody<Data = Bytes> + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let told = headers::of(request.headers());
    let (parts, body) = request.into_parts();
    let base = base(scheme, &parts);
    let mut seen = Seen::new(&parts);
    let answer = match answer(Arc::clone(&app), &base, parts, body, &mut seen).await {
        Ok(answer) => answer,
        Err(refusal) => refused(&app, &base, &seen, refusal),
    };
    let response = told.put_on(answer.into_response());
    app.watch.answered(&seen, &response);
    response
}

/// The answer to a request that is refused, with what clients need to do better.
fn refused(app: &App, base: &str, seen: &Seen, refusal: Refusal) -> Answer {
    let refusal = match refusal.status() {
        StatusCode::UNAUTHORIZED => app.watch.wrong_token(seen.peer, refusal),
        _ => refusal,
    };
    match refusal.status() {
        StatusCode::UNAUTHORIZED => {
            let challenge =
                format!("Bearer authorization_uri=\"{base}/{LOCAL_TENANT}\", error=\"invalid_token\"");
            refusal.into_answer().header(WWW_AUTHENTICATE, &challenge)
        }
        StatusCode::TOO_MANY_REQUESTS => refusal.into_answer().header(RETRY_AFTER, LATER),
        _ => refusal.into_answer(),
    }
}

async fn answer<B>(
    app: Arc<App>,
    base: &str,
    parts: Parts,
    body: B,
    seen: &mut Seen,
) -> Result<Answer, Refusal>
where
    B: axum::body::HttpBody<Data = Bytes> + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    app.guard.admit(host(&parts), base, &parts.headers)?;
    let path = Path::parse(parts.uri.path())?.without(KUBERNETES);
    let (row, captures) = match find(rows_for(&path), &parts.method, &path) {
        Found::Row(row, captures) => {
            seen.row = Some(row);
            (row, captures)
        }
        // Who has not logged in learns nothing.
        Found::OtherMethod | Found::Nothing if app.guard.caller(&parts.headers).await.is_err() => {
            return Err(unauthorized("log in first"));
        }
        Found::OtherMethod => {
            let message = format!("`{}` cannot be asked with {}", parts.uri.path(), parts.method);
            return Err(Refusal::new("MethodNotAllowed", message));
        }
        Found::Nothing => {
            return Err(Refusal::new("NotFound", format!("there is nothing at `{}`", parts.uri.path())));
        }
    };
    let caller = match row.access {
        Access::Anybody => Caller::nobody(),
        Access::Somebody | Access::List | Access::Read | Access::Deploy | Access::Own => {
            app.guard.caller(&parts.headers).await?
        }
    };
    seen.who.clone_from(&caller.name);
    app.watch.slow_down(&caller.name, seen.peer)?;
    let allowed = authorize(&caller, row.access, path.parts())?;
    refuse_encoded(&parts)?;
    let body = read(body, &app.limits).await?;
    let Parts { uri, headers, .. } = parts;
    let query = Query::parse(uri.query().unwrap_or_default());
    let base = base.to_owned();
    let asked = caller.clone();
    let patience = app.limits.request_time;
    // A client that goes away stops nothing that has begun: what is half done is finished.
    let handled = (row.handler)(Call { app, caller, path: captures, query, headers, body, base });
    let Ok(handled) = tokio::time::timeout(patience, tokio::spawn(handled)).await else {
        return Err(Refusal::new("ServerTimeout", "the request takes too long; it may still be done"));
    };
    let answer = handled.map_err(|error| broken(&error))??;
    shown(answer, allowed, &asked)
}

/// Refuses a body that is compressed: a few bytes could stand for very many.
fn refuse_encoded(parts: &Parts) -> Result<(), Refusal> {
    let plain = |encoding: &HeaderValue| encoding.as_bytes().eq_ignore_ascii_case(b"identity");
    if parts.headers.get_all(CONTENT_ENCODING).iter().all(plain) {
        return Ok(());
    }
    Err(Refusal::new("UnsupportedMediaType", "bodies with a `Content-Encoding` are not accepted"))
}

/// Reads a body as far as is allowed.
async fn read<B>(body: B, limits: &Limits) -> Result<Bytes, Refusal>
where
    B: axum::body::HttpBody<Data = Bytes> + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let most = limits.body;
    let body = std::pin::pin!(Limited::new(body, most));
    let Ok(collected) = tokio::time::timeout(limits.body_time, body.collect()).await else {
        let seconds = limits.body_time.as_secs();
        return Err(Refusal::new(
            "RequestTimeout",
            format!("the body of the request did not arrive within {seconds} seconds"),
        ));
    };
    match collected {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::new(
            "RequestEntityTooLarge",
            format!("the body of the request has more than {most} bytes"),
        )),
        Err(_) => Err(Refusal::new("InvalidRequestContent", "the body of the request did not arrive whole")),
    }
}

/// The name that the client used for the server, with the port.
fn host(parts: &Parts) -> Option<&str> {
    // Where both are, the address counts.
    let authority = parts.uri.authority().map(|authority| authority.as_str());
    authority.or_else(|| parts.headers.get(HOST).and_then(|host| host.to_str().ok()))
}

/// The address that the client used, up to the path.
fn base(scheme: &str, parts: &Parts) -> String {
    let host = host(parts);
    let prefix = parts.uri.path().get(..KUBERNETES_LENGTH).filter(|_| is_kubernetes(parts.uri.path()));
    format!("{scheme}://{}{}", host.unwrap_or("localhost"), prefix.unwrap_or_default())
}

/// How long the Kubernetes prefix is.
const KUBERNETES_LENGTH: usize = "/apis/api.ucp.dev/v1alpha3".len();

fn is_kubernetes(path: &str) -> bool {
    path.get(..KUBERNETES_LENGTH)
        .is_some_and(|prefix| prefix.eq_ignore_ascii_case("/apis/api.ucp.dev/v1alpha3"))
}
