//! What is seen of the server: counts, the audit log, traces, and how often each caller asks.

mod audit;
mod failed_logins;
mod metric_table;
mod metrics;
mod process;
mod rate;
mod spans;
mod traces;

use std::net::IpAddr;
use std::time::{Duration, Instant};

use http::request::Parts;
use http::{Method, Response, StatusCode};
use logging::Log;

use crate::api_error::ApiError;
use crate::limits::Limits;
use crate::response::ResponseBody;
use crate::route_doc::RouteDoc;

pub use audit::{Audit, AuditError};
use failed_logins::WrongTokens;
pub use metric_table::{AlertRow, METRICS, MetricRow};
pub(crate) use metrics::{Metrics, OtherFigures};
use rate::Rate;
pub use traces::Traces;

/// Where a request came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

pub(crate) struct Telemetry {
    pub(crate) metrics: Metrics,
    pub(crate) audit: Option<Audit>,
    pub(crate) traces: Option<Traces>,
    pub(crate) log: Log,
    rate: Option<Rate>,
    wrong: WrongTokens,
}

/// The row of a request, as logs and metrics name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RouteLabel {
    pub(crate) method: &'static str,
    pub(crate) pattern: &'static str,
    /// Whether it only asks, whatever its method.
    pub(crate) is_question: bool,
}

/// What is known of a request when it is answered.
pub(crate) struct RequestInfo {
    pub(crate) started: Instant,
    pub(crate) peer: Option<IpAddr>,
    pub(crate) method: Method,
    /// Without the query: values in it may be secret.
    pub(crate) path: String,
    pub(crate) parent: Option<String>,
    /// Who asked; nobody, if nobody said it.
    pub(crate) who: String,
    pub(crate) route: Option<RouteLabel>,
}

impl RequestInfo {
    /// A request that has just come.
    pub(crate) fn new(parts: &Parts) -> RequestInfo {
        let parent = parts.headers.get("traceparent").and_then(|value| value.to_str().ok());
        RequestInfo {
            started: Instant::now(),
            peer: parts.extensions.get::<Peer>().map(|peer| peer.0),
            method: parts.method.clone(),
            path: parts.uri.path().to_owned(),
            parent: parent.map(str::to_owned),
            who: String::new(),
            route: None,
        }
    }
}

impl Telemetry {
    pub(crate) fn new(limits: &Limits, requests: &[RouteDoc]) -> Telemetry {
        Telemetry {
            metrics: Metrics::new(requests),
            audit: None,
            traces: None,
            log: Log::silent(),
            rate: limits.rate.map(Rate::new),
            wrong: WrongTokens::new(limits.wrong_tokens),
        }
    }

    /// Refuses a caller who asks too often; those who have no name are told apart by their address.
    pub(crate) fn slow_down(&self, who: &str, peer: Option<IpAddr>) -> Result<(), ApiError> {
        let Some(rate) = &self.rate else { return Ok(()) };
        let taken = match peer {
            Some(peer) if who.is_empty() => rate.take(&peer.to_string(), Instant::now()),
            Some(_) | None => rate.take(who, Instant::now()),
        };
        match taken {
            false => {
                self.metrics.limited.add(1);
                Err(ApiError::new(
                    "TooManyRequests",
                    "there are too many requests of this caller; wait a second",
                ))
            }
            true => Ok(()),
        }
    }

    /// Counts a request that is refused because nobody knows who sent it; beyond what is allowed, another refusal.
    pub(crate) fn wrong_token(&self, peer: Option<IpAddr>) -> Result<(), ApiError> {
        self.metrics.refused_logins.add(1);
        if self.wrong.note(peer, Instant::now()) {
            return Ok(());
        }
        Err(ApiError::new(
            "TooManyRequests",
            "there are too many requests with wrong tokens from this address; wait a second",
        ))
    }

    /// Writes down what a request is about to change, where nothing may be done that is not written down.
    pub(crate) fn begins(&self, seen: &RequestInfo) -> Result<(), ApiError> {
        let Some(audit) = self.audit.as_ref().filter(|audit| audit.is_required && changes(seen)) else {
            return Ok(());
        };
        audit.write(seen, None, "").map_err(|error| {
            self.metrics.audit_failed.add(1);
            tracing::error!(%error, "a request was refused, because the audit log could not be written");
            ApiError::new(
                "AuditUnavailable",
                "the audit log cannot be written, and nothing is done without it",
            )
        })
    }

    /// Hears that a request was answered.
    pub(crate) fn answered(&self, seen: &RequestInfo, response: &Response<ResponseBody>) {
        let (status, took) = (response.status(), seen.started.elapsed());
        self.metrics.answered(seen.route, status, took);
        let request =
            response.headers().get("x-ms-request-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
        tracing::debug!(
            method = seen.method.as_str(),
            path = seen.path,
            status = status.as_u16(),
            microseconds = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            who = seen.who,
            request,
            "answered"
        );
        if let Some(audit) = self.audit.as_ref().filter(|_| is_audited(seen, status))
            && let Err(error) = audit.write(seen, Some(status), request)
        {
            self.metrics.audit_failed.add(1);
            tracing::error!(%error, "the audit log could not be written");
        }
        if let Some(traces) = &self.traces {
            traces.record(seen, status, took);
        }
    }
}

/// Whether a request is told to the audit log: what changes something or gives keys, and what was not allowed. Requests of those whom nobody knows
/// are counted instead, so that nobody can fill the disk, or push older lines out.
fn is_audited(seen: &RequestInfo, status: StatusCode) -> bool {
    let refused = [StatusCode::UNAUTHORIZED, StatusCode::TOO_MANY_REQUESTS].contains(&status);
    !seen.who.is_empty() && !refused && (changes(seen) || status == StatusCode::FORBIDDEN)
}

/// Whether a request of somebody who is known changes something or gives keys.
fn changes(seen: &RequestInfo) -> bool {
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(&seen.method)
        || seen.route.is_some_and(|route| route.is_question);
    !seen.who.is_empty() && !reads
}

/// How often something that may happen very often is logged.
pub(crate) const LOG_PAUSE: Duration = Duration::from_secs(10);
