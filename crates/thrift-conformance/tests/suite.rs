//! The suite against Tendon itself: on bytes in each protocol, and on plain JSON.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::sync::Arc;

use contract::{Argument, Constant, Node, Signature};
use document::{Document, FileId, ReadLimits};
use thrift::model::{Config, LoadConfig, MemoryLoader, StructId, load, resolve};
use thrift::plain::{Reader, UnknownFields};
use thrift::rules::{Functions, RuleConfig, lower};
use thrift::validate::{Rejection, ValidateConfig, Validator, Want};
use thrift::wire::Protocol;
use thrift_conformance::{
    AnswerVerdict, CaseResult, Compare, ExecutorAnswer, ExpectedFailures, Suite, cases, executor, table_cases,
};

/// 2033, so that the past and the far future are what they seem.
const NOW: i64 = 2_000_000_000_000_000_000;

fn holds(protocol: Protocol) {
    let judged = judge(&Suite::new(protocol).unwrap());
    assert!(judged > 300, "only {judged} requests");
}

/// Holds Tendon against a suite, and returns how many requests that were.
fn judge(suite: &Suite) -> usize {
    let answers = suite.items.iter().map(|item| executor::answer(&item.request, NOW)).collect();
    let judgements = suite.judge(answers, Compare::Path, &ExpectedFailures::default());
    let wrong: Vec<String> = judgements
        .iter()
        .filter(|it| it.outcome != CaseResult::Passed)
        .map(|it| format!("{}: {:?}", it.item.request.case, it.answer))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), judgements.len(), wrong.join("\n"));
    judgements.len()
}

#[test]
fn the_table_of_the_proposal_holds_row_by_row() {
    let table = table_cases().unwrap();
    for protocol in [Protocol::Binary, Protocol::Compact, Protocol::Json] {
        assert!(judge(&Suite::of(&table, protocol).unwrap()) > 70);
    }
    // What is refused is refused for the reason that the case gives.
    let functions = Functions::at(NOW);
    for case in &table {
        let Some((code, part)) = &case.refused else { continue };
        let found = case.read_as("case.thrift", "cases", &functions).unwrap().diagnostics;
        let is_named = found.iter().any(|it| it.code == *code && it.message.contains(part.as_str()));
        assert!(is_named, "{}: {found:?}", case.name);
    }
    // No validator of the table is left out.
    let text = include_str!("../proposal/table.md");
    for validator in [
        "const",
        "defined_only",
        "not_nil",
        "skip",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "in",
        "not_in",
        "elem",
        "key",
        "value",
        "min_size",
        "max_size",
        "prefix",
        "suffix",
        "contains",
        "not_contains",
        "pattern",
    ] {
        assert!(text.contains(&format!("vt.{validator}")), "{validator}");
    }
}

#[test]
fn every_sentence_of_the_proposal_is_shown_by_something() {
    let sentences = include_str!("../proposal/sentences.md");
    let rows = sentences.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows: Vec<Vec<&str>> = rows.skip(1).map(|row| row.split(" | ").collect()).collect();
    assert!(rows.len() > 60, "only {} sentences", rows.len());
    let table = table_cases().unwrap();
    let known: Vec<String> = table.iter().chain(&cases().unwrap()).map(|case| case.id.clone()).collect();
    let mut named = Vec::new();
    for row in &rows {
        let [id, _, shown] = row.as_slice() else { panic!("{row:?}") };
        for by in shown.split(", ") {
            match by.strip_prefix('`') {
                Some(test) => {
                    let test = format!("#[test]\nfn {}()", test.trim_end_matches('`'));
                    assert!(include_str!("suite.rs").contains(&test), "{id}: {test}");
                }
                None => assert!(known.iter().any(|known| known == by), "{id}: {by}"),
            }
            named.push(by);
        }
    }
    for case in &table {
        assert!(named.contains(&case.id.as_str()), "{} shows nothing", case.id);
    }
}

/// Loads a file of rules, and validates one message of its struct `S`.
fn validate(idl: &str, functions: &Functions, message: &[u8]) -> Result<usize, Rejection> {
    let mut loader = MemoryLoader::default().file("s.thrift", idl);
    let (program, _) = load("s.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, _) = resolve(&program, &Config::default());
    let (validator, _) = Validator::new(&model, &RuleConfig::default(), ValidateConfig::default(), functions);
    validator.unwrap().validate(StructId(0), Protocol::Binary, message, functions, Want::First)
}

#[test]
fn functions_of_a_user_run() {
    let mut functions = Functions::at(NOW);
    let signature = Signature { least: 1, most: 1, pure_: true };
    let twice = |arguments: &[Argument<'_>]| match arguments.first().and_then(Argument::node) {
        Some(Node::Int(value)) => Ok(Constant::Int(value * 2)),
        other => Err(format!("{other:?} is no integer")),
    };
    functions.register("twice", signature, Arc::new(twice));
    let idl = "struct S {1: i32 a; 2: i32 b (vt.eq = \"@twice($a)\")}";
    let message = |b: u8| [8, 0, 1, 0, 0, 0, 3, 8, 0, 2, 0, 0, 0, b, 0];
    assert_eq!(validate(idl, &functions, &message(6)), Ok(15));
    assert!(validate(idl, &functions, &message(7)).is_err());
}

#[test]
fn feedback_says_where_which_rule_and_both_values() {
    let idl = "struct S {1: list<i32> a (vt.elem.lt = \"$b\"); 2: i32 b}";
    let message = [15, 0, 1, 8, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 9, 8, 0, 2, 0, 0, 0, 5, 0];
    let Err(Rejection::Rules(found)) = validate(idl, &Functions::at(NOW), &message) else {
        panic!("it is valid")
    };
    let [it] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(it.path.dotted("S"), "S.a[1]");
    assert_eq!(&*it.rule, "vt.elem.lt");
    assert_eq!(it.found.as_deref(), Some("9"));
    assert_eq!(it.wanted_text().as_deref(), Some("5 ($b)"));
}

#[test]
fn binary_messages_are_judged_as_the_cases_say() {
    holds(Protocol::Binary);
}

#[test]
fn compact_messages_are_judged_as_the_cases_say() {
    holds(Protocol::Compact);
}

#[test]
fn json_messages_are_judged_as_the_cases_say() {
    holds(Protocol::Json);
}

#[test]
fn plain_json_is_judged_as_the_cases_say() {
    let suite = Suite::new(Protocol::Binary).unwrap();
    let functions = Functions::at(NOW);
    let mut count = 0;
    for item in suite.items.iter().filter(|item| !item.title.contains("$hex")) {
        let (Some(ty), Some(value)) = (&item.request.ty, &item.request.value) else { continue };
        let case = cases().unwrap().into_iter().find(|case| case.id == item.id).unwrap();
        let mut loader = MemoryLoader::default().file("case.thrift", &item.request.idl);
        let (program, _) = load("case.thrift", &mut loader, &LoadConfig::default()).unwrap();
        let (model, _) = resolve(&program, &Config::default());
        let (lowered, _) = lower(&model, &case.config, &functions);
        let root = case.read_as("case.thrift", "cases", &functions).unwrap().structure(ty).unwrap();
        let contract =
            lowered.compile(&functions).0.unwrap().starting_at(lowered.name(root).unwrap()).unwrap();
        let reader = Reader::new(model, UnknownFields::Refuse);
        let document =
            Document::from_json(value.to_string().as_str(), FileId::FIRST, &ReadLimits::default()).unwrap();
        let (plain, misfits) = reader.read(root, document.root(), 10);
        assert_eq!(misfits, [], "{}", item.title);
        let checker = contract.checker().host(&functions).order(contract::Order::Declared);
        let name = item.request.case.as_str();
        let found = match checker.first_violation(&plain) {
            None => ExecutorAnswer::new(name, AnswerVerdict::Valid),
            Some(it) if &*it.rule == "required" => {
                ExecutorAnswer { path: it.wanted_text(), ..ExecutorAnswer::new(name, AnswerVerdict::Missing) }
            }
            Some(it) => ExecutorAnswer {
                rule: Some(it.rule.into()),
                path: Some(it.path.dotted(ty)),
                ..ExecutorAnswer::new(name, AnswerVerdict::Invalid)
            },
        };
        assert_eq!(found, item.expected, "{}", item.title);
        count += 1;
    }
    assert!(count > 250, "only {count} values");
}

#[test]
fn a_listed_failure_that_passes_is_told_apart() {
    let mut suite = Suite::new(Protocol::Binary).unwrap();
    suite.items.retain(|item| item.id == "B01");
    let [first, second, third] = suite.items.as_slice() else { panic!("B01 has three values") };
    let right = executor::answer(&first.request, NOW);
    let wrong = ExecutorAnswer::new(&second.request.case, AnswerVerdict::Valid);
    let list = ExpectedFailures::parse("B01/1: passes\nB01/2: fails\nZ99: is not there\n").unwrap();
    let judgements = suite.judge(vec![wrong, right], Compare::Path, &list);
    let outcomes: Vec<CaseResult> = judgements.iter().map(|it| it.outcome).collect();
    assert_eq!(outcomes, [CaseResult::UnexpectedPass, CaseResult::ExpectedFailure, CaseResult::Failed]);
    assert_eq!(judgements.last().unwrap().answer, None, "{} was not answered", third.request.case);
    assert_eq!(suite.unknown(&list).iter().map(|it| it.line).collect::<Vec<_>>(), [3]);
}

#[test]
fn less_of_an_answer_can_count() {
    let mut suite = Suite::new(Protocol::Binary).unwrap();
    suite.items.retain(|item| item.request.case == "B01/2");
    let vague = |rule: Option<&str>| {
        vec![ExecutorAnswer {
            rule: rule.map(Into::into),
            ..ExecutorAnswer::new("B01/2", AnswerVerdict::Invalid)
        }]
    };
    let none = ExpectedFailures::default();
    let passes =
        |answers, compare| suite.judge(answers, compare, &none).iter().all(|it| it.outcome.is_fine());
    assert!(passes(vague(None), Compare::Verdict));
    assert!(!passes(vague(None), Compare::Rule));
    assert!(passes(vague(Some("vt.const")), Compare::Rule));
    assert!(!passes(vague(Some("vt.const")), Compare::Path));
}
