//! Runs the documents in `resources/specs`.
//!
//! A case has a `contract.json` and, if the contract is sound, a `value.json` or a list of them in `values.json`.
//! The outputs are
//!
//! - `flaws`: what is wrong with the contract, where it was written;
//! - `verdict`: `valid` or `invalid`;
//! - `violations`: a line each, `path: message (rule)`;
//! - `details`: the same with everything that a violation says;
//! - `json`: the same as JSON;
//! - `verdicts`: a line for each of the values, with its first violation;
//! - `written`: the contract as it is written back;
//! - `outline`: the contract for people.

use std::fmt::Write;

use contract::{
    AnyView, Argument, CheckLimits, Checker, Constant, Contract, Custom, Flaw, Host, Node, Signature, Tested,
    Violation,
};
use diagnostics::{Columns, LineIndex, Span};
use document::{Document, FileId, SourceValue};
use spec_test::{Case, CaseOutput};

fn main() -> std::process::ExitCode {
    spec_test::main("resources/specs", run)
}

fn run(case: &Case) -> CaseOutput {
    let Some(file) = case.file("contract.json") else { return CaseOutput::error("no file `contract.json`") };
    let document = match read(&file.text) {
        Ok(document) => document,
        Err(error) => return CaseOutput::error(format!("contract.json: {error}")),
    };
    let lines = LineIndex::new(file.text.as_str());
    let contract = match Contract::from_json(document.root(), &Arithmetic) {
        Ok(contract) => contract,
        Err(flaws) => {
            let text: String = flaws.iter().map(|flaw| flaw_text(flaw, &lines)).collect();
            return CaseOutput::new().output("flaws", text);
        }
    };
    let outcome = CaseOutput::new()
        .output("flaws", "")
        .output("written", contract.to_json())
        .output("outline", contract.to_text());
    if let Some(file) = case.file("values.json") {
        return match read(&file.text) {
            Ok(values) => outcome.output("verdicts", verdicts(&contract, &values)),
            Err(error) => CaseOutput::error(format!("values.json: {error}")),
        };
    }
    let Some(file) = case.file("value.json") else { return outcome };
    let value = match read(&file.text) {
        Ok(document) => document,
        Err(error) => return CaseOutput::error(format!("value.json: {error}")),
    };
    let limits = CheckLimits { work: 100_000, ..CheckLimits::default() };
    let checker = contract.checker().host(&Arithmetic).limits(limits);
    let violations = match ask(checker, value.root()) {
        Ok(violations) => violations,
        Err(error) => return CaseOutput::error(error),
    };
    let lines_of_value = LineIndex::new(file.text.as_str());
    outcome
        .output("verdict", if violations.is_empty() { "valid" } else { "invalid" })
        .output("violations", violations.iter().map(|it| format!("{it}\n")).collect::<String>())
        .output(
            "details",
            violations.iter().map(|it| details(it, &lines, &lines_of_value)).collect::<Vec<_>>().join("\n"),
        )
        .output("json", violations.iter().map(|it| it.to_json() + "\n").collect::<String>())
}

/// Asks all three questions.
fn ask(checker: Checker<'_>, value: SourceValue<'_>) -> Result<Vec<Violation>, String> {
    let violations = checker.violations(value);
    let agree = checker.is_valid(value) == violations.is_empty()
        && checker.first_violation(value).as_ref() == violations.first();
    if agree { Ok(violations) } else { Err("the three questions are answered differently".to_owned()) }
}

fn verdicts(contract: &Contract, values: &Document) -> String {
    let checker = contract.checker().host(&Arithmetic);
    let line = |value: SourceValue<'_>| match ask(checker, value) {
        Ok(violations) => match violations.first() {
            None => format!("{}: valid\n", value.source()),
            Some(violation) => format!("{}: {violation}\n", value.source()),
        },
        Err(error) => format!("{}: {error}\n", value.source()),
    };
    values.root().items().map(line).collect()
}

fn read(text: &str) -> Result<Document, document::ReadError> {
    Document::from_json(
        text,
        FileId::FIRST,
        &document::ReadLimits { depth: 1000, ..document::ReadLimits::default() },
    )
}

fn position(place: Option<Span>, lines: &LineIndex) -> String {
    match place {
        Some(place) => {
            let at = lines.position(place.start, Columns::Scalars);
            format!("{}:{}", at.line + 1, at.column + 1)
        }
        None => "nowhere".to_owned(),
    }
}

fn flaw_text(flaw: &Flaw, lines: &LineIndex) -> String {
    let mut text = format!("{}: {flaw}\n", position(flaw.place, lines));
    if let Some(hint) = &flaw.hint {
        let _ = writeln!(text, "  {hint}");
    }
    text
}

fn details(violation: &Violation, contract: &LineIndex, value: &LineIndex) -> String {
    let mut text = format!("{violation}\n");
    let mut line = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            let _ = writeln!(text, "  {name}: {value}");
        }
    };
    line("pointer", Some(&violation.path.pointer()));
    line("found", violation.found.as_deref());
    line("wanted", violation.wanted_text().as_deref());
    line("hint", violation.hint.as_deref());
    line("value at", violation.place.map(|place| position(Some(place), value)).as_deref());
    line("rule at", violation.written.map(|place| position(Some(place), contract)).as_deref());
    text
}

/// The host of the documents: `len`, `add`, `first` of what is there, and the rules `even` and `between`.
struct Arithmetic;

impl Host for Arithmetic {
    fn signature(&self, function: &str) -> Option<Signature> {
        let (least, most) = match function {
            "len" => (1, 1),
            "add" => (2, usize::MAX),
            "first" => (1, 4),
            "broken" => (0, 0),
            _ => return None,
        };
        Some(Signature { least, most, pure_: function != "broken" })
    }

    fn call(&self, function: &str, arguments: &[Argument<'_>]) -> Result<Constant, String> {
        match (function, arguments) {
            ("len", [argument]) => contract::len(argument),
            ("add", _) => arguments.iter().map(number).sum::<Result<i64, String>>().map(Constant::Int),
            ("first", _) => match arguments.iter().find_map(Argument::node) {
                Some(Node::Int(value)) => Ok(value.into()),
                _ => Err("nothing is there".to_owned()),
            },
            _ => Err("the function is broken".to_owned()),
        }
    }

    fn test(&self, rule: &Custom, value: &dyn AnyView, arguments: &[Argument<'_>]) -> Tested {
        tested(&rule.name, value, arguments).unwrap_or_else(Tested::failed)
    }

    fn takes_missing(&self, function: &str) -> bool {
        function == "first"
    }

    fn names(&self) -> Vec<&str> {
        vec!["len", "add", "first", "broken"]
    }
}

fn tested(rule: &str, value: &dyn AnyView, arguments: &[Argument<'_>]) -> Result<Tested, String> {
    let found = number(&Argument::Value(value))?;
    Ok(match (rule, arguments) {
        ("even", []) if found % 2 == 0 => Tested::Holds,
        ("even", []) => Tested::broken(format!("{found} is odd")),
        ("between", [least, most]) if (number(least)?..=number(most)?).contains(&found) => Tested::Holds,
        ("between", [_, _]) => Tested::broken(format!("{found} is not between")),
        _ => Tested::failed(format!("there is no rule `{rule}` with {} arguments", arguments.len())),
    })
}

fn number(argument: &Argument<'_>) -> Result<i64, String> {
    match argument.node() {
        Some(Node::Int(value)) => Ok(value),
        Some(other) => Err(format!("needs an integer, found {}", other.kind())),
        None => Err("an argument is not there".to_owned()),
    }
}
