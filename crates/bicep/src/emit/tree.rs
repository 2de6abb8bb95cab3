//! JSON that is put together before it is written: types with what decorators add to them.

use std::borrow::Cow;

use document::SourceValue;
use syntax::SyntaxElement;
use syntax::ast::AstNode as _;
use syntax::ast::{Expr, ObjectProperty};

use super::emitter::Emitter;
use super::values::ExpressionShape;
use crate::symbols::{Model, TemplateModel};

/// The members of an object, in order.
pub(crate) type Members<'u> = Vec<(Cow<'u, str>, EmitTree<'u>)>;

/// A value under construction.
#[derive(Clone, Debug)]
pub(crate) enum EmitTree<'u> {
    Null,
    Bool(bool),
    Int(i64),
    Text(Cow<'u, str>),
    Object(Members<'u>),
    Array(Vec<EmitTree<'u>>),
    /// A value of the program.
    Expression(Expr<'u>),
    /// A value of a program that may not be the one around it.
    Of(&'u Model, Expr<'u>),
    /// A value of a template.
    Json(SourceValue<'u>),
    /// A value of a template, in which expressions get the names that things have in this one.
    Template(&'u TemplateModel, SourceValue<'u>),
}

impl<'u> EmitTree<'u> {
    pub(crate) fn text(text: impl Into<Cow<'u, str>>) -> EmitTree<'u> {
        EmitTree::Text(text.into())
    }
}

/// Sets a member: objects are merged, anything else takes the place of what was there.
pub(crate) fn merge<'u>(members: &mut Members<'u>, name: &str, value: EmitTree<'u>) {
    let Some((_, known)) = members.iter_mut().find(|(known, _)| known == name) else {
        return members.push((name.to_owned().into(), value));
    };
    match (known, value) {
        (EmitTree::Object(known), EmitTree::Object(more)) => {
            for (name, value) in more {
                merge(known, &name, value);
            }
        }
        (known, value) => *known = value,
    }
}

impl<'u> Emitter<'u> {
    /// A value of the program, opened up as far as it is made of objects, so that others can be merged into it.
    pub(crate) fn tree_of(&self, expression: Expr<'u>) -> EmitTree<'u> {
        let ExpressionShape::Object(object) = self.shape(expression) else {
            return EmitTree::Expression(expression);
        };
        let properties = object.items().filter_map(SyntaxElement::node).filter_map(ObjectProperty::cast);
        let members: Option<Members<'u>> = properties
            .map(|property| {
                let is_loop = matches!(self.loop_shape(property.value()), ExpressionShape::Loop(_));
                let name = property.key().constant().filter(|_| !is_loop)?;
                Some((name, self.tree_of(property.value())))
            })
            .collect();
        members.map_or(EmitTree::Expression(expression), EmitTree::Object)
    }

    pub(crate) fn members(&mut self, members: &Members<'u>) {
        for (name, value) in members {
            self.key(name);
            self.tree(value);
        }
    }

    pub(crate) fn tree(&mut self, tree: &EmitTree<'u>) {
        match tree {
            EmitTree::Null => self.out.null(),
            EmitTree::Bool(value) => self.out.bool(*value),
            EmitTree::Int(value) => self.out.int(*value),
            EmitTree::Text(text) => self.out.string(&arm::expression::escape_text(text)),
            EmitTree::Object(members) => {
                self.out.begin_object();
                self.members(members);
                self.out.end_object();
            }
            EmitTree::Array(items) => {
                self.out.begin_array();
                for item in items {
                    self.tree(item);
                }
                self.out.end_array();
            }
            EmitTree::Expression(expression) => self.value(*expression),
            EmitTree::Of(model, expression) => self.in_model(model, |this| this.value(*expression)),
            EmitTree::Json(value) => self.out.value(*value),
            EmitTree::Template(template, value) => self.template_value(template, *value),
        }
    }
}
