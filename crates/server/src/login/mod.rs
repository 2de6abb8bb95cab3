//! What clients ask before they have a token: the addresses of the identity provider, and a token from it.

mod unsigned;

use ::arm::Value;
use ::arm::deployment::LOCAL_TENANT;
use http::{Method, StatusCode};

use crate::access::Access;
use crate::api_error::ApiError;
use crate::identity::{LOCAL, SecretCheck, now};
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::{Query, RoutedRequest};

/// The requests, one row for each.
pub(crate) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/common/discovery/instance",
        access: Access::Anybody,
        about: "Tells a client that this identity provider is one.",
        handler: |call| Box::pin(async move { Ok(instance(&call)) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/common/discovery/keys",
        access: Access::Anybody,
        about: "Lists the keys that tokens are signed with: none, because nobody checks them.",
        handler: |_| {
            Box::pin(async { Ok(HttpResponse::ok(&Value::object([("keys", Value::array(Vec::new()))]))) })
        },
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/{tenant}/v2.0/.well-known/openid-configuration",
        access: Access::Anybody,
        about: "Says where a client gets a token.",
        handler: |call| Box::pin(async move { Ok(configuration(&call)) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/{tenant}/.well-known/openid-configuration",
        access: Access::Anybody,
        about: "Says where a client gets a token.",
        handler: |call| Box::pin(async move { Ok(configuration(&call)) }),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/{tenant}/oauth2/v2.0/token",
        access: Access::Anybody,
        about: "Returns a token to a client.",
        handler: |call| Box::pin(async move { token(&call) }),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/{tenant}/oauth2/token",
        access: Access::Anybody,
        about: "Returns a token to a client.",
        handler: |call| Box::pin(async move { token(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/metadata/identity/oauth2/token",
        access: Access::Anybody,
        about: "Returns a token to a managed identity.",
        handler: |call| Box::pin(async move { managed(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/oauth2/token",
        access: Access::Anybody,
        about: "Returns a token to a managed identity of an application.",
        handler: |call| Box::pin(async move { managed(&call) }),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/oauth2/token",
        access: Access::Anybody,
        about: "Returns a token to a managed identity of an application.",
        handler: |call| Box::pin(async move { managed(&call) }),
    },
];

/// The tenant of a path; those who do not care say `common` or `organizations`.
fn tenant(call: &RoutedRequest) -> &str {
    match call.path.get("tenant") {
        "common" | "organizations" | "consumers" | "" => LOCAL_TENANT,
        other => other,
    }
}

fn instance(call: &RoutedRequest) -> HttpResponse {
    let host = call.base.split_once("://").map_or("", |(_, host)| host);
    let text = |text: &str| Value::text(text);
    HttpResponse::ok(&Value::object([
        (
            "tenant_discovery_endpoint",
            Value::text(format!("{}/{LOCAL_TENANT}/v2.0/.well-known/openid-configuration", call.base)),
        ),
        ("api-version", text("1.1")),
        (
            "metadata",
            Value::array(vec![Value::object([
                ("preferred_network", text(host)),
                ("preferred_cache", text(host)),
                ("aliases", Value::array(vec![text(host)])),
            ])]),
        ),
    ]))
}

fn configuration(call: &RoutedRequest) -> HttpResponse {
    let at = |path: &str| Value::text(format!("{}/{}{path}", call.base, tenant(call)));
    let one = |word: &str| Value::array(vec![Value::text(word)]);
    HttpResponse::ok(&Value::object([
        ("issuer", at("/v2.0")),
        ("authorization_endpoint", at("/oauth2/v2.0/authorize")),
        ("token_endpoint", at("/oauth2/v2.0/token")),
        ("device_authorization_endpoint", at("/oauth2/v2.0/devicecode")),
        ("jwks_uri", Value::text(format!("{}/common/discovery/keys", call.base))),
        ("response_types_supported", one("code")),
        ("response_modes_supported", one("query")),
        ("subject_types_supported", one("pairwise")),
        ("scopes_supported", one("openid")),
        ("id_token_signing_alg_values_supported", one("RS256")),
        ("token_endpoint_auth_methods_supported", one("client_secret_post")),
    ]))
}

/// The form in the body of a request.
fn form(call: &RoutedRequest) -> Query {
    Query::parse(&String::from_utf8_lossy(&call.body))
}

fn token(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let form = form(call);
    let secret = form.get("client_secret").unwrap_or_default();
    let checked = call.app.guard.login(secret)?;
    if checked == SecretCheck::Refused {
        // As OAuth has it, so that clients show the reason.
        return Ok(HttpResponse::json(
            StatusCode::UNAUTHORIZED,
            &Value::object([
                ("error", Value::text("invalid_client")),
                ("error_description", Value::text("the client secret must be a token of this server")),
            ]),
        ));
    }
    let wanted = form.get("scope").or_else(|| form.get("resource")).unwrap_or_default();
    let audience = wanted.split(' ').next().unwrap_or_default().trim_end_matches(".default");
    // A token that was made for somebody stands for itself.
    let (who, token) = match checked {
        SecretCheck::Token(name) => (name, secret.to_owned()),
        SecretCheck::Refused | SecretCheck::Nobody => {
            let issuer = format!("{}/{}/v2.0", call.base, tenant(call));
            (LOCAL.to_owned(), unsigned::token(&issuer, audience, now()))
        }
    };
    Ok(HttpResponse::ok(&Value::object([
        ("token_type", Value::text("Bearer")),
        ("expires_in", Value::Int(unsigned::LIFE)),
        ("ext_expires_in", Value::Int(unsigned::LIFE)),
        ("access_token", Value::text(token)),
    ]))
    .to(&who))
}

/// A token as managed identities get it. A web page cannot send the header.
fn managed(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    if !call.app.guard.is_local() {
        return Err(ApiError::new("NotFound", "this server has no managed identities"));
    }
    let sent =
        ["metadata", "secret", "x-identity-header"].iter().any(|name| call.headers.contains_key(*name));
    if !sent {
        return Err(ApiError::new("invalid_request", "the header `Metadata: true` is required"));
    }
    let form = form(call);
    let resource = call.query.get("resource").or_else(|| form.get("resource")).unwrap_or_default();
    let now = now();
    let token = unsigned::token(&format!("{}/{LOCAL_TENANT}/v2.0", call.base), resource, now);
    // Numbers are text here.
    let number = |number: i64| Value::text(number.to_string());
    Ok(HttpResponse::ok(&Value::object([
        ("access_token", Value::text(token)),
        ("client_id", Value::text(::arm::deployment::LOCAL_DEPLOYER)),
        ("expires_in", number(unsigned::LIFE)),
        ("expires_on", number(now.saturating_add(unsigned::LIFE))),
        ("not_before", number(now)),
        ("resource", Value::text(resource)),
        ("token_type", Value::text("Bearer")),
    ])))
}
