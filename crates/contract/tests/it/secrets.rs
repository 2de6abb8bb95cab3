//! Which parts of a value must not be printed.

#![allow(clippy::string_slice, reason = "a test that cannot be set up has failed")]

use contract::{Contract, Plain};
use document::{Document, FileId, ReadLimits};

/// Checks which parts of a value are secrets, by their text.
#[track_caller]
fn check(contract: &str, value: &str, expect: &[&str]) {
    let contract = Document::from_json(contract, FileId::FIRST, &ReadLimits::default()).unwrap();
    let contract = Contract::from_json(contract.root(), &Plain).unwrap();
    let document = Document::from_json(value, FileId::FIRST, &ReadLimits::default()).unwrap();
    let places = contract.secrets(document.root());
    let found: Vec<_> = places.iter().map(|place| &value[place.start as usize..place.end as usize]).collect();
    assert_eq!(found, expect);
}

#[test]
fn secrets_are_found_at_every_depth_valid_or_not() {
    check(
        r#"{"properties": {"users": {"items": {"properties": {"password": {"type": "string", "secret": true}}}}}}"#,
        r#"{"users": [{"password": "a"}, {"password": 7}, {"name": "b"}]}"#,
        &[r#""a""#, "7"],
    );
    check(r#"{"properties": {"a": {"secret": true}}}"#, r#"{"a": {"b": [1]}, "c": 2}"#, &[r#"{"b": [1]}"#]);
    check(r#"{"type": "string"}"#, r#""public""#, &[]);
}

#[test]
fn what_stands_in_the_place_of_secrets_is_one() {
    let contract = r#"{"type": "object", "properties": {"vault": {"type": "object", "properties": {
        "key": {"type": "string", "secret": true}}}}}"#;
    check(contract, r#"{"vault": "hush"}"#, &[r#""hush""#]);
    check(contract, r#"{"vault": 48151623}"#, &["48151623"]);
    check(contract, r#"{"vault": ["hush"]}"#, &[r#"["hush"]"#]);
    check(contract, r#"[{"vault": {"key": "hush"}}]"#, &[r#"[{"vault": {"key": "hush"}}]"#]);
    check(contract, r#""hush""#, &[r#""hush""#]);
    check(contract, r#"{"vault": null}"#, &[]);
    // What one alternative of a union takes is in its place.
    let union =
        r#"{"anyOf": [{"type": "string"}, {"type": "object", "properties": {"key": {"secret": true}}}]}"#;
    check(union, r#""public""#, &[]);
    check(union, "48151623", &["48151623"]);
    check(union, r#"["hush"]"#, &[r#"["hush"]"#]);
}

#[test]
fn a_secret_in_another_place_is_one() {
    let contract = r#"{"type": "object", "properties": {
        "name": {"type": "string"}, "list": {"items": {"type": "integer"}}, "sec": {"type": "string", "secret": true},
        "inner": {"properties": {"key": {"secret": true}, "other": {"properties": {"key": true}}}}}}"#;
    check(contract, r#"{"name": {"sec": "hush"}}"#, &[r#""hush""#]);
    check(contract, r#"{"list": [{"SEC": "hush"}]}"#, &[r#""hush""#]);
    // The name is that of something else as well.
    check(contract, r#"{"name": {"key": "public"}}"#, &[]);
}

#[test]
fn every_way_to_reach_a_shape_counts() {
    let tokens = r#"["t"]"#;
    for contract in [
        r#"{"items": {"secret": true}}"#,
        r#"{"allOf": [{"items": {"secret": true}}]}"#,
        r#"{"oneOf": [{"type": "null"}, {"items": {"secret": true}}]}"#,
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"items": {"secret": true}}}}"##,
    ] {
        check(contract, tokens, &[r#""t""#]);
    }
    let member = r#"{"x-key": "t"}"#;
    for contract in [
        r#"{"additionalProperties": {"secret": true}}"#,
        r#"{"values": {"secret": true}}"#,
        r#"{"patternProperties": {"^x-": {"secret": true}}}"#,
    ] {
        check(contract, member, &[r#""t""#]);
    }
    check(r#"{"propertyNames": {"secret": true}}"#, member, &[r#""x-key""#]);
}

#[test]
fn of_secrets_in_each_other_the_outermost_counts() {
    check(
        r#"{"properties": {"a": {"allOf": [{"items": {"secret": true}}, {"secret": true}]}}}"#,
        r#"{"a": ["x", "y"]}"#,
        &[r#"["x", "y"]"#],
    );
}

/// Checks what the first violation shows of a value.
#[track_caller]
fn check_found(contract: &str, value: &str, expect: &str) {
    let contract = Document::from_json(contract, FileId::FIRST, &ReadLimits::default()).unwrap();
    let contract = Contract::from_json(contract.root(), &Plain).unwrap();
    let value = Document::from_json(value, FileId::FIRST, &ReadLimits::default()).unwrap();
    let violation = contract.first_violation(value.root()).unwrap();
    assert_eq!(violation.found.as_deref(), Some(expect));
    let shown = violation.to_json();
    assert!(!shown.contains("hunter2") && !shown.contains("has 7"), "{shown}");
}

#[test]
fn a_violation_around_a_secret_does_not_spell_its_value_out() {
    check_found(
        r#"{"required": ["user"], "properties": {"password": {"secret": true}}}"#,
        r#"{"password": "hunter2"}"#,
        r#"{"password":<secret>}"#,
    );
}

#[test]
fn a_value_is_a_secret_if_any_branch_says_so() {
    let value = r#"{"password": "hunter2"}"#;
    let long = r#"{"properties": {"password": {"minLength": 12}}}"#;
    let secret = r#"{"properties": {"password": {"secret": true}}}"#;
    check_found(&format!(r#"{{"allOf": [{long}, {secret}]}}"#), value, "<secret>");
    check_found(&format!(r#"{{"allOf": [{secret}, {long}]}}"#), value, "<secret>");
    check_found(
        r#"{"anyOf": [{"minLength": 12}, {"maxLength": 2, "secret": true}]}"#,
        r#""hunter2""#,
        "<secret>",
    );
}

#[test]
fn the_names_in_a_secret_object_are_not_suggested() {
    check_found(
        r#"{"properties": {"keys": {"type": "object", "required": ["hunter"], "secret": true}}}"#,
        r#"{"keys": {"hunter2": 1}}"#,
        "<secret>",
    );
}

#[test]
fn where_there_are_secrets_a_wrong_name_may_be_that_of_one() {
    let contract = r#"{"properties": {
        "password": {"type": "string", "secret": true},
        "size": {"type": "integer"},
        "inner": {"properties": {"a": {}}, "additionalProperties": false},
        "free": {}
    }, "additionalProperties": false}"#;
    check(contract, r#"{"passwrd": "x", "size": 1}"#, &[r#""x""#]);
    check(contract, r#"{"pw": {"deep": ["x"]}, "size": "y"}"#, &[r#"{"deep": ["x"]}"#]);
    check(contract, r#"{"inner": {"a": 1, "b": "x"}}"#, &[r#""x""#]);
    check(contract, r#"{"free": {"a": 1, "b": "y"}, "size": 3}"#, &[]);
    let open = r#"{"properties": {"password": {"secret": true}, "passwords": {}}}"#;
    check(open, r#"{"passwrd": "x", "passwords": "y", "other": "z"}"#, &[r#""x""#]);
    let public = r#"{"properties": {"size": {}}, "additionalProperties": false}"#;
    check(public, r#"{"passwrd": "x"}"#, &[]);
}

#[test]
fn what_one_alternative_knows_is_no_stranger() {
    let contract = r#"{"oneOf": [
        {"properties": {"a": {}}, "additionalProperties": false},
        {"properties": {"b": {"secret": true}, "c": {}}, "additionalProperties": false}
    ]}"#;
    check(contract, r#"{"a": 1, "b": 2, "c": 3, "d": 4}"#, &["2", "4"]);
}
