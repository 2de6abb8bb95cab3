//! Every metric of the server: a row for each, with what it means, how it is drawn, and when it is alarming. The answer of `/metrics`, the page about
//! metrics, the dashboard and the alert rules are made from these rows.

use metrics::MetricKind;

/// A metric, with what its panel and alert need.
#[derive(Clone, Copy, Debug)]
pub struct MetricRow {
    /// Its name for Prometheus.
    pub name: &'static str,
    /// Whether it only grows, goes up and down, or counts durations.
    pub kind: MetricKind,
    /// What it counts, in a sentence.
    pub help: &'static str,
    /// The labels of its values.
    pub labels: &'static [&'static str],
    /// What a dashboard draws of it, and in which unit of Grafana; none if it is drawn with another one.
    pub panel: Option<(&'static str, &'static str)>,
    /// When somebody has to know.
    pub alert: Option<AlertRow>,
}

/// When a metric is alarming.
#[derive(Clone, Copy, Debug)]
pub struct AlertRow {
    /// The name of the rule.
    pub name: &'static str,
    /// The expression that is true then.
    pub expression: &'static str,
    /// For how long it has to be.
    pub lasting: &'static str,
    /// `critical` wakes somebody up, `warning` does not.
    pub severity: &'static str,
    /// What it means and what to do.
    pub advice: &'static str,
}

const fn row(name: &'static str, kind: MetricKind, help: &'static str) -> MetricRow {
    MetricRow { name, kind, help, labels: &[], panel: None, alert: None }
}

impl MetricRow {
    const fn by(self, labels: &'static [&'static str]) -> MetricRow {
        MetricRow { labels, ..self }
    }

    const fn drawn(self, expression: &'static str, unit: &'static str) -> MetricRow {
        MetricRow { panel: Some((expression, unit)), ..self }
    }

    const fn alarming(
        self,
        name: &'static str,
        expression: &'static str,
        lasting: &'static str,
        severity: &'static str,
        advice: &'static str,
    ) -> MetricRow {
        MetricRow { alert: Some(AlertRow { name, expression, lasting, severity, advice }), ..self }
    }
}

/// The rows, in the order in which they are answered.
pub const METRICS: &[MetricRow] = &[
    row("tendon_build_info", MetricKind::Gauge, "The version of the program; always 1.").by(&["version"]),
    row("tendon_deployments_running", MetricKind::Gauge, "Deployments under way in this process.")
        .drawn("sum by (instance) (tendon_deployments_running)", "none"),
    row("tendon_deployments_ended_total", MetricKind::Counter, "Deployments that ended in this process, by how.")
        .by(&["how"])
        .drawn("sum by (how) (rate(tendon_deployments_ended_total[5m]))", "ops")
        .alarming(
            "TendonDeploymentsLost",
            "increase(tendon_deployments_ended_total{how=\"lost\"}[15m]) > 0",
            "5m",
            "warning",
            "deployments were given up by this node; the log says why, and others go on with them",
        ),
    row("tendon_takeovers_total", MetricKind::Counter, "Deployments of nodes that ended, which this process went on with.")
        .drawn("sum by (instance) (rate(tendon_takeovers_total[5m]))", "ops")
        .alarming(
            "TendonTakeovers",
            "increase(tendon_takeovers_total[15m]) > 20",
            "0m",
            "warning",
            "nodes end without being stopped; look for restarts, and for deployments that end their node",
        ),
    row("tendon_budgets_exceeded_total", MetricKind::Counter, "Deployments that failed because they exceeded their budget.")
        .drawn("sum by (instance) (rate(tendon_budgets_exceeded_total[5m]))", "ops"),
    row("tendon_evaluations_waiting", MetricKind::Gauge, "Requests that wait until a template may be evaluated.")
        .drawn("sum by (instance) (tendon_evaluations_waiting)", "none")
        .alarming(
            "TendonEvaluationsWait",
            "tendon_evaluations_waiting > 50",
            "5m",
            "warning",
            "templates are sent faster than they can be evaluated; add nodes or processors, or lower `--rate`",
        ),
    row("tendon_pool_bytes", MetricKind::Gauge, "The memory that there is for the values of all deployments."),
    row("tendon_pool_used_bytes", MetricKind::Gauge, "The memory that the values of deployments have.")
        .drawn("tendon_pool_used_bytes / tendon_pool_bytes", "percentunit")
        .alarming(
            "TendonPoolFull",
            "tendon_pool_used_bytes / tendon_pool_bytes > 0.9",
            "5m",
            "warning",
            "deployments are refused because others use the memory for values; give the process more, or lower `--deployment-memory`",
        ),
    row("tendon_answers_bytes", MetricKind::Gauge, "Large answers that clients have not read yet.")
        .drawn("sum by (instance) (tendon_answers_bytes)", "bytes"),
    row("tendon_store_seconds", MetricKind::Histogram, "How long the state took to answer, by what was asked.")
        .by(&["operation"])
        .drawn("histogram_quantile(0.99, sum by (le, operation) (rate(tendon_store_seconds_bucket[5m])))", "s")
        .alarming(
            "TendonStoreSlow",
            "histogram_quantile(0.99, sum by (le, operation) (rate(tendon_store_seconds_bucket[5m]))) > 1",
            "10m",
            "warning",
            "the database or the disk of the state is slow",
        ),
    row("tendon_store_errors_total", MetricKind::Counter, "Answers of the state that were errors, by what was asked.")
        .by(&["operation"])
        .drawn("sum by (operation) (rate(tendon_store_errors_total[5m]))", "ops")
        .alarming(
            "TendonStoreFails",
            "rate(tendon_store_errors_total[5m]) > 0.1",
            "2m",
            "critical",
            "the state cannot be read or written: the database is away, the disk is full or read-only; requests are answered with 503",
        ),
    row("tendon_connections", MetricKind::Gauge, "Open connections.")
        .drawn("sum by (instance) (tendon_connections)", "none"),
    row("tendon_connections_accepted_total", MetricKind::Counter, "Connections that were accepted."),
    row("tendon_connections_refused_total", MetricKind::Counter, "Connections that were closed because their address had too many.")
        .drawn("sum by (instance) (rate(tendon_connections_refused_total[5m]))", "ops"),
    row("tendon_connections_flooded_total", MetricKind::Counter, "Connections of HTTP/2 that were closed because of too many frames that ask for nothing.")
        .drawn("sum by (instance) (rate(tendon_connections_flooded_total[5m]))", "ops"),
    row("tendon_logins_refused_total", MetricKind::Counter, "Requests without a valid token.")
        .drawn("sum by (instance) (rate(tendon_logins_refused_total[5m]))", "ops")
        .alarming(
            "TendonLoginsRefused",
            "rate(tendon_logins_refused_total[5m]) > 5",
            "10m",
            "warning",
            "somebody is guessing tokens, or a client uses an expired one; the log names addresses",
        ),
    row("tendon_requests_limited_total", MetricKind::Counter, "Requests of callers who asked too often.")
        .drawn("sum by (instance) (rate(tendon_requests_limited_total[5m]))", "ops"),
    row("tendon_audit_failed_total", MetricKind::Counter, "Lines of the audit log that could not be written.").alarming(
        "TendonAuditFails",
        "increase(tendon_audit_failed_total[5m]) > 0",
        "0m",
        "critical",
        "the audit log in the state folder cannot be written: look at the disk; with `--audit-required` changes are refused",
    ),
    row("tendon_spans_lost_total", MetricKind::Counter, "Spans that could not be sent to the collector."),
    row("tendon_log_lines_lost_total", MetricKind::Counter, "Log lines that were not written because standard error could not keep up."),
    row("process_cpu_seconds_total", MetricKind::Counter, "Processor time of the process, in seconds.")
        .drawn("sum by (instance) (rate(process_cpu_seconds_total{job=\"tendon\"}[5m]))", "none"),
    row("process_resident_memory_bytes", MetricKind::Gauge, "Resident memory of the process, in bytes.")
        .drawn("sum by (instance) (process_resident_memory_bytes{job=\"tendon\"})", "bytes"),
    row("process_open_fds", MetricKind::Gauge, "Open files of the process.").alarming(
        "TendonFilesRunOut",
        "process_open_fds{job=\"tendon\"} / process_max_fds > 0.9",
        "5m",
        "warning",
        "the process may soon accept no connections; raise its limit of open files or lower `--connections`",
    ),
    row("process_max_fds", MetricKind::Gauge, "How many files the process may have open."),
    row("process_start_time_seconds", MetricKind::Gauge, "When the process started, in seconds since 1970.").alarming(
        "TendonRestarts",
        "changes(process_start_time_seconds{job=\"tendon\"}[30m]) > 2",
        "0m",
        "critical",
        "the server ends again and again; its last log lines say why",
    ),
    row("tendon_http_requests_total", MetricKind::Counter, "Requests by what they ask and the class of the status.")
        .by(&["method", "path", "status"])
        .drawn("sum by (status) (rate(tendon_http_requests_total[5m]))", "reqps")
        .alarming(
            "TendonErrors",
            "sum by (instance) (rate(tendon_http_requests_total{status=\"5xx\"}[5m])) > 0.5",
            "5m",
            "critical",
            "requests fail inside; the log says why, by the id of the request",
        ),
    row("tendon_http_request_seconds", MetricKind::Histogram, "How long requests took.")
        .by(&["method", "path"])
        .drawn("histogram_quantile(0.99, sum by (le) (rate(tendon_http_request_seconds_bucket[5m])))", "s"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_they_count_and_alerts_speak_of_metrics_that_there_are() {
        for row in METRICS {
            let is_total = row.name.ends_with("_total");
            assert_eq!(is_total, row.kind == MetricKind::Counter, "{}", row.name);
            assert!(row.help.ends_with('.'), "{}", row.name);
            for expression in row.panel.iter().map(|it| it.0).chain(row.alert.iter().map(|it| it.expression))
            {
                assert!(expression.contains(row.name), "{expression}");
            }
            if let Some(alert) = row.alert {
                assert!(["critical", "warning"].contains(&alert.severity), "{}", alert.name);
                assert!(alert.name.starts_with("Tendon"), "{}", alert.name);
            }
        }
    }
}
