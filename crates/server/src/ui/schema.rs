//! The schema of a resource type as the rows of a table.

use contract::Constant;
use pages::ui::SchemaRow;
use radius::{Additional, Schema, SchemaType};

/// How many rows a table has at most, and how deep it goes.
const MOST: usize = 2_000;
const DEEPEST: usize = 32;

/// How many characters of a default, an example or a list of values are shown.
const LONGEST: usize = 300;

/// The rows of a schema, in its order, what is inside of a property behind it; and whether there are more.
pub(super) fn rows(schema: &Schema) -> (Vec<SchemaRow>, bool) {
    let mut rows = Vec::new();
    let is_whole = inside(schema, 0, "", &mut rows);
    (rows, !is_whole)
}

/// Adds what is inside of a node; whether all of it was added. Recursion ends at [`DEEPEST`].
fn inside(schema: &Schema, depth: usize, path: &str, rows: &mut Vec<SchemaRow>) -> bool {
    let mut is_whole = true;
    for property in schema.properties() {
        let is_required = schema.requires(&property.name);
        is_whole &= add(&property.name, &property.schema, is_required, depth, path, rows);
    }
    if let Additional::Schema(others) = &schema.additional {
        is_whole &= add("*", others, false, depth, path, rows);
    }
    if let Some(items) = schema.items.as_deref().filter(|items| has_inside(items)) {
        is_whole &= add("[]", items, false, depth, path, rows);
    }
    is_whole
}

/// Whether a node is worth a row of its own below the list that it is the element of.
fn has_inside(schema: &Schema) -> bool {
    !schema.properties().is_empty()
        || matches!(schema.additional, Additional::Schema(_))
        || schema.items.is_some()
        || !constraints(schema).is_empty()
}

fn add(
    name: &str,
    schema: &Schema,
    is_required: bool,
    depth: usize,
    path: &str,
    rows: &mut Vec<SchemaRow>,
) -> bool {
    if rows.len() >= MOST || depth > DEEPEST {
        return false;
    }
    let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let description = [schema.title.as_deref(), schema.description.as_deref()];
    rows.push(SchemaRow {
        depth,
        name: name.to_owned(),
        path: path.clone(),
        kind: kind(schema),
        is_required,
        constraints: constraints(schema),
        description: description.into_iter().flatten().collect::<Vec<_>>().join(": "),
    });
    inside(schema, depth + 1, &path, rows)
}

/// What kind of value it is, in words.
fn kind(schema: &Schema) -> String {
    let name = match (schema.kind, schema.items.as_deref(), &schema.additional) {
        (SchemaType::Array, Some(items), _) => format!("array of {}", items.kind.name()),
        (SchemaType::Object, _, Additional::Schema(others)) if schema.properties().is_empty() => {
            format!("map of {}", others.kind.name())
        }
        (kind, _, _) => kind.name().to_owned(),
    };
    match &schema.format {
        Some((format, _)) => format!("{name} ({format})"),
        None => name,
    }
}

/// What else is demanded, each in a few words.
fn constraints(schema: &Schema) -> Vec<String> {
    let mut words = Vec::new();
    let flags = [
        (schema.sensitive, "secret"),
        (schema.read_only, "read-only"),
        (schema.write_only, "write-only"),
        (schema.nullable, "may be null"),
        (schema.deprecated, "deprecated"),
        (matches!(schema.additional, Additional::None), "no other properties"),
    ];
    words.extend(flags.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| (*word).to_owned()));
    if !schema.values.is_empty() {
        let values: Vec<String> = schema.values.iter().map(shown).collect();
        words.push(cut(format!("one of {}", values.join(", "))));
    }
    for constraint in &schema.constraints {
        match &constraint.operand {
            Constant::Bool(false) => {}
            Constant::Bool(true) => words.push(constraint.keyword.name().to_owned()),
            operand => words.push(cut(format!("{} {}", constraint.keyword.name(), shown(operand)))),
        }
    }
    // The default of a secret is one, too.
    if let Some(default) = schema.default.as_ref().filter(|_| !schema.sensitive) {
        words.push(cut(format!("default {}", shown(default))));
    }
    words
}

/// A constant as people write it: text without quotes.
fn shown(constant: &Constant) -> String {
    match constant {
        Constant::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use document::{Document, FileId, ReadLimits};
    use radius::{Manifest, ManifestReadOptions};

    use super::*;

    fn rows_of(schema: &str) -> Vec<String> {
        let text = format!(
            "namespace: A.B\ntypes:\n  c:\n    apiVersions:\n      '2025-01-01':\n        schema:\n          type: object\n          properties: {schema}"
        );
        let document = Document::from_yaml(text.as_str(), FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        let read = Manifest::read(&document, ManifestReadOptions::default());
        let manifest = read.manifest.as_ref().unwrap();
        let (rows, is_cut) = rows(&manifest.types[0].versions[0].schema);
        assert!(!is_cut);
        let shown = rows.iter().map(|row| {
            let required = if row.is_required { "!" } else { "" };
            format!(
                "{}{}{required} {} [{}]",
                "  ".repeat(row.depth),
                row.name,
                row.kind,
                row.constraints.join("; ")
            )
        });
        shown.collect()
    }

    #[test]
    fn a_schema_is_told_property_by_property() {
        let rows = rows_of(
            "{environment: {type: string}, size: {type: string, enum: [S, M], default: S}, \
             port: {type: integer, minimum: 1, maximum: 65535, readOnly: true}, \
             hosts: {type: array, items: {type: object, properties: {name: {type: string, minLength: 3}}, required: [name]}}, \
             labels: {type: object, additionalProperties: {type: string}}}",
        );
        // Every type has more that it did not write.
        assert_eq!(
            rows[..8],
            [
                "environment! string []",
                "size string [one of S, M; default S]",
                "port integer [read-only; minimum 1; maximum 65535]",
                "hosts array of object []",
                "  [] object []",
                "    name! string [minLength 3]",
                "labels map of string []",
                "  * string []",
            ]
        );
    }
}
