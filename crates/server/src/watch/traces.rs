//! Traces: a span for each request, and those of deployments, sent to a collector of OpenTelemetry as JSON over HTTP (OTLP).
//!
//! The form is small and stable, so it is written here with the client that the server has anyway; the crates of OpenTelemetry would bring a second
//! one, and a background thread of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use client::{Client, ClientError, check};
use engine::{AcceptedDeployment, Watcher};
use http::StatusCode;
use hyper::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::RequestInfo;
use super::spans::Spans;

/// How many spans wait at most; more are lost, and counted.
const WAITING: usize = 8192;
/// How many spans are sent together.
const TOGETHER: usize = 512;
/// How long a span waits for others.
const PAUSE: Duration = Duration::from_secs(1);

/// Sends spans to a collector.
#[derive(Clone)]
pub struct Traces {
    spans: Sender<Value>,
    lost: Arc<AtomicU64>,
}

impl Traces {
    /// Sends to a collector, such as `http://127.0.0.1:4318`. It must be called within a runtime.
    pub fn start(collector: &str) -> Result<Traces, ClientError> {
        let url = format!("{}/v1/traces", collector.trim_end_matches('/'));
        check(&url)?;
        let client = Client::new(None)?;
        let (spans, waiting) = channel(WAITING);
        let lost = Arc::new(AtomicU64::new(0));
        tokio::spawn(send(client, url, waiting, Arc::clone(&lost)));
        Ok(Traces { spans, lost })
    }

    /// How many spans were lost.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Records a request that was answered.
    pub(super) fn record(&self, seen: &RequestInfo, status: StatusCode, took: Duration) {
        let end = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.send(span(seen, status, end.saturating_sub(took), end));
    }

    /// Sends a span soon.
    pub(super) fn send(&self, span: Value) {
        if self.spans.try_send(span).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What watches a deployment.
    pub(crate) fn watcher(&self, accepted: &AcceptedDeployment) -> Box<dyn Watcher> {
        Box::new(Spans::of(self.clone(), accepted))
    }
}

/// Random bytes for ids. Without randomness spans cannot be told apart; nothing depends on it.
pub(super) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let _ = getrandom::fill(&mut bytes);
    bytes
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A span as OTLP writes it.
fn span(seen: &RequestInfo, status: StatusCode, start: Duration, end: Duration) -> Value {
    let bytes = random::<24>();
    let (trace, id) = bytes.split_at(16);
    let (trace, parent) = match seen.parent.as_deref().and_then(parent) {
        Some((trace, parent)) => (trace.to_owned(), parent.to_owned()),
        None => (hex(trace), String::new()),
    };
    let route = seen.route.map_or("", |route| route.pattern);
    let text = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let code =
        json!({"key": "http.response.status_code", "value": {"intValue": status.as_u16().to_string()}});
    json!({
        "traceId": trace,
        "spanId": hex(id),
        "parentSpanId": parent,
        "name": format!("{} {route}", seen.method),
        "kind": 2,
        "startTimeUnixNano": start.as_nanos().to_string(),
        "endTimeUnixNano": end.as_nanos().to_string(),
        "attributes": [
            text("http.request.method", seen.method.as_str()),
            text("http.route", route),
            text("url.path", &seen.path),
            text("enduser.id", &seen.who),
            code,
        ],
        "status": {"code": if status.is_server_error() { 2 } else { 0 }},
    })
}

/// The trace and the span of a header `traceparent`; none if it is not one.
fn parent(header: &str) -> Option<(&str, &str)> {
    let mut parts = header.split('-');
    let (version, trace, span, _flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, length: usize| {
        text.len() == length
            && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && text.bytes().any(|byte| byte != b'0')
    };
    let known = version.len() == 2 && version != "ff";
    (known && is_hex(trace, 32) && is_hex(span, 16)).then_some((trace, span))
}

/// Sends what waits, until nobody can record any more.
async fn send(client: Client, url: String, mut waiting: Receiver<Value>, lost: Arc<AtomicU64>) {
    let mut spans = Vec::new();
    loop {
        if waiting.recv_many(&mut spans, TOGETHER).await == 0 {
            return;
        }
        let count = spans.len() as u64;
        let service = json!([{"key": "service.name", "value": {"stringValue": "tendon"}}]);
        let body = json!({"resourceSpans": [{
            "resource": {"attributes": service},
            "scopeSpans": [{"scope": {"name": "tendon"}, "spans": std::mem::take(&mut spans)}],
        }]});
        let sent = client.post(&url, Bytes::from(body.to_string())).await;
        if !sent.as_ref().is_ok_and(StatusCode::is_success) {
            lost.fetch_add(count, Ordering::Relaxed);
            tracing::debug!(?sent, "spans could not be sent");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_goes_on_if_the_client_began_it() {
        let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert_eq!(parent(header), Some(("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")));
        for wrong in [
            "",
            "00-x-y-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            &header.replace("00-", "ff-"),
            &header.to_uppercase(),
        ] {
            assert_eq!(parent(wrong), None, "{wrong}");
        }
    }
}
