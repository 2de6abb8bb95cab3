//! The built-in schemas that a `$ref` may name.
//!
//! They are written as any other schema is, in `resources/schemas-v1.yaml`, and read by the same rules.

use std::sync::LazyLock;

use document::{Document, FileId, ReadLimits};

use super::{NodePosition, read};
use crate::findings::Findings;
use crate::rule::ManifestReadOptions;
use crate::schema::{Additional, Schema, SchemaType};

/// What stands before the name of a built-in schema.
pub const BUILT_IN_PREFIX: &str = "https://radapp.io/schemas/v1#";

const TEXT: &str = include_str!("../../resources/schemas-v1.yaml");

static TABLE: LazyLock<Vec<(&'static str, Schema)>> = LazyLock::new(|| {
    static DOCUMENT: LazyLock<Option<Document>> =
        LazyLock::new(|| Document::from_yaml(TEXT, FileId::FIRST, &ReadLimits::default()).ok());
    let Some(document) = DOCUMENT.as_ref() else { return Vec::new() };
    let mut findings = Findings::new(ManifestReadOptions::default());
    let members = document.root().members().filter_map(|(key, value)| {
        let mut schema = read(&mut findings, key.place(), value, NodePosition::BuiltIn);
        without_places(&mut schema);
        Some((key.as_str()?, schema))
    });
    members.collect()
});

/// The names of the built-in schemas.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(name, _)| *name)
}

/// The schema that every resource has under a name, and the spelling of that name; none for other names. Case does not count.
pub fn built_in(name: &str) -> Option<(&'static str, &'static Schema)> {
    TABLE.iter().find(|(known, _)| *known == name).map(|(name, schema)| (*name, schema))
}

/// Places in the built-in text mean nothing in the files of a program.
fn without_places(schema: &mut Schema) {
    schema.place = None;
    schema.values_place = None;
    if let Some((_, place)) = &mut schema.format {
        *place = None;
    }
    for constraint in &mut schema.constraints {
        constraint.place = None;
    }
    for property in schema.properties.iter_mut().flatten() {
        property.place = None;
        without_places(&mut property.schema);
    }
    if let Additional::Schema(inner) = &mut schema.additional {
        without_places(inner);
    }
    if let Some(items) = &mut schema.items {
        without_places(items);
    }
    debug_assert!(schema.kind != SchemaType::Any, "a built-in schema is typed");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_schemas_keep_the_rules() {
        let document = Document::from_yaml(TEXT, FileId::FIRST, &ReadLimits::default()).unwrap();
        let mut findings = Findings::new(ManifestReadOptions::default());
        for (key, value) in document.root().members() {
            read(&mut findings, key.place(), value, NodePosition::BuiltIn);
        }
        let found: Vec<String> = findings.finish().0.into_iter().map(|finding| finding.message).collect();
        assert_eq!(found, [""; 0]);
        assert!(built_in_names().any(|name| name == "RecipeStatus"));
    }

    #[test]
    fn built_in_schemas_refer_to_no_others() {
        let refers = TEXT.lines().any(|line| line.trim_start().starts_with("$ref"));
        assert!(!refers, "a reference could become a cycle");
    }
}
