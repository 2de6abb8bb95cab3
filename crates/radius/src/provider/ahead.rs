//! What is known of a deployment before it begins, held against the schemas of registered types.
//!
//! The deployment is predicted. What only its run knows is left out of the check: a rule that such a value has a part in is
//! looked at when the resource is put.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arm::deployment::{Context, Deployment, Unresolved, snapshot};
use arm::evaluate::Scope;
use arm::{ObjectBuilder, TemplateString, Value};
use contract::{Constant, PathStep, Violation};
use engine::Failure;

use super::{explain, split};
use crate::complete::{escaped, within};
use crate::lower::Purpose;
use crate::registry::resources::{DEPTH, named};
use crate::registry::{Kind, Registry};

/// All resources of registered types that are known to break their schemas.
pub(super) fn foresee(registry: &Registry, deployment: &Arc<Deployment>) -> Vec<Failure> {
    // Only resources of extensions are of registered types, and most templates have none.
    let text = deployment.template().text();
    if !text.contains("\"import\"") && !text.contains("\"extension\"") {
        return Vec::new();
    }
    let context = Context { unresolved: Unresolved::Keep, ..deployment.context().clone() };
    // What cannot be predicted fails, or not, when it runs.
    let Ok(predicted) = snapshot(deployment.within(context)) else { return Vec::new() };
    let mut kinds: HashMap<String, Option<Kind>> = HashMap::new();
    let mut foreseen = Vec::new();
    let in_plane = matches!(deployment.context().scope, Scope::Plane { .. });
    let others = predicted.resources.len().saturating_sub(predicted.extensions);
    for resource in predicted.resources.iter().skip(others) {
        let Some(members) = resource.as_object() else { continue };
        let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default();
        let (kind, api_version) = (text("type"), text("apiVersion"));
        let key = format!("{kind}@{api_version}");
        let known = kinds.entry(key).or_insert_with(|| usable(registry, kind, api_version, in_plane));
        let Some(kind) = known else { continue };
        let Some(contract) = kind.schema.contract(Purpose::Request) else { continue };
        let wanted = &format!("{}@{}", kind.full_name, kind.version);
        let mut unknown = BTreeSet::new();
        let whole = members.get("properties").unwrap_or(&Value::Null);
        let value = known_part(whole, &mut String::new(), &mut unknown);
        let exact = Constant::copy(value.expose().view(), DEPTH).unwrap_or(Constant::Null);
        let mut violations = contract.violations(&exact);
        violations.retain(|violation| is_certain(violation, &unknown));
        let name = value.as_object().and_then(|value| value.get("name")).and_then(Value::as_str);
        let target = format!("{}/{}", wanted.split('@').next().unwrap_or_default(), name.unwrap_or_default());
        if !violations.is_empty() {
            foreseen.push(explain::broken(wanted, &value, &violations).target(target));
        } else if let Some(Err(error)) = name.map(|name| named("resource", name)) {
            foreseen.push(explain::refused(&error).target(target));
        }
    }
    foreseen
}

/// A registered type with a schema that can be used. What goes wrong with it is said when a resource is put.
fn usable(registry: &Registry, kind: &str, api_version: &str, in_plane: bool) -> Option<Kind> {
    let (type_name, version) = split(kind, api_version);
    // Outside of planes only what somebody registered is the registry's.
    if !in_plane && registry.resource_type(type_name).ok()?.is_none() {
        return None;
    }
    let kind = registry.kind(type_name, version).ok()?;
    kind.schema.contract(Purpose::Request)?;
    Some(kind)
}

/// A predicted value with null in the place of what is not known, which is noted down; depth is bounded by that of values.
fn known_part(value: &Value, pointer: &mut String, unknown: &mut BTreeSet<String>) -> Value {
    match value {
        Value::Text(text) => match TemplateString::of(text) {
            TemplateString::Text(text) => Value::text(text),
            TemplateString::Expression(_) => {
                unknown.insert(pointer.clone());
                Value::Null
            }
        },
        Value::Unknown(_) => {
            unknown.insert(pointer.clone());
            Value::Null
        }
        Value::Secret(inner) => known_part(inner, pointer, unknown).secret(),
        Value::Array(list) => {
            let items = list.items().iter().enumerate();
            let known = items.map(|(index, item)| {
                within(pointer, &index.to_string(), |pointer| known_part(item, pointer, unknown))
            });
            Value::array(known.collect())
        }
        Value::Object(object) => {
            let mut known = ObjectBuilder::default();
            for (name, value) in &**object {
                let value = within(pointer, &escaped(name), |pointer| known_part(value, pointer, unknown));
                known.set(name.clone(), value);
            }
            known.finish()
        }
        scalar => scalar.clone(),
    }
}

/// Whether a rule is broken whatever the unknown values turn out to be.
fn is_certain(violation: &Violation, unknown: &BTreeSet<String>) -> bool {
    let is = |rule: &str| violation.code == rule || &*violation.rule == rule;
    // Names inside a secret are not in the path: what is around it is looked at.
    let mut path = violation.path.clone();
    let secret = path.steps.iter().position(|step| *step == PathStep::Secret);
    path.steps.truncate(secret.unwrap_or(path.steps.len()));
    let pointer = path.pointer();
    let below = format!("{pointer}/");
    let is_unknown = unknown.contains(&pointer);
    let has_unknown = unknown.range(below.clone()..).next().is_some_and(|next| next.starts_with(&below));
    match (is_unknown, has_unknown) {
        (false, false) => true,
        (true, _) => is("additionalProperties") || is("readOnly"),
        (false, true) => is("required") || is("additionalProperties") || is("readOnly"),
    }
}
