//! Deployments: put, get, list, delete, cancel, export.

use std::time::Duration;

use ::arm::evaluate::Scope;
use ::arm::template_text::{Layout, Writer};
use ::arm::{ObjectBuilder, Value};
use axum::http::header::{HeaderName, RETRY_AFTER};
use axum::http::{Method, StatusCode};
use document::{Document, FileId, JsonOptions, Limits};
use engine::records::parse;
use engine::{Failure, guid};
use store::{Deployment, DeploymentKey, PageAfter, RunId, Status};

use super::deployment::wanted;
use super::filter::Filter;
use super::kept;
use super::paging::{self, Page};
use crate::access::Access;
use crate::answer::Answer;
use crate::call::Call;
use crate::headers::CORRELATION;
use crate::refusal::{Refusal, broken};
use crate::route::Row;

/// Where clients ask how far it is.
const ASYNC_OPERATION: HeaderName = HeaderName::from_static("azure-asyncoperation");

/// What clients are told to wait before they ask again, in seconds. Zero would count as nothing, and they would wait half a minute.
pub(super) const PAUSE: &str = "1";

/// How long a request waits for its deployment to end before it is told to ask again.
const PATIENCE: Duration = Duration::from_millis(500);

/// The same in a plane of Radius, whose clients show nothing before they ask again, and then after five seconds.
const PATIENCE_IN_PLANE: Duration = Duration::from_secs(20);

/// How many records are looked through at once for those that pass a filter.
const LOOKED_AT: usize = 200;

/// The path of a deployment.
const ONE: &str = "{scope}/providers/Microsoft.Resources/deployments/{name}";

/// The requests, one row for each.
pub(super) const ROWS: &[Row] = &[
    Row {
        method: Method::PUT,
        pattern: ONE,
        access: Access::Deploy,
        about: "Deploys a template.",
        handler: |call| Box::pin(put(call)),
    },
    Row {
        method: Method::GET,
        pattern: ONE,
        access: Access::Read,
        about: "Shows a deployment.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    Row {
        method: Method::HEAD,
        pattern: ONE,
        access: Access::Read,
        about: "Says whether there is a deployment.",
        handler: |call| Box::pin(async move { head(&call) }),
    },
    Row {
        method: Method::DELETE,
        pattern: ONE,
        access: Access::Deploy,
        about: "Forgets a deployment that has ended; its resources stay.",
        handler: |call| Box::pin(delete(call)),
    },
    Row {
        method: Method::GET,
        pattern: "{scope}/providers/Microsoft.Resources/deployments",
        access: Access::Read,
        about: "Lists deployments, the newest first.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    Row {
        method: Method::POST,
        pattern: "{scope}/providers/Microsoft.Resources/deployments/{name}/cancel",
        access: Access::Deploy,
        about: "Cancels a deployment that is under way.",
        handler: |call| Box::pin(cancel(call)),
    },
    Row {
        method: Method::POST,
        pattern: "{scope}/providers/Microsoft.Resources/deployments/{name}/exportTemplate",
        access: Access::Read,
        about: "Gives the template of a deployment.",
        handler: |call| Box::pin(async move { export(&call) }),
    },
];

async fn put(call: Call) -> Result<Answer, Refusal> {
    call.api_version()?;
    let key = key(&call);
    let wanted = wanted(&call).await?;
    check_location(&call, &key, wanted.deployment.context().location.as_deref())?;
    let started = call.app.host.start_in_group(wanted.deployment, wanted.mode).await?;
    call.app.history.note(&call.app.host, &call.path.scope.id());
    let correlation = guid(started.run);
    let in_plane = matches!(call.path.scope, Scope::Plane { .. });
    let patience = if in_plane { PATIENCE_IN_PLANE } else { PATIENCE };
    if let Some(record) = call.app.host.outcome(&started.key, started.run, patience).await? {
        if state_of(&record) == Some("Succeeded") {
            return Ok(Answer::ok(&record).header(CORRELATION, &correlation));
        }
        // Clients of Radius print the error of a refusal; a failure that is a state they would not see. Others learn of a failure
        // where they ask how far it is.
        if in_plane {
            let error = error_of(&record).map(Failure::from_value);
            let failure = error.unwrap_or_else(|| Failure::new("Conflict", "the deployment was canceled"));
            return Err(Refusal::from(failure).with_status(StatusCode::BAD_REQUEST));
        }
    }
    let found = call.app.store().run(started.run)?.ok_or_else(|| missing(&call))?;
    let path = path(&call.path.scope, call.path.get("name"));
    let status = call.link(&format!("{path}/operationStatuses/{correlation}"))?;
    let answer = Answer::text(StatusCode::CREATED, shown(&found)?);
    Ok(answer.header(ASYNC_OPERATION, &status).header(RETRY_AFTER, PAUSE).header(CORRELATION, &correlation))
}

/// A deployment that is not to a group stays where it was first.
fn check_location(call: &Call, key: &DeploymentKey, location: Option<&str>) -> Result<(), Refusal> {
    if matches!(call.path.scope, Scope::ResourceGroup { .. } | Scope::Plane { .. }) {
        return Ok(());
    }
    let Some(found) = call.app.store().deployment(key)? else { return Ok(()) };
    let record = parse(&found.body)?;
    match (kept::text(&record, "location"), location) {
        (Some(old), Some(new)) if !old.eq_ignore_ascii_case(new) => {
            let message = format!(
                "Invalid deployment location '{new}'. The deployment '{}' already exists in location '{old}'.",
                call.path.get("name")
            );
            Err(Refusal::new("InvalidDeploymentLocation", message))
        }
        _ => Ok(()),
    }
}

/// The path of a deployment.
pub(super) fn path(scope: &Scope, name: &str) -> String {
    format!("{}/providers/Microsoft.Resources/deployments/{name}", scope.id())
}

fn get(call: &Call) -> Result<Answer, Refusal> {
    call.api_version()?;
    Ok(Answer::text(StatusCode::OK, shown(&found(call)?)?))
}

fn head(call: &Call) -> Result<Answer, Refusal> {
    call.api_version()?;
    let is_there = call.app.store().deployment(&key(call))?.is_some();
    Ok(Answer::empty(if is_there { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND }))
}

async fn delete(call: Call) -> Result<Answer, Refusal> {
    call.api_version()?;
    kept::check_readable(&call.app, &call.path.scope)?;
    // What is not there is deleted already.
    call.app.host.engine().delete_deployment(&key(&call)).await?;
    Ok(Answer::empty(StatusCode::NO_CONTENT))
}

async fn cancel(call: Call) -> Result<Answer, Refusal> {
    call.api_version()?;
    let before = found(&call)?;
    if before.status == Status::Active && call.app.host.cancel(&before).await? {
        return Ok(Answer::empty(StatusCode::NO_CONTENT));
    }
    // It may have ended meanwhile.
    let found = found(&call)?;
    let message = if found.status == Status::Ended {
        let record = parse(&found.body)?;
        let state = state_of(&record);
        format!(
            "The deployment '{}' cannot be cancelled because its provisioning state is '{}'.",
            call.path.get("name"),
            state.unwrap_or_default()
        )
    } else {
        format!("The deployment '{}' is part of another one; cancel that one.", call.path.get("name"))
    };
    Err(Refusal::new("DeploymentCannotBeCancelled", message))
}

fn export(call: &Call) -> Result<Answer, Refusal> {
    call.api_version()?;
    let found = found(call)?;
    let Some(bytes) = call.app.host.engine().template_of(&found)? else {
        let message = format!(
            "The template of the deployment '{}' went with the deployment that it was nested in.",
            call.path.get("name")
        );
        return Err(Refusal::new("DeploymentTemplateNotFound", message));
    };
    let text = String::from_utf8_lossy(&bytes);
    // It is kept as it was sent, with comments; what is answered is JSON.
    let template = Document::from_json_with(&*text, FileId::FIRST, &Limits::DEFAULT, JsonOptions::TEMPLATE)
        .map_err(|error| broken(&error))?;
    let mut writer = Writer::new(String::new(), Layout::Compact);
    writer.value(template.root());
    Ok(Answer::text(StatusCode::OK, format!("{{\"template\":{}}}", writer.finish())))
}

fn list(call: &Call) -> Result<Answer, Refusal> {
    call.api_version()?;
    let scope = &call.path.scope;
    // What is there is listed, whatever its group is.
    if call.app.store().deployments(Some(&scope.id()), store::Page { skip: 0, take: 1 })?.is_empty() {
        kept::check_readable(&call.app, scope)?;
    }
    let filter = Filter::of(call, &["provisioningState"])?;
    let wanted = paging::Wanted::of(call)?;
    let mut page = Page::default();
    let mut after = wanted.place(place)?;
    'looking: loop {
        // One more than a page has tells whether another page follows.
        let take = if filter.is_empty() { wanted.take.saturating_add(1) } else { LOOKED_AT };
        let rows = call.app.store().deployments_after(Some(&scope.id()), PageAfter { after, take })?;
        let is_last = rows.len() < take;
        for row in rows {
            if page.items.len() == wanted.take {
                page.next = after.map(|(order, run)| format!("{order}.{:032x}", run.0));
                break 'looking;
            }
            after = Some((row.order, row.run));
            if passes(&filter, &row)? {
                page.items.push(shown(&row)?);
            }
        }
        if is_last {
            break;
        }
    }
    let path = format!("{}/providers/Microsoft.Resources/deployments/", scope.id());
    wanted.answer(call, &path, page)
}

/// The place of a deployment in lists: its order, and its run for those that came at the same time.
fn place(text: &str) -> Option<(i64, RunId)> {
    let (order, run) = text.split_once('.')?;
    Some((order.parse().ok()?, RunId(u128::from_str_radix(run, 16).ok()?)))
}

fn passes(filter: &Filter, row: &Deployment) -> Result<bool, Refusal> {
    if filter.is_empty() {
        return Ok(true);
    }
    let record = parse(&row.body)?;
    let properties = record.as_object().and_then(|record| record.get("properties"));
    Ok(filter.passes(|name| kept::text(properties?, name)))
}

/// The record of a deployment as answers show it: the text that is kept, which holds no secret.
pub(super) fn shown(found: &Deployment) -> Result<String, Refusal> {
    if found.status == Status::Ended {
        return Ok(found.body.clone());
    }
    // While it runs, the record may say that it was asked to stop.
    let record = parse(&found.body)?;
    let mut shown = ObjectBuilder::default();
    for (name, value) in
        record.as_object().into_iter().flatten().filter(|(name, _)| name != "cancelRequested")
    {
        shown.set(name.clone(), value.clone());
    }
    Ok(shown.finish().to_json())
}

/// The deployment that a path names.
pub(super) fn found(call: &Call) -> Result<Deployment, Refusal> {
    let key = key(call);
    match call.app.store().deployment(&key)? {
        Some(found) => Ok(found),
        None => {
            // That the group is missing says more.
            kept::check_readable(&call.app, &call.path.scope)?;
            Err(missing(call))
        }
    }
}

fn key(call: &Call) -> DeploymentKey {
    DeploymentKey::new(&call.path.scope.id(), call.path.get("name"))
}

pub(super) fn missing(call: &Call) -> Refusal {
    Refusal::new("DeploymentNotFound", format!("Deployment '{}' could not be found.", call.path.get("name")))
}

/// The state that a record tells.
fn state_of(record: &Value) -> Option<&str> {
    kept::text(record.as_object()?.get("properties")?, "provisioningState")
}

/// The error of a record.
pub(super) fn error_of(record: &Value) -> Option<&Value> {
    record.as_object()?.get("properties")?.as_object()?.get("error")
}
