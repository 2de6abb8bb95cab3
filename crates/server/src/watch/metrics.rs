//! What is counted of the server and of each row of its requests.

use std::collections::HashMap;
use std::time::Duration;

use engine::Host;
use http::StatusCode;
use metrics::{Counter, Histogram, MetricKind, MetricWriter};

use super::RouteLabel;
use crate::route_doc::RouteDoc;

/// The requests of one row.
#[derive(Debug, Default)]
struct Requests {
    /// By the first digit of the status.
    classes: [Counter; 5],
    took: Histogram,
}

/// The counts of a server.
pub(crate) struct Metrics {
    /// The methods and paths that are counted, and those that fit none at the end.
    names: Vec<(&'static str, &'static str)>,
    /// Where each of them is.
    places: HashMap<(&'static str, &'static str), usize>,
    /// The counts in the same order.
    requests: Vec<Requests>,
    pub(crate) connections: Counter,
    pub(crate) accepted: Counter,
    pub(crate) refused_logins: Counter,
    pub(crate) limited: Counter,
    pub(crate) audit_failed: Counter,
}

impl Metrics {
    /// Counts that are all zero, of these requests.
    pub(crate) fn new(requests: &[RouteDoc]) -> Metrics {
        let named = requests.iter().map(|request| (request.method, request.path));
        let names: Vec<_> = named.chain([("", "")]).collect();
        Metrics {
            places: names.iter().enumerate().map(|(place, name)| (*name, place)).collect(),
            requests: names.iter().map(|_| Requests::default()).collect(),
            names,
            connections: Counter::default(),
            accepted: Counter::default(),
            refused_logins: Counter::default(),
            limited: Counter::default(),
            audit_failed: Counter::default(),
        }
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, route: Option<RouteLabel>, status: StatusCode, took: Duration) {
        let name = route.map_or(("", ""), |route| (route.method, route.pattern));
        let Some(requests) = self.places.get(&name).and_then(|place| self.requests.get(*place)) else {
            return;
        };
        let class = usize::from(status.as_u16() / 100).saturating_sub(1);
        if let Some(counter) = requests.classes.get(class) {
            counter.add(1);
        }
        requests.took.observe(took);
    }

    /// All counts as Prometheus reads them. Rows that nobody asked for are left out.
    pub(crate) fn text(&self, host: &Host, spans_lost: u64, log_lines_lost: u64) -> String {
        let mut out = MetricWriter::default();
        let single = [
            (
                "tendon_deployments_running",
                MetricKind::Gauge,
                "Deployments under way in this process.",
                host.count() as u64,
            ),
            ("tendon_connections", MetricKind::Gauge, "Open connections.", self.connections.get()),
            (
                "tendon_connections_accepted_total",
                MetricKind::Counter,
                "Connections that were accepted.",
                self.accepted.get(),
            ),
            (
                "tendon_logins_refused_total",
                MetricKind::Counter,
                "Requests without a valid token.",
                self.refused_logins.get(),
            ),
            (
                "tendon_requests_limited_total",
                MetricKind::Counter,
                "Requests of callers who asked too often.",
                self.limited.get(),
            ),
            (
                "tendon_audit_failed_total",
                MetricKind::Counter,
                "Lines of the audit log that could not be written.",
                self.audit_failed.get(),
            ),
            (
                "tendon_spans_lost_total",
                MetricKind::Counter,
                "Spans that could not be sent to the collector.",
                spans_lost,
            ),
            (
                "tendon_log_lines_lost_total",
                MetricKind::Counter,
                "Log lines that were not written because standard error could not keep up.",
                log_lines_lost,
            ),
        ];
        for (name, kind, help, value) in single {
            out.single(name, kind, help, value);
        }
        let help = "Deployments that ended in this process, by how.";
        out.family("tendon_deployments_ended_total", MetricKind::Counter, help);
        for (how, count) in host.ended() {
            out.value(&[("how", how)], count);
        }
        let asked: Vec<(&(&str, &str), &Requests)> = self
            .names
            .iter()
            .zip(&self.requests)
            .filter(|(_, requests)| requests.classes.iter().any(|it| it.get() > 0))
            .collect();
        let help = "Requests by what they ask and the class of the status.";
        out.family("tendon_http_requests_total", MetricKind::Counter, help);
        for ((method, path), requests) in &asked {
            let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"].iter().zip(&requests.classes);
            for (status, counter) in classes.filter(|(_, counter)| counter.get() > 0) {
                out.value(&[("method", *method), ("path", *path), ("status", *status)], counter.get());
            }
        }
        out.family("tendon_http_request_seconds", MetricKind::Histogram, "How long requests took.");
        for ((method, path), requests) in &asked {
            out.histogram(&[("method", *method), ("path", *path)], &requests.took);
        }
        out.into_text()
    }
}
