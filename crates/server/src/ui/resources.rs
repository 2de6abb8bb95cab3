//! Resources: the list of a scope, and one of them with its body and what it is related to.

use arm::Caseless as _;
use arm::Value;
use engine::records::parse;
use http::{Method, StatusCode};
use pages::ui::{Relation, ResourceList, ResourceRow, ResourceView, Section};
use percent_encoding::utf8_percent_encode;
use store::ResourceId;

use super::{page_shell, page_url, value};
use crate::access::Access;
use crate::api_error::ApiError;
use crate::bounded_rows;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::{RoutedRequest, UNSAFE_IN_PATH};
use crate::skip_token;

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/ui/resources",
        access: Access::List,
        about: "Shows resources: those of a scope, of a type, by name.",
        handler: |call| Box::pin(page_shell::apart(call, list)),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/ui/resources/{id*}",
        access: Access::Read,
        about: "Shows a resource with its body and what it is related to.",
        handler: |call| Box::pin(page_shell::apart(call, one)),
    },
];

/// How many resources a page shows, how many records are read at once, and how many are looked at for one page.
const SHOWN: usize = 100;
const LOOKED_AT: usize = 200;
const MOST_LOOKED_AT: usize = 5_000;

/// How many relations are shown.
const RELATED: usize = 100;

/// How many values of a body are looked at for ids.
const VALUES: usize = 20_000;

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let text = |name: &str| call.query.get(name).unwrap_or_default().trim().to_owned();
    let mut list = ResourceList {
        scope: text("scope"),
        kind: text("type"),
        name: text("name"),
        is_later: call.query.get("after").is_some(),
        ..ResourceList::default()
    };
    if !list.scope.is_empty() && !list.scope.starts_with('/') {
        let problem =
            format!("`{}` is not a scope: it begins with `/`, such as /subscriptions/ID", list.scope);
        list.problem = Some(problem);
        return Ok(shown(call, &list));
    }
    let below = match (list.scope.trim_end_matches('/'), call.caller.grants.as_slice()) {
        // Who sees one scope only looks there, and not at everybody else's resources. It may be that of a resource.
        ("", [only]) => only.scope.to_string(),
        ("", _) => "/".to_owned(),
        (scope, _) => format!("{scope}/"),
    };
    let (kind, name) = (list.kind.caseless(), list.name.caseless());
    let mut after = skip_token::opened(&call.app, &text("after")).unwrap_or_default();
    let mut looked_at = 0;
    loop {
        let read = bounded_rows::resources(call.app.store(), &below, &after, LOOKED_AT)?;
        let (records, is_last) = (read.rows, read.is_last);
        looked_at += records.len();
        for record in records {
            // One more than a page has tells that another page follows.
            let is_full = list.rows.len() == SHOWN;
            let id = Id::of(&record.id);
            let fits = is_resource(&record.id)
                && (kind.is_empty() || id.kind.eq_ignore_ascii_case(&kind))
                && (name.is_empty() || id.name.caseless().contains(&name))
                && call.caller.sees(&record.id);
            if fits && is_full {
                list.next = Some(next(call, &list, &after)?);
                break;
            }
            if fits {
                list.rows.push(row(&record, &id));
            }
            after = record.id.caseless();
        }
        if is_last || list.next.is_some() {
            break;
        }
        if looked_at >= MOST_LOOKED_AT {
            list.next = Some(next(call, &list, &after)?);
            list.is_partial = true;
            break;
        }
    }
    list.scopes = list.rows.iter().map(|row| row.scope.clone()).collect();
    list.scopes.dedup();
    Ok(shown(call, &list))
}

fn shown(call: &RoutedRequest, list: &ResourceList) -> HttpResponse {
    let body = pages::ui::resource_list(list);
    page_shell::page(StatusCode::OK, &page_shell::frame(call), Section::Resources, "Resources", &body)
}

/// The address of the page behind a place.
fn next(call: &RoutedRequest, list: &ResourceList, after: &str) -> Result<String, ApiError> {
    let after = skip_token::sealed(&call.app, after)?;
    let parts = [("scope", &*list.scope), ("type", &*list.kind), ("name", &*list.name), ("after", &*after)];
    Ok(page_url::with_query("/ui/resources", &parts))
}

/// Whether a record is a resource that people know of: what the registry keeps for itself is not.
fn is_resource(id: &str) -> bool {
    let lower = id.caseless();
    lower.contains("/providers/") && !lower.starts_with("/planes/radius/local/providers/system.resources/")
}

fn row(record: &store::Resource, id: &Id) -> ResourceRow {
    let body = parse(&record.body).ok();
    let body = body.as_ref().and_then(|record| record.as_object()?.get("body")?.as_object());
    let location = body.and_then(|body| body.get("location")?.as_str());
    ResourceRow {
        name: id.name.clone(),
        kind: id.kind.clone(),
        scope: id.scope.clone(),
        location: location.unwrap_or_default().to_owned(),
        link: link(&record.id),
    }
}

/// The address of the page of a resource.
pub(super) fn link(id: &str) -> String {
    format!("/ui/resources{}", utf8_percent_encode(id, UNSAFE_IN_PATH))
}

/// The parts of an id.
#[derive(Debug, PartialEq, Eq)]
struct Id {
    scope: String,
    kind: String,
    name: String,
    /// The id of the resource that it is inside of, or that it extends.
    parent: Option<String>,
}

impl Id {
    fn of(id: &str) -> Id {
        let lower = id.to_ascii_lowercase();
        let Some(at) = lower.rfind("/providers/") else {
            return Id { scope: String::new(), kind: String::new(), name: id.to_owned(), parent: None };
        };
        let (scope, rest) = id.split_at_checked(at).unwrap_or((id, ""));
        let parts: Vec<&str> = rest.split('/').skip(2).collect();
        let kinds = parts.first().into_iter().chain(parts.iter().skip(1).step_by(2)).copied();
        let names = parts.iter().skip(2).step_by(2).copied();
        let parent = match parts.len() {
            5.. => id.rsplitn(3, '/').nth(2).map(str::to_owned),
            // What extends a resource stands behind it.
            _ if scope.to_ascii_lowercase().contains("/providers/") => Some(scope.to_owned()),
            _ => None,
        };
        Id {
            scope: scope.to_owned(),
            kind: kinds.collect::<Vec<_>>().join("/"),
            name: names.collect::<Vec<_>>().join("/"),
            parent,
        }
    }
}

fn one(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let id = format!("/{}", call.path.get("id"));
    let found = call.app.store().resource(&ResourceId::new(&id))?.filter(|found| is_resource(&found.id));
    let Some(found) = found else {
        return Err(ApiError::new("ResourceNotFound", format!("the resource `{id}` was not found")));
    };
    let record = parse(&found.body)?;
    let body = record.as_object().and_then(|record| record.get("body")).cloned().unwrap_or(Value::Null);
    let text = |name: &str| body.as_object().and_then(|body| body.get(name)?.as_str()).map(str::to_owned);
    let parts = Id::of(&found.id);
    let mut facts = vec![("Type", parts.kind.clone())];
    for (name, member) in [("API version", "apiVersion"), ("Location", "location"), ("Kind", "kind")] {
        facts.extend(text(member).map(|text| (name, text)));
    }
    let has_type = call.app.registry.kind(&parts.kind, None).is_ok();
    let (relations, has_more) = relations(call, &found.id, &parts, &body)?;
    let view = ResourceView {
        name: parts.name.clone(),
        id: found.id,
        facts,
        type_link: has_type.then(|| super::types::link(&parts.kind)),
        body: value::of_record(&record),
        relations,
        has_more,
    };
    let markup = pages::ui::resource(&view);
    Ok(page_shell::page(StatusCode::OK, &page_shell::frame(call), Section::Resources, &parts.name, &markup))
}

/// What a resource is related to: what it is inside of, what is inside of it, and what it names.
fn relations(
    call: &RoutedRequest,
    id: &str,
    parts: &Id,
    body: &Value,
) -> Result<(Vec<Relation>, bool), ApiError> {
    let mut found: Vec<(String, String)> = Vec::new();
    found.extend(parts.parent.clone().map(|parent| ("parent".to_owned(), parent)));
    let inside = call.app.store().resources_after(&format!("{id}/"), &ResourceId::new(""), RELATED + 1)?;
    let mut has_more = inside.len() > RELATED;
    let seen = inside.into_iter().take(RELATED).filter(|child| call.caller.sees(&child.id));
    found.extend(seen.map(|child| ("child".to_owned(), child.id)));
    let mut named = Vec::new();
    ids(body, "", &mut VALUES.clone(), &mut named);
    found.extend(named.into_iter().filter(|(_, other)| !other.eq_ignore_ascii_case(id)));
    has_more |= found.len() > RELATED;
    let mut relations = Vec::new();
    for (how, id) in found.into_iter().take(RELATED) {
        let is_shown = call.caller.sees(&id) && call.app.store().resource(&ResourceId::new(&id))?.is_some();
        relations.push(Relation { how, link: (is_shown && is_resource(&id)).then(|| link(&id)), id });
    }
    Ok((relations, has_more))
}

/// The ids of resources in a value, with the way to each. Recursion is bounded by how deep a value may nest.
fn ids(value: &Value, path: &str, left: &mut usize, found: &mut Vec<(String, String)>) {
    if *left == 0 || found.len() > RELATED {
        return;
    }
    *left -= 1;
    let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Text(text) if is_id(text) => found.push((path.to_owned(), text.to_string())),
        Value::Array(items) => {
            for (at, item) in items.items().iter().enumerate() {
                ids(item, &join(&at.to_string()), left, found);
            }
        }
        Value::Object(members) => {
            for (name, value) in &**members {
                ids(value, &join(name), left, found);
            }
        }
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Decimal(_)
        | Value::Text(_)
        | Value::Secret(_)
        | Value::Unknown(_) => {}
    }
}

/// Whether a text is the id of a resource.
fn is_id(text: &str) -> bool {
    let begins = |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    text.len() <= 2_048
        && ["/subscriptions/", "/planes/", "/providers/"].into_iter().any(begins)
        && text.to_ascii_lowercase().contains("/providers/")
        && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_taken_apart() {
        let id = Id::of("/subscriptions/s/resourceGroups/g/providers/A.B/c/d/e/f");
        assert_eq!((id.kind.as_str(), id.name.as_str()), ("A.B/c/e", "d/f"));
        assert_eq!(id.scope, "/subscriptions/s/resourceGroups/g");
        assert_eq!(id.parent.as_deref(), Some("/subscriptions/s/resourceGroups/g/providers/A.B/c/d"));
        let id = Id::of("/subscriptions/s/providers/A.B/c/d/providers/E.F/g/h");
        assert_eq!((id.kind.as_str(), id.name.as_str()), ("E.F/g", "h"));
        assert_eq!(id.parent.as_deref(), Some("/subscriptions/s/providers/A.B/c/d"));
        assert_eq!(Id::of("/subscriptions/s/providers/A.B/c/d").parent, None);
        assert_eq!(Id::of("/x").name, "/x");
    }

    #[test]
    fn bodies_name_other_resources() {
        let body = parse(
            r#"{"id": "/subscriptions/s/providers/A/b/c", "list": [{"x": "/planes/radius/local/resourceGroups/g/providers/A.B/c/d"}],
                "no": ["/subscriptions/s", "text /providers/ text", 5, null]}"#,
        )
        .unwrap();
        let mut found = Vec::new();
        ids(&body, "", &mut VALUES.clone(), &mut found);
        let ways: Vec<&str> = found.iter().map(|(way, _)| way.as_str()).collect();
        assert_eq!(ways, ["id", "list.0.x"]);
        assert!(!is_resource("/planes/radius/local/providers/System.Resources/icons/a"));
    }
}
