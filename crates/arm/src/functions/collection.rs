//! Functions that work on strings and arrays alike, and some on objects too.
//!
//! The characters of a string are counted as UTF-16 code units, as everywhere in the service. A cut through the
//! middle of a pair leaves a replacement character on either side.

use super::arguments::{Growing, MAX_ITEMS, article, too_many};
use super::format::display;
use super::{Arguments, Function, FunctionError, pure};
use crate::value::{Value, folded, values_equal};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("concat", "first, values...", concat, "Joins strings to one string, or arrays to one array."),
    pure(
        "contains",
        "container, value",
        contains,
        "Tells whether a string, an array or an object contains a part, an element or a name.",
    ),
    pure(
        "empty",
        "value",
        empty,
        "Tells whether a string, an array or an object is empty, or the value null.",
    ),
    pure("first", "value", first, "Returns the first element, or the first character."),
    pure("indexOf", "container, value", index_of, "Finds the first place of a value, or -1."),
    pure("last", "value", last, "Returns the last element, or the last character."),
    pure("lastIndexOf", "container, value", last_index_of, "Finds the last place of a value, or -1."),
    pure("length", "value", length, "Counts elements, characters or members."),
    pure("skip", "value, count", skip, "Leaves out the first elements or characters."),
    pure("take", "value, count", take, "Returns the first elements or characters."),
];

/// A string that can be cut by UTF-16 code units.
pub(super) enum Units<'t> {
    /// Bytes are code units.
    Ascii(&'t str),
    Wide(Vec<u16>),
}

impl Units<'_> {
    pub(super) fn new(text: &str) -> Units<'_> {
        if text.is_ascii() { Units::Ascii(text) } else { Units::Wide(text.encode_utf16().collect()) }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Units::Ascii(text) => text.len(),
            Units::Wide(units) => units.len(),
        }
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> Value {
        match self {
            Units::Ascii(text) => text.get(start..end).unwrap_or_default().into(),
            Units::Wide(units) => String::from_utf16_lossy(units.get(start..end).unwrap_or_default()).into(),
        }
    }
}

fn concat(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    if let Value::Array(_) = arguments.value(0) {
        let mut items = Vec::new();
        for at in 0..arguments.count() {
            let more = arguments.array(at)?;
            if items.len() + more.len() > MAX_ITEMS {
                return Err(too_many());
            }
            items.extend_from_slice(more);
        }
        return Ok(Value::array(items));
    }
    let mut out = Growing::default();
    for (at, value) in arguments.all().iter().enumerate() {
        match value {
            Value::Text(_) | Value::Int(_) | Value::Bool(_) => out.push(&display(value))?,
            other => return Err(arguments.wrong(at, "a string as the others are", other)),
        }
    }
    Ok(out.finish())
}

fn contains(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let part = arguments.value(1);
    Ok(match arguments.value(0) {
        Value::Text(text) => match part {
            Value::Text(part) => text.contains(part.as_str()),
            Value::Int(_) | Value::Bool(_) => text.contains(&*display(part)),
            other => return Err(arguments.wrong(1, "a string", other)),
        },
        Value::Array(list) => list.items().iter().any(|item| values_equal(item, part)),
        Value::Object(object) => match part {
            Value::Text(name) => object.get(name).is_some(),
            Value::Int(_) | Value::Bool(_) => object.get(&display(part)).is_some(),
            other => return Err(arguments.wrong(1, "the name of a property", other)),
        },
        other => return Err(arguments.wrong(0, "a string, an array or an object", other)),
    }
    .into())
}

fn empty(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(match arguments.value(0) {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::Array(list) => list.items().is_empty(),
        Value::Object(object) => object.is_empty(),
        other => return Err(arguments.wrong(0, "a string, an array, an object or null", other)),
    }
    .into())
}

fn first(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    edge(arguments, |length| 0..length.min(1))
}

fn last(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    edge(arguments, |length| length.saturating_sub(1)..length)
}

fn edge(
    arguments: Arguments<'_>,
    range: fn(usize) -> std::ops::Range<usize>,
) -> Result<Value, FunctionError> {
    match arguments.value(0) {
        Value::Text(text) => {
            let units = Units::new(text);
            let range = range(units.len());
            Ok(units.slice(range.start, range.end))
        }
        Value::Array(list) => {
            let found = list.items().get(range(list.items().len())).and_then(<[Value]>::first);
            Ok(found.cloned().unwrap_or(Value::Null))
        }
        other => Err(arguments.wrong(0, "a string or an array", other)),
    }
}

fn index_of(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    match arguments.value(0) {
        Value::Text(text) => {
            let (text, part) = (folded(text), folded(arguments.str_at(1)?));
            Ok(place(&text, text.find(part.as_str())))
        }
        Value::Array(list) => {
            Ok(index(list.items().iter().position(|item| values_equal(item, arguments.value(1)))))
        }
        other => Err(arguments.wrong(0, "a string or an array", other)),
    }
}

fn last_index_of(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    match arguments.value(0) {
        Value::Text(text) => {
            let (text, part) = (folded(text), folded(arguments.str_at(1)?));
            if part.is_empty() {
                // The service finds nothing before the last character, not behind it.
                return Ok(Value::Int(Units::new(&text).len().saturating_sub(1) as i64));
            }
            Ok(place(&text, text.rfind(part.as_str())))
        }
        Value::Array(list) => {
            Ok(index(list.items().iter().rposition(|item| values_equal(item, arguments.value(1)))))
        }
        other => Err(arguments.wrong(0, "a string or an array", other)),
    }
}

/// A byte offset as the number of code units before it.
fn place(text: &str, offset: Option<usize>) -> Value {
    index(offset.map(|offset| text.get(..offset).unwrap_or_default().encode_utf16().count()))
}

fn index(found: Option<usize>) -> Value {
    Value::Int(found.map_or(-1, |at| at as i64))
}

fn length(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let length = match arguments.value(0) {
        Value::Text(text) => Units::new(text).len(),
        Value::Array(list) => list.items().len(),
        Value::Object(object) => object.len(),
        other => {
            return Err(FunctionError::Argument(format!(
                "{} has no length; a string, an array or an object has",
                article(other)
            )));
        }
    };
    Ok(Value::Int(length as i64))
}

fn skip(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    part(arguments, |length, count| count..length)
}

fn take(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    part(arguments, |_, count| 0..count)
}

fn part(
    arguments: Arguments<'_>,
    range: fn(usize, usize) -> std::ops::Range<usize>,
) -> Result<Value, FunctionError> {
    let count = usize::try_from(arguments.int(1)?.max(0)).unwrap_or(usize::MAX);
    match arguments.value(0) {
        Value::Text(text) => {
            let units = Units::new(text);
            let range = range(units.len(), count.min(units.len()));
            Ok(units.slice(range.start, range.end))
        }
        Value::Array(list) => {
            let items = list.items();
            let range = range(items.len(), count.min(items.len()));
            Ok(Value::array(items.get(range).unwrap_or_default().to_vec()))
        }
        other => Err(arguments.wrong(0, "a string or an array", other)),
    }
}
