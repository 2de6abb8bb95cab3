//! Arrays.

use super::arguments::{MAX_ITEMS, too_many};
use super::{Arguments, Function, FunctionError, pure};
use crate::evaluate::out_of_bounds;
use crate::value::{Distinct, ObjectBuilder, Value, values_equal};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("array", "value", array, "Turns a value into an array of one; an array stays as it is."),
    pure("createArray", "values...", create_array, "Makes an array of its arguments."),
    pure("distinct", "values", distinct, "Leaves out elements that equal an earlier one."),
    pure("flatten", "arrays", flatten, "Joins the arrays inside an array to one."),
    pure(
        "indexFromEnd",
        "values, position",
        index_from_end,
        "Returns the element at a position from the end, where 1 is the last.",
    ),
    pure(
        "intersection",
        "first, others...",
        intersection,
        "Keeps what all arrays, or all objects, have in common.",
    ),
    pure("range", "start, count", range, "Makes an array of integers that follow each other."),
    pure(
        "tryIndexFromEnd",
        "values, position",
        try_index_from_end,
        "Returns the element at a position from the end, or null if there is none.",
    ),
    pure(
        "union",
        "first, others...",
        union,
        "Joins arrays without duplicates, or merges objects and the objects in them.",
    ),
];

fn array(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(match arguments.value(0) {
        array @ Value::Array(_) => array.clone(),
        value => Value::array(vec![value.clone()]),
    })
}

fn create_array(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(Value::array(arguments.all().to_vec()))
}

fn distinct(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let mut seen = Distinct::default();
    Ok(Value::array(arguments.array(0)?.iter().filter(|item| seen.insert(item)).cloned().collect()))
}

fn flatten(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let mut items = Vec::new();
    for inner in arguments.array(0)? {
        let Some(inner) = inner.as_array() else {
            return Err(FunctionError::Argument("every element must be an array itself".to_owned()));
        };
        if items.len() + inner.len() > MAX_ITEMS {
            return Err(too_many());
        }
        items.extend_from_slice(inner);
    }
    Ok(Value::array(items))
}

fn index_from_end(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let (items, position) = (arguments.array(0)?, arguments.int(1)?);
    from_end(items, position)
        .cloned()
        .ok_or_else(|| FunctionError::Inner(out_of_bounds(position, items.len())))
}

fn try_index_from_end(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    if arguments.value(0).is_null() {
        return Ok(Value::Null);
    }
    Ok(from_end(arguments.array(0)?, arguments.int(1)?).cloned().unwrap_or(Value::Null))
}

/// The element at a position from the end, where 1 is the last.
pub(super) fn from_end(items: &[Value], position: i64) -> Option<&Value> {
    let position = usize::try_from(position).ok().filter(|position| *position > 0)?;
    items.get(items.len().checked_sub(position)?)
}

fn intersection(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    if let Value::Object(_) = arguments.value(0) {
        let mut common = arguments.value(0).clone();
        for at in 1..arguments.count() {
            arguments.object(at)?;
            common = common_members(&common, arguments.value(at));
        }
        return Ok(common);
    }
    let others = (1..arguments.count()).map(|at| Ok(arguments.array(at)?.iter().collect::<Distinct<'_>>()));
    let others = others.collect::<Result<Vec<_>, FunctionError>>()?;
    let mut seen = Distinct::default();
    let common = arguments.array(0)?.iter();
    let common = common.filter(|item| others.iter().all(|other| other.contains(item)) && seen.insert(item));
    Ok(Value::array(common.cloned().collect()))
}

/// The members that two objects have with equal values; of objects inside, what they have in common.
fn common_members(a: &Value, b: &Value) -> Value {
    let (Value::Object(a), Value::Object(b)) = (a, b) else { return Value::Null };
    let mut common = ObjectBuilder::default();
    for (name, value) in &**a {
        match (value, b.get(name)) {
            (Value::Object(_), Some(other @ Value::Object(_))) => {
                common.set(name.clone(), common_members(value, other));
            }
            (value, Some(other)) if values_equal(value, other) => common.set(name.clone(), value.clone()),
            _ => {}
        }
    }
    common.finish()
}

fn range(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    const MOST: i64 = 10_000;
    let (start, count) = (arguments.int(0)?, arguments.int(1)?);
    if !(0..=MOST).contains(&count) {
        return Err(FunctionError::Argument(format!("the count must be 0 to {MOST}, not {count}")));
    }
    match start.checked_add(count) {
        Some(end) if end <= i64::from(i32::MAX) => Ok(Value::array((start..end).map(Value::Int).collect())),
        _ => Err(FunctionError::Argument(format!(
            "start and count must not be more than {} together",
            i32::MAX
        ))),
    }
}

fn union(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    if let Value::Object(_) = arguments.value(0) {
        let mut merged = arguments.value(0).clone();
        for at in 1..arguments.count() {
            arguments.object(at)?;
            merged = merged.merged_with(arguments.value(at));
        }
        return Ok(merged);
    }
    let mut seen = Distinct::default();
    let mut items = Vec::new();
    for at in 0..arguments.count() {
        items.extend(arguments.array(at)?.iter().filter(|item| seen.insert(item)).cloned());
    }
    if items.len() > MAX_ITEMS { Err(too_many()) } else { Ok(Value::array(items)) }
}
