//! The suite against Tendon itself: on bytes in each protocol, and on plain JSON.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use document::{Document, FileId, Limits};
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::plain::{Reader, UnknownFields};
use thrift::rules::{Functions, lower};
use thrift::wire::Protocol;
use thrift_conformance::{
    Answer, AnswerVerdict, Compare, ExpectedFailures, Outcome, Suite, cases, executor, read,
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
        .filter(|it| it.outcome != Outcome::Passed)
        .map(|it| format!("{}: {:?}", it.item.request.case, it.answer))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), judgements.len(), wrong.join("\n"));
    judgements.len()
}

#[test]
fn the_table_of_the_proposal_holds_row_by_row() {
    let table = read(&[("table.md", include_str!("../proposal/table.md"))]).unwrap();
    for protocol in [Protocol::Binary, Protocol::Compact, Protocol::Json] {
        assert!(judge(&Suite::of(&table, protocol).unwrap()) > 70);
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
            Document::from_json(value.to_string().as_str(), FileId::FIRST, &Limits::default()).unwrap();
        let (plain, misfits) = reader.read(root, document.root(), 10);
        assert_eq!(misfits, [], "{}", item.title);
        let checker = contract.checker().host(&functions).order(contract::Order::Declared);
        let name = item.request.case.as_str();
        let found = match checker.first_violation(&plain) {
            None => Answer::new(name, AnswerVerdict::Valid),
            Some(it) if &*it.rule == "required" => {
                Answer { path: it.wanted_text(), ..Answer::new(name, AnswerVerdict::Missing) }
            }
            Some(it) => Answer {
                rule: Some(it.rule.into()),
                path: Some(it.path.dotted(ty)),
                ..Answer::new(name, AnswerVerdict::Invalid)
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
    let wrong = Answer::new(&second.request.case, AnswerVerdict::Valid);
    let list = ExpectedFailures::parse("B01/1: passes\nB01/2: fails\nZ99: is not there\n").unwrap();
    let judgements = suite.judge(vec![wrong, right], Compare::Path, &list);
    let outcomes: Vec<Outcome> = judgements.iter().map(|it| it.outcome).collect();
    assert_eq!(outcomes, [Outcome::UnexpectedPass, Outcome::ExpectedFailure, Outcome::Failed]);
    assert_eq!(judgements.last().unwrap().answer, None, "{} was not answered", third.request.case);
    assert_eq!(suite.unknown(&list).iter().map(|it| it.line).collect::<Vec<_>>(), [3]);
}

#[test]
fn less_of_an_answer_can_count() {
    let mut suite = Suite::new(Protocol::Binary).unwrap();
    suite.items.retain(|item| item.request.case == "B01/2");
    let vague = |rule: Option<&str>| {
        vec![Answer { rule: rule.map(Into::into), ..Answer::new("B01/2", AnswerVerdict::Invalid) }]
    };
    let none = ExpectedFailures::default();
    let passes =
        |answers, compare| suite.judge(answers, compare, &none).iter().all(|it| it.outcome.is_fine());
    assert!(passes(vague(None), Compare::Verdict));
    assert!(!passes(vague(None), Compare::Rule));
    assert!(passes(vague(Some("vt.const")), Compare::Rule));
    assert!(!passes(vague(Some("vt.const")), Compare::Path));
}
