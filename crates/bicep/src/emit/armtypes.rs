//! Types that are imported from templates, written again in the order in which types are written.

use contract::Node;
use document::SourceValue;

use super::armsource;
use super::imports::{SymbolNames, split_function};
use super::literals::Literal;
use super::tree::{EmitTree, Members, merge};
use super::validators::CONSTRAINT;
use crate::symbols::{ExportKind, TemplateModel};

/// How deep types may nest.
const MAX_DEPTH: usize = 128;

/// The members that describe a type of a template, with its own names for what it refers to.
pub(super) fn members<'u>(
    names: &SymbolNames<'u>,
    template: &'u TemplateModel,
    value: SourceValue<'u>,
    depth: usize,
) -> Members<'u> {
    let mut members = base(names, template, value, depth);
    if let Some(nullable) = value.member("nullable") {
        merge(&mut members, "nullable", EmitTree::Json(nullable));
    }
    if let Some(validators) = value.member(CONSTRAINT) {
        let validators = match validators.node() {
            Node::List(_) => {
                EmitTree::Array(validators.items().map(|it| validator(names, template, it)).collect())
            }
            _ => validator(names, template, validators),
        };
        merge(&mut members, CONSTRAINT, validators);
    }
    if let Some(validate) = value.member("validate") {
        merge(&mut members, "validate", EmitTree::Template(template, validate));
    }
    members
}

/// A validator of a template, with the name that its function has in this one.
fn validator<'u>(
    names: &SymbolNames<'u>,
    template: &'u TemplateModel,
    value: SourceValue<'u>,
) -> EmitTree<'u> {
    let function = armsource::validator(value);
    let function =
        function.and_then(|it| names.template(template, ExportKind::Function, &it)).map(split_function);
    let members = value.members().filter_map(|(key, member)| {
        let key = key.as_str()?;
        let member = match (key, function) {
            ("namespace", Some((namespace, _))) => EmitTree::text(namespace.to_owned()),
            ("name", Some((_, name))) => EmitTree::text(name.to_owned()),
            _ => EmitTree::Template(template, member),
        };
        Some((key.into(), member))
    });
    EmitTree::Object(members.collect())
}

/// A type with all that limits and describes it.
pub(super) fn declared<'u>(
    names: &SymbolNames<'u>,
    template: &'u TemplateModel,
    value: SourceValue<'u>,
    depth: usize,
) -> Members<'u> {
    let mut members = members(names, template, value, depth);
    if let Some(kind) = value.member("type").and_then(SourceValue::as_str)
        && kind.to_ascii_lowercase().starts_with("secure")
    {
        let kind = if kind.eq_ignore_ascii_case("secureString") { "securestring" } else { "secureObject" };
        merge(&mut members, "type", EmitTree::text(kind));
    }
    if value.member("additionalProperties").is_some_and(|it| it.node() == Node::Bool(false)) {
        merge(&mut members, "additionalProperties", EmitTree::Bool(false));
    }
    let metadata = value.member("metadata");
    let kept: Members<'u> = metadata
        .into_iter()
        .flat_map(SourceValue::members)
        .filter_map(|(name, value)| Some((name.as_str()?, value)))
        .filter(|(name, _)| !["description", "__bicep_export!"].contains(name))
        .map(|(name, value)| (name.into(), EmitTree::Json(value)))
        .collect();
    if !kept.is_empty() {
        merge(&mut members, "metadata", EmitTree::Object(kept));
    }
    for limit in ["minLength", "maxLength", "minValue", "maxValue"] {
        if let Some(value) = value.member(limit) {
            merge(&mut members, limit, EmitTree::Json(value));
        }
    }
    if let Some(description) = metadata.and_then(|it| it.member("description")) {
        merge(
            &mut members,
            "metadata",
            EmitTree::Object(vec![("description".into(), EmitTree::Json(description))]),
        );
    }
    members
}

fn base<'u>(
    names: &SymbolNames<'u>,
    template: &'u TemplateModel,
    value: SourceValue<'u>,
    depth: usize,
) -> Members<'u> {
    if depth > MAX_DEPTH {
        return Members::new();
    }
    if let Some(target) = value.member("$ref").and_then(SourceValue::as_str) {
        let target = match names.template(template, ExportKind::Type, target) {
            Some(name) => format!("#/definitions/{}", super::typerefs::escape_segment(name)),
            None => target.to_owned(),
        };
        return vec![("$ref".into(), EmitTree::text(target))];
    }
    let derived = value.member("metadata").and_then(|it| it.member("__bicep_resource_derived_type!"));
    let kind = value.member("type").and_then(SourceValue::as_str).map(plain_kind);
    if derived.is_some() {
        return kind.map(|kind| ("type".into(), EmitTree::text(kind))).into_iter().collect();
    }
    let mut members: Members<'u> =
        kind.map(|kind| ("type".into(), EmitTree::text(kind))).into_iter().collect();
    if let Some(allowed) = value.member("allowedValues") {
        members.push(("allowedValues".into(), EmitTree::Json(allowed)));
        return members;
    }
    match kind {
        Some("array") => {
            if let Some(prefix) = value.member("prefixItems") {
                let items =
                    prefix.items().map(|item| EmitTree::Object(declared(names, template, item, depth + 1)));
                members.push(("prefixItems".into(), EmitTree::Array(items.collect())));
                members.push(("items".into(), EmitTree::Bool(false)));
            } else if let Some(items) =
                value.member("items").filter(|items| matches!(items.node(), Node::Object(_)))
            {
                let inner = self::members(names, template, items, depth + 1);
                members.push(("items".into(), EmitTree::Object(inner)));
            }
        }
        Some("object") => object(names, template, value, depth, &mut members),
        _ => {}
    }
    members
}

fn object<'u>(
    names: &SymbolNames<'u>,
    template: &'u TemplateModel,
    value: SourceValue<'u>,
    depth: usize,
    members: &mut Members<'u>,
) {
    if let Some(discriminator) = value.member("discriminator") {
        let property = discriminator.member("propertyName").and_then(SourceValue::as_str).unwrap_or_default();
        let inner = vec![
            ("propertyName".into(), EmitTree::text(property)),
            ("mapping".into(), EmitTree::Object(mapping_at(names, template, value, depth))),
        ];
        members.push(("discriminator".into(), EmitTree::Object(inner)));
        return;
    }
    let additional = value.member("additionalProperties");
    if value.member("properties").is_none() && additional.is_none() {
        return;
    }
    let properties =
        value.member("properties").into_iter().flat_map(SourceValue::members).filter_map(|(name, value)| {
            Some((name.as_str()?.into(), EmitTree::Object(declared(names, template, value, depth + 1))))
        });
    members.push(("properties".into(), EmitTree::Object(properties.collect())));
    if let Some(additional) = additional.filter(|it| matches!(it.node(), Node::Object(_))) {
        members.push((
            "additionalProperties".into(),
            EmitTree::Object(declared(names, template, additional, depth + 1)),
        ));
    }
}

/// The variants of a discriminated type.
pub(super) fn mapping<'u>(
    names: &SymbolNames<'u>,
    template: &'u TemplateModel,
    value: SourceValue<'u>,
) -> Members<'u> {
    mapping_at(names, template, value, 0)
}

fn mapping_at<'u>(
    names: &SymbolNames<'u>,
    template: &'u TemplateModel,
    value: SourceValue<'u>,
    depth: usize,
) -> Members<'u> {
    let mapping = value.member("discriminator").and_then(|it| it.member("mapping"));
    let mut entries: Vec<(&'u str, SourceValue<'u>)> = mapping
        .into_iter()
        .flat_map(SourceValue::members)
        .filter_map(|(name, value)| Some((name.as_str()?, value)))
        .collect();
    entries.sort_by_key(|(name, _)| name.to_ascii_uppercase());
    entries
        .into_iter()
        .map(|(name, value)| (name.into(), EmitTree::Object(members(names, template, value, depth + 1))))
        .collect()
}

/// The value of the property that selects an object among the variants of a union.
pub(super) fn discriminator_value(value: SourceValue<'_>, property: &str) -> Option<String> {
    let values = value.member("properties")?.member(property)?.member("allowedValues")?;
    values.item(0)?.as_str().map(str::to_owned)
}

/// The values that a type of a template consists of.
pub(super) fn literals(value: SourceValue<'_>) -> Vec<Literal> {
    let is_array = value
        .member("type")
        .and_then(SourceValue::as_str)
        .is_some_and(|kind| kind.eq_ignore_ascii_case("array"));
    let mut found: Vec<Literal> = match value.member("allowedValues").filter(|_| !is_array) {
        Some(allowed) => allowed.items().filter_map(|value| literal(value, 0)).collect(),
        None => value
            .member("type")
            .and_then(SourceValue::as_str)
            .map(|kind| Literal::Kind(plain_kind(kind)))
            .into_iter()
            .collect(),
    };
    if value.member("nullable").is_some_and(|it| it.node() == Node::Bool(true)) {
        found.push(Literal::Null);
    }
    found
}

fn literal(value: SourceValue<'_>, depth: usize) -> Option<Literal> {
    if depth > MAX_DEPTH {
        return None;
    }
    match value.node() {
        Node::Null => Some(Literal::Null),
        Node::Bool(value) => Some(Literal::Bool(value)),
        Node::Int(value) => Some(Literal::Int(value)),
        Node::Text(text) => Some(Literal::Text(text.into())),
        Node::List(_) => {
            value.items().map(|item| literal(item, depth + 1)).collect::<Option<_>>().and_then(Literal::array)
        }
        Node::Object(_) => {
            let members = value
                .members()
                .map(|(name, value)| Some((name.as_str()?.to_owned(), literal(value, depth + 1)?)));
            members.collect::<Option<_>>().and_then(Literal::object)
        }
        _ => None,
    }
}

/// A kind of values in the spelling of the language, secret or not.
fn plain_kind(kind: &str) -> &'static str {
    match kind.to_ascii_lowercase().as_str() {
        "int" => "int",
        "bool" => "bool",
        "array" => "array",
        "object" | "secureobject" => "object",
        _ => "string",
    }
}
