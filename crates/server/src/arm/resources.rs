//! Resources of any type by their ids: get, put, change, delete, list, actions.

use ::arm::evaluate::Scope;
use ::arm::{ObjectBuilder, Value};
use engine::core::{Act, PutRequest, StepPolicy};
use http::{Method, StatusCode};

use super::filter::Filter;
use super::{paging, stored};
use crate::access::Access;
use crate::api_error::ApiError;
use crate::body;
use crate::bounded_rows;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;
use ::arm::Caseless as _;

/// How many records are read at once.
const LOOKED_AT: usize = 200;

/// What can be compared in a filter.
const FILTERED: &[&str] = &["resourceType", "name", "location", "resourceGroup", "tagName", "tagValue"];

/// What lists show of a resource.
const LISTED: &[&str] =
    &["id", "name", "type", "location", "tags", "kind", "sku", "plan", "identity", "managedBy", "zones"];

/// Lists of all resources.
pub(super) const LISTS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/subscriptions/{subscription}/resources",
        access: Access::List,
        about: "Lists the resources of a subscription.",
        handler: |call| Box::pin(async move { list_all(&call, "") }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/subscriptions/{subscription}/resourceGroups/{name}/resources",
        access: Access::Read,
        about: "Lists the resources of a resource group.",
        handler: |call| Box::pin(async move { list_group(&call) }),
    },
];

/// Requests for one resource, or for all of a type.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "{scope}/providers/{rest*}",
        access: Access::Read,
        about: "Shows a resource, or lists those of a type.",
        handler: |call| Box::pin(get(call)),
    },
    HttpRoute {
        method: Method::HEAD,
        pattern: "{scope}/providers/{rest*}",
        access: Access::Read,
        about: "Checks whether there is a resource.",
        handler: |call| Box::pin(head(call)),
    },
    HttpRoute {
        method: Method::PUT,
        pattern: "{scope}/providers/{rest*}",
        access: Access::Deploy,
        about: "Creates or replaces a resource.",
        handler: |call| Box::pin(put(call)),
    },
    HttpRoute {
        method: Method::PATCH,
        pattern: "{scope}/providers/{rest*}",
        access: Access::Deploy,
        about: "Changes some of a resource.",
        handler: |call| Box::pin(patch(call)),
    },
    HttpRoute {
        method: Method::DELETE,
        pattern: "{scope}/providers/{rest*}",
        access: Access::Deploy,
        about: "Deletes a resource and what is inside it.",
        handler: |call| Box::pin(delete(call)),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "{scope}/providers/{rest*}",
        access: Access::Deploy,
        about: "Calls an action of a resource, such as `listKeys`.",
        handler: |call| Box::pin(act(call)),
    },
];

/// What a path names.
#[derive(Debug, PartialEq, Eq)]
struct ResourcePath {
    /// The id, or what the ids of a collection begin with.
    id: String,
    kind: String,
    /// The name, with those that it is inside of; nothing for a collection.
    name: Option<String>,
    /// The id of the resource that it is inside of, if it is.
    parent: Option<String>,
}

impl ResourcePath {
    /// Takes apart what stands behind `providers`: a namespace, then types and names in turn. What extends another resource
    /// stands behind another `providers`.
    fn of(scope: &Scope, rest: &str) -> Option<ResourcePath> {
        let parts: Vec<&str> = rest.split('/').collect();
        let last = parts.iter().rposition(|part| part.eq_ignore_ascii_case("providers"));
        let (before, own) = parts.split_at_checked(last.map_or(0, |at| at + 1))?;
        let (namespace, pairs) = own.split_first()?;
        if pairs.is_empty() {
            return None;
        }
        // What is extended has a namespace, types and names, too.
        let is_whole = |part: &[&str]| part.len() >= 3 && part.len() % 2 == 1;
        let extended = before.split_last().map_or(before, |(_, extended)| extended);
        let mut bases = extended.split(|part| part.eq_ignore_ascii_case("providers"));
        if !extended.is_empty() && !bases.all(is_whole) {
            return None;
        }
        let kind =
            pairs.iter().step_by(2).fold((*namespace).to_owned(), |kind, part| format!("{kind}/{part}"));
        let names: Vec<&str> = pairs.iter().skip(1).step_by(2).copied().collect();
        let is_collection = pairs.len() % 2 == 1;
        let base = format!("{}/providers/", scope.id());
        let parent_parts = pairs.len() - if is_collection { 1 } else { 2 };
        let parent = (parent_parts > 0).then(|| {
            let kept = parts.len() - (pairs.len() - parent_parts);
            format!("{base}{}", parts.get(..kept).unwrap_or_default().join("/"))
        });
        let name = (!is_collection).then(|| names.join("/"));
        Some(ResourcePath { id: format!("{base}{rest}"), kind, name, parent })
    }

    fn missing(&self, scope: &Scope) -> ApiError {
        let place = match scope {
            Scope::ResourceGroup { name, .. } => format!(" under resource group '{name}'"),
            Scope::Unknown
            | Scope::Tenant
            | Scope::ManagementGroup(_)
            | Scope::Subscription(_)
            | Scope::Plane { .. } => String::new(),
        };
        let named = format!("{}/{}", self.kind, self.name.as_deref().unwrap_or_default());
        ApiError::new("ResourceNotFound", format!("The Resource '{named}'{place} was not found."))
    }
}

/// What a request names, in a group that is there.
fn named(call: &RoutedRequest) -> Result<(&Scope, ResourcePath), ApiError> {
    let scope = &call.path.scope;
    call.api_version()?;
    stored::check_readable(&call.app, scope)?;
    let rest = call.path.get("rest");
    let named = ResourcePath::of(scope, rest).ok_or_else(|| {
        let message = format!("`{rest}` names no resource: a namespace, a type and a name are expected");
        ApiError::new("InvalidResourceType", message)
    })?;
    Ok((scope, named))
}

/// The same for requests that are about one resource.
fn one(call: &RoutedRequest) -> Result<(&Scope, ResourcePath), ApiError> {
    let (scope, named) = named(call)?;
    if named.name.is_none() {
        let message = format!("`{}` names a type; this request needs the name of a resource", named.id);
        return Err(ApiError::method(message, &[Method::GET]));
    }
    Ok((scope, named))
}

async fn get(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let (scope, named) = named(&call)?;
    if named.name.is_none() {
        return list_kind(&call, scope, &named);
    }
    match call.app.host.engine().resource(&named.id, call.api_version()?).await? {
        Some(state) => Ok(HttpResponse::ok(&stored::without_version(&state))),
        None => Err(named.missing(scope)),
    }
}

async fn head(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let (_, named) = one(&call)?;
    let found = call.app.host.engine().resource(&named.id, call.api_version()?).await?;
    Ok(HttpResponse::empty(if found.is_some() { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND }))
}

async fn put(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let (_, named) = one(&call)?;
    let engine = call.app.host.engine();
    let version = call.api_version()?;
    if let Some(parent) = &named.parent
        && engine.resource(parent, version).await?.is_none()
    {
        let message = format!(
            "Can not perform requested operation on nested resource. Parent resource '{parent}' not found."
        );
        return Err(ApiError::new("ParentResourceNotFound", message));
    }
    let is_there = engine.resource(&named.id, version).await?.is_some();
    let state = change(&call, &named, false).await?;
    Ok(HttpResponse::json(if is_there { StatusCode::OK } else { StatusCode::CREATED }, &state))
}

async fn patch(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let (scope, named) = one(&call)?;
    if call.app.host.engine().resource(&named.id, call.api_version()?).await?.is_none() {
        return Err(named.missing(scope));
    }
    Ok(HttpResponse::ok(&change(&call, &named, true).await?))
}

/// Puts a resource, or changes some of it.
async fn change(call: &RoutedRequest, named: &ResourcePath, patch: bool) -> Result<Value, ApiError> {
    let document = body::read(&call.body)?;
    let invalid = |message: String| ApiError::new("InvalidRequestContent", message);
    let body = Value::from_view(document.root()).map_err(|error| invalid(error.to_string()))?;
    if body.as_object().is_none() {
        return Err(invalid("a resource is an object".to_owned()));
    }
    let last = named.name.as_deref().and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    let own = [("id", named.id.as_str()), ("type", named.kind.as_str()), ("name", last)];
    for (member, expected) in own {
        let said = stored::str_member(&body, member);
        let is_other = |said: &str| {
            let whole = named.name.as_deref().is_some_and(|name| said.eq_ignore_ascii_case(name));
            !said.eq_ignore_ascii_case(expected) && (member != "name" || !whole)
        };
        if let Some(said) = said.filter(|said| is_other(said)) {
            return Err(invalid(format!(
                "the `{member}` of the resource is `{said}`, and its path says `{expected}`"
            )));
        }
    }
    let body = engine::admit_body(&named.id, body)?;
    let put = PutRequest {
        id: named.id.as_str().into(),
        kind: named.kind.as_str().into(),
        api_version: call.api_version()?.into(),
        body,
        wanted: StepPolicy { patch, ..StepPolicy::default() },
        extension: None,
    };
    let engine = call.app.host.engine();
    let state = engine.put_resource(&put).await?;
    // What is kept has no secrets; the answer to a put repeats them.
    let shown = engine.resource(&put.id, &put.api_version).await?;
    Ok(stored::without_version(&shown.unwrap_or(state)))
}

async fn delete(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let (_, named) = one(&call)?;
    let engine = call.app.host.engine();
    if engine.resource(&named.id, call.api_version()?).await?.is_none() {
        return Ok(HttpResponse::empty(StatusCode::NO_CONTENT));
    }
    engine.delete_resource(&named.id).await?;
    Ok(HttpResponse::empty(StatusCode::OK))
}

async fn act(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let (scope, named) = named(&call)?;
    // The action stands where the name of a type would.
    let (Some(parent), None) = (&named.parent, &named.name) else {
        let others = [Method::GET, Method::HEAD, Method::PUT, Method::PATCH, Method::DELETE];
        return Err(ApiError::method("an action stands behind the name of a resource", &others));
    };
    let action = named.id.rsplit('/').next().unwrap_or_default();
    let body = std::str::from_utf8(&call.body).unwrap_or_default();
    let api_version = call.api_version()?.into();
    let act = Act { id: parent.into(), action: action.into(), api_version, body: body.into() };
    match call.app.host.engine().act(&act).await? {
        // Whoever may call it gets what it gives, keys included.
        Some(result) => Ok(HttpResponse::text(StatusCode::OK, result.expose().to_json())),
        None => {
            let rest = parent.get(format!("{}/providers/", scope.id()).len()..).unwrap_or_default();
            Err(ResourcePath::of(scope, rest)
                .map_or_else(|| named.missing(scope), |parent| parent.missing(scope)))
        }
    }
}

fn list_group(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let name = call.path.get("name");
    stored::readable_group(&call.app, call.path.get("subscription"), name)?;
    list_all(call, &format!("/resourceGroups/{name}"))
}

/// The resources below a subscription, or below one of its groups.
fn list_all(call: &RoutedRequest, group: &str) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let filter = Filter::of(call, FILTERED)?;
    let wanted = paging::PageRequest::of(call)?;
    let below = format!("/subscriptions/{}{group}/", call.path.get("subscription"));
    let page = page(call, &below, &wanted, |id, body| {
        let is_shown = id.caseless().contains("/providers/") && passes(&filter, id, body);
        is_shown.then(|| listed(body).to_json())
    })?;
    wanted.answer(call, &format!("{below}resources"), page)
}

/// A page of the resources below an id, as far as they are shown.
fn page(
    call: &RoutedRequest,
    below: &str,
    wanted: &paging::PageRequest,
    show: impl Fn(&str, &Value) -> Option<String>,
) -> Result<paging::Page, ApiError> {
    let mut page = paging::Page::default();
    let mut after = wanted.after.clone().unwrap_or_default();
    loop {
        let read = bounded_rows::resources(call.app.store(), below, &after, LOOKED_AT)?;
        let is_last = read.is_last;
        for row in read.rows {
            let shown = match stored::shown(&row.body) {
                Ok(body) => show(&row.id, &body),
                // One that cannot be read does not hide the others.
                Err(_) => {
                    let stub = engine::records::damaged(&row.id, &"the record cannot be read");
                    show(&row.id, &stub).map(|_| stub.to_json())
                }
            };
            let Some(shown) = shown else {
                after = row.id;
                continue;
            };
            // One more than a page has tells that another page follows.
            if wanted.is_full(&page) {
                page.next = Some(after);
                return Ok(page);
            }
            after = row.id;
            page.push(shown);
        }
        if is_last {
            return Ok(page);
        }
    }
}

/// The resources of a type: in a scope and the groups of it, or inside of a resource.
fn list_kind(call: &RoutedRequest, scope: &Scope, named: &ResourcePath) -> Result<HttpResponse, ApiError> {
    let filter = Filter::of(call, FILTERED)?;
    let wanted = paging::PageRequest::of(call)?;
    let below = match &named.parent {
        Some(parent) => format!("{parent}/"),
        None => format!("{}/", scope.id()),
    };
    let page = page(call, &below, &wanted, |id, body| {
        let is_kind =
            stored::str_member(body, "type").is_some_and(|kind| kind.eq_ignore_ascii_case(&named.kind));
        (is_kind && passes(&filter, id, body))
            .then(|| bounded_rows::in_list(body.to_json(), |_| Some(body.clone())))
    })?;
    wanted.answer(call, &named.id, page)
}

fn passes(filter: &Filter, id: &str, body: &Value) -> bool {
    let group = id.split('/').nth(4);
    let fits = filter.without_tags().passes(|name| match name {
        "resourceType" => stored::str_member(body, "type"),
        "resourceGroup" => group,
        other => stored::str_member(body, other),
    });
    fits && stored::has_tag(body, filter)
}

/// What a list shows of a resource.
fn listed(body: &Value) -> Value {
    let mut shown = ObjectBuilder::default();
    for (name, value) in body.as_object().into_iter().flatten() {
        if LISTED.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            shown.set(name.clone(), value.clone());
        }
    }
    shown.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group() -> Scope {
        Scope::ResourceGroup { subscription: "s".into(), name: "g".into() }
    }

    #[test]
    fn paths_name_resources_collections_and_actions() {
        let named = ResourcePath::of(&group(), "A.B/c/d/e/f").unwrap();
        assert_eq!((named.kind.as_str(), named.name.as_deref()), ("A.B/c/e", Some("d/f")));
        assert_eq!(named.parent.as_deref(), Some("/subscriptions/s/resourceGroups/g/providers/A.B/c/d"));
        let keys = ResourcePath::of(&group(), "A.B/c/d/listKeys").unwrap();
        assert_eq!((keys.name, keys.parent), (None, named.parent));
        let top = ResourcePath::of(&group(), "A.B/c").unwrap();
        assert_eq!((top.kind.as_str(), top.name, top.parent), ("A.B/c", None, None));
        assert_eq!(ResourcePath::of(&group(), "A.B"), None);
    }

    #[test]
    fn what_extends_a_resource_has_a_type_of_its_own() {
        let named = ResourcePath::of(&group(), "A.B/c/d/providers/E.F/g/h").unwrap();
        assert_eq!((named.kind.as_str(), named.name.as_deref(), named.parent), ("E.F/g", Some("h"), None));
        assert_eq!(named.id, "/subscriptions/s/resourceGroups/g/providers/A.B/c/d/providers/E.F/g/h");
        assert_eq!(ResourcePath::of(&group(), "A.B/c/providers/E.F/g/h"), None);
    }
}
