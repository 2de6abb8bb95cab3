//! The words of templates for values that break their types: facts in the sentences that people know from the cloud.

use contract::{Constant, Expected, ExpectedKind, Operand, Test, ValueKind, Violation};
use diagnostics::{Message, sentence};

use crate::Value;

/// A violation as a sentence; a hidden value is not shown.
pub(super) fn message(violation: &Violation, found: Option<&Value>, hidden: bool) -> Message {
    let wanted = || violation.wanted_text().unwrap_or_default().replace('`', "'");
    match &violation.expected {
        Expected::Kind(kind) => match (found, word_of(kind)) {
            (Some(found), Some(wanted)) => expected(wanted, found),
            _ => own(violation),
        },
        Expected::Rule { rule, .. } => match rule.get().map(|rule| &rule.test) {
            Some(Test::In(_)) if hidden => {
                Message::sentence("The parameter value is not part of the allowed value(s)")
            }
            Some(Test::In(operands)) => Message::sentence(format!(
                "The value '{}' is not part of the allowed value(s): '{}'",
                found.map(shown).unwrap_or_default(),
                allowed(operands)
            )),
            Some(Test::MinLength(..)) => Message::sentence(format!(
                "Length of the value should be greater than or equal to '{}'",
                wanted()
            )),
            Some(Test::MaxLength(..)) => Message::sentence(format!(
                "Length of the value should be less than or equal to '{}'",
                wanted()
            )),
            Some(Test::Minimum(_)) => Message::sentence(format!("The value must be at least '{}'", wanted())),
            Some(Test::Maximum(_)) => Message::sentence(format!("The value must be at most '{}'", wanted())),
            _ => own(violation),
        },
        Expected::KnownProperty(name) => Message::sentence(format!("The property '{name}' is not known")),
        Expected::Discriminator { property, found: Some(found) } => Message::sentence(format!(
            "The property '{property}' is '{found}', which is none of {}",
            wanted()
        )),
        Expected::Nothing => Message::sentence("No value is allowed here"),
        Expected::Steps(_) | Expected::Levels(_) | Expected::Known | Expected::Stated(_) => {
            sentence(&violation.message())
        }
        Expected::EnumMember
        | Expected::Elements { .. }
        | Expected::Distinct
        | Expected::Property(_)
        | Expected::Presence
        | Expected::Discriminator { found: None, .. }
        | Expected::OneOf
        | Expected::Alternative(_)
        | Expected::OneAlternative(..) => own(violation),
    }
}

/// What the value must be or have, in the words of contracts and the quotes of templates.
fn own(violation: &Violation) -> Message {
    Message::sentence(format!("The value {}", violation.message().replace('`', "'")))
}

/// The word for the only kind that is asked for, besides null.
fn word_of(kind: &ExpectedKind) -> Option<&'static str> {
    match kind.kinds.without(ValueKind::Null.into()).only()? {
        ValueKind::Text => Some("String"),
        ValueKind::Int => Some("Int"),
        ValueKind::Bool => Some("Bool"),
        ValueKind::List => Some("Array"),
        ValueKind::Object => Some("Object"),
        ValueKind::Null | ValueKind::Float | ValueKind::Bytes | ValueKind::Unknown => None,
    }
}

/// Why a value is not of the kind that a type names.
pub(super) fn expected(wanted: &str, found: &Value) -> Message {
    Message::sentence(format!(
        "Expected a value of type '{wanted}', but received a value of type '{}'",
        received(found)
    ))
}

/// The kind of a value as messages write it.
fn received(value: &Value) -> &'static str {
    match value.plain() {
        Value::Null => "Null",
        Value::Bool(_) => "Boolean",
        Value::Int(_) => "Integer",
        Value::Decimal(digits) if digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
            "Integer"
        }
        Value::Float(_) | Value::Decimal(_) => "Float",
        Value::Text(_) => "String",
        Value::Array(_) => "Array",
        Value::Object(_) => "Object",
        Value::Secret(_) => "Secret",
        Value::Unknown(_) => "Unknown",
    }
}

/// The values of a list, as many as a reader takes in.
fn allowed(operands: &[Operand]) -> String {
    const MOST: usize = 16;
    let texts = operands.iter().take(MOST).map(|operand| match operand {
        Operand::Constant(Constant::Text(text)) => text.to_string(),
        other => other.to_string(),
    });
    let texts = texts.collect::<Vec<_>>().join(",");
    match operands.len().saturating_sub(MOST) {
        0 => texts,
        more => format!("{texts} and {more} more"),
    }
}

/// A value as messages show it, cut to a length.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::Text(text) => text.to_string(),
        other => other.to_json(),
    };
    match text.char_indices().nth(200) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
