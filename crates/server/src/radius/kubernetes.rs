//! The few questions that `rad` asks of a Kubernetes cluster: whether there is one, and which Radius is installed in it.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{Method, StatusCode};

use super::request_scope::quoted;
use crate::access::Access;
use crate::api_error::{ApiError, broken};
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

/// The release of Radius whose API this is.
const RELEASE: &str = "0.60.0";

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/",
        access: Access::Anybody,
        about: "Says that there is an API of Radius.",
        handler: |_| Box::pin(async { Ok(HttpResponse::text(StatusCode::OK, DISCOVERY.to_owned())) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/version",
        access: Access::Anybody,
        about: "Says which Kubernetes this would be.",
        handler: |_| Box::pin(async { Ok(HttpResponse::text(StatusCode::OK, VERSION.to_owned())) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/api/v1/namespaces/radius-system/secrets",
        access: Access::Anybody,
        about: "Says which release of Radius this would be, as Helm keeps it.",
        handler: |call| Box::pin(async move { releases(&call) }),
    },
];

const DISCOVERY: &str =
    r#"{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"api.ucp.dev/v1alpha3","resources":[]}"#;

const VERSION: &str = r#"{"major":"1","minor":"33","gitVersion":"v1.33.0"}"#;

fn releases(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let asked = call.query.get("labelSelector").unwrap_or_default();
    let items = if asked.split(',').any(|label| label == "name=radius") { release()? } else { String::new() };
    let list =
        format!("{{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"metadata\":{{}},\"items\":[{items}]}}");
    Ok(HttpResponse::text(StatusCode::OK, list))
}

/// A release as Helm keeps it: packed, and in base 64 twice.
fn release() -> Result<String, ApiError> {
    let release = format!(
        r#"{{"name":"radius","namespace":"radius-system","version":1,"info":{{"status":"deployed"}},"chart":{{"metadata":{{"apiVersion":"v2","name":"radius","version":"{RELEASE}","appVersion":"{RELEASE}"}}}}}}"#
    );
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(release.as_bytes()).map_err(|error| broken(&error))?;
    let packed = packed.finish().map_err(|error| broken(&error))?;
    let data = STANDARD.encode(STANDARD.encode(packed));
    Ok(format!(
        r#"{{"metadata":{{"name":"sh.helm.release.v1.radius.v1","namespace":"radius-system","labels":{{"name":"radius","owner":"helm","status":"deployed","version":"1"}}}},"type":"helm.sh/release.v1","data":{{"release":{}}}}}"#,
        quoted(&data)
    ))
}
