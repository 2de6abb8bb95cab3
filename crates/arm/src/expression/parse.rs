//! Expression text to tree, in one pass, with bounded depth.

use smol_str::SmolStr;

use super::{Expression, FunctionCall, MAX_DEPTH};

/// Why a text is not an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// Byte offset in the text that was parsed.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

/// Reads the text between the brackets of an expression string.
pub fn parse(text: &str) -> Result<Expression, ParseError> {
    let mut parser = ExpressionParser { text, bytes: text.as_bytes(), at: 0, depth: 0 };
    parser.blanks();
    let expression = parser.expression()?;
    match parser.peek() {
        None => Ok(expression),
        Some(_) => Err(parser.unexpected("the end of the expression")),
    }
}

struct ExpressionParser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
}

impl ExpressionParser<'_> {
    /// Reads an expression and the blanks behind it.
    fn expression(&mut self) -> Result<Expression, ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(
                self.error(self.at, format!("the expression nests more than {MAX_DEPTH} levels deep"))
            );
        }
        let primary = match self.peek() {
            Some(b'\'') => self.string()?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(byte) if starts_name(byte) => self.call()?,
            _ => return Err(self.unexpected("a function call, a string or a number")),
        };
        self.blanks();
        let expression = self.accesses(primary)?;
        self.depth -= 1;
        Ok(expression)
    }

    fn accesses(&mut self, mut base: Expression) -> Result<Expression, ParseError> {
        loop {
            match self.peek() {
                Some(b'.') => {
                    self.at += 1;
                    self.blanks();
                    let name = self.name().ok_or_else(|| self.unexpected("a property name"))?;
                    base = base.property(name);
                }
                Some(b'[') => {
                    self.at += 1;
                    self.blanks();
                    let index = self.expression()?;
                    self.expect(b']')?;
                    base = base.index(index);
                }
                _ => return Ok(base),
            }
            self.blanks();
        }
    }

    fn call(&mut self) -> Result<Expression, ParseError> {
        let start = self.at;
        let mut name = self.name().ok_or_else(|| self.unexpected("a function name"))?;
        let mut namespace = None;
        self.blanks();
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.blanks();
            let member = self.name().ok_or_else(|| self.unexpected("a function name"))?;
            namespace = Some(std::mem::replace(&mut name, member));
            self.blanks();
        }
        if self.peek() != Some(b'(') {
            let word = self.text.get(start..self.at).unwrap_or_default().trim_end();
            return Err(match self.peek() {
                None => {
                    self.error(start, format!("`{word}` is not a value; a function call ends with `(...)`"))
                }
                Some(_) => self.unexpected(&format!("`(` behind the function name `{word}`")),
            });
        }
        self.at += 1;
        self.blanks();
        let mut arguments = Vec::new();
        if self.peek() == Some(b')') {
            self.at += 1;
        } else {
            loop {
                arguments.push(self.expression()?);
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        self.blanks();
                    }
                    Some(b')') => {
                        self.at += 1;
                        break;
                    }
                    _ => return Err(self.unexpected("`,` or `)`")),
                }
            }
        }
        Ok(Expression::Call(Box::new(FunctionCall { namespace, name, arguments })))
    }

    /// Reads a string; a quote inside is written twice.
    fn string(&mut self) -> Result<Expression, ParseError> {
        let open = self.at;
        let mut from = open + 1;
        let mut unescaped = String::new();
        loop {
            let rest = self.bytes.get(from..).unwrap_or_default();
            let Some(quote) = memchr::memchr(b'\'', rest).map(|at| from + at) else {
                return Err(self.error(open, "the string is not closed".to_owned()));
            };
            if self.bytes.get(quote + 1) == Some(&b'\'') {
                unescaped.push_str(self.text.get(from..=quote).unwrap_or_default());
                from = quote + 2;
                continue;
            }
            self.at = quote + 1;
            let last = self.text.get(from..quote).unwrap_or_default();
            if unescaped.is_empty() {
                return Ok(Expression::Text(SmolStr::new(last)));
            }
            unescaped.push_str(last);
            return Ok(Expression::Text(unescaped.into()));
        }
    }

    fn number(&mut self) -> Result<Expression, ParseError> {
        let start = self.at;
        self.at += 1;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        let literal = self.text.get(start..self.at).unwrap_or_default();
        if self.peek() == Some(b'.') && matches!(self.bytes.get(self.at + 1), Some(b'0'..=b'9')) {
            let message = "a number has no fraction in an expression; write `json('1.5')` instead";
            return Err(self.error(start, message.to_owned()));
        }
        if literal == "-" {
            return Err(self.error(start, "a digit must follow the `-`".to_owned()));
        }
        match literal.parse() {
            Ok(value) => Ok(Expression::Int(value)),
            Err(_) => Err(self.error(start, format!("the number `{literal}` does not fit 64 bits"))),
        }
    }

    fn name(&mut self) -> Option<SmolStr> {
        let start = self.at;
        if !self.peek().is_some_and(starts_name) {
            return None;
        }
        while self.peek().is_some_and(continues_name) && self.wide_blank() == 0 {
            self.at += 1;
        }
        self.text.get(start..self.at).map(SmolStr::new)
    }

    fn expect(&mut self, byte: u8) -> Result<(), ParseError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.unexpected(&format!("`{}`", char::from(byte))))
    }

    /// Goes over white space; what is copied from a page has blanks that do not break.
    fn blanks(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                0x80.. if self.wide_blank() > 0 => self.at += self.wide_blank(),
                _ => break,
            }
        }
    }

    /// How many bytes a blank beyond ASCII takes here; none if there is no blank.
    fn wide_blank(&self) -> usize {
        if self.peek().is_none_or(|byte| byte < 0x80) {
            return 0;
        }
        let here = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        here.filter(|c| c.is_whitespace()).map_or(0, char::len_utf8)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[cold]
    fn unexpected(&self, wanted: &str) -> ParseError {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(c) => format!("`{}`", c.escape_debug()),
            None => "the end".to_owned(),
        };
        self.error(self.at, format!("expected {wanted}, found {found}"))
    }

    #[cold]
    fn error(&self, offset: usize, message: String) -> ParseError {
        ParseError { offset, message }
    }
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn prints(text: &str, expected: &str) {
        assert_eq!(parse(text).unwrap().to_string(), expected, "{text}");
    }

    #[track_caller]
    fn fails(text: &str, offset: usize, message: &str) {
        assert_eq!(parse(text), Err(ParseError { offset, message: message.to_owned() }), "{text}");
    }

    #[test]
    fn white_space_is_free_between_tokens() {
        prints(" concat ( 'a' ,\r\n\t1 ) . b [ 0 ] ", "concat('a', 1).b[0]");
        prints("a . b ( ) ", "a.b()");
        prints("\u{a0}concat(\u{a0}'a\u{a0}',\u{2003}b\u{3000}(1))", "concat('a\u{a0}', b(1))");
    }

    #[test]
    fn a_quote_in_a_string_is_written_twice() {
        assert_eq!(parse("'it''s'"), Ok(Expression::text("it's")));
        assert_eq!(parse("''''"), Ok(Expression::text("'")));
        assert_eq!(parse("''"), Ok(Expression::text("")));
        assert_eq!(parse("'a\nb''''c'"), Ok(Expression::text("a\nb''c")));
    }

    #[test]
    fn numbers_have_64_bits() {
        assert_eq!(parse("-9223372036854775808"), Ok(Expression::Int(i64::MIN)));
        assert_eq!(parse("9223372036854775807"), Ok(Expression::Int(i64::MAX)));
        fails("9223372036854775808", 0, "the number `9223372036854775808` does not fit 64 bits");
        fails("f(1.5)", 2, "a number has no fraction in an expression; write `json('1.5')` instead");
        fails("-", 0, "a digit must follow the `-`");
    }

    #[test]
    fn a_dot_in_a_name_separates_the_namespace() {
        let expression = parse("__bicep.greet('x').y").unwrap();
        assert_eq!(
            expression,
            Expression::user_call("__bicep", "greet", [Expression::text("x")]).property("y")
        );
        fails("a.b.c()", 3, "expected `(` behind the function name `a.b`, found `.`");
    }

    #[test]
    fn mistakes_are_named_where_they_are() {
        fails("", 0, "expected a function call, a string or a number, found the end");
        fails("f(", 2, "expected a function call, a string or a number, found the end");
        fails("f(a())b", 6, "expected the end of the expression, found `b`");
        fails("f(1 2)", 4, "expected `,` or `)`, found `2`");
        fails("f(1,)", 4, "expected a function call, a string or a number, found `)`");
        fails("f()[0", 5, "expected `]`, found the end");
        fails("f().", 4, "expected a property name, found the end");
        fails("concat('a", 7, "the string is not closed");
        fails("true", 0, "`true` is not a value; a function call ends with `(...)`");
        fails("f(1 + 2)", 4, "expected `,` or `)`, found `+`");
    }

    #[test]
    fn depth_is_bounded_and_walks_are_not_deep() {
        let nested = |depth: usize| "f(".repeat(depth - 1) + "1" + &")".repeat(depth - 1);
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        assert!(parse(&nested(MAX_DEPTH + 1)).unwrap_err().message.contains("levels deep"));
        assert!(parse(&nested(1_000_000)).is_err());
        assert!(parse(&("f()".to_owned() + &".a[0]".repeat(100_000))).is_ok());
    }
}
