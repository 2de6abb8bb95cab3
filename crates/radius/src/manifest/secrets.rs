//! What of a manifest nobody may see: values that are written in the schemas of secrets.
//!
//! The text is looked at and not what was read from it, so that a manifest with errors hides them, too.

use contract::Node;
use diagnostics::Span;
use document::SourceValue;

/// The keywords that are followed by values.
const VALUES: [&str; 3] = ["default", "example", "enum"];

/// The places of defaults, examples and allowed values of what is marked as a secret, or is inside of it.
pub fn secret_places(root: SourceValue<'_>) -> Vec<Span> {
    let mut places = Vec::new();
    let mut left = vec![(root, false)];
    while let Some((value, inside)) = left.pop() {
        let is_secret = inside || value.members().any(|(key, value)| marks(key, value));
        for (key, inner) in value.members() {
            match key.as_str() {
                Some(name) if is_secret && VALUES.contains(&name) => places.push(inner.place()),
                _ => left.push((inner, is_secret)),
            }
        }
        left.extend(value.items().map(|item| (item, is_secret)));
    }
    places
}

/// Whether a member marks a schema as that of a secret. One that says it wrongly does it as well.
fn marks(key: SourceValue<'_>, value: SourceValue<'_>) -> bool {
    let is_mark = |name: &str| {
        ["x-radius-sensitive", "writeOnly"].into_iter().any(|mark| mark.eq_ignore_ascii_case(name))
    };
    // A property may have the same name, and a schema.
    key.as_str().is_some_and(is_mark) && !matches!(value.node(), Node::Bool(false) | Node::Object(_))
}

#[cfg(test)]
mod tests {
    use document::{Document, FileId, ReadLimits};

    use super::*;

    #[test]
    fn values_of_secrets_are_found() {
        let text = r#"{"a": {"default": 1, "properties": {"b": {"x-radius-sensitive": true, "default": "hush", "properties": {"c": {"enum": ["hush"]}}},
            "d": {"x-radius-sensitive": false, "default": 2}, "e": {"writeOnly": "yes", "example": "hush"}}}}"#;
        let document = Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        let mut hidden = text.to_owned();
        for place in secret_places(document.root()) {
            let range = place.start as usize..place.end as usize;
            assert!(text.get(range.clone()).unwrap().contains("hush"), "{range:?}");
            let length = range.len();
            hidden.replace_range(range, &"-".repeat(length));
        }
        assert!(!hidden.contains("hush"), "{hidden}");
    }
}
