//! What is counted, and its text form for Prometheus.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use engine::Host;

use super::RouteLabel;
use crate::route_doc::Request;

/// A number that many count on.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Counts.
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// Counts back, for what comes and goes.
    pub(crate) fn sub(&self, count: u64) {
        self.0.fetch_sub(count, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The upper ends of the buckets of durations, in microseconds.
const BUCKETS: [u64; 12] =
    [250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000, 10_000_000];

/// The requests of one row.
#[derive(Debug, Default)]
struct Requests {
    /// By the first digit of the status.
    classes: [Counter; 5],
    /// Each counts what is not in the one before.
    buckets: [Counter; BUCKETS.len()],
    beyond: Counter,
    microseconds: Counter,
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
    pub(crate) fn new(requests: &[Request]) -> Metrics {
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
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.iter().position(|end| took <= *end);
        bucket.and_then(|bucket| requests.buckets.get(bucket)).unwrap_or(&requests.beyond).add(1);
        requests.microseconds.add(took);
    }

    /// All counts as Prometheus reads them. Rows that nobody asked for are left out.
    pub(crate) fn text(&self, host: &Host, spans_lost: u64) -> String {
        let mut text = String::new();
        let single = [
            (
                "tendon_deployments_running",
                "gauge",
                "Deployments under way in this process.",
                host.count() as u64,
            ),
            ("tendon_connections", "gauge", "Open connections.", self.connections.get()),
            (
                "tendon_connections_accepted_total",
                "counter",
                "Connections that were accepted.",
                self.accepted.get(),
            ),
            (
                "tendon_logins_refused_total",
                "counter",
                "Requests without a valid token.",
                self.refused_logins.get(),
            ),
            (
                "tendon_requests_limited_total",
                "counter",
                "Requests of callers who asked too often.",
                self.limited.get(),
            ),
            (
                "tendon_audit_failed_total",
                "counter",
                "Lines of the audit log that could not be written.",
                self.audit_failed.get(),
            ),
            (
                "tendon_spans_lost_total",
                "counter",
                "Spans that could not be sent to the collector.",
                spans_lost,
            ),
        ];
        for (name, kind, help, value) in single {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        let name = "tendon_deployments_ended_total";
        let _ = writeln!(
            text,
            "# HELP {name} Deployments that ended in this process, by how.\n# TYPE {name} counter"
        );
        for (how, count) in host.ended() {
            let _ = writeln!(text, "{name}{{how=\"{how}\"}} {count}");
        }
        let asked: Vec<(&(&str, &str), &Requests)> = self
            .names
            .iter()
            .zip(&self.requests)
            .filter(|(_, requests)| requests.classes.iter().any(|it| it.get() > 0))
            .collect();
        let name = "tendon_http_requests_total";
        let _ = writeln!(
            text,
            "# HELP {name} Requests by what they ask and the class of the status.\n# TYPE {name} counter"
        );
        for ((method, path), requests) in &asked {
            for (class, counter) in
                requests.classes.iter().enumerate().filter(|(_, counter)| counter.get() > 0)
            {
                let status = class + 1;
                let _ = writeln!(
                    text,
                    "{name}{{method=\"{method}\",path=\"{path}\",status=\"{status}xx\"}} {}",
                    counter.get()
                );
            }
        }
        let name = "tendon_http_request_seconds";
        let _ = writeln!(text, "# HELP {name} How long requests took.\n# TYPE {name} histogram");
        for ((method, path), requests) in &asked {
            let labels = format!("method=\"{method}\",path=\"{path}\"");
            let mut count = 0;
            for (end, counter) in BUCKETS.iter().zip(&requests.buckets) {
                count += counter.get();
                let end = Duration::from_micros(*end).as_secs_f64();
                let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{end}\"}} {count}");
            }
            count += requests.beyond.get();
            let sum = Duration::from_micros(requests.microseconds.get()).as_secs_f64();
            let _ = writeln!(text, "{name}_bucket{{{labels},le=\"+Inf\"}} {count}");
            let _ = writeln!(text, "{name}_sum{{{labels}}} {sum}\n{name}_count{{{labels}}} {count}");
        }
        text
    }
}
