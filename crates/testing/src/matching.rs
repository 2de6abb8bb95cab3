//! Patterns: what a value must have, and the first place where it differs.

use arm::Value;
use contract::pattern::{Pattern, PatternSyntax};

/// The member that marks what is no value of its own in a pattern. Nobody writes it by accident.
const MARK: &str = "\u{1}pattern";

/// How many characters of a value are shown.
const MOST_CHARACTERS: usize = 400;

/// What a part of a pattern stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wildcard {
    Absent,
    Anything,
    Exactly,
    Regex,
}

impl Wildcard {
    const ALL: [(Wildcard, &'static str); 4] = [
        (Wildcard::Absent, "absent"),
        (Wildcard::Anything, "anything"),
        (Wildcard::Exactly, "exactly"),
        (Wildcard::Regex, "regex"),
    ];

    /// The value that stands for it in a pattern.
    pub(crate) fn of(self, inner: Value) -> Value {
        let word = Wildcard::ALL.iter().find(|(it, _)| *it == self).map_or("", |(_, word)| word);
        Value::object([(MARK, Value::text(word)), ("of", inner)])
    }

    fn read(pattern: &Value) -> Option<(Wildcard, &Value)> {
        let object = pattern.plain().as_object()?;
        let word = object.get(MARK)?.as_str()?;
        let (wildcard, _) = Wildcard::ALL.iter().find(|(_, known)| *known == word)?;
        Some((*wildcard, object.get("of").unwrap_or(&Value::Null)))
    }
}

/// Where a value is not what a pattern wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// The way to it; empty for the value as a whole.
    pub(crate) path: String,
    /// What the pattern wants there.
    pub(crate) expected: String,
    pub(crate) found: String,
}

/// The first place where a value differs from a pattern; none if it matches.
pub(crate) fn mismatch(value: &Value, pattern: &Value) -> Option<Mismatch> {
    let mut path = String::new();
    compare(Some(value), pattern, false, &mut path)
}

/// A value on one line, of which a long one is cut. Secrets are masks.
pub(crate) fn shown(value: &Value) -> String {
    let text = match Wildcard::read(value) {
        Some(_) => pattern_text(value),
        None => value.to_json(),
    };
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// A pattern as it is written. Recursion is bounded by how deep a value may nest.
fn pattern_text(pattern: &Value) -> String {
    if pattern.is_secret() {
        return pattern.to_json();
    }
    match Wildcard::read(pattern) {
        Some((Wildcard::Absent, _)) => return "absent()".to_owned(),
        Some((Wildcard::Anything, _)) => return "anything()".to_owned(),
        Some((Wildcard::Exactly, inner)) => return format!("exactly({})", pattern_text(inner)),
        Some((Wildcard::Regex, inner)) => return format!("regex({})", inner.to_json()),
        None => {}
    }
    match pattern {
        Value::Object(object) => {
            let members = object.iter().map(|(name, value)| {
                format!("{}:{}", Value::text(name.as_str()).to_json(), pattern_text(value))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(list) => {
            let items: Vec<String> = list.items().iter().map(pattern_text).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_json(),
    }
}

/// The same with patterns in it as they are written.
pub(crate) fn shown_pattern(value: &Value) -> String {
    let text = pattern_text(value);
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn differs(path: &str, expected: String, found: Option<&Value>) -> Option<Mismatch> {
    let found = found.map_or_else(|| "nothing".to_owned(), shown);
    Some(Mismatch { path: path.trim_start_matches('.').to_owned(), expected, found })
}

/// Recursion is bounded by how deep a value may nest.
fn compare(value: Option<&Value>, pattern: &Value, exact: bool, path: &mut String) -> Option<Mismatch> {
    let content = value.map(Value::plain);
    let is_there = content.is_some_and(|value| !value.is_null());
    match Wildcard::read(pattern) {
        Some((Wildcard::Absent, _)) if is_there => return differs(path, "nothing".to_owned(), value),
        Some((Wildcard::Absent, _)) => return None,
        Some((Wildcard::Anything, _)) if is_there => return None,
        Some((Wildcard::Anything, _)) => return differs(path, "anything".to_owned(), value),
        Some((Wildcard::Exactly, inner)) => return compare(value, inner, true, path),
        Some((Wildcard::Regex, inner)) => {
            let source = inner.plain().as_str().unwrap_or_default();
            let text = content.and_then(Value::as_str);
            let found = text.zip(Pattern::new(PatternSyntax::Re2, source).ok());
            return match found {
                Some((text, pattern)) if pattern.is_match(text.as_bytes()) => None,
                _ => differs(path, format!("a text that matches `{source}`"), value),
            };
        }
        None => {}
    }
    let wanted = pattern.plain();
    match (content, wanted) {
        (Some(Value::Object(found)), Value::Object(members)) => {
            let length = path.len();
            for (name, pattern) in members.iter() {
                path.push('.');
                path.push_str(name);
                let different = compare(found.get(name), pattern, exact, path);
                path.truncate(length);
                if different.is_some() {
                    return different;
                }
            }
            let more = found.iter().find(|(name, value)| !value.is_null() && members.get(name).is_none());
            match more.filter(|_| exact) {
                Some((name, value)) => differs(&format!("{path}.{name}"), "nothing".to_owned(), Some(value)),
                None => None,
            }
        }
        (Some(Value::Array(found)), Value::Array(items)) => {
            if found.items().len() != items.items().len() {
                let count =
                    |count: usize| if count == 1 { "1 item".to_owned() } else { format!("{count} items") };
                return Some(Mismatch {
                    path: path.trim_start_matches('.').to_owned(),
                    expected: count(items.items().len()),
                    found: count(found.items().len()),
                });
            }
            let length = path.len();
            for (place, (value, pattern)) in found.items().iter().zip(items.items()).enumerate() {
                path.push_str(&format!("[{place}]"));
                let different = compare(Some(value), pattern, exact, path);
                path.truncate(length);
                if different.is_some() {
                    return different;
                }
            }
            None
        }
        (Some(found), wanted) if found == wanted => None,
        // A member that is null is one that is not there.
        (None, Value::Null) => None,
        _ => differs(path, shown_pattern(pattern), value),
    }
}

#[cfg(test)]
mod tests {
    use engine::records::parse;

    use super::*;

    #[track_caller]
    fn check(value: &str, pattern: &Value, expect: Option<&str>) {
        let found = mismatch(&parse(value).unwrap(), pattern);
        let found = found.map(|it| format!("{}: {} / {}", it.path, it.expected, it.found));
        assert_eq!(found.as_deref(), expect, "{value} {}", shown_pattern(pattern));
    }

    fn json(text: &str) -> Value {
        parse(text).unwrap()
    }

    #[test]
    fn objects_match_in_part_and_arrays_item_by_item() {
        check(r#"{"a":1,"b":{"c":2,"d":3}}"#, &json(r#"{"b":{"c":2}}"#), None);
        check(r#"{"a":1,"b":{"c":2}}"#, &json(r#"{"b":{"c":3}}"#), Some("b.c: 3 / 2"));
        check(r#"{"a":[1,2]}"#, &json(r#"{"a":[1]}"#), Some("a: 1 item / 2 items"));
        check(r#"{"a":[1,{"x":2}]}"#, &json(r#"{"a":[1,{"x":3}]}"#), Some("a[1].x: 3 / 2"));
        check(r#"{"a":1}"#, &json(r#"{"b":1}"#), Some("b: 1 / nothing"));
        check(r#"{"a":"x"}"#, &json(r#"{"a":"X"}"#), Some(r#"a: "X" / "x""#));
        check(r#"{}"#, &json(r#"{"a":null}"#), None);
    }

    #[test]
    fn wildcards_stand_for_what_they_say() {
        let of = |name: &str, pattern: Value| Value::object([(name, pattern)]);
        check(r#"{"a":1}"#, &of("b", Wildcard::Absent.of(Value::Null)), None);
        check(r#"{"b":null}"#, &of("b", Wildcard::Absent.of(Value::Null)), None);
        check(r#"{"b":1}"#, &of("b", Wildcard::Absent.of(Value::Null)), Some("b: nothing / 1"));
        check(r#"{"b":0}"#, &of("b", Wildcard::Anything.of(Value::Null)), None);
        check(r#"{"b":null}"#, &of("b", Wildcard::Anything.of(Value::Null)), Some("b: anything / null"));
        check(r#"{"b":"abc"}"#, &of("b", Wildcard::Regex.of("b.$".into())), None);
        check(
            r#"{"b":"cb"}"#,
            &of("b", Wildcard::Regex.of("b.$".into())),
            Some(r#"b: a text that matches `b.$` / "cb""#),
        );
        let exactly = Wildcard::Exactly.of(json(r#"{"a":{"b":1}}"#));
        check(r#"{"a":{"b":1}}"#, &exactly, None);
        check(r#"{"a":{"b":1},"c":2}"#, &exactly, Some("c: nothing / 2"));
        check(r#"{"a":{"b":1,"c":2}}"#, &exactly, Some("a.c: nothing / 2"));
    }

    #[test]
    fn no_secret_is_shown() {
        let value = Value::object([("a", Value::text("hunter2").secret())]);
        let found = mismatch(&value, &json(r#"{"a":"x"}"#)).unwrap();
        assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
        assert_eq!(mismatch(&value, &json(r#"{"a":"hunter2"}"#)), None);
    }
}
