//! What is seen of the server, and by whom.

use crate::support::{Server, TokenServer, VERSION};
use engine::Clock;
use server::{Audit, Limits};

#[test]
fn the_server_says_that_it_is_there_and_ready() {
    let server = Server::new();
    assert_eq!(server.ask("GET /healthz", "").body["status"], "ok");
    assert_eq!(server.ask("GET /readyz", "").body["status"], "ready");
}

#[test]
fn counts_are_in_the_form_of_prometheus() {
    let server = Server::new();
    server.ask("GET /healthz", "");
    server.ask("GET /subscriptions/s/resourceGroups/none?api-version=1", "");
    server.ask("GET /nowhere/at/all", "");
    let deployment = r#"{"location": "north", "properties": {"mode": "Incremental", "template": {"contentVersion": "1.0.0.0",
        "$schema": "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#", "resources": []}}}"#;
    let path = "/subscriptions/s/providers/Microsoft.Resources/deployments/d?api-version=2025-04-01";
    assert_eq!(server.ask(&format!("PUT {path}"), deployment).status, 200);
    let (status, text) = server.text("GET /metrics");
    assert_eq!(status, 200);
    assert!(
        text.contains("tendon_http_requests_total{method=\"GET\",path=\"/healthz\",status=\"2xx\"} 1\n"),
        "{text}"
    );
    assert!(text.contains("resourceGroups/{name}\",status=\"4xx\"} 1\n"), "{text}");
    assert!(
        text.contains("tendon_http_request_seconds_count{method=\"GET\",path=\"/healthz\"} 1\n"),
        "{text}"
    );
    assert!(text.contains("\ntendon_deployments_running 0\n"), "{text}");
    assert!(text.contains("\ntendon_deployments_ended_total{how=\"succeeded\"} 1\n"), "{text}");
    // Every line is a comment, or a name with labels and a number.
    for line in text.lines().filter(|line| !line.starts_with("# ")) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        let is_ours = name.starts_with("tendon_") || name.starts_with("process_");
        assert!(is_ours && value.parse::<f64>().is_ok(), "{line}");
    }
    // A bucket holds those before it.
    let counts = text.lines().filter(|line| line.contains("_bucket{method=\"GET\",path=\"/healthz\""));
    let counts: Vec<u64> = counts.map(|line| line.rsplit_once(' ').unwrap().1.parse().unwrap()).collect();
    assert!(counts.is_sorted() && counts.last() == Some(&1), "{counts:?}");
}

#[test]
fn who_reads_everything_reads_the_counts() {
    let server = TokenServer::new();
    assert_eq!(server.ask("GET /healthz", "", "").status, 200);
    assert_eq!(server.ask("GET /readyz", "", "").status, 200);
    assert_eq!(server.ask("GET /openapi.json", "", "").status, 200);
    assert_eq!(server.ask("GET /metrics", "", "").status, 401);
    let narrow = server.token("owner", "/subscriptions/s");
    assert_eq!(server.ask("GET /metrics", "", &narrow).status, 403);
    let wide = server.token("reader", "/");
    assert_eq!(server.text("GET /metrics", &wide).0, 200);
}

#[test]
fn the_description_of_the_requests_is_openapi() {
    let found = Server::new().ask("GET /openapi.json", "").body;
    assert_eq!(found["openapi"], "3.1.0");
    assert!(found["info"]["title"].is_string() && found["info"]["version"].is_string());
    let paths = found["paths"].as_object().unwrap();
    assert!(paths.len() > 30, "{}", paths.len());
    for (path, item) in paths {
        assert!(path.starts_with('/'), "{path}");
        for (method, operation) in item.as_object().unwrap() {
            assert!(
                ["get", "put", "post", "delete", "head", "patch"].contains(&method.as_str()),
                "{method} {path}"
            );
            assert!(!operation["summary"].as_str().unwrap().is_empty());
            assert!(operation["responses"]["default"]["description"].is_string());
            // Each name in the path is declared once, and nothing else.
            let mut named: Vec<&str> =
                path.split('{').skip(1).map(|part| part.split('}').next().unwrap()).collect();
            let declared = operation["parameters"].as_array().unwrap();
            let mut declared: Vec<&str> = declared.iter().map(|it| it["name"].as_str().unwrap()).collect();
            named.sort_unstable();
            declared.sort_unstable();
            assert_eq!(named, declared, "{path}");
            let count = named.len();
            named.dedup();
            assert_eq!(named.len(), count, "{path} names something twice");
        }
    }
    let text = found.to_string();
    for part in text.split("\"$ref\":\"#").skip(1) {
        let pointer = part.split('"').next().unwrap();
        assert!(found.pointer(pointer).is_some(), "{pointer}");
    }
    let open = &found["paths"]["/healthz"]["get"]["security"];
    assert_eq!(open, &serde_json::json!([]));
}

#[test]
fn the_audit_log_says_who_did_what_and_no_secret() {
    let folder = std::env::temp_dir().join(format!("tendon-watch-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let server = Server::build(Clock::Virtual, |app, _, _| app.audited(Audit::open(&folder).unwrap()));
    server.ask(
        "PUT /subscriptions/s/resourceGroups/g?api-version=1&code=tell-nobody",
        r#"{"location": "north"}"#,
    );
    server.ask("GET /subscriptions/s/resourceGroups/g?api-version=1", "");
    server.ask("DELETE /subscriptions/s/resourceGroups/none?api-version=1", "");
    let text = std::fs::read_to_string(folder.join("audit.jsonl")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert_eq!(
        (&lines[0]["who"], &lines[0]["method"], &lines[0]["status"]),
        (&"local".into(), &"PUT".into(), &201.into())
    );
    assert_eq!(lines[0]["path"], "/subscriptions/s/resourceGroups/g");
    assert_eq!(lines[0]["request"].as_str().unwrap().len(), 36);
    assert!(!text.contains("tell-nobody"), "{text}");
}

#[test]
fn the_audit_log_says_what_was_done_on_pages() {
    let folder = std::env::temp_dir().join(format!("tendon-watch-pages-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let server = Server::build(Clock::Virtual, |app, _, _| app.audited(Audit::open(&folder).unwrap()));
    let (_, page) = server.text("GET /ui");
    let token = page.split("name=\"form-token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let body = format!("form-token={token}&type=A.B%2Fc&text=tell-nobody");
    let cancel = "/ui/cancel/subscriptions/s/providers/Microsoft.Resources/deployments/d";
    for (path, status) in [(cancel, 404), ("/ui/theme", 303)] {
        assert_eq!(server.bytes(&format!("POST {path}"), &body, &[]).0, status, "{path}");
    }
    // What somebody types into a form is nobody else's business.
    server.bytes("POST /ui/check", &body, &[]);
    let text = std::fs::read_to_string(folder.join("audit.jsonl")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    let line: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&line["who"], &line["path"], &line["status"]),
        (&"local".into(), &cancel.into(), &404.into())
    );
}

#[test]
fn pages_count_among_the_requests_of_a_caller() {
    let limits = Limits { rate: Some(1), ..Limits::default() };
    let server = Server::build(Clock::Virtual, |app, _, _| app.limited(limits));
    let answers: Vec<_> = (0..50).map(|_| server.bytes("GET /ui", "", &[])).collect();
    let (_, headers, body) = answers.iter().find(|(status, _, _)| *status == 429).unwrap();
    assert_eq!(
        (&headers["retry-after"], &headers["content-type"]),
        (&"1".parse().unwrap(), &"text/html; charset=utf-8".parse().unwrap())
    );
    assert!(String::from_utf8_lossy(body).contains("TooManyRequests"));
}

#[test]
fn a_caller_who_asks_too_often_is_told_to_wait() {
    let limits = Limits { rate: Some(1), ..Limits::default() };
    let server = Server::build(Clock::Virtual, |app, _, _| app.limited(limits));
    let answers: Vec<_> = (0..100).map(|_| server.ask("GET /subscriptions/s?api-version=1", "")).collect();
    let limited: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert!(limited.len() > 50, "{}", limited.len());
    assert_eq!(limited[0].headers["retry-after"], "1");
    assert_eq!(limited[0].body["error"]["code"], "TooManyRequests");
}

#[test]
fn a_body_that_is_large_compressed_or_deep_is_refused() {
    let limits = Limits { body: 1000, ..Limits::default() };
    let server = Server::build(Clock::Virtual, |app, _, _| app.limited(limits));
    let put = "PUT /subscriptions/s/resourceGroups/g?api-version=1";
    server.ask(put, &" ".repeat(1001)).is_refused(413, "RequestEntityTooLarge");
    let gzip = server.ask_with(put, "x", &[("content-encoding", "gzip")]);
    gzip.is_refused(415, "UnsupportedMediaType");
    let plain = server.ask_with(put, r#"{"location": "north"}"#, &[("content-encoding", "identity")]);
    assert_eq!(plain.status, 201);
    let deep = Server::new().ask(put, &"[".repeat(1_000_000));
    deep.is_refused(400, "InvalidRequestContent");
}

#[test]
fn wrong_tokens_are_counted_and_told_to_wait() {
    let server = TokenServer::new();
    let answers: Vec<u16> = (0..1000)
        .map(|number| server.ask("GET /nothing", "", &format!("wrong{number}")).status.as_u16())
        .collect();
    assert_eq!(answers[0], 401);
    assert!(answers.iter().filter(|status| **status == 429).count() > 500);
    // Who has a token is let in meanwhile.
    let token = server.token("reader", "/");
    let (status, text) = server.text("GET /metrics", &token);
    assert_eq!(status, 200);
    assert!(text.contains("tendon_logins_refused_total 1000\n"), "{text}");
}

/// Takes what is sent over a connection.
fn collect(mut stream: std::net::TcpStream, sent: &std::sync::mpsc::Sender<(String, serde_json::Value)>) {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    while reader.read_line(&mut first).is_ok_and(|length| length > 0) {
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        let body = serde_json::from_slice(&body).unwrap();
        let _ = sent.send((std::mem::take(&mut first), body));
    }
}

/// A collector: its address, and what it is sent.
fn collector() -> (String, std::sync::mpsc::Receiver<(String, serde_json::Value)>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sent, received) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let sent = sent.clone();
            std::thread::spawn(move || collect(stream, &sent));
        }
    });
    (address, received)
}

#[test]
fn spans_go_to_a_collector_and_continue_the_trace_of_the_client() {
    let (collector, received) = collector();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let traces = runtime.block_on(async { server::Traces::start(&collector).unwrap() });
    let server = Server::build(Clock::Virtual, |app, _, _| app.traced(traces));
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let parent = format!("00-{trace}-b7ad6b7169203331-01");
    server.ask_with("GET /healthz?secret=tell-nobody", "", &[("traceparent", &parent)]);
    let (first, body) = received.recv().unwrap();
    assert!(first.starts_with("POST /v1/traces "), "{first}");
    let span = &body["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    assert_eq!((&span["traceId"], &span["name"]), (&trace.into(), &"GET /healthz".into()), "{body}");
    assert_eq!(span["parentSpanId"], "b7ad6b7169203331");
    let nanoseconds = |name: &str| span[name].as_str().unwrap().parse::<u128>().unwrap();
    assert!(nanoseconds("startTimeUnixNano") <= nanoseconds("endTimeUnixNano"));
    assert!(!body.to_string().contains("tell-nobody"));
    assert!(server::Traces::start("http://collector.example").is_err());
}

#[test]
fn a_deployment_is_a_trace_with_a_span_for_each_step() {
    let (collector, received) = collector();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let traces = runtime.block_on(async { server::Traces::start(&collector).unwrap() });
    let server = Server::build(Clock::Virtual, |app, _, _| app.traced(traces));
    server.group("g");
    let nested = r#"{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner", "properties": {"mode": "Incremental",
        "expressionEvaluationOptions": {"scope": "inner"}, "template": {
            "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
            "resources": [{"type": "A.B/c", "apiVersion": "2024-11-01", "name": "deep", "properties": {}}]}}}"#;
    let body = format!(
        r#"{{"properties": {{"mode": "Incremental", "parameters": {{"p": {{"value": "tell-nobody"}}}}, "template": {{
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
        "parameters": {{"p": {{"type": "secureString"}}}},
        "resources": [{{"type": "A.B/c", "apiVersion": "2024-11-01", "name": "one", "properties": {{"secret": "[parameters('p')]"}}}}, {nested}]}}}}}}"#
    );
    let path =
        format!("/subscriptions/s/resourcegroups/g/providers/Microsoft.Resources/deployments/d?{VERSION}");
    let put = server.ask(&format!("PUT {path}"), &body);
    assert!(put.status.is_success(), "{put:?}");
    let correlation = put.body["properties"]["correlationId"].as_str().unwrap().replace('-', "");
    let mut spans = Vec::new();
    let is_done = |spans: &[serde_json::Value]| spans.iter().any(|span| span["name"] == "deployment d");
    while !is_done(&spans) {
        let (_, body) = received.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
        assert!(!body.to_string().contains("tell-nobody"));
        let batch = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
        spans.extend(batch.into_iter().filter(|span| span["traceId"] == correlation.as_str()));
    }
    let span = |name: &str| {
        spans.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("{name}: {spans:?}"))
    };
    assert_eq!(span("deployment d")["parentSpanId"], "");
    assert_eq!(span("step one")["parentSpanId"], span("deployment d")["spanId"]);
    assert_eq!(span("step inner")["parentSpanId"], span("deployment d")["spanId"]);
    assert_eq!(span("step deep")["parentSpanId"], span("step inner")["spanId"]);
    assert_eq!(spans.len(), 4, "{spans:?}");
}

#[test]
fn every_metric_of_the_table_is_answered_with_its_labels() {
    let server = Server::new();
    server.ask("GET /healthz", "");
    let (status, text) = server.text("GET /metrics");
    assert_eq!(status, 200);
    for row in server::METRICS {
        assert!(text.contains(&format!("# HELP {} {}\n", row.name, row.help)), "{}", row.name);
        let lines = text.lines().filter(|line| line.starts_with(row.name));
        for label in row.labels {
            assert!(lines.clone().any(|line| line.contains(&format!("{label}=\""))), "{} {label}", row.name);
        }
        assert!(lines.count() > 0, "{}", row.name);
    }
    let value = |name: &str| -> f64 {
        let line = text.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert!(value("process_resident_memory_bytes") > 0.0 && value("process_start_time_seconds") > 0.0);
}
