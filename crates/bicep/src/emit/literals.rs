//! Types that are single values, and unions of them.

use smol_str::SmolStr;
use syntax::ast::TypeExpr;
use syntax::spelling::quoted;

use super::emitter::Emitter;
use super::tree::EmitTree;
use super::typerefs::TypeNode;
use super::types::{opposite, plain_literal, property_name};
use crate::types::Ambient;

/// How deep literals may nest, and how far references are followed.
const MAX_DEPTH: usize = 64;

/// A value that a type consists of; or a whole kind of values, where it is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Text(SmolStr),
    Object(Vec<(String, Literal)>),
    Array(Vec<Literal>),
    /// No value: any of this kind.
    Kind(&'static str),
}

impl Literal {
    /// The kind of the value.
    pub(super) fn kind(&self) -> Option<&'static str> {
        match self {
            Literal::Null => None,
            Literal::Bool(_) => Some("bool"),
            Literal::Int(_) => Some("int"),
            Literal::Text(_) => Some("string"),
            Literal::Object(_) => Some("object"),
            Literal::Array(_) => Some("array"),
            Literal::Kind(kind) => Some(kind),
        }
    }

    pub(super) fn into_tree<'u>(self) -> EmitTree<'u> {
        match self {
            Literal::Null => EmitTree::Null,
            Literal::Bool(value) => EmitTree::Bool(value),
            Literal::Int(value) => EmitTree::Int(value),
            Literal::Text(text) => EmitTree::text(text.to_string()),
            Literal::Object(members) => EmitTree::Object(
                members.into_iter().map(|(name, value)| (name.into(), value.into_tree())).collect(),
            ),
            Literal::Array(items) => EmitTree::Array(items.into_iter().map(Literal::into_tree).collect()),
            Literal::Kind(_) => EmitTree::Null,
        }
    }

    /// The name by which members of a union are sorted.
    fn sort_name(&self) -> String {
        match self {
            Literal::Null => "null".to_owned(),
            Literal::Bool(value) => value.to_string(),
            Literal::Int(value) => value.to_string(),
            Literal::Text(text) => quoted(text),
            Literal::Object(members) => {
                let members: Vec<String> =
                    members.iter().map(|(name, value)| format!("{name}: {}", value.sort_name())).collect();
                format!("{{ {} }}", members.join(", "))
            }
            Literal::Array(items) => {
                let items: Vec<String> = items.iter().map(Literal::sort_name).collect();
                format!("[{}]", items.join(", "))
            }
            Literal::Kind(kind) => (*kind).to_owned(),
        }
    }
}

/// The kind of values that a type which is not a literal has.
fn kind_name(ty: TypeExpr<'_>) -> &'static str {
    match ty {
        TypeExpr::ObjectType(_) => "object",
        TypeExpr::TupleType(_) | TypeExpr::ArrayType(_) => "array",
        TypeExpr::TypeVariableAccess(it) => Ambient::from_name(it.name().text()).map_or("any", Ambient::name),
        _ => "any",
    }
}

impl<'u> Emitter<'u> {
    /// The values of a union, each once, in the order that templates list them.
    pub(super) fn union_literals(&mut self, ty: TypeExpr<'u>) -> Vec<Literal> {
        let mut found = Vec::new();
        self.collect_literals(ty, &mut found, 0);
        let mut named: Vec<(String, Literal)> =
            found.into_iter().map(|literal| (literal.sort_name(), literal)).collect();
        named.sort_by(|(a, _), (b, _)| a.cmp(b));
        named.dedup_by(|(a, _), (b, _)| a == b);
        named.into_iter().map(|(_, literal)| literal).collect()
    }

    fn collect_literals(&mut self, ty: TypeExpr<'u>, found: &mut Vec<Literal>, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        match ty {
            TypeExpr::UnionType(union) => {
                for member in union.members() {
                    self.collect_literals(member, found, depth + 1);
                }
            }
            TypeExpr::ParenthesizedType(it) => self.collect_literals(it.expression(), found, depth + 1),
            TypeExpr::NullableType(it) => {
                self.collect_literals(it.base(), found, depth + 1);
                found.push(Literal::Null);
            }
            TypeExpr::NonNullableType(it) => {
                let mut inner = Vec::new();
                self.collect_literals(it.base(), &mut inner, depth + 1);
                found.extend(inner.into_iter().filter(|literal| *literal != Literal::Null));
            }
            _ => match plain_literal(ty) {
                Some(literal) => found.push(literal),
                None => match self.resolved_node(ty) {
                    Some(TypeNode::Bicep(model, inner)) => {
                        let mut more = Vec::new();
                        self.in_model(model, |this| this.collect_literals(inner, &mut more, depth + 1));
                        found.extend(more);
                    }
                    Some(TypeNode::Template(_, value)) => found.extend(super::armtypes::literals(value)),
                    None => {
                        found.push(self.literal_of(ty, depth + 1).unwrap_or(Literal::Kind(kind_name(ty))))
                    }
                },
            },
        }
    }

    /// The one value that a type has, or its kind.
    pub(super) fn literal_of(&mut self, ty: TypeExpr<'u>, depth: usize) -> Option<Literal> {
        if depth > MAX_DEPTH {
            return None;
        }
        match ty {
            TypeExpr::ObjectType(object) => {
                if object.additional_properties().next().is_some() {
                    return None;
                }
                let mut members = Vec::new();
                for property in object.properties() {
                    members.push((property_name(property.key())?, self.single(property.value(), depth + 1)?));
                }
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                Some(Literal::Object(members))
            }
            TypeExpr::TupleType(tuple) => {
                let items = tuple.members().map(|item| self.single(item.value(), depth + 1));
                Some(Literal::Array(items.collect::<Option<Vec<_>>>()?))
            }
            TypeExpr::UnaryTypeOperation(operation) => plain_literal(ty).or_else(|| {
                let operand = self.single(operation.operand(), depth + 1)?;
                opposite(operation.operator()?.text(), operand)
            }),
            _ => plain_literal(ty),
        }
    }

    /// The one value of a type, through names.
    fn single(&mut self, ty: TypeExpr<'u>, depth: usize) -> Option<Literal> {
        if let Some(literal) = self.literal_of(ty, depth) {
            return Some(literal);
        }
        let mut found = Vec::new();
        self.collect_literals(ty, &mut found, depth);
        match found.as_slice() {
            [one] if !matches!(one, Literal::Kind(_)) => Some(one.clone()),
            _ => None,
        }
    }

    /// The text that the type of a property has, if it has just one.
    pub(super) fn literal_text(&mut self, ty: TypeExpr<'u>) -> Option<String> {
        match self.single(ty, 0)? {
            Literal::Text(text) => Some(text.to_string()),
            _ => None,
        }
    }
}
