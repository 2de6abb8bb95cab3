//! JSON as the cases write it, with numbers as their text so that no digit is lost.

use contract::Constant;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a whole text.
    #[track_caller]
    pub(crate) fn parse(text: &str) -> Json {
        let mut rest = text;
        let value = value(&mut rest);
        assert_eq!(rest.trim(), "", "something stands behind {text}");
        value
    }

    /// What JSON itself cannot write.
    pub(crate) fn special(&self) -> Option<Constant> {
        let Json::Object(members) = self else { return None };
        match members.as_slice() {
            [(key, Json::Text(text))] if key == "$double" => Some(Constant::Float(text.parse().unwrap())),
            [(key, Json::Text(text))] if key == "$hex" => {
                let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
                Some(Constant::Bytes(digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()))
            }
            _ => None,
        }
    }
}

fn value(rest: &mut &str) -> Json {
    *rest = rest.trim_start();
    match rest.chars().next().unwrap() {
        '{' => Json::Object(members(rest)),
        '[' => {
            let mut items = Vec::new();
            open(rest, '[');
            while !close(rest, ']') {
                items.push(value(rest));
            }
            Json::List(items)
        }
        '"' => Json::Text(text(rest)),
        _ => {
            let end = rest.find([',', '}', ']', ' ']).unwrap_or(rest.len());
            let (word, left) = rest.split_at(end);
            *rest = left;
            match word {
                "null" => Json::Null,
                "true" => Json::Bool(true),
                "false" => Json::Bool(false),
                number => Json::Number(number.to_owned()),
            }
        }
    }
}

fn members(rest: &mut &str) -> Vec<(String, Json)> {
    let mut members = Vec::new();
    open(rest, '{');
    while !close(rest, '}') {
        *rest = rest.trim_start();
        let key = text(rest);
        *rest = rest.trim_start().strip_prefix(':').unwrap();
        members.push((key, value(rest)));
    }
    members
}

fn open(rest: &mut &str, bracket: char) {
    *rest = rest.strip_prefix(bracket).unwrap();
}

/// Takes a comma, or the end, which it tells.
fn close(rest: &mut &str, bracket: char) -> bool {
    *rest = rest.trim_start();
    match rest.strip_prefix(bracket) {
        Some(left) => {
            *rest = left;
            true
        }
        None => {
            *rest = rest.strip_prefix(',').unwrap_or(rest);
            false
        }
    }
}

fn text(rest: &mut &str) -> String {
    let mut out = String::new();
    let mut chars = rest.strip_prefix('"').unwrap().chars();
    loop {
        match chars.next().unwrap() {
            '"' => break,
            '\\' => out.push(match chars.next().unwrap() {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            }),
            other => out.push(other),
        }
    }
    *rest = chars.as_str();
    out
}
