//! Resources as texts: what is wrong with one before it is sent, at the places where it is written, and what of it nobody may see.

use std::collections::HashMap;

use arm::folded;
use contract::{Constant, Node, Path, Terms as _, Violation};
use diagnostics::Span;
use document::SourceValue;
use smol_str::SmolStr;

use crate::compiled_schema::CompiledSchema;
use crate::complete::{Incomplete, ResourceRequestTerms};
use crate::limits::RESOURCE_DEPTH;
use crate::lower::Purpose;
use crate::schema::{Additional, Schema};
use crate::well_formed::{SchemaGuide, faults};

impl CompiledSchema {
    /// Everything that keeps a resource from being put, as far as its schema says it: it is checked with its defaults.
    pub fn violations(&self, resource: SourceValue<'_>) -> Vec<Violation> {
        let found = faults(resource, SchemaGuide::Resource(self), RESOURCE_DEPTH);
        if !found.is_empty() {
            return found;
        }
        let refused = |words: &str| vec![Violation::stated(Path::default(), "limit", words)];
        let Some(given) = Constant::copy(resource, RESOURCE_DEPTH) else {
            return refused("the resource nests too deeply");
        };
        match (ResourceRequestTerms { compiled: self, stored: None }).admit(given) {
            Ok(_) => Vec::new(),
            Err(Incomplete::Broken(violations)) => placed(violations, resource),
            Err(Incomplete::Unusable) => refused("the schema of the type cannot be used"),
            Err(Incomplete::Unknown(_)) => refused("the resource is not known as a whole"),
        }
    }

    /// The places of what nobody may see: what the schema calls secret, by whatever case, and what the contract does, which also knows of
    /// values of another kind than the schema says and of names that may be misspelt.
    pub fn secrets(&self, resource: SourceValue<'_>) -> Vec<Span> {
        let contract = self.contract(Purpose::Request);
        let mut places = contract.map(|contract| contract.secrets(resource)).unwrap_or_default();
        for (key, value) in resource.members() {
            if key.as_str().is_some_and(|name| name.eq_ignore_ascii_case("properties")) {
                secrets(self, value, &mut places);
            }
        }
        places
    }
}

/// Violations with the places of what they are about; what was filled in has none.
pub(crate) fn placed(mut violations: Vec<Violation>, body: SourceValue<'_>) -> Vec<Violation> {
    for violation in violations.iter_mut().filter(|it| it.place.is_none()) {
        violation.place = body.pointer(&violation.path.pointer()).map(|value| value.place());
    }
    violations
}

/// Depth is bounded by that of documents.
fn secrets(schema: &Schema, value: SourceValue<'_>, places: &mut Vec<Span>) {
    if schema.sensitive || schema.write_only {
        places.push(value.place());
        return;
    }
    let has_parts = match value.node() {
        Node::Object(_) => schema.properties.is_some() || matches!(schema.additional, Additional::Schema(_)),
        Node::List(_) => schema.items.is_some(),
        Node::Null | Node::Bool(_) => true,
        _ => false,
    };
    // What is of another kind than the schema says has the secret anywhere.
    if !has_parts && holds_secrets(schema) {
        places.push(value.place());
        return;
    }
    let properties = schema.properties().iter();
    let known: HashMap<SmolStr, &Schema> =
        properties.map(|property| (folded(&property.name), &property.schema)).collect();
    for (key, inner) in value.members() {
        let Some(name) = key.as_str() else { continue };
        match (known.get(&folded(name)), &schema.additional) {
            (Some(schema), _) => secrets(schema, inner, places),
            (None, Additional::Schema(values)) => secrets(values, inner, places),
            (None, Additional::Unsaid | Additional::None) => {}
        }
    }
    if let Some(items) = schema.items.as_deref() {
        value.items().for_each(|item| secrets(items, item, places));
    }
}

/// Whether a part of a value is a secret. Depth is bounded by that of schemas.
fn holds_secrets(schema: &Schema) -> bool {
    let additional = match &schema.additional {
        Additional::Schema(values) => Some(&**values),
        Additional::Unsaid | Additional::None => None,
    };
    let parts = schema.properties().iter().map(|property| &property.schema);
    let mut parts = parts.chain(additional).chain(schema.items.as_deref());
    parts.any(|part| part.sensitive || part.write_only || holds_secrets(part))
}
