//! Snapshots: what a case predicts, kept beside the test file.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::Value;
use arm::deployment::{DeploymentContext, PartialContext, Snapshot};
use arm::evaluate::Scope;
use arm::template::TemplateError;
use engine::differences as deltas_between;
use engine::records::parse;

use crate::body::BodyError;
use crate::evaluation::seed_of;
use crate::setup::CaseSetup;

/// How many differences are told.
const MOST: usize = 100;

/// The snapshots of a test file.
#[derive(Debug, Default)]
pub(crate) struct Snapshots(BTreeMap<String, Value>);

impl Snapshots {
    /// Reads what is kept beside a test file.
    pub(crate) fn read(text: &str) -> Result<Snapshots, String> {
        let value = parse(text).map_err(|error| error.to_string())?;
        let members = value.as_object().ok_or("it must be an object of snapshots by test")?;
        Ok(Snapshots(members.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter()
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// The text to keep; none if there is no snapshot.
    pub(crate) fn text(&self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let all = Value::object(self.0.iter().map(|(name, value)| (name.as_str(), value.clone())));
        Some(format!("{}\n", arm::template_text::indented(all.view())))
    }
}

/// What a case predicts: resources and outputs of the ordinary form of its program.
pub(crate) fn predicted(setup: &CaseSetup<'_>) -> Result<Value, BodyError> {
    let snapshot = snapshot(setup)?.to_json();
    let members = snapshot.as_object().into_iter().flat_map(|it| it.iter());
    let kept = members.filter(|(name, _)| name == "predictedResources" || name == "outputs").cloned();
    // What is kept is text: a secret is its mask, and numbers are as JSON has them.
    let text = Value::object(kept).to_json();
    parse(&text).map_err(|error| BodyError::new("matchSnapshot", error.to_string()))
}

/// All that a case predicts, nested deployments as well, as text in which secrets are masked.
pub(crate) fn whole_prediction(setup: &CaseSetup<'_>) -> Result<String, BodyError> {
    let snapshot = snapshot(setup)?;
    let whole = [snapshot.to_json(), Value::array(snapshot.deployments)];
    Ok(Value::array(whole.to_vec()).to_json())
}

fn snapshot(setup: &CaseSetup<'_>) -> Result<Snapshot, BodyError> {
    let failed = |errors: Vec<TemplateError>| {
        let first = errors.first().map_or_else(String::new, |error| error.brief().into_owned());
        BodyError::new("matchSnapshot", format!("it cannot be predicted: {first}"))
    };
    let plain = setup.session.plain_program(setup.program);
    let plain = plain.map_err(|why| BodyError::new("matchSnapshot", why))?;
    let inputs = setup.inputs(&plain.inputs)?;
    let name = Some(setup.name().into());
    let mut known = PartialContext { deployment: name, ..PartialContext::default() };
    match setup.scope(&plain.template) {
        Scope::Unknown | Scope::Tenant | Scope::Plane { .. } => {}
        Scope::ManagementGroup(name) => known.management_group = Some(name),
        Scope::Subscription(id) => known.subscription = Some(id),
        Scope::ResourceGroup { subscription, name } => {
            known.subscription = Some(subscription);
            known.resource_group = Some(name);
        }
    }
    known.location = setup.body.location.as_ref().map(|it| it.as_str().into());
    let context = DeploymentContext {
        now: setup.body.time,
        seed: seed_of(setup.id),
        mocks: Arc::clone(&setup.mocks),
        ..DeploymentContext::predicted(plain.template.scope, known)
    };
    let deployment = setup.bound(&plain.template, &inputs, context).map_err(failed)?;
    arm::deployment::snapshot(deployment).map_err(failed)
}

/// What differs between two snapshots: the path, and both values.
pub(crate) fn differences(kept: &Value, now: &Value) -> Vec<(String, Option<Value>, Option<Value>)> {
    let deltas = deltas_between(&by_id(kept), &by_id(now));
    deltas.into_iter().take(MOST).map(|delta| (delta.path, delta.before, delta.after)).collect()
}

/// A snapshot with its resources by their ids, so that one that is new does not move the others.
fn by_id(snapshot: &Value) -> Value {
    let members = snapshot.as_object().into_iter().flat_map(|it| it.iter());
    Value::object(members.map(|(name, value)| match (name.as_str(), value.as_array()) {
        ("predictedResources", Some(resources)) => {
            let named = resources.iter().enumerate().map(|(place, resource)| {
                let id = resource.as_object().and_then(|it| it.get("id")).and_then(Value::as_str);
                (id.map_or_else(|| place.to_string(), str::to_owned), resource.clone())
            });
            (name.clone(), Value::object(named))
        }
        _ => (name.clone(), value.clone()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_are_sorted_text() {
        let mut all = Snapshots::default();
        assert_eq!(all.text(), None);
        all.set("b", Value::Int(1));
        all.set("a[x]", Value::Int(2));
        let text = all.text().unwrap();
        assert_eq!(text, "{\n  \"a[x]\": 2,\n  \"b\": 1\n}\n");
        assert_eq!(Snapshots::read(&text).unwrap().get("a[x]"), Some(&Value::Int(2)));
        assert!(Snapshots::read("[]").is_err());
    }

    #[test]
    fn a_new_resource_is_one_difference() {
        let kept = parse(r#"{"predictedResources":[{"id":"/b","x":1}],"outputs":{"o":1}}"#).unwrap();
        let now =
            parse(r#"{"predictedResources":[{"id":"/a"},{"id":"/b","x":2}],"outputs":{"o":1}}"#).unwrap();
        let paths: Vec<String> = differences(&kept, &now).into_iter().map(|it| it.0).collect();
        assert_eq!(paths, ["predictedResources./b.x", "predictedResources./a"]);
    }
}
