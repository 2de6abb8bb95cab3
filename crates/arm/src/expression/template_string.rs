//! What a JSON string of a template means: an expression, or text.

use super::{Expression, ParseError, parse};

/// The meaning of a JSON string in a place where templates have expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateString<'t> {
    /// Text as it is, an escaping bracket taken away.
    Text(&'t str),
    /// The text between the brackets of an expression.
    Expression(&'t str),
}

impl<'t> TemplateString<'t> {
    /// Tells what a JSON string is.
    ///
    /// It is an expression if it starts with `[`, but not with `[[`, and ends with `]`. A string that starts with
    /// `[[` and ends with `]` is text, without the first bracket. All others are text as they are.
    pub fn of(string: &'t str) -> TemplateString<'t> {
        let Some(inner) = string.strip_prefix('[') else { return TemplateString::Text(string) };
        match inner.strip_suffix(']') {
            None => TemplateString::Text(string),
            Some(_) if inner.starts_with('[') => TemplateString::Text(inner),
            Some(inner) => TemplateString::Expression(inner),
        }
    }

    /// The expression that the string stands for: what is between the brackets, or a string literal.
    pub fn parse(string: &str) -> Result<Expression, ParseError> {
        match TemplateString::of(string) {
            TemplateString::Text(text) => Ok(Expression::text(text)),
            TemplateString::Expression(inner) => {
                parse(inner).map_err(|error| ParseError { offset: error.offset + 1, ..error })
            }
        }
    }

    /// Tells whether text must be escaped to be read as text.
    pub(super) fn needs_escape(text: &str) -> bool {
        text.len() >= 2 && text.starts_with('[') && text.ends_with(']')
    }
}

#[cfg(test)]
mod tests {
    use super::TemplateString::{Expression, Text};
    use super::*;

    #[test]
    fn brackets_at_both_ends_make_an_expression() {
        for (string, meaning) in [
            ("[f()]", Expression("f()")),
            ("[[test]", Text("[test]")),
            ("[[]", Text("[]")),
            ("[[[a]]", Text("[[a]]")),
            ("[test", Text("[test")),
            ("[[test", Text("[[test")),
            ("test]", Text("test]")),
            (" [f()]", Text(" [f()]")),
            ("[f()] ", Text("[f()] ")),
            ("[]", Expression("")),
            ("[", Text("[")),
            ("]", Text("]")),
            ("", Text("")),
        ] {
            assert_eq!(TemplateString::of(string), meaning, "{string}");
        }
    }

    #[test]
    fn offsets_count_from_the_start_of_the_string() {
        assert_eq!(TemplateString::parse("[f(]").unwrap_err().offset, 3);
        assert_eq!(TemplateString::parse("[[f(]"), Ok(super::Expression::text("[f(]")));
    }
}
