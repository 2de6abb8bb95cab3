//! What every resource is, whatever its type: the members that the REST API gives a meaning, each of its kind.

use contract::{Path, PathStep, Terms};
use smol_str::SmolStr;

use super::OpenType;
use super::check::{BreachKind, TypeViolation};
use super::words;
use crate::value::equal_ignoring_case;
use crate::{ObjectBuilder, Value};

/// What a member of a resource is, if it is there and not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EnvelopePart {
    Text,
    Object,
    TextByName,
    Texts,
}

/// The members that mean the same in all resources.
const PARTS: [(&str, EnvelopePart); 15] = [
    ("id", EnvelopePart::Text),
    ("name", EnvelopePart::Text),
    ("type", EnvelopePart::Text),
    ("apiVersion", EnvelopePart::Text),
    ("etag", EnvelopePart::Text),
    ("location", EnvelopePart::Text),
    ("kind", EnvelopePart::Text),
    ("managedBy", EnvelopePart::Text),
    ("tags", EnvelopePart::TextByName),
    ("zones", EnvelopePart::Texts),
    ("sku", EnvelopePart::Object),
    ("plan", EnvelopePart::Object),
    ("identity", EnvelopePart::Object),
    ("extendedLocation", EnvelopePart::Object),
    ("properties", EnvelopePart::Object),
];

/// The terms of a resource whose type nobody describes: [those of any value](OpenType), and each member that
/// the REST API knows is of its kind.
#[derive(Clone, Debug, Default)]
pub struct OpenResourceTerms {
    known: Option<Value>,
    /// Whether a template wrote it.
    written: bool,
}

impl OpenResourceTerms {
    /// The terms of what a template writes. Templates give tags and zones as numbers and truth values, and empty text where there is no
    /// object or array: Azure takes the text of the former, and the latter for nothing.
    pub(crate) fn of_template() -> OpenResourceTerms {
        OpenResourceTerms { known: None, written: true }
    }

    /// The terms of a prediction, which has expressions as text: what is known of the resource is told beside it.
    pub(crate) fn of_prediction(known: Value) -> OpenResourceTerms {
        OpenResourceTerms { known: Some(as_written(&known)), written: true }
    }
}

impl Terms<Value> for OpenResourceTerms {
    type Refusal = Vec<TypeViolation>;

    fn admit(&self, value: Value) -> Result<Value, Vec<TypeViolation>> {
        let value = OpenType.admit(if self.written { as_written(&value) } else { value })?;
        let found = breaches(self.known.as_ref().unwrap_or(&value));
        if found.is_empty() { Ok(value) } else { Err(found) }
    }
}

fn part_of(name: &str) -> Option<EnvelopePart> {
    PARTS.iter().find(|(known, _)| equal_ignoring_case(known, name)).map(|(_, part)| *part)
}

/// A resource as a template means it.
fn as_written(resource: &Value) -> Value {
    let Value::Object(members) = resource else { return resource.clone() };
    let is_loose = |name: &SmolStr, value: &Value| match (part_of(name), value) {
        (None | Some(EnvelopePart::Text), _) => false,
        (Some(_), Value::Text(text)) => text.is_empty(),
        (Some(part), Value::Array(_) | Value::Object(_)) => part != EnvelopePart::Object,
        _ => false,
    };
    if !members.iter().any(|(name, value)| is_loose(name, value)) {
        return resource.clone();
    }
    let mut out = ObjectBuilder::default();
    for (name, value) in &**members {
        let meant = match (part_of(name), value) {
            (None | Some(EnvelopePart::Text), _) => value.clone(),
            (Some(_), Value::Text(text)) if text.is_empty() => Value::Null,
            (Some(EnvelopePart::TextByName), Value::Object(tags)) => {
                let mut texts = ObjectBuilder::default();
                for (name, tag) in &**tags {
                    texts.insert(name.clone(), as_text(tag));
                }
                texts.finish()
            }
            (Some(EnvelopePart::Texts), Value::Array(items)) => {
                Value::array(items.items().iter().map(as_text).collect())
            }
            _ => value.clone(),
        };
        out.insert(name.clone(), meant);
    }
    out.finish()
}

/// The text of a number or a truth value; anything else as it is.
fn as_text(value: &Value) -> Value {
    match value {
        Value::Bool(true) => Value::text("True"),
        Value::Bool(false) => Value::text("False"),
        Value::Int(_) | Value::Float(_) | Value::Decimal(_) => Value::text(value.to_json()),
        Value::Secret(inner) => as_text(inner).secret(),
        other => other.clone(),
    }
}

fn breaches(resource: &Value) -> Vec<TypeViolation> {
    let members = match resource.plain() {
        Value::Object(members) => members,
        // Nothing is said of the resource.
        Value::Null | Value::Unknown(_) => return Vec::new(),
        _ => return vec![breach("Object", resource, Vec::new())],
    };
    let mut found = Vec::new();
    for (name, value) in &**members {
        let Some(part) = part_of(name) else { continue };
        let path = || vec![PathStep::Name(name.as_str().into())];
        let is_secret = resource.is_secret() || value.is_secret();
        match (part, value.plain()) {
            (_, Value::Null | Value::Unknown(_))
            | (EnvelopePart::Text, Value::Text(_))
            | (EnvelopePart::Object, Value::Object(_)) => {}
            (EnvelopePart::TextByName, Value::Object(members)) => {
                let wrong = members.iter().filter(|(_, value)| !is_text(value));
                found.extend(wrong.map(|(key, value)| {
                    let key = if is_secret { PathStep::Secret } else { PathStep::Name(key.as_str().into()) };
                    breach("String", value, path().into_iter().chain([key]).collect())
                }));
            }
            (EnvelopePart::Texts, Value::Array(items)) => {
                let wrong = items.items().iter().enumerate().filter(|(_, item)| !is_text(item));
                found.extend(wrong.map(|(index, item)| {
                    breach("String", item, path().into_iter().chain([PathStep::Index(index)]).collect())
                }));
            }
            (EnvelopePart::Text, _) => found.push(breach("String", value, path())),
            (EnvelopePart::Object | EnvelopePart::TextByName, _) => {
                found.push(breach("Object", value, path()));
            }
            (EnvelopePart::Texts, _) => found.push(breach("Array", value, path())),
        }
        found.truncate(super::ambiguous::MOST);
    }
    found
}

/// A tag or a zone that is null is the same as none.
fn is_text(value: &Value) -> bool {
    matches!(value.plain(), Value::Text(_) | Value::Null | Value::Unknown(_))
}

fn breach(wanted: &str, found: &Value, steps: Vec<PathStep>) -> TypeViolation {
    let message = words::expected(wanted, found);
    TypeViolation { path: Path { steps }, ..TypeViolation::new(message, BreachKind::Type) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Vec<String> {
        let value = Value::from_json(text).unwrap();
        let found = OpenResourceTerms::default().admit(value).err().unwrap_or_default();
        found.iter().map(|breach| breach.target("$")).collect()
    }

    #[test]
    fn each_member_is_of_its_kind_and_all_others_are_free() {
        for (name, part) in PARTS {
            let good = match part {
                EnvelopePart::Text => "\"x\"",
                EnvelopePart::Object => "{\"a\": 1}",
                EnvelopePart::TextByName => "{\"a\": \"x\", \"b\": null}",
                EnvelopePart::Texts => "[\"1\"]",
            };
            for fine in [good, "null"] {
                assert_eq!(refused(&format!("{{\"{name}\": {fine}, \"other\": 5}}")), Vec::<String>::new());
            }
            let kinds = ["5", "true", "\"x\"", "{\"a\": 1}", "[1]", "[\"1\"]"];
            let wrong = kinds.iter().filter(|kind| **kind != good);
            for (wrong, name) in wrong.flat_map(|it| [(it, name.to_owned()), (it, name.to_uppercase())]) {
                let found = refused(&format!("{{\"{name}\": {wrong}}}"));
                assert!(
                    found.len() == 1 && found.iter().all(|at| at.starts_with(&format!("$.{name}"))),
                    "{name} {wrong}: {found:?}"
                );
            }
        }
        assert_eq!(refused("{\"tags\": {\"a\": 1}, \"zones\": [\"1\", 2]}"), ["$.tags.a", "$.zones[1]"]);
        assert_eq!(refused("5"), ["$"]);
    }

    #[test]
    fn what_is_not_known_yet_is_not_held_against_a_resource() {
        let shown = Value::object([("tags", Value::text("[reference('a').tags]"))]);
        assert!(OpenResourceTerms::default().admit(shown.clone()).is_err());
        let unknown = crate::expression::parse("reference('a').tags");
        let known = Value::object([("tags", Value::Unknown(std::sync::Arc::new(unknown.unwrap())))]);
        assert!(OpenResourceTerms::of_prediction(known).admit(shown).is_ok());
    }

    #[test]
    fn tags_and_zones_of_a_template_are_their_text() {
        let text = r#"{"tags": {"a": 1, "b": true, "c": "x", "d": null}, "ZONES": [2, "3"], "plan": "", "kind": "", "properties": {"n": 1}}"#;
        let value = Value::from_json(text).unwrap();
        let admitted =
            |terms: OpenResourceTerms| terms.admit(value.clone()).map(|value| value.to_json()).ok();
        let meant = r#"{"tags":{"a":"1","b":"True","c":"x","d":null},"ZONES":["2","3"],"plan":null,"kind":"","properties":{"n":1}}"#;
        assert_eq!(admitted(OpenResourceTerms::of_template()).as_deref(), Some(meant));
        assert_eq!(admitted(OpenResourceTerms::of_prediction(value.clone())).as_deref(), Some(meant));
        assert_eq!(admitted(OpenResourceTerms::default()), None, "what is put has its kind");
        for wrong in [r#"{"tags": {"a": {}}}"#, r#"{"zones": [[1]]}"#, r#"{"sku": "S1"}"#, r#"{"zones": 1}"#]
        {
            let value = Value::from_json(wrong).unwrap();
            assert!(OpenResourceTerms::of_template().admit(value).is_err(), "{wrong}");
        }
        let secret = Value::object([("tags", Value::object([("a", Value::Int(1).secret())]))]);
        let admitted = OpenResourceTerms::of_template().admit(secret).unwrap();
        assert!(admitted.has_secret());
    }

    #[test]
    fn names_in_secrets_are_not_told() {
        let tags = Value::object([("hush", Value::Int(1))]).secret();
        let found = OpenResourceTerms::default().admit(Value::object([("tags", tags)])).unwrap_err();
        assert!(found.iter().all(|it| !format!("{it:?}").contains("hush")), "{found:?}");
    }
}
