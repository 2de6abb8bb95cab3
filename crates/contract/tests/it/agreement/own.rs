//! The engine agrees with itself.

use contract::{CheckLimits, Constant, Contract, Node, Order, Path, PathStep, View, Violation};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::grammar::{Words, contract, document};
use super::{compile, read};

/// Where a path leads, as positions: what comes first in the document is less.
fn positions<'v, V: View<'v>>(value: V, path: &Path) -> Vec<usize> {
    let mut out = Vec::new();
    let mut value = Some(value);
    for step in &path.steps {
        let at = match step {
            PathStep::Index(index) => *index,
            PathStep::Name(name) => member(value, name),
            PathStep::Entry(Constant::Text(name)) | PathStep::Key(Constant::Text(name)) => {
                member(value, name)
            }
            // A name that is not told.
            _ => return out,
        };
        out.push(at);
        value = value.and_then(|value| match value.node() {
            Node::List(_) => value.items().nth(at),
            _ => value.members().nth(at).map(|(_, member)| member),
        });
    }
    out
}

fn member<'v, V: View<'v>>(value: Option<V>, name: &str) -> usize {
    let found = value.and_then(|it| it.members().position(|(key, _)| key.node() == Node::Text(name)));
    found.unwrap_or(usize::MAX)
}

fn agree(
    contract: &Contract,
    value: &Value,
    limits: CheckLimits,
    order: Order,
) -> Result<Vec<Violation>, TestCaseError> {
    let document = read(&value.to_string());
    let checker = contract.checker().limits(limits).order(order);
    let violations = checker.violations(document.root());
    prop_assert_eq!(checker.is_valid(document.root()), violations.is_empty(), "{:?}", violations);
    let first = checker.first_violation(document.root());
    prop_assert_eq!(first.as_ref(), violations.first());
    Ok(violations)
}

proptest! {
    /// Whether it is valid, the first violation and all violations are three ways to ask one thing.
    #[test]
    fn three_questions_have_one_answer(contract in contract(Words::All), value in document()) {
        if let Some(contract) = compile(&contract) {
            agree(&contract, &value, CheckLimits::default(), Order::Document)?;
            agree(&contract, &value, CheckLimits::default(), Order::Declared)?;
        }
    }

    /// Limits only ever turn a yes into a no.
    #[test]
    fn limits_reject_and_never_accept(
        contract in contract(Words::All), value in document(), depth in 0u32..6, work in 0u64..40,
    ) {
        if let Some(contract) = compile(&contract) {
            let whole = agree(&contract, &value, CheckLimits::default(), Order::Document)?;
            let limits = CheckLimits { depth, work, ..CheckLimits::default() };
            let limited = agree(&contract, &value, limits, Order::Document)?;
            prop_assert!(whole.is_empty() || !limited.is_empty());
        }
    }

    /// Asserts come behind the fields that they speak of; everything else is in document order.
    #[test]
    fn violations_come_in_document_order(contract in contract(Words::All), value in document()) {
        if let Some(contract) = compile(&contract) {
            let document = read(&value.to_string());
            let violations = agree(&contract, &value, CheckLimits::default(), Order::Document)?;
            let ordered: Vec<Vec<usize>> = violations
                .iter()
                .filter(|violation| violation.code != "assert" && !violation.is_masked())
                .map(|violation| positions(document.root(), &violation.path))
                .collect();
            prop_assert!(ordered.is_sorted(), "{violations:?}");
        }
    }

    /// A contract written as JSON is the same contract.
    #[test]
    fn json_keeps_every_verdict(contract in contract(Words::All), values in prop::collection::vec(document(), 1..6)) {
        if let Some(contract) = compile(&contract) {
            let written = contract.to_json();
            let again = Contract::from_json(read(&written).root(), &contract::Plain);
            let again = again.map_err(|flaws| TestCaseError::fail(format!("{written}: {flaws:?}")))?;
            for value in values {
                let value = read(&value.to_string());
                prop_assert_eq!(contract.is_valid(value.root()), again.is_valid(value.root()), "{}", written);
            }
            prop_assert_eq!(again.to_text().is_empty(), false);
        }
    }

    /// What one shape keeps secret, no message of another tells.
    #[test]
    fn no_message_tells_a_secret(contract in contract(Words::All), value in document(), inner in document()) {
        let mut value = value;
        let marked = match inner {
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => json!("hunter2"),
            Value::Array(mut items) => { items.push(json!("hunter2")); Value::from(items) }
            Value::Object(mut members) => { members.insert("hunter2".into(), json!("hunter2")); Value::from(members) }
        };
        if let Value::Object(members) = &mut value {
            members.insert("s".to_owned(), marked);
        }
        let whole = json!({"allOf": [contract, {"properties": {"s": {"secret": true}}}], "$defs": contract["$defs"]});
        if let Some(contract) = compile(&whole) {
            for violation in agree(&contract, &value, CheckLimits::default(), Order::Document)? {
                let told = format!("{violation} {}", violation.to_json());
                prop_assert!(!told.contains("hunter2"), "{told}");
            }
        }
    }
}
