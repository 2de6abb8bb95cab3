//! The registry: resource providers, their locations, their types, and versions of those.

use ::radius::registry::{BrokenResource, Provider, ProviderLocation, RegisteredType, RequestForm};
use ::radius::{ManifestDialect, ResourceType};
use arm::Caseless as _;
use contract::Admitted;
use document::{Document, FileId, ReadLimits, SourceValue};
use http::header::CONTENT_TYPE;
use http::{Method, StatusCode};

use super::elsewhere;
use super::list::PageRequest;
use super::request_scope::{escaped, of_plane, quoted};
use crate::access::Access;
use crate::api_error::ApiError;
use crate::body;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

/// Makes a row: what it changes others depend on, and what it reads says nothing of anybody's resources.
macro_rules! row {
    ($method:ident $path:literal $access:ident $handler:ident $about:literal) => {
        HttpRoute {
            method: Method::$method,
            pattern: concat!("/planes/radius/{plane}/providers/System.Resources/resourceProviders", $path),
            access: Access::$access,
            about: $about,
            handler: |call| elsewhere(call, $handler),
        }
    };
}

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    row!(GET "" Somebody list_providers "Lists the resource providers."),
    row!(POST "" Own register "Registers the types of manifests, all or none; `type`, `dialect` and `force` as the command line has them."),
    row!(GET "/{namespace}" Somebody get_provider "Shows a resource provider."),
    row!(PUT "/{namespace}" Own put_provider "Makes a resource provider."),
    row!(DELETE "/{namespace}" Own delete_provider "Deletes a resource provider with its types."),
    row!(GET "/{namespace}/locations" Somebody list_locations "Lists the locations of a provider."),
    row!(GET "/{namespace}/locations/{location}" Somebody get_location "Shows a location of a provider."),
    row!(PUT "/{namespace}/locations/{location}" Own put_location "Makes a location of a provider, or changes it."),
    row!(DELETE "/{namespace}/locations/{location}" Own delete_location "Deletes a location of a provider."),
    row!(GET "/{namespace}/resourceTypes" Somebody list_types "Lists the types of a provider."),
    row!(GET "/{namespace}/resourceTypes/{type}" Somebody get_type "Shows a type."),
    row!(PUT "/{namespace}/resourceTypes/{type}" Own put_type "Makes a type, or changes what it says of itself."),
    row!(DELETE "/{namespace}/resourceTypes/{type}" Own delete_type "Deletes a type with its versions."),
    row!(GET "/{namespace}/resourceTypes/{type}/icons/{hash}" Somebody get_icon "Gives the icon of a type."),
    row!(GET "/{namespace}/resourceTypes/{type}/apiVersions" Somebody list_versions "Lists the versions of a type."),
    row!(GET "/{namespace}/resourceTypes/{type}/apiVersions/{version}" Somebody get_version "Shows a version of a type."),
    row!(PUT "/{namespace}/resourceTypes/{type}/apiVersions/{version}" Own put_version "Makes a version of a type, or changes its schema."),
    row!(DELETE "/{namespace}/resourceTypes/{type}/apiVersions/{version}" Own delete_version "Deletes a version of a type."),
];

/// What the ids of providers begin with.
const IDS: &str = "/planes/radius/local/providers/System.Resources/resourceProviders";

const DONE: &str = "\"provisioningState\":\"Succeeded\"";

/// `201` for what is new, `200` for what was there.
fn put_status(is_new: bool) -> StatusCode {
    if is_new { StatusCode::CREATED } else { StatusCode::OK }
}

/// `200` for what was there, `204` for what was not.
fn deleted(was_there: bool) -> HttpResponse {
    HttpResponse::empty(if was_there { StatusCode::OK } else { StatusCode::NO_CONTENT })
}

/// The full name of the type of a request.
fn full_name(call: &RoutedRequest) -> String {
    format!("{}/{}", call.path.get("namespace"), call.path.get("type"))
}

fn is_forced(call: &RoutedRequest) -> bool {
    call.query.get("force").is_some_and(|text| text.eq_ignore_ascii_case("true"))
}

/// The properties of a body, if it has any.
fn properties<'d>(body: &Admitted<SourceValue<'d>>) -> Option<SourceValue<'d>> {
    body.get().member("properties").filter(|it| it.node() != contract::Node::Null)
}

fn list_providers(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let wanted = PageRequest::of(call)?;
    let items = wanted.of_all(
        of_plane(call)?.providers()?,
        |(it, _)| it.namespace.caseless(),
        |(it, _)| shown_provider(it),
    );
    wanted.answer(call, IDS, items)
}

/// The body is a manifest in JSON, or a list of some. What is wrong with one is said at its pointers.
fn register(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let registry = of_plane(call)?;
    let dialect = match call.query.get("dialect") {
        None => ManifestDialect::default(),
        Some(text) if text.eq_ignore_ascii_case("radius") => ManifestDialect::Radius,
        Some(_) => return Err(ApiError::new("BadRequest", "the `dialect` can only be `radius`")),
    };
    let document = body::read_within(&call.body, &::radius::LIMITS)?;
    let manifests = match document.root().node() {
        contract::Node::List(_) => document.root().items().map(|it| it.to_string()).collect(),
        _ => vec![document.root().to_string()],
    };
    let read = |text: String| {
        let read = Document::from_json(text, FileId::FIRST, &::radius::LIMITS);
        read.map_err(|error| ApiError::new("InvalidRequestContent", error.to_string()))
    };
    let manifests = manifests.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let manifests: Vec<&Document> = manifests.iter().collect();
    let registered = registry.register_all(&manifests, call.query.get("type"), dialect, is_forced(call))?;
    let items: Vec<String> = registered
        .iter()
        .map(|it| {
            let (name, is_new) = (quoted(&it.name), it.is_new);
            format!("{{\"name\":{name},\"isNew\":{is_new}{}}}", left_broken(&it.broken))
        })
        .collect();
    Ok(HttpResponse::text(StatusCode::OK, format!("{{\"value\":[{}]}}", items.join(","))))
}

/// The resources that a change that was forced leaves broken, as a member; nothing if there are none.
fn left_broken(broken: &[BrokenResource]) -> String {
    if broken.is_empty() {
        return String::new();
    }
    let items = broken.iter().map(|it| {
        let problems: Vec<String> = it.problems().map(|problem| quoted(&problem)).collect();
        format!("{{\"id\":{},\"problems\":[{}]}}", quoted(&it.id), problems.join(","))
    });
    format!(",\"leftBroken\":[{}]", items.collect::<Vec<_>>().join(","))
}

fn get_provider(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let provider = of_plane(call)?.known_provider(call.path.get("namespace"))?;
    Ok(HttpResponse::text(StatusCode::OK, shown_provider(&provider)))
}

fn put_provider(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let registry = of_plane(call)?;
    RequestForm::Provider.admit(body::read(&call.body)?.root())?;
    let (provider, is_new) = registry.put_provider(call.path.get("namespace"))?;
    Ok(HttpResponse::text(put_status(is_new), shown_provider(&provider)))
}

fn delete_provider(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    Ok(deleted(of_plane(call)?.delete_provider(call.path.get("namespace"), is_forced(call))?))
}

fn shown_provider(provider: &Provider) -> String {
    format!(
        "{{\"id\":{},\"name\":{},\"type\":\"System.Resources/resourceProviders\",\"location\":\"global\",\"properties\":{{{DONE}}}}}",
        quoted(&format!("{IDS}/{}", provider.namespace)),
        quoted(&provider.namespace)
    )
}

fn list_locations(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let wanted = PageRequest::of(call)?;
    let registry = of_plane(call)?;
    let provider = registry.known_provider(call.path.get("namespace"))?;
    let types = registry.types_of(&provider.namespace)?;
    let items = wanted.of_all(
        &provider.locations,
        |it| it.name.caseless(),
        |it| shown_location(&provider.namespace, it, &types),
    );
    wanted.answer(call, &format!("{IDS}/{}/locations", escaped(&provider.namespace)), items)
}

fn get_location(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let registry = of_plane(call)?;
    let provider = registry.known_provider(call.path.get("namespace"))?;
    let name = call.path.get("location");
    let Some(location) = provider.locations.iter().find(|it| it.name.eq_ignore_ascii_case(name)) else {
        return Err(ApiError::new("NotFound", format!("the location `{name}` was not found")));
    };
    let types = registry.types_of(&provider.namespace)?;
    Ok(HttpResponse::text(StatusCode::OK, shown_location(&provider.namespace, location, &types)))
}

/// The types that a client lists are not looked at: a location has those that are registered.
fn put_location(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let registry = of_plane(call)?;
    let document = body::read(&call.body)?;
    let body = RequestForm::Location.admit(document.root())?;
    let address = properties(&body).and_then(|it| it.member("address")?.as_str());
    let namespace = call.path.get("namespace");
    let (location, is_new) = registry.put_location(namespace, call.path.get("location"), address)?;
    let provider = registry.known_provider(namespace)?;
    let types = registry.types_of(namespace)?;
    Ok(HttpResponse::text(put_status(is_new), shown_location(&provider.namespace, &location, &types)))
}

fn delete_location(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let registry = of_plane(call)?;
    let namespace = call.path.get("namespace");
    if registry.provider(namespace)?.is_none() {
        return Ok(deleted(false));
    }
    Ok(deleted(registry.delete_location(namespace, call.path.get("location"))?))
}

/// `resourceTypes` is there even if it is empty: clients add to it.
fn shown_location(namespace: &str, location: &ProviderLocation, types: &[RegisteredType]) -> String {
    let types = types.iter().filter_map(RegisteredType::resource_type).map(|it| {
        let versions: Vec<String> =
            it.versions.iter().map(|it| format!("{}:{{}}", quoted(&it.name))).collect();
        format!("{}:{{\"apiVersions\":{{{}}}}}", quoted(&it.name), versions.join(","))
    });
    let address = location.address.as_deref().map(|address| format!("\"address\":{},", quoted(address)));
    format!(
        "{{\"id\":{},\"name\":{},\"type\":\"System.Resources/resourceProviders/locations\",\"properties\":{{{}\"resourceTypes\":{{{}}},{DONE}}}}}",
        quoted(&format!("{IDS}/{namespace}/locations/{}", location.name)),
        quoted(&location.name),
        address.unwrap_or_default(),
        types.collect::<Vec<_>>().join(",")
    )
}

fn list_types(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let wanted = PageRequest::of(call)?;
    let registry = of_plane(call)?;
    let provider = registry.known_provider(call.path.get("namespace"))?;
    let items = wanted.of_all(
        registry.types_of(&provider.namespace)?,
        |it| it.full_name().caseless(),
        |it| shown_type(call, it),
    );
    wanted.answer(call, &format!("{IDS}/{}/resourceTypes", escaped(&provider.namespace)), items)
}

fn get_type(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let found = of_plane(call)?.found_type(&full_name(call))?;
    Ok(HttpResponse::text(StatusCode::OK, shown_type(call, &found)))
}

/// What clients may say of a type; the rest of what they send is the server's.
const ABOUT: &[&str] = &["description", "capabilities", "defaultApiVersion"];

fn put_type(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let registry = of_plane(call)?;
    let document = body::read(&call.body)?;
    let body = RequestForm::Type.admit(document.root())?;
    let given = |name: &str| properties(&body)?.member(name).filter(|it| it.node() != contract::Node::Null);
    let members = ABOUT.iter().filter_map(|name| Some(format!("{}:{}", quoted(name), given(name)?)));
    let members: Vec<String> = members.collect();
    let icon = given("icon").and_then(|icon| icon.as_str());
    if let Some(icon) = icon {
        ::radius::registry::check_icon(icon)?;
    }
    let envelope =
        Document::from_json(format!("{{{}}}", members.join(",")), FileId::FIRST, &ReadLimits::DEFAULT)
            .map_err(|error| ApiError::new("InvalidRequestContent", error.to_string()))?;
    let (registered, is_new) = registry.put_type(&full_name(call), envelope.root())?;
    if let Some(icon) = icon {
        registry.put_icon(&registered.full_name(), icon)?;
    }
    Ok(HttpResponse::text(put_status(is_new), shown_type(call, &registered)))
}

fn delete_type(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    Ok(deleted(of_plane(call)?.delete_type(&full_name(call), is_forced(call))?))
}

/// What a type says of itself, as members.
pub(super) fn about(it: &ResourceType) -> String {
    let capabilities: Vec<String> = it.capabilities.iter().map(|name| quoted(name)).collect();
    let mut members = vec![format!("\"capabilities\":[{}]", capabilities.join(","))];
    let texts = [("defaultApiVersion", &it.default_version), ("description", &it.description)];
    for (name, text) in texts {
        members.extend(text.as_deref().map(|text| format!("\"{name}\":{}", quoted(text))));
    }
    members.join(",")
}

fn shown_type(call: &RoutedRequest, registered: &RegisteredType) -> String {
    let Some(it) = registered.resource_type() else { return "{}".to_owned() };
    let icon = call.app.registry.icon(&registered.full_name()).ok().flatten();
    let icon = icon.map(|icon| format!(",\"iconHash\":{}", quoted(&icon.hash)));
    format!(
        "{{\"id\":{},\"name\":{},\"type\":\"System.Resources/resourceProviders/resourceTypes\",\"properties\":{{{}{},{DONE}}}}}",
        quoted(&type_id(registered, it)),
        quoted(&it.name),
        about(it),
        icon.unwrap_or_default()
    )
}

fn type_id(registered: &RegisteredType, it: &ResourceType) -> String {
    format!("{IDS}/{}/resourceTypes/{}", registered.manifest.namespace, it.name)
}

fn get_icon(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let found = of_plane(call)?.icon(&full_name(call))?;
    match found.filter(|icon| icon.hash.eq_ignore_ascii_case(call.path.get("hash"))) {
        // A browser that opens it runs nothing of it.
        Some(icon) => Ok(HttpResponse::text(StatusCode::OK, icon.svg).header(CONTENT_TYPE, "image/svg+xml")),
        None => Err(ApiError::new("NotFound", "there is no such icon")),
    }
}

fn list_versions(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let wanted = PageRequest::of(call)?;
    let registered = of_plane(call)?.found_type(&full_name(call))?;
    let known = registered.resource_type();
    let versions = known.into_iter().flat_map(|it| it.versions.iter().map(move |version| (it, version)));
    let items = wanted.of_all(
        versions,
        |(_, version)| version.name.to_string(),
        |(it, version)| shown_version(&registered, it, &version.name),
    );
    let path = known.map_or(IDS.to_owned(), |it| format!("{}/apiVersions", type_id(&registered, it)));
    wanted.answer(call, &path, items)
}

fn get_version(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let registered = of_plane(call)?.found_type(&full_name(call))?;
    let version = call.path.get("version");
    match registered.resource_type().filter(|it| it.versions.iter().any(|it| &*it.name == version)) {
        Some(it) => Ok(HttpResponse::text(StatusCode::OK, shown_version(&registered, it, version))),
        None => Err(ApiError::new("NotFound", format!("the version `{version}` was not found"))),
    }
}

fn put_version(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let registry = of_plane(call)?;
    let document = body::read_within(&call.body, &::radius::LIMITS)?;
    let body = RequestForm::Version.admit(document.root())?;
    let Some(schema) = properties(&body).and_then(|it| it.member("schema")) else {
        return Err(ApiError::new("InvalidRequestContent", "the version has no `schema`"));
    };
    let version = call.path.get("version");
    let (registered, is_new, broken) =
        registry.put_version(&full_name(call), version, schema, is_forced(call))?;
    let shown = registered.resource_type().map(|it| shown_version(&registered, it, version));
    let shown = shown.unwrap_or_default();
    let shown = shown.strip_suffix('}').map(|shown| format!("{shown}{}}}", left_broken(&broken)));
    Ok(HttpResponse::text(put_status(is_new), shown.unwrap_or_default()))
}

fn delete_version(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let version = call.path.get("version");
    let broken = of_plane(call)?.delete_version(&full_name(call), version, is_forced(call))?;
    match broken.as_deref() {
        None => Ok(deleted(false)),
        Some([]) => Ok(deleted(true)),
        Some(broken) => {
            let text = left_broken(broken);
            Ok(HttpResponse::text(StatusCode::OK, format!("{{{}}}", text.trim_start_matches(','))))
        }
    }
}

fn shown_version(registered: &RegisteredType, it: &ResourceType, version: &str) -> String {
    let schema = it.versions.iter().find(|it| &*it.name == version).map(|it| it.schema.to_json());
    format!(
        "{{\"id\":{},\"name\":{},\"type\":\"System.Resources/resourceProviders/resourceTypes/apiVersions\",\"properties\":{{\"schema\":{},{DONE}}}}}",
        quoted(&format!("{}/apiVersions/{version}", type_id(registered, it))),
        quoted(version),
        schema.unwrap_or_else(|| "{}".to_owned())
    )
}
