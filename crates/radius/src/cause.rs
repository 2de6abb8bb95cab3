//! Whose fault a broken rule is: of what was given, or of what was filled in.
//!
//! A resource is checked as it will be kept, so that rules may be broken by values that its author did not write. Those are told
//! apart by comparing what was given with what was checked.

use std::cell::OnceCell;
use std::collections::HashSet;

use contract::{Constant, Contract, Expected, PathStep, Violation};

use crate::pointer::escaped;
use crate::schema::{Additional, Schema};

/// How many values that were filled in are named.
const NAMED: usize = 3;

/// Where a value comes from that breaks a rule.
enum Origin {
    /// Its author, or it is not there.
    Given,
    /// A default, at a place in the schema.
    Default(String),
    /// The server, which set it before.
    Server,
    /// Its author, and some of what is inside of it was filled in: the first of those, with where they are in the schema.
    Filled(Vec<String>),
}

/// Violations of what was checked that say which of them are of values that were filled in.
pub(crate) fn explained(
    schema: &Schema,
    contract: &Contract,
    given: &Constant,
    checked: &Constant,
    mut violations: Vec<Violation>,
) -> Vec<Violation> {
    // Rules that what was given breaks, too, are not broken by what was filled in.
    let before = OnceCell::new();
    let was_broken = |violation: &Violation| {
        let before: &HashSet<(String, &'static str)> = before.get_or_init(|| {
            contract.violations(given).iter().map(|it| (it.path.pointer(), it.code)).collect()
        });
        before.contains(&(violation.path.pointer(), violation.code))
    };
    for violation in &mut violations {
        let cause = match origin(schema, given, checked, &violation.path.steps) {
            Origin::Given => continue,
            Origin::Default(place) => {
                format!("it is the default of the schema at `{place}`")
            }
            Origin::Server => "it is the server's own, from before".to_owned(),
            Origin::Filled(_) if was_broken(violation) => continue,
            Origin::Filled(places) => {
                let places: Vec<String> = places.iter().map(|place| format!("`{place}`")).collect();
                format!("it holds without the defaults of the schema at {}", places.join(", "))
            }
        };
        let message = format!("{} ({cause})", violation.message());
        violation.expected = Expected::Stated(message.into());
    }
    violations
}

/// What a schema says of a part, and where it says it.
#[derive(Clone)]
struct SchemaSite<'s> {
    schema: Option<&'s Schema>,
    pointer: String,
}

impl<'s> SchemaSite<'s> {
    fn member(&self, name: &str) -> SchemaSite<'s> {
        let found = self.schema.and_then(|schema| match (schema.property(name), &schema.additional) {
            (Some(property), _) => Some((&property.schema, format!("/properties/{}", escaped(name)))),
            (None, Additional::Schema(values)) => Some((&**values, "/additionalProperties".to_owned())),
            (None, Additional::Unsaid | Additional::None) => None,
        });
        self.further(found)
    }

    fn item(&self) -> SchemaSite<'s> {
        let items = self.schema.and_then(|schema| schema.items.as_deref());
        self.further(items.map(|items| (items, "/items".to_owned())))
    }

    fn further(&self, found: Option<(&'s Schema, String)>) -> SchemaSite<'s> {
        match found {
            Some((schema, step)) => {
                SchemaSite { schema: Some(schema), pointer: format!("{}{step}", self.pointer) }
            }
            None => SchemaSite { schema: None, pointer: String::new() },
        }
    }

    fn default(&self) -> String {
        format!("{}/default", self.pointer)
    }

    fn is_read_only(&self) -> bool {
        self.schema.is_some_and(|schema| schema.read_only)
    }
}

fn origin(schema: &Schema, given: &Constant, checked: &Constant, steps: &[PathStep]) -> Origin {
    // The first step of a resource leads to its properties.
    let Some((PathStep::Name(first), rest)) = steps.split_first() else { return Origin::Given };
    if &**first != "properties" {
        return Origin::Given;
    }
    let (Some(mut given), Some(mut checked)) = (member(given, first), member(checked, first)) else {
        return Origin::Given;
    };
    let mut at = SchemaSite { schema: Some(schema), pointer: String::new() };
    for step in rest {
        let (old, new) = match step {
            PathStep::Name(name) => {
                at = at.member(name);
                (member(given, name), member(checked, name))
            }
            PathStep::Entry(Constant::Text(name)) => {
                at = at.member(name);
                (member(given, name), member(checked, name))
            }
            PathStep::Index(index) => {
                at = at.item();
                (item(given, *index), item(checked, *index))
            }
            PathStep::Entry(_) | PathStep::Key(_) | PathStep::Secret => return Origin::Given,
        };
        match (old, new) {
            (Some(old), Some(new)) => (given, checked) = (old, new),
            (None, Some(_)) if at.is_read_only() => return Origin::Server,
            (None, Some(_)) => return Origin::Default(at.default()),
            (_, None) => return Origin::Given,
        }
    }
    let mut filled = Vec::new();
    collect(&at, given, checked, &mut filled);
    if filled.is_empty() { Origin::Given } else { Origin::Filled(filled) }
}

/// What was filled in below a value; depth is bounded by that of resources.
fn collect(at: &SchemaSite<'_>, given: &Constant, checked: &Constant, filled: &mut Vec<String>) {
    match (given, checked) {
        (Constant::Object(_), Constant::Object(members)) => {
            for (key, new) in members {
                let Constant::Text(name) = key else { continue };
                if filled.len() >= NAMED {
                    return;
                }
                let at = at.member(name);
                match member(given, name) {
                    Some(old) => collect(&at, old, new, filled),
                    None if !at.is_read_only() && !filled.contains(&at.default()) => {
                        filled.push(at.default());
                    }
                    None => {}
                }
            }
        }
        (Constant::List(old), Constant::List(new)) => {
            let at = at.item();
            for (old, new) in old.iter().zip(new) {
                if filled.len() >= NAMED {
                    return;
                }
                collect(&at, old, new, filled);
            }
        }
        _ => {}
    }
}

fn member<'c>(value: &'c Constant, name: &str) -> Option<&'c Constant> {
    let Constant::Object(members) = value else { return None };
    let is_it = |key: &Constant| matches!(key, Constant::Text(text) if text == name);
    members.iter().find(|(key, _)| is_it(key)).map(|(_, value)| value)
}

fn item(value: &Constant, index: usize) -> Option<&Constant> {
    match value {
        Constant::List(items) => items.get(index),
        _ => None,
    }
}
