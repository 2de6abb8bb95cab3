//! JSON as the public tools read it: with comments, either quote, names without quotes, and commas too many.
//!
//! Unlike them, it does not take the last of several members with one name, whatever their case: others would take the first.

use arm::value::ObjectBuilder;
use arm::{Caseless as _, Value};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::number::decimal;

/// How deep values may stand inside each other.
const MAX_DEPTH: usize = 128;

/// The value that a text holds; or why it is not JSON, with the place.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut reader = Reader { text, rest: text, twice: None };
    let value = reader.value(0).flatten();
    let ends = reader.blanks().is_some() && reader.rest.is_empty();
    match value {
        Some(value) if ends => Ok(value),
        Some(_) | None => Err(reader.fault()),
    }
}

struct Reader<'t> {
    text: &'t str,
    rest: &'t str,
    /// A member that is there twice: its name, and the bytes before the first one.
    twice: Option<(SmolStr, usize)>,
}

impl<'t> Reader<'t> {
    /// What is wrong where the reader stopped.
    fn fault(&self) -> String {
        let here = self.place(self.offset());
        match &self.twice {
            Some((name, first)) => format!(
                "{here}: the member `{}` is there twice, whatever the case of its name; the first is at {}",
                contract::short_name(name),
                self.place(*first)
            ),
            None => here,
        }
    }

    fn offset(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    fn place(&self, offset: usize) -> String {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("line {line}, column {column}")
    }

    /// Skips white space and comments; nothing when a comment has no end.
    fn blanks(&mut self) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment.find(['\n', '\r']).and_then(|end| comment.get(end..)).unwrap_or_default();
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.split_once("*/")?.1;
            } else {
                return Some(());
            }
        }
    }

    fn take(&mut self, mark: char) -> bool {
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// A value; the inner option is empty for `undefined`, which leaves no trace.
    fn value(&mut self, depth: usize) -> Option<Option<Value>> {
        self.blanks()?;
        if depth > MAX_DEPTH {
            return None;
        }
        let first = self.rest.chars().next()?;
        match first {
            '{' => self.object(depth).map(Some),
            '[' => self.array(depth).map(Some),
            '"' | '\'' => self.quoted().map(|text| Some(Value::text(text))),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take('{');
        let mut object = ObjectBuilder::default();
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        loop {
            self.blanks()?;
            if self.take('}') {
                return Some(object.finish());
            }
            let start = self.rest;
            let name = match start.chars().next()? {
                '"' | '\'' => SmolStr::new(self.quoted()?),
                _ => SmolStr::new(self.bare()?),
            };
            if let Some(first) = places.insert(name.caseless(), self.text.len() - start.len()) {
                self.twice = Some((name, first));
                self.rest = start;
                return None;
            }
            self.blanks()?;
            if !self.take(':') {
                return None;
            }
            if let Some(value) = self.value(depth + 1)? {
                object.insert(name, value);
            }
            self.blanks()?;
            if !self.take(',') && !self.rest.starts_with('}') {
                return None;
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.take('[');
        let mut items = Vec::new();
        loop {
            self.blanks()?;
            if self.take(']') {
                return Some(Value::array(items));
            }
            // Between two commas there is nothing, and nothing is left of it.
            if !self.rest.starts_with(',') {
                items.extend(self.value(depth + 1)?);
            }
            self.blanks()?;
            if !self.take(',') && !self.rest.starts_with(']') {
                return None;
            }
        }
    }

    fn quoted(&mut self) -> Option<String> {
        let quote = self.rest.chars().next()?;
        let mut characters = self.rest.get(1..)?.chars();
        let mut text = String::new();
        loop {
            match characters.next()? {
                end if end == quote => break,
                '\\' => escaped(&mut characters, &mut text)?,
                other => text.push(other),
            }
        }
        self.rest = characters.as_str();
        Some(text)
    }

    /// A name without quotes.
    fn bare(&mut self) -> Option<&'t str> {
        let is_part = |character: char| character.is_alphanumeric() || "_$".contains(character);
        self.split(|character| !is_part(character))
    }

    /// A literal word or a number.
    fn word(&mut self) -> Option<Option<Value>> {
        let start = self.rest;
        let value = self.literal();
        if value.is_none() {
            self.rest = start;
        }
        value
    }

    fn literal(&mut self) -> Option<Option<Value>> {
        let word = self.split(|character| character.is_whitespace() || ",]}:/".contains(character))?;
        Some(Some(match word {
            "null" => Value::Null,
            "undefined" => return Some(None),
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            // A template has no such number, and a text in its place would be another value.
            "NaN" | "Infinity" | "-Infinity" => return None,
            number => self::number(number)?,
        }))
    }

    fn split(&mut self, ends: impl Fn(char) -> bool) -> Option<&'t str> {
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// What stands behind a backslash.
fn escaped(characters: &mut std::str::Chars<'_>, text: &mut String) -> Option<()> {
    let character = match characters.next()? {
        'b' => '\u{8}',
        'f' => '\u{C}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        // A line that goes on.
        '\n' => return Some(()),
        'u' => {
            let first = unit(characters)?;
            let mut ahead = characters.clone();
            let second = match (ahead.next(), ahead.next()) {
                (Some('\\'), Some('u')) if (0xD800..0xDC00).contains(&first) => unit(&mut ahead),
                _ => None,
            };
            let pair = second.filter(|second| (0xDC00..0xE000).contains(second));
            if let Some(second) = pair {
                *characters = ahead;
                char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))?
            } else {
                // Half a pair is no character; to put another in its place would change the value.
                char::from_u32(first)?
            }
        }
        same @ ('"' | '\'' | '\\' | '/') => same,
        _ => return None,
    };
    text.push(character);
    Some(())
}

fn unit(characters: &mut std::str::Chars<'_>) -> Option<u32> {
    (0..4).try_fold(0, |value, _| Some(value * 16 + characters.next()?.to_digit(16)?))
}

/// A number; hexadecimal and octal ones are integers too, and have no sign.
fn number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let based =
        |digits: &str, radix| u64::from_str_radix(digits, radix).ok().map(|bits| Value::Int(bits as i64));
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return based(hex, 16);
    }
    let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty();
    if is_integer && text.len() > 1 && text.starts_with('0') {
        return based(digits, 8);
    }
    if is_integer {
        return Some(text.parse().map_or_else(|_| Value::Decimal(text.into()), Value::Int));
    }
    decimal(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, expected: &str) {
        assert_eq!(read(text).map(|value| value.to_json()).as_deref(), Ok(expected), "{text}");
    }

    #[test]
    fn standard_json_is_read_as_it_stands() {
        reads(
            r#" {"a": [1, -2, 1.5, 1e3, true, null], "b": {"A": "x\n\u00e9\ud83d\ude00\/"}} "#,
            "{\"a\":[1,-2,1.5,1000.0,true,null],\"b\":{\"A\":\"x\\né😀/\"}}",
        );
        reads("\u{FEFF}12345678901234567890", "12345678901234567890");
    }

    #[test]
    fn liberties_are_fine() {
        reads("// one\n[1, /* two */ 2,]", "[1,2]");
        reads("{'a': 'it\"s', b: 0x1F, $c_1: undefined, }", r#"{"a":"it\"s","b":31}"#);
        reads("[017, -017]", "[15,-17]");
        reads("[1,,2]", "[1,2]");
        reads("[.5, 5., -.5e+1]", "[0.5,5.0,-5.0]");
    }

    #[test]
    fn a_member_is_there_once_whatever_its_case_and_however_it_is_written() {
        for (text, second, first) in [
            (r#"{"a": 1, "a": 2}"#, "line 1, column 10", "line 1, column 2"),
            ("{a: 1,\n 'A': 2}", "line 2, column 2", "line 1, column 2"),
            ("[{\"é\": {}},\n{\"b\": {\"é\": 1, \"\\u00C9\": 1}}]", "line 2, column 16", "line 2, column 8"),
            ("{a: undefined, a: 1}", "line 1, column 16", "line 1, column 2"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.starts_with(second) && why.ends_with(first), "{text}: {why}");
        }
        reads(r#"{"a": {"b": 1}, "b": {"a": 1}}"#, r#"{"a":{"b":1},"b":{"a":1}}"#);
        assert!(read(&format!("{{{}}}", "\"nnnn\": 1,".repeat(2))).unwrap_err().len() < 200);
    }

    #[test]
    fn a_text_that_is_no_json_says_where() {
        assert_eq!(read("{\n  \"a\": x\n}"), Err("line 2, column 8".to_owned()));
        assert_eq!(read("{} {}"), Err("line 1, column 4".to_owned()));
    }

    #[test]
    fn anything_else_is_no_json() {
        for text in [
            "",
            "{",
            "[1",
            "{\"a\"}",
            "\"x",
            "1 2",
            "x",
            "--1",
            "-0x1F",
            "NaN",
            "[Infinity]",
            "[-Infinity]",
            "1.2.3",
            "/* ",
            "{a b: 1}",
            "\"\\x\"",
            r#""\ud800""#,
            r#""\udc00""#,
            r#""\ud83dx""#,
            r#"{"\udc00\ud800": 1}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
    }
}
