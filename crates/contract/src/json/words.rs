//! The table of words that a contract in JSON can use.

use std::sync::LazyLock;
use value::Kind;

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
    Exclusive(Bound, fn(Operand) -> Test),
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
    /// Says what a shape is rather than what must hold.
    Facet(Facet),
    /// How a union chooses; read after the union.
    Discriminator,
    /// Says something to people or tools, nothing about values.
    Remark,
    /// A word of JSON Schema that this engine does not have, with what to write instead.
    Foreign(&'static str),
}

/// A part of a shape that is not a rule.
#[derive(Clone, Copy)]
pub(super) enum Facet {
    Type,
    Nullable,
    Secret,
    Default,
    Examples,
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
    Ref,
    Definitions,
}

/// The end of a range that a bound is on.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Least,
    Most,
}

impl Facet {
    /// The kind of value that a word about parts speaks of.
    pub(super) fn parts_of(self) -> Option<Kind> {
        match self {
            Facet::Properties | Facet::Required | Facet::Additional | Facet::PatternProperties => {
                Some(Kind::Object)
            }
            Facet::Items | Facet::PrefixItems | Facet::AdditionalItems => Some(Kind::List),
            Facet::Type
            | Facet::Nullable
            | Facet::Secret
            | Facet::Default
            | Facet::Examples
            | Facet::Title
            | Facet::Description
            | Facet::Messages
            | Facet::AnyOf
            | Facet::OneOf
            | Facet::AllOf
            | Facet::Ref
            | Facet::Definitions => None,
        }
    }
}

/// Every word, by name.
pub(super) static WORDS: &[(&str, Word)] = &[
    ("type", Word::Facet(Facet::Type)),
    ("nullable", Word::Facet(Facet::Nullable)),
    ("secret", Word::Facet(Facet::Secret)),
    ("default", Word::Facet(Facet::Default)),
    ("examples", Word::Facet(Facet::Examples)),
    ("title", Word::Facet(Facet::Title)),
    ("description", Word::Facet(Facet::Description)),
    ("messages", Word::Facet(Facet::Messages)),
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
    ("exclusiveMinimum", Word::Exclusive(Bound::Least, Test::ExclusiveMinimum)),
    ("exclusiveMaximum", Word::Exclusive(Bound::Most, Test::ExclusiveMaximum)),
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
    ("properties", Word::Facet(Facet::Properties)),
    ("required", Word::Facet(Facet::Required)),
    ("additionalProperties", Word::Facet(Facet::Additional)),
    ("patternProperties", Word::Facet(Facet::PatternProperties)),
    ("items", Word::Facet(Facet::Items)),
    ("prefixItems", Word::Facet(Facet::PrefixItems)),
    ("additionalItems", Word::Facet(Facet::AdditionalItems)),
    ("anyOf", Word::Facet(Facet::AnyOf)),
    ("oneOf", Word::Facet(Facet::OneOf)),
    ("allOf", Word::Facet(Facet::AllOf)),
    ("discriminator", Word::Discriminator),
    ("$ref", Word::Facet(Facet::Ref)),
    ("$defs", Word::Facet(Facet::Definitions)),
    ("definitions", Word::Facet(Facet::Definitions)),
    ("$schema", Word::Remark),
    ("$id", Word::Remark),
    ("id", Word::Remark),
    ("$comment", Word::Remark),
    ("example", Word::Remark),
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
