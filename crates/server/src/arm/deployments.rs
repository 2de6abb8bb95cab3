//! Deployments: put, get, list, delete, cancel, export.

use std::sync::Arc;
use std::time::Duration;

use ::arm::evaluate::Scope;
use ::arm::template_text::{JsonLayout, TemplateWriter};
use ::arm::{PROVISIONING_STATE, ProvisioningState};
use document::{Document, FileId, JsonOptions, ReadLimits};
use engine::{DeploymentHandle, DeploymentRecord, Failure, guid};
use http::header::{HeaderName, RETRY_AFTER};
use http::{Method, StatusCode};
use store::{Deployment, DeploymentKey, RunId, Status};

use super::deployment::{parse_request, take_turn};
use super::filter::Filter;
use super::paging::{self, Page};
use super::stored;
use crate::access::Access;
use crate::api_error::{ApiError, broken};
use crate::bounded_rows;
use crate::headers::CORRELATION;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

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
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::PUT,
        pattern: ONE,
        access: Access::Deploy,
        about: "Deploys a template.",
        handler: |call| Box::pin(put(call)),
    },
    HttpRoute {
        method: Method::GET,
        pattern: ONE,
        access: Access::Read,
        about: "Shows a deployment.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    HttpRoute {
        method: Method::HEAD,
        pattern: ONE,
        access: Access::Read,
        about: "Checks whether there is a deployment.",
        handler: |call| Box::pin(async move { head(&call) }),
    },
    HttpRoute {
        method: Method::DELETE,
        pattern: ONE,
        access: Access::Deploy,
        about: "Forgets a deployment that has ended; its resources stay.",
        handler: |call| Box::pin(delete(call)),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "{scope}/providers/Microsoft.Resources/deployments",
        access: Access::Read,
        about: "Lists deployments, the newest first.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "{scope}/providers/Microsoft.Resources/deployments/{name}/cancel",
        access: Access::Deploy,
        about: "Cancels a deployment that is under way.",
        handler: |call| Box::pin(cancel(call)),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "{scope}/providers/Microsoft.Resources/deployments/{name}/exportTemplate",
        access: Access::Read,
        about: "Returns the template of a deployment.",
        handler: |call| Box::pin(async move { export(&call) }),
    },
];

async fn put(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let key = key(&call);
    let slot = take_turn(&call, &call.app.starts).await?;
    let wanted = parse_request(&call).await?;
    check_location(&call, &key, wanted.deployment.context().location.as_deref())?;
    if let Some(quotas) = &call.app.quotas {
        quotas.check_deployment(&call.path.scope.id(), call.body.len() as u64)?;
    }
    let started = call.app.host.start_in_group(wanted.deployment, wanted.mode).await?;
    call.app.history.note(&call.app.host, &call.path.scope.id());
    drop(slot);
    keep_room(&call, &started);
    let correlation = guid(started.run);
    let in_plane = matches!(call.path.scope, Scope::Plane { .. });
    let patience = if in_plane { PATIENCE_IN_PLANE } else { PATIENCE };
    if let Some(record) = call.app.host.outcome(&started.key, started.run, patience).await? {
        if record.state == ProvisioningState::Succeeded {
            return Ok(HttpResponse::ok(&record.to_rest()).header(CORRELATION, &correlation));
        }
        // Clients of Radius print the error of a refusal; a failure that is a state they would not see. Others learn of a failure
        // where they ask how far it is.
        if in_plane {
            let failure =
                record.error.unwrap_or_else(|| Failure::new("Conflict", "the deployment was canceled"));
            return Err(ApiError::from(failure).with_status(StatusCode::BAD_REQUEST));
        }
    }
    let found = call.app.store().run(started.run)?.ok_or_else(|| missing(&call))?;
    let path = path(&call.path.scope, call.path.get("name"));
    let status = call.link(&format!("{path}/operationStatuses/{correlation}"))?;
    let answer = HttpResponse::text(StatusCode::CREATED, shown(&found)?);
    Ok(answer.header(ASYNC_OPERATION, &status).header(RETRY_AFTER, PAUSE).header(CORRELATION, &correlation))
}

/// Keeps the room of a large request until its deployment has ended here: its template is in memory as long.
fn keep_room(call: &RoutedRequest, started: &DeploymentHandle) {
    let Some(room) = call.room.as_ref().filter(|room| room.is_large()) else { return };
    let (room, host, key) = (Arc::clone(room), Arc::clone(&call.app.host), started.key.clone());
    tokio::spawn(async move {
        if let Some(running) = host.find(&key) {
            let _ = running.wait(Duration::MAX).await;
        }
        drop(room);
    });
}

/// A deployment that is not to a group stays where it was first.
fn check_location(call: &RoutedRequest, key: &DeploymentKey, location: Option<&str>) -> Result<(), ApiError> {
    if matches!(call.path.scope, Scope::ResourceGroup { .. } | Scope::Plane { .. }) {
        return Ok(());
    }
    let Some(found) = call.app.store().deployment(key)? else { return Ok(()) };
    let record = DeploymentRecord::from_store(&found.body)?;
    match (record.location.as_deref(), location) {
        (Some(old), Some(new)) if !old.eq_ignore_ascii_case(new) => {
            let message = format!(
                "Invalid deployment location '{new}'. The deployment '{}' already exists in location '{old}'.",
                call.path.get("name")
            );
            Err(ApiError::new("InvalidDeploymentLocation", message))
        }
        _ => Ok(()),
    }
}

/// The path of a deployment.
pub(super) fn path(scope: &Scope, name: &str) -> String {
    format!("{}/providers/Microsoft.Resources/deployments/{name}", scope.id())
}

fn get(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    Ok(HttpResponse::text(StatusCode::OK, shown(&find_deployment(call)?)?))
}

fn head(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let is_there = call.app.store().deployment(&key(call))?.is_some();
    Ok(HttpResponse::empty(if is_there { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND }))
}

async fn delete(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    stored::check_readable(&call.app, &call.path.scope)?;
    // What is not there is deleted already.
    call.app.host.engine().delete_deployment(&key(&call)).await?;
    Ok(HttpResponse::empty(StatusCode::NO_CONTENT))
}

async fn cancel(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let before = find_deployment(&call)?;
    if before.status == Status::Active && call.app.host.cancel(&before).await? {
        return Ok(HttpResponse::empty(StatusCode::NO_CONTENT));
    }
    // It may have ended meanwhile.
    let found = find_deployment(&call)?;
    let message = if found.status == Status::Ended {
        let record = DeploymentRecord::from_store(&found.body)?;
        format!(
            "The deployment '{}' cannot be cancelled because its provisioning state is '{}'.",
            call.path.get("name"),
            record.state.as_str()
        )
    } else {
        format!("The deployment '{}' is part of another one; cancel that one.", call.path.get("name"))
    };
    Err(ApiError::new("DeploymentCannotBeCancelled", message))
}

fn export(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let found = find_deployment(call)?;
    let Some(bytes) = call.app.host.engine().template_of(&found)? else {
        let message = format!(
            "The template of the deployment '{}' went with the deployment that it was nested in.",
            call.path.get("name")
        );
        return Err(ApiError::new("DeploymentTemplateNotFound", message));
    };
    let text = String::from_utf8_lossy(&bytes);
    // It is kept as it was sent, with comments; what is answered is JSON.
    let template =
        Document::from_json_with(&*text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::TEMPLATE)
            .map_err(|error| broken(&error))?;
    let mut writer = TemplateWriter::new(String::new(), JsonLayout::Compact);
    writer.value(template.root());
    Ok(HttpResponse::text(StatusCode::OK, format!("{{\"template\":{}}}", writer.finish())))
}

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let scope = &call.path.scope;
    // What is there is listed, whatever its group is.
    if call.app.store().deployments(Some(&scope.id()), store::Page { skip: 0, take: 1 })?.is_empty() {
        stored::check_readable(&call.app, scope)?;
    }
    let filter = Filter::of(call, &[PROVISIONING_STATE])?;
    let wanted = paging::PageRequest::of(call)?;
    let mut page = Page::default();
    let mut after = wanted.place(place)?;
    'looking: loop {
        // One more than a page has tells whether another page follows.
        let take = if filter.is_empty() { wanted.take.saturating_add(1) } else { LOOKED_AT };
        let read = bounded_rows::deployments(call.app.store(), Some(&scope.id()), after, take)?;
        let is_last = read.is_last;
        for row in read.rows {
            if wanted.is_full(&page) {
                page.next = after.map(|(order, run)| format!("{order}.{:032x}", run.0));
                break 'looking;
            }
            after = Some((row.order, row.run));
            if passes(&filter, &row)? {
                page.push(bounded_rows::in_list(shown(&row)?, |text| engine::records::parse(text).ok()));
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

fn passes(filter: &Filter, row: &Deployment) -> Result<bool, ApiError> {
    if filter.is_empty() {
        return Ok(true);
    }
    let record = DeploymentRecord::from_store(&row.body)?;
    Ok(filter.passes(|_| Some(record.state.as_str())))
}

/// The record of a deployment as answers show it: the text that is kept, which holds no secret.
pub(super) fn shown(found: &Deployment) -> Result<String, ApiError> {
    if found.status == Status::Ended {
        return Ok(found.body.clone());
    }
    // While it runs, the record may say that it was asked to stop.
    Ok(DeploymentRecord::from_store(&found.body)?.to_rest().to_json())
}

/// The deployment that a path names.
pub(super) fn find_deployment(call: &RoutedRequest) -> Result<Deployment, ApiError> {
    let key = key(call);
    match call.app.store().deployment(&key)? {
        Some(found) => Ok(found),
        None => {
            // That the group is missing says more.
            stored::check_readable(&call.app, &call.path.scope)?;
            Err(missing(call))
        }
    }
}

fn key(call: &RoutedRequest) -> DeploymentKey {
    DeploymentKey::new(&call.path.scope.id(), call.path.get("name"))
}

pub(super) fn missing(call: &RoutedRequest) -> ApiError {
    ApiError::new("DeploymentNotFound", format!("Deployment '{}' could not be found.", call.path.get("name")))
}
