//! What a request becomes before it is kept: the server's own values come back, defaults fill in what is absent, the whole is checked,
//! and what nobody may see is put aside.
//!
//! The order matters: what is checked is what is kept. Requests come as constants of a document and as values of a
//! deployment. [`ValueTree`] is all that the two have in common here, so that there is one implementation of these rules.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use arm::{ObjectBuilder, Value, folded};
use contract::{Constant, Contract, Path, Terms, Verdict, Violation};
use smol_str::SmolStr;

use crate::cause::explained;
use crate::compiled_schema::CompiledSchema;
use crate::exact::Exact;
use crate::limits::{LIMITS, RESOURCE_DEPTH};
use crate::lower::Purpose;
use crate::pointer::{escaped, within};
use crate::schema::{Schema, by_name, part};
use crate::well_formed::{SchemaGuide, faults};

/// A value that can be taken apart and put together again.
pub(crate) trait ValueTree: Sized {
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

    /// The value with its secrets as a constant; nothing if it nests deeper than any text, or is not known as a whole.
    fn exact(&self) -> Option<Cow<'_, Constant>>;

    /// What is wrong with the value whatever its schema says, as the whole of a resource.
    fn faults(&self, schema: &Schema) -> Vec<Violation>;

    /// What a contract says of the value.
    fn verdict(&self, contract: &Contract) -> Verdict;
}

/// A value that was taken apart.
pub(crate) enum Opened<T> {
    Object(Vec<(SmolStr, T)>),
    List(Vec<T>),
    Leaf(T),
}

impl ValueTree for Constant {
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

    fn exact(&self) -> Option<Cow<'_, Constant>> {
        Some(Cow::Borrowed(self))
    }

    fn faults(&self, schema: &Schema) -> Vec<Violation> {
        faults(self, SchemaGuide::Resource(schema), RESOURCE_DEPTH)
    }

    fn verdict(&self, contract: &Contract) -> Verdict {
        contract.checker().verdict(self)
    }
}

impl ValueTree for Value {
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
        for (name, value) in members {
            object.insert(name, value);
        }
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

    fn exact(&self) -> Option<Cow<'_, Constant>> {
        Constant::copy(self.exposed(), LIMITS.depth).map(Cow::Owned)
    }

    fn faults(&self, schema: &Schema) -> Vec<Violation> {
        faults(Exact(self.exposed()), SchemaGuide::Resource(schema), RESOURCE_DEPTH)
    }

    fn verdict(&self, contract: &Contract) -> Verdict {
        contract.checker().verdict(Exact(self.exposed()))
    }
}

/// The properties of a resource that is put again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored<'s> {
    /// As they are shown.
    pub(crate) shown: &'s Constant,
    /// As they are, with what nobody sees.
    pub(crate) whole: &'s Constant,
}

impl<'s> Stored<'s> {
    fn members(of: Option<Stored<'s>>) -> HashMap<&'s str, Stored<'s>> {
        let Some(Stored { shown: Constant::Object(shown), whole: Constant::Object(whole) }) = of else {
            return HashMap::new();
        };
        let named = |members: &'s [(Constant, Constant)]| {
            members.iter().filter_map(|(key, value)| match key {
                Constant::Text(name) => Some((name.as_str(), value)),
                _ => None,
            })
        };
        let shown: HashMap<&str, &Constant> = named(shown).collect();
        let both = named(whole).map(|(name, whole)| {
            (name, Stored { shown: shown.get(name).copied().unwrap_or(&Constant::Null), whole })
        });
        both.collect()
    }
}

/// Why a resource cannot be kept.
#[derive(Debug)]
pub(crate) enum Incomplete {
    /// The schema of its type is none.
    Unusable,
    /// It breaks the schema.
    Broken(Vec<Violation>),
    /// Whether it does depends on parts that are not known.
    Unknown(Vec<Path>),
}

/// What is asked of a whole resource before it is kept: without what it repeats of the server's own values, with defaults, and with the
/// server's values as they were, it keeps its schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResourceRequestTerms<'t> {
    pub(crate) compiled: &'t CompiledSchema,
    /// The properties that the resource has now.
    pub(crate) stored: Option<Stored<'t>>,
}

impl<T: ValueTree + Clone> Terms<T> for ResourceRequestTerms<'_> {
    type Refusal = Incomplete;

    fn admit(&self, resource: T) -> Result<T, Incomplete> {
        let schema: &Schema = self.compiled;
        let found = resource.faults(schema);
        if !found.is_empty() {
            return Err(Incomplete::Broken(found));
        }
        let given = resource.clone();
        let asked = with_properties(resource, |given| filled(schema, asked(schema, given, self.stored)));
        check(self.compiled, Purpose::Request, &given, &asked)?;
        let Some(stored) = self.stored else { return Ok(asked) };
        let whole = with_properties(asked, |asked| served(schema, asked, stored));
        check(self.compiled, Purpose::State, &given, &whole)?;
        Ok(whole)
    }
}

/// What is asked of a whole resource that a server or a provider has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResourceStateTerms<'t>(pub(crate) &'t CompiledSchema);

impl<T: ValueTree> Terms<T> for ResourceStateTerms<'_> {
    type Refusal = Incomplete;

    fn admit(&self, resource: T) -> Result<T, Incomplete> {
        check(self.0, Purpose::State, &resource, &resource)?;
        Ok(resource)
    }
}

/// Holds a whole resource against its schema; what was given says which of its parts were filled in.
fn check<T: ValueTree>(
    compiled: &CompiledSchema,
    purpose: Purpose,
    given: &T,
    whole: &T,
) -> Result<(), Incomplete> {
    let schema: &Schema = compiled;
    let contract = compiled.contract(purpose).ok_or(Incomplete::Unusable)?;
    // What was given may be well-formed by itself and too deep with a default inside of it.
    let found = whole.faults(schema);
    let verdict = if found.is_empty() { whole.verdict(contract) } else { Verdict::Broken(found) };
    match verdict {
        Verdict::Holds => Ok(()),
        Verdict::Unknown(paths) => Err(Incomplete::Unknown(paths)),
        Verdict::Broken(violations) => Err(Incomplete::Broken(match (given.exact(), whole.exact()) {
            (Some(given), Some(whole)) => explained(schema, contract, &given, &whole, violations),
            // Of what is not known as a whole nobody can say what it would be otherwise.
            _ => violations,
        })),
    }
}

/// A resource with other properties; one that has none stays as it is.
fn with_properties<T: ValueTree>(resource: T, mut change: impl FnMut(T) -> T) -> T {
    match resource.open() {
        Opened::Object(members) => T::object(
            members
                .into_iter()
                .map(|(name, value)| if name == "properties" { (name, change(value)) } else { (name, value) })
                .collect(),
        ),
        Opened::List(items) => T::list(items),
        Opened::Leaf(leaf) => leaf,
    }
}

/// What a request asks for: what it repeats of the values that only the server sets, it does not ask for.
fn asked<T: ValueTree>(schema: &Schema, value: T, stored: Option<Stored<'_>>) -> T {
    let members = match value.open() {
        Opened::Object(members) => members,
        Opened::List(items) => return T::list(items),
        Opened::Leaf(leaf) => return leaf,
    };
    let (known, old) = (by_name(schema), Stored::members(stored));
    let mut kept = Vec::with_capacity(members.len());
    for (name, value) in members {
        let value = match (known.get(name.as_str()), old.get(name.as_str())) {
            (Some(property), Some(old)) if property.schema.read_only => {
                let repeats = value.exact().is_some_and(|it| *it == *old.shown || *it == *old.whole);
                (!repeats).then_some(value)
            }
            (Some(property), old) => Some(asked(&property.schema, value, old.copied())),
            (None, _) => Some(value),
        };
        kept.extend(value.map(|value| (name, value)));
    }
    T::object(kept)
}

/// What was asked for, with the values that only the server sets as they were.
fn served<T: ValueTree>(schema: &Schema, value: T, stored: Stored<'_>) -> T {
    let members = match value.open() {
        Opened::Object(members) => members,
        Opened::List(items) => return T::list(items),
        Opened::Leaf(leaf) => return leaf,
    };
    let (known, old) = (by_name(schema), Stored::members(Some(stored)));
    let mut members: Vec<(SmolStr, T)> = members
        .into_iter()
        .map(|(name, value)| {
            let value = match (known.get(name.as_str()), old.get(name.as_str())) {
                (Some(property), Some(old)) => served(&property.schema, value, *old),
                (_, None) | (None, _) => value,
            };
            (name, value)
        })
        .collect();
    for property in schema.properties().iter().filter(|property| property.schema.read_only) {
        let kept = old.get(&*property.name).and_then(|old| T::of(old.whole));
        members.extend(kept.map(|kept| ((&*property.name).into(), kept)));
    }
    T::object(members)
}

/// Fills in defaults: of properties that are absent and neither required nor read-only, wherever their object is there.
fn filled<T: ValueTree>(schema: &Schema, value: T) -> T {
    match value.open() {
        Opened::Object(members) => {
            let known = by_name(schema);
            let required: HashSet<&str> = schema.required.iter().map(|name| &**name).collect();
            // What is there in another case is refused for what it is, and not hidden behind a default.
            let there: HashSet<SmolStr> = members.iter().map(|(name, _)| folded(name)).collect();
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
                if inner.read_only
                    || required.contains(&*property.name)
                    || there.contains(&folded(&property.name))
                {
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

/// Gives what nobody may see, with its JSON pointer, to `hide`, which says what stands in its place: nothing
/// in an object, null in a list.
pub(crate) fn hidden<T: ValueTree>(
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
