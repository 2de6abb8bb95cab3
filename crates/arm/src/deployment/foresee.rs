//! What is known beforehand to fail in the deployments inside of another one, so that nothing is begun that cannot end well.

use std::sync::Arc;

use super::{Deployment, DeploymentContext, Plan, StepKind, Unresolved, over_budget};
use crate::template::TemplateError;

/// The errors that nested deployments are known to end with: values that break the types of their parameters, and templates that
/// cannot be planned. What only the run time knows is not wrong.
pub fn foresee(deployment: &Arc<Deployment>, plan: &Plan) -> Vec<TemplateError> {
    over_budget(&deployment.context().budget, foreseen(deployment, plan))
}

fn foreseen(deployment: &Arc<Deployment>, plan: &Plan) -> Vec<TemplateError> {
    let is_nested = |plan: &Plan| plan.steps().iter().any(|step| step.kind == StepKind::Deployment);
    if !is_nested(plan) {
        return Vec::new();
    }
    let context = DeploymentContext { unresolved: Unresolved::Keep, ..deployment.context().clone() };
    let limits = deployment.template().limits();
    let budget = deployment.context().budget.clone();
    let mut left = limits.expanded_resources;
    let mut errors = Vec::new();
    let mut waiting = vec![Arc::new(deployment.within(context))];
    while let Some(deployment) = waiting.pop() {
        let plan = match Plan::new(deployment) {
            Ok(plan) => plan,
            Err(found) => {
                errors.extend(found);
                if errors.len() >= limits.errors || (budget.is_exhausted() && !errors.is_empty()) {
                    return errors;
                }
                continue;
            }
        };
        // One that has more of them ends with an error of its own when it is run.
        let Some(rest) = left.checked_sub(plan.steps().len().max(1)) else { return errors };
        left = rest;
        for (at, step) in plan.steps().iter().enumerate() {
            if step.kind != StepKind::Deployment {
                continue;
            }
            match plan.nested(at) {
                Ok(inner) => waiting.extend(inner),
                Err(error) => errors.push(error),
            }
            if errors.len() >= limits.errors || (budget.is_exhausted() && !errors.is_empty()) {
                return errors;
            }
        }
    }
    errors
}
