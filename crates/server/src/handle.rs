//! From a request to its answer: the row is found, the body is read, the handler is asked.

use std::sync::Arc;

use ::arm::deployment::LOCAL_TENANT;
use axum::body::{Body, Bytes};
use axum::http::header::{HOST, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use crate::answer::Answer;
use crate::app::App;
use crate::call::{Call, Query};
use crate::headers;
use crate::identity::{Caller, authorize, shown, unauthorized};
use crate::refusal::{Refusal, broken};
use crate::requests::rows;
use crate::route::{Access, Found, Path, find};

/// What the paths of Radius begin with behind a Kubernetes API server.
const KUBERNETES: &[&str] = &["apis", "api.ucp.dev", "v1alpha3"];

/// How large a body may be: that of a template, its parameters, and some room.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Answers a request that came over `http` or `https`.
pub async fn respond<B>(app: Arc<App>, scheme: &'static str, request: Request<B>) -> Response<Body>
where
    B: axum::body::HttpBody<Data = Bytes> + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let told = headers::of(request.headers());
    let (parts, body) = request.into_parts();
    let base = base(scheme, &parts);
    let answer = match answer(app, &base, parts, body).await {
        Ok(answer) => answer,
        Err(refusal) if refusal.status() == StatusCode::UNAUTHORIZED => {
            let challenge =
                format!("Bearer authorization_uri=\"{base}/{LOCAL_TENANT}\", error=\"invalid_token\"");
            refusal.into_answer().header(WWW_AUTHENTICATE, &challenge)
        }
        Err(refusal) => refusal.into_answer(),
    };
    told.put_on(answer.into_response())
}

async fn answer<B>(app: Arc<App>, base: &str, parts: Parts, body: B) -> Result<Answer, Refusal>
where
    B: axum::body::HttpBody<Data = Bytes> + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    app.guard.admit(host(&parts), base, &parts.headers)?;
    let path = Path::parse(parts.uri.path())?.without(KUBERNETES);
    let (row, captures) = match find(rows(), &parts.method, &path) {
        Found::Row(row, captures) => (row, captures),
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
    let allowed = authorize(&caller, row.access, path.parts())?;
    let body = read(body).await?;
    let Parts { method, uri, headers, .. } = parts;
    let query = Query::parse(uri.query().unwrap_or_default());
    let base = base.to_owned();
    let asked = caller.clone();
    // A client that goes away stops nothing that has begun: what is half done is finished.
    let handled = (row.handler)(Call { app, caller, method, path: captures, query, headers, body, base });
    let answer = tokio::spawn(handled).await.map_err(|error| broken(&error))??;
    shown(answer, allowed, &asked)
}

/// Reads a body as far as is allowed.
async fn read<B>(body: B) -> Result<Bytes, Refusal>
where
    B: axum::body::HttpBody<Data = Bytes> + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let body = std::pin::pin!(Limited::new(body, MOST_BYTES));
    match body.collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::new(
            "RequestEntityTooLarge",
            format!("the body of the request has more than {MOST_BYTES} bytes"),
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
