//! What other files can use of a file: parameters, outputs and exports, with their types.

use std::collections::BTreeMap;

use contract::Node;
use document::Value;
use smol_str::SmolStr;
use syntax::SyntaxElement;
use syntax::ast::{Statement, TypeExpr};

use super::Checker;
use crate::functions::FunctionFlags;
use crate::symbols::ExportKind;
use crate::template::TemplateModel;
use crate::types::{
    Kind, Object, Parameter, Property, PropertyFlags, Range, Scopes, Signature, Ty, TypeFlags, nullable,
    union_of, without_null,
};

/// What other files can use of a file.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The scope that it is deployed to.
    pub target: Scopes,
    /// Its parameters, by name.
    pub parameters: BTreeMap<SmolStr, ModuleParameter>,
    /// Its outputs, in source order.
    pub outputs: Vec<ModuleOutput>,
    /// What it exports, by name.
    pub exports: BTreeMap<SmolStr, ExportedItem>,
    /// Whether anything is wrong with the file.
    pub has_errors: bool,
}

impl Default for Interface {
    fn default() -> Interface {
        Interface {
            target: Scopes::RESOURCE_GROUP,
            parameters: BTreeMap::new(),
            outputs: Vec::new(),
            exports: BTreeMap::new(),
            has_errors: false,
        }
    }
}

/// A parameter of a module.
#[derive(Clone, Debug)]
pub struct ModuleParameter {
    /// Its type.
    pub ty: Ty,
    /// Whether a value must be given.
    pub required: bool,
}

/// An output of a module.
#[derive(Clone, Debug)]
pub struct ModuleOutput {
    /// Its name.
    pub name: SmolStr,
    /// Its type.
    pub ty: Ty,
}

/// Something that a file exports.
#[derive(Clone, Debug)]
pub enum ExportedItem {
    /// A type.
    Type(Ty),
    /// A variable.
    Variable(Ty),
    /// A function.
    Function(Signature),
}

impl<'m> Checker<'m> {
    /// What the file offers to others.
    pub(super) fn interface(&mut self) -> Interface {
        let model = self.model;
        let mut interface = Interface { target: model.target, ..Interface::default() };
        for symbol in &model.declarations.parameters {
            let Some(Statement::ParameterDeclaration(it)) = model.statement_of(*symbol) else { continue };
            let ty = self.symbol_type(*symbol);
            let has_default =
                it.modifier().and_then(SyntaxElement::node).is_some_and(|node| !node.is_skipped());
            let may_be_null = without_null(&ty).is_some() || matches!(it.ty(), TypeExpr::NullableType(_));
            let parameter = ModuleParameter { ty: passed(ty), required: !has_default && !may_be_null };
            interface.parameters.entry(model.symbol(*symbol).name.clone()).or_insert(parameter);
        }
        for symbol in &model.declarations.outputs {
            let name = model.symbol(*symbol).name.clone();
            if !interface.outputs.iter().any(|output| output.name == name) {
                let ty = self.symbol_type(*symbol);
                interface.outputs.push(ModuleOutput { name, ty });
            }
        }
        for export in model.exports() {
            let item = match export.kind {
                ExportKind::Type => ExportedItem::Type(self.alias(export.symbol)),
                ExportKind::Variable => ExportedItem::Variable(self.symbol_type(export.symbol)),
                ExportKind::Function => match self.function_signature(export.symbol) {
                    Some(signature) => ExportedItem::Function(signature),
                    None => continue,
                },
            };
            interface.exports.entry(export.name).or_insert(item);
        }
        interface
    }
}

/// The type of a parameter as a module's caller sees it.
fn passed(ty: Ty) -> Ty {
    match ty.kind() {
        Kind::Resource(resource) => Ty::new(Kind::ResourceParameter(resource.reference.clone())),
        _ => ty,
    }
}

/// How deep definitions of a template are followed.
const MAX_DEPTH: usize = 24;

impl Interface {
    /// What a template in JSON offers.
    #[must_use]
    pub(crate) fn of_template(template: &TemplateModel) -> Interface {
        let mut interface = Interface {
            target: template.target.unwrap_or(Scopes::RESOURCE_GROUP),
            has_errors: template.target.is_none(),
            ..Interface::default()
        };
        let Some(root) = template.root() else { return interface };
        let members = |name| root.member(name).into_iter().flat_map(Value::members);
        for (name, value) in members("parameters") {
            let Some(name) = name.as_str() else { continue };
            let ty = template_type(root, value, 0, true);
            let required = value.member("defaultValue").is_none() && without_null(&ty).is_none();
            interface.parameters.insert(name.into(), ModuleParameter { ty, required });
        }
        for (name, value) in members("outputs") {
            let Some(name) = name.as_str() else { continue };
            interface
                .outputs
                .push(ModuleOutput { name: name.into(), ty: template_type(root, value, 0, false) });
        }
        let exports: Vec<(SmolStr, ExportKind)> =
            template.exports().map(|(name, kind)| (name.into(), kind)).collect();
        for (name, kind) in exports {
            let item = match kind {
                ExportKind::Type => {
                    let definition = root.member("definitions").and_then(|it| it.member(&name));
                    ExportedItem::Type(
                        definition.map_or_else(Ty::any, |it| template_type(root, it, 0, false)),
                    )
                }
                ExportKind::Variable => ExportedItem::Variable(Ty::any()),
                ExportKind::Function => ExportedItem::Function(template_function(root, &name)),
            };
            interface.exports.insert(name, item);
        }
        interface
    }
}

fn template_function(root: Value<'_>, name: &str) -> Signature {
    let spaces = root.member("functions").into_iter().flat_map(Value::items);
    let found = spaces.into_iter().find_map(|space| {
        let prefix = space.member("namespace").and_then(Value::as_str).unwrap_or_default();
        let own = if prefix == "__bicep" { name } else { name.strip_prefix(prefix)?.strip_prefix('.')? };
        space.member("members")?.member(own)
    });
    let parameters = found.and_then(|it| it.member("parameters")).into_iter().flat_map(Value::items);
    let parameters = parameters.map(|parameter| Parameter {
        name: parameter.member("name").and_then(Value::as_str).unwrap_or_default().into(),
        ty: template_type(root, parameter, 0, false),
        required: true,
        constant: false,
    });
    Signature {
        name: name.into(),
        parameters: parameters.collect(),
        rest: None,
        result: found
            .and_then(|it| it.member("output"))
            .map_or_else(Ty::any, |it| template_type(root, it, 0, false)),
        flags: FunctionFlags::NONE,
    }
}

/// The type that a template's JSON describes.
fn template_type(root: Value<'_>, value: Value<'_>, depth: usize, loose: bool) -> Ty {
    if depth > MAX_DEPTH {
        return Ty::any();
    }
    let text = |name: &str| value.member(name).and_then(Value::as_str);
    let number = |name: &str| match value.member(name).map(Value::node) {
        Some(Node::Int(value)) => Some(value),
        _ => None,
    };
    let is_true = |name: &str| value.member(name).is_some_and(|it| it.node() == Node::Bool(true));
    let nullable_type = |ty: Ty| if is_true("nullable") { nullable(&ty) } else { ty };
    if let Some(pointer) = text("$ref").and_then(|text| text.strip_prefix('#'))
        && let Some(target) = root.pointer(pointer)
    {
        return nullable_type(template_type(root, target, depth + 1, loose));
    }
    let kind = text("type").unwrap_or_default().to_ascii_lowercase();
    let secure = if kind.starts_with("secure") { TypeFlags::SECURE } else { TypeFlags::NONE };
    let flags = if loose { secure.with(TypeFlags::LOOSE) } else { secure };
    let allowed: Vec<Ty> =
        value.member("allowedValues").into_iter().flat_map(Value::items).filter_map(literal).collect();
    if !allowed.is_empty() && matches!(kind.as_str(), "string" | "int" | "bool") {
        return nullable_type(union_of(allowed));
    }
    let length = Range { min: number("minLength"), max: number("maxLength") };
    nullable_type(match kind.as_str() {
        "string" | "securestring" => Ty::string_within(length, None, flags),
        "int" => Ty::int_within(Range { min: number("minValue"), max: number("maxValue") }, flags),
        "bool" => Ty::bool().with_flags(flags),
        "array" => match (value.member("prefixItems"), value.member("items")) {
            (Some(items), _) => Ty::tuple(
                items.items().map(|item| template_type(root, item, depth + 1, false).into()).collect(),
            ),
            (None, Some(item)) if matches!(item.node(), Node::Object(_)) => {
                Ty::array_of(template_type(root, item, depth + 1, false), length)
            }
            _ => Ty::array_of(Ty::any(), length),
        },
        "object" | "secureobject" => template_object(root, value, depth, secure),
        _ => Ty::any(),
    })
}

fn template_object(root: Value<'_>, value: Value<'_>, depth: usize, flags: TypeFlags) -> Ty {
    let has_shape = value.member("properties").is_some() || value.member("additionalProperties").is_some();
    if !has_shape {
        return Ty::object().with_flags(flags);
    }
    let members = value.member("properties").into_iter().flat_map(Value::members);
    let properties = members.filter_map(|(name, property)| {
        let ty = template_type(root, property, depth + 1, false);
        let optional = without_null(&ty).is_some();
        let flags = if optional { PropertyFlags::NONE } else { PropertyFlags::REQUIRED };
        Some((SmolStr::from(name.as_str()?), Property::new(ty, flags)))
    });
    let additional = match value.member("additionalProperties") {
        None => Some(Property::new(Ty::any(), PropertyFlags::FALLBACK)),
        Some(it) if it.node() == Node::Bool(false) => None,
        Some(it) => Some(Property::new(template_type(root, it, depth + 1, false), PropertyFlags::NONE)),
    };
    let properties: BTreeMap<SmolStr, Property> = properties.collect();
    let name = crate::types::object_name(
        properties.iter().map(|(name, it)| (name.as_str(), it.ty.get().name().clone())),
        None,
    );
    Ty::flagged(Kind::Object(Object { name, properties, additional, ..Object::default() }), flags)
}

fn literal(value: Value<'_>) -> Option<Ty> {
    match value.node() {
        Node::Text(text) => Some(Ty::string_literal(text)),
        Node::Int(number) => Some(Ty::int_literal(number)),
        Node::Bool(value) => Some(Ty::bool_literal(value)),
        Node::Null => Some(Ty::null()),
        _ => None,
    }
}
