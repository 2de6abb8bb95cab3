//! Type expressions to the types of templates.

use syntax::ast::{
    AstNode as _, NameOrString, ObjectType, ParameterizedTypeInstantiation, Statement, StringTypeLiteral,
    TupleType, TypeExpr, UnaryTypeOperation, UnionType,
};
use syntax::{NodeKind, SyntaxNode};

use super::decorators::DecoratedNode;
use super::emitter::Emitter;
use super::literals::Literal;
use super::tree::{EmitTree, Members, merge};
use super::typerefs::Resolution;
use super::validators::CONSTRAINT;
use crate::decorators::{self, DESCRIPTION, Decorator, Refines};
use crate::layout::resource_type;
use crate::symbols::{Binding, CallSyntax, Model};
use crate::types::{Ambient, TypeReference};

impl<'u> Emitter<'u> {
    /// The members that describe a type.
    pub(crate) fn type_members(&mut self, ty: TypeExpr<'u>) -> Members<'u> {
        let model = self.unit.model;
        match ty {
            TypeExpr::TypeVariableAccess(_) | TypeExpr::TypePropertyAccess(_) => {
                match model.binding(ty.node().id()) {
                    Binding::Ambient(Ambient::Any) => Members::new(),
                    Binding::Ambient(ambient) => vec![named_type(ambient.name())],
                    _ => self.reference_members(ty),
                }
            }
            TypeExpr::TypeAdditionalPropertiesAccess(_)
            | TypeExpr::TypeArrayAccess(_)
            | TypeExpr::TypeItemsAccess(_)
            | TypeExpr::ParameterizedTypeInstantiation(_)
            | TypeExpr::InstanceParameterizedTypeInstantiation(_) => self.reference_members(ty),
            TypeExpr::StringTypeLiteral(_)
            | TypeExpr::IntegerTypeLiteral(_)
            | TypeExpr::BooleanTypeLiteral(_)
            | TypeExpr::UnaryTypeOperation(_) => match self.literal_of(ty) {
                Some(literal) => {
                    let kind = literal.kind().unwrap_or("string");
                    vec![named_type(kind), ("allowedValues".into(), EmitTree::Array(vec![literal.to_tree()]))]
                }
                None => Members::new(),
            },
            TypeExpr::UnionType(union) => self.union_members(union),
            TypeExpr::ResourceType(_) => match resource_type(ty) {
                Some(ty) => resource_members(&self.spelled(ty)),
                None => vec![named_type("string")],
            },
            TypeExpr::ArrayType(array) => {
                let item = array.item();
                let rest = match self.allowed_values(item) {
                    Some(values) => ("allowedValues".into(), values),
                    None => ("items".into(), EmitTree::Object(self.type_members(item))),
                };
                vec![named_type("array"), rest]
            }
            TypeExpr::ObjectType(object) => self.object_type_members(object),
            TypeExpr::TupleType(tuple) => self.tuple_members(tuple),
            TypeExpr::NullableType(it) => {
                let mut members = self.type_members(it.base());
                merge(&mut members, "nullable", EmitTree::Bool(true));
                members
            }
            TypeExpr::NonNullableType(it) => {
                let mut members = self.type_members(it.base());
                merge(&mut members, "nullable", EmitTree::Bool(false));
                members
            }
            TypeExpr::ParenthesizedType(it) => self.type_members(it.expression()),
            TypeExpr::NullTypeLiteral(_) | TypeExpr::Skipped(_) => Members::new(),
        }
    }

    fn reference_members(&mut self, ty: TypeExpr<'u>) -> Members<'u> {
        match self.resolve(ty) {
            Some(resolution) => resolution.members(),
            None => Members::new(),
        }
    }

    /// A type in the spelling of the type data.
    pub(super) fn spelled(&self, ty: TypeReference) -> TypeReference {
        let known = self.unit.model.az_types.as_ref().and_then(|store| {
            let known = store.resource_type(&ty.name, ty.version.as_deref()).ok()??;
            Some(TypeReference { name: known.name.into(), version: known.api_version.map(Into::into) })
        });
        known.unwrap_or(ty)
    }

    fn object_type_members(&mut self, object: ObjectType<'u>) -> Members<'u> {
        let mut properties = Members::new();
        for property in object.properties() {
            let Some(name) = property.key().constant() else { continue };
            let members = self.type_members(property.value());
            let members = self.with_decorators(property.node(), members, false);
            properties.push((name, EmitTree::Object(members)));
        }
        let mut members = vec![named_type("object"), ("properties".into(), EmitTree::Object(properties))];
        if let Some(additional) = object.additional_properties().next() {
            let inner = self.type_members(additional.value());
            let inner = self.with_decorators(additional.node(), inner, false);
            members.push(("additionalProperties".into(), EmitTree::Object(inner)));
        }
        members
    }

    fn tuple_members(&mut self, tuple: TupleType<'u>) -> Members<'u> {
        let mut items = Vec::new();
        for item in tuple.members() {
            let members = self.type_members(item.value());
            items.push(EmitTree::Object(self.with_decorators(item.node(), members, false)));
        }
        vec![
            named_type("array"),
            ("prefixItems".into(), EmitTree::Array(items)),
            ("items".into(), EmitTree::Bool(false)),
        ]
    }

    fn union_members(&mut self, union: UnionType<'u>) -> Members<'u> {
        if let Some(property) = discriminator(self.unit.model, union.node()) {
            let mapping = self.mapping(union, &property, 0);
            let discriminator = vec![
                ("propertyName".into(), EmitTree::text(property)),
                ("mapping".into(), EmitTree::Object(mapping)),
            ];
            return vec![named_type("object"), ("discriminator".into(), EmitTree::Object(discriminator))];
        }
        let found = self.union_literals(TypeExpr::UnionType(union));
        let nullable = found.len() > 1 && found.iter().any(|(_, literal)| *literal == Literal::Null);
        let literals = found
            .iter()
            .map(|(_, literal)| literal)
            .filter(|literal| !nullable || **literal != Literal::Null);
        let mut members: Members<'u> =
            literals.clone().next().and_then(Literal::kind).map(named_type).into_iter().collect();
        members.push(("allowedValues".into(), EmitTree::Array(literals.map(Literal::to_tree).collect())));
        if nullable {
            members.push(("nullable".into(), EmitTree::Bool(true)));
        }
        members
    }

    /// The values that the items of an array may have, when they are listed.
    fn allowed_values(&mut self, item: TypeExpr<'u>) -> Option<EmitTree<'u>> {
        let literal = match item {
            TypeExpr::ParenthesizedType(it) => return self.allowed_values(it.expression()),
            TypeExpr::UnionType(union) if discriminator(self.unit.model, union.node()).is_none() => {
                let found = self.union_literals(item);
                return Some(EmitTree::Array(found.iter().map(|(_, literal)| literal.to_tree()).collect()));
            }
            TypeExpr::StringTypeLiteral(_)
            | TypeExpr::IntegerTypeLiteral(_)
            | TypeExpr::BooleanTypeLiteral(_)
            | TypeExpr::UnaryTypeOperation(_)
            | TypeExpr::NullTypeLiteral(_) => plain_literal(item)?,
            TypeExpr::ObjectType(_) | TypeExpr::TupleType(_) => self.literal_of(item)?,
            _ => return None,
        };
        Some(EmitTree::Array(vec![literal.to_tree()]))
    }

    /// The variants of a discriminated union, by the value that selects them.
    fn mapping(&mut self, union: UnionType<'u>, property: &str, depth: usize) -> Members<'u> {
        const MAX_NESTED: usize = 32;
        let mut entries = Members::new();
        if depth > MAX_NESTED {
            return entries;
        }
        for member in union.members() {
            let mut member = member;
            while let TypeExpr::ParenthesizedType(inner) = member {
                member = inner.expression();
            }
            match member {
                TypeExpr::ObjectType(object) => {
                    if let Some(value) = self.discriminator_value(object, property) {
                        let members = self.object_type_members(object);
                        entries.push((value.into(), EmitTree::Object(members)));
                    }
                }
                TypeExpr::UnionType(inner) => entries.extend(self.mapping(inner, property, depth + 1)),
                _ => {
                    if let Some(resolution) = self.resolve(member) {
                        self.variant(resolution, property, depth, &mut entries);
                    }
                }
            }
        }
        entries
    }

    /// Adds the variants that a member of a discriminated union refers to.
    fn variant(
        &mut self,
        resolution: Resolution<'u>,
        property: &str,
        depth: usize,
        entries: &mut Members<'u>,
    ) {
        match resolution {
            Resolution::Internal { pointer, node } => match self.variant_values(node, property, depth) {
                super::typerefs::Variants::One(value) => {
                    entries
                        .push((value.into(), EmitTree::Object(super::typerefs::pointer_members(&pointer))));
                }
                super::typerefs::Variants::Many(union, model) => {
                    let inner = self.in_model(model, |this| this.mapping(union, property, depth + 1));
                    entries.extend(inner);
                }
                super::typerefs::Variants::Template(more) => entries.extend(more),
                super::typerefs::Variants::None => {}
            },
            Resolution::Derived(derived) => {
                for (value, derived) in derived.variants(property) {
                    entries.push((value.into(), EmitTree::Object(derived.members())));
                }
            }
        }
    }

    /// Adds what the decorators of a declaration, property or item say about its type.
    pub(crate) fn with_decorators(
        &mut self,
        node: SyntaxNode<'u>,
        mut members: Members<'u>,
        can_export: bool,
    ) -> Members<'u> {
        if node.decorators().next().is_none() {
            return members;
        }
        let found: Vec<(&'static Decorator, CallSyntax<'u>)> = self.unit.model.decorators(node).collect();
        for row in decorators::all() {
            let call = found.iter().rev().find(|(known, _)| *known == row);
            if let Some((_, call)) = call {
                self.add_decorator(row.writes, DecoratedNode { node, can_export }, *call, &mut members);
            }
        }
        let mut validators = self.validators(node);
        match validators.pop() {
            None => {}
            Some(only) if validators.is_empty() => merge(&mut members, CONSTRAINT, only),
            Some(last) => {
                validators.push(last);
                merge(&mut members, CONSTRAINT, EmitTree::Array(validators));
            }
        }
        members
    }

    /// The description of a declaration, property or item.
    pub(crate) fn description(&self, node: SyntaxNode<'u>) -> Option<EmitTree<'u>> {
        let model = self.unit.model;
        let call = model.decorators(node).filter(|(row, _)| *row == &DESCRIPTION).last()?.1;
        let argument = call.argument(0)?;
        match self.shape(argument) {
            super::values::ExpressionShape::Text(text) => Some(EmitTree::text(normalize_indent(&text))),
            _ => Some(EmitTree::Expression(argument)),
        }
    }
}

/// The members that describe a resource.
pub(super) fn resource_members<'u>(ty: &TypeReference) -> Members<'u> {
    let metadata = vec![("resourceType".into(), EmitTree::text(ty.full_name()))];
    vec![named_type("string"), ("metadata".into(), EmitTree::Object(metadata))]
}

/// `"type": name`
pub(super) fn named_type<'u>(name: &'static str) -> (std::borrow::Cow<'u, str>, EmitTree<'u>) {
    ("type".into(), EmitTree::text(name))
}

/// The value of a literal type.
pub(super) fn plain_literal(ty: TypeExpr<'_>) -> Option<Literal> {
    match ty {
        TypeExpr::StringTypeLiteral(it) => {
            StringTypeLiteral::constant(it).map(|text| Literal::Text((&*text).into()))
        }
        TypeExpr::IntegerTypeLiteral(it) => i64::try_from(it.value()).ok().map(Literal::Int),
        TypeExpr::BooleanTypeLiteral(it) => {
            Some(Literal::Bool(it.literal().is_some_and(|token| token.text() == "true")))
        }
        TypeExpr::NullTypeLiteral(_) => Some(Literal::Null),
        TypeExpr::UnaryTypeOperation(it) => negated(it),
        TypeExpr::ParenthesizedType(it) => plain_literal(it.expression()),
        _ => None,
    }
}

fn negated(operation: UnaryTypeOperation<'_>) -> Option<Literal> {
    match (operation.operator()?.text(), operation.operand()) {
        ("-", TypeExpr::IntegerTypeLiteral(it)) => {
            i64::try_from(-i128::from(it.value())).ok().map(Literal::Int)
        }
        (operator, operand) => opposite(operator, plain_literal(operand)?),
    }
}

/// The value of `-1` or `!true`.
pub(super) fn opposite(operator: &str, literal: Literal) -> Option<Literal> {
    match (operator, literal) {
        ("-", Literal::Int(value)) => value.checked_neg().map(Literal::Int),
        ("!", Literal::Bool(value)) => Some(Literal::Bool(!value)),
        _ => None,
    }
}

/// The property that selects the variant of a union, if a decorator names one.
pub(super) fn discriminator(model: &Model, union: SyntaxNode<'_>) -> Option<String> {
    let mut node = model.file.parent(union)?;
    while matches!(
        node.kind(),
        NodeKind::ParenthesizedType
            | NodeKind::NullableType
            | NodeKind::NonNullableType
            | NodeKind::ArrayType
    ) {
        node = model.file.parent(node)?;
    }
    let call = model.refined(node, Refines::Discriminator)?;
    match call.argument(0)? {
        syntax::ast::Expr::String(text) => text.constant().map(Into::into),
        _ => None,
    }
}

/// The resource type that `resourceInput<'...'>` names.
pub(super) fn type_argument(instantiation: ParameterizedTypeInstantiation<'_>) -> Option<TypeReference> {
    argument_of(instantiation.arguments().next()?)
}

pub(super) fn argument_of(argument: TypeExpr<'_>) -> Option<TypeReference> {
    match argument {
        TypeExpr::StringTypeLiteral(text) => {
            let text = text.constant()?;
            // The type can be marked as Azure's.
            TypeReference::parse(text.strip_prefix("az:").unwrap_or(&text))
        }
        _ => None,
    }
}

/// The name of a property of an object type.
pub(super) fn property_name(key: NameOrString<'_>) -> Option<String> {
    key.constant().map(Into::into)
}

/// The declared type behind a `type` statement.
pub(super) fn alias_value(model: &Model, symbol: crate::symbols::SymbolId) -> Option<TypeExpr<'_>> {
    match model.statement_of(symbol)? {
        Statement::TypeDeclaration(declaration) => Some(declaration.value()),
        _ => None,
    }
}

/// Takes the indentation that all lines but the first have in common away.
pub(crate) fn normalize_indent(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.collect();
    let indent = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = rest.iter().filter(|line| !line.is_empty()).map(indent).min().unwrap_or(0);
    let mut result = first.to_owned();
    for line in rest {
        result.push('\n');
        result.push_str(line.get(common..).unwrap_or_default());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_lose_the_indentation_of_the_program() {
        assert_eq!(normalize_indent("a\n    b\n      c\n\n    d"), "a\nb\n  c\n\nd");
        assert_eq!(normalize_indent("a\r\n  b"), "a\nb");
        assert_eq!(normalize_indent("one line"), "one line");
    }
}
