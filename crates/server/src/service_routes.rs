//! Tendon's own surface: whether it is there and ready, what it counts, and what can be asked.

use ::arm::Value;
use http::{Method, StatusCode};
use store::Page;

use crate::access::Access;
use crate::openapi;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

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
        about: "Says whether the state can be read, so that requests can be answered.",
        handler: |call| Box::pin(async move { Ok(ready(&call)) }),
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

fn ready(call: &RoutedRequest) -> HttpResponse {
    match call.app.store().deployments(None, Page { skip: 0, take: 1 }) {
        Ok(_) => status(StatusCode::OK, "ready"),
        Err(error) => {
            tracing::error!(%error, "the state cannot be read");
            status(StatusCode::SERVICE_UNAVAILABLE, "the state cannot be read")
        }
    }
}

fn description(call: &RoutedRequest) -> HttpResponse {
    let app = &call.app;
    // It is always the same, and everybody may ask for it.
    let text = app.openapi.get_or_init(|| openapi::description(&app.requests).to_string());
    HttpResponse::text(StatusCode::OK, text.clone())
}

fn metrics(call: &RoutedRequest) -> HttpResponse {
    let watch = &call.app.watch;
    let spans_lost = watch.traces.as_ref().map_or(0, |traces| traces.lost());
    let text = watch.metrics.text(&call.app.host, spans_lost, watch.log.lost_lines());
    HttpResponse::text(StatusCode::OK, text).of_type("text/plain; version=0.0.4; charset=utf-8")
}
