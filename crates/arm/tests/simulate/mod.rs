//! Runs a plan against a provider that keeps what it gets: what a deployment would end with.

use std::collections::HashMap;
use std::sync::Arc;

use arm::Value;
use arm::deployment::{
    Deployment, Evaluation, Frontier, LookupResults, OutputResult, Plan, PlanStep, ResourceLookup, StepKind,
    StepRequest,
};
use arm::template::TemplateError;

/// Everything that was deployed, by id without regard to case, in one world of nested deployments.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) resources: HashMap<String, Value>,
    /// Ids in the order in which they were put.
    pub(crate) put: Vec<String>,
}

struct State<'s> {
    plan: &'s Plan,
    world: &'s World,
    steps: &'s HashMap<usize, Value>,
}

impl LookupResults for State<'_> {
    fn answer(&self, lookup: &ResourceLookup) -> Option<Result<Value, TemplateError>> {
        Some(match lookup {
            ResourceLookup::Step(step) => Ok(self.steps.get(step).cloned()?),
            ResourceLookup::Resource { id, null_if_missing, .. } => {
                match self.world.resources.get(&id.to_lowercase()) {
                    Some(body) => Ok(body.clone()),
                    None if *null_if_missing => Ok(Value::Null),
                    None => {
                        Err(TemplateError::new("ResourceNotFound", format!("there is no resource `{id}`")))
                    }
                }
            }
            ResourceLookup::List { function, id, .. } => {
                Ok(Value::object([("value", Value::from(format!("{function} of {id}")))]))
            }
            ResourceLookup::Secret { name, .. } => Ok(Value::from(format!("secret {name}"))),
        })
    }
}

/// Deploys, and gives the outputs.
pub(crate) fn deploy(
    deployment: Arc<Deployment>,
    world: &mut World,
) -> Result<Vec<OutputResult>, Vec<TemplateError>> {
    let plan = Plan::new(deployment)?;
    let mut states: HashMap<usize, Value> = HashMap::new();
    let (mut frontier, mut ready) = Frontier::new(&plan);
    ready.reverse();
    while let Some(at) = ready.pop() {
        let Some(step) = plan.steps().get(at) else { continue };
        let evaluated = plan.evaluate(at, &State { plan: &plan, world, steps: &states });
        match evaluated {
            Evaluation::Failed(error) => return Err(vec![error]),
            Evaluation::NeedsLookups(needs) => {
                let message = format!("{:?} needs {needs:?}, which does not come", step.id);
                return Err(vec![TemplateError::new("Stuck", message)]);
            }
            Evaluation::Ready(StepRequest::Existing) => {}
            Evaluation::Ready(StepRequest::Put { body, .. }) => {
                let body = state(step, body.into_inner());
                if step.kind == StepKind::Resource {
                    world.put.push(step.id.to_string());
                    world.resources.insert(step.id.to_lowercase(), body.clone());
                }
                states.insert(at, body);
            }
            Evaluation::Ready(StepRequest::Deploy { nested, .. }) => {
                let outputs = deploy(nested.deployment, world)?;
                let outputs = outputs.iter().map(|output| (output.name.clone(), output.to_state()));
                let properties = Value::object([("outputs", Value::object(outputs))]);
                let body = Value::object([
                    ("id", Value::Text(step.id.clone())),
                    ("name", Value::Text(step.name.clone())),
                    ("properties", properties),
                ]);
                world.resources.insert(step.id.to_lowercase(), body.clone());
                states.insert(at, body);
            }
        }
        ready.extend(frontier.finish(at));
        ready.sort_unstable_by(|a, b| b.cmp(a));
    }
    let state = State { plan: &plan, world, steps: &states };
    let _ = state.plan;
    match plan.outputs(&state) {
        Evaluation::Ready(outputs) => Ok(outputs),
        Evaluation::Failed(error) => Err(vec![error]),
        Evaluation::NeedsLookups(needs) => {
            Err(vec![TemplateError::new("Stuck", format!("outputs need {needs:?}"))])
        }
    }
}

/// What a resource looks like once it is there.
fn state(step: &PlanStep, body: Value) -> Value {
    if step.kind == StepKind::Extension {
        return body.as_object().and_then(|body| body.get("properties")).cloned().unwrap_or(body);
    }
    let mut members = vec![
        ("id".into(), Value::Text(step.id.clone())),
        ("name".into(), Value::Text(step.name.clone())),
        ("type".into(), Value::Text(step.type_name.clone())),
    ];
    members.extend(body.as_object().into_iter().flatten().cloned());
    Value::object(members)
}
