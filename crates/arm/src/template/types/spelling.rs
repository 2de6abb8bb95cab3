//! Names of properties do not depend on case, and contracts compare them exactly: a value is held against its type with the names
//! that the type declares.

use document::SourceValue;

use super::TypeDefinition;
use super::declared::{PropertyIndex, branch, is_type, tag};
use super::lower::Layers;
use crate::Value;
use crate::template::Template;
use crate::value::{MAX_DEPTH, ObjectBuilder, equal_ignoring_case};

impl Template {
    /// The value with its members named as its type declares them; none if they are.
    pub(super) fn spelled(&self, ty: &TypeDefinition, value: &Value) -> Option<Value> {
        if ty.plain {
            return None;
        }
        let mut spelling = Spelling { root: self.source(), declared: PropertyIndex::default() };
        // Each level of a value may be a branch of a union, which is a level of its own.
        spelling.spell(self.document.value(ty.node), value, 2 * MAX_DEPTH)
    }
}

struct Spelling<'d> {
    root: SourceValue<'d>,
    declared: PropertyIndex<'d>,
}

impl<'d> Spelling<'d> {
    fn spell(&mut self, ty: SourceValue<'d>, value: &Value, depth: usize) -> Option<Value> {
        // A union that chooses itself has an end here; its contract lets nothing pass.
        let below = depth.checked_sub(1)?;
        match value {
            Value::Secret(inner) => self.spell(ty, inner, below).map(Value::secret),
            Value::Array(list) if !list.items().is_empty() => {
                let layers = Layers::of(self.root, ty);
                layers.changed_elements(list.items(), |ty, item| self.spell(ty, item, below))
            }
            Value::Object(object) if !object.is_empty() => {
                let layers = Layers::of(self.root, ty);
                let declared = layers.get("properties");
                let rest = layers.get("additionalProperties").filter(is_type);
                let union = layers.get("discriminator");
                let tag = union.and_then(tag);
                let mut changed = false;
                let mut members = ObjectBuilder::default();
                for (name, value) in &**object {
                    let property = declared.and_then(|declared| self.declared.property(declared, name));
                    let tag = tag.filter(|tag| equal_ignoring_case(tag, name));
                    let called = property.map(|(name, _)| name).or(tag).filter(|called| called != name);
                    let ty = property.map(|(_, ty)| ty).or(rest);
                    let spelled = ty.and_then(|ty| self.spell(ty, value, below));
                    changed |= spelled.is_some() || called.is_some();
                    let name = called.map_or_else(|| name.clone(), Into::into);
                    members.insert(name, spelled.unwrap_or_else(|| value.clone()));
                }
                let own = changed.then(|| members.finish());
                let branch = union.and_then(|union| branch(union, own.as_ref().unwrap_or(value)));
                let chosen = branch.and_then(|ty| self.spell(ty, own.as_ref().unwrap_or(value), below));
                chosen.or(own)
            }
            _ => None,
        }
    }
}
