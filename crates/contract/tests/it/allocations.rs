//! The valid path allocates nothing, whatever the rules: counted, not believed.

use contract::{Contract, Plain};
use document::{Document, FileId, ReadLimits};

/// Contracts with a value that satisfies them, by what they exercise.
const CASES: &[(&str, &str, &str)] = &[
    ("types", r#"{"type": ["integer", "null", "string"]}"#, "7"),
    ("bounds", r#"{"type": "number", "minimum": 0.1, "exclusiveMaximum": 1e300, "multipleOf": 0.1}"#, "0.3"),
    ("long numbers", r#"{"minimum": 0, "maximum": 1e500}"#, "123456789012345678901234567890.5"),
    ("lengths", r#"{"minLength": 2, "maxLength": 4, "minBytes": 3, "maxUtf16": 9}"#, r#""é😀!""#),
    ("texts", r#"{"prefix": "a", "suffix": "d", "containsText": "bc", "notContainsText": "x"}"#, r#""abcd""#),
    ("enum of texts", r#"{"enum": ["red", "green", "blue"]}"#, r#""blue""#),
    ("enum of anything", r#"{"enum": [1, "a", null, [1], {"a": 2}]}"#, r#"{"a": 2}"#),
    (
        "patterns",
        r#"{"pattern": "^[a-z][a-z0-9-]{1,61}$", "re2": "(?i)A|B", "bre": "a\\{1,2\\}"}"#,
        r#""a-b-1""#,
    ),
    ("general pattern", r#"{"pattern": "(foo|ba[rz])+\\p{Lu}*qux(\\d+|x)"}"#, r#""foobarquxx""#),
    ("formats", r#"{"format": "date-time"}"#, r#""2024-02-29T12:00:00Z""#),
    ("uuid", r#"{"format": "uuid"}"#, r#""123e4567-e89b-12d3-a456-426614174000""#),
    (
        "objects",
        r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
            "required": ["a"], "additionalProperties": false}"#,
        r#"{"b": "x", "a": 1}"#,
    ),
    (
        "names",
        r#"{"propertyNames": {"maxLength": 3}, "patternProperties": {"^x": {"type": "integer"}},
            "additionalProperties": {"type": "string"}}"#,
        r#"{"x1": 1, "ab": "c"}"#,
    ),
    ("presence", r#"{"dependentRequired": {"a": ["b"]}, "oneRequired": ["a", "c"]}"#, r#"{"a": 1, "b": 2}"#),
    (
        "tuples",
        r#"{"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": {"type": "boolean"}}"#,
        r#"[1, "a", true]"#,
    ),
    ("short unique lists", r#"{"uniqueItems": true}"#, r#"[1, "1", [1], {"a": 1}]"#),
    (
        "unions",
        r#"{"anyOf": [{"type": "string", "minLength": 9}, {"type": "integer"}, {"minimum": 7}]}"#,
        "8",
    ),
    ("exclusive unions", r#"{"oneOf": [{"maximum": 3}, {"minimum": 7}]}"#, "8"),
    (
        "discriminators",
        r##"{"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], "discriminator": {"propertyName": "k"},
            "$defs": {"a": {"properties": {"k": {"const": "a"}}}, "b": {"properties": {"k": {"const": "b"}, "n": {"$ref": "#"}}}}}"##,
        r#"{"k": "b", "n": {"k": "a"}}"#,
    ),
    ("not", r#"{"not": {"type": "string"}, "allOf": [{"minimum": 1}, {"maximum": 9}]}"#, "5"),
    (
        "fields of the same object",
        r#"{"properties": {"low": {"type": "integer"}, "high": {"gt": {"$field": "low"}},
            "list": {"items": {"le": {"$field": ["limits", 0]}}}}}"#,
        r#"{"low": 1, "high": 2, "limits": [10], "list": [3, 10]}"#,
    ),
    ("nesting", r##"{"items": {"$ref": "#"}, "minItems": 0}"##, "[[], [[], [[[]]]]]"),
];

fn allocations(name: &str, contract: &str, value: &Document) -> u64 {
    let read = Document::from_json(contract, FileId::FIRST, &ReadLimits::default())
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let contract =
        Contract::from_json(read.root(), &Plain).unwrap_or_else(|flaws| panic!("{name}: {flaws:?}"));
    // The first match of a general pattern fills its caches.
    assert!(contract.is_valid(value.root()), "{name}");
    let count = allocation_counter::measure(|| assert!(contract.is_valid(value.root())));
    count.count_total
}

#[test]
fn a_valid_value_costs_no_allocation_whatever_the_rule() {
    for (name, contract, value) in CASES {
        let value = Document::from_json(*value, FileId(1), &ReadLimits::default()).unwrap();
        assert_eq!(allocations(name, contract, &value), 0, "{name}");
    }
}

/// A long list is told apart by hashes, whose room is kept for the next.
#[test]
fn a_long_unique_list_costs_no_allocation_once_one_was_seen() {
    let text: Vec<String> = (0..5000).map(|number| format!("{{\"n\": {number}}}")).collect();
    let value =
        Document::from_json(format!("[{}]", text.join(",")), FileId(1), &ReadLimits::default()).unwrap();
    assert_eq!(allocations("long unique list", r#"{"uniqueItems": true}"#, &value), 0);
}

/// Otherwise the counts above would prove nothing.
#[test]
fn the_counter_counts() {
    assert!(allocation_counter::measure(|| drop(std::hint::black_box(vec![1]))).count_total > 0);
}
