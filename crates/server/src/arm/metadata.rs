//! What clients ask before they log in: which addresses belong to this cloud.

use ::arm::Value;
use ::arm::deployment::LOCAL_TENANT;
use http::Method;

use crate::access::Access;
use crate::api_error::ApiError;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[HttpRoute {
    method: Method::GET,
    pattern: "/metadata/endpoints",
    access: Access::Anybody,
    about: "Says where clients of this cloud log in, and where its services are.",
    handler: |call| Box::pin(async move { endpoints(&call) }),
}];

/// The version from which on the answer is one object and not a list of clouds.
const OBJECT_SINCE: &str = "2022-09-01";

/// Services that this cloud does not have: clients want to see an address, and names below `.example` lead nowhere.
const SERVICES: &[(&str, &str)] = &[
    ("portal", "https://portal.example/"),
    ("graph", "https://graph.example/"),
    ("gallery", "https://gallery.example/"),
    ("batch", "https://batch.example/"),
    ("media", "https://media.example/"),
    ("sqlManagement", "https://sql-management.example/"),
    ("vmImageAliasDoc", "https://images.example/aliases.json"),
    ("activeDirectoryDataLake", "https://datalake.example/"),
    ("microsoftGraphResourceId", "https://graph.example/"),
    ("logAnalyticsResourceId", "https://loganalytics.example/"),
    ("appInsightsResourceId", "https://appinsights.example/"),
];

/// The ends of host names, as templates see them in `environment()`.
const SUFFIXES: &[(&str, &str)] = &[
    ("storage", "core.windows.net"),
    ("keyVaultDns", "vault.azure.net"),
    ("sqlServerHostname", "database.windows.net"),
    ("acrLoginServer", "azurecr.io"),
];

fn endpoints(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let version = call.api_version()?;
    let here = call.base.as_str();
    let text = |text: &str| Value::text(text);
    let audiences = Value::array(vec![text(here), text(&format!("{here}/"))]);
    let mut members = vec![
        ("name", text("Tendon")),
        ("resourceManager", text(&format!("{here}/"))),
        ("activeDirectoryResourceId", text(&format!("{here}/"))),
        ("graphAudience", text("https://graph.example/")),
        (
            "authentication",
            Value::object([
                ("loginEndpoint", text(&format!("{here}/"))),
                ("audiences", audiences),
                ("tenant", text(LOCAL_TENANT)),
                ("identityProvider", text("AAD")),
            ]),
        ),
        ("suffixes", Value::object(SUFFIXES.iter().map(|(name, suffix)| (*name, text(suffix))))),
    ];
    members.extend(SERVICES.iter().map(|(name, address)| (*name, text(address))));
    let cloud = Value::object(members);
    // Versions are dates, so that text compares as they do.
    Ok(HttpResponse::ok(&if version >= OBJECT_SINCE { cloud } else { Value::array(vec![cloud]) }))
}
