//! What a provider says, without the secrets that it was told: services repeat what they were sent.

use arm::{MASK, Value};

use crate::Failure;

/// The texts that a value holds as secrets, the longest first: one may be a part of another.
pub(super) fn secrets(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if value.has_secret() {
        collect(value, false, &mut found);
    }
    found.sort_by_key(|text| std::cmp::Reverse(text.len()));
    found.dedup();
    found
}

/// Recursion is bounded by how deep values may nest.
fn collect(value: &Value, is_secret: bool, found: &mut Vec<String>) {
    let is_secret = is_secret || value.is_secret();
    match value.plain() {
        Value::Text(text) if is_secret && !text.is_empty() => found.push(text.to_string()),
        Value::Array(list) => list.items().iter().for_each(|item| collect(item, is_secret, found)),
        Value::Object(object) => object.iter().for_each(|(_, member)| collect(member, is_secret, found)),
        _ => {}
    }
}

/// A text with a mask in the place of every secret.
pub(super) fn masked(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), MASK))
}

/// A failure whose words hold no secret. The details nest as deep as a provider nests them, which its reader limits.
pub(super) fn mask_secrets(mut failure: Failure, secrets: &[String]) -> Failure {
    if !secrets.is_empty() {
        failure.message = masked(&failure.message, secrets);
        failure.details = failure.details.into_iter().map(|detail| mask_secrets(detail, secrets)).collect();
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_secret_is_masked_wherever_it_stands() {
        let body = Value::object([
            ("name", Value::from("open")),
            ("pw", Value::from("hunter").secret()),
            ("more", Value::array(vec![Value::from("hunter2")]).secret()),
        ]);
        let secrets = secrets(&body);
        assert_eq!(secrets, ["hunter2", "hunter"]);
        let inner = Failure::new("B", "bad hunter2");
        let failure = mask_secrets(Failure::new("A", "open: hunter, hunter2").because(vec![inner]), &secrets);
        assert_eq!(failure.message, format!("open: {MASK}, {MASK}"));
        assert_eq!(failure.details[0].message, format!("bad {MASK}"));
    }
}
