//! Strings.

use super::arguments::{Growing, MAX_TEXT, display_value, too_long};
use super::format::display;
use super::{Arguments, Function, FunctionError, format, pure};
use crate::hash;
use crate::value::{Value, folded};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("endsWith", "text, end", ends_with, "Tells whether a string ends with another, by whatever case."),
    pure(
        "format",
        "format, values...",
        format::format,
        "Puts values into the places `{0}`, `{1}` of a format string.",
    ),
    pure("guid", "texts...", guid, "Makes a UUID of strings, the same one for the same strings."),
    pure("join", "values, delimiter", join, "Joins the elements of an array to one string."),
    pure(
        "like",
        "text, pattern",
        like,
        "Tells whether a string matches a pattern in which `*` stands for anything, by whatever case.",
    ),
    pure(
        "padLeft",
        "value, length, character?",
        pad_left,
        "Adds characters in front until a string is long enough.",
    ),
    pure("replace", "text, old, new", replace, "Replaces every occurrence of a string in another."),
    pure("split", "text, delimiter", split, "Splits a string at a delimiter, or at any of an array of them."),
    pure(
        "startsWith",
        "text, start",
        starts_with,
        "Tells whether a string starts with another, by whatever case.",
    ),
    pure("string", "value", string, "Turns any value into a string."),
    pure("substring", "text, start, length?", substring, "Cuts out a part of a string."),
    pure("toLower", "text", to_lower, "Turns capitals into small letters."),
    pure("toUpper", "text", to_upper, "Turns small letters into capitals."),
    pure("trim", "text", trim, "Removes white space at both ends."),
    pure(
        "uniqueString",
        "texts...",
        unique_string,
        "Makes thirteen characters of strings, the same ones for the same strings.",
    ),
];

fn ends_with(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(folded(arguments.str_at(0)?).ends_with(folded(arguments.str_at(1)?).as_str()).into())
}

fn starts_with(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(folded(arguments.str_at(0)?).starts_with(folded(arguments.str_at(1)?).as_str()).into())
}

fn guid(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    at_least_one(arguments)?;
    Ok(hash::guid(arguments.texts()?).into())
}

fn unique_string(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    at_least_one(arguments)?;
    Ok(hash::unique_string(arguments.texts()?).into())
}

fn at_least_one(arguments: Arguments<'_>) -> Result<(), FunctionError> {
    if arguments.count() > 0 {
        Ok(())
    } else {
        Err(FunctionError::Argument("at least one string is needed".to_owned()))
    }
}

fn join(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let delimiter = arguments.str_at(1)?;
    let mut out = Growing::default();
    for (position, value) in arguments.array(0)?.iter().enumerate() {
        if position > 0 {
            out.push(delimiter)?;
        }
        out.push(&display(value))?;
    }
    Ok(out.finish())
}

fn like(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let (text, pattern) = (folded(arguments.str_at(0)?), folded(arguments.str_at(1)?));
    let Some((first, rest)) = pattern.split_once('*') else { return Ok((text == pattern).into()) };
    // Between two stars the first place that fits leaves most to the rest.
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut inner) = text.strip_prefix(first).and_then(|text| text.strip_suffix(last)) else {
        return Ok(false.into());
    };
    for piece in middle.split('*') {
        match inner.find(piece) {
            Some(at) => inner = inner.get(at + piece.len()..).unwrap_or_default(),
            None => return Ok(false.into()),
        }
    }
    Ok(true.into())
}

fn pad_left(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let text = match arguments.value(0) {
        Value::Text(text) => text.to_string(),
        Value::Int(value) => value.to_string(),
        other => return Err(arguments.wrong(0, "a string or an int", other)),
    };
    let length = arguments.int(1)?;
    let padding = arguments.optional_text(2)?.unwrap_or(" ");
    if padding.encode_utf16().count() != 1 {
        return Err(FunctionError::Argument(format!("the padding must be one character, not `{padding}`")));
    }
    let missing = length.saturating_sub(text.encode_utf16().count() as i64).max(0);
    if missing > 1 << 20 {
        return Err(too_long());
    }
    Ok(Value::text(padding.repeat(missing as usize) + &text))
}

fn replace(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let (text, old, new) = (arguments.str_at(0)?, arguments.str_at(1)?, arguments.str_at(2)?);
    // Templates take tokens out of addresses, and the token may be empty.
    if old.is_empty() {
        return Ok(text.into());
    }
    let mut out = Growing::default();
    for (position, piece) in text.split(old).enumerate() {
        if position > 0 {
            out.push(new)?;
        }
        out.push(piece)?;
    }
    Ok(out.finish())
}

fn split(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let text = arguments.str_at(0)?;
    let delimiters: Vec<&str> = match arguments.value(1) {
        Value::Text(delimiter) => vec![delimiter.as_str()],
        Value::Array(list) => {
            let texts = list.items().iter().map(|item| match item {
                Value::Text(text) => Ok(text.as_str()),
                other => Err(FunctionError::Argument(format!(
                    "a delimiter must be a string, not `{}`",
                    display_value(other)
                ))),
            });
            texts.collect::<Result<_, _>>()?
        }
        other => return Err(arguments.wrong(1, "a string or an array of strings", other)),
    };
    let delimiters: Vec<&str> = delimiters.into_iter().filter(|delimiter| !delimiter.is_empty()).collect();
    let pieces: Vec<Value> = match delimiters.as_slice() {
        [] => vec![text.into()],
        [one] => text.split(one).map(Value::from).collect(),
        many => split_at_any(text, many)?,
    };
    if pieces.len() > super::arguments::MAX_ITEMS {
        Err(super::arguments::too_many())
    } else {
        Ok(Value::array(pieces))
    }
}

/// Splits where any delimiter stands; of several at one place the first in the list counts.
fn split_at_any(text: &str, delimiters: &[&str]) -> Result<Vec<Value>, FunctionError> {
    const WORK: usize = 1 << 28;
    if text.len().saturating_mul(delimiters.len()) > WORK {
        return Err(FunctionError::TooLarge("the string is too long for so many delimiters".to_owned()));
    }
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        match delimiters.iter().find(|delimiter| rest.starts_with(**delimiter)) {
            Some(delimiter) => {
                pieces.push(text.get(from..at).unwrap_or_default().into());
                at += delimiter.len();
                from = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    pieces.push(text.get(from..).unwrap_or_default().into());
    Ok(pieces)
}

fn string(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(match arguments.value(0) {
        Value::Text(text) => Value::Text(text.clone()),
        // It is known beforehand how long it will be, about.
        Value::Array(_) | Value::Object(_) if arguments.value(0).written() > 2 * MAX_TEXT as u64 => {
            return Err(too_long());
        }
        container @ (Value::Array(_) | Value::Object(_)) => container.to_json().into(),
        scalar => display(scalar).as_ref().into(),
    })
}

fn substring(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let text = arguments.str_at(0)?;
    let start = arguments.int(1)?;
    let length = if arguments.count() > 2 { Some(arguments.int(2)?) } else { None };
    let units = super::collection::Units::new(text);
    let total = units.len();
    let Some(start) = usize::try_from(start).ok().filter(|start| *start <= total) else {
        return Err(FunctionError::Argument(format!(
            "the start {start} is not inside the string, which has {total} characters"
        )));
    };
    let end = match length {
        None => total,
        Some(length) => match usize::try_from(length).ok().and_then(|length| start.checked_add(length)) {
            Some(end) if end <= total => end,
            _ => {
                let message = format!(
                    "{length} characters from {start} on are not inside the string, which has {total} characters"
                );
                return Err(FunctionError::Argument(message));
            }
        },
    };
    Ok(units.slice(start, end))
}

fn to_lower(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let small = |c: char| {
        let mut letters = c.to_lowercase();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => letter,
            _ => c,
        }
    };
    Ok(Value::Text(arguments.str_at(0)?.chars().map(small).collect()))
}

fn to_upper(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(Value::Text(folded(arguments.str_at(0)?)))
}

fn trim(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    Ok(arguments.str_at(0)?.trim().into())
}
