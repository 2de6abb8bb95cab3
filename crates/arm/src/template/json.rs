//! Template JSON, read once: literals are values, expression strings are expressions.

use document::{FileId, NodeId};
use smol_str::SmolStr;

use crate::{Expression, Value};

/// Where something stands in the template's text, as byte offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}

impl Span {
    /// The same bytes, with the file that they are in.
    pub const fn in_file(self, file: FileId) -> diagnostics::Span {
        diagnostics::Span::new(file, self.start, self.end)
    }
}

/// The bytes of a place in a file that is known.
impl From<diagnostics::Span> for Span {
    fn from(span: diagnostics::Span) -> Span {
        Span { start: span.start, end: span.end }
    }
}

/// A part of a template that is evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateNode {
    /// What the part is, with those inside it.
    pub kind: JsonKind,
    /// The bytes of the template that it is read from.
    pub span: Span,
}

/// What a part of a template is.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonKind {
    /// A value without any expression in it, also a whole array or object.
    Value(Value),
    /// An expression, which is the whole of a text in brackets.
    Expression(Expression),
    /// An array with an expression in it somewhere.
    Array(Box<[TemplateNode]>),
    /// An object with an expression in it somewhere, or with a loop.
    Object(Box<[TemplateMember]>),
    /// The template of a nested deployment, which nobody has looked into yet; see `Template::nested`.
    Template(NodeId),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateMember {
    /// A name and its value.
    Property {
        /// The name, which may be an expression.
        name: MemberName,
        /// Where the name stands.
        at: Span,
        /// What the member holds.
        value: TemplateNode,
    },
    /// `copy`: a member whose value is an array with an element for each iteration.
    Loop(Box<Loop>),
}

/// The name of a member.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberName {
    /// The name itself, escapes decoded.
    Text(SmolStr),
    /// What an expression gives, which has to be a string.
    Expression(Expression),
}

/// A loop over an input, in an object or for a variable: `{"name": .., "count": .., "input": ..}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The name of the member or variable, by which `copyIndex` knows the loop, too.
    pub name: SmolStr,
    /// How many iterations there are.
    pub count: TemplateNode,
    /// What is evaluated each time.
    pub input: TemplateNode,
    /// Where the loop stands.
    pub span: Span,
}

impl TemplateMember {
    /// The value of a member with this name, by whatever case.
    pub fn named(&self, wanted: &str) -> Option<&TemplateNode> {
        match self {
            TemplateMember::Property { name: MemberName::Text(name), value, .. }
                if name.eq_ignore_ascii_case(wanted) =>
            {
                Some(value)
            }
            TemplateMember::Property { .. } | TemplateMember::Loop(_) => None,
        }
    }
}

impl TemplateNode {
    /// A part without expressions.
    pub fn value(value: Value, span: Span) -> TemplateNode {
        TemplateNode { kind: JsonKind::Value(value), span }
    }

    /// The value, if there is no expression in it.
    pub fn as_value(&self) -> Option<&Value> {
        match &self.kind {
            JsonKind::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The text of a string that is not an expression.
    pub fn as_str(&self) -> Option<&str> {
        self.as_value().and_then(Value::as_str)
    }

    /// The expression, if this is one.
    pub fn as_expression(&self) -> Option<&Expression> {
        match &self.kind {
            JsonKind::Expression(expression) => Some(expression),
            _ => None,
        }
    }

    /// The member of a name, by whatever case, of an object that has one with an expression in it.
    pub fn member(&self, name: &str) -> Option<&TemplateNode> {
        let JsonKind::Object(members) = &self.kind else { return None };
        members.iter().find_map(|member| member.named(name))
    }

    /// The members of an object that has one with an expression in it, without those whose names are
    /// expressions; loops have no value.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&SmolStr, Option<&TemplateNode>)> {
        let members = match &self.kind {
            JsonKind::Object(members) => &**members,
            _ => &[],
        };
        members.iter().filter_map(|member| match member {
            TemplateMember::Property { name: MemberName::Text(name), value, .. } => Some((name, Some(value))),
            TemplateMember::Property { .. } => None,
            TemplateMember::Loop(copy) => Some((&copy.name, None)),
        })
    }

    /// Shows every expression inside to `look`, with where it stands, in the order of the text.
    ///
    /// Recursion is bounded by how deep a document may nest.
    pub fn for_each_expression<'j>(&'j self, look: &mut impl FnMut(&'j Expression, Span)) {
        match &self.kind {
            JsonKind::Value(_) | JsonKind::Template(_) => {}
            JsonKind::Expression(expression) => look(expression, self.span),
            JsonKind::Array(items) => items.iter().for_each(|item| item.for_each_expression(look)),
            JsonKind::Object(members) => {
                for member in members {
                    match member {
                        TemplateMember::Property { name, at, value } => {
                            if let MemberName::Expression(expression) = name {
                                look(expression, *at);
                            }
                            value.for_each_expression(look);
                        }
                        TemplateMember::Loop(copy) => {
                            copy.count.for_each_expression(look);
                            copy.input.for_each_expression(look);
                        }
                    }
                }
            }
        }
    }

    /// The one expression that gives all of it; none if there is a loop or a nested template inside.
    pub fn to_expression(&self) -> Option<Expression> {
        Some(match &self.kind {
            JsonKind::Value(value) => Expression::from_value(value),
            JsonKind::Expression(expression) => expression.clone(),
            JsonKind::Array(items) => {
                let items = items.iter().map(TemplateNode::to_expression);
                Expression::call("createArray", items.collect::<Option<Vec<_>>>()?)
            }
            JsonKind::Object(members) => {
                let mut arguments = Vec::with_capacity(2 * members.len());
                for member in members {
                    let TemplateMember::Property { name, value, .. } = member else { return None };
                    arguments.push(match name {
                        MemberName::Text(text) => Expression::Text(text.clone()),
                        MemberName::Expression(expression) => expression.clone(),
                    });
                    arguments.push(value.to_expression()?);
                }
                Expression::call("createObject", arguments)
            }
            JsonKind::Template(_) => return None,
        })
    }
}
