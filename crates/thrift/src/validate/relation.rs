//! Rules that compare two fields of one struct, as far as their bytes tell: `vt.ge = "$least"`.

use contract::{Base, Constant, Form, Operand, Property, Reference, Rule, Test, Unit};

use super::types::wire_type;
use crate::model::{Model, Struct};
use crate::wire::WireType;

/// A comparison of two fields.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    pub(super) left: RelationSide,
    pub(super) right: RelationSide,
    pub(super) test: Comparison,
}

/// One side of a comparison.
#[derive(Clone, Debug)]
pub(super) struct RelationSide {
    pub(super) id: i16,
    pub(super) ty: WireType,
    /// Whether its length is compared, not itself.
    pub(super) length: bool,
    /// What stands in for it when it is absent; without, the rule holds.
    pub(super) absent: Option<Amount>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Amount {
    Int(i64),
    Double(f64),
    Text(Box<[u8]>),
}

/// How it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Takes all rules that refer to fields for comparisons; `None` if one of them is something else.
pub(super) fn all(
    model: &Model,
    it: &Struct,
    declared: &[Property],
    late: &[Property],
) -> Option<Box<[Relation]>> {
    let around = StructContext { model, it, declared };
    let mut relations = Vec::new();
    for property in late {
        if property.shape.form != Form::Any {
            return None;
        }
        for rule in &property.shape.rules {
            relations.push(around.relation(property, rule)?);
        }
    }
    Some(relations.into())
}

/// The struct that the rules stand in.
struct StructContext<'m> {
    model: &'m Model,
    it: &'m Struct,
    declared: &'m [Property],
}

impl StructContext<'_> {
    fn relation(&self, property: &Property, rule: &Rule) -> Option<Relation> {
        let (test, sized) = match &rule.test {
            Test::Eq(_) => (Comparison::Eq, false),
            Test::Ne(_) => (Comparison::Ne, false),
            Test::Lt(_) => (Comparison::Lt, false),
            Test::Le(_) => (Comparison::Le, false),
            Test::Gt(_) => (Comparison::Gt, false),
            Test::Ge(_) => (Comparison::Ge, false),
            Test::MinLength(Unit::Bytes, _) => (Comparison::Ge, true),
            Test::MaxLength(Unit::Bytes, _) => (Comparison::Le, true),
            _ => return None,
        };
        let (reference, length) = match rule.test.operand()? {
            Operand::Reference(reference) => (reference, false),
            Operand::Call { function, arguments } => match arguments.as_slice() {
                [Operand::Reference(reference)] if &**function == "len" => (reference, true),
                _ => return None,
            },
            Operand::Constant(_) => return None,
        };
        let Reference { base: Base::Field(name), steps } = reference else { return None };
        if !steps.is_empty() {
            return None;
        }
        let left = self.side(&property.name, sized)?;
        let right = self.side(name, length)?;
        let alike = match (left.class()?, right.class()?) {
            (Class::Text, Class::Text) => matches!(test, Comparison::Eq | Comparison::Ne),
            (left, right) => left == right,
        };
        alike.then_some(Relation { left, right, test })
    }

    fn side(&self, name: &str, length: bool) -> Option<RelationSide> {
        let field = self.it.fields.iter().find(|field| field.name.text == name)?;
        let property = self.declared.iter().find(|property| *property.name == *name)?;
        let side =
            RelationSide { id: field.wire_id(), ty: wire_type(self.model, field.ty), length, absent: None };
        let absent = match (property.absent.as_deref(), side.class()?) {
            (None, _) => None,
            (Some(Constant::Int(value)), Class::Int) if !length => Some(Amount::Int(*value)),
            (Some(Constant::Float(value)), Class::Double) => Some(Amount::Double(*value)),
            (Some(Constant::Text(text)), Class::Text) => Some(Amount::Text(text.as_bytes().into())),
            (Some(Constant::Bytes(bytes)), Class::Text) => Some(Amount::Text(bytes.clone())),
            (Some(Constant::Text(text)), Class::Int) => Some(Amount::Int(text.len() as i64)),
            (Some(Constant::Bytes(bytes)), Class::Int) => Some(Amount::Int(bytes.len() as i64)),
            (Some(_), _) => return None,
        };
        Some(RelationSide { absent, ..side })
    }
}

/// What sides can be compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Int,
    Double,
    Text,
}

impl RelationSide {
    /// `None` for what is not compared here: containers have lengths of their own, and a truth value may be in
    /// the head of its field.
    fn class(&self) -> Option<Class> {
        match (self.ty, self.length) {
            (WireType::String, true) => Some(Class::Int),
            (WireType::String, false) => Some(Class::Text),
            (WireType::I8 | WireType::I16 | WireType::I32 | WireType::I64, false) => Some(Class::Int),
            (WireType::Double, false) => Some(Class::Double),
            _ => None,
        }
    }
}

impl Comparison {
    /// Whether a comparison of values of one kind holds.
    pub(super) fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            Comparison::Eq => left == right,
            Comparison::Ne => left != right,
            Comparison::Lt => left < right,
            Comparison::Le => left <= right,
            Comparison::Gt => left > right,
            Comparison::Ge => left >= right,
        }
    }
}
