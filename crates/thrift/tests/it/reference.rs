//! The page of rules is made from the table, and its examples are rules.

use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig, VALIDATORS, lower, page};

#[test]
fn the_page_of_rules_is_up_to_date() {
    spec_test::check_page("docs/thrift-rules.md", &page());
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
