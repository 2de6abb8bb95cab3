//! Deployments: put, get.

use std::time::Duration;

use ::arm::evaluate::Scope;
use axum::http::header::{HeaderName, RETRY_AFTER};
use axum::http::{Method, StatusCode};
use engine::records::parse;
use store::DeploymentKey;

use super::deployment::wanted;
use crate::answer::Answer;
use crate::call::{Call, Place};
use crate::refusal::Refusal;
use crate::route::{Access, Row};

/// Where clients ask how far it is.
const ASYNC_OPERATION: HeaderName = HeaderName::from_static("azure-asyncoperation");

/// How long a request waits for its deployment to end before it is told to ask again.
const PATIENCE: Duration = Duration::from_millis(500);

/// The requests, one row for each.
pub(super) const ROWS: &[Row] = &[
    Row {
        method: Method::PUT,
        pattern: "{scope}/providers/Microsoft.Resources/deployments/{name}",
        access: Access::Deploy,
        about: "Deploys a template.",
        handler: |call| Box::pin(put(call)),
    },
    Row {
        method: Method::GET,
        pattern: "{scope}/providers/Microsoft.Resources/deployments/{name}",
        access: Access::Read,
        about: "Shows a deployment.",
        handler: |call| Box::pin(get(call)),
    },
];

async fn put(call: Call) -> Result<Answer, Refusal> {
    let version = call.api_version()?.to_owned();
    let (scope, key) = place(&call)?;
    let wanted = wanted(&call, scope, call.path.get("name"))?;
    let started = call.app.host.start(wanted.deployment, wanted.mode).await?;
    if let Some(ended) = started.wait(PATIENCE).await {
        return match &*ended {
            Ok(ended) => Ok(Answer::ok(&ended.record)),
            Err(refused) => Err(Refusal::from(refused)),
        };
    }
    let record = call.app.store().deployment(&key)?.ok_or_else(|| missing(&call))?;
    let id = format!("{:032x}", record.run.0);
    let status = format!(
        "{}{}/providers/Microsoft.Resources/deployments/{}/operationStatuses/{id}?api-version={version}",
        call.base,
        key.scope(),
        key.name()
    );
    let answer = Answer::text(StatusCode::CREATED, record.body);
    Ok(answer.header(ASYNC_OPERATION, &status).header(RETRY_AFTER, "1"))
}

async fn get(call: Call) -> Result<Answer, Refusal> {
    let (_, key) = place(&call)?;
    let found = call.app.store().deployment(&key)?.ok_or_else(|| missing(&call))?;
    Ok(Answer::ok(&parse(&found.body)?))
}

fn place(call: &Call) -> Result<(Scope, DeploymentKey), Refusal> {
    match &call.path.scope {
        Place::Scope(scope) => Ok((scope.clone(), DeploymentKey::new(&scope.id(), call.path.get("name")))),
        Place::Group { .. } | Place::Nowhere => Err(Refusal::new("NotFound", "there is no such scope")),
    }
}

fn missing(call: &Call) -> Refusal {
    Refusal::new("DeploymentNotFound", format!("Deployment '{}' could not be found.", call.path.get("name")))
}
