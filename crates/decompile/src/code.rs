//! Bicep code as a small tree, and its text. The text is valid; how it looks is the formatter's business.

use std::fmt::Write as _;

use syntax::SourceKind;
use syntax::format::FormatOptions;
pub(crate) use syntax::spelling::is_name;
use syntax::spelling::{Controls, escape};

use crate::problem::{DecompileError, Result};

/// An expression, or what can stand where a value is expected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BicepCode {
    Null,
    Bool(bool),
    Int(i64),
    /// A name, or other text that is code already.
    Raw(String),
    /// A string: texts and what stands between them, beginning and ending with a text.
    Text(Vec<String>, Vec<BicepCode>),
    Array(Vec<BicepCode>),
    Object(Vec<Member>),
    Call(String, Vec<BicepCode>),
    /// A function behind a dot.
    Method(Box<BicepCode>, String, Vec<BicepCode>),
    /// A member by name.
    Dot(Box<BicepCode>, String, Reach),
    /// A member or element by expression.
    Index(Box<BicepCode>, Box<BicepCode>, Reach),
    Binary(&'static str, Box<BicepCode>, Box<BicepCode>),
    Not(Box<BicepCode>),
    Ternary(Box<BicepCode>, Box<BicepCode>, Box<BicepCode>),
    Lambda(Vec<String>, Box<BicepCode>),
    Paren(Box<BicepCode>),
    /// `...value`, in an array.
    Spread(Box<BicepCode>),
    /// `[for item in source: body]`
    For {
        item: String,
        index: Option<String>,
        source: Box<BicepCode>,
        body: Box<BicepCode>,
    },
    /// `if (condition) body`
    If(Box<BicepCode>, Box<BicepCode>),
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
    Named(String, BicepCode),
    /// A key that is an expression, or a string with holes.
    Computed(BicepCode, BicepCode),
    Spread(BicepCode),
    /// A declaration inside of a resource.
    Declaration(String),
}

/// The most parts that may stand inside each other in what is written.
pub(crate) const MAX_DEPTH: usize = 100;

impl BicepCode {
    pub(crate) fn raw(text: impl Into<String>) -> BicepCode {
        BicepCode::Raw(text.into())
    }

    /// A string without holes.
    pub(crate) fn text(text: impl Into<String>) -> BicepCode {
        BicepCode::Text(vec![text.into()], Vec::new())
    }

    pub(crate) fn call(name: impl Into<String>, arguments: Vec<BicepCode>) -> BicepCode {
        BicepCode::Call(name.into(), arguments)
    }

    pub(crate) fn dot(self, name: impl Into<String>) -> BicepCode {
        BicepCode::Dot(Box::new(self), name.into(), Reach::default())
    }

    pub(crate) fn index(self, index: BicepCode) -> BicepCode {
        BicepCode::Index(Box::new(self), Box::new(index), Reach::default())
    }

    /// The member of a name: behind a dot if that can be written, else in brackets.
    pub(crate) fn member(self, name: &str, reach: Reach) -> BicepCode {
        if is_name(name) && !reach.from_end {
            BicepCode::Dot(Box::new(self), name.to_owned(), reach)
        } else {
            BicepCode::Index(Box::new(self), Box::new(BicepCode::text(name)), reach)
        }
    }

    /// The text of a string without holes.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            BicepCode::Text(texts, holes) if holes.is_empty() => texts.first().map(String::as_str),
            _ => None,
        }
    }

    /// The code as text.
    pub(crate) fn print(&self) -> String {
        let mut out = String::new();
        print(self, &mut out, PrintContext { level: 0, line: false, value: true });
        out
    }

    /// How strongly the parts of the code hold together.
    fn level(&self) -> u8 {
        match self {
            BicepCode::Lambda(..) => 0,
            BicepCode::Ternary(..) => 1,
            BicepCode::Binary(operator, ..) => binary_level(operator),
            BicepCode::Not(_) => 9,
            BicepCode::Int(number) if *number < 0 => 9,
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

/// What the code around a piece decides about how it is printed.
#[derive(Clone, Copy)]
struct PrintContext {
    /// What holds together less than this needs parentheses.
    level: u8,
    /// Whether all has to be on one line.
    line: bool,
    /// Whether this is a value of its own, not a part of an expression.
    value: bool,
}

fn print(code: &BicepCode, out: &mut String, place: PrintContext) {
    if code.level() < place.level {
        out.push('(');
        print(code, out, PrintContext { level: 0, value: false, ..place });
        out.push(')');
        return;
    }
    let part = |level: u8| PrintContext { level, value: false, line: place.line };
    let free = PrintContext { level: 0, ..place };
    match code {
        BicepCode::Null => out.push_str("null"),
        BicepCode::Bool(it) => out.push_str(if *it { "true" } else { "false" }),
        BicepCode::Int(number) => {
            let _ = write!(out, "{number}");
        }
        BicepCode::Raw(text) => out.push_str(text),
        // Between quotes there are no literals of arrays and objects.
        BicepCode::Text(texts, holes) if holes.iter().any(has_literal) => {
            print(&as_format("format", texts, holes), out, place)
        }
        BicepCode::Text(texts, holes) => {
            out.push('\'');
            let mut holes = holes.iter();
            for text in texts {
                escape(text, out, Controls::Escape);
                if let Some(hole) = holes.next() {
                    out.push_str("${");
                    print(hole, out, PrintContext { level: 0, line: true, value: false });
                    out.push('}');
                }
            }
            out.push('\'');
        }
        BicepCode::Array(items) if items.is_empty() => out.push_str("[]"),
        BicepCode::Array(items) => {
            let one_line = place.line || !place.value && items.iter().all(is_small);
            list(out, ('[', ']'), one_line, items, |item, out| {
                let start = out.len();
                print(item, out, PrintContext { line: one_line, ..free });
                let is_first = items.first().is_some_and(|first| std::ptr::eq(first, item));
                if is_first && out.get(start..).is_some_and(begins_with_for) {
                    out.insert(start, '(');
                    out.push(')');
                }
            });
        }
        BicepCode::Object(members) if members.is_empty() => out.push_str("{}"),
        BicepCode::Object(members) => list(out, ('{', '}'), place.line, members, |member, out| {
            let free = PrintContext { value: true, ..free };
            match member {
                Member::Named(name, value) => {
                    key(name, out);
                    out.push_str(": ");
                    print(value, out, free);
                }
                Member::Computed(name, value) => {
                    match name {
                        BicepCode::Text(..) => print(name, out, PrintContext { line: true, ..free }),
                        other => {
                            out.push_str("'${");
                            print(other, out, PrintContext { line: true, ..free });
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
        BicepCode::Call(name, arguments) => {
            out.push_str(name);
            self::arguments(arguments, out, place);
        }
        BicepCode::Method(base, name, arguments) => {
            print(base, out, part(10));
            out.push('.');
            out.push_str(name);
            self::arguments(arguments, out, place);
        }
        BicepCode::Dot(base, name, reach) => {
            print(base, out, part(10));
            out.push_str(if reach.safe { ".?" } else { "." });
            out.push_str(name);
        }
        BicepCode::Index(base, index, reach) => {
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
        BicepCode::Binary(operator, left, right) => {
            let level = binary_level(operator);
            print(left, out, part(level));
            let _ = write!(out, " {operator} ");
            print(right, out, part(level + 1));
        }
        BicepCode::Not(inner) => {
            out.push('!');
            print(inner, out, part(9));
        }
        BicepCode::Ternary(condition, yes, no) => {
            print(condition, out, part(2));
            out.push_str(" ? ");
            print(yes, out, part(1));
            out.push_str(" : ");
            print(no, out, part(1));
        }
        BicepCode::Lambda(names, body) => {
            match names.as_slice() {
                [name] => out.push_str(name),
                names => {
                    let _ = write!(out, "({})", names.join(", "));
                }
            }
            out.push_str(" => ");
            print(body, out, part(0));
        }
        BicepCode::Spread(inner) => {
            out.push_str("...");
            print(inner, out, part(1));
        }
        BicepCode::Paren(inner) => {
            out.push('(');
            print(inner, out, part(0));
            out.push(')');
        }
        BicepCode::For { item, index, source, body } => {
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
            print(body, out, PrintContext { level: 0, value: true, line: place.line });
            out.push(']');
        }
        BicepCode::If(condition, body) => {
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

fn arguments(arguments: &[BicepCode], out: &mut String, place: PrintContext) {
    out.push('(');
    for (position, argument) in arguments.iter().enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        print(argument, out, PrintContext { level: 0, value: false, line: place.line });
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
    pub(crate) fn named_by(name: BicepCode, value: BicepCode) -> Result<Member> {
        match name {
            BicepCode::Text(texts, holes) if holes.is_empty() => Ok(Member::Named(texts.concat(), value)),
            name if has_literal(&name) => Err(DecompileError::new(
                "there are arrays or objects in the name of a member, which Bicep has no form for",
            )),
            name => Ok(Member::Computed(name, value)),
        }
    }
}

/// Tells whether code has array or object literals that are not in a lambda.
pub(crate) fn has_literal(code: &BicepCode) -> bool {
    match code {
        BicepCode::Array(_) | BicepCode::Object(_) | BicepCode::For { .. } | BicepCode::If(..) => true,
        BicepCode::Null
        | BicepCode::Bool(_)
        | BicepCode::Int(_)
        | BicepCode::Raw(_)
        | BicepCode::Lambda(..) => false,
        BicepCode::Text(_, parts) | BicepCode::Call(_, parts) => parts.iter().any(has_literal),
        BicepCode::Method(base, _, parts) => has_literal(base) || parts.iter().any(has_literal),
        BicepCode::Dot(base, ..) => has_literal(base),
        BicepCode::Index(base, index, _) => has_literal(base) || has_literal(index),
        BicepCode::Binary(_, left, right) => has_literal(left) || has_literal(right),
        BicepCode::Not(inner) | BicepCode::Paren(inner) | BicepCode::Spread(inner) => has_literal(inner),
        BicepCode::Ternary(condition, yes, no) => [condition, yes, no].into_iter().any(|it| has_literal(it)),
    }
}

/// A string with holes as the call that it is short for.
pub(crate) fn as_format(name: impl Into<String>, texts: &[String], holes: &[BicepCode]) -> BicepCode {
    let mut format = String::new();
    for (place, text) in texts.iter().enumerate() {
        if place > 0 {
            let _ = write!(format, "{{{}}}", place - 1);
        }
        format.push_str(&text.replace('{', "{{").replace('}', "}}"));
    }
    let mut arguments = vec![BicepCode::text(format)];
    arguments.extend(holes.iter().cloned());
    BicepCode::call(name, arguments)
}

/// Tells whether code can stand on a line with others.
fn is_small(code: &BicepCode) -> bool {
    match code {
        BicepCode::Object(members) => members.is_empty(),
        BicepCode::Array(items) => items.is_empty(),
        BicepCode::Null
        | BicepCode::Bool(_)
        | BicepCode::Int(_)
        | BicepCode::Raw(_)
        | BicepCode::Text(..)
        | BicepCode::Dot(..)
        | BicepCode::Index(..) => true,
        BicepCode::Call(_, arguments) | BicepCode::Method(_, _, arguments) => arguments.iter().all(is_small),
        BicepCode::Not(inner) | BicepCode::Paren(inner) | BicepCode::Spread(inner) => is_small(inner),
        BicepCode::Binary(_, left, right) => is_small(left) && is_small(right),
        BicepCode::Ternary(..) | BicepCode::Lambda(..) | BicepCode::For { .. } | BicepCode::If(..) => false,
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
    Err(DecompileError::new(format!("`{name}` is not a name in Bicep")))
}

/// A string without holes as text.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    escape(text, &mut out, Controls::Escape);
    out.push('\'');
    out
}

/// A program as the formatter writes it.
pub(crate) fn formatted(text: String, kind: SourceKind) -> String {
    let tree = syntax::parse(text, kind);
    syntax::format::format(&tree, &FormatOptions::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Box<BicepCode> {
        Box::new(BicepCode::raw(text))
    }

    #[test]
    fn parentheses_stand_where_they_are_needed() {
        let sum = BicepCode::Binary("+", name("a"), name("b"));
        let product = BicepCode::Binary("*", Box::new(sum.clone()), name("c"));
        assert_eq!(product.print(), "(a + b) * c");
        assert_eq!(BicepCode::Binary("-", name("a"), Box::new(sum)).print(), "a - (a + b)");
        let choice = BicepCode::Ternary(name("a"), name("b"), name("c"));
        assert_eq!(choice.clone().dot("d").print(), "(a ? b : c).d");
        assert_eq!(BicepCode::Binary("??", Box::new(choice), name("d")).print(), "(a ? b : c) ?? d");
        assert_eq!(
            BicepCode::Not(Box::new(BicepCode::Binary("&&", name("a"), name("b")))).print(),
            "!(a && b)"
        );
    }

    #[test]
    fn what_stands_in_a_string_stands_on_one_line() {
        let object = BicepCode::Object(vec![
            Member::Named("a".into(), BicepCode::Int(1)),
            Member::Spread(BicepCode::raw("b")),
        ]);
        let lambda = BicepCode::Lambda(vec!["x".into()], Box::new(object.clone()));
        let text =
            BicepCode::Text(vec!["it's ${".into(), "\n".into()], vec![BicepCode::call("map", vec![lambda])]);
        assert_eq!(text.print(), "'it\\'s \\${${map(x => { a: 1, ...b })}\\n'");
        let text =
            BicepCode::Text(vec!["{".into(), String::new()], vec![BicepCode::Array(vec![BicepCode::Int(1)])]);
        assert_eq!(text.print(), "format('{{{0}', [1])");
        assert_eq!(object.print(), "{\na: 1\n...b\n}");
    }

    #[test]
    fn names_are_quoted_where_they_are_none() {
        let object = BicepCode::Object(vec![
            Member::Named("a-b".into(), BicepCode::Null),
            Member::Named("_c".into(), BicepCode::Null),
        ]);
        assert_eq!(object.print(), "{\n'a-b': null\n_c: null\n}");
    }
}
