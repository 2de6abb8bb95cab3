//! The table of words that a contract in JSON can use.

use crate::kind::Kind;
use std::sync::LazyLock;

use crate::names::Names;
use crate::operand::Operand;
use crate::pattern::Dialect;
use crate::rules::{Test, Unit};

/// What a word introduces.
#[derive(Clone, Copy)]
pub(super) enum Word {
    /// A rule with one operand.
    Compare(fn(Operand) -> Test),
    /// A rule on a length.
    Length(Unit, fn(Unit, Operand) -> Test),
    /// A rule with a list of operands.
    List(fn(Vec<Operand>) -> Test),
    /// A bound that OpenAPI 3.0 writes as a flag on the inclusive one.
    Exclusive(fn(Operand) -> Test),
    /// A pattern in a dialect.
    Pattern(Dialect),
    /// A rule that a shape is the operand of.
    Shape(fn(Box<crate::Shape>) -> Test),
    Const,
    Format,
    Unique,
    DependentRequired,
    DependentExcluded,
    AnyRequired,
    OneRequired,
    Custom,
    Type,
    Nullable,
    Secret,
    Default,
    Title,
    Description,
    Messages,
    Properties,
    Required,
    Additional,
    PatternProperties,
    Items,
    PrefixItems,
    AdditionalItems,
    AnyOf,
    OneOf,
    AllOf,
    Discriminator,
    Ref,
    Definitions,
    /// Says something to people or tools, nothing about values.
    Remark,
    /// A word of JSON Schema that this engine does not have, with what to write instead.
    Foreign(&'static str),
}

impl Word {
    /// The kind of value that a word about parts speaks of.
    pub(super) fn parts_of(self) -> Option<Kind> {
        match self {
            Word::Properties | Word::Required | Word::Additional | Word::PatternProperties => {
                Some(Kind::Object)
            }
            Word::Items | Word::PrefixItems | Word::AdditionalItems => Some(Kind::List),
            _ => None,
        }
    }
}

/// Every word, by name.
pub(super) static WORDS: &[(&str, Word)] = &[
    ("type", Word::Type),
    ("nullable", Word::Nullable),
    ("secret", Word::Secret),
    ("default", Word::Default),
    ("title", Word::Title),
    ("description", Word::Description),
    ("messages", Word::Messages),
    ("const", Word::Const),
    ("enum", Word::List(Test::In)),
    ("in", Word::List(Test::In)),
    ("notIn", Word::List(Test::NotIn)),
    ("eq", Word::Compare(Test::Eq)),
    ("ne", Word::Compare(Test::Ne)),
    ("lt", Word::Compare(Test::Lt)),
    ("le", Word::Compare(Test::Le)),
    ("gt", Word::Compare(Test::Gt)),
    ("ge", Word::Compare(Test::Ge)),
    ("minimum", Word::Compare(Test::Minimum)),
    ("maximum", Word::Compare(Test::Maximum)),
    ("exclusiveMinimum", Word::Exclusive(Test::ExclusiveMinimum)),
    ("exclusiveMaximum", Word::Exclusive(Test::ExclusiveMaximum)),
    ("multipleOf", Word::Compare(Test::MultipleOf)),
    ("minLength", Word::Length(Unit::Scalars, Test::MinLength)),
    ("maxLength", Word::Length(Unit::Scalars, Test::MaxLength)),
    ("minBytes", Word::Length(Unit::Bytes, Test::MinLength)),
    ("maxBytes", Word::Length(Unit::Bytes, Test::MaxLength)),
    ("minUtf16", Word::Length(Unit::Utf16, Test::MinLength)),
    ("maxUtf16", Word::Length(Unit::Utf16, Test::MaxLength)),
    ("minItems", Word::Length(Unit::Items, Test::MinLength)),
    ("maxItems", Word::Length(Unit::Items, Test::MaxLength)),
    ("minProperties", Word::Length(Unit::Properties, Test::MinLength)),
    ("maxProperties", Word::Length(Unit::Properties, Test::MaxLength)),
    ("prefix", Word::Compare(Test::Prefix)),
    ("suffix", Word::Compare(Test::Suffix)),
    ("containsText", Word::Compare(Test::Contains)),
    ("notContainsText", Word::Compare(Test::NotContains)),
    ("pattern", Word::Pattern(Dialect::Ecma)),
    ("re2", Word::Pattern(Dialect::Re2)),
    ("bre", Word::Pattern(Dialect::Bre)),
    ("format", Word::Format),
    ("uniqueItems", Word::Unique),
    ("not", Word::Shape(Test::Not)),
    ("values", Word::Shape(Test::Values)),
    ("propertyNames", Word::Shape(Test::Keys)),
    ("dependentRequired", Word::DependentRequired),
    ("dependentExcluded", Word::DependentExcluded),
    ("anyRequired", Word::AnyRequired),
    ("oneRequired", Word::OneRequired),
    ("assert", Word::Compare(Test::Assert)),
    ("custom", Word::Custom),
    ("properties", Word::Properties),
    ("required", Word::Required),
    ("additionalProperties", Word::Additional),
    ("patternProperties", Word::PatternProperties),
    ("items", Word::Items),
    ("prefixItems", Word::PrefixItems),
    ("additionalItems", Word::AdditionalItems),
    ("anyOf", Word::AnyOf),
    ("oneOf", Word::OneOf),
    ("allOf", Word::AllOf),
    ("discriminator", Word::Discriminator),
    ("$ref", Word::Ref),
    ("$defs", Word::Definitions),
    ("definitions", Word::Definitions),
    ("$schema", Word::Remark),
    ("$id", Word::Remark),
    ("id", Word::Remark),
    ("$comment", Word::Remark),
    ("example", Word::Remark),
    ("examples", Word::Remark),
    ("deprecated", Word::Remark),
    ("readOnly", Word::Remark),
    ("writeOnly", Word::Remark),
    ("externalDocs", Word::Remark),
    ("contentEncoding", Word::Remark),
    ("contentMediaType", Word::Remark),
    ("contentSchema", Word::Remark),
    ("if", Word::Foreign("use `oneOf` with a `discriminator`, or `anyOf`")),
    ("then", Word::Foreign("use `oneOf` with a `discriminator`, or `anyOf`")),
    ("else", Word::Foreign("use `oneOf` with a `discriminator`, or `anyOf`")),
    (
        "contains",
        Word::Foreign("use `containsText` for text; a list cannot be asked for one fitting element"),
    ),
    ("minContains", Word::Foreign("a list cannot be asked for fitting elements")),
    ("maxContains", Word::Foreign("a list cannot be asked for fitting elements")),
    ("dependencies", Word::Foreign("use `dependentRequired`")),
    ("dependentSchemas", Word::Foreign("use `dependentRequired`, or `oneOf`")),
    ("unevaluatedProperties", Word::Foreign("use `additionalProperties`")),
    ("unevaluatedItems", Word::Foreign("use `items` next to `prefixItems`")),
    ("$anchor", Word::Foreign("refer to a definition by `#/$defs/NAME`")),
    ("$dynamicAnchor", Word::Foreign("refer to a definition by `#/$defs/NAME`")),
    ("$dynamicRef", Word::Foreign("refer to a definition by `#/$defs/NAME`")),
    ("$recursiveRef", Word::Foreign("refer to the whole contract by `#`")),
];

/// The word of a name, and what it means; `None` if it is not a word.
pub(super) fn word(name: &str) -> Option<&'static (&'static str, Word)> {
    static INDEX: LazyLock<Names> = LazyLock::new(|| Names::new(WORDS.iter().map(|(name, _)| *name)));
    WORDS.get(INDEX.get(name.as_bytes())?)
}

/// The words for kinds of value.
pub(super) const TYPES: &[&str] =
    &["null", "boolean", "integer", "number", "string", "bytes", "array", "object"];
