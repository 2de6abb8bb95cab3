//! Types by name: what a name or a path of types leads to, and how a template points to it.

use document::SourceValue;
use syntax::ast::{AstNode as _, Expr, ObjectType, TypeExpr, UnionType};

use super::armsource;
use super::armtypes;
use super::derived::{Derived, Variant};
use super::emitter::Emitter;
use super::tree::{EmitTree, Members};
use super::types::{alias_value, argument_of, discriminator, type_argument};
use crate::symbols::{Binding, ExportKind, Imported, Model, ModuleTarget, SymbolKind, TemplateModel};
use crate::types::Ambient;

/// How far references to references are followed.
const MAX_STEPS: usize = 64;

/// The declaration of a type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TypeNode<'u> {
    Bicep(&'u Model, TypeExpr<'u>),
    Template(&'u TemplateModel, SourceValue<'u>),
}

/// What a type that is not written out leads to.
#[derive(Clone, Debug)]
pub(crate) enum Resolution<'u> {
    /// A definition of the template, or a part of one.
    Internal { pointer: Vec<String>, node: TypeNode<'u> },
    /// A part of a resource's type.
    Derived(Derived),
}

/// The variants that a member of a discriminated union stands for.
pub(crate) enum Variants<'u> {
    One(String),
    Many(UnionType<'u>, &'u Model),
    Template(Members<'u>),
    None,
}

/// One step from a type to a type inside it.
enum TypeStep {
    Property(String),
    AdditionalProperties,
    Index(usize),
    Items,
}

impl<'u> Resolution<'u> {
    /// The members that describe the type.
    pub(super) fn members(&self) -> Members<'u> {
        match self {
            Resolution::Internal { pointer, .. } => pointer_members(pointer),
            Resolution::Derived(derived) => derived.members(),
        }
    }
}

/// `"$ref": "#/..."`
pub(super) fn pointer_members<'u>(pointer: &[String]) -> Members<'u> {
    let mut text = String::from("#");
    for segment in pointer {
        text.push('/');
        text.push_str(&escape_segment(segment));
    }
    vec![("$ref".into(), EmitTree::text(text))]
}

/// A name as a part of a JSON pointer in an address.
pub(super) fn escape_segment(segment: &str) -> String {
    let mut escaped = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        match byte {
            b'~' => escaped.push_str("~0"),
            b'/' => escaped.push_str("~1"),
            b'-' | b'.' | b'_' => escaped.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => escaped.push(char::from(byte)),
            _ => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

impl<'u> Emitter<'u> {
    /// Runs `body` as if inside the file of a model.
    pub(super) fn in_model<R>(&mut self, model: &'u Model, body: impl FnOnce(&mut Self) -> R) -> R {
        match self.unit_of(model) {
            Some(unit) => self.within(unit, body),
            None => body(self),
        }
    }

    /// What a type that is not written out leads to.
    pub(super) fn resolve(&mut self, ty: TypeExpr<'u>) -> Option<Resolution<'u>> {
        let mut steps = Vec::new();
        let mut root = ty;
        // From the outside in: the last step comes first.
        let mut current = loop {
            match root {
                TypeExpr::ParenthesizedType(it) => root = it.expression(),
                TypeExpr::TypePropertyAccess(it) => {
                    if let Some(resolution) = self.wildcard_type(it.base(), it.name().text()) {
                        break resolution;
                    }
                    steps.push(TypeStep::Property(it.name().text().to_owned()));
                    root = it.base();
                }
                TypeExpr::TypeAdditionalPropertiesAccess(it) => {
                    steps.push(TypeStep::AdditionalProperties);
                    root = it.base();
                }
                TypeExpr::TypeItemsAccess(it) => {
                    steps.push(TypeStep::Items);
                    root = it.base();
                }
                TypeExpr::TypeArrayAccess(it) => {
                    match it.index() {
                        Expr::IntegerLiteral(index) => {
                            steps.push(TypeStep::Index(usize::try_from(index.value()).ok()?))
                        }
                        Expr::String(text) => {
                            let name = text.constant()?;
                            if let Some(resolution) = self.wildcard_type(it.base(), &name) {
                                break resolution;
                            }
                            steps.push(TypeStep::Property(name.into_owned()));
                        }
                        _ => return None,
                    }
                    root = it.base();
                }
                TypeExpr::NonNullableType(it) => root = it.base(),
                _ => break self.resolve_root(root)?,
            }
        };
        while let Some(step) = steps.pop() {
            current = self.step_into(current, &step, 0)?;
        }
        Some(current)
    }

    /// The declaration that a type leads to, if it is one of a file.
    pub(super) fn resolved_node(&mut self, ty: TypeExpr<'u>) -> Option<TypeNode<'u>> {
        match self.resolve(ty)? {
            Resolution::Internal { node, .. } => Some(node),
            Resolution::Derived(_) => None,
        }
    }

    fn resolve_root(&mut self, root: TypeExpr<'u>) -> Option<Resolution<'u>> {
        let model = self.unit.model;
        match root {
            TypeExpr::TypeVariableAccess(_) => {
                let symbol = model.symbol_at(root.node())?;
                let pointer = vec!["definitions".to_owned(), self.names.symbol(model, symbol).to_owned()];
                let node = match model.symbol(symbol).kind {
                    SymbolKind::Type => TypeNode::Bicep(model, alias_value(model, symbol)?),
                    SymbolKind::Imported(_) => {
                        let (item, imported) = model.imported_item(symbol)?;
                        exported_type(imported, &item.original)?
                    }
                    _ => return None,
                };
                Some(Resolution::Internal { pointer, node })
            }
            TypeExpr::ParameterizedTypeInstantiation(it) => {
                let Binding::Ambient(ambient) = model.binding(root.node().id()) else { return None };
                self.derived(ambient, type_argument(it)?)
            }
            TypeExpr::InstanceParameterizedTypeInstantiation(it) => {
                let Binding::Ambient(ambient) = model.binding(root.node().id()) else { return None };
                self.derived(ambient, argument_of(it.arguments().next()?)?)
            }
            _ => None,
        }
    }

    fn derived(&self, ambient: Ambient, ty: crate::types::TypeReference) -> Option<Resolution<'u>> {
        let variant = match ambient {
            Ambient::ResourceInput => Variant::Input,
            Ambient::ResourceOutput => Variant::Output,
            _ => return None,
        };
        let ty = self.spelled(ty);
        Some(Resolution::Derived(Derived::new(self.unit.model.az_types.clone(), ty, variant)))
    }

    /// A type of an `import * as` symbol.
    fn wildcard_type(&self, base: TypeExpr<'u>, name: &str) -> Option<Resolution<'u>> {
        let model = self.unit.model;
        let symbol = model.symbol_at(base.node())?;
        let imported = model.wildcard_source(symbol)?;
        let pointer = vec!["definitions".to_owned(), self.names.wildcard(model, symbol, name).to_owned()];
        Some(Resolution::Internal { pointer, node: exported_type(imported, name)? })
    }

    fn step_into(&mut self, from: Resolution<'u>, step: &TypeStep, depth: usize) -> Option<Resolution<'u>> {
        if depth > MAX_STEPS {
            return None;
        }
        let (pointer, node) = match from {
            Resolution::Derived(derived) => {
                return Some(Resolution::Derived(match step {
                    TypeStep::Property(name) => derived.property(name),
                    TypeStep::AdditionalProperties => derived.additional_properties(),
                    TypeStep::Index(index) => derived.index(*index),
                    TypeStep::Items => derived.items(),
                }));
            }
            Resolution::Internal { pointer, node } => (pointer, node),
        };
        match node {
            TypeNode::Bicep(model, ty) => match (step, unwrapped(ty)) {
                (TypeStep::Property(name), TypeExpr::ObjectType(object)) => {
                    let found = object
                        .properties()
                        .find(|it| it.key().constant().is_some_and(|it| it.eq_ignore_ascii_case(name)))?;
                    Some(inside(pointer, &["properties", name], TypeNode::Bicep(model, found.value())))
                }
                (TypeStep::AdditionalProperties, TypeExpr::ObjectType(object)) => {
                    let found = object.additional_properties().next()?;
                    Some(inside(pointer, &["additionalProperties"], TypeNode::Bicep(model, found.value())))
                }
                (TypeStep::Index(index), TypeExpr::TupleType(tuple)) => {
                    let found = tuple.members().nth(*index)?;
                    Some(inside(
                        pointer,
                        &["prefixItems", &index.to_string()],
                        TypeNode::Bicep(model, found.value()),
                    ))
                }
                (TypeStep::Items, TypeExpr::ArrayType(array)) => {
                    Some(inside(pointer, &["items"], TypeNode::Bicep(model, array.item())))
                }
                (_, ty) => {
                    let next = self.in_model(model, |this| this.resolve(ty))?;
                    self.step_into(next, step, depth + 1)
                }
            },
            TypeNode::Template(template, value) => {
                let path: Vec<String> = match step {
                    TypeStep::Property(name) => vec!["properties".to_owned(), name.clone()],
                    TypeStep::AdditionalProperties => vec!["additionalProperties".to_owned()],
                    TypeStep::Index(index) => vec!["prefixItems".to_owned(), index.to_string()],
                    TypeStep::Items => vec!["items".to_owned()],
                };
                let found = path.iter().try_fold(value, |value, name| match name.parse() {
                    Ok(index) if value.items().next().is_some() => value.item(index),
                    _ => value.member(name),
                });
                if let Some(found) = found {
                    let mut pointer = pointer;
                    pointer.extend(path);
                    return Some(Resolution::Internal { pointer, node: TypeNode::Template(template, found) });
                }
                let target = value.member("$ref").and_then(SourceValue::as_str)?;
                let name = self.names.template(template, ExportKind::Type, target)?;
                let node =
                    TypeNode::Template(template, armsource::declaration(template, ExportKind::Type, target)?);
                let next =
                    Resolution::Internal { pointer: vec!["definitions".to_owned(), name.to_owned()], node };
                self.step_into(next, step, depth + 1)
            }
        }
    }

    /// The value of the property that selects an object among the variants of a union.
    pub(super) fn discriminator_value(&mut self, object: ObjectType<'u>, property: &str) -> Option<String> {
        let found = object.properties().find(|it| it.key().constant().as_deref() == Some(property))?;
        self.literal_text(found.value())
    }

    /// The variants that the declaration of a type stands for.
    pub(super) fn variant_values(
        &mut self,
        node: TypeNode<'u>,
        property: &str,
        depth: usize,
    ) -> Variants<'u> {
        if depth > MAX_STEPS {
            return Variants::None;
        }
        match node {
            TypeNode::Bicep(model, ty) => match unwrapped(ty) {
                TypeExpr::ObjectType(object) => {
                    let value = self.in_model(model, |this| this.discriminator_value(object, property));
                    value.map_or(Variants::None, Variants::One)
                }
                TypeExpr::UnionType(union) if discriminator(model, union.node()).is_some() => {
                    Variants::Many(union, model)
                }
                ty => match self.in_model(model, |this| this.resolved_node(ty)) {
                    Some(node) => self.variant_values(node, property, depth + 1),
                    None => Variants::None,
                },
            },
            TypeNode::Template(template, value) => match armtypes::discriminator_value(value, property) {
                Some(value) => Variants::One(value),
                None => Variants::Template(armtypes::mapping(self.names, template, value)),
            },
        }
    }
}

fn inside<'u>(mut pointer: Vec<String>, path: &[&str], node: TypeNode<'u>) -> Resolution<'u> {
    pointer.extend(path.iter().map(|part| (*part).to_owned()));
    Resolution::Internal { pointer, node }
}

/// A type without parentheses and marks for null.
fn unwrapped(ty: TypeExpr<'_>) -> TypeExpr<'_> {
    let mut ty = ty;
    loop {
        ty = match ty {
            TypeExpr::ParenthesizedType(it) => it.expression(),
            TypeExpr::NullableType(it) => it.base(),
            TypeExpr::NonNullableType(it) => it.base(),
            ty => return ty,
        };
    }
}

/// The declaration of a type that a file exports.
fn exported_type<'u>(imported: &'u Imported, name: &str) -> Option<TypeNode<'u>> {
    match imported.target.as_ref().ok()? {
        ModuleTarget::Bicep(model) => {
            Some(TypeNode::Bicep(model, alias_value(model, model.export(name)?.symbol)?))
        }
        ModuleTarget::Template(template) => {
            let identifier = armsource::identifier(ExportKind::Type, name);
            Some(TypeNode::Template(
                template,
                armsource::declaration(template, ExportKind::Type, &identifier)?,
            ))
        }
    }
}
