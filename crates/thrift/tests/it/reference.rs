//! The page of rules is made from the table, and its examples are rules.

use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{AbsentOperand, Functions, RuleConfig, VALIDATORS, lower, page};

#[test]
fn the_page_of_rules_is_up_to_date() {
    spec_test::check_page("docs/thrift-rules.md", &page());
}

#[test]
fn every_rule_with_operands_has_a_case_where_one_is_absent() {
    let cases = thrift_conformance::cases().unwrap();
    let absent: Vec<&str> =
        cases.iter().filter(|it| it.title.contains("absent")).map(|it| it.idl.as_str()).collect();
    for validator in VALIDATORS.iter().filter(|it| it.absent_operand() != AbsentOperand::Impossible) {
        let rule = format!("vt.{}=\"", validator.name);
        let refers = |idl: &&str| {
            idl.split(&rule).skip(1).any(|rest| rest.split('"').next().is_some_and(|it| it.contains('$')))
        };
        let missing = "no case of `thrift-conformance` with `absent` in its title refers to a field in";
        assert!(absent.iter().any(refers), "{missing} `vt.{}`", validator.name);
    }
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
