//! The keywords of a schema: one row each, with the types it is for and what stands behind it.

use super::SchemaType;

/// What a keyword is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeywordKind {
    Type,
    Ref,
    Title,
    Description,
    Format,
    Flag(Flag),
    Sensitive,
    Default,
    Example,
    Enum,
    Properties,
    Required,
    Additional,
    Items,
    /// The old spelling of `items`.
    Item,
    /// The document that a string names.
    Content,
    /// A bound, a length, a pattern.
    Constraint(Keyword),
    /// Kept as it is.
    Kept,
    /// A way to combine schemas.
    Composition,
    /// Of OpenAPI 3.1, with what to write instead.
    Later(&'static str),
}

/// Marks of a node that are `true` or `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    Nullable,
    ReadOnly,
    WriteOnly,
    Deprecated,
}

/// A keyword that bounds values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// The least number, `minimum`.
    Minimum,
    /// The greatest number, `maximum`.
    Maximum,
    /// Whether the least number itself is excluded.
    ExclusiveMinimum,
    /// Whether the greatest number itself is excluded.
    ExclusiveMaximum,
    /// What numbers are a multiple of.
    MultipleOf,
    /// The least number of characters.
    MinLength,
    /// The greatest number of characters.
    MaxLength,
    /// A regular expression that matches somewhere.
    Pattern,
    /// The least number of elements.
    MinItems,
    /// The greatest number of elements.
    MaxItems,
    /// Whether no two elements are equal.
    UniqueItems,
    /// The least number of properties.
    MinProperties,
    /// The greatest number of properties.
    MaxProperties,
}

/// What stands behind a keyword that bounds values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Number,
    /// A whole number that is not negative.
    Count,
    Text,
    Flag,
}

impl Keyword {
    /// What stands behind it.
    pub(crate) fn takes(self) -> Takes {
        match self {
            Keyword::Minimum | Keyword::Maximum | Keyword::MultipleOf => Takes::Number,
            Keyword::ExclusiveMinimum | Keyword::ExclusiveMaximum | Keyword::UniqueItems => Takes::Flag,
            Keyword::Pattern => Takes::Text,
            Keyword::MinLength
            | Keyword::MaxLength
            | Keyword::MinItems
            | Keyword::MaxItems
            | Keyword::MinProperties
            | Keyword::MaxProperties => Takes::Count,
        }
    }

    /// The keyword as it is written.
    pub fn name(self) -> &'static str {
        let row = ROWS.iter().find(|row| row.word == KeywordKind::Constraint(self));
        row.map_or("", |row| row.name)
    }
}

/// One row of the table.
#[derive(Debug)]
pub(crate) struct KeywordInfo {
    pub(crate) name: &'static str,
    /// The types that the keyword says something about; empty for all of them.
    pub(crate) types: &'static [SchemaType],
    pub(crate) word: KeywordKind,
}

const ALL: &[SchemaType] = &[];
const NUMBERS: &[SchemaType] = &[SchemaType::Integer, SchemaType::Number];
const TEXT: &[SchemaType] = &[SchemaType::String];
const LISTS: &[SchemaType] = &[SchemaType::Array];
const OBJECTS: &[SchemaType] = &[SchemaType::Object];

macro_rules! rows {
    ($($name:literal $types:ident $word:expr;)*) => {
        &[$(KeywordInfo { name: $name, types: $types, word: $word }),*]
    };
}

use Keyword as K;
use KeywordKind::{Composition, Constraint, Kept, Later};

pub(crate) const ROWS: &[KeywordInfo] = rows! {
    "type" ALL KeywordKind::Type;
    "$ref" ALL KeywordKind::Ref;
    "title" ALL KeywordKind::Title;
    "description" ALL KeywordKind::Description;
    "format" ALL KeywordKind::Format;
    "nullable" ALL KeywordKind::Flag(Flag::Nullable);
    "readOnly" ALL KeywordKind::Flag(Flag::ReadOnly);
    "writeOnly" ALL KeywordKind::Flag(Flag::WriteOnly);
    "deprecated" ALL KeywordKind::Flag(Flag::Deprecated);
    "x-radius-sensitive" ALL KeywordKind::Sensitive;
    "default" ALL KeywordKind::Default;
    "example" ALL KeywordKind::Example;
    "enum" ALL KeywordKind::Enum;
    "properties" OBJECTS KeywordKind::Properties;
    "required" OBJECTS KeywordKind::Required;
    "additionalProperties" OBJECTS KeywordKind::Additional;
    "items" LISTS KeywordKind::Items;
    "item" LISTS KeywordKind::Item;
    "schema" ALL KeywordKind::Content;
    "minimum" NUMBERS Constraint(K::Minimum);
    "maximum" NUMBERS Constraint(K::Maximum);
    "exclusiveMinimum" NUMBERS Constraint(K::ExclusiveMinimum);
    "exclusiveMaximum" NUMBERS Constraint(K::ExclusiveMaximum);
    "multipleOf" NUMBERS Constraint(K::MultipleOf);
    "minLength" TEXT Constraint(K::MinLength);
    "maxLength" TEXT Constraint(K::MaxLength);
    "pattern" TEXT Constraint(K::Pattern);
    "minItems" LISTS Constraint(K::MinItems);
    "maxItems" LISTS Constraint(K::MaxItems);
    "uniqueItems" LISTS Constraint(K::UniqueItems);
    "minProperties" OBJECTS Constraint(K::MinProperties);
    "maxProperties" OBJECTS Constraint(K::MaxProperties);
    "externalDocs" ALL Kept;
    "xml" ALL Kept;
    "allOf" ALL Composition;
    "anyOf" ALL Composition;
    "oneOf" ALL Composition;
    "not" ALL Composition;
    "discriminator" ALL Composition;
    "const" ALL Later("write an `enum` of one value");
    "examples" ALL Later("write one `example`");
    "prefixItems" ALL Later("describe all elements by `items`");
    "contains" ALL Later("describe all elements by `items`");
    "minContains" ALL Later("describe all elements by `items`");
    "maxContains" ALL Later("describe all elements by `items`");
    "patternProperties" ALL Later("write a map, with `additionalProperties`");
    "propertyNames" ALL Later("leave it out");
    "dependentSchemas" ALL Later("leave it out");
    "dependentRequired" ALL Later("leave it out");
    "unevaluatedProperties" ALL Later("leave it out: properties that are not listed are refused");
    "unevaluatedItems" ALL Later("leave it out");
    "if" ALL Later("leave it out");
    "then" ALL Later("leave it out");
    "else" ALL Later("leave it out");
    "$defs" ALL Later("write schemas where they are used");
    "$schema" ALL Later("leave it out");
    "$comment" ALL Later("write a comment of YAML, or a `description`");
    "$id" ALL Later("leave it out");
    "$anchor" ALL Later("leave it out");
    "$dynamicRef" ALL Later("leave it out");
    "$dynamicAnchor" ALL Later("leave it out");
    "contentEncoding" ALL Later("write a `format`: `byte` is base64");
    "contentMediaType" ALL Later("leave it out");
    "contentSchema" ALL Later("leave it out");
};

/// The row of a keyword.
pub(crate) fn find(name: &str) -> Option<&'static KeywordInfo> {
    ROWS.iter().find(|row| row.name == name)
}

/// The keywords that can be written, for suggestions.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    ROWS.iter().filter(|row| !matches!(row.word, Composition | Later(_))).map(|row| row.name)
}

impl KeywordInfo {
    /// Whether the keyword says something about values of a type.
    pub(crate) fn suits(&self, kind: SchemaType) -> bool {
        self.types.is_empty() || kind == SchemaType::Any || self.types.contains(&kind)
    }
}
