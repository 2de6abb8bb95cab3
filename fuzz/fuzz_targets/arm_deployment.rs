//! Any template with any parameters is refused, or planned, predicted and evaluated within its limits. Each step of a
//! plan comes behind those that it depends on.

#![no_main]

use std::sync::Arc;

use arm::Value;
use arm::budget::Budget;
use arm::deployment::{Deployment, DeploymentContext, NoLookups, Plan, Unresolved, snapshot};
use arm::template::{Template, TemplateLimits};
use document::{Document, FileId, JsonOptions};
use libfuzzer_sys::fuzz_target;

const LIMITS: TemplateLimits = TemplateLimits {
    iterations: 50,
    expanded_resources: 500,
    nesting: 4,
    bytes: 64 << 10,
    ..TemplateLimits::DEFAULT
};

fuzz_target!(|text: &str| {
    // The parameters stand behind the first form feed.
    let (template, parameters) = text.split_once('\u{c}').unwrap_or((text, "{}"));
    let Ok(template) = Template::read(template, &LIMITS) else { return };
    let template = Arc::new(template);
    let bounds = document::ReadLimits::DEFAULT;
    let parameters = Document::from_json_with(parameters, FileId::FIRST, &bounds, JsonOptions::TEMPLATE);
    let values = parameters.ok().and_then(|document| Value::from_view(document.root()).ok());
    let values: Vec<_> = values.as_ref().and_then(Value::as_object).into_iter().flatten().cloned().collect();
    for unresolved in [Unresolved::Error, Unresolved::Keep] {
        let mut context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "fuzz");
        context.unresolved = unresolved;
        context.budget = Budget::of_steps(200_000);
        let Ok(deployment) = Deployment::with_values(Arc::clone(&template), values.clone(), context) else {
            return;
        };
        let deployment = Arc::new(deployment);
        let _ = snapshot(Arc::clone(&deployment));
        let Ok(plan) = Plan::new(deployment) else { continue };
        let mut place = vec![usize::MAX; plan.steps().len()];
        for (position, step) in plan.order().iter().enumerate() {
            place[*step] = position;
        }
        for step in plan.steps() {
            for before in &step.depends_on {
                assert!(place[*before] < place[step.index]);
            }
            let _ = plan.evaluate(step.index, &NoLookups);
        }
        let _ = plan.outputs(&NoLookups);
        let _ = plan.asserts(&NoLookups);
    }
});
