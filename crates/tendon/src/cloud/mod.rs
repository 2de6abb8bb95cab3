//! An ARM endpoint in place of the state: which one, with whose token, and what a deployment there knows of its surroundings.
//!
//! The engine is the same, and keeps its records in the state; resources go to the endpoint.

mod command;
mod options;

use std::sync::Arc;

use arm::Value;
use arm::budget::BudgetLimits;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode, Groups, Mocks};
use arm::evaluate::Scope;
use endpoint::{Claims, Endpoint, Prediction};
use engine::core::MachineSettings;
use engine::provider::Provider;
use engine::{Clock, Engine, Failure as EngineFailure, StartError, WhatIf};
use store::{Key, MemoryStore, Store};

use crate::exit::CommandError;
use crate::process_memory;
use crate::remote::TargetError;

pub(crate) use options::EndpointOptions;

/// The endpoint whose cloud is known without asking.
const PUBLIC: &str = "https://management.azure.com";

/// An endpoint, and what it says of itself.
pub(crate) struct Cloud {
    pub(crate) endpoint: Arc<Endpoint>,
    tenant: Option<String>,
    deployer: Option<Value>,
    environment: Option<Value>,
}

impl Cloud {
    /// An endpoint of which nothing has to be known: what a deployment knows was kept with it.
    pub(crate) fn unseen(endpoint: Endpoint) -> Cloud {
        Cloud { endpoint: Arc::new(endpoint), tenant: None, deployer: None, environment: None }
    }

    /// Asks an endpoint what a deployment to a scope has to know of it.
    pub(crate) fn look_around(endpoint: Endpoint, scope: &Scope) -> Result<Cloud, TargetError> {
        // Connections belong to a runtime, and the deployment has its own.
        let runtime = crate::runtime::start()?;
        let around = runtime.block_on(async {
            let claims = endpoint.deployer().await?;
            let subscription = endpoint.subscription(scope).await?;
            endpoint.check_group(scope).await?;
            let is_public = endpoint.origin().to_string() == PUBLIC;
            let environment = if is_public { None } else { endpoint.environment().await? };
            Ok::<_, EngineFailure>((claims, subscription, environment))
        });
        let (claims, subscription, environment) = around.map_err(unreached)?;
        let text = |value: &Value, name: &str| value.as_object()?.get(name)?.as_str().map(str::to_owned);
        let tenant = subscription.as_ref().and_then(|subscription| text(subscription, "tenantId"));
        let tenant = tenant.or_else(|| claims.as_ref().and_then(|claims| claims.tenant.clone()));
        let deployer = claims.map(|claims| deployer(&claims));
        Ok(Cloud { endpoint: Arc::new(endpoint), tenant, deployer, environment })
    }

    /// Predicts a deployment: runs it on a copy of what is there, and puts nothing.
    pub(crate) fn predict(
        &self,
        key: Key,
        deployment: Arc<Deployment>,
        mode: DeploymentMode,
    ) -> Result<Result<WhatIf, StartError>, CommandError> {
        let runtime = crate::runtime::start()?;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let prediction = Arc::new(Prediction::new(Arc::clone(&self.endpoint), Arc::clone(&store)));
        let provider: Arc<dyn Provider> = Arc::<Prediction>::clone(&prediction);
        let engine = Engine {
            store,
            key,
            provider,
            settings: MachineSettings::default(),
            clock: Clock::Virtual,
            budgets: process_memory::budgets(BudgetLimits::DEFAULT),
        };
        Ok(runtime.block_on(async {
            prediction.list(&deployment.context().scope).await.map_err(StartError::Failure)?;
            engine.what_if(deployment, mode).await
        }))
    }

    /// What a deployment there knows of its surroundings, in place of what one to the state knows. A name that is not known has no default: a
    /// template that needs it fails, and does not put something else.
    pub(crate) fn within(&self, context: DeploymentContext) -> DeploymentContext {
        let endpoint = Arc::clone(&self.endpoint);
        let mocks = match &self.environment {
            Some(environment) => {
                let own = Value::object([("environment", environment.clone())]);
                let all =
                    if context.mocks.is_empty() { own } else { own.merged_with(context.mocks.content()) };
                // Mocks that cannot be used stay as they were.
                Mocks::new(all).map_or(context.mocks, Arc::new)
            }
            None => context.mocks,
        };
        DeploymentContext {
            location: None,
            tenant: self.tenant.as_deref().map(Into::into),
            deployer: self.deployer.clone(),
            groups: Groups::new(move |id| endpoint.group(id).map_err(|failure| failure.message)),
            endpoint: self.endpoint.endpoint(),
            mocks,
            ..context
        }
    }
}

/// Why nothing is known of an endpoint: it says so, or it could not be asked.
fn unreached(failure: EngineFailure) -> TargetError {
    match failure.code.as_str() {
        "NoToken" | "EndpointNotReached" | "AuthenticationFailed" => {
            TargetError::Unreachable(CommandError::Environment(failure.message))
        }
        _ => TargetError::Failure(failure),
    }
}

fn deployer(claims: &Claims) -> Value {
    let members =
        [("objectId", &claims.object), ("tenantId", &claims.tenant), ("userPrincipalName", &claims.name)];
    Value::object(members.into_iter().filter_map(|(name, text)| Some((name, Value::text(text.as_deref()?)))))
}
