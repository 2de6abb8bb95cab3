//! The examples in every rule's documentation, run; and the page that is made of them.

use std::fmt::Write;

use contract::rules::{ALL, RuleExample, RuleInfo};
use contract::{Contract, Plain};
use document::{Document, FileId, ReadLimits};

fn parse(text: &str) -> Document {
    Document::from_json(text, FileId::FIRST, &ReadLimits::default())
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn compile(text: &str) -> Contract {
    let document = parse(text);
    Contract::from_json(document.root(), &Plain).unwrap_or_else(|flaws| panic!("{text}: {flaws:?}"))
}

fn run(info: &RuleInfo, example: &RuleExample) {
    let contract = compile(example.contract);
    for value in example.holds {
        let document = parse(value);
        assert_eq!(contract.violations(document.root()), [], "{} must hold for {value}", example.contract);
        assert!(contract.is_valid(document.root()));
    }
    for value in example.breaks {
        let document = parse(value);
        assert!(!contract.is_valid(document.root()), "{} must not hold for {value}", example.contract);
        let violations = contract.violations(document.root());
        let codes: Vec<&str> = violations.iter().map(|violation| violation.code).collect();
        let expected: &[&str] = match info.name {
            // Violations of parts are reported at the parts, by the rule that is broken there.
            "items" => &["gt"],
            "propertyNames" => &["maxLength"],
            "values" => &["type"],
            // Those of what a condition leads to, too.
            "if" => &["if", "required", "minimum", "maximum"],
            "dependentSchemas" => &["required"],
            name => &[name],
        };
        let is_expected = matches!(codes.as_slice(), [only] if expected.contains(only));
        assert!(is_expected, "{} for {value}: {codes:?}", example.contract);
    }
}

#[test]
fn every_example_is_true() {
    for info in ALL {
        for example in info.examples {
            run(info, example);
        }
    }
}

#[test]
fn every_rule_has_an_example_or_needs_a_host_or_a_hostile_document() {
    let without: Vec<&str> =
        ALL.iter().filter(|info| info.examples.is_empty()).map(|info| info.name).collect();
    assert_eq!(without, ["custom", "limit"]);
}

#[test]
fn a_contract_written_as_json_reads_back_as_the_same_contract() {
    for example in ALL.iter().flat_map(|info| info.examples) {
        let contract = compile(example.contract);
        let written = contract.to_json();
        let again = compile(&written);
        assert_eq!(again.to_json(), written);
        for (values, expected) in [(example.holds, true), (example.breaks, false)] {
            for value in values {
                assert_eq!(again.is_valid(parse(value).root()), expected, "{written} for {value}");
            }
        }
    }
}

/// The page is made from the table, so that it cannot tell another story than the code.
#[test]
fn the_page_of_rules_is_up_to_date() {
    spec_test::check_page("docs/rules.md", &page());
}

fn page() -> String {
    let mut out = String::from(
        "# Rules\n\nWhat a contract can ask of a value. This page is made from the table of rules in \
         `crates/contract/src/rules`; its examples are run as tests.\n",
    );
    for info in ALL {
        write!(out, "\n## `{}`\n\n{}\n", info.name, info.summary).unwrap();
        if !info.details.is_empty() {
            write!(out, "\n{}\n", info.details).unwrap();
        }
        write!(out, "\nSpeaks of: {}.\n", info.applies_to).unwrap();
        for example in info.examples {
            let fence = |out: &mut String, label: &str, values: &[&str]| {
                if !values.is_empty() {
                    let list: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
                    writeln!(out, "- {label}: {}", list.join(", ")).unwrap();
                }
            };
            write!(out, "\n```json\n{}\n```\n\n", example.contract).unwrap();
            fence(&mut out, "holds for", example.holds);
            fence(&mut out, "broken by", example.breaks);
        }
    }
    out
}
