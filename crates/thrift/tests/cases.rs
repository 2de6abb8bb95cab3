//! The cases of `crates/thrift-conformance`, validated without generated code: as values, and as bytes in each protocol.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail, and says how much it looked at"
)]

use contract::{Constant, Order};
use thrift::rules::Functions;
use thrift::validate::{Rejection, ValidateConfig, Validator, Want};
use thrift::wire::Protocol;
use thrift_conformance::{Case, Read, Row, Side, Verdict, cases, encode};

/// 2033, so that the past and the far future are what they seem.
const NOW: i64 = 2_000_000_000_000_000_000;

/// Runs a check over all rows that concern the wire, and reports everything that is not as expected.
fn each_row(mut found: impl FnMut(&Case, &Read, &Row) -> Option<Verdict>) {
    let functions = Functions::at(NOW);
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in cases().unwrap().iter().filter(|case| case.refused.is_none()) {
        let read = case.read_as("case.thrift", "cases", &functions).unwrap();
        for row in case.rows.iter().filter(|row| row.side != Side::Go) {
            let Some(found) = found(case, &read, row) else { continue };
            count += 1;
            if found != row.verdict {
                wrong.push(format!(
                    "{}: {}\n  expected {}\n  found    {found}",
                    case.name, row.text, row.verdict
                ));
            }
        }
    }
    println!("{count} values");
    assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn mistakes_in_the_idl_are_found() {
    let functions = Functions::at(NOW);
    for case in cases().unwrap() {
        let read = case.read_as("case.thrift", "cases", &functions).unwrap();
        let mut found = read.diagnostics.clone();
        if !found.iter().any(thrift::Diagnostic::is_error) {
            found.extend(read.lowered.compile(&functions).1);
        }
        let errors: Vec<String> = found
            .iter()
            .filter(|it| it.is_error())
            .map(|it| format!("{}: {}", it.code.name(), it.message))
            .collect();
        match &case.refused {
            Some((code, part)) => {
                let named =
                    errors.iter().any(|error| error.starts_with(code) && error.contains(part.as_str()));
                assert!(named, "{}: {errors:?}", case.name);
            }
            None => assert!(errors.is_empty(), "{}: {errors:?}", case.name),
        }
        for code in &case.warned {
            assert!(found.iter().any(|it| it.code.name() == code), "{}: {found:?}", case.name);
        }
    }
}

#[test]
fn values_are_judged() {
    let functions = Functions::at(NOW);
    each_row(|case, read, row| {
        let (contract, _) = read.lowered.compile(&functions);
        let contract = contract.unwrap();
        let id = read.structure(&case.root).unwrap();
        let value: Constant = read.value(id, &row.value).unwrap();
        let checker = contract.definition(read.lowered.name(id).unwrap()).unwrap();
        let checker = checker.host(&functions).order(Order::Declared);
        let violation = checker.first_violation(&value);
        assert_eq!(checker.is_valid(&value), violation.is_none(), "{}", case.name);
        Some(match violation {
            None => Verdict::Valid,
            Some(violation) if &*violation.rule == "required" => {
                Verdict::Missing(violation.wanted.unwrap_or_default().into())
            }
            Some(violation) => {
                Verdict::Breaks { rule: violation.rule.into(), path: violation.path.dotted(&case.root) }
            }
        })
    });
}

fn messages_are_judged(protocol: Protocol) {
    let functions = Functions::at(NOW);
    each_row(|case, read, row| {
        let id = read.structure(&case.root).unwrap();
        let value = read.value(id, &row.value).unwrap();
        // FIXME: in JSON a binary is base64, which the walk takes for its text.
        if protocol == Protocol::Json && (row.text.contains("$hex") || case.idl.contains("binary")) {
            return None;
        }
        let (validator, _) = Validator::new(&read.model, &case.config, ValidateConfig::default(), &functions);
        let bytes = encode(&read.model, id, &value, protocol).unwrap();
        Some(match validator.unwrap().validate(id, protocol, &bytes, &functions, Want::First) {
            Ok(_) => Verdict::Valid,
            Err(Rejection::MissingField { field, .. }) => Verdict::Missing(field.into()),
            Err(Rejection::Rules(violations)) => Verdict::Breaks {
                rule: violations[0].rule.to_string(),
                path: violations[0].path.dotted(&case.root),
            },
            Err(Rejection::Wire(error)) => panic!("{}: {error}", case.name),
        })
    });
}

#[test]
fn binary_messages_are_judged() {
    messages_are_judged(Protocol::Binary);
}

#[test]
fn compact_messages_are_judged() {
    messages_are_judged(Protocol::Compact);
}

#[test]
fn json_messages_are_judged() {
    messages_are_judged(Protocol::Json);
}
