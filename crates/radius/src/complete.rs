//! What a request becomes before it is kept: the server's own values come back, defaults fill in what is absent, and what nobody may
//! see is put aside.
//!
//! Requests come as constants of a document and as values of a deployment. [`Tree`] is all that the two have in common here, so that
//! there is one implementation of these rules.

use std::collections::{HashMap, HashSet};

use arm::{ObjectBuilder, Value};
use contract::Constant;
use smol_str::SmolStr;

use crate::schema::{Additional, Property, Schema};

/// A value that can be taken apart and put together again.
pub(crate) trait Tree: Sized {
    /// Takes the value apart.
    fn open(self) -> Opened<Self>;

    /// An object of members, in order.
    fn object(members: Vec<(SmolStr, Self)>) -> Self;

    /// A list of items.
    fn list(items: Vec<Self>) -> Self;

    /// The value that a schema or a record has; nothing if it cannot be one.
    fn of(constant: &Constant) -> Option<Self>;

    /// Whether the value is null.
    fn is_null(&self) -> bool;
}

/// A value that was taken apart.
pub(crate) enum Opened<T> {
    /// An object.
    Object(Vec<(SmolStr, T)>),
    /// A list.
    List(Vec<T>),
    /// Anything else.
    Leaf(T),
}

impl Tree for Constant {
    fn open(self) -> Opened<Constant> {
        match self {
            Constant::Object(members) => Opened::Object(
                members
                    .into_iter()
                    .map(|(key, value)| match key {
                        Constant::Text(name) => (name, value),
                        other => (other.to_string().into(), value),
                    })
                    .collect(),
            ),
            Constant::List(items) => Opened::List(items),
            leaf @ (Constant::Null
            | Constant::Bool(_)
            | Constant::Int(_)
            | Constant::UInt(_)
            | Constant::Float(_)
            | Constant::Decimal(_)
            | Constant::Text(_)
            | Constant::Bytes(_)) => Opened::Leaf(leaf),
        }
    }

    fn object(members: Vec<(SmolStr, Constant)>) -> Constant {
        Constant::Object(members.into_iter().map(|(name, value)| (Constant::Text(name), value)).collect())
    }

    fn list(items: Vec<Constant>) -> Constant {
        Constant::List(items)
    }

    fn of(constant: &Constant) -> Option<Constant> {
        Some(constant.clone())
    }

    fn is_null(&self) -> bool {
        *self == Constant::Null
    }
}

impl Tree for Value {
    /// What is inside of a secret is a secret.
    fn open(self) -> Opened<Value> {
        let is_secret = self.is_secret();
        let part = |value: &Value| if is_secret { value.clone().secret() } else { value.clone() };
        match self.plain() {
            Value::Object(object) => {
                Opened::Object(object.iter().map(|(name, value)| (name.clone(), part(value))).collect())
            }
            Value::Array(list) => Opened::List(list.items().iter().map(part).collect()),
            _ => Opened::Leaf(self),
        }
    }

    fn object(members: Vec<(SmolStr, Value)>) -> Value {
        let mut object = ObjectBuilder::default();
        members.into_iter().for_each(|(name, value)| object.set(name, value));
        object.finish()
    }

    fn list(items: Vec<Value>) -> Value {
        Value::array(items)
    }

    fn of(constant: &Constant) -> Option<Value> {
        Value::from_view(constant).ok()
    }

    fn is_null(&self) -> bool {
        Value::is_null(self)
    }
}

/// The properties of an object by name: looking through a list for each member would be quadratic.
fn by_name(schema: &Schema) -> HashMap<&str, &Property> {
    schema.properties().iter().map(|property| (&*property.name, property)).collect()
}

/// The schema of a member.
fn part<'s>(schema: &'s Schema, known: &HashMap<&str, &'s Property>, name: &str) -> Option<&'s Schema> {
    match (known.get(name), &schema.additional) {
        (Some(property), _) => Some(&property.schema),
        (None, Additional::Schema(values)) => Some(values),
        (None, Additional::Unsaid | Additional::None) => None,
    }
}

/// Gives a resource that is put again the values that only the server sets, as they were, and takes away those of the request.
pub(crate) fn restored<T: Tree>(schema: &Schema, value: T, stored: Option<&Constant>) -> T {
    let mut members = match value.open() {
        Opened::Object(members) => members,
        Opened::List(items) => return T::list(items),
        Opened::Leaf(leaf) => return leaf,
    };
    let known = by_name(schema);
    members.retain(|(name, _)| known.get(name.as_str()).is_none_or(|property| !property.schema.read_only));
    let old: HashMap<&str, &Constant> = match stored {
        Some(Constant::Object(old)) => old
            .iter()
            .filter_map(|(key, value)| match key {
                Constant::Text(name) => Some((name.as_str(), value)),
                _ => None,
            })
            .collect(),
        _ => HashMap::new(),
    };
    let mut members: Vec<(SmolStr, T)> = members
        .into_iter()
        .map(|(name, value)| {
            let value = match known.get(name.as_str()) {
                Some(property) => restored(&property.schema, value, old.get(name.as_str()).copied()),
                None => value,
            };
            (name, value)
        })
        .collect();
    for property in schema.properties().iter().filter(|property| property.schema.read_only) {
        let kept = old.get(&*property.name).and_then(|old| T::of(old));
        members.extend(kept.map(|kept| ((&*property.name).into(), kept)));
    }
    T::object(members)
}

/// Fills in defaults: of properties that are absent and neither required nor read-only, wherever their object is there.
pub(crate) fn filled<T: Tree>(schema: &Schema, value: T) -> T {
    match value.open() {
        Opened::Object(members) => {
            let known = by_name(schema);
            let required: HashSet<&str> = schema.required.iter().map(|name| &**name).collect();
            let there: HashSet<SmolStr> = members.iter().map(|(name, _)| name.clone()).collect();
            let mut members: Vec<(SmolStr, T)> = members
                .into_iter()
                .map(|(name, value)| {
                    let value = match part(schema, &known, &name) {
                        Some(inner) => filled(inner, value),
                        None => value,
                    };
                    (name, value)
                })
                .collect();
            for property in schema.properties() {
                let inner = &property.schema;
                if inner.read_only || required.contains(&*property.name) || there.contains(&*property.name) {
                    continue;
                }
                let default = inner.default.as_ref().and_then(T::of);
                members.extend(default.map(|default| ((&*property.name).into(), filled(inner, default))));
            }
            T::object(members)
        }
        Opened::List(items) => T::list(match &schema.items {
            Some(inner) => items.into_iter().map(|item| filled(inner, item)).collect(),
            None => items,
        }),
        Opened::Leaf(leaf) => leaf,
    }
}

/// Gives what nobody may see, with its JSON pointer, to `hide`, which says what stands in its place: nothing in an object, null in
/// a list.
pub(crate) fn hidden<T: Tree>(
    schema: &Schema,
    value: T,
    pointer: &mut String,
    hide: &mut dyn FnMut(&str, T) -> Option<T>,
) -> Option<T> {
    if schema.sensitive || schema.write_only {
        return if value.is_null() { Some(value) } else { hide(pointer, value) };
    }
    Some(match value.open() {
        Opened::Object(members) => {
            let known = by_name(schema);
            let mut kept = Vec::with_capacity(members.len());
            for (name, value) in members {
                let value = match part(schema, &known, &name) {
                    Some(inner) => {
                        within(pointer, &escaped(&name), |pointer| hidden(inner, value, pointer, hide))
                    }
                    None => Some(value),
                };
                kept.extend(value.map(|value| (name, value)));
            }
            T::object(kept)
        }
        Opened::List(items) => {
            let Some(inner) = &schema.items else { return Some(T::list(items)) };
            let mut kept = Vec::with_capacity(items.len());
            for (index, item) in items.into_iter().enumerate() {
                let item = within(pointer, &index.to_string(), |pointer| hidden(inner, item, pointer, hide));
                kept.extend(item.or_else(|| T::of(&Constant::Null)));
            }
            T::list(kept)
        }
        Opened::Leaf(leaf) => leaf,
    })
}

/// Does something one step further down.
pub(crate) fn within<R>(pointer: &mut String, step: &str, work: impl FnOnce(&mut String) -> R) -> R {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(step);
    let done = work(pointer);
    pointer.truncate(length);
    done
}

/// A name as a step of a JSON pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
