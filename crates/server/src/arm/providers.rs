//! Resource providers: the namespaces of resource types, and which versions there are of each type.

use std::collections::BTreeMap;

use ::arm::Value;
use ::arm::deployment::LOCAL_LOCATION;
use http::Method;

use super::paging::PageRequest;
use crate::access::Access;
use crate::api_error::ApiError;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;
use ::arm::Caseless as _;

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/subscriptions/{subscription}/providers",
        access: Access::Somebody,
        about: "Lists resource providers.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/subscriptions/{subscription}/providers/{namespace}",
        access: Access::Somebody,
        about: "Shows a resource provider with its types and their versions.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/subscriptions/{subscription}/providers/{namespace}/register",
        access: Access::Own,
        about: "Registers a resource provider; all of them are registered already.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/providers",
        access: Access::Somebody,
        about: "Lists resource providers of the tenant.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/providers/{namespace}",
        access: Access::Somebody,
        about: "Shows a resource provider of the tenant.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
];

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let wanted = PageRequest::of(call)?;
    let mut namespaces: BTreeMap<String, &str> = BTreeMap::new();
    for name in call.app.types.names("") {
        if let Some((namespace, _)) = name.split_once('/') {
            namespaces.entry(namespace.caseless()).or_insert(namespace);
        }
    }
    // The versions of thousands of types are told by those who ask for one namespace.
    let all = namespaces.values().map(|namespace| shown(call, namespace, Vec::new()).to_json()).collect();
    let page = wanted.part(all)?;
    wanted.answer(call, &format!("{}/providers", below(call)), page)
}

fn get(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let wanted = call.path.get("namespace");
    let mut kinds: Vec<Value> = Vec::new();
    let mut spelled = wanted.to_owned();
    for name in call.app.types.names(&format!("{wanted}/")) {
        let Some((namespace, kind)) = name.split_once('/') else { continue };
        namespace.clone_into(&mut spelled);
        let mut versions = call.app.types.versions(name);
        versions.reverse();
        kinds.push(Value::object([
            ("resourceType", Value::text(kind)),
            ("locations", Value::array(vec![Value::text(LOCAL_LOCATION)])),
            ("apiVersions", Value::array(versions.into_iter().map(Value::text).collect())),
            ("capabilities", Value::text("None")),
        ]));
    }
    // Resources of a namespace of which nothing is known can be put all the same.
    Ok(HttpResponse::ok(&shown(call, &spelled, kinds)))
}

/// Where providers are: in a subscription, or in the tenant.
fn below(call: &RoutedRequest) -> String {
    match call.path.get("subscription") {
        "" => String::new(),
        subscription => format!("/subscriptions/{subscription}"),
    }
}

fn shown(call: &RoutedRequest, namespace: &str, kinds: Vec<Value>) -> Value {
    Value::object([
        ("id", Value::text(format!("{}/providers/{namespace}", below(call)))),
        ("namespace", Value::text(namespace)),
        ("registrationState", Value::text("Registered")),
        ("registrationPolicy", Value::text("RegistrationFree")),
        ("resourceTypes", Value::array(kinds)),
    ])
}
