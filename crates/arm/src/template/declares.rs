//! What a template declares anywhere in it, found in its text without reading what is written inside.

use contract::Node;
use document::SourceValue;

/// Whether a template, or one that is written inside of it, declares an extension.
pub(super) fn extensions(template: SourceValue<'_>) -> bool {
    let (mut templates, mut resources) = (vec![template], Vec::new());
    while let Some(template) = templates.pop() {
        if ["extensions", "imports"].into_iter().any(|name| members(template, name).any(is_filled)) {
            return true;
        }
        resources.extend(members(template, "resources"));
        while let Some(list) = resources.pop() {
            for resource in list.items().chain(list.members().map(|(_, resource)| resource)) {
                resources.extend(members(resource, "resources"));
                let properties = members(resource, "properties");
                templates.extend(properties.flat_map(|properties| members(properties, "template")));
            }
        }
    }
    false
}

/// The members of a name, in whatever case.
fn members<'d>(value: SourceValue<'d>, name: &'static str) -> impl Iterator<Item = SourceValue<'d>> {
    value.members().filter_map(move |(key, value)| key.as_str()?.eq_ignore_ascii_case(name).then_some(value))
}

fn is_filled(value: SourceValue<'_>) -> bool {
    matches!(value.node(), Node::Object(1..))
}

#[cfg(test)]
mod tests {
    use document::{Document, FileId, ReadLimits};

    #[test]
    fn extensions_are_found_however_deep_they_are() {
        let found = |text: &str| {
            super::extensions(Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).unwrap().root())
        };
        assert!(found(r#"{"imports": {"a": {}}}"#));
        assert!(found(
            r#"{"resources": [{"resources": [{"Properties": {"template": {"resources": {"x": {"properties": {"template": {"extensions": {"a": {}}}}}}}}}]}]}"#
        ));
        assert!(!found(
            r#"{"extensions": {}, "variables": {"import": "\"import\"", "extensions": {"a": 1}}, "resources": []}"#
        ));
    }
}
