//! YAML as the public tools read it: the first document of a stream, plain words by the core schema with some
//! liberties, keys as they are written, tags other than `!!str` without effect, anchors, aliases and merge keys.

use std::collections::HashMap;
use std::fmt;

use arm::value::ObjectBuilder;
use arm::{Caseless as _, Value};
use granit_parser::{Event, Parser, ScalarStyle};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::number::decimal;

/// How deep collections may stand inside each other.
const MAX_DEPTH: usize = 128;
/// How many values a document may come to when every alias is written out.
const MAX_SIZE: u64 = 4 << 20;

/// The value of the first document; or why there is none.
pub(super) fn read(text: &str) -> Result<Value, String> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut reader = Reader::default();
    // Later documents give nothing, but a mistake in them counts.
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| error.to_string())?;
        if reader.root.is_none() {
            let is_absent = span.start == span.end;
            let (line, column) = (span.start.line(), span.start.col() + 1);
            let place = YamlPlace { line, column };
            reader.event(event, is_absent, place).map_err(|why| format!("{why} ({place})"))?;
        }
    }
    match reader.root {
        None | Some(Value::Null) => Err("the document is empty".to_owned()),
        Some(value) => Ok(value),
    }
}

/// Where a part of the text begins.
#[derive(Clone, Copy)]
struct YamlPlace {
    line: usize,
    column: usize,
}

impl fmt::Display for YamlPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

#[derive(Default)]
struct Reader {
    open: Vec<OpenCollection>,
    anchors: HashMap<usize, Value>,
    root: Option<Value>,
}

/// A collection that is not complete.
struct OpenCollection {
    anchor: usize,
    collection: Collection,
}

enum Collection {
    List(Vec<Value>),
    Mapping(Mapping),
}

#[derive(Default)]
struct Mapping {
    members: ObjectBuilder,
    /// The names that the mapping has of its own, whatever their case, and where they stand; others come from merges.
    own: FxHashMap<String, YamlPlace>,
    key: Option<SmolStr>,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, is_absent: bool, place: YamlPlace) -> Result<(), String> {
        match event {
            Event::Scalar(content, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain;
                // The parser gives `~` for a node that is not there.
                let content = if is_plain && is_absent { "" } else { &*content };
                if self.takes_key() {
                    return self.key(content, place);
                }
                let is_text = !is_plain || tag.is_some_and(|tag| tag.core_suffix() == Some("str"));
                let value = if is_text { Value::text(content) } else { scalar(content)? };
                self.remember(anchor, &value);
                self.value(value)
            }
            Event::SequenceStart(_, anchor, _) => self.start(anchor, Collection::List(Vec::new())),
            Event::MappingStart(_, anchor, _) => self.start(anchor, Collection::Mapping(Mapping::default())),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(done) = self.open.pop() else { return Ok(()) };
                let value = match done.collection {
                    Collection::List(items) => Value::array(items),
                    Collection::Mapping(mapping) => mapping.members.finish(),
                };
                self.remember(done.anchor, &value);
                self.value(value)
            }
            Event::Alias(anchor) => {
                if self.takes_key() {
                    return Err("an alias cannot be a key".to_owned());
                }
                match self.anchors.get(&anchor) {
                    Some(value) => self.value(value.clone()),
                    None => Err("an alias is inside the value it names".to_owned()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Tells whether a key comes next.
    fn takes_key(&self) -> bool {
        matches!(
            self.open.last(),
            Some(OpenCollection { collection: Collection::Mapping(Mapping { key: None, .. }), .. })
        )
    }

    fn key(&mut self, name: &str, place: YamlPlace) -> Result<(), String> {
        if let Some(OpenCollection { collection: Collection::Mapping(mapping), .. }) = self.open.last_mut() {
            if let Some(first) = mapping.own.insert(name.caseless(), place) {
                let name = contract::short_name(name);
                return Err(format!(
                    "the key `{name}` is given twice in one mapping, whatever its case; the first is at {first}"
                ));
            }
            mapping.key = Some(name.into());
        }
        Ok(())
    }

    fn start(&mut self, anchor: usize, collection: Collection) -> Result<(), String> {
        if self.takes_key() {
            return Err("a list or a mapping cannot be a key".to_owned());
        }
        self.open.push(OpenCollection { anchor, collection });
        Ok(())
    }

    fn remember(&mut self, anchor: usize, value: &Value) {
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
    }

    fn value(&mut self, value: Value) -> Result<(), String> {
        if value.size() > MAX_SIZE || value.depth() as usize > MAX_DEPTH {
            return Err("the document becomes too large when its aliases are written out".to_owned());
        }
        match self.open.last_mut().map(|open| &mut open.collection) {
            None => self.root = Some(value),
            Some(Collection::List(items)) => items.push(value),
            Some(Collection::Mapping(mapping)) => match mapping.key.take() {
                Some(name) if name == "<<" => mapping.merge(&value)?,
                // In the place of one that was merged.
                Some(name) => mapping.members.set(name, value),
                None => {}
            },
        }
        Ok(())
    }
}

impl Mapping {
    /// Takes over the members of other mappings, except those that it has of its own.
    fn merge(&mut self, value: &Value) -> Result<(), String> {
        let one = std::slice::from_ref(value);
        let sources = match value {
            Value::Null => return Ok(()),
            Value::Object(_) => one,
            Value::Array(list) => list.items(),
            _ => &[Value::Null],
        };
        for source in sources {
            let source = source.as_object().ok_or("`<<` takes a mapping or a list of mappings")?;
            for (name, value) in source {
                if !self.own.contains_key(&name.caseless()) {
                    self.members.set(name.clone(), value.clone());
                }
            }
        }
        Ok(())
    }
}

/// What a plain word stands for.
fn scalar(text: &str) -> Result<Value, String> {
    let word = text.trim();
    let is = |other: &str| word.eq_ignore_ascii_case(other);
    // As in JSON, a text in its place would be another value.
    if [".inf", "+.inf", "-.inf", ".nan"].into_iter().any(is) {
        return Err(format!("a template has no number `{word}`"));
    }
    Ok(if word.is_empty() || word == "~" || is("null") {
        Value::Null
    } else if is("true") {
        Value::Bool(true)
    } else if is("false") {
        Value::Bool(false)
    } else {
        number(word).unwrap_or_else(|| Value::text(text))
    })
}

/// A number: decimal, or with the prefix of another base; `_` may stand between digits.
fn number(word: &str) -> Option<Value> {
    let lower = word.to_ascii_lowercase();
    if !word.starts_with(|first: char| first.is_ascii_digit() || "+-._".contains(first)) {
        return None;
    }
    let digits = lower.replace('_', "");
    let (sign, unsigned) = match digits.strip_prefix(['+', '-']) {
        Some(rest) => (if digits.starts_with('-') { -1 } else { 1 }, rest),
        None => (1, digits.as_str()),
    };
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(based) = unsigned.strip_prefix(prefix) {
            let is_digits = based.chars().all(|digit| digit.is_digit(radix));
            let value = i128::from_str_radix(based, radix).ok().filter(|_| is_digits)?;
            return i64::try_from(sign * value).ok().map(Value::Int);
        }
    }
    if !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let value = unsigned.parse::<i128>().ok().and_then(|value| i64::try_from(sign * value).ok());
        return value.map(Value::Int).or_else(|| decimal(&digits));
    }
    decimal(&digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, expected: &str) {
        assert_eq!(read(text).map(|value| value.to_json()).as_deref(), Ok(expected), "{text}");
    }

    #[test]
    fn plain_words_mean_what_the_core_schema_says_and_a_little_more() {
        reads("[~, null, NULL, true, FALSE, yes]", r#"[null,null,null,true,false,"yes"]"#);
        reads("a:\nb: ''\n", r#"{"a":null,"b":""}"#);
        reads("[1, -1, +1, 1_000, 0x1F, 0o17, 0b101, 007]", "[1,-1,1,1000,31,15,5,7]");
        reads("[1.5, .5, 5., 1e3, 1.618033988749894]", "[1.5,0.5,5.0,1000.0,1.618033988749894]");
        reads(
            "[1.2.3, 2024-01-01, 10.0.0.0/17, 1:30, '1', \"true\"]",
            r#"["1.2.3","2024-01-01","10.0.0.0/17","1:30","1","true"]"#,
        );
        reads("[!!str 1, !custom 2]", r#"["1",2]"#);
    }

    #[test]
    fn a_number_is_not_rounded() {
        reads("[9223372036854775808, -1e400]", "[9223372036854775808,-1e400]");
        reads(
            "[9007199254740993.5, 1_0.30000000000000000000001]",
            "[9007199254740993.5,10.30000000000000000000001]",
        );
        assert_eq!(read("a: .inf"), Err("a template has no number `.inf` (line 1, column 4)".to_owned()));
        reads("['.nan']", r#"[".nan"]"#);
    }

    #[test]
    fn a_key_is_there_once_whatever_its_case() {
        for text in ["b:\n  a: 1\n  A: 2", "b: {a: 1,\n  \"\\u0041\": 2}", "b: 1\nc: {}\nB: 2"] {
            let why = read(text).unwrap_err();
            assert!(why.contains("whatever its case; the first is at line "), "{text}: {why}");
        }
        let why = read("b:\n  a: 1\n  a: 2").unwrap_err();
        assert!(why.ends_with("is at line 2, column 3 (line 3, column 3)"), "{why}");
        reads("a: &x {b: 1}\nc:\n  B: 2\n  <<: *x\n", r#"{"a":{"b":1},"c":{"B":2}}"#);
        assert!(read("x: &x {a: 1}\ny:\n  <<: *x\n  <<: *x\n").is_err());
    }

    #[test]
    fn aliases_and_merges_are_written_out() {
        reads("a: &x {b: 1}\nc: *x\n", r#"{"a":{"b":1},"c":{"b":1}}"#);
        reads(
            "a: &x {b: 1, c: 2}\nd:\n  b: 3\n  <<: *x\n  e: 4\n",
            r#"{"a":{"b":1,"c":2},"d":{"b":3,"c":2,"e":4}}"#,
        );
        reads("<<: [{a: 1}, {a: 2, b: 3}]\nb: 4\n", r#"{"a":2,"b":4}"#);
    }

    #[test]
    fn text_keeps_its_form_in_blocks() {
        reads(
            "a: |\n  one\n  two\nb: >-\n  one\n  two\n? c\n: 1\n3: x\n",
            r#"{"a":"one\ntwo\n","b":"one two","c":1,"3":"x"}"#,
        );
    }

    #[test]
    fn only_the_first_document_counts() {
        reads("---\na: 1\n---\nb: 2\n", r#"{"a":1}"#);
        for text in
            ["", "# nothing", "~", "a: 1\na: 2", "? [1]\n: 2", "a: *b", "- 1\n// c\n- 2", "a: &x [*x]"]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn aliases_cannot_make_a_small_file_large() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = level - 1;
            text.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{before}"); 10].join(", ")));
        }
        assert!(read(&text).is_err());
    }
}
