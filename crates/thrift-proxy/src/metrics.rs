//! What is counted, and its text form for Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A number that many count on.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Counts.
    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// Counts back, for what comes and goes.
    pub fn sub(&self, count: u64) {
        self.0.fetch_sub(count, Ordering::Relaxed);
    }

    /// How much was counted.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The upper ends of the buckets of durations, in microseconds.
const BUCKETS: [u64; 14] = [
    100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 10_000_000,
];

/// How long things took.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [Counter; BUCKETS.len()],
    beyond: Counter,
    microseconds: Counter,
}

impl Histogram {
    /// Takes note of a duration.
    pub fn observe(&self, duration: Duration) {
        let microseconds = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.iter().position(|end| microseconds <= *end);
        bucket.and_then(|at| self.buckets.get(at)).unwrap_or(&self.beyond).add(1);
        self.microseconds.add(microseconds);
    }
}

/// What is counted of a function.
#[derive(Debug, Default)]
pub struct MethodMetrics {
    /// The service, empty for functions that are not known.
    pub service: Box<str>,
    /// The function, empty for those that are not known.
    pub method: Box<str>,
    /// Calls that were forwarded.
    pub forwarded: Counter,
    /// Calls that were answered with an exception by the proxy.
    pub refused: Counter,
    /// Calls that nobody answers and that were not forwarded.
    pub dropped: Counter,
    /// Calls that the upstream did not answer.
    pub failed: Counter,
    /// From the call to its answer.
    pub duration: Histogram,
    /// Refused and dropped calls by rule.
    rejections: Mutex<BTreeMap<Box<str>, u64>>,
    /// Replies that broke a rule.
    bad_replies: Mutex<BTreeMap<Box<str>, u64>>,
}

impl MethodMetrics {
    /// Counts a call that broke a rule.
    pub fn rejected(&self, rule: &str) {
        bump(&self.rejections, rule);
    }

    /// Counts a reply that broke a rule.
    pub fn bad_reply(&self, rule: &str) {
        bump(&self.bad_replies, rule);
    }
}

/// The rules are those of the IDL, so that there are not many.
fn bump(counts: &Mutex<BTreeMap<Box<str>, u64>>, rule: &str) {
    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
    match counts.get_mut(rule) {
        Some(count) => *count += 1,
        None => drop(counts.insert(rule.into(), 1)),
    }
}

/// Declares what is counted for the proxy as a whole: field, name, type, help.
macro_rules! globals {
    ($($field:ident $name:literal $kind:literal $help:literal)*) => {
        /// What is counted.
        #[derive(Debug, Default)]
        pub struct Metrics {
            $(#[doc = $help] pub $field: Counter,)*
            methods: Mutex<BTreeMap<(Box<str>, Box<str>), Arc<MethodMetrics>>>,
        }

        impl Metrics {
            fn write_globals(&self, out: &mut String) {
                $(
                    family(out, $name, $kind, $help);
                    line(out, $name, "", &[], self.$field.get());
                )*
            }
        }
    };
}

globals! {
    connections "tendon_thrift_connections_total" "counter" "Connections of clients that were accepted."
    open_connections "tendon_thrift_connections_open" "gauge" "Connections of clients that are open."
    refused_connections "tendon_thrift_connections_refused_total" "counter" "Connections beyond the limit, which were closed at once."
    broken_connections "tendon_thrift_connections_broken_total" "counter" "Connections that were closed because of bytes that are no message."
    timed_out_connections "tendon_thrift_connections_timed_out_total" "counter" "Connections that were closed because the client took too long."
    client_bytes "tendon_thrift_client_bytes_total" "counter" "Bytes that clients sent."
    upstream_bytes "tendon_thrift_upstream_bytes_total" "counter" "Bytes that the upstream sent."
    upstream_connections "tendon_thrift_upstream_connections_total" "counter" "Connections to the upstream that were made."
    upstream_errors "tendon_thrift_upstream_errors_total" "counter" "Connections to the upstream that could not be made, broke, or did not answer in time."
    unexpected_replies "tendon_thrift_unexpected_replies_total" "counter" "Replies that fit no call that waits for one."
    unchecked "tendon_thrift_unchecked_total" "counter" "Calls and replies that passed although rules on them could not run."
    reloads "tendon_thrift_reloads_total" "counter" "Times the contracts were replaced by new ones."
    failed_reloads "tendon_thrift_reloads_failed_total" "counter" "Times new contracts could not be read and the old ones stayed."
    lost_log_lines "tendon_thrift_log_lines_lost_total" "counter" "Log lines that were not written because the log could not keep up."
}

impl Metrics {
    /// The counters of a function, which stay the same when contracts are read again.
    pub fn method(&self, service: &str, method: &str) -> Arc<MethodMetrics> {
        let mut methods = self.methods.lock().unwrap_or_else(PoisonError::into_inner);
        let counters = methods.entry((service.into(), method.into())).or_insert_with(|| {
            Arc::new(MethodMetrics {
                service: service.into(),
                method: method.into(),
                ..MethodMetrics::default()
            })
        });
        Arc::clone(counters)
    }

    /// Writes everything in the text form of Prometheus.
    pub fn render(&self) -> String {
        let mut out = String::new();
        self.write_globals(&mut out);
        let methods: Vec<Arc<MethodMetrics>> =
            self.methods.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        calls(&mut out, &methods);
        let rules = "tendon_thrift_rejections_total";
        by_rule(&mut out, &methods, rules, "Calls that were not forwarded, by rule.", |it| &it.rejections);
        let rules = "tendon_thrift_reply_violations_total";
        by_rule(&mut out, &methods, rules, "Replies that broke a rule.", |it| &it.bad_replies);
        durations(&mut out, &methods);
        out
    }
}

fn calls(out: &mut String, methods: &[Arc<MethodMetrics>]) {
    let name = "tendon_thrift_calls_total";
    family(out, name, "counter", "Calls, by what became of them.");
    for it in methods {
        for (outcome, counter) in [
            ("forwarded", &it.forwarded),
            ("refused", &it.refused),
            ("dropped", &it.dropped),
            ("failed", &it.failed),
        ] {
            let labels = [("service", &*it.service), ("method", &*it.method), ("outcome", outcome)];
            line(out, name, "", &labels, counter.get());
        }
    }
}

fn by_rule(
    out: &mut String,
    methods: &[Arc<MethodMetrics>],
    name: &str,
    help: &str,
    counts: impl Fn(&MethodMetrics) -> &Mutex<BTreeMap<Box<str>, u64>>,
) {
    family(out, name, "counter", help);
    for it in methods {
        for (rule, count) in counts(it).lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let labels = [("service", &*it.service), ("method", &*it.method), ("rule", rule)];
            line(out, name, "", &labels, *count);
        }
    }
}

fn durations(out: &mut String, methods: &[Arc<MethodMetrics>]) {
    let name = "tendon_thrift_call_duration_seconds";
    family(out, name, "histogram", "From forwarding a call to passing on its answer.");
    for it in methods {
        let mut total = 0;
        for (end, counter) in BUCKETS.iter().zip(&it.duration.buckets) {
            total += counter.get();
            let end = seconds(*end);
            let labels = [("service", &*it.service), ("method", &*it.method), ("le", &*end)];
            line(out, name, "_bucket", &labels, total);
        }
        total += it.duration.beyond.get();
        let labels = [("service", &*it.service), ("method", &*it.method), ("le", "+Inf")];
        line(out, name, "_bucket", &labels, total);
        let labels = [("service", &*it.service), ("method", &*it.method)];
        line(out, name, "_sum", &labels, seconds(it.duration.microseconds.get()));
        line(out, name, "_count", &labels, total);
    }
}

/// Microseconds as seconds, exactly.
fn seconds(microseconds: u64) -> String {
    let text = format!("{}.{:06}", microseconds / 1_000_000, microseconds % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn family(out: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(out: &mut String, name: &str, suffix: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
    out.push_str(name);
    out.push_str(suffix);
    for (index, (label, value)) in labels.iter().enumerate() {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let _ = write!(out, "{}{label}=\"{value}\"", if index == 0 { '{' } else { ',' });
    }
    if !labels.is_empty() {
        out.push('}');
    }
    let _ = writeln!(out, " {value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_written() {
        let metrics = Metrics::default();
        metrics.connections.add(2);
        let echo = metrics.method("Echo", "echo");
        echo.forwarded.add(3);
        echo.rejected("vt.gt");
        echo.rejected("vt.gt");
        echo.duration.observe(Duration::from_micros(300));
        echo.duration.observe(Duration::from_secs(60));
        assert!(Arc::ptr_eq(&echo, &metrics.method("Echo", "echo")));
        let text = metrics.render();
        for expected in [
            "# TYPE tendon_thrift_connections_total counter\ntendon_thrift_connections_total 2\n",
            "tendon_thrift_calls_total{service=\"Echo\",method=\"echo\",outcome=\"forwarded\"} 3\n",
            "tendon_thrift_rejections_total{service=\"Echo\",method=\"echo\",rule=\"vt.gt\"} 2\n",
            "tendon_thrift_call_duration_seconds_bucket{service=\"Echo\",method=\"echo\",le=\"0.00025\"} 0\n",
            "tendon_thrift_call_duration_seconds_bucket{service=\"Echo\",method=\"echo\",le=\"0.0005\"} 1\n",
            "tendon_thrift_call_duration_seconds_bucket{service=\"Echo\",method=\"echo\",le=\"+Inf\"} 2\n",
            "tendon_thrift_call_duration_seconds_sum{service=\"Echo\",method=\"echo\"} 60.0003\n",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }
}
