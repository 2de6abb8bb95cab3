//! The cases of `crates/thrift-conformance`, validated without generated code: as values, and as bytes in each protocol.

use contract::{Constant, Order};
use thrift::model::{Config, LoadConfig, MemoryLoader, StructId, load, resolve};
use thrift::rules::Functions;
use thrift::rules::RuleConfig;
use thrift::validate::{Rejection, ValidateConfig, Validator, Want};
use thrift::wire::{Protocol, WireErrorKind};
use thrift_conformance::{Case, CaseSide, CaseValue, ExpectedVerdict, ParsedCase, cases, encode};

/// 2033, so that the past and the far future are what they seem.
const NOW: i64 = 2_000_000_000_000_000_000;

/// Runs a check over all rows that concern the wire, and reports everything that is not as expected.
fn each_row(mut found: impl FnMut(&Case, &ParsedCase, &CaseValue) -> Option<ExpectedVerdict>) {
    let functions = Functions::at(NOW);
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in cases().unwrap().iter().filter(|case| case.refused.is_none()) {
        let read = case.read_as("case.thrift", "cases", &functions).unwrap();
        for row in case.rows.iter().filter(|row| row.side != CaseSide::Go) {
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
            .map(|it| format!("{}: {}", it.code, it.message))
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
            assert!(found.iter().any(|it| it.code == *code), "{}: {found:?}", case.name);
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
            None => ExpectedVerdict::Valid,
            Some(violation) if &*violation.rule == "required" => {
                ExpectedVerdict::Missing(violation.wanted_text().unwrap_or_default())
            }
            Some(violation) => ExpectedVerdict::Breaks {
                rule: violation.rule.into(),
                path: violation.path.dotted(&case.root),
            },
        })
    });
}

fn messages_are_judged(protocol: Protocol) {
    let functions = Functions::at(NOW);
    each_row(|case, read, row| {
        let id = read.structure(&case.root).unwrap();
        let value = read.value(id, &row.value).unwrap();
        // In JSON, text is Unicode; bytes that are no text can only be a binary, which is base64.
        if protocol == Protocol::Json && row.text.contains("$hex") && !case.idl.contains("binary") {
            return None;
        }
        // What rules mean for text that is not text is a case, too; whether it passes at all is another matter.
        let config = match row.text.contains("$hex") {
            true => ValidateConfig::lenient(),
            false => ValidateConfig::default(),
        };
        let (validator, _) = Validator::new(&read.model, &case.config, config, &functions);
        let bytes = encode(&read.model, id, &value, protocol).unwrap();
        Some(match validator.unwrap().validate(id, protocol, &bytes, &functions, Want::First) {
            Ok(_) => ExpectedVerdict::Valid,
            Err(Rejection::MissingField { field, .. }) => ExpectedVerdict::Missing(field.into()),
            Err(Rejection::Rules(violations)) => ExpectedVerdict::Breaks {
                rule: violations[0].rule.to_string(),
                path: violations[0].path.dotted(&case.root),
            },
            Err(other) => panic!("{}: {other}", case.name),
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

/// A validator for the struct `S` of an IDL.
fn validator(idl: &str) -> (Validator, thrift::model::Model, StructId) {
    let mut loader = MemoryLoader::default().file("case.thrift", idl);
    let (program, _) = load("case.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, _) = resolve(&program, &Config::default());
    let config = ValidateConfig::default();
    let (validator, _) = Validator::new(&model, &RuleConfig::default(), config, &Functions::at(NOW));
    let id = model.structure(thrift::FileId(0), "S").unwrap();
    (validator.unwrap(), model, id)
}

/// E18. A message is refused before its nesting can exhaust anything, whether or not there are rules that deep.
#[test]
fn a_message_that_nests_beyond_the_limit_is_refused() {
    let functions = Functions::at(NOW);
    for rules in ["", "(vt.ge = \"0\")"] {
        let (validator, model, id) = validator(&format!("struct S {{1: i32 n {rules} 2: optional S next}}"));
        for (depth, passes) in [(1, true), (64, true), (65, false), (100, false)] {
            let mut value = Constant::Object(vec![(1.into(), 1.into())]);
            for _ in 1..depth {
                value = Constant::Object(vec![(1.into(), 1.into()), (2.into(), value)]);
            }
            for protocol in [Protocol::Binary, Protocol::Compact, Protocol::Json] {
                let bytes = encode(&model, id, &value, protocol).unwrap();
                match validator.validate(id, protocol, &bytes, &functions, Want::First) {
                    Ok(len) => assert_eq!((passes, len), (true, bytes.len()), "{protocol:?} {depth}"),
                    Err(Rejection::Wire(error)) => {
                        assert_eq!(
                            (passes, error.kind),
                            (false, WireErrorKind::TooDeep),
                            "{protocol:?} {depth}"
                        );
                    }
                    Err(other) => panic!("{protocol:?} {depth}: {other}"),
                }
            }
        }
    }
}

/// H13. Writers of the compact protocol agree neither on the number of the type nor on that of `false`.
#[test]
fn truth_values_in_compact_lists_are_read_however_they_are_written() {
    let functions = Functions::at(NOW);
    let (validator, _, id) = validator("struct S {1: list<bool> l (vt.elem.const = \"false\")}");
    for number in [0x31, 0x32] {
        for (byte, passes) in [(0, true), (2, true), (1, false), (3, false)] {
            let bytes = [0x19, number, 2, byte, 0, 0];
            let found = validator.validate(id, Protocol::Compact, &bytes, &functions, Want::First);
            assert_eq!(found.is_ok(), passes, "{bytes:02x?}: {found:?}");
            assert_eq!(matches!(found, Err(Rejection::Wire(_))), byte == 3, "{found:?}");
        }
    }
}
