//! What validators say about secrets, so that it does not give them away.

use contract::MASK;

use super::validator::REFUSED;
use crate::Value;
use crate::value::ObjectBuilder;

/// With more secrets than this in one value, looking for all of them in a text takes too long.
const MOST: usize = 64;

/// What a validator was given that nobody may read.
pub(super) struct Secrets<'s> {
    /// The value; its secret parts are marked.
    pub(super) value: &'s Value,
    /// Whether all of the value is a secret.
    pub(super) all: bool,
    /// What the validator was given besides; secrets are marked.
    pub(super) given: &'s [Value],
}

/// What stands for secrets when a validator is asked again.
#[derive(Clone, Copy)]
struct Stand {
    /// The text for a text, by the number of its characters.
    text: fn(usize) -> String,
    int: i64,
}

/// Different enough that words that depend on a secret are not the same for all of them.
const STANDS: [Stand; 4] = [
    Stand { text: |_| MASK.to_owned(), int: 982_451_653 },
    Stand { text: |length| "*".repeat(length), int: -735_632_797 },
    Stand { text: |length| "#".repeat(length.saturating_sub(1)), int: 982_451_653 },
    Stand { text: |length| "~".repeat(length / 2), int: -735_632_797 },
];

impl Secrets<'_> {
    /// The author's text, with every occurrence of a secret masked; nothing of it if it depends on a secret in another
    /// way, so that the validator gives another text for other secrets.
    pub(super) fn discreet(&self, text: &str, ask: &dyn Fn(&Value, &[Value]) -> Option<String>) -> String {
        let Some(covered) = self.covered(text, None) else { return REFUSED.to_owned() };
        let mut told = false;
        for stand in STANDS {
            let value = stand.value(self.value, self.all);
            let given: Vec<Value> = self.given.iter().map(|given| stand.value(given, false)).collect();
            let Some(other) = ask(&value, &given) else { continue };
            if other != text && self.covered(&other, Some(stand)).as_ref() != Some(&covered) {
                return REFUSED.to_owned();
            }
            told = true;
        }
        if told { covered } else { REFUSED.to_owned() }
    }

    /// A text with all secrets masked, or what stands for them; none if there are too many.
    fn covered(&self, text: &str, stand: Option<Stand>) -> Option<String> {
        let mut words = Vec::new();
        collect(self.value, self.all, &mut words);
        self.given.iter().for_each(|given| collect(given, false, &mut words));
        if words.len() > MOST {
            return None;
        }
        let mut words: Vec<String> = words
            .into_iter()
            .map(|value| match (value, stand) {
                (Value::Text(text), None) => text.to_string(),
                (Value::Text(text), Some(stand)) => (stand.text)(text.chars().count()),
                (_, Some(stand)) => stand.int.to_string(),
                (other, None) => other.to_json(),
            })
            .filter(|word| !word.is_empty())
            .collect();
        // The longest first: a secret may be a part of another.
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        Some(words.iter().fold(text.to_owned(), |text, word| text.replace(word.as_str(), MASK)))
    }
}

impl Stand {
    /// A value of the same build in which this stands for all secrets. Recursion is bounded by how deep a value may nest.
    fn value(self, value: &Value, hidden: bool) -> Value {
        match value {
            Value::Secret(inner) => self.value(inner, true),
            Value::Text(text) if hidden => Value::text((self.text)(text.chars().count())),
            Value::Int(_) | Value::Long(_) | Value::Float(_) if hidden => Value::Int(self.int),
            Value::Array(list) => {
                Value::array(list.items().iter().map(|item| self.value(item, hidden)).collect())
            }
            Value::Object(object) => {
                let mut members = ObjectBuilder::default();
                for (name, value) in &**object {
                    members.insert(name.clone(), self.value(value, hidden));
                }
                members.finish()
            }
            other => other.clone(),
        }
    }
}

/// The texts and numbers in a value that are secrets.
fn collect<'v>(value: &'v Value, hidden: bool, words: &mut Vec<&'v Value>) {
    match value {
        Value::Secret(inner) => collect(inner, true, words),
        Value::Text(_) | Value::Int(_) | Value::Long(_) | Value::Float(_) if hidden => words.push(value),
        Value::Array(list) => list.items().iter().for_each(|item| collect(item, hidden, words)),
        Value::Object(object) => object.iter().for_each(|(_, value)| collect(value, hidden, words)),
        Value::Null
        | Value::Bool(_)
        | Value::Text(_)
        | Value::Int(_)
        | Value::Long(_)
        | Value::Float(_)
        | Value::Unknown(_) => {}
    }
}
