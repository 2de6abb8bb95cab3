//! Types that are single values, and unions of them.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::NodeId;
use syntax::ast::{AstNode as _, TypeExpr};
use syntax::spelling::quoted;

use super::emitter::Emitter;
use super::tree::EmitTree;
use super::typerefs::TypeNode;
use super::types::{opposite, plain_literal, property_name};
use crate::symbols::Model;
use crate::types::Ambient;

/// The most values in one literal, those inside it included. Types that double with each line reach any number.
const MOST_VALUES: usize = 250_000;

/// A value that a type consists of; or a whole kind of values, where it is none. What it contains is shared: a type that is
/// mentioned often is made once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Text(SmolStr),
    Object(Arc<LiteralParts<(String, Literal)>>),
    Array(Arc<LiteralParts<Literal>>),
    /// No value: any of this kind.
    Kind(&'static str),
}

/// The values in a literal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LiteralParts<T> {
    items: Vec<T>,
    /// How many values there are, with all that they contain.
    values: usize,
}

/// Literals in the order that templates list them, each once, with the names by which they are sorted.
pub(super) type LiteralSet = Arc<[(String, Literal)]>;

/// The literals of types that were looked at, by the file and the place of each. One without any is being looked at.
pub(super) type KnownLiterals = FxHashMap<(usize, NodeId), Option<LiteralSet>>;

impl Literal {
    /// An object of these members; none if it is too large.
    pub(super) fn object(members: Vec<(String, Literal)>) -> Option<Literal> {
        let values = count(members.iter().map(|(_, value)| value))?;
        Some(Literal::Object(Arc::new(LiteralParts { items: members, values })))
    }

    /// A list of these items; none if it is too large.
    pub(super) fn array(items: Vec<Literal>) -> Option<Literal> {
        let values = count(items.iter())?;
        Some(Literal::Array(Arc::new(LiteralParts { items, values })))
    }

    fn values(&self) -> usize {
        match self {
            Literal::Object(parts) => parts.values,
            Literal::Array(parts) => parts.values,
            _ => 1,
        }
    }

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

    pub(super) fn to_tree<'u>(&self) -> EmitTree<'u> {
        match self {
            Literal::Bool(value) => EmitTree::Bool(*value),
            Literal::Int(value) => EmitTree::Int(*value),
            Literal::Text(text) => EmitTree::text(text.to_string()),
            Literal::Object(members) => {
                let members = members.items.iter();
                EmitTree::Object(
                    members.map(|(name, value)| (name.clone().into(), value.to_tree())).collect(),
                )
            }
            Literal::Array(items) => EmitTree::Array(items.items.iter().map(Literal::to_tree).collect()),
            Literal::Null | Literal::Kind(_) => EmitTree::Null,
        }
    }

    /// The name by which members of a union are sorted.
    fn sort_name(&self) -> String {
        let mut name = String::new();
        self.add_name(&mut name);
        name
    }

    fn add_name(&self, name: &mut String) {
        match self {
            Literal::Null => name.push_str("null"),
            Literal::Bool(value) => name.push_str(if *value { "true" } else { "false" }),
            Literal::Int(value) => name.push_str(&value.to_string()),
            Literal::Text(text) => name.push_str(&quoted(text)),
            Literal::Object(members) => {
                name.push_str("{ ");
                for (place, (member, value)) in members.items.iter().enumerate() {
                    name.push_str(if place > 0 { ", " } else { "" });
                    name.push_str(member);
                    name.push_str(": ");
                    value.add_name(name);
                }
                name.push_str(" }");
            }
            Literal::Array(items) => {
                name.push('[');
                for (place, value) in items.items.iter().enumerate() {
                    name.push_str(if place > 0 { ", " } else { "" });
                    value.add_name(name);
                }
                name.push(']');
            }
            Literal::Kind(kind) => name.push_str(kind),
        }
    }
}

/// How many values a literal with these parts has; none if they are too many.
fn count<'l>(parts: impl Iterator<Item = &'l Literal>) -> Option<usize> {
    let values = parts.fold(1, |sum: usize, part| sum.saturating_add(part.values()));
    (values <= MOST_VALUES).then_some(values)
}

/// Puts literals into the order of templates, each once.
fn in_order(mut named: Vec<(String, Literal)>) -> LiteralSet {
    // What is put together is in order already: sorting it merges it.
    named.sort_by(|(a, _), (b, _)| a.cmp(b));
    named.dedup_by(|(a, _), (b, _)| a == b);
    named.into()
}

/// Collects what a type consists of: sets that are known, and single literals.
#[derive(Default)]
struct Collected {
    sets: Vec<LiteralSet>,
    single: Vec<Literal>,
}

impl Collected {
    fn into_set(mut self) -> LiteralSet {
        // A type that is mentioned again adds nothing.
        let mut seen = FxHashSet::default();
        self.sets.retain(|set| seen.insert(set.as_ptr()));
        if self.single.is_empty() && self.sets.len() == 1 {
            return self.sets.pop().unwrap_or_default();
        }
        let known = self.sets.iter().flat_map(|set| set.iter().cloned());
        let single = self.single.into_iter().map(|literal| (literal.sort_name(), literal));
        in_order(known.chain(single).collect())
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

/// A type in the file that it is written in.
type PlacedType<'u> = (&'u Model, TypeExpr<'u>);

fn key(model: &Model, ty: TypeExpr<'_>) -> (usize, NodeId) {
    (std::ptr::from_ref(model).addr(), ty.node().id())
}

impl<'u> Emitter<'u> {
    /// The values of a union, each once, in the order that templates list them.
    pub(super) fn union_literals(&mut self, ty: TypeExpr<'u>) -> LiteralSet {
        if !self.has_room(ty.span()) {
            return LiteralSet::default();
        }
        self.know_literals(ty);
        self.collected(ty).into_set()
    }

    /// Works out the literals of all declarations that a type leads to, those first that others need. However far they
    /// lead, nothing recurses, and each is worked out once.
    fn know_literals(&mut self, ty: TypeExpr<'u>) {
        let mut open: Vec<PlacedType<'u>> = Vec::new();
        self.unknown_targets(ty, &mut open);
        while let Some((model, ty)) = open.last().copied() {
            let key = key(model, ty);
            match self.literals.get(&key) {
                Some(Some(_)) => drop(open.pop()),
                Some(None) => {
                    let made = self.in_model(model, |this| this.collected(ty).into_set());
                    self.literals.insert(key, Some(made));
                    open.pop();
                }
                None => {
                    self.literals.insert(key, None);
                    self.in_model(model, |this| this.unknown_targets(ty, &mut open));
                }
            }
        }
    }

    /// The declarations that a type refers to by itself and that were not looked at.
    fn unknown_targets(&mut self, ty: TypeExpr<'u>, found: &mut Vec<PlacedType<'u>>) {
        match ty {
            TypeExpr::UnionType(union) => {
                union.members().for_each(|member| self.unknown_targets(member, found));
            }
            TypeExpr::ParenthesizedType(it) => self.unknown_targets(it.expression(), found),
            TypeExpr::NullableType(it) => self.unknown_targets(it.base(), found),
            TypeExpr::NonNullableType(it) => self.unknown_targets(it.base(), found),
            TypeExpr::UnaryTypeOperation(it) => self.unknown_targets(it.operand(), found),
            TypeExpr::ObjectType(it) if it.additional_properties().next().is_none() => {
                it.properties().for_each(|property| self.unknown_targets(property.value(), found));
            }
            TypeExpr::TupleType(it) => {
                it.members().for_each(|item| self.unknown_targets(item.value(), found));
            }
            _ if plain_literal(ty).is_some() => {}
            _ => {
                if let Some(TypeNode::Bicep(model, inner)) = self.resolved_node(ty)
                    && !self.literals.contains_key(&key(model, inner))
                {
                    found.push((model, inner));
                }
            }
        }
    }

    /// What a type consists of, where all declarations that it refers to are known.
    fn collected(&mut self, ty: TypeExpr<'u>) -> Collected {
        let mut found = Collected::default();
        self.collect_literals(ty, &mut found);
        found
    }

    fn collect_literals(&mut self, ty: TypeExpr<'u>, found: &mut Collected) {
        match ty {
            TypeExpr::UnionType(union) => {
                union.members().for_each(|member| self.collect_literals(member, found));
            }
            TypeExpr::ParenthesizedType(it) => self.collect_literals(it.expression(), found),
            TypeExpr::NullableType(it) => {
                self.collect_literals(it.base(), found);
                found.single.push(Literal::Null);
            }
            TypeExpr::NonNullableType(it) => {
                let inner = self.collected(it.base()).into_set();
                if inner.iter().any(|(_, literal)| *literal == Literal::Null) {
                    found.sets.push(
                        inner.iter().filter(|(_, literal)| *literal != Literal::Null).cloned().collect(),
                    );
                } else {
                    found.sets.push(inner);
                }
            }
            _ => match plain_literal(ty) {
                Some(literal) => found.single.push(literal),
                None => match self.resolved_node(ty) {
                    Some(TypeNode::Bicep(model, inner)) => {
                        let known = self.literals.get(&key(model, inner)).cloned().flatten();
                        found.sets.extend(known);
                    }
                    Some(TypeNode::Template(_, value)) => {
                        found.single.extend(super::armtypes::literals(value));
                    }
                    None => {
                        found.single.push(self.part_of(ty).unwrap_or(Literal::Kind(kind_name(ty))));
                    }
                },
            },
        }
    }

    /// The one value that a type has, or its kind.
    pub(super) fn literal_of(&mut self, ty: TypeExpr<'u>) -> Option<Literal> {
        self.know_literals(ty);
        self.part_of(ty)
    }

    /// The one value that a type has, where all declarations that it refers to are known.
    fn part_of(&mut self, ty: TypeExpr<'u>) -> Option<Literal> {
        match ty {
            TypeExpr::ObjectType(object) => {
                if object.additional_properties().next().is_some() {
                    return None;
                }
                let mut members = Vec::new();
                for property in object.properties() {
                    members.push((property_name(property.key())?, self.single(property.value())?));
                }
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                self.within_limit(ty, Literal::object(members))
            }
            TypeExpr::TupleType(tuple) => {
                let items = tuple.members().map(|item| self.single(item.value()));
                let items = items.collect::<Option<Vec<_>>>()?;
                self.within_limit(ty, Literal::array(items))
            }
            TypeExpr::UnaryTypeOperation(operation) => plain_literal(ty).or_else(|| {
                let operand = self.single(operation.operand())?;
                opposite(operation.operator()?.text(), operand)
            }),
            _ => plain_literal(ty),
        }
    }

    /// What is too large to be written is a finding.
    fn within_limit(&mut self, ty: TypeExpr<'u>, made: Option<Literal>) -> Option<Literal> {
        if made.is_none() {
            self.too_large(ty.span());
        }
        made
    }

    /// The one value of a type, through names.
    fn single(&mut self, ty: TypeExpr<'u>) -> Option<Literal> {
        if let Some(literal) = self.part_of(ty) {
            return Some(literal);
        }
        match &*self.collected(ty).into_set() {
            [(_, one)] if !matches!(one, Literal::Kind(_)) => Some(one.clone()),
            _ => None,
        }
    }

    /// The text that the type of a property has, if it has just one.
    pub(super) fn literal_text(&mut self, ty: TypeExpr<'u>) -> Option<String> {
        self.know_literals(ty);
        match self.single(ty)? {
            Literal::Text(text) => Some(text.to_string()),
            _ => None,
        }
    }
}
