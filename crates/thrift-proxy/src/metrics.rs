//! What is counted of the proxy and of each function.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use metrics::{Counter, Histogram, MetricKind, MetricWriter};

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
    ($($field:ident $name:literal $kind:ident $help:literal)*) => {
        /// What the proxy counts, as a whole and for each function.
        #[derive(Debug, Default)]
        pub struct Metrics {
            $(#[doc = $help] pub $field: Counter,)*
            methods: Mutex<BTreeMap<(Box<str>, Box<str>), Arc<MethodMetrics>>>,
        }

        impl Metrics {
            fn write_globals(&self, out: &mut MetricWriter) {
                $(out.single($name, MetricKind::$kind, $help, self.$field.get());)*
            }
        }
    };
}

globals! {
    connections "tendon_thrift_connections_total" Counter "Connections of clients that were accepted."
    open_connections "tendon_thrift_connections_open" Gauge "Connections of clients that are open."
    refused_connections "tendon_thrift_connections_refused_total" Counter "Connections beyond the limit, which were closed at once."
    broken_connections "tendon_thrift_connections_broken_total" Counter "Connections that were closed because of bytes that are no message."
    timed_out_connections "tendon_thrift_connections_timed_out_total" Counter "Connections that were closed because the client took too long."
    client_bytes "tendon_thrift_client_bytes_total" Counter "Bytes that clients sent."
    upstream_bytes "tendon_thrift_upstream_bytes_total" Counter "Bytes that the upstream sent."
    upstream_connections "tendon_thrift_upstream_connections_total" Counter "Connections to the upstream that were made."
    upstream_errors "tendon_thrift_upstream_errors_total" Counter "Connections to the upstream that could not be made, broke, or did not answer in time."
    unexpected_replies "tendon_thrift_unexpected_replies_total" Counter "Replies that fit no call that waits for one."
    unchecked "tendon_thrift_unchecked_total" Counter "Calls and replies that passed although rules on them could not run."
    reloads "tendon_thrift_reloads_total" Counter "Times the contracts were replaced by new ones."
    failed_reloads "tendon_thrift_reloads_failed_total" Counter "Times new contracts could not be read and the old ones stayed."
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

    /// Writes everything in the text form of Prometheus, with the lines that the log has lost.
    pub fn render(&self, lost_log_lines: u64) -> String {
        let mut out = MetricWriter::default();
        self.write_globals(&mut out);
        let help = "Log lines that were not written because the log could not keep up.";
        out.single("tendon_thrift_log_lines_lost_total", MetricKind::Counter, help, lost_log_lines);
        let methods: Vec<Arc<MethodMetrics>> =
            self.methods.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        out.family("tendon_thrift_calls_total", MetricKind::Counter, "Calls, by result.");
        for it in &methods {
            for (outcome, counter) in [
                ("forwarded", &it.forwarded),
                ("refused", &it.refused),
                ("dropped", &it.dropped),
                ("failed", &it.failed),
            ] {
                let labels = [("service", &*it.service), ("method", &*it.method), ("outcome", outcome)];
                out.value(&labels, counter.get());
            }
        }
        let rejections = "Calls that were not forwarded, by rule.";
        out.family("tendon_thrift_rejections_total", MetricKind::Counter, rejections);
        by_rule(&mut out, &methods, |it| &it.rejections);
        out.family("tendon_thrift_reply_violations_total", MetricKind::Counter, "Replies that broke a rule.");
        by_rule(&mut out, &methods, |it| &it.bad_replies);
        let durations = "From forwarding a call to passing on its answer.";
        out.family("tendon_thrift_call_duration_seconds", MetricKind::Histogram, durations);
        for it in &methods {
            out.histogram(&[("service", &*it.service), ("method", &*it.method)], &it.duration);
        }
        out.into_text()
    }
}

fn by_rule(
    out: &mut MetricWriter,
    methods: &[Arc<MethodMetrics>],
    counts: impl Fn(&MethodMetrics) -> &Mutex<BTreeMap<Box<str>, u64>>,
) {
    for it in methods {
        for (rule, count) in counts(it).lock().unwrap_or_else(PoisonError::into_inner).iter() {
            out.value(&[("service", &*it.service), ("method", &*it.method), ("rule", rule)], *count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

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
        let text = metrics.render(0);
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
