//! JSON that is put together before it is written: types with what decorators add to them.

use std::borrow::Cow;

use document::Value;
use syntax::SyntaxElement;
use syntax::ast::AstNode as _;
use syntax::ast::{Expr, ObjectProperty};

use super::emitter::Emitter;
use super::values::Shape;
use crate::symbols::Model;
use crate::template_model::TemplateModel;

/// The members of an object, in order.
pub(crate) type Members<'u> = Vec<(Cow<'u, str>, Tree<'u>)>;

/// A value under construction.
#[derive(Clone, Debug)]
pub(crate) enum Tree<'u> {
    Null,
    Bool(bool),
    Int(i64),
    Text(Cow<'u, str>),
    Object(Members<'u>),
    Array(Vec<Tree<'u>>),
    /// A value of the program.
    Expression(Expr<'u>),
    /// A value of a program that may not be the one around it.
    Of(&'u Model, Expr<'u>),
    /// A value of a template.
    Json(Value<'u>),
    /// A value of a template, in which expressions get the names that things have in this one.
    Template(&'u TemplateModel, Value<'u>),
}

impl<'u> Tree<'u> {
    pub(crate) fn text(text: impl Into<Cow<'u, str>>) -> Tree<'u> {
        Tree::Text(text.into())
    }
}

/// Sets a member: objects are merged, anything else takes the place of what was there.
pub(crate) fn merge<'u>(members: &mut Members<'u>, name: &str, value: Tree<'u>) {
    let Some((_, known)) = members.iter_mut().find(|(known, _)| known == name) else {
        return members.push((name.to_owned().into(), value));
    };
    match (known, value) {
        (Tree::Object(known), Tree::Object(more)) => {
            for (name, value) in more {
                merge(known, &name, value);
            }
        }
        (known, value) => *known = value,
    }
}

impl<'u> Emitter<'u> {
    /// A value of the program, opened up as far as it is made of objects, so that others can be merged into it.
    pub(crate) fn tree_of(&self, expression: Expr<'u>) -> Tree<'u> {
        let Shape::Object(object) = self.shape(expression) else { return Tree::Expression(expression) };
        let properties = object.items().filter_map(SyntaxElement::node).filter_map(ObjectProperty::cast);
        let members: Option<Members<'u>> = properties
            .map(|property| {
                let is_loop = matches!(self.loop_shape(property.value()), Shape::Loop(_));
                let name = property.key().constant().filter(|_| !is_loop)?;
                Some((name, self.tree_of(property.value())))
            })
            .collect();
        members.map_or(Tree::Expression(expression), Tree::Object)
    }

    /// Writes members.
    pub(crate) fn members(&mut self, members: &Members<'u>) {
        for (name, value) in members {
            self.key(name);
            self.tree(value);
        }
    }

    /// Writes a value.
    pub(crate) fn tree(&mut self, tree: &Tree<'u>) {
        match tree {
            Tree::Null => self.out.null(),
            Tree::Bool(value) => self.out.bool(*value),
            Tree::Int(value) => self.out.int(*value),
            Tree::Text(text) => self.out.string(&arm::expression::escape_text(text)),
            Tree::Object(members) => {
                self.out.begin_object();
                self.members(members);
                self.out.end_object();
            }
            Tree::Array(items) => {
                self.out.begin_array();
                for item in items {
                    self.tree(item);
                }
                self.out.end_array();
            }
            Tree::Expression(expression) => self.value(*expression),
            Tree::Of(model, expression) => self.in_model(model, |this| this.value(*expression)),
            Tree::Json(value) => self.out.value(*value),
            Tree::Template(template, value) => self.template_value(template, *value),
        }
    }
}
