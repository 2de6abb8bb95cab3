//! Bicep code as a small tree, and its text. The text is valid; how it looks is the formatter's business.

use std::fmt::Write as _;

pub(crate) use syntax::spelling::is_name;
use syntax::spelling::{Controls, escape};

use crate::problem::{Problem, Result};

/// An expression, or what can stand where a value is expected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Code {
    Null,
    Bool(bool),
    Int(i64),
    /// A name, or other text that is code already.
    Raw(String),
    /// A string: texts and what stands between them, beginning and ending with a text.
    Text(Vec<String>, Vec<Code>),
    Array(Vec<Code>),
    Object(Vec<Member>),
    Call(String, Vec<Code>),
    /// A function behind a dot.
    Method(Box<Code>, String, Vec<Code>),
    /// A member by name.
    Dot(Box<Code>, String, Reach),
    /// A member or element by expression.
    Index(Box<Code>, Box<Code>, Reach),
    Binary(&'static str, Box<Code>, Box<Code>),
    Not(Box<Code>),
    Ternary(Box<Code>, Box<Code>, Box<Code>),
    Lambda(Vec<String>, Box<Code>),
    Paren(Box<Code>),
    /// `...value`, in an array.
    Spread(Box<Code>),
    /// `[for item in source: body]`
    For {
        item: String,
        index: Option<String>,
        source: Box<Code>,
        body: Box<Code>,
    },
    /// `if (condition) body`
    If(Box<Code>, Box<Code>),
}

/// How a member or element is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) safe: bool,
    pub(crate) from_end: bool,
}

/// A part of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Member {
    Named(String, Code),
    /// A key that is an expression, or a string with holes.
    Computed(Code, Code),
    Spread(Code),
    /// A declaration inside of a resource.
    Declaration(String),
}

/// The most parts that may stand inside each other in what is written.
pub(crate) const MAX_DEPTH: usize = 100;

impl Code {
    pub(crate) fn raw(text: impl Into<String>) -> Code {
        Code::Raw(text.into())
    }

    /// A string without holes.
    pub(crate) fn text(text: impl Into<String>) -> Code {
        Code::Text(vec![text.into()], Vec::new())
    }

    pub(crate) fn call(name: impl Into<String>, arguments: Vec<Code>) -> Code {
        Code::Call(name.into(), arguments)
    }

    pub(crate) fn dot(self, name: impl Into<String>) -> Code {
        Code::Dot(Box::new(self), name.into(), Reach::default())
    }

    pub(crate) fn index(self, index: Code) -> Code {
        Code::Index(Box::new(self), Box::new(index), Reach::default())
    }

    /// The member of a name: behind a dot if that can be written, else in brackets.
    pub(crate) fn member(self, name: &str, reach: Reach) -> Code {
        if is_name(name) && !reach.from_end {
            Code::Dot(Box::new(self), name.to_owned(), reach)
        } else {
            Code::Index(Box::new(self), Box::new(Code::text(name)), reach)
        }
    }

    /// The text of a string without holes.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Code::Text(texts, holes) if holes.is_empty() => texts.first().map(String::as_str),
            _ => None,
        }
    }

    /// The code as text.
    pub(crate) fn print(&self) -> String {
        let mut out = String::new();
        print(self, &mut out, Place { level: 0, line: false, value: true });
        out
    }

    /// How strongly the parts of the code hold together.
    fn level(&self) -> u8 {
        match self {
            Code::Lambda(..) => 0,
            Code::Ternary(..) => 1,
            Code::Binary(operator, ..) => binary_level(operator),
            Code::Not(_) => 9,
            Code::Int(number) if *number < 0 => 9,
            _ => 10,
        }
    }
}

fn binary_level(operator: &str) -> u8 {
    match operator {
        "??" => 2,
        "||" => 3,
        "&&" => 4,
        "==" | "!=" | "=~" | "!~" => 5,
        "<" | "<=" | ">" | ">=" => 6,
        "+" | "-" => 7,
        _ => 8,
    }
}

/// Where code stands.
#[derive(Clone, Copy)]
struct Place {
    /// What holds together less than this needs parentheses.
    level: u8,
    /// Whether all has to be on one line.
    line: bool,
    /// Whether this is a value of its own, not a part of an expression.
    value: bool,
}

fn print(code: &Code, out: &mut String, place: Place) {
    if code.level() < place.level {
        out.push('(');
        print(code, out, Place { level: 0, value: false, ..place });
        out.push(')');
        return;
    }
    let part = |level: u8| Place { level, value: false, line: place.line };
    let free = Place { level: 0, ..place };
    match code {
        Code::Null => out.push_str("null"),
        Code::Bool(it) => out.push_str(if *it { "true" } else { "false" }),
        Code::Int(number) => {
            let _ = write!(out, "{number}");
        }
        Code::Raw(text) => out.push_str(text),
        // Between quotes there are no literals of arrays and objects.
        Code::Text(texts, holes) if holes.iter().any(has_literal) => {
            print(&as_format("format", texts, holes), out, place)
        }
        Code::Text(texts, holes) => {
            out.push('\'');
            let mut holes = holes.iter();
            for text in texts {
                escape(text, out, Controls::Escape);
                if let Some(hole) = holes.next() {
                    out.push_str("${");
                    print(hole, out, Place { level: 0, line: true, value: false });
                    out.push('}');
                }
            }
            out.push('\'');
        }
        Code::Array(items) if items.is_empty() => out.push_str("[]"),
        Code::Array(items) => {
            let one_line = place.line || !place.value && items.iter().all(is_small);
            list(out, ('[', ']'), one_line, items, |item, out| {
                let start = out.len();
                print(item, out, Place { line: one_line, ..free });
                let is_first = items.first().is_some_and(|first| std::ptr::eq(first, item));
                if is_first && out.get(start..).is_some_and(begins_with_for) {
                    out.insert(start, '(');
                    out.push(')');
                }
            });
        }
        Code::Object(members) if members.is_empty() => out.push_str("{}"),
        Code::Object(members) => list(out, ('{', '}'), place.line, members, |member, out| {
            let free = Place { value: true, ..free };
            match member {
                Member::Named(name, value) => {
                    key(name, out);
                    out.push_str(": ");
                    print(value, out, free);
                }
                Member::Computed(name, value) => {
                    match name {
                        Code::Text(..) => print(name, out, Place { line: true, ..free }),
                        other => {
                            out.push_str("'${");
                            print(other, out, Place { line: true, ..free });
                            out.push_str("}'");
                        }
                    }
                    out.push_str(": ");
                    print(value, out, free);
                }
                Member::Spread(value) => {
                    out.push_str("...");
                    print(value, out, part(1));
                }
                Member::Declaration(text) => out.push_str(text),
            }
        }),
        Code::Call(name, arguments) => {
            out.push_str(name);
            self::arguments(arguments, out, place);
        }
        Code::Method(base, name, arguments) => {
            print(base, out, part(10));
            out.push('.');
            out.push_str(name);
            self::arguments(arguments, out, place);
        }
        Code::Dot(base, name, reach) => {
            print(base, out, part(10));
            out.push_str(if reach.safe { ".?" } else { "." });
            out.push_str(name);
        }
        Code::Index(base, index, reach) => {
            print(base, out, part(10));
            out.push('[');
            if reach.safe {
                out.push('?');
            }
            if reach.from_end {
                out.push('^');
            }
            print(index, out, part(0));
            out.push(']');
        }
        Code::Binary(operator, left, right) => {
            let level = binary_level(operator);
            print(left, out, part(level));
            let _ = write!(out, " {operator} ");
            print(right, out, part(level + 1));
        }
        Code::Not(inner) => {
            out.push('!');
            print(inner, out, part(9));
        }
        Code::Ternary(condition, yes, no) => {
            print(condition, out, part(2));
            out.push_str(" ? ");
            print(yes, out, part(1));
            out.push_str(" : ");
            print(no, out, part(1));
        }
        Code::Lambda(names, body) => {
            match names.as_slice() {
                [name] => out.push_str(name),
                names => {
                    let _ = write!(out, "({})", names.join(", "));
                }
            }
            out.push_str(" => ");
            print(body, out, part(0));
        }
        Code::Spread(inner) => {
            out.push_str("...");
            print(inner, out, part(1));
        }
        Code::Paren(inner) => {
            out.push('(');
            print(inner, out, part(0));
            out.push(')');
        }
        Code::For { item, index, source, body } => {
            out.push_str("[for ");
            match index {
                Some(index) => {
                    let _ = write!(out, "({item}, {index})");
                }
                None => out.push_str(item),
            }
            out.push_str(" in ");
            print(source, out, part(0));
            out.push_str(": ");
            print(body, out, Place { level: 0, value: true, line: place.line });
            out.push(']');
        }
        Code::If(condition, body) => {
            out.push_str("if (");
            print(condition, out, part(0));
            out.push_str(") ");
            print(body, out, free);
        }
    }
}

/// Tells whether code begins with the name `for`, which behind a bracket is the beginning of a loop.
fn begins_with_for(text: &str) -> bool {
    let rest = text.strip_prefix("for");
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_'))
}

fn arguments(arguments: &[Code], out: &mut String, place: Place) {
    out.push('(');
    for (position, argument) in arguments.iter().enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        print(argument, out, Place { level: 0, value: false, line: place.line });
    }
    out.push(')');
}

fn list<T>(
    out: &mut String,
    (open, close): (char, char),
    one_line: bool,
    items: &[T],
    write: impl Fn(&T, &mut String),
) {
    out.push(open);
    for (position, item) in items.iter().enumerate() {
        if !one_line {
            out.push('\n');
        } else if position > 0 {
            out.push_str(", ");
        } else if open == '{' {
            out.push(' ');
        }
        write(item, out);
    }
    match (one_line, open) {
        (false, _) => out.push('\n'),
        (true, '{') => out.push(' '),
        (true, _) => {}
    }
    out.push(close);
}

impl Member {
    /// A member whose name is code: a constant, or a string with holes, in which there can be no literals.
    pub(crate) fn named_by(name: Code, value: Code) -> Result<Member> {
        match name {
            Code::Text(texts, holes) if holes.is_empty() => Ok(Member::Named(texts.concat(), value)),
            name if has_literal(&name) => Err(Problem::new(
                "there are arrays or objects in the name of a member, which Bicep has no form for",
            )),
            name => Ok(Member::Computed(name, value)),
        }
    }
}

/// Tells whether code has array or object literals that are not in a lambda.
pub(crate) fn has_literal(code: &Code) -> bool {
    match code {
        Code::Array(_) | Code::Object(_) | Code::For { .. } | Code::If(..) => true,
        Code::Null | Code::Bool(_) | Code::Int(_) | Code::Raw(_) | Code::Lambda(..) => false,
        Code::Text(_, parts) | Code::Call(_, parts) => parts.iter().any(has_literal),
        Code::Method(base, _, parts) => has_literal(base) || parts.iter().any(has_literal),
        Code::Dot(base, ..) => has_literal(base),
        Code::Index(base, index, _) => has_literal(base) || has_literal(index),
        Code::Binary(_, left, right) => has_literal(left) || has_literal(right),
        Code::Not(inner) | Code::Paren(inner) | Code::Spread(inner) => has_literal(inner),
        Code::Ternary(condition, yes, no) => [condition, yes, no].into_iter().any(|it| has_literal(it)),
    }
}

/// A string with holes as the call that it is short for.
pub(crate) fn as_format(name: impl Into<String>, texts: &[String], holes: &[Code]) -> Code {
    let mut format = String::new();
    for (place, text) in texts.iter().enumerate() {
        if place > 0 {
            let _ = write!(format, "{{{}}}", place - 1);
        }
        format.push_str(&text.replace('{', "{{").replace('}', "}}"));
    }
    let mut arguments = vec![Code::text(format)];
    arguments.extend(holes.iter().cloned());
    Code::call(name, arguments)
}

/// Tells whether code can stand on a line with others.
fn is_small(code: &Code) -> bool {
    match code {
        Code::Object(members) => members.is_empty(),
        Code::Array(items) => items.is_empty(),
        Code::Null
        | Code::Bool(_)
        | Code::Int(_)
        | Code::Raw(_)
        | Code::Text(..)
        | Code::Dot(..)
        | Code::Index(..) => true,
        Code::Call(_, arguments) | Code::Method(_, _, arguments) => arguments.iter().all(is_small),
        Code::Not(inner) | Code::Paren(inner) | Code::Spread(inner) => is_small(inner),
        Code::Binary(_, left, right) => is_small(left) && is_small(right),
        Code::Ternary(..) | Code::Lambda(..) | Code::For { .. } | Code::If(..) => false,
    }
}

/// Writes the name of a member, in quotes if need be.
pub(crate) fn key(name: &str, out: &mut String) {
    if is_name(name) {
        out.push_str(name);
    } else {
        out.push('\'');
        escape(name, out, Controls::Escape);
        out.push('\'');
    }
}

/// A name that has to be one, because there is no other way to write it.
pub(crate) fn checked(name: &str) -> Result<&str> {
    if is_name(name) {
        return Ok(name);
    }
    Err(Problem::new(format!("`{name}` is not a name in Bicep")))
}

/// A string without holes as text.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    escape(text, &mut out, Controls::Escape);
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Box<Code> {
        Box::new(Code::raw(text))
    }

    #[test]
    fn parentheses_stand_where_they_are_needed() {
        let sum = Code::Binary("+", name("a"), name("b"));
        let product = Code::Binary("*", Box::new(sum.clone()), name("c"));
        assert_eq!(product.print(), "(a + b) * c");
        assert_eq!(Code::Binary("-", name("a"), Box::new(sum)).print(), "a - (a + b)");
        let choice = Code::Ternary(name("a"), name("b"), name("c"));
        assert_eq!(choice.clone().dot("d").print(), "(a ? b : c).d");
        assert_eq!(Code::Binary("??", Box::new(choice), name("d")).print(), "(a ? b : c) ?? d");
        assert_eq!(Code::Not(Box::new(Code::Binary("&&", name("a"), name("b")))).print(), "!(a && b)");
    }

    #[test]
    fn what_stands_in_a_string_stands_on_one_line() {
        let object =
            Code::Object(vec![Member::Named("a".into(), Code::Int(1)), Member::Spread(Code::raw("b"))]);
        let lambda = Code::Lambda(vec!["x".into()], Box::new(object.clone()));
        let text = Code::Text(vec!["it's ${".into(), "\n".into()], vec![Code::call("map", vec![lambda])]);
        assert_eq!(text.print(), "'it\\'s \\${${map(x => { a: 1, ...b })}\\n'");
        let text = Code::Text(vec!["{".into(), String::new()], vec![Code::Array(vec![Code::Int(1)])]);
        assert_eq!(text.print(), "format('{{{0}', [1])");
        assert_eq!(object.print(), "{\na: 1\n...b\n}");
    }

    #[test]
    fn names_are_quoted_where_they_are_none() {
        let object = Code::Object(vec![
            Member::Named("a-b".into(), Code::Null),
            Member::Named("_c".into(), Code::Null),
        ]);
        assert_eq!(object.print(), "{\n'a-b': null\n_c: null\n}");
    }
}
