//! Resource types: the list of them, one with its schema, and the form that checks a resource against it.

use arm::Caseless as _;
use http::header::ACCEPT;
use http::{Method, StatusCode};
use pages::ui::{CheckForm, CheckResult, Section, TypeList, TypeRow, TypeView};
use percent_encoding::utf8_percent_encode;
use radius::Purpose;
use radius::registry::{BUILT_IN, RegisteredType, ResourceTypeVersion};

use super::{page_shell, resource_check, schema};
use crate::access::Access;
use crate::api_error::{ApiError, broken};
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::{Query, RoutedRequest, UNSAFE, UNSAFE_IN_PATH};

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/ui/types",
        access: Access::Somebody,
        about: "Shows the resource types.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/ui/types/{namespace}/{type}",
        access: Access::Somebody,
        about: "Shows a resource type with its versions and its schema, and a form that checks a resource.",
        handler: |call| Box::pin(async move { one(&call) }),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/ui/check",
        access: Access::Somebody,
        about: "Checks a resource against its type; nothing is stored.",
        handler: |call| Box::pin(check(call)),
    },
];

/// How many types a page shows.
const SHOWN: usize = 200;

/// The header of a script that wants the result alone.
const FRAGMENT: &str = "fragment=result";

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let name = call.query.get("name").unwrap_or_default().trim().to_owned();
    let wanted = name.caseless();
    let mut rows: Vec<TypeRow> = BUILT_IN.iter().map(built_in).collect();
    rows.extend(call.app.registry.resource_types()?.iter().filter_map(row));
    rows.retain(|row| row.name.caseless().contains(&wanted));
    rows.sort_by_cached_key(|row| row.name.caseless());
    let after = call.query.get("after").unwrap_or_default().caseless();
    let is_behind = |row: &TypeRow| after.is_empty() || row.name.caseless() > after;
    let mut rows: Vec<TypeRow> = rows.into_iter().filter(is_behind).take(SHOWN + 1).collect();
    let has_more = rows.len() > SHOWN;
    rows.truncate(SHOWN);
    let last = rows.last().filter(|_| has_more);
    let next = last.map(|last| {
        let encoded = |text: &str| utf8_percent_encode(text, UNSAFE).to_string();
        format!("/ui/types?name={}&after={}", encoded(&name), encoded(&last.name))
    });
    let body = pages::ui::type_list(&TypeList { name, rows, next });
    Ok(page_shell::page(StatusCode::OK, &page_shell::frame(call), Section::Types, "Resource types", &body))
}

fn built_in(it: &radius::registry::BuiltIn) -> TypeRow {
    TypeRow {
        name: it.name.to_owned(),
        versions: vec![it.version.to_owned()],
        description: "Built in.".to_owned(),
        link: link(it.name),
    }
}

fn row(registered: &RegisteredType) -> Option<TypeRow> {
    let it = registered.resource_type()?;
    let name = registered.full_name();
    Some(TypeRow {
        link: link(&name),
        name,
        versions: it.versions.iter().map(|version| version.name.to_string()).collect(),
        description: it.description.as_deref().unwrap_or_default().to_owned(),
    })
}

/// The address of the page of a type.
pub(super) fn link(full_name: &str) -> String {
    format!("/ui/types/{}", utf8_percent_encode(full_name, UNSAFE_IN_PATH))
}

fn one(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let name = format!("{}/{}", call.path.get("namespace"), call.path.get("type"));
    let kind = kind(call, &name, call.query.get("version").filter(|version| !version.is_empty()))?;
    page(call, &kind, String::new(), None)
}

/// A version of a type. Where none is named and there is no default, the newest is meant.
fn kind(call: &RoutedRequest, name: &str, version: Option<&str>) -> Result<ResourceTypeVersion, ApiError> {
    let registry = &call.app.registry;
    if version.is_some() || radius::registry::built_in(name).is_some() {
        return Ok(registry.kind(name, version)?);
    }
    let found = registry.found_type(name)?;
    let it = found.resource_type();
    let default = it.and_then(|it| it.default_version.as_deref());
    let newest = it.and_then(|it| it.versions.iter().map(|version| &*version.name).max());
    Ok(registry.kind(name, default.or(newest))?)
}

/// The page of a type.
fn page(
    call: &RoutedRequest,
    kind: &ResourceTypeVersion,
    text: String,
    result: Option<CheckResult>,
) -> Result<HttpResponse, ApiError> {
    let registered = call.app.registry.resource_type(&kind.full_name)?;
    let it = registered.as_ref().and_then(RegisteredType::resource_type);
    let mut facts = Vec::new();
    if let Some(it) = it {
        facts.extend(it.default_version.as_deref().map(|version| ("Default version", version.to_owned())));
        let capabilities: Vec<&str> = it.capabilities.iter().map(|name| &**name).collect();
        if !capabilities.is_empty() {
            facts.push(("Capabilities", capabilities.join(", ")));
        }
    }
    let of_version =
        |version: &str| format!("{}?version={}", link(&kind.full_name), utf8_percent_encode(version, UNSAFE));
    let versions = match it {
        Some(it) => it.versions.iter().map(|it| it.name.to_string()).collect(),
        None => vec![kind.version.clone()],
    };
    let versions = versions.into_iter().map(|version| (version.clone(), of_version(&version))).collect();
    let (schema, is_cut) = schema::rows(&kind.schema);
    let view = TypeView {
        name: kind.full_name.clone(),
        description: it.and_then(|it| it.description.as_deref()).unwrap_or_default().to_owned(),
        facts,
        versions,
        version: kind.version.clone(),
        schema,
        is_cut,
        form: CheckForm { type_name: kind.full_name.clone(), version: kind.version.clone(), text, result },
    };
    let frame = page_shell::frame(call);
    let body = pages::ui::resource_type(&frame, &view);
    Ok(page_shell::page(StatusCode::OK, &frame, Section::Types, &kind.full_name, &body))
}

async fn check(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    // What is large is read where that hinders nobody.
    tokio::task::spawn_blocking(move || checked_page(&call)).await.map_err(|error| broken(&error))?
}

fn checked_page(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let form = Query::of_form(&call.body)?;
    let field = |name: &str| form.get(name).unwrap_or_default();
    let kind = kind(call, field("type"), Some(field("version")).filter(|version| !version.is_empty()))?;
    if kind.schema.contract(Purpose::Request).is_none() {
        return Err(ApiError::new("InvalidRequestContent", "the schema of the type cannot be used"));
    }
    // Forms send line breaks as two characters.
    let text = field("text").replace("\r\n", "\n");
    let result = resource_check::check(&*kind.schema, &text);
    let wants_part = call.headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    if wants_part.is_some_and(|accept| accept.contains(FRAGMENT)) {
        let part = pages::ui::check_result(Some(&result)).into_string();
        return Ok(page_shell::guarded(
            HttpResponse::text(StatusCode::OK, part).of_type("text/html; charset=utf-8"),
        ));
    }
    page(call, &kind, text, Some(result))
}
