//! JSON as an owned tree that can be changed, with members in order.

use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

use arm::expression::{Expression, TemplateString};
use contract::Node;
use document::SourceValue;
use rustc_hash::FxHasher;
use smol_str::SmolStr;
use value::{Escapes, write_json_string};

use crate::problem::{DecompileError, Result};

/// A value of a template, with its numbers as they were written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Int(i64),
    /// Any other number, as it is written.
    Number(SmolStr),
    Text(SmolStr),
    List(Vec<Json>),
    Object(Vec<(SmolStr, Json)>),
}

impl Json {
    /// Copies a value of a document. Its depth is limited by the reader.
    pub(crate) fn of(value: SourceValue<'_>) -> Json {
        match value.node() {
            Node::Null => Json::Null,
            Node::Bool(it) => Json::Bool(it),
            Node::Int(it) => Json::Int(it),
            Node::Text(text) => Json::Text(text.into()),
            Node::List(_) => Json::List(value.items().map(Json::of).collect()),
            Node::Object(_) => Json::Object(
                value
                    .members()
                    .map(|(name, value)| (name.as_str().unwrap_or_default().into(), Json::of(value)))
                    .collect(),
            ),
            _ => Json::Number(value.source().into()),
        }
    }

    pub(crate) fn text(text: impl Into<SmolStr>) -> Json {
        Json::Text(text.into())
    }

    /// The member of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        self.members().iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The member of this name, whatever its capitals.
    pub(crate) fn find(&self, name: &str) -> Option<&Json> {
        self.get(name).or_else(|| {
            self.members().iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
        })
    }

    /// The value at the end of a way of names.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Json> {
        path.iter().try_fold(self, |value, name| value.find(name))
    }

    pub(crate) fn find_mut(&mut self, name: &str) -> Option<&mut Json> {
        match self {
            Json::Object(members) => {
                members.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Sets a member, at its place if there is one of this name.
    pub(crate) fn set(&mut self, name: &str, value: Json) {
        if let Some(known) = self.find_mut(name) {
            *known = value;
        } else if let Json::Object(members) = self {
            members.push((name.into(), value));
        }
    }

    /// Takes a member away.
    pub(crate) fn remove(&mut self, name: &str) -> Option<Json> {
        let Json::Object(members) = self else { return None };
        let place = members.iter().position(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(members.remove(place).1)
    }

    pub(crate) fn members(&self) -> &[(SmolStr, Json)] {
        match self {
            Json::Object(members) => members,
            _ => &[],
        }
    }

    pub(crate) fn items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self, Json::Object(_))
    }

    /// The text of a scalar as it is shown to people.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Json::Text(text) => text.to_string(),
            other => other.print(),
        }
    }

    /// The expression that a string stands for; other scalars stand for themselves.
    pub(crate) fn expression(&self) -> Result<Expression> {
        match self {
            Json::Text(text) => TemplateString::parse(text).map_err(|error| {
                DecompileError::new(format!("`{text}` is not an expression: {}", error.message))
            }),
            Json::Int(number) => Ok(Expression::Int(*number)),
            Json::Bool(it) => Ok(Expression::call(if *it { "true" } else { "false" }, [])),
            Json::Null => Ok(Expression::call("null", [])),
            Json::Number(text) => Ok(Expression::call("json", [Expression::text(text.clone())])),
            Json::List(_) | Json::Object(_) => {
                Err(DecompileError::new("expected text or a number, found a structure"))
            }
        }
    }

    /// Takes one bracket off texts that have it so as not to be expressions.
    pub(crate) fn unescape(&mut self) {
        match self {
            Json::Text(text) => {
                if let TemplateString::Text(inner) = TemplateString::of(text)
                    && inner.len() < text.len()
                {
                    *text = inner.into();
                }
            }
            Json::List(items) => items.iter_mut().for_each(Json::unescape),
            Json::Object(members) => members.iter_mut().for_each(|(_, value)| value.unescape()),
            Json::Null | Json::Bool(_) | Json::Int(_) | Json::Number(_) => {}
        }
    }

    /// A number that equal values share.
    pub(crate) fn digest(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.feed(&mut hasher);
        hasher.finish()
    }

    fn feed(&self, hasher: &mut FxHasher) {
        std::mem::discriminant(self).hash(hasher);
        match self {
            Json::Null => {}
            Json::Bool(it) => it.hash(hasher),
            Json::Int(it) => it.hash(hasher),
            Json::Number(text) | Json::Text(text) => text.hash(hasher),
            Json::List(items) => {
                items.len().hash(hasher);
                items.iter().for_each(|item| item.feed(hasher));
            }
            Json::Object(members) => {
                members.len().hash(hasher);
                for (name, value) in members {
                    name.hash(hasher);
                    value.feed(hasher);
                }
            }
        }
    }

    /// The value as indented text.
    pub(crate) fn print(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out
    }

    fn write(&self, out: &mut String, depth: usize) {
        let line = |out: &mut String, depth: usize| {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        };
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(it) => out.push_str(if *it { "true" } else { "false" }),
            Json::Int(it) => {
                let _ = write!(out, "{it}");
            }
            Json::Number(text) => out.push_str(text),
            Json::Text(text) => write_text(out, text),
            Json::List(items) if items.is_empty() => out.push_str("[]"),
            Json::Object(members) if members.is_empty() => out.push_str("{}"),
            Json::List(items) => {
                out.push('[');
                for (position, item) in items.iter().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    line(out, depth + 1);
                    item.write(out, depth + 1);
                }
                line(out, depth);
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (position, (name, value)) in members.iter().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    line(out, depth + 1);
                    write_text(out, name);
                    out.push_str(": ");
                    value.write(out, depth + 1);
                }
                line(out, depth);
                out.push('}');
            }
        }
    }
}

/// The JSON string that an expression is in a template.
pub(crate) fn template_string(expression: &Expression) -> String {
    let mut text = String::new();
    arm::expression::print_template_string(expression, &mut text);
    text
}

fn write_text(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = write_json_string(out, text, Escapes::Needed);
}
