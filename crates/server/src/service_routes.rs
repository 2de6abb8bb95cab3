//! Tendon's own surface: whether it is there and ready, what it counts, and what can be asked.

use ::arm::Value;
use http::header::RETRY_AFTER;
use http::{Method, StatusCode};

use crate::access::Access;
use crate::openapi;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;
use crate::watch::OtherFigures;

/// The requests, one row for each.
pub(crate) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/healthz",
        access: Access::Anybody,
        about: "Says that the process is there.",
        handler: |_| Box::pin(async { Ok(status(StatusCode::OK, "ok")) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/readyz",
        access: Access::Anybody,
        about: "Checks whether the state can be written, so that requests can be answered.",
        handler: |call| Box::pin(async move { Ok(ready(&call).await) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/metrics",
        access: Access::Read,
        about: "Shows counts in the form of Prometheus; a reader of everything may.",
        handler: |call| Box::pin(async move { Ok(metrics(&call)) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/openapi.json",
        access: Access::Anybody,
        about: "Describes all requests in the form of OpenAPI 3.1.",
        handler: |call| Box::pin(async move { Ok(description(&call)) }),
    },
];

fn status(status: StatusCode, word: &str) -> HttpResponse {
    HttpResponse::json(status, &Value::object([("status", Value::text(word))]))
}

async fn ready(call: &RoutedRequest) -> HttpResponse {
    match call.app.readiness.ask(&call.app.host.engine().store).await {
        Ok(()) => status(StatusCode::OK, "ready"),
        Err(why) => status(StatusCode::SERVICE_UNAVAILABLE, why).header(RETRY_AFTER, "1"),
    }
}

fn description(call: &RoutedRequest) -> HttpResponse {
    let app = &call.app;
    // It is always the same, and everybody may ask for it.
    let text = app.openapi.get_or_init(|| openapi::description(&app.requests).to_string());
    HttpResponse::text(StatusCode::OK, text.clone())
}

fn metrics(call: &RoutedRequest) -> HttpResponse {
    let app = &call.app;
    let pool = app.host.engine().budgets.pool.as_ref();
    let waiting = app.predictions.waiting() + app.starts.waiting() + engine::waiting_evaluations();
    let singles = [
        ("tendon_deployments_running", app.host.count() as u64),
        ("tendon_takeovers_total", app.host.taken_over()),
        ("tendon_budgets_exceeded_total", app.host.over_budget()),
        ("tendon_evaluations_waiting", waiting as u64),
        ("tendon_pool_bytes", pool.map_or(0, |pool| pool.bytes())),
        ("tendon_pool_used_bytes", pool.map_or(0, |pool| pool.used())),
        ("tendon_answers_bytes", app.answers.used() as u64),
        ("tendon_spans_lost_total", app.watch.traces.as_ref().map_or(0, |traces| traces.lost())),
        ("tendon_log_lines_lost_total", app.watch.log.lost_lines()),
    ];
    let figures = OtherFigures { ended: app.host.ended(), store: &app.store_times, singles: &singles };
    let text = app.watch.metrics.text(&figures);
    HttpResponse::text(StatusCode::OK, text).of_type("text/plain; version=0.0.4; charset=utf-8")
}
