//! Counters and histograms that many threads count on, and their text form for Prometheus.
//!
//! What is counted, and under which names, is up to the server and the proxy.

use std::fmt::{Display, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A number that many threads count on.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to the count.
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
    /// Each counts what is not in the one before.
    buckets: [Counter; BUCKETS.len()],
    beyond: Counter,
    microseconds: Counter,
}

impl Histogram {
    /// Counts a duration in the first bucket that takes it.
    pub fn observe(&self, duration: Duration) {
        let microseconds = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.iter().position(|end| microseconds <= *end);
        bucket.and_then(|at| self.buckets.get(at)).unwrap_or(&self.beyond).add(1);
        self.microseconds.add(microseconds);
    }
}

/// What a family of metrics does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// It only grows, until the process ends.
    Counter,
    /// It comes and goes.
    Gauge,
    /// It counts durations by their length.
    Histogram,
}

/// Labels of a metric: name and value.
pub type MetricLabels<'l> = &'l [(&'l str, &'l str)];

/// Writes metrics as Prometheus reads them: first the head of a family, then its values.
#[derive(Debug, Default)]
pub struct MetricWriter {
    text: String,
    family: &'static str,
}

impl MetricWriter {
    /// Begins the values of a metric, with its description and kind.
    pub fn family(&mut self, name: &'static str, kind: MetricKind, help: &str) {
        self.family = name;
        let kind = match kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram => "histogram",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// A family with one value, which has no labels.
    pub fn single(&mut self, name: &'static str, kind: MetricKind, help: &str, value: u64) {
        self.family(name, kind, help);
        self.value(&[], value);
    }

    /// A value of the family.
    pub fn value(&mut self, labels: MetricLabels<'_>, value: u64) {
        self.line("", labels, None, value);
    }

    /// A value of the family in seconds, of milliseconds.
    pub fn milliseconds(&mut self, labels: MetricLabels<'_>, milliseconds: u64) {
        self.line("", labels, None, seconds(milliseconds.saturating_mul(1000)));
    }

    /// The values of a histogram of the family.
    pub fn histogram(&mut self, labels: MetricLabels<'_>, histogram: &Histogram) {
        let mut total = 0;
        for (end, counter) in BUCKETS.iter().zip(&histogram.buckets) {
            total += counter.get();
            self.line("_bucket", labels, Some(&seconds(*end)), total);
        }
        total += histogram.beyond.get();
        self.line("_bucket", labels, Some("+Inf"), total);
        self.line("_sum", labels, None, seconds(histogram.microseconds.get()));
        self.line("_count", labels, None, total);
    }

    /// All that was written.
    pub fn into_text(self) -> String {
        self.text
    }

    fn line(&mut self, suffix: &str, labels: MetricLabels<'_>, end: Option<&str>, value: impl Display) {
        self.text.push_str(self.family);
        self.text.push_str(suffix);
        let labels = labels.iter().copied().chain(end.map(|end| ("le", end)));
        let mut before = '{';
        for (label, value) in labels {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = write!(self.text, "{before}{label}=\"{value}\"");
            before = ',';
        }
        let _ = writeln!(self.text, "{} {value}", if before == ',' { "}" } else { "" });
    }
}

/// Microseconds as seconds, exactly.
fn seconds(microseconds: u64) -> String {
    let text = format!("{}.{:06}", microseconds / 1_000_000, microseconds % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_its_labels_escaped() {
        let counter = Counter::default();
        counter.add(3);
        counter.sub(1);
        let mut writer = MetricWriter::default();
        writer.single("open", MetricKind::Gauge, "What is open.", counter.get());
        writer.family("calls", MetricKind::Counter, "Calls.");
        writer.value(&[("method", "a\"b\\\n"), ("outcome", "ok")], 7);
        assert_eq!(
            writer.into_text(),
            "# HELP open What is open.\n# TYPE open gauge\nopen 2\n# HELP calls Calls.\n# TYPE calls counter\n\
             calls{method=\"a\\\"b\\\\\\n\",outcome=\"ok\"} 7\n"
        );
    }

    #[test]
    fn a_bucket_counts_everything_up_to_its_end() {
        let histogram = Histogram::default();
        for microseconds in [100, 101, 60_000_000] {
            histogram.observe(Duration::from_micros(microseconds));
        }
        let mut writer = MetricWriter::default();
        writer.family("took", MetricKind::Histogram, "Time.");
        writer.histogram(&[("path", "/")], &histogram);
        let text = writer.into_text();
        for expected in [
            "took_bucket{path=\"/\",le=\"0.0001\"} 1\n",
            "took_bucket{path=\"/\",le=\"0.00025\"} 2\n",
            "took_bucket{path=\"/\",le=\"10\"} 2\n",
            "took_bucket{path=\"/\",le=\"+Inf\"} 3\n",
            "took_sum{path=\"/\"} 60.000201\n",
            "took_count{path=\"/\"} 3\n",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }
}
