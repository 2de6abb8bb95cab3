//! Secrets inside of values: a type may say of a part, such as a property, that it is secure.

use document::SourceValue;

use super::TypeDefinition;
use super::declared::{PropertyIndex, branch, is_type};
use super::lower::Layers;
use crate::Value;
use crate::template::Template;
use crate::value::{MAX_DEPTH, ObjectBuilder};

impl Template {
    /// The value with everything that its type calls secure as a secret.
    #[must_use]
    pub fn sealed(&self, ty: &TypeDefinition, value: Value) -> Value {
        if ty.secure {
            return value.secret();
        }
        if !self.has_secrets(ty) {
            return value;
        }
        let mut sealing = Sealing { root: self.source(), declared: PropertyIndex::default() };
        // Each level of a value may be a branch of a union, which is a level of its own.
        sealing.seal(self.document.value(ty.node), &value, 2 * MAX_DEPTH).unwrap_or(value)
    }

    /// Tells whether values of the type are secrets, or may have some inside.
    pub fn has_secrets(&self, ty: &TypeDefinition) -> bool {
        ty.secure || (!ty.plain && self.types().has_secrets(ty))
    }
}

struct Sealing<'d> {
    root: SourceValue<'d>,
    declared: PropertyIndex<'d>,
}

impl<'d> Sealing<'d> {
    /// The value with its secrets; none if it has none that it did not have before.
    fn seal(&mut self, ty: SourceValue<'d>, value: &Value, depth: usize) -> Option<Value> {
        if matches!(value, Value::Null | Value::Secret(_)) {
            return None;
        }
        let layers = Layers::of(self.root, ty);
        // What nests deeper than values can is a union that chooses itself: nobody can say what it calls secure.
        let below = depth.checked_sub(1).filter(|_| !layers.is_secure());
        let Some(below) = below else { return Some(value.clone().secret()) };
        match value {
            Value::Array(list) => {
                layers.changed_elements(list.items(), |ty, item| self.seal(ty, item, below))
            }
            Value::Object(object) => {
                let declared = layers.get("properties");
                let rest = layers.get("additionalProperties").filter(is_type);
                let mut changed = false;
                let mut members = ObjectBuilder::default();
                for (name, value) in &**object {
                    let property = declared.and_then(|declared| self.declared.property(declared, name));
                    let ty = property.map(|(_, ty)| ty).or(rest);
                    let sealed = ty.and_then(|ty| self.seal(ty, value, below));
                    changed |= sealed.is_some();
                    members.insert(name.clone(), sealed.unwrap_or_else(|| value.clone()));
                }
                let own = changed.then(|| members.finish());
                let branch = layers.get("discriminator").and_then(|union| branch(union, value));
                let chosen = branch.and_then(|ty| self.seal(ty, own.as_ref().unwrap_or(value), below));
                chosen.or(own)
            }
            _ => None,
        }
    }
}
