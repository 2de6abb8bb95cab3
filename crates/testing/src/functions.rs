//! The functions of test files: the namespace `testing`.

use arm::Value;
use arm::evaluate::{ExtraFunction, ExtraFunctions};
use contract::pattern::{Pattern, PatternSyntax};

use crate::matching::{Wildcard, mismatch};
use crate::probes;

/// The member of a result that says when resources were put: by name the numbers of two events, the first put and the end of the last.
pub(crate) const PUT_ORDER: &str = "\u{1}order";

pub(crate) fn functions() -> ExtraFunctions {
    ExtraFunctions::new(find)
}

fn find(namespace: &str, name: &str) -> Option<ExtraFunction> {
    const ALL: [(&str, ExtraFunction); 9] = [
        ("absent", absent),
        ("anything", anything),
        ("count", count),
        ("deployedBefore", deployed_before),
        ("exactly", exactly),
        ("hasItem", has_item),
        ("matches", matches),
        ("probe", probes::probe),
        ("regex", regex),
    ];
    if !namespace.eq_ignore_ascii_case("testing") {
        return None;
    }
    ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, function)| *function)
}

fn argument(arguments: &[Value], place: usize) -> &Value {
    arguments.get(place).unwrap_or(&Value::Null)
}

fn items(arguments: &[Value]) -> Result<&[Value], String> {
    argument(arguments, 0).as_array().ok_or_else(|| "the first argument must be an array".to_owned())
}

fn absent(_: &[Value]) -> Result<Value, String> {
    Ok(Wildcard::Absent.of(Value::Null))
}

fn anything(_: &[Value]) -> Result<Value, String> {
    Ok(Wildcard::Anything.of(Value::Null))
}

fn exactly(arguments: &[Value]) -> Result<Value, String> {
    Ok(Wildcard::Exactly.of(argument(arguments, 0).clone()))
}

fn regex(arguments: &[Value]) -> Result<Value, String> {
    let source = argument(arguments, 0).as_str().ok_or("a regular expression is a text")?;
    Pattern::new(PatternSyntax::Re2, source)
        .map_err(|error| format!("`{source}` is not a regular expression: {error}"))?;
    Ok(Wildcard::Regex.of(argument(arguments, 0).clone()))
}

fn matches(arguments: &[Value]) -> Result<Value, String> {
    Ok(Value::Bool(mismatch(argument(arguments, 0), argument(arguments, 1)).is_none()))
}

fn number_of(arguments: &[Value]) -> Result<usize, String> {
    let pattern = argument(arguments, 1);
    Ok(items(arguments)?.iter().filter(|item| mismatch(item, pattern).is_none()).count())
}

fn has_item(arguments: &[Value]) -> Result<Value, String> {
    number_of(arguments).map(|count| Value::Bool(count > 0))
}

fn count(arguments: &[Value]) -> Result<Value, String> {
    number_of(arguments).map(|count| Value::Int(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn deployed_before(arguments: &[Value]) -> Result<Value, String> {
    let order = argument(arguments, 0).as_object().and_then(|test| test.get(PUT_ORDER));
    let order = order.and_then(Value::as_object).ok_or("the first argument must be a test")?;
    let events = |place: usize| -> Result<(i64, i64), String> {
        let name = argument(arguments, place).as_str().ok_or("resources are named by text")?;
        match order.get(name).and_then(Value::as_array) {
            Some([Value::Int(first), Value::Int(last)]) => Ok((*first, *last)),
            _ => Err(format!("`{name}` was not put")),
        }
    };
    let ((_, ended), (begun, _)) = (events(1)?, events(2)?);
    Ok(Value::Bool(ended < begun))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_told_by_events() {
        let events = |first, last| Value::array(vec![Value::Int(first), Value::Int(last)]);
        let order = Value::object([("a", events(0, 1)), ("b", events(2, 5)), ("c", events(3, 4))]);
        let test = Value::object([(PUT_ORDER, order)]);
        let ask = |one: &str, other: &str| deployed_before(&[test.clone(), one.into(), other.into()]);
        assert_eq!(ask("a", "b"), Ok(Value::Bool(true)));
        assert_eq!(ask("b", "a"), Ok(Value::Bool(false)));
        assert_eq!(ask("b", "c"), Ok(Value::Bool(false)));
        assert_eq!(ask("a", "x"), Err("`x` was not put".to_owned()));
    }

    #[test]
    fn a_wrong_expression_is_an_error_where_it_is_made() {
        assert!(regex(&["(".into()]).unwrap_err().contains("is not a regular expression"));
        assert!(regex(&[Value::Int(1)]).is_err());
    }
}
