//! The table of words that a contract in JSON can use.

use std::sync::LazyLock;
use value::ValueKind;

use crate::names::NameTable;
use crate::operand::Operand;
use crate::pattern::PatternSyntax;
use crate::rules::{Test, Unit};

/// What a word introduces.
#[derive(Clone, Copy)]
pub(super) enum ContractWord {
    /// A rule with one operand.
    Compare(fn(Operand) -> Test),
    /// A rule on a length.
    Length(Unit, fn(Unit, Operand) -> Test),
    /// A rule with a list of operands.
    List(fn(Vec<Operand>) -> Test),
    /// A bound that OpenAPI 3.0 writes as a flag on the inclusive one.
    Exclusive(RangeEnd, fn(Operand) -> Test),
    /// A pattern in a dialect.
    Pattern(PatternSyntax),
    /// A rule that a shape is the operand of.
    Shape(fn(Box<crate::Shape>) -> Test),
    Const,
    Format,
    Unique,
    DependentRequired,
    DependentExcluded,
    DependentSchemas,
    /// `dependentRequired` and `dependentSchemas` in one, as older drafts of JSON Schema have it.
    Dependencies,
    AnyRequired,
    OneRequired,
    Custom,
    /// Says what a shape is rather than what must hold.
    Facet(Facet),
    /// How a union chooses; read after the union.
    Discriminator,
    /// Says something to people or tools, nothing about values.
    Remark,
    /// What parts of a kind of value are that no other word looks at.
    Unevaluated(ValueKind),
}

/// A part of a shape that is not a rule.
#[derive(Clone, Copy)]
pub(super) enum Facet {
    Type,
    Nullable,
    Secret,
    Default,
    Example,
    Examples,
    Title,
    Description,
    Deprecated,
    ReadOnly,
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
    If,
    Then,
    Else,
    Contains,
    MinContains,
    MaxContains,
    Ref,
    DynamicRef,
    RecursiveRef,
    Definitions,
}

/// The end of a range that a bound is on.
#[derive(Clone, Copy)]
pub(super) enum RangeEnd {
    Least,
    Most,
}

impl Facet {
    /// The kind of value that a word about parts speaks of.
    pub(super) fn parts_of(self) -> Option<ValueKind> {
        match self {
            Facet::Properties | Facet::Required | Facet::Additional | Facet::PatternProperties => {
                Some(ValueKind::Object)
            }
            Facet::Items | Facet::PrefixItems | Facet::AdditionalItems => Some(ValueKind::List),
            Facet::Type
            | Facet::Nullable
            | Facet::Secret
            | Facet::Default
            | Facet::Example
            | Facet::Examples
            | Facet::Title
            | Facet::Description
            | Facet::Deprecated
            | Facet::ReadOnly
            | Facet::Messages
            | Facet::AnyOf
            | Facet::OneOf
            | Facet::AllOf
            | Facet::If
            | Facet::Then
            | Facet::Else
            | Facet::Contains
            | Facet::MinContains
            | Facet::MaxContains
            | Facet::Ref
            | Facet::DynamicRef
            | Facet::RecursiveRef
            | Facet::Definitions => None,
        }
    }
}

/// Every word, by name.
pub(super) static WORDS: &[(&str, ContractWord)] = &[
    ("type", ContractWord::Facet(Facet::Type)),
    ("nullable", ContractWord::Facet(Facet::Nullable)),
    ("secret", ContractWord::Facet(Facet::Secret)),
    ("default", ContractWord::Facet(Facet::Default)),
    ("examples", ContractWord::Facet(Facet::Examples)),
    ("title", ContractWord::Facet(Facet::Title)),
    ("description", ContractWord::Facet(Facet::Description)),
    ("messages", ContractWord::Facet(Facet::Messages)),
    ("const", ContractWord::Const),
    ("enum", ContractWord::List(Test::In)),
    ("in", ContractWord::List(Test::In)),
    ("notIn", ContractWord::List(Test::NotIn)),
    ("eq", ContractWord::Compare(Test::Eq)),
    ("ne", ContractWord::Compare(Test::Ne)),
    ("lt", ContractWord::Compare(Test::Lt)),
    ("le", ContractWord::Compare(Test::Le)),
    ("gt", ContractWord::Compare(Test::Gt)),
    ("ge", ContractWord::Compare(Test::Ge)),
    ("minimum", ContractWord::Compare(Test::Minimum)),
    ("maximum", ContractWord::Compare(Test::Maximum)),
    ("exclusiveMinimum", ContractWord::Exclusive(RangeEnd::Least, Test::ExclusiveMinimum)),
    ("exclusiveMaximum", ContractWord::Exclusive(RangeEnd::Most, Test::ExclusiveMaximum)),
    ("multipleOf", ContractWord::Compare(Test::MultipleOf)),
    ("minLength", ContractWord::Length(Unit::Scalars, Test::MinLength)),
    ("maxLength", ContractWord::Length(Unit::Scalars, Test::MaxLength)),
    ("minBytes", ContractWord::Length(Unit::Bytes, Test::MinLength)),
    ("maxBytes", ContractWord::Length(Unit::Bytes, Test::MaxLength)),
    ("minUtf16", ContractWord::Length(Unit::Utf16, Test::MinLength)),
    ("maxUtf16", ContractWord::Length(Unit::Utf16, Test::MaxLength)),
    ("minItems", ContractWord::Length(Unit::Items, Test::MinLength)),
    ("maxItems", ContractWord::Length(Unit::Items, Test::MaxLength)),
    ("minProperties", ContractWord::Length(Unit::Properties, Test::MinLength)),
    ("maxProperties", ContractWord::Length(Unit::Properties, Test::MaxLength)),
    ("prefix", ContractWord::Compare(Test::Prefix)),
    ("suffix", ContractWord::Compare(Test::Suffix)),
    ("containsText", ContractWord::Compare(Test::Contains)),
    ("notContainsText", ContractWord::Compare(Test::NotContains)),
    ("pattern", ContractWord::Pattern(PatternSyntax::Ecma)),
    ("re2", ContractWord::Pattern(PatternSyntax::Re2)),
    ("bre", ContractWord::Pattern(PatternSyntax::Bre)),
    ("format", ContractWord::Format),
    ("uniqueItems", ContractWord::Unique),
    ("not", ContractWord::Shape(Test::Not)),
    ("values", ContractWord::Shape(Test::Values)),
    ("propertyNames", ContractWord::Shape(Test::Keys)),
    ("dependentRequired", ContractWord::DependentRequired),
    ("dependentExcluded", ContractWord::DependentExcluded),
    ("dependentSchemas", ContractWord::DependentSchemas),
    ("dependencies", ContractWord::Dependencies),
    ("anyRequired", ContractWord::AnyRequired),
    ("oneRequired", ContractWord::OneRequired),
    ("assert", ContractWord::Compare(Test::Assert)),
    ("custom", ContractWord::Custom),
    ("properties", ContractWord::Facet(Facet::Properties)),
    ("required", ContractWord::Facet(Facet::Required)),
    ("additionalProperties", ContractWord::Facet(Facet::Additional)),
    ("patternProperties", ContractWord::Facet(Facet::PatternProperties)),
    ("items", ContractWord::Facet(Facet::Items)),
    ("prefixItems", ContractWord::Facet(Facet::PrefixItems)),
    ("additionalItems", ContractWord::Facet(Facet::AdditionalItems)),
    ("anyOf", ContractWord::Facet(Facet::AnyOf)),
    ("oneOf", ContractWord::Facet(Facet::OneOf)),
    ("allOf", ContractWord::Facet(Facet::AllOf)),
    ("if", ContractWord::Facet(Facet::If)),
    ("then", ContractWord::Facet(Facet::Then)),
    ("else", ContractWord::Facet(Facet::Else)),
    ("contains", ContractWord::Facet(Facet::Contains)),
    ("minContains", ContractWord::Facet(Facet::MinContains)),
    ("maxContains", ContractWord::Facet(Facet::MaxContains)),
    ("discriminator", ContractWord::Discriminator),
    ("$ref", ContractWord::Facet(Facet::Ref)),
    ("$defs", ContractWord::Facet(Facet::Definitions)),
    ("definitions", ContractWord::Facet(Facet::Definitions)),
    ("$schema", ContractWord::Remark),
    ("$id", ContractWord::Remark),
    ("id", ContractWord::Remark),
    ("$comment", ContractWord::Remark),
    ("example", ContractWord::Facet(Facet::Example)),
    ("deprecated", ContractWord::Facet(Facet::Deprecated)),
    ("readOnly", ContractWord::Facet(Facet::ReadOnly)),
    ("writeOnly", ContractWord::Remark),
    ("externalDocs", ContractWord::Remark),
    ("contentEncoding", ContractWord::Remark),
    ("contentMediaType", ContractWord::Remark),
    ("contentSchema", ContractWord::Remark),
    ("unevaluatedProperties", ContractWord::Unevaluated(ValueKind::Object)),
    ("unevaluatedItems", ContractWord::Unevaluated(ValueKind::List)),
    ("$anchor", ContractWord::Remark),
    ("$dynamicAnchor", ContractWord::Remark),
    ("$recursiveAnchor", ContractWord::Remark),
    ("$vocabulary", ContractWord::Remark),
    ("$dynamicRef", ContractWord::Facet(Facet::DynamicRef)),
    ("$recursiveRef", ContractWord::Facet(Facet::RecursiveRef)),
];

/// The word of a name, and what it means; `None` if it is not a word.
pub(super) fn word(name: &str) -> Option<&'static (&'static str, ContractWord)> {
    static INDEX: LazyLock<NameTable> = LazyLock::new(|| NameTable::new(WORDS.iter().map(|(name, _)| *name)));
    WORDS.get(INDEX.get(name.as_bytes())?)
}

/// The words for kinds of value.
pub(super) const TYPES: &[&str] =
    &["null", "boolean", "integer", "number", "string", "bytes", "array", "object"];
