//! Deployments on a server: predicted, put, waited for, canceled.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arm::deployment::{Deployment, DeploymentMode, Plan, StepKind};
use arm::evaluate::{EnvironmentValue, Scope};
use arm::{Caseless as _, ProvisioningState, Value};
use contract::Constant;
use engine::core::RunEnd;
use engine::{
    ChangeKind, DeploymentRecord, DeploymentResult, Failure as EngineFailure, OperationRecord, WhatIf,
};
use hyper::Method;
use hyper::header::LOCATION;
use server::StepSummary;

use super::timeline::{Timeline, timeline};
use super::{DEPLOYMENTS, GROUPS, Remote, TargetError};

/// How long it is waited before the server is asked again.
const PAUSE: Duration = Duration::from_millis(200);

/// What became of a deployment on a server.
pub(crate) struct RemoteDeployment {
    /// How it ended, and its record.
    pub(crate) ended: DeploymentResult,
    /// The state of each resource that something was done for, by id in lower case.
    pub(crate) operations: BTreeMap<String, ProvisioningState>,
    /// What was done when.
    pub(crate) timeline: Timeline,
}

impl RemoteDeployment {
    /// What was done for resources, by id.
    pub(crate) fn ran(&self) -> Vec<StepSummary> {
        let ran = |(id, state): (&String, &ProvisioningState)| StepSummary {
            name: id.rsplit('/').next().unwrap_or_default().to_owned(),
            milliseconds: None,
            state: state.as_str().to_owned(),
            failure: None,
        };
        self.operations.iter().map(ran).collect()
    }
}

impl Remote {
    /// What a deployment would change. Nothing is changed for the answer: a resource group that is not there is an error.
    pub(crate) fn what_if(
        &self,
        deployment: &Deployment,
        mode: DeploymentMode,
    ) -> Result<WhatIf, TargetError> {
        self.runtime.block_on(async {
            let path = format!("{}/whatIf?api-version={DEPLOYMENTS}", path(deployment));
            let mut reply = self.ask(Method::POST, &path, request(deployment, mode)).await?;
            while let Some(link) = reply.headers.get(LOCATION).and_then(|link| link.to_str().ok()) {
                tokio::time::sleep(PAUSE).await;
                reply = self.ask(Method::GET, link, String::new()).await?;
            }
            let predicted = WhatIf::from_value(&self.value(&reply)?);
            predicted.ok_or_else(|| self.failed(&"its answer is not a prediction").into())
        })
    }

    /// Deploys, and waits for the end. The first Ctrl-C cancels.
    pub(crate) fn deploy(
        &self,
        deployment: &Deployment,
        mode: DeploymentMode,
    ) -> Result<RemoteDeployment, TargetError> {
        self.runtime.block_on(async {
            let path = path(deployment);
            let own = format!("{path}?api-version={DEPLOYMENTS}");
            let put = self.ask(Method::PUT, &own, request(deployment, mode)).await?;
            let mut record = DeploymentRecord::from_rest(&self.value(&put)?);
            let mut canceled = false;
            while !record.state.is_terminal() {
                let stopped = tokio::time::timeout(PAUSE, tokio::signal::ctrl_c()).await;
                if stopped.is_ok_and(|signal| signal.is_ok()) {
                    if canceled {
                        return Err(self.failed(&"the deployment goes on there").into());
                    }
                    canceled = true;
                    let cancel = format!("{path}/cancel?api-version={DEPLOYMENTS}");
                    // One that has ended meanwhile cannot be canceled.
                    let _ = self.ask(Method::POST, &cancel, String::new()).await;
                }
                let got = self.ask(Method::GET, &own, String::new()).await?;
                record = DeploymentRecord::from_rest(&self.value(&got)?);
            }
            let operations = self.list(&format!("{path}/operations?api-version={DEPLOYMENTS}")).await?;
            let operations: Vec<OperationRecord> = operations.iter().filter_map(operation).collect();
            let timeline = timeline(&operations, &record);
            let has_target = |operation: &&OperationRecord| !operation.target_id().is_empty();
            let operations = operations.iter().filter(has_target);
            let operations = operations.map(|it| (it.target_id().caseless(), it.state)).collect();
            let ended = DeploymentResult { end: end(&record), record };
            Ok(RemoteDeployment { ended, operations, timeline })
        })
    }

    /// Makes the resource group of a deployment, unless it is there: a group that is named exists, as it does on this machine.
    pub(crate) fn make_group(&self, deployment: &Deployment) -> Result<(), TargetError> {
        self.runtime.block_on(self.group(deployment))
    }

    async fn group(&self, deployment: &Deployment) -> Result<(), TargetError> {
        let context = deployment.context();
        if !matches!(context.scope, Scope::ResourceGroup { .. }) {
            return Ok(());
        }
        let path = format!("{}?api-version={GROUPS}", context.scope.id());
        match self.ask(Method::GET, &path, String::new()).await {
            Err(TargetError::Failure(failure)) if failure.code == "ResourceGroupNotFound" => {}
            other => return other.map(drop),
        }
        let location = context.location.as_deref().unwrap_or_default();
        let group = format!("{{\"location\":{}}}", Constant::text(location));
        self.ask(Method::PUT, &path, group).await.map(drop)
    }
}

/// The path of a deployment.
fn path(deployment: &Deployment) -> String {
    let context = deployment.context();
    let name = context.name.as_deref().unwrap_or_default();
    let name = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    format!("{}/providers/Microsoft.Resources/deployments/{name}", context.scope.id())
}

/// The body of a request: the template, and the values that its parameters are bound to. The server checks them again.
fn request(deployment: &Deployment, mode: DeploymentMode) -> String {
    let context = deployment.context();
    let mut parameters = Vec::new();
    for parameter in &deployment.template().parameters {
        // What has no value has a default that only the run time knows.
        if let Some(EnvironmentValue::Value(value)) = deployment.parameter(&parameter.name)
            && !(value.is_null() && parameter.default.is_none())
        {
            let name = Constant::text(&parameter.name);
            parameters.push(format!("{name}:{{\"value\":{}}}", value.expose().to_json()));
        }
    }
    let location = match (&context.scope, &context.location) {
        (Scope::ResourceGroup { .. } | Scope::Plane { .. }, _) | (_, None) => String::new(),
        (_, Some(location)) => format!("\"location\":{},", Constant::text(location)),
    };
    let configs = &context.extension_configs;
    let configs = match configs.as_object().is_some_and(|configs| !configs.is_empty()) {
        true => format!(",\"extensionConfigs\":{}", configs.expose().to_json()),
        false => String::new(),
    };
    format!(
        "{{{location}\"properties\":{{\"mode\":\"{}\",\"parameters\":{{{}}}{configs},\"template\":{}\n}}}}",
        mode.name(),
        parameters.join(","),
        deployment.template().text()
    )
}

/// How a deployment ended, as a server says.
fn end(record: &DeploymentRecord) -> RunEnd {
    match (record.end(), &record.error) {
        (RunEnd::Failed(_), None) => {
            RunEnd::Failed(EngineFailure::new("DeploymentFailed", "the server does not say why"))
        }
        (end, _) => end,
    }
}

/// An operation in a list of them.
fn operation(item: &Value) -> Option<OperationRecord> {
    item.as_object()?.get("properties").map(OperationRecord::from_rest)
}

impl RemoteDeployment {
    /// How many resources became what, by what was predicted of them.
    pub(crate) fn changes(&self, predicted: &WhatIf) -> BTreeMap<ChangeKind, usize> {
        let mut counts = BTreeMap::new();
        // Resources of modules, and what goes in complete mode, have no operation of this deployment.
        let succeeded = matches!(self.ended.end, RunEnd::Succeeded(_));
        for change in predicted.changes.iter().filter(|change| change.kind != ChangeKind::Ignore) {
            let done = self
                .operations
                .get(&change.id.caseless())
                .is_some_and(|state| *state == ProvisioningState::Succeeded);
            if done || succeeded {
                *counts.entry(change.kind).or_default() += 1;
            }
        }
        counts
    }

    /// How many resources something went wrong with, and how many were never begun.
    pub(crate) fn undone(&self, deployment: &Arc<Deployment>) -> (usize, usize) {
        let failed = self.operations.values().filter(|state| **state == ProvisioningState::Failed).count();
        let ended = matches!(self.ended.end, RunEnd::Succeeded(_));
        // The server has made the same plan.
        let plan = Plan::new(Arc::clone(deployment)).ok().filter(|_| !ended);
        let steps = plan.iter().flat_map(Plan::steps).filter(|step| step.kind != StepKind::Existing);
        let not_begun = steps.filter(|step| !self.operations.contains_key(&step.id.caseless())).count();
        (failed, not_begun)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arm::binding::Inputs;
    use arm::deployment::DeploymentContext;
    use arm::template::{Template, TemplateLimits};
    use document::FileId;

    use super::*;

    #[test]
    fn a_request_has_the_values_and_the_settings() {
        let template = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "languageVersion": "2.2-experimental",
            "contentVersion": "1.0.0.0", "parameters": {"q": {"type": "string"}}, "extensions": {"k8s": {"name": "Kubernetes", "version": "1.0.0"}}, "resources": {}}"#;
        let template = Arc::new(Template::read(template, &TemplateLimits::default()).unwrap());
        let file = r#"{"parameters": {"q": {"value": "mine"}}, "extensionConfigs": {"k8s": {"kubeConfig": {"value": "hunter2"}}}}"#;
        let inputs = Inputs::read(file, FileId(1), &TemplateLimits::DEFAULT).unwrap();
        let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
        let deployment = Deployment::with_inputs(template, &inputs, context, &|_| None).unwrap();
        let sent = request(&deployment, DeploymentMode::Incremental);
        assert!(sent.contains(r#""parameters":{"q":{"value":"mine"}}"#), "{sent}");
        assert!(sent.contains(r#""extensionConfigs":{"k8s":{"kubeConfig":{"value":"hunter2"}}}"#), "{sent}");
    }
}
