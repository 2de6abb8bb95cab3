//! The page of rules is made from the table, and its examples are rules.

#![expect(clippy::disallowed_methods, reason = "the page is a file")]

use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig, VALIDATORS, lower, page};

#[test]
fn the_page_of_rules_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/thrift-rules.md");
    let page = page();
    if std::env::var_os("TENDON_UPDATE").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == page, "docs/thrift-rules.md is stale: run the tests with TENDON_UPDATE=1");
}

#[test]
fn examples_are_rules() {
    for validator in VALIDATORS {
        let example = match validator.example.starts_with("struct") {
            true => validator.example.to_owned(),
            false => format!("struct S {{{}}}", validator.example),
        };
        let text = format!("enum Color {{RED}} struct Point {{1: i32 x}} {example}");
        let mut loader = MemoryLoader::default().file("s.thrift", &text);
        let (program, mut found) = load("s.thrift", &mut loader, &LoadConfig::default()).unwrap();
        let (model, more) = resolve(&program, &Config::default());
        found.extend(more);
        let functions = Functions::at(0);
        let (lowered, more) = lower(&model, &RuleConfig::default(), &functions);
        found.extend(more);
        found.extend(lowered.compile(&functions).1);
        found.retain(|it| it.severity != thrift::Severity::Info);
        assert!(found.is_empty(), "{}: {found:?}", validator.example);
        assert!(example.contains(&format!(".{} = ", validator.name)), "{}", validator.name);
    }
}
