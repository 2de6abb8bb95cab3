//! What was done for a deployment, and how far it is.

use std::time::Duration;

use ::arm::{ProvisioningState, Value};
use engine::records::damaged;
use engine::{DeploymentRecord, Failure, OperationRecord, guid};
use http::Method;
use http::header::RETRY_AFTER;
use store::{Deployment, Status};

use super::deployments::{self, PAUSE, find_deployment};
use super::paging::{Page, PageRequest};
use crate::access::Access;
use crate::api_error::ApiError;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

/// How long a request for the status waits for the end.
const PATIENCE: Duration = Duration::from_secs(1);

/// The number of the operation in which outputs are evaluated; it follows all others.
const OUTPUTS: u32 = u32::MAX;

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "{scope}/providers/Microsoft.Resources/deployments/{name}/operations",
        access: Access::Read,
        about: "Lists what was done for a deployment.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "{scope}/providers/Microsoft.Resources/deployments/{name}/operations/{id}",
        access: Access::Read,
        about: "Shows one thing that was done for a deployment.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "{scope}/deployments/{name}/operations",
        access: Access::Read,
        about: "Lists what was done for a deployment, as clients ask in resource groups.",
        handler: |call| Box::pin(async move { list(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "{scope}/deployments/{name}/operations/{id}",
        access: Access::Read,
        about: "Shows one thing that was done for a deployment, as clients ask in resource groups.",
        handler: |call| Box::pin(async move { get(&call) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "{scope}/providers/Microsoft.Resources/deployments/{name}/operationStatuses/{id}",
        access: Access::Read,
        about: "Says how far a deployment is; waits for up to a second.",
        handler: |call| Box::pin(status(call)),
    },
];

fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let deployment = find_deployment(call)?;
    let record = DeploymentRecord::from_store(&deployment.body)?;
    let wanted = PageRequest::of(call)?;
    // They are numbered without gaps and none is ever deleted, so that a number is a place.
    let skip = wanted.place(|after| after.parse::<usize>().ok())?.unwrap_or(0);
    let end = skip.saturating_add(wanted.take).to_string();
    let rows = store::Page { skip, take: wanted.take.saturating_add(1) };
    let rows = call.app.store().operations(deployment.run, rows)?;
    let has_more = rows.len() > wanted.take;
    let mut items = Vec::new();
    for row in rows.iter().take(wanted.take) {
        let operation = match OperationRecord::from_store(&row.body) {
            Ok(operation) => operation.to_rest(),
            Err(why) => damaged(&row.number.to_string(), &why),
        };
        items.push(shown(&record, row.number, operation).to_json());
    }
    // The outputs come last, where there is still room on the last page.
    let mut next = has_more.then(|| end.clone());
    if let Some(outputs) = outputs(&deployment, &record).filter(|_| !has_more) {
        if items.len() < wanted.take {
            items.push(shown(&record, OUTPUTS, outputs.to_rest()).to_json());
        } else {
            next = Some(end);
        }
    }
    let path = deployments::path(&call.path.scope, call.path.get("name"));
    wanted.answer(call, &format!("{path}/operations"), Page::of(items, next))
}

fn get(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let deployment = find_deployment(call)?;
    let record = DeploymentRecord::from_store(&deployment.body)?;
    let id = call.path.get("id");
    let missing = || {
        let message = format!("Deployment operation '{id}' could not be found.");
        ApiError::new("DeploymentOperationNotFound", message)
    };
    let number = u32::from_str_radix(id, 16).map_err(|_| missing())?;
    if number == OUTPUTS {
        let outputs = outputs(&deployment, &record).ok_or_else(missing)?;
        return Ok(HttpResponse::ok(&shown(&record, OUTPUTS, outputs.to_rest())));
    }
    // They are numbered from one, without gaps.
    let skip = usize::try_from(number).ok().and_then(|number| number.checked_sub(1)).ok_or_else(missing)?;
    let rows = call.app.store().operations(deployment.run, store::Page { skip, take: 1 })?;
    let row = rows.first().filter(|row| row.number == number).ok_or_else(missing)?;
    Ok(HttpResponse::ok(&shown(&record, number, OperationRecord::from_store(&row.body)?.to_rest())))
}

/// An operation with its id.
fn shown(record: &DeploymentRecord, number: u32, properties: Value) -> Value {
    let operation = format!("{number:08X}");
    let id = format!("{}/operations/{operation}", record.id);
    Value::object([
        ("id", Value::text(id)),
        ("operationId", Value::text(operation)),
        ("properties", properties),
    ])
}

/// The evaluation of the outputs of a deployment that came so far.
fn outputs(deployment: &Deployment, record: &DeploymentRecord) -> Option<OperationRecord> {
    let evaluated = match &record.error {
        None => deployment.status == Status::Ended && record.state == ProvisioningState::Succeeded,
        // Other errors are those of resources, and outputs were not evaluated.
        Some(error) => error.code == "DeploymentOutputEvaluationFailed",
    };
    evaluated.then(|| OperationRecord {
        operation: "EvaluateDeploymentOutput".into(),
        state: record.state,
        status_code: Some(if record.error.is_none() { "OK" } else { "BadRequest" }.into()),
        timestamp: record.timestamp,
        duration: Some(0),
        target: None,
        error: record.error.clone(),
    })
}

async fn status(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let mut deployment = of_operation(&call)?;
    if deployment.status == Status::Active {
        call.app.host.outcome(&deployment.key, deployment.run, PATIENCE).await?;
        deployment = of_operation(&call)?;
    }
    let record = DeploymentRecord::from_store(&deployment.body)?;
    let mut members = vec![("status", Value::text(record.state.as_str()))];
    if let Some(error) = record.error {
        members.push(("error", with_root_cause(error).to_value()));
    } else if record.state == ProvisioningState::Canceled {
        let error = Failure::new("DeploymentCanceled", "the deployment was cancelled");
        members.push(("error", error.to_value()));
    }
    let answer = HttpResponse::ok(&Value::object(members));
    Ok(if deployment.status == Status::Active { answer.header(RETRY_AFTER, PAUSE) } else { answer })
}

/// The run that an operation belongs to, if it is the newest under its name.
fn of_operation(call: &RoutedRequest) -> Result<Deployment, ApiError> {
    let deployment = find_deployment(call)?;
    let id = call.path.get("id");
    if guid(deployment.run).eq_ignore_ascii_case(id) {
        return Ok(deployment);
    }
    let message = format!("Deployment operation '{id}' could not be found.");
    Err(ApiError::new("DeploymentOperationNotFound", message))
}

/// An error whose message also says what is behind it: some clients show nothing else.
fn with_root_cause(mut error: Failure) -> Failure {
    let mut inner = error.details.first();
    // As deep as deployments nest.
    while let Some(next) = inner.and_then(|failure| failure.details.first()) {
        inner = Some(next);
    }
    if let Some(inner) = inner {
        error.message = format!("{}: {}: {}", error.message, inner.code, inner.message);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_what_is_behind_it() {
        let leaf = Failure::new("Conflict", "the name is taken");
        let nested = Failure::new("DeploymentFailed", "inner").because(vec![leaf]);
        let error = with_root_cause(Failure::new("DeploymentFailed", "outer").because(vec![nested]));
        assert_eq!(error.message, "outer: Conflict: the name is taken");
        assert_eq!(error.details.len(), 1);
    }
}
