//! The names of changes, each with two contracts between which it is found.

/// The language of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleLanguage {
    /// A contract in JSON.
    Json,
    /// Bicep, with a type to compare.
    Bicep,
    /// Thrift, with a struct or service to compare.
    Thrift,
}

impl ExampleLanguage {
    /// What files of the language end with.
    pub fn extension(self) -> &'static str {
        match self {
            ExampleLanguage::Json => "json",
            ExampleLanguage::Bicep => "bicep",
            ExampleLanguage::Thrift => "thrift",
        }
    }
}

/// One name for changes: what it means.
#[derive(Clone, Copy, Debug)]
pub struct ChangeRule {
    /// The name in reports.
    pub name: &'static str,
    /// What changed, as a sentence part.
    pub summary: &'static str,
    /// The language of the example.
    pub language: ExampleLanguage,
    /// A contract before the change.
    pub old: &'static str,
    /// The contract after it.
    pub new: &'static str,
}

macro_rules! rules {
    ($($name:literal, $summary:literal, $language:ident, $old:literal, $new:literal;)+) => {
        /// Every name that a change can have.
        pub static RULES: &[ChangeRule] = &[$(ChangeRule {
            name: $name,
            summary: $summary,
            language: ExampleLanguage::$language,
            old: $old,
            new: $new,
        }),+];
    };
}

rules! {
    "type-changed", "values of another kind are accepted", Json, r#"{"type": "integer"}"#, r#"{"type": "string"}"#;
    "type-narrowed", "fewer kinds of value are accepted", Json, r#"{"type": ["integer", "string"]}"#, r#"{"type": "string"}"#;
    "type-widened", "more kinds of value are accepted", Json, r#"{"type": "integer"}"#, r#"{"type": "number"}"#;
    "null-refused", "null is not accepted any more", Json, r#"{"type": ["string", "null"]}"#, r#"{"type": "string"}"#;
    "null-accepted", "null is accepted as well", Json, r#"{"type": "string"}"#, r#"{"type": ["string", "null"]}"#;
    "property-added", "an object may have a property that was refused before", Json, r#"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}"#, r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "additionalProperties": false}"#;
    "property-removed", "an object may not have a property any more", Json, r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "additionalProperties": false}"#, r#"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}"#;
    "property-required", "a property must be there that could be absent before", Json, r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#, r#"{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}"#;
    "property-optional", "a property may be absent that had to be there", Json, r#"{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}"#, r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
    "property-declared", "a property that an open object left open has a type now", Json, r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#, r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}"#;
    "property-forgotten", "a property of an open object is not declared any more: it is accepted and not read", Json, r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}"#, r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
    "position-declared", "an element that a list left open has a type now", Json, r#"{"type": "array", "prefixItems": [{"type": "string"}]}"#, r#"{"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}"#;
    "object-closed", "properties that are not declared are refused now", Json, r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#, r#"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}"#;
    "object-opened", "properties that are not declared are accepted now", Json, r#"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}"#, r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
    "names-narrowed", "fewer names of properties are accepted", Json, r#"{"type": "object", "propertyNames": {"maxLength": 4}}"#, r#"{"type": "object", "propertyNames": {"maxLength": 3}}"#;
    "names-widened", "more names of properties are accepted", Json, r#"{"type": "object", "propertyNames": {"maxLength": 3}}"#, r#"{"type": "object", "propertyNames": {"maxLength": 4}}"#;
    "names-changed", "other names of properties are accepted", Json, r#"{"type": "object", "propertyNames": {"pattern": "^a"}}"#, r#"{"type": "object", "propertyNames": {"pattern": "b$"}}"#;
    "minimum-raised", "the smallest number is greater", Json, r#"{"type": "integer", "minimum": 1}"#, r#"{"type": "integer", "minimum": 3}"#;
    "minimum-lowered", "the smallest number is smaller", Json, r#"{"type": "integer", "minimum": 3}"#, r#"{"type": "integer", "minimum": 1}"#;
    "maximum-raised", "the greatest number is greater", Json, r#"{"type": "integer", "maximum": 3}"#, r#"{"type": "integer", "maximum": 9}"#;
    "maximum-lowered", "the greatest number is smaller", Json, r#"{"type": "integer", "maximum": 9}"#, r#"{"type": "integer", "maximum": 3}"#;
    "multiple-changed", "numbers are multiples of something else", Json, r#"{"type": "integer", "multipleOf": 2}"#, r#"{"type": "integer", "multipleOf": 3}"#;
    "length-narrowed", "fewer lengths of text are accepted", Json, r#"{"type": "string", "maxLength": 9}"#, r#"{"type": "string", "maxLength": 5}"#;
    "length-widened", "more lengths of text are accepted", Json, r#"{"type": "string", "maxLength": 5}"#, r#"{"type": "string", "maxLength": 9}"#;
    "length-changed", "other lengths of text are accepted", Json, r#"{"type": "string", "minLength": 2, "maxLength": 5}"#, r#"{"type": "string", "minLength": 3, "maxLength": 6}"#;
    "items-narrowed", "fewer lists are accepted: their elements, or how many there are", Json, r#"{"type": "array", "maxItems": 3}"#, r#"{"type": "array", "maxItems": 2}"#;
    "items-widened", "more lists are accepted: their elements, or how many there are", Json, r#"{"type": "array", "maxItems": 2}"#, r#"{"type": "array", "maxItems": 3}"#;
    "items-changed", "other lists are accepted: their elements, or how many there are", Json, r#"{"type": "array", "minItems": 1, "maxItems": 2}"#, r#"{"type": "array", "minItems": 2, "maxItems": 3}"#;
    "properties-narrowed", "fewer counts of properties are accepted", Json, r#"{"type": "object", "maxProperties": 3}"#, r#"{"type": "object", "maxProperties": 2}"#;
    "properties-widened", "more counts of properties are accepted", Json, r#"{"type": "object", "maxProperties": 2}"#, r#"{"type": "object", "maxProperties": 3}"#;
    "properties-changed", "other counts of properties are accepted", Json, r#"{"type": "object", "minProperties": 1, "maxProperties": 2}"#, r#"{"type": "object", "minProperties": 2, "maxProperties": 3}"#;
    "pattern-narrowed", "fewer texts match", Json, r#"{"type": "string", "pattern": "^[a-z0-9]+$"}"#, r#"{"type": "string", "pattern": "^[a-z]+$"}"#;
    "pattern-widened", "more texts match", Json, r#"{"type": "string", "pattern": "^[a-z]+$"}"#, r#"{"type": "string", "pattern": "^[a-z0-9]+$"}"#;
    "pattern-changed", "other texts match", Json, r#"{"type": "string", "pattern": "^a"}"#, r#"{"type": "string", "pattern": "b$"}"#;
    "format-narrowed", "fewer texts are of the format", Json, r#"{"type": "string"}"#, r#"{"type": "string", "format": "date"}"#;
    "format-widened", "more texts are of the format", Json, r#"{"type": "string", "format": "date"}"#, r#"{"type": "string"}"#;
    "format-changed", "texts are of another format", Json, r#"{"type": "string", "format": "date"}"#, r#"{"type": "string", "format": "uuid"}"#;
    "format-unchecked", "a format is not checked any more, or is one that is never checked", Json, r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "string"}"#, r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "string", "format": "phone-number"}"#;
    "value-removed", "a value of a fixed set is not accepted any more", Json, r#"{"enum": ["a", "b"]}"#, r#"{"enum": ["a"]}"#;
    "value-added", "a fixed set has another value", Json, r#"{"enum": ["a"]}"#, r#"{"enum": ["a", "b"]}"#;
    "unique-added", "elements of a list must differ", Json, r#"{"type": "array"}"#, r#"{"type": "array", "uniqueItems": true}"#;
    "unique-removed", "elements of a list may be equal", Json, r#"{"type": "array", "uniqueItems": true}"#, r#"{"type": "array"}"#;
    "contains-narrowed", "more is asked of some elements of a list", Json, r#"{"type": "array"}"#, r#"{"type": "array", "contains": {"const": 1}}"#;
    "contains-widened", "less is asked of some elements of a list", Json, r#"{"type": "array", "contains": {"const": 1}}"#, r#"{"type": "array"}"#;
    "contains-changed", "something else is asked of some elements of a list", Json, r#"{"type": "array", "contains": {"type": "integer"}}"#, r#"{"type": "array", "contains": {"type": "string"}}"#;
    "variant-removed", "an alternative is gone", Json, r#"{"anyOf": [{"type": "string"}, {"type": "integer"}]}"#, r#"{"anyOf": [{"type": "string"}]}"#;
    "variant-added", "there is another alternative", Json, r#"{"anyOf": [{"type": "string"}, {"type": "integer"}]}"#, r#"{"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]}"#;
    "variant-overlap", "values that fit two alternatives are treated in another way", Json, r#"{"anyOf": [{"type": "integer"}, {"minimum": 2}]}"#, r#"{"oneOf": [{"type": "integer"}, {"minimum": 2}]}"#;
    "condition-added", "something is asked under a condition", Json, r#"{"type": "object", "properties": {"a": {}, "b": {}}}"#, r#"{"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}}"#;
    "condition-removed", "something is not asked under a condition any more", Json, r#"{"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}}"#, r#"{"type": "object", "properties": {"a": {}, "b": {}}}"#;
    "condition-changed", "something else is asked under a condition", Json, r#"{"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "dependentRequired": {"a": ["b"]}}"#, r#"{"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "dependentRequired": {"a": ["c"]}}"#;
    "parameter-added", "there is another parameter", Bicep, r#"param a string
"#, r#"param a string
param b int = 1
"#;
    "parameter-removed", "a parameter is gone", Bicep, r#"param a string
param b int = 1
"#, r#"param a string
"#;
    "parameter-required", "a parameter must be given that could be left out", Bicep, r#"param a string = 'x'
"#, r#"param a string
"#;
    "parameter-optional", "a parameter may be left out that had to be given", Bicep, r#"param a string
"#, r#"param a string = 'x'
"#;
    "output-added", "there is another output", Bicep, r#"output a string = 'x'
"#, r#"output a string = 'x'
output b int = 1
"#;
    "output-removed", "an output is gone", Bicep, r#"output a string = 'x'
output b int = 1
"#, r#"output a string = 'x'
"#;
    "wire-type-changed", "a field has another type on the wire", Thrift, r#"struct Order {
  1: required i32 count
}
"#, r#"struct Order {
  1: required i64 count
}
"#;
    "field-id-changed", "a field has another number", Thrift, r#"struct Order {
  1: required i32 count
}
"#, r#"struct Order {
  2: required i32 count
}
"#;
    "field-renamed", "a field of the same number has another name", Thrift, r#"struct Order {
  1: required i32 count
}
"#, r#"struct Order {
  1: required i32 number
}
"#;
    "function-added", "a service has another function", Thrift, r#"service Orders {
  void drop(1: string id)
}
"#, r#"service Orders {
  void drop(1: string id)
  void sync()
}
"#;
    "function-removed", "a function is gone", Thrift, r#"service Orders {
  void drop(1: string id)
  void sync()
}
"#, r#"service Orders {
  void drop(1: string id)
}
"#;
    "oneway-changed", "a function answers that did not, or the other way round", Thrift, r#"service Orders {
  void sync()
}
"#, r#"service Orders {
  oneway void sync()
}
"#;
    "exception-added", "a function can answer with another exception", Thrift, r#"exception Missing {
  1: string why
}

service Orders {
  i32 count()
}
"#, r#"exception Missing {
  1: string why
}

service Orders {
  i32 count() throws (1: Missing missing)
}
"#;
    "exception-removed", "a function does not answer with an exception any more", Thrift, r#"exception Missing {
  1: string why
}

service Orders {
  i32 count() throws (1: Missing missing)
}
"#, r#"exception Missing {
  1: string why
}

service Orders {
  i32 count()
}
"#;
    "validator-changed", "a validator is added, removed or changed", Thrift, r#"struct Range {
  1: required i32 from
  2: required i32 to
}
"#, r#"struct Range {
  1: required i32 from
  2: required i32 to (vt.gt = "$from")
}
"#;
    "default-changed", "what stands in for an absent value is another value", Json, r#"{"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}"#, r#"{"type": "object", "properties": {"a": {"type": "integer", "default": 2}}}"#;
    "default-removed", "nothing stands in for an absent value any more", Json, r#"{"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}"#, r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#;
    "discriminator-changed", "another property chooses the alternative", Bicep, r#"@discriminator('kind')
param a {
  kind: 'x'
  sort: 'p'
} | {
  kind: 'y'
  sort: 'q'
}
"#, r#"@discriminator('sort')
param a {
  kind: 'x'
  sort: 'p'
} | {
  kind: 'y'
  sort: 'q'
}
"#;
    "read-only-changed", "a property becomes read-only, or writable", Json, r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#, r#"{"type": "object", "properties": {"a": {"type": "integer", "readOnly": true}}}"#;
    "description", "a description changed", Json, r#"{"type": "object", "properties": {"a": {"type": "integer", "description": "the size"}}}"#, r#"{"type": "object", "properties": {"a": {"type": "integer", "description": "the size in metres"}}}"#;
    "deprecated", "something is deprecated, or not any more", Json, r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#, r#"{"type": "object", "properties": {"a": {"type": "integer", "deprecated": true}}}"#;
    "secure-changed", "a value becomes a secret, or is none any more", Bicep, r#"param a string
"#, r#"@secure()
param a string
"#;
    "undecided", "the difference could not be found out", Thrift, r#"struct Range {
  1: required i32 from
  2: required i32 to (vt.gt = "$from")
}
"#, r#"struct Range {
  1: required i32 from
  2: required i32 to (vt.ge = "$from")
}
"#;
}
