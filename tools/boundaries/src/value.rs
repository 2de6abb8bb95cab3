//! Values as attacks write them: numbers as they are spelt, members in order and twice where it is wanted, and bytes that are no JSON.

use std::fmt::Write as _;

/// A value, or what stands where one is expected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Null.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number by its digits.
    Number(String),
    /// Text.
    Text(String),
    /// A list.
    Array(Vec<Value>),
    /// Members in their order; a name may come twice.
    Object(Vec<(String, Value)>),
    /// Bytes in the place of a JSON value.
    Raw(Vec<u8>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Number(number.to_string())
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl<const N: usize> From<[Value; N]> for Value {
    fn from(items: [Value; N]) -> Value {
        Value::Array(items.into())
    }
}

/// An object with these members.
pub fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A number by its digits.
pub fn number(digits: impl Into<String>) -> Value {
    Value::Number(digits.into())
}

/// Objects in one another, so many levels of them.
pub fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::from(1), |inner, _| object([("a", inner)]))
}

impl Value {
    /// The value with a member: in the place of the one of that name, or behind the others.
    #[must_use]
    pub fn with(&self, name: &str, value: impl Into<Value>) -> Value {
        let mut members = self.members().to_vec();
        match members.iter_mut().find(|(known, _)| known == name) {
            Some(member) => member.1 = value.into(),
            None => members.push((name.to_owned(), value.into())),
        }
        Value::Object(members)
    }

    /// The value with a member before all others, whether there is one of that name or not.
    #[must_use]
    pub fn before(&self, name: &str, value: impl Into<Value>) -> Value {
        let mut members = self.members().to_vec();
        members.insert(0, (name.to_owned(), value.into()));
        Value::Object(members)
    }

    /// The value with a member behind all others, whether there is one of that name or not.
    #[must_use]
    pub fn after(&self, name: &str, value: impl Into<Value>) -> Value {
        let mut members = self.members().to_vec();
        members.push((name.to_owned(), value.into()));
        Value::Object(members)
    }

    /// The value without a member.
    #[must_use]
    pub fn without(&self, name: &str) -> Value {
        Value::Object(self.members().iter().filter(|(known, _)| known != name).cloned().collect())
    }

    /// Its members, if it is an object.
    pub fn members(&self) -> &[(String, Value)] {
        match self {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    /// Whether bytes that are no JSON value are in it.
    pub fn is_raw(&self) -> bool {
        match self {
            Value::Raw(_) => true,
            Value::Array(items) => items.iter().any(Value::is_raw),
            Value::Object(members) => members.iter().any(|(_, value)| value.is_raw()),
            _ => false,
        }
    }

    /// Whether a member comes twice by exactly the same name.
    pub fn has_twin_members(&self) -> bool {
        match self {
            Value::Array(items) => items.iter().any(Value::has_twin_members),
            Value::Object(members) => {
                let names: std::collections::BTreeSet<&str> =
                    members.iter().map(|(name, _)| name.as_str()).collect();
                names.len() < members.len() || members.iter().any(|(_, value)| value.has_twin_members())
            }
            _ => false,
        }
    }

    /// As JSON, with each member of the outermost object on a line of its own, so that what a message shows of a line is no more than that member.
    pub fn json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_json(&mut out, ",\n        ");
        out
    }

    /// As JSON, if it is text at all.
    pub fn json_text(&self) -> Option<String> {
        String::from_utf8(self.json()).ok()
    }

    fn write_json(&self, out: &mut Vec<u8>, between: &str) {
        match self {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Bool(truth) => out.extend_from_slice(if *truth { b"true" } else { b"false" }),
            Value::Number(digits) => out.extend_from_slice(digits.as_bytes()),
            Value::Text(text) => out.extend_from_slice(quoted(text).as_bytes()),
            Value::Raw(bytes) => out.extend_from_slice(bytes),
            Value::Array(items) => {
                out.push(b'[');
                for (number, item) in items.iter().enumerate() {
                    if number > 0 {
                        out.extend_from_slice(b", ");
                    }
                    item.write_json(out, ", ");
                }
                out.push(b']');
            }
            Value::Object(members) => {
                out.push(b'{');
                for (number, (name, value)) in members.iter().enumerate() {
                    if number > 0 {
                        out.extend_from_slice(between.as_bytes());
                    }
                    out.extend_from_slice(quoted(name).as_bytes());
                    out.extend_from_slice(b": ");
                    value.write_json(out, ", ");
                }
                out.push(b'}');
            }
        }
    }

    /// As a literal of Bicep; nothing where Bicep has none for it: numbers with a fraction, bytes that are no JSON.
    pub fn bicep(&self) -> Option<String> {
        let mut out = String::new();
        self.write_bicep(&mut out)?;
        Some(out)
    }

    fn write_bicep(&self, out: &mut String) -> Option<()> {
        match self {
            Value::Null => out.push_str("null"),
            Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Value::Number(digits) => {
                let bare = digits.strip_prefix('-').unwrap_or(digits);
                if !bare.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                out.push_str(digits);
            }
            Value::Text(text) => out.push_str(&bicep_text(text)),
            Value::Raw(_) => return None,
            Value::Array(items) => {
                out.push('[');
                for (number, item) in items.iter().enumerate() {
                    if number > 0 {
                        out.push_str(", ");
                    }
                    item.write_bicep(out)?;
                }
                out.push(']');
            }
            Value::Object(members) => {
                out.push('{');
                for (number, (name, value)) in members.iter().enumerate() {
                    if number > 0 {
                        out.push_str(", ");
                    }
                    out.push_str(&bicep_text(name));
                    out.push_str(": ");
                    value.write_bicep(out)?;
                }
                out.push('}');
            }
        }
        Some(())
    }
}

/// Text as JSON writes it.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Text as Bicep writes it.
pub fn bicep_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '$' => out.push_str("\\$"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}
