//! Subscriptions, tenants and locations: there is one of each, and every other id is taken as it is.

use ::arm::Value;
use ::arm::deployment::{LOCAL_SUBSCRIPTION, LOCAL_TENANT};
use http::Method;

use crate::access::Access;
use crate::api_error::ApiError;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/subscriptions",
        access: Access::List,
        about: "Lists subscriptions.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/subscriptions/{subscription}",
        access: Access::Read,
        about: "Shows a subscription.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/subscriptions/{subscription}/locations",
        access: Access::Somebody,
        about: "Lists locations.",
        handler: |call| Box::pin(async move { locations(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/tenants",
        access: Access::Somebody,
        about: "Lists tenants.",
        handler: |call| Box::pin(async move { tenants(&call) }),
    },
];

/// The locations that clients offer: a name, and how people call it. Any other one can be used.
const LOCATIONS: &[(&str, &str)] = &[
    ("local", "Local"),
    ("australiaeast", "Australia East"),
    ("brazilsouth", "Brazil South"),
    ("canadacentral", "Canada Central"),
    ("centralindia", "Central India"),
    ("centralus", "Central US"),
    ("eastasia", "East Asia"),
    ("eastus", "East US"),
    ("eastus2", "East US 2"),
    ("francecentral", "France Central"),
    ("germanywestcentral", "Germany West Central"),
    ("japaneast", "Japan East"),
    ("koreacentral", "Korea Central"),
    ("northcentralus", "North Central US"),
    ("northeurope", "North Europe"),
    ("norwayeast", "Norway East"),
    ("southafricanorth", "South Africa North"),
    ("southcentralus", "South Central US"),
    ("southeastasia", "Southeast Asia"),
    ("swedencentral", "Sweden Central"),
    ("switzerlandnorth", "Switzerland North"),
    ("uaenorth", "UAE North"),
    ("uksouth", "UK South"),
    ("westcentralus", "West Central US"),
    ("westeurope", "West Europe"),
    ("westus", "West US"),
    ("westus2", "West US 2"),
    ("westus3", "West US 3"),
];

fn all(items: Vec<Value>) -> HttpResponse {
    HttpResponse::ok(&Value::object([("value", Value::array(items))]))
}

fn subscription(id: &str) -> Value {
    let name = if id == LOCAL_SUBSCRIPTION { "Local" } else { id };
    Value::object([
        ("id", Value::text(format!("/subscriptions/{id}"))),
        ("subscriptionId", Value::text(id)),
        ("tenantId", Value::text(LOCAL_TENANT)),
        ("displayName", Value::text(name)),
        ("state", Value::text("Enabled")),
        ("authorizationSource", Value::text("RoleBased")),
        ("managedByTenants", Value::array(Vec::new())),
    ])
}

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    Ok(all(vec![subscription(LOCAL_SUBSCRIPTION)]))
}

fn get(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    Ok(HttpResponse::ok(&subscription(call.path.get("subscription"))))
}

fn locations(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let subscription = call.path.get("subscription");
    let one = |(name, display): &(&str, &str)| {
        Value::object([
            ("id", Value::text(format!("/subscriptions/{subscription}/locations/{name}"))),
            ("name", Value::text(*name)),
            ("type", Value::text("Region")),
            ("displayName", Value::text(*display)),
            ("regionalDisplayName", Value::text(*display)),
            ("metadata", Value::object([("regionType", Value::text("Physical"))])),
        ])
    };
    Ok(all(LOCATIONS.iter().map(one).collect()))
}

fn tenants(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    Ok(all(vec![Value::object([
        ("id", Value::text(format!("/tenants/{LOCAL_TENANT}"))),
        ("tenantId", Value::text(LOCAL_TENANT)),
        ("displayName", Value::text("Local")),
        ("countryCode", Value::text("US")),
        ("tenantCategory", Value::text("Home")),
        ("domains", Value::array(vec![Value::text("localhost")])),
    ])]))
}
