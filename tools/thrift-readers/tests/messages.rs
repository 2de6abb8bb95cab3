//! The messages that readers are shown: that there are enough kinds of them, and always the same.

use std::collections::BTreeSet;

use thrift::validate::Want;
use thrift::wire::Protocol;
use thrift_readers::mutate::CHANGES;
use thrift_readers::random::Random;
use thrift_readers::run::messages;
use thrift_readers::schemas::{MessageStatus, schemas};
use thrift_readers::values::Values;

#[test]
fn there_are_schemas_for_every_rule() {
    let schemas = schemas().unwrap();
    assert!(schemas.len() >= 30, "{} schemas", schemas.len());
    let all: String = schemas.iter().map(|schema| schema.text.as_str()).collect();
    for rule in [
        "const",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "in",
        "not_in",
        "defined_only",
        "not_nil",
        "skip",
        "min_size",
        "max_size",
        "min_rune_size",
        "max_rune_size",
        "prefix",
        "suffix",
        "contains",
        "not_contains",
        "pattern",
        "assert",
    ] {
        assert!(all.contains(&format!(".{rule} = ")), "no schema has `{rule}`");
    }
}

#[test]
fn values_keep_the_rules_in_all_protocols() {
    for schema in schemas().unwrap() {
        let mut random = Random::new(7);
        let message = Values::of(&schema).valid(&mut random).unwrap();
        for protocol in [Protocol::Binary, Protocol::Compact, Protocol::Json] {
            let Some(bytes) = schema.write(&message, protocol) else { continue };
            let verdict = schema.judge(protocol, &bytes, Want::First);
            assert_eq!(verdict, MessageStatus::Passes, "{} {protocol:?}", schema.name);
        }
    }
}

#[test]
fn every_change_is_made_and_shows_in_the_bytes() {
    let schemas = schemas().unwrap();
    let mut left: BTreeSet<&str> = CHANGES.iter().map(|(name, _)| *name).collect();
    for schema in &schemas {
        let values = Values::of(schema);
        let mut random = Random::new(11);
        let original = values.valid(&mut random).unwrap();
        for (name, change) in CHANGES.iter().cycle().take(CHANGES.len() * 10) {
            let mut changed = original.clone();
            let made = change(&mut changed, &values, &mut random);
            if made && changed.write(Protocol::Compact) != original.write(Protocol::Compact) {
                left.remove(name);
            }
        }
    }
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_same_seed_makes_the_same_messages() {
    let schemas = &schemas().unwrap()[..3];
    let [first, again, other] = [1, 1, 2].map(|seed| messages(schemas, 300, seed).unwrap());
    assert_eq!(format!("{first:?}"), format!("{again:?}"));
    assert_ne!(format!("{first:?}"), format!("{other:?}"));
    assert!(first.1.all >= 300, "{:?}", first.1);
}
