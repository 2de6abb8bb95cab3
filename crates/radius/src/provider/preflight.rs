//! What is known of a deployment before it begins, held against the schemas of registered types.
//!
//! The deployment is predicted, and what only its run knows is unknown to the check: it refuses what is broken whatever that turns out to
//! be. When the resource is put, it is checked again.

use std::collections::HashMap;
use std::sync::Arc;

use arm::deployment::{Deployment, DeploymentContext, Unresolved, radius_id, snapshot};
use arm::evaluate::Scope;
use arm::{Expression, ObjectBuilder, TemplateString, Value};
use contract::{Boundary, Violation, admit};
use engine::Failure;
use engine::provider::Layer as _;

use super::{ValidatingProvider, errors, is_own_type, is_radius, known, split};
use crate::complete::{Incomplete, ResourceRequestTerms, Stored};
use crate::registry::resources::{member, named};
use crate::registry::{RegistryError, ResourceTypeVersion};

/// All resources of Radius that are known to have no type, or to break the schema of theirs.
pub(super) fn foresee(provider: &ValidatingProvider, deployment: &Arc<Deployment>) -> Vec<Failure> {
    let mut foreseen = outside_extensions(provider, deployment);
    // Only resources of extensions are of registered types, and most templates have none.
    if !deployment.template().declares_extensions() {
        return foreseen;
    }
    let context = DeploymentContext { unresolved: Unresolved::Keep, ..deployment.context().clone() };
    // What cannot be predicted fails, or not, when it runs.
    let Ok(predicted) = snapshot(deployment.within(context)) else { return foreseen };
    let mut kinds: HashMap<(bool, String), Result<Option<ResourceTypeVersion>, RegistryError>> =
        HashMap::new();
    let in_plane = matches!(deployment.context().scope, Scope::Plane { .. });
    let others = predicted.resources.len().saturating_sub(predicted.extensions.len());
    for (resource, extension) in predicted.resources.iter().skip(others).zip(&predicted.extensions) {
        let Some(members) = resource.as_object() else { continue };
        let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default();
        let (type_name, version) = split(text("type"), text("apiVersion"));
        let has_to_be = !provider.allows_unknown && (in_plane || is_radius(extension));
        let key = (has_to_be, format!("{type_name}@{}", version.unwrap_or_default()));
        let kind =
            kinds.entry(key).or_insert_with(|| known(&provider.registry, type_name, version, has_to_be));
        let kind = match kind {
            Ok(Some(kind)) => kind,
            Ok(None) => continue,
            // In a plane the resource fails, which is what its clients are used to.
            Err(error @ (RegistryError::Name(_) | RegistryError::Version(_))) if !in_plane => {
                foreseen.push(errors::refused(error).target(type_name));
                continue;
            }
            // What goes wrong with the state is said when the resource is put.
            Err(_) => continue,
        };
        let whole = members.get("properties").unwrap_or(&Value::Null);
        let value = with_unknowns(whole);
        let name = value.as_object().and_then(|value| value.get("name")).and_then(Value::as_str);
        let wanted = &format!("{}@{}", kind.full_name, kind.version);
        let target = format!("{}/{}", kind.full_name, name.unwrap_or_default());
        let violations = violations(provider, kind, &value, name, extension, &deployment.context().scope);
        if !violations.is_empty() {
            foreseen.push(errors::broken(wanted, &value, &violations).target(target));
        } else if let Some(Err(error)) = name.map(|name| named("resource", name)) {
            foreseen.push(errors::refused(&error).target(target));
        }
    }
    foreseen
}

/// Resources of Radius's own types that are none of an extension, as far as the template itself says.
fn outside_extensions(provider: &ValidatingProvider, deployment: &Arc<Deployment>) -> Vec<Failure> {
    if provider.allows_unknown || matches!(deployment.context().scope, Scope::Plane { .. }) {
        return Vec::new();
    }
    let resources = deployment.template().resources.iter();
    let plain = resources.filter(|resource| resource.extension.is_none() && !resource.existing);
    let kinds = plain.filter_map(|resource| resource.kind.as_str()).filter(|kind| is_own_type(kind));
    kinds.map(|kind| errors::without_extension(kind).target(kind)).collect()
}

/// The rules that a resource is known to break.
fn violations(
    provider: &ValidatingProvider,
    kind: &ResourceTypeVersion,
    value: &Value,
    name: Option<&str>,
    extension: &str,
    scope: &Scope,
) -> Vec<Violation> {
    // What is there may be sent back with what the server set.
    let id = name.and_then(|name| match scope {
        Scope::Plane { .. } => radius_id(scope, &kind.full_name, name),
        _ => provider.identify(extension, &kind.full_name, name, scope),
    });
    let before = id.as_deref().and_then(|id| provider.registry.resource(id).ok().flatten());
    let whole = before.as_ref().and_then(|before| provider.registry.revealed(before).ok());
    let stored = before.as_ref().zip(whole.as_ref()).and_then(|(before, whole)| {
        Some(Stored { shown: before.member("properties")?, whole: member(whole, "properties")? })
    });
    match admit(Boundary::Resource, &ResourceRequestTerms { compiled: &kind.schema, stored }, value.clone()) {
        Err(Incomplete::Broken(violations)) => violations,
        // That the schema is none is said when the resource is put.
        Ok(_) | Err(Incomplete::Unknown(_) | Incomplete::Unusable) => Vec::new(),
    }
}

/// A predicted value, in which what an expression will give is not known; depth is bounded by that of values.
fn with_unknowns(value: &Value) -> Value {
    match value {
        Value::Text(text) => match TemplateString::of(text) {
            TemplateString::Text(text) => Value::text(text),
            TemplateString::Expression(text) => Value::Unknown(Arc::new(Expression::Text(text.into()))),
        },
        Value::Secret(inner) => with_unknowns(inner).secret(),
        Value::Array(list) => Value::array(list.items().iter().map(with_unknowns).collect()),
        Value::Object(object) => {
            let mut known = ObjectBuilder::default();
            for (name, value) in &**object {
                known.insert(name.clone(), with_unknowns(value));
            }
            known.finish()
        }
        scalar => scalar.clone(),
    }
}
