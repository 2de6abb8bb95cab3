//! Things that are imported from templates: their names, what they need, and how they are written again.

use arm::expression::{Expression, FunctionCall, TemplateString};
use contract::Node;
use document::SourceValue;

use super::validators::CONSTRAINT;
use crate::symbols::referenced;
use crate::symbols::{ExportKind, TemplateModel};

const DEFINITIONS: &str = "#/definitions/";
const OWN: &str = "__bicep.";

/// The way a template refers to something of its own: a pointer for types, a qualified name for functions.
pub(super) fn identifier(kind: ExportKind, name: &str) -> String {
    match kind {
        ExportKind::Type if !name.starts_with('#') => format!("{DEFINITIONS}{name}"),
        ExportKind::Function if !name.contains('.') => format!("{OWN}{name}"),
        _ => name.to_owned(),
    }
}

/// The name by which something is known outside its template.
pub(super) fn original_name(kind: ExportKind, identifier: &str) -> &str {
    let short = match kind {
        ExportKind::Type => identifier.strip_prefix(DEFINITIONS),
        ExportKind::Function => identifier.strip_prefix(OWN),
        ExportKind::Variable => None,
    };
    let plain = |name: &&str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    short.filter(plain).unwrap_or(identifier)
}

/// The declaration of something in a template.
pub(super) fn declaration<'t>(
    template: &'t TemplateModel,
    kind: ExportKind,
    identifier: &str,
) -> Option<SourceValue<'t>> {
    let root = template.root()?;
    match kind {
        ExportKind::Type => referenced(root, identifier),
        ExportKind::Variable => root.member("variables")?.member(identifier),
        ExportKind::Function => {
            let (space, name) = identifier.split_once('.')?;
            let namespace = root.member("functions")?.items().find(|it| {
                it.member("namespace")
                    .and_then(SourceValue::as_str)
                    .is_some_and(|it| it.eq_ignore_ascii_case(space))
            })?;
            namespace.member("members")?.member(name)
        }
    }
}

/// The loop that a variable of a template is made by.
pub(super) fn copy_variable<'t>(template: &'t TemplateModel, name: &str) -> Option<SourceValue<'t>> {
    let loops = template.root()?.member("variables")?.member("copy")?;
    loops.items().find(|it| {
        it.member("name").and_then(SourceValue::as_str).is_some_and(|it| it.eq_ignore_ascii_case(name))
    })
}

/// What the declaration of something mentions of its template.
pub(super) fn references(
    template: &TemplateModel,
    kind: ExportKind,
    identifier: &str,
) -> Vec<(ExportKind, String)> {
    let mut found = Vec::new();
    let declared = declaration(template, kind, identifier);
    let looped = (kind == ExportKind::Variable && declared.is_none())
        .then(|| copy_variable(template, identifier))
        .flatten();
    if let Some(value) = declared.or(looped) {
        collect(value, &mut found, 0);
    }
    found
}

fn collect(value: SourceValue<'_>, found: &mut Vec<(ExportKind, String)>, depth: usize) {
    const MAX_DEPTH: usize = 512;
    if depth > MAX_DEPTH {
        return;
    }
    match value.node() {
        Node::Text(text) => {
            if let TemplateString::Expression(inner) = TemplateString::of(text)
                && let Ok(expression) = arm::expression::parse(inner)
            {
                collect_calls(&expression, found);
            }
        }
        Node::List(_) => value.items().for_each(|item| collect(item, found, depth + 1)),
        Node::Object(_) => {
            for (name, member) in value.members() {
                match (name.as_str(), member.as_str()) {
                    (Some("$ref"), Some(target)) => found.push((ExportKind::Type, target.to_owned())),
                    (Some(CONSTRAINT), _) => {
                        let validators = std::iter::once(member).chain(member.items()).filter_map(validator);
                        found.extend(validators.map(|it| (ExportKind::Function, it)));
                        collect(member, found, depth + 1);
                    }
                    _ => collect(member, found, depth + 1),
                }
            }
        }
        _ => {}
    }
}

/// The function that a validator of a template names.
pub(super) fn validator(value: SourceValue<'_>) -> Option<String> {
    let member = |name| value.member(name).and_then(SourceValue::as_str);
    Some(format!("{}.{}", member("namespace")?, member("name")?))
}

fn collect_calls(expression: &Expression, found: &mut Vec<(ExportKind, String)>) {
    match expression {
        Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => {}
        Expression::Call(call) => {
            if let Some(namespace) = &call.namespace {
                found.push((ExportKind::Function, format!("{namespace}.{}", call.name)));
            } else if call.is_call_to("variables")
                && let [Expression::Text(name)] = call.arguments.as_slice()
            {
                found.push((ExportKind::Variable, name.to_string()));
            }
            call.arguments.iter().for_each(|argument| collect_calls(argument, found));
        }
        Expression::Access(access) => {
            collect_calls(access.base(), found);
            access.path().iter().for_each(|step| collect_calls(step, found));
        }
    }
}

/// A value of a template as one expression, with the names that its parts have in another one.
pub(super) fn expression_of(
    value: SourceValue<'_>,
    name: &impl Fn(ExportKind, &str) -> Option<String>,
) -> Option<Expression> {
    match value.node() {
        Node::Text(text) => TemplateString::parse(text).ok().map(|parsed| rename(&parsed, name)),
        Node::List(_) => {
            let items: Option<Vec<_>> = value.items().map(|item| expression_of(item, name)).collect();
            Some(Expression::call("createArray", items?))
        }
        Node::Object(_) => {
            let mut members = Vec::new();
            for (key, member) in value.members() {
                members.push(expression_of(key, name)?);
                members.push(expression_of(member, name)?);
            }
            Some(Expression::call("createObject", members))
        }
        _ => arm::Value::from_view(value).ok().map(|value| Expression::from_value(&value)),
    }
}

/// An expression of a template with the names that its parts have in another one.
pub(super) fn rename(
    expression: &Expression,
    name: &impl Fn(ExportKind, &str) -> Option<String>,
) -> Expression {
    match expression {
        Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => expression.clone(),
        Expression::Call(call) => {
            let arguments: Vec<Expression> =
                call.arguments.iter().map(|argument| rename(argument, name)).collect();
            match renamed_call(call, name) {
                Some(Renamed::Function(space, function)) => Expression::user_call(space, function, arguments),
                Some(Renamed::Variable(variable)) => {
                    Expression::call(call.name.clone(), [Expression::text(variable)])
                }
                None => match &call.namespace {
                    Some(space) => Expression::user_call(space.clone(), call.name.clone(), arguments),
                    None => Expression::call(call.name.clone(), arguments),
                },
            }
        }
        Expression::Access(access) => {
            let base = rename(access.base(), name);
            access.path().iter().fold(base, |base, step| base.index(rename(step, name)))
        }
    }
}

enum Renamed {
    Function(String, String),
    Variable(String),
}

fn renamed_call(call: &FunctionCall, name: &impl Fn(ExportKind, &str) -> Option<String>) -> Option<Renamed> {
    if let Some(space) = &call.namespace {
        let new = name(ExportKind::Function, &format!("{space}.{}", call.name))?;
        let (space, function) = super::imports::split_function(&new);
        return Some(Renamed::Function(space.to_owned(), function.to_owned()));
    }
    match call.arguments.as_slice() {
        [Expression::Text(variable)] if call.is_call_to("variables") => {
            Some(Renamed::Variable(name(ExportKind::Variable, variable)?))
        }
        [Expression::Text(variable), ..] if call.is_call_to("copyIndex") => {
            Some(Renamed::Variable(name(ExportKind::Variable, variable)?))
                .filter(|_| call.arguments.len() == 1)
        }
        _ => None,
    }
}
