//! From a request to its answer: the row is found, the body is read, the handler is asked.

use std::sync::Arc;

use ::arm::deployment::LOCAL_TENANT;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HOST, HeaderValue, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Frame;

use crate::answer::{Answer, Stream};
use crate::app::App;
use crate::call::{Call, Query};
use crate::headers;
use crate::identity::{Caller, authorize, shown, unauthorized};
use crate::limits::Limits;
use crate::refusal::{Refusal, broken};
use crate::requests::rows_for;
use crate::room::Taken;
use crate::route::{Access, Found, Path, find};
use crate::ui;
use crate::watch::Seen;

/// What the paths of Radius begin with behind a Kubernetes API server.
const KUBERNETES: &[&str] = &["apis", "api.ucp.dev", "v1alpha3"];

/// How long a path may be.
const LONGEST_PATH: usize = 8 * 1024;
/// How large a body may be whose sender nobody knows: a form with a secret in it.
const UNKNOWN_BODY: usize = 64 * 1024;

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
    let is_head = parts.method == Method::HEAD;
    let page = ui::Asked::of(&app, &parts);
    let answer = match answer(Arc::clone(&app), &base, parts, body, &mut seen).await {
        Ok(answer) => answer,
        Err(refusal) => {
            let refusal = counted(&app, &seen, refusal);
            page.map_or_else(|| refused(&base, &refusal), |page| page.refused(&refusal))
        }
    };
    let response = told.put_on(answer.into_response());
    let response = if is_head { without_body(response) } else { response };
    app.watch.answered(&seen, &response);
    response
}

/// The same without its body, whose length is told if it is known.
fn without_body(mut response: Response<Body>) -> Response<Body> {
    response.extensions_mut().remove::<Stream>();
    let body = std::mem::take(response.body_mut());
    if let Some(length) = body.size_hint().exact().filter(|length| *length > 0) {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}

/// A refusal, or another one if there were too many wrong tokens.
fn counted(app: &App, seen: &Seen, refusal: Refusal) -> Refusal {
    match refusal.status() {
        StatusCode::UNAUTHORIZED => app.watch.wrong_token(seen.peer).err().unwrap_or(refusal),
        _ => refusal,
    }
}

/// The answer to a request that is refused, with what clients need to do better.
fn refused(base: &str, refusal: &Refusal) -> Answer {
    match refusal.status() {
        StatusCode::UNAUTHORIZED => {
            let challenge =
                format!("Bearer authorization_uri=\"{base}/{LOCAL_TENANT}\", error=\"invalid_token\"");
            refusal.to_answer().header(WWW_AUTHENTICATE, &challenge)
        }
        _ => refusal.to_answer(),
    }
}

/// Who asks: a page is asked for with a session, everything else with a token.
async fn caller(app: &App, path: &Path, parts: &Parts) -> Result<Caller, Refusal> {
    if ui::is_page(path) {
        ui::caller(app, &parts.headers).await
    } else {
        app.guard.caller(&parts.headers).await
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
    check_host(&parts)?;
    check_length(&parts)?;
    app.guard.admit(host(&parts), base, &parts.headers)?;
    let path = Path::parse(parts.uri.path())?.without(KUBERNETES);
    let (row, captures) = match find(|| rows_for(&path), &parts.method, &path) {
        Found::Row(row, captures) => {
            seen.row = Some(row);
            (row, captures)
        }
        // Who has not logged in learns nothing.
        Found::OtherMethod(_) | Found::Nothing if caller(&app, &path, &parts).await.is_err() => {
            return Err(unauthorized("log in first"));
        }
        Found::OtherMethod(methods) => {
            let message = format!("`{}` does not take {} requests", parts.uri.path(), parts.method);
            return Err(Refusal::method(message, &methods));
        }
        Found::Nothing => {
            return Err(Refusal::new("NotFound", format!("there is nothing at `{}`", parts.uri.path())));
        }
    };
    let caller = match row.access {
        Access::Anybody => Caller::nobody(),
        Access::Somebody | Access::List | Access::Read | Access::Deploy | Access::Own => {
            caller(&app, &path, &parts).await?
        }
    };
    seen.who.clone_from(&caller.name);
    app.watch.slow_down(&caller.name, seen.peer)?;
    let allowed = if ui::is_page(&path) {
        ui::authorize(&caller, row.access, &captures)?
    } else {
        authorize(&caller, row.access, path.parts())?
    };
    refuse_encoded(&parts)?;
    let mut taken = app.room.take()?;
    // Who has not said who they are has little to say.
    let most = match row.access {
        Access::Anybody => app.limits.body.min(UNKNOWN_BODY),
        Access::Somebody | Access::List | Access::Read | Access::Deploy | Access::Own => app.limits.body,
    };
    let body = read(body, most, &app.limits, &mut taken).await?;
    if ui::is_page(&path) {
        ui::check_form(&app, base, &parts, &body)?;
    }
    let Parts { uri, headers, .. } = parts;
    let query = Query::parse(uri.query().unwrap_or_default());
    let target = uri.path_and_query().map_or("", |target| target.as_str()).to_owned();
    let base = base.to_owned();
    let asked = caller.clone();
    let patience = app.limits.request_time;
    // A client that goes away stops nothing that has begun: what is half done is finished.
    let watching = Arc::clone(&app);
    let handled = (row.handler)(Call { app, caller, path: captures, query, headers, body, base, target });
    let handled = async move {
        let _taken = taken;
        handled.await
    };
    let Ok(handled) = tokio::time::timeout(patience, tokio::spawn(handled)).await else {
        return Err(Refusal::new("ServerTimeout", "the request takes too long; it may still be done"));
    };
    let answer = handled.map_err(|error| broken(&error))??;
    if let Some(who) = answer.who() {
        who.clone_into(&mut seen.who);
    }
    if answer.status() == StatusCode::UNAUTHORIZED {
        // A login that failed is a wrong token, too, whatever form its answer has.
        watching.watch.wrong_token(seen.peer)?;
    }
    shown(answer, allowed, &asked)
}

/// Refuses a request that names two hosts, or what cannot be one: answers would repeat it in links.
fn check_host(parts: &Parts) -> Result<(), Refusal> {
    let is_one = parts.headers.get_all(HOST).iter().count() <= 1;
    let is_name = match (parts.uri.authority(), parts.headers.get(HOST)) {
        (None, None) => true,
        (Some(authority), _) => is_host(authority.as_str()),
        (None, Some(header)) => header.to_str().is_ok_and(is_host),
    };
    if is_one && is_name {
        return Ok(());
    }
    Err(Refusal::new(
        "InvalidRequestHost",
        "the header `Host` must be one name or address, with or without a port",
    ))
}

fn is_host(text: &str) -> bool {
    // A path, a user or a quote behind it would be the sender's idea of who we are.
    text.parse::<Authority>().is_ok_and(|authority| !authority.host().is_empty())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte))
}

/// Refuses a path that is longer than any id: logs repeat it.
fn check_length(parts: &Parts) -> Result<(), Refusal> {
    if parts.uri.path().len() <= LONGEST_PATH {
        return Ok(());
    }
    let message = format!("the path of the request has more than {LONGEST_PATH} bytes");
    Err(Refusal::new("RequestUriTooLong", message))
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
async fn read<B>(body: B, most: usize, limits: &Limits, taken: &mut Taken) -> Result<Bytes, Refusal>
where
    B: axum::body::HttpBody<Data = Bytes> + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let Ok(collected) = tokio::time::timeout(limits.body_time, collect(body, most, taken)).await else {
        let seconds = limits.body_time.as_secs();
        return Err(Refusal::new(
            "RequestTimeout",
            format!("the body of the request did not arrive within {seconds} seconds"),
        ));
    };
    collected
}

async fn collect<B>(body: B, most: usize, taken: &mut Taken) -> Result<Bytes, Refusal>
where
    B: axum::body::HttpBody<Data = Bytes> + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut body = std::pin::pin!(Limited::new(body, most));
    // Most bodies come in one piece, which is not copied.
    let mut first = Bytes::new();
    let mut all = Vec::new();
    while let Some(frame) = body.frame().await {
        let data = match frame.map(Frame::into_data) {
            Ok(Ok(data)) => data,
            // Trailers say nothing that anybody here asks for.
            Ok(Err(_)) => continue,
            Err(error) if error.is::<LengthLimitError>() => {
                return Err(Refusal::new(
                    "RequestEntityTooLarge",
                    format!("the body of the request has more than {most} bytes"),
                ));
            }
            Err(_) => {
                return Err(Refusal::new(
                    "InvalidRequestContent",
                    "the body of the request did not arrive whole",
                ));
            }
        };
        taken.grow(first.len() + all.len() + data.len())?;
        if first.is_empty() && all.is_empty() {
            first = data;
        } else {
            all.extend_from_slice(&std::mem::take(&mut first));
            all.extend_from_slice(&data);
        }
    }
    Ok(if all.is_empty() { first } else { Bytes::from(all) })
}

/// The name that the client used for the server, with the port.
fn host(parts: &Parts) -> Option<&str> {
    // Where both are, the address counts.
    let authority = parts.uri.authority().map(|authority| authority.as_str());
    authority.or_else(|| parts.headers.get(HOST).and_then(|host| host.to_str().ok()))
}

/// The address that the client used, up to the path.
fn base(scheme: &str, parts: &Parts) -> String {
    let host = host(parts).filter(|host| is_host(host));
    let prefix = parts.uri.path().get(..KUBERNETES_LENGTH).filter(|_| is_kubernetes(parts.uri.path()));
    format!("{scheme}://{}{}", host.unwrap_or("localhost"), prefix.unwrap_or_default())
}

/// How long the Kubernetes prefix is.
const KUBERNETES_LENGTH: usize = "/apis/api.ucp.dev/v1alpha3".len();

fn is_kubernetes(path: &str) -> bool {
    path.get(..KUBERNETES_LENGTH)
        .is_some_and(|prefix| prefix.eq_ignore_ascii_case("/apis/api.ucp.dev/v1alpha3"))
}
