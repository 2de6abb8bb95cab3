//! Formats: named tests on strings and numbers, such as `date-time` or `int32`.
//!
//! A format says nothing about values of a kind it does not apply to, as in JSON Schema and OpenAPI:
//! `int32` holds for every string. Each check scans the bytes once and allocates nothing.
//!
//! A new format is one row of the table in this file and one function in the file of its family.

mod date_time;
mod email;
mod net;
mod numeric;
mod scan;
mod text;
mod uri;

use std::fmt;

use crate::{IntWidth, Kinds, Node, ValueKind};
use value::number::Number;

/// How a format looks at the values it applies to.
enum FormatTest {
    /// Tells whether a text has the format.
    Text(fn(&str) -> bool),
    /// Tells whether a number has the format.
    Number(fn(&Number<'_>) -> bool),
    /// Only tells tools and people what a string is.
    Hint,
}

/// One row of the table.
struct FormatRow {
    name: &'static str,
    check: FormatTest,
    meaning: &'static str,
}

/// Makes the enum, the list of all formats and the access to a format's row from one table.
macro_rules! formats {
    ($($variant:ident $name:literal, $check:expr, $meaning:literal;)+) => {
        /// A named test on a string or number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Format {
            $(
                #[doc = concat!("`", $name, "`: ", $meaning, ".")]
                $variant,
            )+
        }

        impl Format {
            /// All formats, families together.
            pub const ALL: &[Format] = &[$(Format::$variant),+];

            fn row(self) -> &'static FormatRow {
                match self {
                    $(Format::$variant => {
                        const ROW: FormatRow = FormatRow { name: $name, check: $check, meaning: $meaning };
                        &ROW
                    })+
                }
            }
        }
    };
}

formats! {
    Date "date", FormatTest::Text(date_time::date),
        "a calendar date as in `2024-02-29`";
    DateTime "date-time", FormatTest::Text(date_time::date_time),
        "a date and time with offset as in `2024-02-29T12:30:00Z`";
    Time "time", FormatTest::Text(date_time::time),
        "a time of day with offset as in `12:30:00+01:00`";
    Duration "duration", FormatTest::Text(date_time::duration),
        "a length of time as in `P1DT12H` or `P4W`";
    Byte "byte", FormatTest::Text(text::byte),
        "bytes in base64 with padding as in `aGk=`";
    Binary "binary", FormatTest::Hint,
        "any sequence of octets";
    Password "password", FormatTest::Hint,
        "text that should not be shown";
    Uuid "uuid", FormatTest::Text(text::uuid),
        "a UUID as in `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`";
    Email "email", FormatTest::Text(email::email),
        "an email address as in `joe@example.com`";
    Hostname "hostname", FormatTest::Text(net::hostname),
        "a host name as in `www.example.com`";
    Ipv4 "ipv4", FormatTest::Text(net::ipv4),
        "an IPv4 address as in `192.0.2.1`";
    Ipv6 "ipv6", FormatTest::Text(net::ipv6),
        "an IPv6 address as in `2001:db8::1`";
    Uri "uri", FormatTest::Text(uri::uri),
        "a URI with a scheme as in `https://example.com/a?b#c`";
    UriReference "uri-reference", FormatTest::Text(uri::uri_reference),
        "a URI or a reference relative to one as in `../a?b#c`";
    UriTemplate "uri-template", FormatTest::Text(uri::uri_template),
        "a URI with places to fill in as in `https://example.com/{user}`";
    JsonPointer "json-pointer", FormatTest::Text(text::json_pointer),
        "a path into a JSON document as in `/a/0/b~1c`";
    RelativeJsonPointer "relative-json-pointer", FormatTest::Text(text::relative_json_pointer),
        "a path from a place in a JSON document as in `1/a`";
    Regex "regex", FormatTest::Text(text::regex),
        "a regular expression of ECMA-262 as in `^[a-z]+$`";
    Int8 "int8", FormatTest::Number(numeric::int8),
        "a whole number from -128 to 127";
    Int16 "int16", FormatTest::Number(numeric::int16),
        "a whole number from -32768 to 32767";
    Int32 "int32", FormatTest::Number(numeric::int32),
        "a whole number from -2147483648 to 2147483647";
    Int64 "int64", FormatTest::Number(numeric::int64),
        "a whole number from -9223372036854775808 to 9223372036854775807";
    UInt8 "uint8", FormatTest::Number(numeric::uint8),
        "a whole number from 0 to 255";
    UInt16 "uint16", FormatTest::Number(numeric::uint16),
        "a whole number from 0 to 65535";
    UInt32 "uint32", FormatTest::Number(numeric::uint32),
        "a whole number from 0 to 4294967295";
    UInt64 "uint64", FormatTest::Number(numeric::uint64),
        "a whole number from 0 to 18446744073709551615";
    Float "float", FormatTest::Number(numeric::float),
        "a number in the range of single precision, about ±3.4e38";
    Double "double", FormatTest::Number(numeric::double),
        "a number in the range of double precision, about ±1.8e308";
}

impl Format {
    /// Finds a format by its name; names are case-sensitive.
    pub fn parse(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// The name in contracts and messages.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What a value of the format is, as the end of "should be ...".
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// The kinds of value that the format says something about.
    pub fn applies_to(self) -> Kinds {
        match self.row().check {
            FormatTest::Text(_) => ValueKind::Text.into(),
            FormatTest::Number(_) => Kinds::NUMBERS,
            FormatTest::Hint => Kinds::STRINGS,
        }
    }

    /// Tells whether any value the format applies to can fail it.
    pub fn is_checked(self) -> bool {
        !matches!(self.row().check, FormatTest::Hint)
    }

    /// The integers that a format of numbers stands for; `None` for all other formats.
    pub fn int_width(self) -> Option<IntWidth> {
        Some(match self {
            Format::Int8 => IntWidth::I8,
            Format::Int16 => IntWidth::I16,
            Format::Int32 => IntWidth::I32,
            Format::Int64 => IntWidth::I64,
            Format::UInt8 => IntWidth::U8,
            Format::UInt16 => IntWidth::U16,
            Format::UInt32 => IntWidth::U32,
            Format::UInt64 => IntWidth::U64,
            _ => return None,
        })
    }

    /// The check on text, if the format is about text.
    pub(crate) fn text_check(self) -> Option<fn(&str) -> bool> {
        match self.row().check {
            FormatTest::Text(check) => Some(check),
            FormatTest::Number(_) | FormatTest::Hint => None,
        }
    }

    /// Tells whether a value is of the format, or of a kind that the format says nothing about.
    pub fn holds(self, node: &Node<'_>) -> bool {
        if !self.applies_to().contains(node.kind()) {
            return true;
        }
        match (&self.row().check, node) {
            (FormatTest::Text(check), Node::Text(text)) => check(text),
            (FormatTest::Number(check), node) => Number::from_node(node).is_some_and(|number| check(&number)),
            (FormatTest::Text(_) | FormatTest::Hint, _) => true,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Checks one format against texts that are and texts that are not of it.
#[cfg(test)]
#[track_caller]
fn check(format: Format, good: &[&str], bad: &[&str]) {
    for text in good {
        assert!(format.holds(&Node::Text(text)), "`{text}` should be of the format `{format}`");
    }
    for text in bad {
        assert!(!format.holds(&Node::Text(text)), "`{text}` should not be of the format `{format}`");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_read_back() {
        for format in Format::ALL {
            assert_eq!(Format::parse(format.name()), Some(*format));
        }
        assert_eq!(Format::parse("Date"), None);
        assert_eq!(Format::parse("custom"), None);
    }

    #[test]
    fn kinds_a_format_does_not_apply_to_hold() {
        let nodes = [
            Node::Null,
            Node::Bool(true),
            Node::Int(300),
            Node::Float(0.5),
            Node::Text("?"),
            Node::Bytes(b"?"),
            Node::List(1),
            Node::Object(1),
        ];
        for format in Format::ALL {
            for node in nodes.iter().filter(|node| !format.applies_to().contains(node.kind())) {
                assert!(format.holds(node), "{format} {node:?}");
            }
        }
        assert!(!Format::Int8.holds(&Node::Int(300)));
        assert!(!Format::Date.holds(&Node::Text("?")));
    }

    #[test]
    fn hints_hold_for_everything() {
        for format in Format::ALL.iter().filter(|format| !format.is_checked()) {
            assert!(format.holds(&Node::Text("\u{0} anything")), "{format}");
            assert!(format.holds(&Node::Bytes(&[0xff])), "{format}");
        }
    }

    #[test]
    fn every_meaning_has_an_example_that_holds() {
        for format in Format::ALL.iter().filter(|format| format.applies_to() == Kinds::from(ValueKind::Text))
        {
            let examples: Vec<&str> = format.meaning().split('`').skip(1).step_by(2).collect();
            assert!(!examples.is_empty(), "{format}");
            check(*format, &examples, &[]);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_a_check_panic(text in "\\PC{0,40}|[-0-9a-fA-F:.+TZPYMDHS/@?#%~\\[\\]\"\\\\]{0,40}") {
            for format in Format::ALL {
                format.holds(&Node::Text(&text));
                format.holds(&Node::Decimal(&text));
            }
        }

        #[test]
        fn no_number_makes_a_check_panic(value in any::<f64>()) {
            for format in Format::ALL {
                format.holds(&Node::Float(value));
            }
        }
    }
}
