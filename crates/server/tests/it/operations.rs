//! What operators install beside the server is made from its table of metrics: a page, a dashboard, alert rules. `TENDON_UPDATE=1` writes them anew.

use std::fmt::Write as _;

use serde_json::{Value, json};
use server::METRICS;

/// Compares a file with what it has to be, or writes it.
fn check(path: &str, wanted: &str) {
    let file = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("TENDON_UPDATE").is_some() {
        std::fs::write(&file, wanted).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == wanted,
        "`{path}` is not what the table of metrics says; run the tests with TENDON_UPDATE=1"
    );
}

#[test]
fn the_page_lists_every_metric() {
    let mut page = "\
# Metrics

`/metrics` answers with these, for callers who may read everything. The page, the [dashboard](../packaging/grafana/tendon.json) for Grafana and the
[alert rules](../packaging/prometheus/tendon.rules.yaml) for Prometheus are made from one table in the program; scrape the server under the job name `tendon`.

| metric | labels | what it counts |
|---|---|---|
"
    .to_owned();
    for row in METRICS {
        let labels: Vec<String> = row.labels.iter().map(|label| format!("`{label}`")).collect();
        writeln!(page, "| `{}` | {} | {} |", row.name, labels.join(", "), row.help.trim_end_matches('.'))
            .unwrap();
    }
    page.push_str("\n## Alerts\n\n| alert | severity | what it means, and what to do |\n|---|---|---|\n");
    for alert in METRICS.iter().filter_map(|row| row.alert) {
        writeln!(page, "| `{}` | {} | {} |", alert.name, alert.severity, alert.advice).unwrap();
    }
    check("docs/metrics.md", &page);
}

#[test]
fn the_dashboard_draws_the_metrics() {
    let drawn = METRICS.iter().filter_map(|row| row.panel.map(|panel| (row, panel)));
    let panels: Vec<Value> = drawn
        .enumerate()
        .map(|(at, (row, (expression, unit)))| {
            json!({
                "id": at + 1,
                "type": "timeseries",
                "title": row.name,
                "description": row.help,
                "datasource": {"type": "prometheus", "uid": "${source}"},
                "gridPos": {"h": 8, "w": 12, "x": (at % 2) * 12, "y": (at / 2) * 8},
                "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
                "targets": [{"refId": "A", "expr": expression}],
            })
        })
        .collect();
    assert!(panels.len() > 10);
    let dashboard = json!({
        "title": "Tendon",
        "uid": "tendon",
        "schemaVersion": 39,
        "editable": true,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [{"name": "source", "label": "Data source", "type": "datasource", "query": "prometheus"}]},
        "panels": panels,
    });
    check("packaging/grafana/tendon.json", &format!("{dashboard:#}\n"));
}

#[test]
fn the_alert_rules_are_those_of_the_table() {
    let mut rules = "# Made from the table of metrics.\ngroups:\n  - name: tendon\n    rules:\n".to_owned();
    for alert in METRICS.iter().filter_map(|row| row.alert) {
        // JSON is YAML, and escapes what has to be.
        let quoted = |text: &str| Value::from(text).to_string();
        writeln!(rules, "      - alert: {}", alert.name).unwrap();
        writeln!(rules, "        expr: {}", quoted(alert.expression)).unwrap();
        writeln!(rules, "        for: {}", alert.lasting).unwrap();
        writeln!(rules, "        labels:\n          severity: {}", alert.severity).unwrap();
        writeln!(rules, "        annotations:\n          summary: {}", quoted(alert.advice)).unwrap();
    }
    check("packaging/prometheus/tendon.rules.yaml", &rules);
}
