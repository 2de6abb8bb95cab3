//! The one canonical text of an expression: what the public compiler writes, byte for byte.

use std::borrow::Cow;
use std::fmt::{self, Write};

use super::{Expression, TemplateString};
use crate::template_text::{Sink, TemplateWriter};

impl fmt::Display for Expression {
    /// Writes the text without the outer brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f)
    }
}

/// Appends what the JSON string of an expression holds: `[...]`, or the text itself for a string literal.
///
/// A literal that would read as an expression gets one more `[` in front.
pub fn print_template_string(expression: &Expression, out: &mut String) {
    if let Expression::Text(text) = expression {
        out.push_str(&escape_text(text));
        return;
    }
    out.push('[');
    // Writing to a string cannot fail.
    let _ = write(expression, out);
    out.push(']');
}

impl<S: Sink> TemplateWriter<S> {
    /// Writes an expression as a string; a lone string literal as that text, a lone integer as a number.
    pub fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Int(value) => self.int(*value),
            _ => self.string_of(|text| print_template_string(expression, text)),
        }
    }
}

/// What a JSON string has to hold so that a template reads it as this very text.
pub fn escape_text(text: &str) -> Cow<'_, str> {
    if TemplateString::needs_escape(text) { Cow::Owned(format!("[{text}")) } else { Cow::Borrowed(text) }
}

fn write(expression: &Expression, out: &mut impl Write) -> fmt::Result {
    match expression {
        Expression::Text(text) => write_text(text, out),
        Expression::Int(value) => write!(out, "{value}"),
        Expression::Secret(_) => write_text(contract::MASK, out),
        Expression::Call(call) => {
            if let Some(namespace) = &call.namespace {
                out.write_str(namespace)?;
                out.write_char('.')?;
            }
            out.write_str(&call.name)?;
            out.write_char('(')?;
            for (position, argument) in call.arguments.iter().enumerate() {
                if position > 0 {
                    out.write_str(", ")?;
                }
                write(argument, out)?;
            }
            out.write_char(')')
        }
        Expression::Access(access) => {
            write(access.base(), out)?;
            access.path().iter().try_for_each(|step| write_step(step, out))
        }
    }
}

fn write_step(step: &Expression, out: &mut impl Write) -> fmt::Result {
    match step {
        Expression::Text(name) if is_plain_name(name) => {
            out.write_char('.')?;
            out.write_str(name)
        }
        step => {
            out.write_char('[')?;
            write(step, out)?;
            out.write_char(']')
        }
    }
}

fn write_text(text: &str, out: &mut impl Write) -> fmt::Result {
    out.write_char('\'')?;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\'') {
        out.write_str(before)?;
        out.write_str("''")?;
        rest = after;
    }
    out.write_str(rest)?;
    out.write_char('\'')
}

/// Tells whether a member can be written with a dot.
pub fn is_plain_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::template_text::JsonLayout;

    #[track_caller]
    fn string(expression: Expression, expected: &str) {
        let mut out = String::new();
        print_template_string(&expression, &mut out);
        assert_eq!(out, expected);
    }

    #[test]
    fn calls_have_a_comma_and_a_blank_between_arguments() {
        string(Expression::call("createArray", []), "[createArray()]");
        string(parse("add(1,mul(-2,3))").unwrap(), "[add(1, mul(-2, 3))]");
        string(parse("__bicep.f( 'x' )").unwrap(), "[__bicep.f('x')]");
    }

    #[test]
    fn quotes_are_doubled_inside_expressions_only() {
        string(Expression::text("it's"), "it's");
        string(Expression::call("string", [Expression::text("it's ''")]), "[string('it''s ''''')]");
    }

    #[test]
    fn members_have_a_dot_where_their_name_allows_it() {
        string(parse("f()['a']").unwrap(), "[f().a]");
        string(parse("f()['a-b']['']['1a']").unwrap(), "[f()['a-b']['']['1a']]");
        string(parse("f()['it''s']").unwrap(), "[f()['it''s']]");
        string(parse("f()[g().x]").unwrap(), "[f()[g().x]]");
    }

    #[test]
    fn literals_in_brackets_are_escaped() {
        string(Expression::text("[test]"), "[[test]");
        string(Expression::text("[test"), "[test");
        string(Expression::text("test]"), "test]");
        string(Expression::text("[]"), "[[]");
        string(Expression::text("[[test]"), "[[[test]");
        string(Expression::text("["), "[");
        string(Expression::Int(32), "[32]");
    }

    #[test]
    fn expressions_are_strings_unless_they_are_a_literal() {
        let write = |text: &str| {
            let mut writer = TemplateWriter::new(String::new(), JsonLayout::Indented);
            writer.expression(&parse(text).unwrap());
            writer.finish()
        };
        assert_eq!(write("concat('\"', 'it''s')"), r#""[concat('\"', 'it''s')]""#);
        assert_eq!(write("'[a]'"), r#""[[a]""#);
        assert_eq!(write("-12"), "-12");
    }
}
