//! Values back to compact JSON text, without recursion.

use std::fmt::{self, Write};

use ::value::{Escapes, Node, write_json_string};

use crate::number;
use crate::{ElementIter, SourceMembers, SourceValue};

impl SourceValue<'_> {
    /// The value as compact JSON.
    ///
    /// Numbers are printed as they were written where that is JSON; the YAML numbers that JSON lacks are
    /// printed as in YAML: `.inf`, `-.inf`, `.nan`.
    pub fn to_json_string(self) -> String {
        self.to_string()
    }

    /// At most `most` bytes of the compact JSON, for messages; `…` marks what is left out.
    ///
    /// Costs no more than what it prints, however large the value is.
    pub fn preview(self, most: usize) -> String {
        let mut out = Bounded { text: String::new(), most };
        // The one error there is says that the bound was reached, which the text then shows.
        let _ = write!(out, "{self}");
        out.text
    }
}

/// Writes the value as compact JSON.
impl fmt::Display for SourceValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open: Vec<Rest> = Vec::new();
        let mut next = Some(*self);
        while let Some(value) = next {
            match value.node() {
                Node::List(_) => {
                    f.write_char('[')?;
                    open.push(Rest::List(value.items()));
                }
                Node::Object(_) => {
                    f.write_char('{')?;
                    open.push(Rest::Object(value.members()));
                }
                scalar => write_scalar(f, value, scalar)?,
            }
            // A container that was opened just now is followed by its first part, all others by a comma.
            let mut first = matches!(value.node(), Node::List(_) | Node::Object(_));
            next = loop {
                let (found, end) = match open.last_mut() {
                    None => break None,
                    Some(Rest::List(items)) => (items.next().map(|value| (None, value)), ']'),
                    Some(Rest::Object(members)) => {
                        (members.next().map(|(key, value)| (key.as_str(), value)), '}')
                    }
                };
                let Some((key, value)) = found else {
                    f.write_char(end)?;
                    open.pop();
                    first = false;
                    continue;
                };
                if !first {
                    f.write_char(',')?;
                }
                if let Some(key) = key {
                    write_json_string(f, key, Escapes::Needed)?;
                    f.write_char(':')?;
                }
                break Some(value);
            };
        }
        Ok(())
    }
}

/// What is still to be printed of an open container.
enum Rest<'d> {
    List(ElementIter<'d>),
    Object(SourceMembers<'d>),
}

fn write_scalar(f: &mut fmt::Formatter<'_>, value: SourceValue<'_>, scalar: Node<'_>) -> fmt::Result {
    match scalar {
        Node::Null => f.write_str("null"),
        Node::Bool(truth) => write!(f, "{truth}"),
        Node::Int(number) => write!(f, "{number}"),
        Node::UInt(number) => write!(f, "{number}"),
        Node::Float(float) => {
            let written = value.source();
            // `!!float 3` is written as an integer, which it is not.
            if number::is_json(written) && written.contains(['.', 'e', 'E']) {
                f.write_str(written)
            } else if float.is_nan() {
                f.write_str(".nan")
            } else if float.is_infinite() {
                f.write_str(if float > 0.0 { ".inf" } else { "-.inf" })
            } else {
                // The form with `{:?}` has an exponent where `{}` would print three hundred zeros.
                write!(f, "{float:?}")
            }
        }
        Node::Decimal(literal) => f.write_str(literal),
        Node::Text(text) => write_json_string(f, text, Escapes::Needed),
        // A document has no bytes, all of it is known, and containers are printed part by part.
        Node::Bytes(_) | Node::List(_) | Node::Object(_) | Node::Unknown => Ok(()),
    }
}

/// Takes text up to a number of bytes, then ends it with `…` and refuses more.
struct Bounded {
    text: String,
    most: usize,
}

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.most - self.text.len();
        if text.len() <= room {
            self.text.push_str(text);
            return Ok(());
        }
        self.text.push_str(text.get(..text.floor_char_boundary(room)).unwrap_or_default());
        self.text.push('…');
        Err(fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Document, FileId, ReadLimits};

    #[track_caller]
    fn prints(text: &str, expected: &str) {
        let document = Document::from_json(text, FileId::FIRST, &ReadLimits::default()).unwrap();
        assert_eq!(document.root().to_json_string(), expected);
    }

    #[test]
    fn compact_json_keeps_order_and_number_literals() {
        prints(
            r#" { "b" : [ ] , "a" : { } , "c" : [ 1 , [ 2 ] , { "d" : null } ] } "#,
            r#"{"b":[],"a":{},"c":[1,[2],{"d":null}]}"#,
        );
        prints("[1.50, 1E3, -0, 18446744073709551615, 1e999]", "[1.50,1E3,0,18446744073709551615,1e999]");
        prints("true", "true");
    }

    #[test]
    fn strings_are_escaped_where_json_demands_it() {
        prints(
            r#""\u0000\b\n\r\t\"\\\/\u00e9\ud83d\ude00\u007f""#,
            "\"\\u0000\\b\\n\\r\\t\\\"\\\\/é😀\u{7f}\"",
        );
    }

    #[test]
    fn a_preview_is_cut_at_a_character() {
        let document = Document::from_json(r#"["ééééé", 1]"#, FileId::FIRST, &ReadLimits::default()).unwrap();
        assert_eq!(document.root().preview(100), r#"["ééééé",1]"#);
        assert_eq!(document.root().preview(5), "[\"é…");
        assert_eq!(document.root().preview(0), "…");
    }
}
