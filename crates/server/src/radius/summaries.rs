//! Providers with all their types, versions and schemas: what clients look a type up in.

use ::radius::registry::{Provider, RegisteredType};
use arm::Caseless as _;
use http::{Method, StatusCode};

use super::elsewhere;
use super::list::PageRequest;
use super::request_scope::{PLANE, of_plane, quoted};
use crate::access::Access;
use crate::api_error::ApiError;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/planes/radius/{plane}/providers",
        access: Access::Somebody,
        about: "Lists the resource providers with their types.",
        handler: |call| elsewhere(call, list),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/planes/radius/{plane}/providers/{namespace}",
        access: Access::Somebody,
        about: "Shows a resource provider with its types.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
];

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let wanted = PageRequest::of(call)?;
    let all = of_plane(call)?.providers()?;
    let items = wanted.of_all(
        all,
        |(provider, _)| provider.namespace.caseless(),
        |(provider, types)| summary(provider, types, &icons(call)),
    );
    wanted.answer(call, &format!("/planes/radius/{PLANE}/providers"), items)
}

fn get(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let registry = of_plane(call)?;
    let provider = registry.known_provider(call.path.get("namespace"))?;
    let types = registry.types_of(&provider.namespace)?;
    Ok(HttpResponse::text(StatusCode::OK, summary(&provider, &types, &icons(call))))
}

/// What is shown of the icon of a type.
fn icons(call: &RoutedRequest) -> impl Fn(&str) -> String {
    let whole = call.query.get("includeIcons").is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let app = std::sync::Arc::clone(&call.app);
    move |full_name: &str| match app.registry.icon(full_name) {
        Ok(Some(icon)) if whole => {
            format!(",\"iconHash\":{},\"icon\":{}", quoted(&icon.hash), quoted(&icon.svg))
        }
        Ok(Some(icon)) => format!(",\"iconHash\":{}", quoted(&icon.hash)),
        Ok(None) | Err(_) => String::new(),
    }
}

/// A provider as clients read it: its name and every type are always there.
fn summary(provider: &Provider, types: &[RegisteredType], icon: &impl Fn(&str) -> String) -> String {
    let locations: Vec<String> =
        provider.locations.iter().map(|location| format!("{}:{{}}", quoted(&location.name))).collect();
    let types = types.iter().filter_map(|registered| {
        let it = registered.resource_type()?;
        let versions = it.versions.iter();
        let versions =
            versions.map(|it| format!("{}:{{\"schema\":{}}}", quoted(&it.name), it.schema.to_json()));
        let versions = versions.collect::<Vec<_>>().join(",");
        let about = super::registry::about(it);
        let icon = icon(&registered.full_name());
        Some(format!("{}:{{\"apiVersions\":{{{versions}}},{about}{icon}}}", quoted(&it.name)))
    });
    format!(
        "{{\"name\":{},\"locations\":{{{}}},\"resourceTypes\":{{{}}}}}",
        quoted(&provider.namespace),
        locations.join(","),
        types.collect::<Vec<_>>().join(",")
    )
}
