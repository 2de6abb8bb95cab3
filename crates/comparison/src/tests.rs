//! Pairs of contracts in JSON with what differs between them.

use contract::{Contract, Plain};
use diagnostics::FileId;
use document::{Document, ReadLimits};

use crate::{BoundaryDiff, ComparedContract, Comparison, Flow, Level, SetRelation, compare};

fn read(text: &str) -> Contract {
    let document = Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
    Contract::from_json(document.root(), &Plain).unwrap_or_else(|flaws| panic!("{text}: {flaws:?}"))
}

fn diff_of(old: &Contract, new: &Contract, flow: Flow) -> BoundaryDiff {
    let accepts_old = |value: &contract::Constant| old.is_valid(value);
    let accepts_new = |value: &contract::Constant| new.is_valid(value);
    compare(&Comparison {
        old: ComparedContract {
            shape: old.shape(),
            definitions: old.definitions(),
            folds_names: false,
            describe: &|_| None,
            accepts: &accepts_old,
        },
        new: ComparedContract {
            shape: new.shape(),
            definitions: new.definitions(),
            folds_names: false,
            describe: &|_| None,
            accepts: &accepts_new,
        },
        flow,
        strict: false,
        noun: "property",
    })
}

fn diff(old: &str, new: &str) -> BoundaryDiff {
    diff_of(&read(old), &read(new), Flow::In)
}

/// Compares and says what came out in one line.
fn said(old: &str, new: &str) -> String {
    let found = diff(old, new);
    assert!(found.disagreements.is_empty(), "{old} {new}: {:?}", found.disagreements);
    let changes: Vec<String> = found
        .changes
        .iter()
        .map(|change| format!("{} {} {}", change.level.name(), change.rule, change.dotted()))
        .collect();
    format!("{}: {}", found.relation.name(), changes.join(", "))
}

#[test]
fn pairs() {
    let table = [
        // The same set in other words.
        (r#"{"type": "string"}"#, r#"{"anyOf": [{"type": "string"}]}"#, "equal: "),
        (r#"{"type": "integer", "minimum": 1}"#, r#"{"type": "integer", "exclusiveMinimum": 0}"#, "equal: "),
        (
            r#"{"allOf": [{"type": "integer"}, {"minimum": 1}]}"#,
            r#"{"type": "integer", "minimum": 1}"#,
            "equal: ",
        ),
        (r#"{"type": "string", "pattern": "^[a-c]$"}"#, r#"{"enum": ["c", "b", "a"]}"#, "equal: "),
        (r#"{"type": "boolean"}"#, r#"{"enum": [true, false]}"#, "equal: "),
        (
            r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "properties": {"n": {"$ref": "#/$defs/a"}}}}}"##,
            r##"{"$ref": "#/$defs/b", "$defs": {"b": {"type": "object", "properties": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/b"}}}}}}}"##,
            "equal: ",
        ),
        (r#"{"not": {"not": {"type": "null"}}}"#, r#"{"type": "null"}"#, "equal: "),
        (
            r#"{"oneOf": [{"type": "string"}, {"type": "integer"}]}"#,
            r#"{"type": ["integer", "string"]}"#,
            "equal: ",
        ),
        // Numbers.
        (
            r#"{"type": "integer", "minimum": 1}"#,
            r#"{"type": "integer", "minimum": 3}"#,
            "narrower: breaking minimum-raised $",
        ),
        (
            r#"{"type": "integer", "maximum": 9007199254740993}"#,
            r#"{"type": "integer", "maximum": 9007199254740992}"#,
            "narrower: breaking maximum-lowered $",
        ),
        (r#"{"multipleOf": 6}"#, r#"{"multipleOf": 4}"#, "incomparable: breaking multiple-changed $"),
        (r#"{"multipleOf": 0.5}"#, r#"{"multipleOf": 0.25}"#, "wider: info multiple-changed $"),
        (r#"{"type": "integer", "minimum": 5, "maximum": 9, "multipleOf": 4}"#, r#"{"const": 8}"#, "equal: "),
        (r#"{"type": "number"}"#, r#"{"type": "integer"}"#, "narrower: breaking type-narrowed $"),
        (r#"{"type": "integer"}"#, r#"{"type": ["integer", "null"]}"#, "wider: info null-accepted $"),
        (r#"{"type": "integer"}"#, r#"{"type": "string"}"#, "incomparable: breaking type-changed $"),
        // Text.
        (
            r#"{"type": "string", "pattern": "^[a-z]+$"}"#,
            r#"{"type": "string", "pattern": "^[a-z0-9]+$"}"#,
            "wider: info pattern-widened $",
        ),
        (
            r#"{"type": "string"}"#,
            r#"{"type": "string", "pattern": "^.*$"}"#,
            "narrower: breaking pattern-narrowed $",
        ),
        (
            r#"{"type": "string", "pattern": "^a{2,4}$"}"#,
            r#"{"type": "string", "pattern": "^a*$", "minLength": 2, "maxLength": 4}"#,
            "equal: ",
        ),
        (
            r#"{"type": "string", "maxLength": 9}"#,
            r#"{"type": "string", "maxLength": 5}"#,
            "narrower: breaking length-narrowed $",
        ),
        (r#"{"enum": ["a", "b"]}"#, r#"{"enum": ["a"]}"#, "narrower: breaking value-removed $"),
        (
            r#"{"enum": ["a", "b"]}"#,
            r#"{"enum": ["a", "c"]}"#,
            "incomparable: breaking value-removed $, info value-added $",
        ),
        (
            r#"{"type": "string", "enum": ["a"], "nullable": true}"#,
            r#"{"type": "string", "enum": ["a", "b"], "nullable": true}"#,
            "wider: info value-added $",
        ),
        // Objects.
        (
            r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}"#,
            "narrower: warning property-declared $.b",
        ),
        (
            r#"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}"#,
            r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "additionalProperties": false}"#,
            "wider: info property-added $.b",
        ),
        (
            r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#,
            "wider: warning property-forgotten $.b",
        ),
        (
            r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}"#,
            "narrower: breaking property-required $.a",
        ),
        (
            r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}"#,
            "narrower: breaking object-closed $",
        ),
        (
            r#"{"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "array", "items": {"maximum": 9}}}}}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "array", "items": {"maximum": 8}}}}}}"#,
            "narrower: breaking maximum-lowered $.a.b[*]",
        ),
        (
            r#"{"type": "object"}"#,
            r#"{"type": "object", "additionalProperties": {"type": "string"}}"#,
            "narrower: breaking type-narrowed $.*",
        ),
        (
            r#"{"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": false}"#,
            r#"{"type": "object", "patternProperties": {"^xy": {"type": "string"}}, "additionalProperties": false}"#,
            "narrower: breaking names-narrowed $",
        ),
        // Lists.
        (
            r#"{"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": true}"#,
            r#"{"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": true, "maxItems": 2}"#,
            "equal: ",
        ),
        (
            r#"{"type": "array", "maxItems": 3}"#,
            r#"{"type": "array", "maxItems": 2}"#,
            "narrower: breaking items-narrowed $",
        ),
        (
            r#"{"type": "array"}"#,
            r#"{"type": "array", "uniqueItems": true}"#,
            "narrower: breaking unique-added $",
        ),
        (
            r#"{"type": "array", "contains": {"const": 1}}"#,
            r#"{"type": "array", "contains": {"enum": [1, 2]}}"#,
            "wider: info contains-widened $",
        ),
        (
            r#"{"type": "array", "contains": {"const": 1}}"#,
            r#"{"type": "array", "contains": {"const": 1}, "minItems": 1}"#,
            "equal: ",
        ),
        (r#"{"type": "array", "maxItems": 0}"#, r#"{"const": []}"#, "equal: "),
        (r#"{"type": "object", "maxProperties": 0}"#, r#"{"const": {}}"#, "equal: "),
        (
            r#"{"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"], "additionalProperties": false}"#,
            r#"{"const": {"a": 1}}"#,
            "equal: ",
        ),
        (
            r#"{"type": "array", "prefixItems": [{"type": "string"}]}"#,
            r#"{"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}"#,
            "narrower: warning position-declared $[1]",
        ),
        // Alternatives.
        (
            r#"{"anyOf": [{"type": "string"}, {"type": "integer"}]}"#,
            r#"{"anyOf": [{"type": "string"}]}"#,
            "narrower: breaking variant-removed $",
        ),
        (
            r#"{"oneOf": [{"type": "integer"}, {"minimum": 2}]}"#,
            r#"{"anyOf": [{"type": "integer"}, {"minimum": 2}]}"#,
            "wider: info variant-overlap $",
        ),
        // Conditions.
        (
            r#"{"type": "object"}"#,
            r#"{"type": "object", "dependentRequired": {"a": ["b"]}}"#,
            "narrower: breaking condition-added $",
        ),
        (
            r#"{"if": {"type": "string"}, "then": {"minLength": 2}}"#,
            r#"{"anyOf": [{"not": {"type": "string"}}, {"type": "string", "minLength": 2}]}"#,
            "equal: ",
        ),
    ];
    let mut wrong = Vec::new();
    for (old, new, expected) in table {
        let found = said(old, new);
        if found != expected {
            wrong.push(format!("{old}\n{new}\n  expected {expected}\n  found    {found}\n"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_is_read_is_broken_by_more_values() {
    let old = read(r#"{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}"#);
    let new =
        read(r#"{"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}"#);
    let found = diff_of(&old, &new, Flow::Out);
    assert_eq!(found.relation, SetRelation::Wider);
    assert_eq!(found.breaking, Some(true));
    assert_eq!(found.changes.first().map(|change| change.level), Some(Level::Breaking));
}

#[test]
fn every_rule_is_documented() {
    let page = include_str!("../../../docs/contract-diff.md");
    for rule in crate::RULES {
        let row = format!("| `{}` | {} |", rule.name, rule.summary);
        assert!(page.contains(&row), "docs/contract-diff.md lacks {row}");
    }
}

/// Contracts of all kinds, each of which is compared with all others.
const CONTRACTS: &[&str] = &[
    r#"{"type": "integer"}"#,
    r#"{"type": "integer", "minimum": -3, "maximum": 12}"#,
    r#"{"type": "number", "minimum": 0}"#,
    r#"{"type": "number", "multipleOf": 0.5, "exclusiveMaximum": 4}"#,
    r#"{"type": "integer", "multipleOf": 3, "minimum": 1}"#,
    r#"{"enum": [1, 2, "a", null]}"#,
    r#"{"type": ["integer", "null"], "maximum": 2}"#,
    r#"{"type": "string"}"#,
    r#"{"type": "string", "minLength": 1, "maxLength": 3}"#,
    r#"{"type": "string", "pattern": "^[a-z]{1,3}$"}"#,
    r#"{"type": "string", "pattern": "a"}"#,
    r#"{"type": "string", "format": "date"}"#,
    r#"{"not": {"type": "string", "minLength": 2}}"#,
    r#"{"type": "array", "items": {"type": "integer"}}"#,
    r#"{"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": true}"#,
    r#"{"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": false}"#,
    r#"{"type": "array", "contains": {"const": 1}, "maxContains": 2}"#,
    r#"{"type": "array", "minItems": 1, "maxItems": 2}"#,
    r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#,
    r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}"#,
    r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "additionalProperties": false}"#,
    r#"{"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}"#,
    r#"{"type": "object", "patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": false}"#,
    r#"{"type": "object", "minProperties": 1, "maxProperties": 2}"#,
    r#"{"type": "object", "dependentRequired": {"a": ["b"]}}"#,
    r#"{"type": "object", "propertyNames": {"maxLength": 1}}"#,
    r#"{"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 0}]}"#,
    r#"{"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2}]}"#,
    r#"{"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "integer"}}"#,
    r##"{"type": "object", "properties": {"next": {"$ref": "#"}, "a": {"type": "integer"}}, "required": ["a"]}"##,
];

#[test]
fn verdicts_agree_with_values_at_the_boundaries() {
    let contracts: Vec<Contract> = CONTRACTS.iter().map(|text| read(text)).collect();
    let options = contract::sample::SampleOptions { count: 60, seed: 1, invalid: false };
    let values: Vec<contract::Constant> =
        contracts.iter().flat_map(|contract| contract::sample::samples(contract, options)).collect();
    assert!(values.len() > 500);
    let mut unknown = Vec::new();
    for (old, old_text) in contracts.iter().zip(CONTRACTS) {
        for (new, new_text) in contracts.iter().zip(CONTRACTS) {
            let found = diff_of(old, new, Flow::In);
            assert!(found.disagreements.is_empty(), "{old_text}\n{new_text}\n{:?}", found.disagreements);
            if found.relation == SetRelation::Unknown {
                unknown.push(format!("{old_text} {new_text}"));
            }
            for value in &values {
                let (was, is) = (old.is_valid(value), new.is_valid(value));
                if was && !is {
                    assert_ne!(found.lost, crate::Difference::None, "{old_text}\n{new_text}\n{value}");
                }
                if is && !was {
                    assert_ne!(found.gained, crate::Difference::None, "{old_text}\n{new_text}\n{value}");
                }
            }
            if std::ptr::eq(old, new) {
                assert_eq!(found.relation, SetRelation::Equal, "{old_text}");
            }
        }
    }
    assert!(unknown.len() <= 4, "{unknown:#?}");
}
