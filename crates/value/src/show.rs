//! Values as people read them in messages: compact JSON, cut to a length.

use std::borrow::Cow;
use std::fmt::{self, Write};

use crate::json_string::{Escapes, write_json_string};
use crate::view::{Node, View};

/// What stands in a message in place of a secret.
pub const MASK: &str = "<secret>";

/// How many levels of a value are written before `...` stands for the rest.
pub const DEPTH: usize = 32;

/// How many bytes of a value a message shows.
pub const SHOWN: usize = 80;

/// How deep constants may nest and still be written whole.
const WHOLE: usize = 512;

/// Writes a value as compact JSON, all of it.
pub fn write_whole<'v, V: View<'v>>(out: &mut dyn Write, value: V) -> fmt::Result {
    write_node(out, value, WHOLE)
}

/// A value as compact JSON, short enough for a message.
pub fn short<'v, V: View<'v>>(value: V) -> String {
    cut(SHOWN, |out| write_node(out, value, DEPTH))
}

/// Collects what is written, stopping with `...` after about `budget` bytes.
pub fn cut(budget: usize, write: impl FnOnce(&mut dyn Write) -> fmt::Result) -> String {
    let mut text = String::new();
    let mut out = Cut { out: &mut text, left: budget };
    // The only error is running out of budget: writing to a string cannot fail.
    if write(&mut out).is_err() {
        text.push_str("...");
    }
    text
}

/// Writes text as a JSON string, without control characters.
pub fn write_text(out: &mut dyn Write, text: &str) -> fmt::Result {
    write_json_string(out, text, Escapes::Controls)
}

/// Writes a double so that it reads back as the same double and never as an integer's text.
pub fn write_float(out: &mut dyn Write, value: f64) -> fmt::Result {
    if value.is_nan() {
        out.write_str("NaN")
    } else if value.is_infinite() {
        out.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        write!(out, "{value:?}")
    }
}

/// Writes a scalar as JSON, or as near to it as it can be; `...` for a container.
pub fn write_scalar(out: &mut dyn Write, node: Node<'_>) -> fmt::Result {
    match node {
        Node::Null => out.write_str("null"),
        Node::Bool(it) => write!(out, "{it}"),
        Node::Int(it) => write!(out, "{it}"),
        Node::UInt(it) => write!(out, "{it}"),
        Node::Float(it) => write_float(out, it),
        Node::Decimal(it) => out.write_str(it),
        Node::Text(it) => write_text(out, it),
        Node::Bytes(it) => {
            out.write_str("0x")?;
            it.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
        }
        Node::List(_) | Node::Object(_) => out.write_str("..."),
        Node::Unknown => out.write_str("?"),
    }
}

/// Writes a value as compact JSON down to a depth.
pub fn write_node<'v, V: View<'v>>(out: &mut dyn Write, value: V, depth: usize) -> fmt::Result {
    write_with(
        out,
        value,
        depth,
        |out, _, item| write_node(out, item, depth - 1),
        |out, key, value| {
            write_node(out, key, depth - 1)?;
            out.write_char(':')?;
            write_node(out, value, depth - 1)
        },
    )
}

/// Writes a value down to a depth: an element of a list, of which the position is given, and a member of an object by the
/// functions, which are not called at depth 0.
pub fn write_with<'v, V: View<'v>>(
    out: &mut dyn Write,
    value: V,
    depth: usize,
    element: impl Fn(&mut dyn Write, usize, V) -> fmt::Result,
    member: impl Fn(&mut dyn Write, V::Key, V) -> fmt::Result,
) -> fmt::Result {
    let comma = |out: &mut dyn Write, index| if index > 0 { out.write_char(',') } else { Ok(()) };
    match value.node() {
        Node::List(_) | Node::Object(_) if depth == 0 => out.write_str("..."),
        Node::List(_) => {
            out.write_char('[')?;
            for (index, item) in value.items().enumerate() {
                comma(out, index)?;
                element(out, index, item)?;
            }
            out.write_char(']')
        }
        Node::Object(_) => {
            out.write_char('{')?;
            for (index, (key, value)) in value.members().enumerate() {
                comma(out, index)?;
                member(out, key, value)?;
            }
            out.write_char('}')
        }
        scalar => write_scalar(out, scalar),
    }
}

/// How many bytes of a name a message shows.
const NAMED: usize = 200;

/// A name as messages show it. Of one that nobody would read, the start, the length, and a number that tells it from others with the same start.
pub fn short_name(name: &str) -> Cow<'_, str> {
    if name.len() <= NAMED {
        return Cow::Borrowed(name);
    }
    let start = name.get(..name.floor_char_boundary(NAMED / 2)).unwrap_or_default();
    // FNV-1a: the same on every machine, and nothing depends on it.
    let digest = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Cow::Owned(format!("{start}...({} bytes, {digest:016x})", name.len()))
}

/// A node as text, for a message; containers by their size.
pub fn node_text(node: Node<'_>) -> String {
    match node {
        Node::List(len) => format!("a list of {len}"),
        Node::Object(len) => format!("an object of {len}"),
        scalar => cut(SHOWN, |out| write_scalar(out, scalar)),
    }
}

/// Passes text on until its budget is used up, then fails.
struct Cut<'o> {
    out: &'o mut String,
    left: usize,
}

impl Write for Cut<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.len() <= self.left {
            self.left -= text.len();
            self.out.push_str(text);
            return Ok(());
        }
        let end = text.floor_char_boundary(self.left);
        self.left = 0;
        self.out.push_str(text.get(..end).unwrap_or_default());
        Err(fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Constant;

    fn shown(value: &Constant, budget: usize) -> String {
        cut(budget, |out| write_node(out, value, DEPTH))
    }

    #[test]
    fn values_are_written_as_json() {
        let value = Constant::Object(vec![
            ("a".into(), Constant::List(vec![1.into(), 2.5.into(), Constant::Null])),
            ("b\"\n\u{1b}".into(), true.into()),
        ]);
        assert_eq!(shown(&value, 100), r#"{"a":[1,2.5,null],"b\"\n\u001b":true}"#);
    }

    #[test]
    fn long_values_are_cut_at_a_character() {
        assert_eq!(shown(&"äöüß".into(), 4), "\"ä...");
        assert_eq!(shown(&"abc".into(), 5), "\"abc\"");
    }

    #[test]
    fn deep_values_are_cut_at_a_level() {
        let deep = (0..100).fold(Constant::Null, |inner, _| Constant::List(vec![inner]));
        assert!(shown(&deep, 1000).contains("..."));
    }
}
