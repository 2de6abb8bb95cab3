//! What stands for a field that is absent: its default, a zero value, or nothing.

use contract::Constant;

use super::Compat;
use super::table::Class;
use crate::idl::Requiredness;
use crate::model::{ConstantValue, Field, Model, Struct, StructRole};

/// Says what readers have in the place of a field that is not sent.
#[derive(Clone, Copy)]
pub(super) struct Absent<'m> {
    pub(super) model: &'m Model,
    pub(super) compat: Compat,
}

impl Absent<'_> {
    /// The value that is validated when a field of a struct is absent.
    pub(super) fn stand_in(self, owner: &Struct, field: &Field) -> Option<Constant> {
        // Without a required field a reader rejects the message; there is nothing to validate. Of a union, it is
        // the other fields that are absent.
        if field.requiredness == Requiredness::Required || owner.role == StructRole::Union {
            return None;
        }
        if let Some(default) = &field.default {
            return Some(self.constant(default));
        }
        let class = Class::of(self.model.real(field.ty))?;
        let container = matches!(class, Class::List | Class::Map | Class::Binary);
        let go = self.compat == Compat::Go && container;
        if field.requiredness == Requiredness::Optional && !go {
            return None;
        }
        Some(match class {
            Class::Bool => false.into(),
            Class::Int | Class::Enum => 0.into(),
            Class::Double => 0.0.into(),
            Class::String | Class::Binary => "".into(),
            Class::Uuid => Constant::Bytes(vec![0; 16].into()),
            Class::List => Constant::List(Vec::new()),
            Class::Map => Constant::Object(Vec::new()),
            Class::Struct => return None,
        })
    }

    fn constant(self, value: &ConstantValue) -> Constant {
        match value {
            ConstantValue::Bool(it) => (*it).into(),
            ConstantValue::Int(it) => (*it).into(),
            ConstantValue::Double(it) => (*it).into(),
            ConstantValue::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => text.into(),
                Err(_) => Constant::Bytes((**bytes).into()),
            },
            ConstantValue::Uuid(bytes) => Constant::Bytes((*bytes).into()),
            ConstantValue::Enum(_, number) => i64::from(*number).into(),
            ConstantValue::List(items) => {
                Constant::List(items.iter().map(|item| self.constant(item)).collect())
            }
            ConstantValue::Map(entries) => Constant::Object(
                entries.iter().map(|(key, value)| (self.constant(key), self.constant(value))).collect(),
            ),
            ConstantValue::Struct(id, fields) => {
                let members = fields.iter().filter_map(|(position, value)| {
                    let field = self.model[*id].fields.get(*position)?;
                    Some((i64::from(field.wire_id()).into(), self.constant(value)))
                });
                Constant::Object(members.collect())
            }
        }
    }
}
