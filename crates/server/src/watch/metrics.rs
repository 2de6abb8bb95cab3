//! What is counted of the server and of each row of its requests.

use std::collections::HashMap;
use std::time::Duration;

use http::StatusCode;
use metrics::{Counter, Histogram, MetricWriter};

use super::RouteLabel;
use super::metric_table::METRICS;
use super::process::ProcessFigures;
use crate::route_doc::RouteDoc;
use crate::store_meter::StoreTimes;

/// The requests of one row.
#[derive(Debug, Default)]
struct Requests {
    /// By the first digit of the status.
    classes: [Counter; 5],
    took: Histogram,
}

/// What others count, at a moment.
pub(crate) struct OtherFigures<'f> {
    /// Deployments that ended, by how.
    pub(crate) ended: [(&'static str, u64); 4],
    pub(crate) store: &'f StoreTimes,
    /// The values of rows that have one.
    pub(crate) singles: &'f [(&'static str, u64)],
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
    pub(crate) refused_connections: Counter,
    pub(crate) flooded_connections: Counter,
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
            refused_connections: Counter::default(),
            flooded_connections: Counter::default(),
            refused_logins: Counter::default(),
            limited: Counter::default(),
            audit_failed: Counter::default(),
        }
    }

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

    /// All counts as Prometheus reads them: the rows of the table, in its order. Requests that nobody sent are left out.
    pub(crate) fn text(&self, others: &OtherFigures<'_>) -> String {
        let mut out = MetricWriter::default();
        let figures = ProcessFigures::now();
        for row in METRICS {
            out.family(row.name, row.kind, row.help);
            match row.name {
                "tendon_build_info" => out.value(&[("version", env!("CARGO_PKG_VERSION"))], 1),
                "tendon_deployments_ended_total" => {
                    for (how, count) in others.ended {
                        out.value(&[("how", how)], count);
                    }
                }
                "tendon_store_seconds" => {
                    out.histogram(&[("operation", "read")], &others.store.reads);
                    out.histogram(&[("operation", "write")], &others.store.writes);
                }
                "tendon_store_errors_total" => {
                    out.value(&[("operation", "read")], others.store.read_errors.get());
                    out.value(&[("operation", "write")], others.store.write_errors.get());
                }
                "process_cpu_seconds_total" => out.milliseconds(&[], figures.processor),
                "tendon_http_requests_total" => self.counts(&mut out),
                "tendon_http_request_seconds" => {
                    for ((method, path), requests) in self.asked() {
                        out.histogram(&[("method", *method), ("path", *path)], &requests.took);
                    }
                }
                name => out.value(&[], self.single(name, others.singles, &figures)),
            }
        }
        out.into_text()
    }

    /// The value of a row that has one.
    fn single(&self, name: &str, others: &[(&'static str, u64)], figures: &ProcessFigures) -> u64 {
        match name {
            "tendon_connections" => self.connections.get(),
            "tendon_connections_accepted_total" => self.accepted.get(),
            "tendon_connections_refused_total" => self.refused_connections.get(),
            "tendon_connections_flooded_total" => self.flooded_connections.get(),
            "tendon_logins_refused_total" => self.refused_logins.get(),
            "tendon_requests_limited_total" => self.limited.get(),
            "tendon_audit_failed_total" => self.audit_failed.get(),
            "process_resident_memory_bytes" => figures.memory,
            "process_open_fds" => figures.files,
            "process_max_fds" => figures.most_files,
            "process_start_time_seconds" => figures.since,
            other => others.iter().find(|(name, _)| *name == other).map_or(0, |(_, value)| *value),
        }
    }

    /// The requests that somebody sent.
    fn asked(&self) -> impl Iterator<Item = (&(&'static str, &'static str), &Requests)> {
        let all = self.names.iter().zip(&self.requests);
        all.filter(|(_, requests)| requests.classes.iter().any(|it| it.get() > 0))
    }

    fn counts(&self, out: &mut MetricWriter) {
        for ((method, path), requests) in self.asked() {
            let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"].iter().zip(&requests.classes);
            for (status, counter) in classes.filter(|(_, counter)| counter.get() > 0) {
                out.value(&[("method", *method), ("path", *path), ("status", *status)], counter.get());
            }
        }
    }
}
