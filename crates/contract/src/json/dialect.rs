//! Whose words a document uses: those of contracts, or those of JSON Schema as its standard reads them.

use value::{Node, View};

/// Whose words a document uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaDialect {
    /// Those of contracts, strictly: what is not known or says nothing is a mistake.
    Strict,
    /// Those of JSON Schema, as its standard reads them: what is not known is a remark.
    Standard,
    /// Those of drafts in which a reference rules out all words beside it.
    OlderStandard,
}

impl SchemaDialect {
    /// The dialect that a document names.
    pub(super) fn of<'v, V: View<'v>>(document: V) -> SchemaDialect {
        let text = |name: &str| match document.member(name).map(View::node) {
            Some(Node::Text(text)) => Some(text),
            _ => None,
        };
        if text("openapi").is_some() || text("swagger").is_some() {
            return SchemaDialect::Standard;
        }
        match text("$schema") {
            Some(name)
                if ["draft-07", "draft-06", "draft-04", "draft-03"].iter().any(|it| name.contains(it)) =>
            {
                SchemaDialect::OlderStandard
            }
            Some(name) if name.contains("://") => SchemaDialect::Standard,
            _ => SchemaDialect::Strict,
        }
    }
}

/// The word by which a shape of a document says its address: `$` came with draft-06.
pub(super) fn identifier_word<'v, V: View<'v>>(document: V) -> &'static str {
    match document.member("$schema").map(View::node) {
        Some(Node::Text(name)) if ["draft-04", "draft-03"].iter().any(|it| name.contains(it)) => "id",
        _ => "$id",
    }
}

/// Whether a document is read as the standard of JSON Schema says.
pub fn is_standard<'v, V: View<'v>>(document: V) -> bool {
    SchemaDialect::of(document) != SchemaDialect::Strict
}

/// Whether a word is one of the standard, or of OpenAPI, and not of contracts alone.
pub(super) fn is_of_standard(name: &str) -> bool {
    !matches!(
        name,
        "secret"
            | "messages"
            | "in"
            | "notIn"
            | "eq"
            | "ne"
            | "lt"
            | "le"
            | "gt"
            | "ge"
            | "minBytes"
            | "maxBytes"
            | "minUtf16"
            | "maxUtf16"
            | "prefix"
            | "suffix"
            | "containsText"
            | "notContainsText"
            | "re2"
            | "bre"
            | "values"
            | "dependentExcluded"
            | "anyRequired"
            | "oneRequired"
            | "assert"
            | "custom"
    )
}
