//! Secrets that come back: a service that shows what it was sent shows secrets, too, and they stay secrets here.

use std::collections::BTreeSet;

use arm::{ObjectBuilder, Value};

/// An answer in which what was sent as a secret is one, wherever it stands.
pub(crate) fn marked_like(answer: &Value, sent: &Value) -> Value {
    if !sent.has_secret() {
        return answer.clone();
    }
    let mut texts = BTreeSet::new();
    collect(sent, false, &mut texts);
    mark(answer, Some(sent), &texts)
}

/// The texts of secrets. Recursion is bounded by how deep a value may nest.
fn collect(value: &Value, is_secret: bool, texts: &mut BTreeSet<String>) {
    match value {
        Value::Secret(inner) => collect(inner, true, texts),
        Value::Text(text) if is_secret && !text.is_empty() => drop(texts.insert(text.to_string())),
        Value::Array(list) => list.items().iter().for_each(|item| collect(item, is_secret, texts)),
        Value::Object(object) => object.iter().for_each(|(_, member)| collect(member, is_secret, texts)),
        _ => {}
    }
}

fn mark(value: &Value, sent: Option<&Value>, texts: &BTreeSet<String>) -> Value {
    if sent.is_some_and(Value::is_secret) {
        return value.clone().secret();
    }
    match value {
        Value::Text(text) if texts.contains(text.as_str()) => value.clone().secret(),
        Value::Array(list) => {
            let sent = sent.and_then(Value::as_array);
            let items = list.items().iter().enumerate();
            Value::array(
                items.map(|(at, item)| mark(item, sent.and_then(|sent| sent.get(at)), texts)).collect(),
            )
        }
        Value::Object(object) => {
            let sent = sent.and_then(Value::as_object);
            let mut members = ObjectBuilder::default();
            for (name, member) in &**object {
                members.insert(name.clone(), mark(member, sent.and_then(|sent| sent.get(name)), texts));
            }
            members.finish()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_as_a_secret_comes_back_as_one() {
        let text = |text: &str| Value::text(text);
        let sent = Value::object([
            ("password", text("hunter2").secret()),
            ("list", Value::array(vec![text("a"), text("s3cr3t").secret()])),
        ]);
        let answer = Value::object([
            ("Password", text("masked by the service")),
            ("list", Value::array(vec![text("a"), text("s3cr3t")])),
            ("elsewhere", Value::object([("copy", text("hunter2"))])),
            ("other", text("hunter")),
        ]);
        let marked = marked_like(&answer, &sent).to_json();
        for secret in ["hunter2", "s3cr3t", "masked"] {
            assert!(!marked.contains(secret), "{marked}");
        }
        assert!(marked.contains(r#""other":"hunter""#) && marked.contains(r#""a""#), "{marked}");
    }
}
