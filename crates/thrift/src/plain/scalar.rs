//! Values without parts: what JSON has for them, and what keys of objects have.

use contract::{Node, number::Number};

use super::value::Content;
use crate::base64;
use crate::model::{Model, Type};

/// A value, or what it must be, in words.
pub(super) type Scalar<'v> = Result<Content<'v>, String>;

/// Reads the JSON for a type; `None` if the type has parts.
pub(super) fn read<'v>(model: &Model, ty: Type, node: Node<'v>) -> Option<Scalar<'v>> {
    let wrong = |article: &str| Err(format!("must be {article}"));
    Some(match ty {
        Type::Bool => match node {
            Node::Bool(_) => Ok(Content::Scalar(node)),
            _ => wrong("`true` or `false`"),
        },
        Type::I8 | Type::I16 | Type::I32 | Type::I64 => integer(ty, node),
        Type::Double => match node {
            Node::Int(it) => Ok(float(it as f64)),
            Node::UInt(it) => Ok(float(it as f64)),
            Node::Float(it) => Ok(float(it)),
            Node::Decimal(text) => text.parse().map(float).or_else(|_| wrong("a number")),
            Node::Text(text) => special(text).map_or_else(|| wrong("a number"), |it| Ok(float(it))),
            _ => wrong("a number"),
        },
        Type::String => match node {
            Node::Text(_) | Node::Bytes(_) => Ok(Content::Scalar(node)),
            _ => wrong("text"),
        },
        Type::Binary => match node {
            Node::Text(text) => base64::decode(text.as_bytes())
                .map_or_else(|| wrong("bytes in base64"), |bytes| Ok(Content::Bytes(bytes.into()))),
            _ => wrong("bytes in base64"),
        },
        Type::Uuid => match node {
            Node::Text(text) => {
                uuid(text).map_or_else(|| wrong("a uuid"), |bytes| Ok(Content::Bytes(bytes.into())))
            }
            _ => wrong("a uuid"),
        },
        Type::Enum(id) => match node {
            Node::Text(name) => match model[id].member(name) {
                Some(member) => Ok(Content::Scalar(Node::Int(member.number.into()))),
                None => Err(format!("must be a member of `{}`", model[id].name.text)),
            },
            _ => integer(Type::I32, node)
                .map_err(|_| format!("must be a member of `{}`, or the number of one", model[id].name.text)),
        },
        // What was reported before is nothing to hold values against.
        Type::Error => Ok(Content::Scalar(Node::Null)),
        Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Struct(_) | Type::Typedef(_) => return None,
    })
}

/// Reads the key of an object for a type; `None` if the type has parts, and so no text.
pub(super) fn read_key<'v>(model: &Model, ty: Type, text: &'v str) -> Option<Scalar<'v>> {
    let node = match ty {
        Type::Bool => match text {
            "true" => Node::Bool(true),
            "false" => Node::Bool(false),
            _ => Node::Text(text),
        },
        Type::I8 | Type::I16 | Type::I32 | Type::I64 => whole(text).map_or(Node::Text(text), Node::Int),
        Type::Enum(_) => whole(text).map_or(Node::Text(text), Node::Int),
        Type::Double => match text.parse::<f64>() {
            Ok(it) if it.is_finite() => Node::Float(it),
            _ => Node::Text(text),
        },
        _ => Node::Text(text),
    };
    read(model, ty, node)
}

fn float<'v>(value: f64) -> Content<'v> {
    Content::Scalar(Node::Float(value))
}

fn integer<'v>(ty: Type, node: Node<'v>) -> Scalar<'v> {
    let (least, most) = ty.integer_range().unwrap_or((i64::MIN, i64::MAX));
    let found = match node {
        // A whole number is one however it is written: `5.0`, `5e0`.
        Node::Int(_) | Node::UInt(_) | Node::Float(_) | Node::Decimal(_) => match Number::from_node(&node) {
            Some(number) if number.is_integer() => Some(number.as_i64()),
            _ => None,
        },
        Node::Text(text) if ty == Type::I64 => whole(text).map(Some),
        _ => None,
    };
    match found {
        Some(Some(it)) if (least..=most).contains(&it) => Ok(Content::Scalar(Node::Int(it))),
        Some(_) => Err(format!("must be from {least} to {most}")),
        None => Err("must be a whole number".to_owned()),
    }
}

/// A whole number as text, in the one way that there is to write it.
fn whole(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// The doubles that JSON has no numbers for.
fn special(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn uuid(text: &str) -> Option<[u8; 16]> {
    let hyphens = [8, 13, 18, 23];
    if text.len() != 36 || !hyphens.iter().all(|at| text.as_bytes().get(*at) == Some(&b'-')) {
        return None;
    }
    let digits: Option<Vec<u32>> = text.chars().filter(|c| *c != '-').map(|c| c.to_digit(16)).collect();
    let bytes: Vec<u8> =
        digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | *digit as u8)).collect();
    bytes.try_into().ok()
}
