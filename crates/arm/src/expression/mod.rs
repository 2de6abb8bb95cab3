//! Template expressions: the tree, its reader and its printer.
//!
//! An expression is what stands between the brackets of a JSON string such as `"[concat('a', 'b')]"`. The
//! language has calls, string and integer literals, and access to members and elements; there are no
//! operators and no other literals. [`parse`] reads the text between the brackets, [`TemplateString`] decides
//! what a JSON string is, and [`Expression`]'s `Display` prints the one canonical text of a tree.

mod literal;
mod parse;
mod print;
mod template_string;
mod walk;

use smol_str::SmolStr;

use crate::Value;

pub use parse::{ParseError, parse};
pub use print::{escape_text, is_plain_name, print_template_string};
pub use template_string::TemplateString;

/// The most parts of an expression that may stand inside each other.
pub const MAX_DEPTH: usize = 400;

/// An expression of the template language, read from the text in brackets.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A string literal without its quotes.
    Text(SmolStr),
    /// An integer literal of 64 bits.
    Int(i64),
    /// A call of a function, built in or the template's own.
    Call(Box<FunctionCall>),
    /// Members or elements of a value, one inside the other.
    Access(Box<Access>),
    /// A secret that is known while something around it is not; the value is a [`Value::Secret`], and prints as a mask.
    Secret(Box<Value>),
}

/// A call of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCall {
    /// The namespace of a function that the template defines; none for built-in functions.
    pub namespace: Option<SmolStr>,
    /// The function's name as written.
    pub name: SmolStr,
    /// The arguments as written; they are evaluated by the function.
    pub arguments: Vec<Expression>,
}

/// A walk from a value to something inside it: `base.a[0]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// What the walk starts from; itself not an access.
    base: Expression,
    /// The steps, at least one: text names a member, anything else is evaluated first.
    path: Vec<Expression>,
}

impl Expression {
    /// Makes a string literal.
    pub fn text(text: impl Into<SmolStr>) -> Expression {
        Expression::Text(text.into())
    }

    /// Makes a call of a built-in function.
    pub fn call(name: impl Into<SmolStr>, arguments: impl Into<Vec<Expression>>) -> Expression {
        Expression::Call(Box::new(FunctionCall {
            namespace: None,
            name: name.into(),
            arguments: arguments.into(),
        }))
    }

    /// Makes a call of a function that the template defines.
    pub fn user_call(
        namespace: impl Into<SmolStr>,
        name: impl Into<SmolStr>,
        arguments: impl Into<Vec<Expression>>,
    ) -> Expression {
        Expression::Call(Box::new(FunctionCall {
            namespace: Some(namespace.into()),
            name: name.into(),
            arguments: arguments.into(),
        }))
    }

    /// The member of a name: `self.name`, or `self['na me']`.
    pub fn property(self, name: impl Into<SmolStr>) -> Expression {
        self.index(Expression::text(name))
    }

    /// The element at an index, or the member whose name an expression gives: `self[index]`.
    pub fn index(self, index: Expression) -> Expression {
        match self {
            Expression::Access(mut access) => {
                access.path.push(index);
                Expression::Access(access)
            }
            base => Expression::Access(Box::new(Access { base, path: vec![index] })),
        }
    }

    /// The call, if this is one.
    pub fn as_call(&self) -> Option<&FunctionCall> {
        match self {
            Expression::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The expression that gives a value: a literal where there is one, else a call such as `createObject`.
    ///
    /// Integers beyond 32 bits and numbers with a fraction become `json('...')`, which is how templates that
    /// have to be read by every engine write them.
    pub fn from_value(value: &Value) -> Expression {
        literal::expression(value)
    }

    /// The value of an expression that [`from_value`](Expression::from_value) could have made.
    pub fn to_value(&self) -> Option<Value> {
        literal::value(self)
    }

    /// The value that the expression makes, with parts in it that are not known.
    pub(crate) fn to_parts(&self) -> Value {
        literal::parts(self)
    }

    /// The part of `createObject(...)` or `createArray(...)` that a key names.
    ///
    /// The outer answer is none if that cannot be told, the inner one if there is no such part.
    pub(crate) fn part(&self, key: &Value) -> Option<Option<&Expression>> {
        literal::part(self, key)
    }

    /// Tells whether what is left of something is too large to be put in the place of its name: where names are made of names, it would
    /// grow with each of them.
    pub(crate) fn is_large(&self) -> bool {
        const LARGEST: usize = 20_000;
        let mut parts = 0;
        self.for_each(&mut |_| parts += 1);
        parts > LARGEST
    }

    /// An object with the names of `createObject(...)`, or an array as long as `createArray(...)`, for messages.
    pub(crate) fn outline(&self) -> Value {
        literal::outline(self)
    }
}

impl FunctionCall {
    /// Tells whether this calls a built-in function, by whatever case.
    pub fn is_call_to(&self, name: &str) -> bool {
        self.namespace.is_none() && self.name.eq_ignore_ascii_case(name)
    }
}

impl Access {
    /// What the walk starts from.
    pub fn base(&self) -> &Expression {
        &self.base
    }

    /// The steps, at least one.
    pub fn path(&self) -> &[Expression] {
        &self.path
    }

    /// What the walk starts from, and its steps.
    pub fn into_parts(self) -> (Expression, Vec<Expression>) {
        (self.base, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_takes_twenty_four_bytes() {
        assert_eq!(size_of::<Expression>(), 24);
    }

    #[test]
    fn a_walk_is_one_access_however_it_is_built() {
        let built = Expression::call("f", []).property("a").index(Expression::Int(0)).property("b c");
        assert_eq!(built, parse("f().a[0]['b c']").unwrap());
        assert_eq!(built.to_string(), "f().a[0]['b c']");
    }
}
