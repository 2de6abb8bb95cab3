//! From a request to its response: the steps that every request goes through, in order.
//!
//! [`STEPS`] is the order. The first step that refuses ends it, and a refusal is a response like any other: [`response`] has what is done to all of
//! them. A step is a function in the file of its concern.

mod address;
mod body;
mod caller;
mod handler;
mod response;
mod routing;

use std::pin::Pin;
use std::sync::Arc;

use http::request::Parts;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Bytes;

use crate::admission::AdmissionPermit;
use crate::api_error::ApiError;
use crate::app::App;
use crate::headers;
use crate::identity::{Allowed, Caller};
use crate::response::{HttpResponse, ResponseBody};
use crate::route::{HttpRoute, Path};
use crate::routed_request::Captures;
use crate::ui;
use crate::watch::RequestInfo;

/// A concern of requests.
struct PipelineStep {
    /// What it looks at.
    name: &'static str,
    /// Why it is done here, and not earlier or later.
    reason: &'static str,
    work: StepWork,
}

/// What a step does: it fills in its part of the exchange, or refuses the request.
enum StepWork {
    Now(fn(&mut Exchange) -> Result<(), ApiError>),
    /// Waits for others: an issuer, the client, the engine.
    Wait(for<'e> fn(&'e mut Exchange) -> Waiting<'e>),
}

type Waiting<'e> = Pin<Box<dyn Future<Output = Result<(), ApiError>> + Send + 'e>>;

/// The steps in the order in which they are taken.
const STEPS: &[PipelineStep] = &[
    PipelineStep {
        name: "host",
        reason: "first: links in responses, refusals included, repeat the name of the server",
        work: StepWork::Now(address::check_host),
    },
    PipelineStep {
        name: "length of the path",
        reason: "before anything is allocated for its parts, and because logs repeat it",
        work: StepWork::Now(address::check_length),
    },
    PipelineStep {
        name: "origin",
        reason: "before the path means anything: a web page must not learn what there is",
        work: StepWork::Now(address::check_origin),
    },
    PipelineStep {
        name: "path",
        reason: "what can be read as another path must not reach the table of requests",
        work: StepWork::Now(address::parse_path),
    },
    PipelineStep {
        name: "route",
        reason: "the row says who may ask; whoever has not logged in learns nothing from a missing one",
        work: StepWork::Wait(|exchange| Box::pin(routing::find_row(exchange))),
    },
    PipelineStep {
        name: "caller",
        reason: "after the route, because some requests need no name",
        work: StepWork::Wait(|exchange| Box::pin(caller::identify(exchange))),
    },
    PipelineStep {
        name: "rate",
        reason: "after the caller, whose bucket it is; before anything that costs more",
        work: StepWork::Now(caller::check_rate),
    },
    PipelineStep {
        name: "rights",
        reason: "before the body: what is not allowed is not read",
        work: StepWork::Now(caller::check_rights),
    },
    PipelineStep {
        name: "encoding",
        reason: "before the body: a few compressed bytes could stand for very many",
        work: StepWork::Now(body::check_encoding),
    },
    PipelineStep {
        name: "room",
        reason: "from here on the request takes memory, until its handler has ended",
        work: StepWork::Now(body::take_room),
    },
    PipelineStep {
        name: "body",
        reason: "the last thing that is taken from the client; its size and its time have limits",
        work: StepWork::Wait(|exchange| Box::pin(body::read(exchange))),
    },
    PipelineStep {
        name: "form",
        reason: "after the body, which has the token that only a page of the same session can send",
        work: StepWork::Now(body::check_form),
    },
    PipelineStep {
        name: "audit",
        reason: "right before something is changed: what is refused before is written down when it is answered",
        work: StepWork::Now(handler::announce),
    },
    PipelineStep {
        name: "handler",
        reason: "everything is known and allowed; a client that goes away stops nothing that has begun",
        work: StepWork::Wait(|exchange| Box::pin(handler::run(exchange))),
    },
    PipelineStep {
        name: "login",
        reason: "after the handler: a login names its caller, or fails, only there",
        work: StepWork::Now(handler::note_login),
    },
    PipelineStep {
        name: "visible part",
        reason: "last: nothing is added to the answer behind it",
        work: StepWork::Now(handler::hide_the_rest),
    },
];

/// The body of a request, whatever it came with.
type RequestBody = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// A request on its way. What a step has not found out yet is what allows least.
struct Exchange {
    app: Arc<App>,
    /// The address that the client used, up to the path.
    base: String,
    parts: Parts,
    /// Until it is read.
    body: RequestBody,
    /// What the log and the metrics know of the request.
    seen: RequestInfo,
    path: Path,
    captures: Captures,
    row: &'static HttpRoute,
    caller: Caller,
    allowed: Allowed,
    /// The memory that the request may take, until it is handed to the handler.
    room: Option<AdmissionPermit>,
    /// The body, once it is read.
    bytes: Bytes,
    answer: HttpResponse,
}

impl Exchange {
    fn new(app: Arc<App>, scheme: &str, parts: Parts, body: RequestBody) -> Exchange {
        Exchange {
            app,
            base: address::base(scheme, &parts),
            seen: RequestInfo::new(&parts),
            parts,
            body,
            path: Path::default(),
            captures: Captures::default(),
            row: &routing::UNROUTED,
            caller: Caller::nobody(),
            allowed: Allowed::No,
            room: None,
            bytes: Bytes::new(),
            answer: HttpResponse::empty(http::StatusCode::NOT_FOUND),
        }
    }

    /// Takes the steps until one refuses.
    async fn take_steps(&mut self) -> Result<(), ApiError> {
        for step in STEPS {
            let done = match step.work {
                StepWork::Now(work) => work(self),
                StepWork::Wait(work) => work(self).await,
            };
            done.inspect_err(|refusal| {
                let status = refusal.status().as_u16();
                tracing::trace!(step = step.name, why = step.reason, status, "a request is refused");
            })?;
        }
        Ok(())
    }
}

/// Answers a request that came over `http` or `https`.
pub async fn respond<B>(app: Arc<App>, scheme: &'static str, request: Request<B>) -> Response<ResponseBody>
where
    B: hyper::body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let correlation = headers::of(request.headers());
    let (parts, body) = request.into_parts();
    let method = parts.method.clone();
    let page = ui::PageContext::of(&app, &parts);
    let mut exchange = Exchange::new(app, scheme, parts, body.map_err(Into::into).boxed_unsync());
    let answer = match exchange.take_steps().await {
        Ok(()) => exchange.answer,
        Err(refusal) => response::of_refusal(&exchange, page, refusal),
    };
    let answer = response::with_transport_security(&exchange.base, answer);
    let response = exchange.app.answers.take(answer.into_response());
    let response = correlation.put_on(response.unwrap_or_else(|refusal| refusal.to_answer().into_response()));
    let response = response::without_body_of(&method, response);
    exchange.app.watch.answered(&exchange.seen, &response);
    response
}
