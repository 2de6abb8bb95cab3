//! What a resource keeps without ever showing it: sensitive values and those that are only written.

use contract::Constant;

use crate::schema::{Additional, Schema};

/// A value that was taken out of a resource, with its JSON pointer.
pub(super) type Hidden = (String, Constant);

/// Takes out what is not shown; in the place of a sensitive value stands null.
pub(super) fn take(schema: &Schema, value: &mut Constant, pointer: &mut String, hidden: &mut Vec<Hidden>) {
    if schema.sensitive || schema.write_only {
        let taken = std::mem::replace(value, Constant::Null);
        if taken != Constant::Null {
            hidden.push((pointer.clone(), taken));
        }
        return;
    }
    match value {
        Constant::Object(members) => {
            for (key, value) in members {
                let Constant::Text(name) = key else { continue };
                let inner = match (schema.property(name), &schema.additional) {
                    (Some(property), _) => &property.schema,
                    (None, Additional::Schema(values)) => values,
                    (None, Additional::Unsaid | Additional::None) => continue,
                };
                within(pointer, &name.replace('~', "~0").replace('/', "~1"), |pointer| {
                    take(inner, value, pointer, hidden);
                });
            }
        }
        Constant::List(items) => {
            let Some(schema) = &schema.items else { return };
            for (index, item) in items.iter_mut().enumerate() {
                within(pointer, &index.to_string(), |pointer| take(schema, item, pointer, hidden));
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

fn within(pointer: &mut String, step: &str, work: impl FnOnce(&mut String)) {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(step);
    work(pointer);
    pointer.truncate(length);
}

/// What was taken out, as one JSON object by pointers.
pub(super) fn as_json(hidden: &[Hidden]) -> String {
    let members = hidden.iter().map(|(pointer, value)| (Constant::text(pointer), value.clone()));
    Constant::Object(members.collect()).to_string()
}
