//! Resource groups: put, get, change, delete, list, export.

use ::arm::{ObjectBuilder, Value};
use engine::core::{PutRequest, StepPolicy};
use http::{Method, StatusCode};
use store::ResourceId;

use super::filter::Filter;
use super::paging;
use super::stored;
use crate::access::Access;
use crate::api_error::ApiError;
use crate::body;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;
use ::arm::Caseless as _;

/// The longest name of a group.
const LONGEST_NAME: usize = 90;

/// How many records are read at once.
const LOOKED_AT: usize = 100;

/// The path of a group.
const ONE: &str = "/subscriptions/{subscription}/resourceGroups/{name}";

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::PUT,
        pattern: ONE,
        access: Access::Own,
        about: "Creates or changes a resource group.",
        handler: |call| Box::pin(put(call)),
    },
    HttpRoute {
        method: Method::GET,
        pattern: ONE,
        access: Access::Read,
        about: "Shows a resource group.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    HttpRoute {
        method: Method::HEAD,
        pattern: ONE,
        access: Access::Read,
        about: "Checks whether there is a resource group.",
        handler: |call| Box::pin(async move { head(&call) }),
    },
    HttpRoute {
        method: Method::PATCH,
        pattern: ONE,
        access: Access::Own,
        about: "Changes some of a resource group.",
        handler: |call| Box::pin(patch(call)),
    },
    HttpRoute {
        method: Method::DELETE,
        pattern: ONE,
        access: Access::Own,
        about: "Deletes a resource group with its resources.",
        handler: |call| Box::pin(delete(call)),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/subscriptions/{subscription}/resourceGroups",
        access: Access::List,
        about: "Lists resource groups.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/subscriptions/{subscription}/resourceGroups/{name}/exportTemplate",
        access: Access::Read,
        about: "Returns the resources of a group as a template.",
        handler: |call| Box::pin(async move { export(&call) }),
    },
];

fn id(call: &RoutedRequest) -> String {
    format!("/subscriptions/{}/resourceGroups/{}", call.path.get("subscription"), call.path.get("name"))
}

fn found(call: &RoutedRequest) -> Result<Value, ApiError> {
    call.api_version()?;
    stored::group(&call.app, call.path.get("subscription"), call.path.get("name"))
}

/// The group for those who read.
fn readable(call: &RoutedRequest) -> Result<Value, ApiError> {
    call.api_version()?;
    stored::readable_group(&call.app, call.path.get("subscription"), call.path.get("name"))
}

fn get(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    Ok(HttpResponse::ok(&readable(call)?))
}

fn head(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let is_there = readable(call).is_ok();
    Ok(HttpResponse::empty(if is_there { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND }))
}

async fn put(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    check_name(call.path.get("name"))?;
    let old = call.app.store().resource(&ResourceId::new(&id(&call)))?;
    let wanted = body_of(&call)?;
    let location = stored::str_member(&wanted, "location").filter(|location| !location.is_empty());
    let Some(location) = location else {
        return Err(ApiError::new("LocationRequired", "a resource group needs a `location`"));
    };
    if let Some(old) = &old {
        let old = stored::shown(&old.body)?;
        let is_other = |old: &str| !same_place(old, location);
        if let Some(place) = stored::str_member(&old, "location").filter(|place| is_other(place)) {
            let message = format!(
                "Invalid resource group location '{location}'. The Resource group already exists in location '{place}'."
            );
            return Err(ApiError::new("InvalidResourceGroupLocation", message));
        }
    }
    let group = keep(&call, old.as_ref().map(|old| old.id.as_str()), wanted).await?;
    Ok(HttpResponse::json(if old.is_some() { StatusCode::OK } else { StatusCode::CREATED }, &group))
}

/// Places are written with and without blanks.
fn same_place(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.replace(' ', "").caseless();
    letters(one) == letters(other)
}

async fn patch(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let old = found(&call)?;
    let changes = body_of(&call)?;
    let mut wanted = ObjectBuilder::default();
    for (name, value) in old.as_object().into_iter().flatten() {
        wanted.set(name.clone(), value.clone());
    }
    // Tags are replaced as a whole, as all members are.
    for (name, value) in changes.as_object().into_iter().flatten().filter(|(name, _)| name != "location") {
        wanted.set(name.clone(), value.clone());
    }
    let kept = call.app.store().resource(&ResourceId::new(&id(&call)))?;
    let kept = kept.as_ref().map(|kept| kept.id.as_str());
    Ok(HttpResponse::ok(&keep(&call, kept, wanted.finish()).await?))
}

/// What a request says of a group: what it may have, and nothing else.
fn body_of(call: &RoutedRequest) -> Result<Value, ApiError> {
    let document = body::read(&call.body)?;
    let invalid = |message: String| ApiError::new("InvalidRequestContent", message);
    let body = Value::from_view(document.root()).map_err(|error| invalid(error.to_string()))?;
    let Some(object) = body.as_object() else {
        return Err(invalid("a resource group is an object".to_owned()));
    };
    let mut wanted = ObjectBuilder::default();
    for (name, value) in object {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if object.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name)).count() > 1 {
            return Err(invalid(format!("a resource group has `{name}` twice, in different case")));
        }
        if value.is_null() || ["id", "name", "type", "properties"].into_iter().any(is) {
            continue;
        }
        let is_fine = match value {
            Value::Text(_) => is("location") || is("managedBy"),
            Value::Object(tags) => is("tags") && tags.iter().all(|(_, tag)| tag.as_str().is_some()),
            _ => false,
        };
        if !is_fine {
            return Err(invalid(format!(
                "the member `{name}` of a resource group is not understood; it has `location`, `tags` (strings by name) and `managedBy`"
            )));
        }
        wanted.set(name.clone(), value.clone());
    }
    Ok(wanted.finish())
}

/// Keeps a group. One that is there keeps the spelling of its name.
async fn keep(call: &RoutedRequest, kept: Option<&str>, body: Value) -> Result<Value, ApiError> {
    let wanted = StepPolicy { patch: false, ..StepPolicy::default() };
    let api_version = call.api_version()?.into();
    let id = kept.map_or_else(|| id(call), str::to_owned);
    let body = engine::admit_body(&id, body)?;
    let put =
        PutRequest { id: id.into(), kind: stored::GROUPS.into(), api_version, body, wanted, extension: None };
    call.app.host.engine().put_resource(&put).await?;
    found(call)
}

fn check_name(name: &str) -> Result<(), ApiError> {
    let is_fine = |letter: char| letter.is_alphanumeric() || "-_.()".contains(letter);
    let length = name.chars().count();
    if length > LONGEST_NAME || name.ends_with('.') || !name.chars().all(is_fine) {
        let message = format!(
            "the name `{name}` of the resource group is not valid: it has up to {LONGEST_NAME} letters, digits and `-_.()`, and does not end with a period"
        );
        return Err(ApiError::new("InvalidResourceGroup", message));
    }
    Ok(())
}

async fn delete(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    readable(&call)?;
    let id = id(&call);
    call.app.host.delete_group(&id).await?;
    Ok(HttpResponse::empty(StatusCode::OK))
}

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let filter = Filter::of(call, &["tagName", "tagValue"])?;
    let wanted = paging::PageRequest::of(call)?;
    let below = format!("/subscriptions/{}/resourceGroups/", call.path.get("subscription"));
    let mut page = paging::Page::default();
    let mut after = wanted.after.clone().unwrap_or_default();
    'looking: loop {
        let rows = call.app.store().resources_after(&below, &ResourceId::new(&after), LOOKED_AT)?;
        let is_last = rows.len() < LOOKED_AT;
        for row in rows {
            // Resources of groups stand between the groups: the rest of those of one is skipped.
            if let Some(group) = around(&row.id) {
                if call.app.store().resource(&ResourceId::new(group))?.is_none() {
                    // Nobody put it, and it is there for what is in it.
                    if page.items.len() == wanted.take {
                        page.next = Some(after);
                        break 'looking;
                    }
                    let name = group.rsplit('/').next().unwrap_or_default();
                    let group = stored::readable_group(&call.app, call.path.get("subscription"), name)?;
                    if stored::has_tag(&group, &filter) {
                        page.items.push(group.to_json());
                    }
                }
                let behind = format!("{group}/{}", char::MAX);
                if ResourceId::new(&behind) > ResourceId::new(&row.id) {
                    after = behind;
                    continue 'looking;
                }
                after = row.id;
                continue;
            }
            if page.items.len() == wanted.take {
                page.next = Some(after);
                break 'looking;
            }
            after = row.id;
            let group = stored::shown(&row.body)
                .unwrap_or_else(|_| engine::records::damaged(&after, &"the record cannot be read"));
            if stored::has_tag(&group, &filter) {
                page.items.push(group.to_json());
            }
        }
        if is_last {
            break;
        }
    }
    wanted.answer(call, below.trim_end_matches('/'), page)
}

/// The group that a resource is in; none for a group itself.
fn around(id: &str) -> Option<&str> {
    let (end, _) = id.match_indices('/').nth(4)?;
    id.get(..end)
}

/// The resources of a group as a template: what is kept of them, without what services added.
fn export(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let group = readable(call)?;
    let below = format!("{}/providers/", stored::str_member(&group, "id").unwrap_or_default());
    let (mut resources, mut bytes) = (Vec::new(), 0);
    for row in store::scan_resources(call.app.store(), &below, "") {
        let row = row?;
        bytes += row.body.len();
        if bytes > call.app.limits.body {
            let message = format!(
                "the resources of the group have more than {} MiB together, and are too many for one template; list them instead",
                call.app.limits.body >> 20
            );
            return Err(ApiError::new("ResponseTooLarge", message));
        }
        let kept = engine::records::parse(&row.body)?;
        let Some(body) = kept.as_object().and_then(|kept| kept.get("body")).and_then(Value::as_object) else {
            continue;
        };
        let mut resource = ObjectBuilder::default();
        for (name, value) in body.iter().filter(|(name, _)| name != "id") {
            resource.set(name.clone(), value.clone());
        }
        if let Some(name) = full_name(&row.id, &below) {
            resource.set("name".into(), Value::text(name));
        }
        resources.push(resource.finish());
    }
    let template = Value::object([
        (
            "$schema",
            Value::text("https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"),
        ),
        ("contentVersion", Value::text("1.0.0.0")),
        ("resources", Value::array(resources)),
    ]);
    Ok(HttpResponse::ok(&Value::object([("template", template)])))
}

/// The name of a resource with those that it is inside of, as templates write it; none for what extends another one.
fn full_name(id: &str, below: &str) -> Option<String> {
    let rest = id.get(below.len()..)?;
    if rest.caseless().contains("/providers/") {
        return None;
    }
    let names: Vec<&str> = rest.split('/').skip(2).step_by(2).collect();
    Some(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_resources_are_whole() {
        assert_eq!(around("/subscriptions/s/resourceGroups/g"), None);
        assert_eq!(
            around("/subscriptions/s/resourceGroups/g/providers/x"),
            Some("/subscriptions/s/resourceGroups/g")
        );
        assert_eq!(full_name("/g/providers/A.B/c/d/e/f", "/g/providers/").as_deref(), Some("d/f"));
        assert_eq!(full_name("/g/providers/A.B/c/d/providers/E.F/g/h", "/g/providers/"), None);
    }
}
