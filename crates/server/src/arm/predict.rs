//! What a deployment would be: validate, what-if, the hash of a template.

use std::sync::Arc;
use std::time::Duration;

use ::arm::Value;
use ::arm::deployment::{DeploymentContext, Plan, Unresolved, snapshot};
use ::arm::template::{OpenType, TypeViolation};
use ::arm::template_hash::{minified, template_hash};
use contract::{Node, Terms as _};
use engine::{Engine, Failure, together, validated};
use http::header::{LOCATION, RETRY_AFTER};
use http::{Method, StatusCode};

use super::deployment::{DeploymentRequest, invalid, parse_request, take_turn};
use super::deployments::PAUSE;
use crate::access::Access;
use crate::api_error::{ApiError, broken};
use crate::async_results::AsyncResult;
use crate::body;
use crate::response::HttpResponse;
use crate::route::HttpRoute;
use crate::routed_request::RoutedRequest;

/// How long a request waits for a prediction before it is told to ask again.
const PATIENCE: Duration = Duration::from_secs(1);

/// The requests, one row for each.
pub(super) const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::POST,
        pattern: "{scope}/providers/Microsoft.Resources/deployments/{name}/validate",
        access: Access::Deploy,
        about: "Checks whether a deployment would be accepted.",
        handler: |call| Box::pin(validate(call)),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "{scope}/providers/Microsoft.Resources/deployments/{name}/whatIf",
        access: Access::Deploy,
        about: "Predicts what a deployment would change.",
        handler: |call| Box::pin(what_if(call)),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "{scope}/operationresults/{id}",
        access: Access::Read,
        about: "Returns the result of a request that took longer.",
        handler: |call| Box::pin(result(call)),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/providers/Microsoft.Resources/calculateTemplateHash",
        access: Access::Somebody,
        about: "Returns the hash of a template.",
        handler: |call| Box::pin(async move { hash(&call) }),
    },
];

async fn validate(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let slot = take_turn(&call, &call.app.predictions).await?;
    let wanted = parse_request(&call).await?;
    let engine = Arc::clone(call.app.host.engine());
    // What a client does not wait for any more takes room until it ends.
    let room = call.room.clone();
    let work = tokio::task::spawn_blocking(move || {
        let _taken = (room, slot);
        valid(&engine, &wanted)
    });
    let shown = work.await.map_err(|error| broken(&error))??;
    Ok(HttpResponse::ok(&shown))
}

/// What is answered for a deployment that would be accepted.
fn valid(engine: &Engine, wanted: &DeploymentRequest) -> Result<Value, ApiError> {
    let refuse = |errors| ApiError::from(together(errors));
    let plan = Plan::new(Arc::clone(&wanted.deployment)).map_err(refuse)?;
    // What only the run time knows is not wrong.
    let context = DeploymentContext { unresolved: Unresolved::Keep, ..wanted.deployment.context().clone() };
    let predicted = snapshot(wanted.deployment.within(context)).map_err(refuse)?;
    // What is there may refuse what is right by itself.
    engine.foresee(&wanted.deployment, &plan)?;
    Ok(validated(&plan, &predicted))
}

async fn what_if(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let slot = take_turn(&call, &call.app.predictions).await?;
    let DeploymentRequest { deployment, mode, only_ids, .. } = parse_request(&call).await?;
    let scope = call.path.scope.id();
    let engine = Arc::clone(call.app.host.engine());
    let runtime = tokio::runtime::Handle::current();
    // It computes and waits for nothing, so it gets a thread of its own.
    let work = tokio::task::spawn_blocking(move || runtime.block_on(engine.what_if(deployment, mode)));
    let room = call.room.clone();
    let work = async move {
        let _taken = (room, slot);
        let predicted = work.await.map_err(|error| broken(&error))??;
        let shown = if only_ids { predicted.ids_only() } else { predicted.to_value() };
        Ok((StatusCode::OK, shown.to_json()))
    };
    match call.app.results.run(&scope, PATIENCE, work).await? {
        AsyncResult::Done(answer) => Ok(answer),
        AsyncResult::Later(name) => {
            Ok(accepted_response(&call.link(&format!("{scope}/operationresults/{name}"))?))
        }
    }
}

/// The answer that says where to ask again.
fn accepted_response(link: &str) -> HttpResponse {
    HttpResponse::empty(StatusCode::ACCEPTED).header(LOCATION, link).header(RETRY_AFTER, PAUSE)
}

async fn result(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let (scope, name) = (call.path.scope.id(), call.path.get("id"));
    match call.app.results.find(&scope, name, PATIENCE).await {
        Some(Some(answer)) => Ok(answer),
        Some(None) => Ok(accepted_response(&call.link(&format!("{scope}/operationresults/{name}"))?)),
        None => Err(ApiError::new(
            "NotFound",
            format!("there is no result `{name}`; results are kept for ten minutes"),
        )),
    }
}

fn hash(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    call.api_version()?;
    let document = body::read(&call.body)?;
    let root = document.root();
    if !matches!(root.node(), Node::Object(_)) {
        return Err(ApiError::new("InvalidRequestContent", "a template is an object"));
    }
    // A hash stands for what is deployed: of what readers disagree on, there is none.
    let template = Value::from_view(root).map_err(|error| invalid(error.to_string()))?;
    if let Err(breaches) = OpenType.admit(template) {
        let detail = |breach: &TypeViolation| {
            Failure::new(breach.kind.code(), breach.message.clone()).target(breach.target("$"))
        };
        let details = breaches.iter().map(detail).collect();
        let failure = Failure::new("InvalidRequestContent", "the template is not valid");
        return Err(ApiError::from(failure.because(details)));
    }
    Ok(HttpResponse::ok(&Value::object([
        ("minifiedTemplate", Value::text(minified(root))),
        ("templateHash", Value::text(template_hash(root).to_string())),
    ])))
}
