//! `format`: composite format strings as .NET has them, in the invariant culture.

use std::borrow::Cow;

use contract::{Node, View};

use super::arguments::{Growing, too_long};
use super::{Arguments, FunctionError, number_format};
use crate::template_text::{double, general, write_quoted};
use crate::value::{Value, ValueView};

/// The widest field that `{0,n}` may ask for; .NET has the same bound.
const MAX_WIDTH: usize = 1_000_000;

/// A value as plain text: `True` and `False`, null as nothing, objects and arrays with single quotes.
pub(super) fn display(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::Bool(true) => Cow::Borrowed("True"),
        Value::Bool(false) => Cow::Borrowed("False"),
        Value::Int(value) => Cow::Owned(value.to_string()),
        Value::Float(value) => Cow::Owned(general(*value)),
        Value::Decimal(digits) => Cow::Borrowed(digits),
        Value::Text(text) => Cow::Borrowed(text),
        Value::Array(_) | Value::Object(_) => Cow::Owned(single_quoted(value)),
        // Never seen: functions that look at a value get it in plain.
        Value::Secret(_) | Value::Unknown(_) => Cow::Borrowed(contract::MASK),
    }
}

pub(super) fn format(arguments: Arguments<'_>) -> Result<Value, FunctionError> {
    let pattern = arguments.str_at(0)?;
    let values = arguments.all().get(1..).unwrap_or_default();
    let mut out = Growing::default();
    let mut rest = pattern;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        out.push(before)?;
        let (brace, behind) = from.split_at(1);
        if let Some(behind) = behind.strip_prefix(brace) {
            out.push(brace)?;
            rest = behind;
        } else if brace == "{" {
            let (item, behind) = behind.split_once('}').ok_or_else(|| malformed("a `{` is not closed"))?;
            field(item, values, &mut out)?;
            rest = behind;
        } else {
            return Err(malformed("a `}` stands alone; write `}}` for the character"));
        }
    }
    out.push(rest)?;
    Ok(out.finish())
}

/// Writes what `{index,width:specification}` stands for.
fn field(item: &str, values: &[Value], out: &mut Growing) -> Result<(), FunctionError> {
    let (place, specification) = match item.split_once(':') {
        Some((place, specification)) => (place, Some(specification)),
        None => (item, None),
    };
    let (index, width) = match place.split_once(',') {
        Some((index, width)) => (index, width.trim()),
        None => (place, "0"),
    };
    let index: usize =
        index.trim_end().parse().map_err(|_| malformed(&format!("`{{{item}}}` has no index")))?;
    let Some(value) = values.get(index) else {
        return Err(malformed(&format!(
            "`{{{item}}}` asks for more than the {} arguments behind it",
            values.len()
        )));
    };
    let text = match (value, specification) {
        (Value::Int(value), Some(specification)) => {
            Cow::Owned(number_format::integer(*value, specification).map_err(|message| malformed(&message))?)
        }
        (value, _) => display(value),
    };
    let left = width.starts_with('-');
    let width: usize =
        width.trim_start_matches('-').parse().map_err(|_| malformed(&format!("`{width}` is not a width")))?;
    if width > MAX_WIDTH {
        return Err(too_long());
    }
    let blanks = " ".repeat(width.saturating_sub(text.encode_utf16().count()));
    if !left {
        out.push(&blanks)?;
    }
    out.push(&text)?;
    if left {
        out.push(&blanks)?;
    }
    Ok(())
}

fn malformed(message: &str) -> FunctionError {
    FunctionError::Argument(format!("the format is invalid: {message}"))
}

/// JSON with single quotes. Recursion is bounded by how deep a value may nest.
fn single_quoted(value: &Value) -> String {
    fn write(view: ValueView<'_>, out: &mut String) {
        match view.node() {
            Node::Text(text) => write_quoted(text, out),
            Node::Float(value) => out.push_str(&double(value)),
            Node::List(_) => {
                out.push('[');
                for (position, item) in view.items().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    write(item, out);
                }
                out.push(']');
            }
            Node::Object(_) => {
                out.push('{');
                for (position, (name, value)) in view.members().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    write(name, out);
                    out.push(':');
                    write(value, out);
                }
                out.push('}');
            }
            _ => out.push_str(&format!("{view:?}")),
        }
    }
    let mut out = String::new();
    write(value.view(), &mut out);
    out
}
