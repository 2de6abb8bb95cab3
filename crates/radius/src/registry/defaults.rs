//! The values of properties that a resource leaves out.

use contract::Constant;

use crate::schema::{Additional, Schema};

/// Fills in defaults: of properties that are absent and neither required nor read-only, wherever their object is there.
pub(super) fn fill(schema: &Schema, value: &mut Constant) {
    match value {
        Constant::Object(members) => {
            for property in schema.properties() {
                let name = Constant::text(&property.name);
                let inner = &property.schema;
                let found = members.iter().position(|(key, _)| *key == name);
                let at = match (found, &inner.default) {
                    (Some(at), _) => at,
                    (None, Some(default)) if !inner.read_only && !schema.requires(&property.name) => {
                        members.push((name, default.clone()));
                        members.len() - 1
                    }
                    (None, _) => continue,
                };
                if let Some((_, value)) = members.get_mut(at) {
                    fill(inner, value);
                }
            }
            if let Additional::Schema(values) = &schema.additional {
                members.iter_mut().for_each(|(_, value)| fill(values, value));
            }
        }
        Constant::List(items) => {
            if let Some(schema) = &schema.items {
                items.iter_mut().for_each(|item| fill(schema, item));
            }
        }
        Constant::Null
        | Constant::Bool(_)
        | Constant::Int(_)
        | Constant::UInt(_)
        | Constant::Float(_)
        | Constant::Decimal(_)
        | Constant::Text(_)
        | Constant::Bytes(_) => {}
    }
}
