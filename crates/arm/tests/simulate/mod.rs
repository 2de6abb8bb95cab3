//! Runs a plan against a provider that keeps what it gets: what a deployment would end with.

use std::collections::HashMap;
use std::sync::Arc;

use arm::Value;
use arm::deployment::{
    Deployment, Evaluated, Frontier, Live, Need, OutputResult, Outputs, Plan, Request, Step, StepKind,
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

impl Live for State<'_> {
    fn answer(&self, need: &Need) -> Option<Result<Value, TemplateError>> {
        Some(match need {
            Need::Step(step) => Ok(self.steps.get(step).cloned()?),
            Need::Resource { id, null_if_missing, .. } => {
                match self.world.resources.get(&id.to_lowercase()) {
                    Some(body) => Ok(body.clone()),
                    None if *null_if_missing => Ok(Value::Null),
                    None => {
                        Err(TemplateError::new("ResourceNotFound", format!("there is no resource `{id}`")))
                    }
                }
            }
            Need::List { function, id, .. } => {
                Ok(Value::object([("value", Value::from(format!("{function} of {id}")))]))
            }
            Need::Secret { name, .. } => Ok(Value::from(format!("secret {name}"))),
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
            Evaluated::Failed(error) => return Err(vec![error]),
            Evaluated::Needs(needs) => {
                let message = format!("{:?} needs {needs:?}, which does not come", step.id);
                return Err(vec![TemplateError::new("Stuck", message)]);
            }
            Evaluated::Ready(Request::Existing) => {}
            Evaluated::Ready(Request::Put { body, .. }) => {
                let body = state(step, body.into_inner());
                if step.kind == StepKind::Resource {
                    world.put.push(step.id.to_string());
                    world.resources.insert(step.id.to_lowercase(), body.clone());
                }
                states.insert(at, body);
            }
            Evaluated::Ready(Request::Deploy { nested, .. }) => {
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
        Outputs::Ready(outputs) => Ok(outputs),
        Outputs::Failed(error) => Err(vec![error]),
        Outputs::Needs(needs) => Err(vec![TemplateError::new("Stuck", format!("outputs need {needs:?}"))]),
    }
}

/// What a resource looks like once it is there.
fn state(step: &Step, body: Value) -> Value {
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
