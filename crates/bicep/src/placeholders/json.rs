//! Parameters JSON to begin with.

use std::collections::BTreeSet;

use arm::template_text::{JsonLayout, TemplateWriter};
use contract::Node;
use document::{Document, FileId, JsonOptions, ReadLimits, SourceValue};
use syntax::ast::{AstNode as _, Expr, ParameterDeclaration};

use super::default_of;
use crate::check::Interface;
use crate::symbols::SymbolId;
use crate::types::{Ty, TyKind};
use crate::{Dialect, Model};

/// What says that a file has parameters.
const SCHEMA: &str = "https://schema.management.azure.com/schemas/2015-01-01/deploymentParameters.json#";
/// The version that a file says it has, unless there was one before.
const VERSION: &str = "1.0.0.0";

/// A value, with its members in order.
#[derive(Clone, Debug)]
enum Json<'d> {
    Null,
    Bool(bool),
    Int(i64),
    /// A number of the file that was there, as it is.
    Number(SourceValue<'d>),
    Text(String),
    List(Vec<Json<'d>>),
    Object(Vec<(String, Json<'d>)>),
}

pub(super) fn write(
    model: &Model,
    parameters: &[(SymbolId, ParameterDeclaration<'_>)],
    interface: &Interface,
    existing: Option<&str>,
    dialect: Dialect,
) -> String {
    // A file that cannot be read is replaced.
    let existing = existing.and_then(|text| {
        Document::from_json_with(text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::RELAXED).ok()
    });
    let before = existing.as_ref().map(Document::root);
    let version = before.and_then(|before| before.member("contentVersion")?.as_str()).unwrap_or(VERSION);
    let mut members = vec![
        ("$schema".to_owned(), Json::Text(SCHEMA.to_owned())),
        ("contentVersion".to_owned(), Json::Text(version.to_owned())),
    ];
    let mut values = Vec::new();
    for (symbol, parameter) in parameters {
        let name = model.symbol(*symbol).name.to_string();
        let ty = interface.parameters.get(name.as_str()).map(|it| &it.ty);
        let value = default_of(*parameter).and_then(literal).or_else(|| ty.and_then(placeholder));
        let known = before.and_then(|before| before.member("parameters")?.member(&name));
        // What is in a vault has no value beside it; the public command writes one, which no deployment takes.
        let is_secret =
            dialect == Dialect::Tendon && known.is_some_and(|it| it.member("reference").is_some());
        let value = value.filter(|_| !is_secret).map(|value| ("value".to_owned(), value));
        let mut value = Json::Object(value.into_iter().collect());
        if let Some(known) = known {
            value.merge(Json::of(known));
        }
        values.push((name, value));
    }
    if !values.is_empty() {
        members.push(("parameters".to_owned(), Json::Object(values)));
    }
    let mut out = TemplateWriter::new(String::new(), JsonLayout::Indented);
    Json::Object(members).write(&mut out);
    out.finish()
}

/// The value of an expression that is a literal through and through. The parser's own limit bounds the depth.
fn literal<'d>(expression: Expr<'_>) -> Option<Json<'d>> {
    Some(match expression {
        Expr::ParenthesizedExpression(it) => literal(it.expression())?,
        Expr::String(it) => Json::Text(it.constant()?.into_owned()),
        Expr::IntegerLiteral(it) => Json::Int(i64::try_from(it.value()).ok()?),
        Expr::UnaryOperation(it) => match it.operand() {
            Expr::IntegerLiteral(number) if it.node().text().starts_with('-') => {
                Json::Int(0_i64.checked_sub_unsigned(number.value())?)
            }
            _ => return None,
        },
        Expr::BooleanLiteral(it) => Json::Bool(it.node().text() == "true"),
        Expr::NullLiteral(_) => Json::Null,
        Expr::Array(it) => Json::List(it.values().map(literal).collect::<Option<_>>()?),
        Expr::Object(it) if it.spreads().next().is_none() => {
            let members = it.properties();
            let members = members.map(|it| Some((it.key().constant()?.into_owned(), literal(it.value())?)));
            Json::Object(members.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// A value of a type; none where there is no obvious one.
fn placeholder<'d>(ty: &Ty) -> Option<Json<'d>> {
    named(ty.name()).or_else(|| match ty.kind() {
        TyKind::Object(object) if !object.properties.is_empty() => {
            let empty = || Json::Text(String::new());
            let members = object.properties.iter();
            let members =
                members.map(|(name, it)| (name.to_string(), named(&it.ty.name()).unwrap_or_else(empty)));
            Some(Json::Object(members.collect()))
        }
        _ => None,
    })
}

/// A value of a type by its name.
fn named<'d>(name: &str) -> Option<Json<'d>> {
    match name {
        "string" => Some(Json::Text(String::new())),
        "int" => Some(Json::Int(0)),
        "bool" => Some(Json::Bool(false)),
        "object" => Some(Json::Object(Vec::new())),
        "array" => Some(Json::List(Vec::new())),
        _ => None,
    }
}

impl<'d> Json<'d> {
    /// A value of a document, whose own limit bounds the depth.
    fn of(value: SourceValue<'d>) -> Json<'d> {
        match value.node() {
            // All of a document is known.
            Node::Null | Node::Unknown => Json::Null,
            Node::Bool(value) => Json::Bool(value),
            Node::Int(value) => Json::Int(value),
            Node::Text(text) => Json::Text(text.to_owned()),
            Node::List(_) => Json::List(value.items().map(Json::of).collect()),
            Node::Object(_) => {
                let name = |key: SourceValue<'d>| key.as_str().unwrap_or_default().to_owned();
                Json::Object(value.members().map(|(key, it)| (name(key), Json::of(it))).collect())
            }
            Node::UInt(_) | Node::Float(_) | Node::Decimal(_) | Node::Bytes(_) => Json::Number(value),
        }
    }

    /// Puts what was there before in the place of what is here: members of objects one by one, items of lists behind
    /// those that are here, and nothing for null.
    fn merge(&mut self, before: Json<'d>) {
        match (self, before) {
            (Json::Object(members), Json::Object(known)) => {
                for (name, value) in known {
                    match members.iter_mut().find(|(it, _)| *it == name) {
                        Some((_, member)) => member.merge(value),
                        None => members.push((name, value)),
                    }
                }
            }
            // A placeholder or a default has no items that a person wrote.
            (Json::List(items), Json::List(known)) => {
                let mut seen: BTreeSet<String> = items.iter().map(Json::text).collect();
                items.extend(known.into_iter().filter(|it| seen.insert(it.text())));
            }
            (_, Json::Null) => {}
            (value, before) => *value = before,
        }
    }

    /// The value as it is written; values that are written the same are the same.
    fn text(&self) -> String {
        let mut out = TemplateWriter::new(String::new(), JsonLayout::Compact);
        self.write(&mut out);
        out.finish()
    }

    fn write(&self, out: &mut TemplateWriter<String>) {
        match self {
            Json::Null => out.null(),
            Json::Bool(value) => out.bool(*value),
            Json::Int(value) => out.int(*value),
            Json::Number(value) => out.value(*value),
            Json::Text(text) => out.string(text),
            Json::List(items) => {
                out.begin_array();
                items.iter().for_each(|item| item.write(out));
                out.end_array();
            }
            Json::Object(members) => {
                out.begin_object();
                for (name, member) in members {
                    out.key(name);
                    member.write(out);
                }
                out.end_object();
            }
        }
    }
}
