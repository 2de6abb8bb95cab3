//! Values that readers do not agree on: an object with two members whose names differ by case only, and numbers beyond the range of
//! doubles. Whoever looks members up without regard to case finds one of the two, and whoever reads doubles finds another number.

use std::collections::HashMap;

use contract::{Path, PathStep, Terms};
use diagnostics::Message;
use smol_str::SmolStr;

use super::check::{BreachKind, TypeViolation};
use crate::Value;
use crate::value::{MAX_DEPTH, folded};

/// How many breaches of one value are told.
pub(super) const MOST: usize = 20;

/// The terms of a value whose type nobody describes: every reader sees the same in it, and what is kept of it can be read back.
#[derive(Clone, Copy, Debug)]
pub struct OpenType;

impl Terms<Value> for OpenType {
    type Refusal = Vec<TypeViolation>;

    fn admit(&self, value: Value) -> Result<Value, Vec<TypeViolation>> {
        if value.depth() as usize > MAX_DEPTH {
            let message = Message::sentence(format!("The value nests more than {MAX_DEPTH} levels deep"));
            return Err(vec![TypeViolation::new(message, BreachKind::Type)]);
        }
        let found = breaches(&value, MOST);
        if found.is_empty() { Ok(value) } else { Err(found) }
    }
}

/// What is ambiguous in a value, at most so many times.
pub(super) fn breaches(value: &Value, most: usize) -> Vec<TypeViolation> {
    let mut found = AmbiguousMember { breaches: Vec::new(), most };
    found.walk(value, false, &mut Vec::new());
    found.breaches
}

struct AmbiguousMember {
    breaches: Vec<TypeViolation>,
    most: usize,
}

impl AmbiguousMember {
    /// Recursion is bounded by how deep a value may nest.
    fn walk(&mut self, value: &Value, secret: bool, path: &mut Vec<PathStep>) {
        if !value.is_ambiguous() || self.breaches.len() >= self.most {
            return;
        }
        match value {
            Value::Secret(inner) => self.walk(inner, true, path),
            Value::Array(list) => {
                for (index, item) in list.items().iter().enumerate() {
                    path.push(PathStep::Index(index));
                    self.walk(item, secret, path);
                    path.pop();
                }
            }
            Value::Object(object) => {
                let mut names: HashMap<SmolStr, &str> = HashMap::new();
                for (name, value) in &**object {
                    path.push(PathStep::Name(name.as_str().into()));
                    match names.get(&folded(name)) {
                        Some(first) => self.twice(first, name, secret, path),
                        None => {
                            names.insert(folded(name), name);
                        }
                    }
                    self.walk(value, secret, path);
                    path.pop();
                }
            }
            Value::Float(_) | Value::Decimal(_) => {
                let message = "The number is beyond the range of double precision, so that readers would not agree on it";
                self.add(Message::sentence(message), BreachKind::Type, path, None);
            }
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) | Value::Unknown(_) => {}
        }
    }

    fn twice(&mut self, first: &str, second: &str, secret: bool, path: &[PathStep]) {
        let message = match secret {
            true => Message::sentence("A member is there twice: names do not depend on case"),
            false => Message::sentence(format!(
                "The member '{}' is there twice: names do not depend on case, and it is written '{}' before",
                contract::short_name(second),
                contract::short_name(first)
            )),
        };
        let (_, parents) = path.split_last().unwrap_or((&PathStep::Secret, &[]));
        let mut steps = parents.to_vec();
        steps.push(PathStep::Name(first.into()));
        self.add(message, BreachKind::Duplicate, path, Some(Path { steps }));
    }

    fn add(&mut self, message: Message, kind: BreachKind, path: &[PathStep], first: Option<Path>) {
        if self.breaches.len() < self.most {
            let path = Path { steps: path.to_vec() };
            self.breaches.push(TypeViolation { path, first, ..TypeViolation::new(message, kind) });
        }
    }
}
