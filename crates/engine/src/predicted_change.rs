//! What a deployment does, or would do, to one resource.

use std::collections::BTreeSet;

use arm::Value;
use machine::records::ResourceRecord;

/// What would be done to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It would be deleted.
    Delete,
    /// It would be made.
    Create,
    /// Some of it would be other than now.
    Modify,
    /// It would be put as it is.
    NoChange,
    /// It is there, and the deployment does not name it.
    Ignore,
}

impl ChangeKind {
    /// The word of the REST API.
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::Delete => "Delete",
            ChangeKind::Create => "Create",
            ChangeKind::Modify => "Modify",
            ChangeKind::NoChange => "NoChange",
            ChangeKind::Ignore => "Ignore",
        }
    }

    /// The sign that people know from other tools.
    pub fn sign(self) -> char {
        match self {
            ChangeKind::Delete => '-',
            ChangeKind::Create => '+',
            ChangeKind::Modify => '~',
            ChangeKind::NoChange => '=',
            ChangeKind::Ignore => '*',
        }
    }
}

/// What would be done to one resource.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictedChange {
    /// The id of the resource.
    pub id: String,
    /// What would be done.
    pub kind: ChangeKind,
    /// What it is now, without secrets.
    pub before: Option<Value>,
    /// What it would be, without secrets.
    pub after: Option<Value>,
    /// What differs, by path.
    pub delta: Vec<Delta>,
    /// Whether it stays as it is because an option says so.
    pub left_alone: bool,
    /// The options that have to do with it, as the template writes them: all of it, or the one that leaves it alone.
    pub options: Vec<String>,
}

/// A property that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Delta {
    /// The way to it, with dots.
    pub path: String,
    /// What it is now; nothing if it is not there.
    pub before: Option<Value>,
    /// What it would be; nothing if it would not be there.
    pub after: Option<Value>,
    /// Whether the two are secrets, of which only digests were compared.
    pub secret: bool,
}

pub(crate) fn part(kept: &Value, name: &str) -> Option<Value> {
    kept.as_object().and_then(|kept| kept.get(name)).cloned()
}

/// What became of a resource; nothing if it was not there and is not there.
pub fn change(
    key: &str,
    before: Option<&ResourceRecord>,
    after: Option<&ResourceRecord>,
) -> Option<PredictedChange> {
    let body = |record: Option<&ResourceRecord>| record.map(|record| record.body().clone());
    let (old, new) = (body(before), body(after));
    let spelled = |body: &Option<Value>| {
        body.as_ref().and_then(|body| part(body, "id")).and_then(|id| id.as_str().map(str::to_owned))
    };
    let id = spelled(&new).or_else(|| spelled(&old)).unwrap_or_else(|| key.to_owned());
    let mut delta = Vec::new();
    let kind = match (&old, &new) {
        (None, None) => return None,
        (None, Some(_)) => ChangeKind::Create,
        (Some(_), None) => ChangeKind::Delete,
        (Some(old), Some(new)) => {
            compare(old, new, "", &mut delta);
            // Another version of the API is another way to say the same.
            delta.retain(|delta| delta.path != "apiVersion");
            if let (Some(before), Some(after)) = (before, after) {
                compare_secrets(before.digests(), after.digests(), &mut delta);
            }
            if delta.is_empty() { ChangeKind::NoChange } else { ChangeKind::Modify }
        }
    };
    let (left_alone, options) = (false, Vec::new());
    Some(PredictedChange { id, kind, before: old, after: new, delta, left_alone, options })
}

/// What differs between two values.
pub fn differences(before: &Value, after: &Value) -> Vec<Delta> {
    let mut delta = Vec::new();
    compare(before, after, "", &mut delta);
    delta
}

/// Notes down what differs, property by property; elements of arrays of the same length are compared one by one.
fn compare(before: &Value, after: &Value, path: &str, delta: &mut Vec<Delta>) {
    // Recursion is bounded by how deep a value may nest.
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in &**old {
                let path = join(path, name);
                match new.get(name) {
                    Some(other) => compare(value, other, &path, delta),
                    None => {
                        delta.push(Delta { path, before: Some(value.clone()), after: None, secret: false })
                    }
                }
            }
            for (name, value) in new.iter().filter(|(name, _)| old.get(name).is_none()) {
                let path = join(path, name);
                delta.push(Delta { path, before: None, after: Some(value.clone()), secret: false });
            }
        }
        (Value::Array(old), Value::Array(new)) if old.items().len() == new.items().len() => {
            for (at, (value, other)) in old.items().iter().zip(new.items()).enumerate() {
                compare(value, other, &join(path, &at.to_string()), delta);
            }
        }
        _ if before == after => {}
        _ => {
            let (before, after) = (Some(before.clone()), Some(after.clone()));
            delta.push(Delta { path: path.to_owned(), before, after, secret: false });
        }
    }
}

/// Secrets are compared by their digests, and none is shown.
fn compare_secrets(before: &Value, after: &Value, delta: &mut Vec<Delta>) {
    let members = |value: &Value| {
        let members = value.as_object().into_iter().flatten().cloned();
        members.collect::<Vec<_>>()
    };
    let (old, new) = (members(before), members(after));
    let of = |all: &[(smol_str::SmolStr, Value)], name: &str| {
        all.iter().find(|(other, _)| other == name).map(|(_, digest)| digest.clone())
    };
    let names: BTreeSet<&str> = old.iter().chain(&new).map(|(name, _)| name.as_str()).collect();
    for name in names {
        let (was, will) = (of(&old, name), of(&new, name));
        if was != will {
            let mask = |there: bool| there.then(|| Value::text("<secret>"));
            let path = name.trim_start_matches('/').replace('/', ".");
            delta.push(Delta {
                path,
                before: mask(was.is_some()),
                after: mask(will.is_some()),
                secret: true,
            });
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

impl ChangeKind {
    /// The kind of a word of the REST API.
    fn parse(word: &str) -> Option<ChangeKind> {
        let all = [
            ChangeKind::Delete,
            ChangeKind::Create,
            ChangeKind::Modify,
            ChangeKind::NoChange,
            ChangeKind::Ignore,
        ];
        all.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(word))
    }
}

pub(crate) fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_object()?.get(name)
}

pub(crate) fn items<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    member(value, name).and_then(Value::as_array).unwrap_or_default()
}

impl PredictedChange {
    pub(crate) fn from_value(value: &Value) -> Option<PredictedChange> {
        let options = items(value, "options").iter().filter_map(Value::as_str).map(str::to_owned);
        Some(PredictedChange {
            id: member(value, "resourceId")?.as_str()?.to_owned(),
            kind: ChangeKind::parse(member(value, "changeType")?.as_str()?)?,
            before: member(value, "before").cloned(),
            after: member(value, "after").cloned(),
            delta: items(value, "delta").iter().map(Delta::from_value).collect::<Option<_>>()?,
            left_alone: member(value, "leftAlone") == Some(&Value::Bool(true)),
            options: options.collect(),
        })
    }

    pub(crate) fn to_value(&self) -> Value {
        let mut members = vec![
            ("resourceId", Value::text(self.id.as_str())),
            ("changeType", Value::text(self.kind.name())),
        ];
        members.extend(self.before.clone().map(|before| ("before", before)));
        members.extend(self.after.clone().map(|after| ("after", after)));
        if !self.options.is_empty() {
            let options = self.options.iter().map(|option| Value::text(option.as_str())).collect();
            members.push(("options", Value::array(options)));
        }
        if self.left_alone {
            members.push(("leftAlone", Value::Bool(true)));
        }
        if self.kind == ChangeKind::Modify {
            members.push(("delta", Value::array(self.delta.iter().map(Delta::to_value).collect())));
        }
        Value::object(members)
    }
}

impl Delta {
    fn from_value(value: &Value) -> Option<Delta> {
        let (before, after) = (member(value, "before").cloned(), member(value, "after").cloned());
        Some(Delta {
            path: member(value, "path")?.as_str()?.to_owned(),
            // Of secrets both are the mask.
            secret: before.is_some() && before == after,
            before,
            after,
        })
    }

    /// The property as the REST API tells it.
    pub fn to_value(&self) -> Value {
        let kind = match (&self.before, &self.after) {
            (None, _) => "Create",
            (_, None) => "Delete",
            (Some(_), Some(_)) => "Modify",
        };
        let mut members =
            vec![("path", Value::text(self.path.as_str())), ("propertyChangeType", Value::text(kind))];
        members.extend(self.before.clone().map(|before| ("before", before)));
        members.extend(self.after.clone().map(|after| ("after", after)));
        Value::object(members)
    }
}
