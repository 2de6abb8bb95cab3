//! Constant values and numbers.

use super::{Code, IdlToken, IdlTokenKind, Keyword, Parse, ParseFailed, Parser};
use crate::idl::{ConstKind, ConstValue};

impl Parser<'_> {
    pub(super) fn const_value(&mut self) -> Parse<ConstValue> {
        self.nested(Self::const_value_inner)
    }

    fn const_value_inner(&mut self) -> Parse<ConstValue> {
        let first = self.peek();
        let kind = match first.kind {
            IdlTokenKind::Int => {
                self.bump();
                ConstKind::Int(self.integer(first)?)
            }
            IdlTokenKind::Double => {
                self.bump();
                ConstKind::Double(self.double(first)?)
            }
            IdlTokenKind::Literal => ConstKind::Literal(self.literal("a value")?),
            IdlTokenKind::Keyword(Keyword::True | Keyword::False) => {
                self.bump();
                ConstKind::Bool(first.kind == IdlTokenKind::Keyword(Keyword::True))
            }
            IdlTokenKind::Name => ConstKind::Identifier(self.name().text),
            IdlTokenKind::Keyword(keyword) if !keyword.starts_definition() => {
                ConstKind::Identifier(self.name().text)
            }
            IdlTokenKind::LBracket => self.list()?,
            IdlTokenKind::LBrace => self.map()?,
            _ => return Err(self.expected("a value")),
        };
        Ok(ConstValue { kind, span: self.span_from(first) })
    }

    fn list(&mut self) -> Parse<ConstKind> {
        self.bump();
        let mut items = Vec::new();
        while self.eat(IdlTokenKind::RBracket).is_none() {
            if matches!(self.kind(), IdlTokenKind::End | IdlTokenKind::RBrace | IdlTokenKind::RParen)
                || self.at_definition()
            {
                return Err(self.expected("`]` or a value"));
            }
            items.push(self.const_value()?);
            self.separator();
        }
        Ok(ConstKind::List(items))
    }

    fn map(&mut self) -> Parse<ConstKind> {
        self.bump();
        let mut entries = Vec::new();
        while self.eat(IdlTokenKind::RBrace).is_none() {
            if matches!(self.kind(), IdlTokenKind::End | IdlTokenKind::RBracket | IdlTokenKind::RParen)
                || self.at_definition()
            {
                return Err(self.expected("`}` or a key"));
            }
            let key = self.const_value()?;
            if self.kind() == IdlTokenKind::Equal {
                return Err(self.expected_with("`:` behind the key", Some("write `key: value`".to_owned())));
            }
            self.expect(IdlTokenKind::Colon, "behind the key")?;
            entries.push((key, self.const_value()?));
            self.separator();
        }
        Ok(ConstKind::Map(entries))
    }

    /// Reads an integer token: decimal with a sign, `0x`, or `0o`.
    pub(super) fn integer(&mut self, token: IdlToken) -> Parse<i64> {
        let text = self.text_of(token).to_owned();
        let span = self.span_of(token);
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(&text)),
        };
        let magnitude = if let Some(hex) = digits.strip_prefix("0x") {
            if digits.len() != text.len() {
                self.disagree(Code::SignedHex, span, "a hexadecimal number with a sign");
            }
            i128::from_str_radix(hex, 16)
        } else if let Some(octal) = digits.strip_prefix("0o") {
            self.disagree(Code::OctalNumber, span, "an octal number");
            i128::from_str_radix(octal, 8)
        } else {
            if digits.len() > 1 && digits.starts_with('0') {
                let message = format!("`{text}` is read as a decimal number here and as octal by thriftgo");
                self.report(Code::LeadingZero.at(span, message).help("remove the leading zero"));
            }
            digits.parse::<i128>()
        };
        let value = magnitude.ok().map(|magnitude| if negative { -magnitude } else { magnitude });
        match value.and_then(|value| i64::try_from(value).ok()) {
            Some(value) => Ok(value),
            None => {
                let message = format!("`{text}` does not fit 64 bits");
                self.report(Code::BadNumber.at(span, message));
                Err(ParseFailed)
            }
        }
    }

    fn double(&mut self, token: IdlToken) -> Parse<f64> {
        let text = self.text_of(token).to_owned();
        let span = self.span_of(token);
        if text.ends_with('.') || text.contains(".e") || text.contains(".E") {
            let help = format!("write `{}0`", text.split_inclusive('.').next().unwrap_or(&text));
            let message = format!("`{text}` has no digit behind its decimal point");
            self.disagree_with(Code::BareDecimalPoint, span, message, Some(&help));
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => {
                let message = format!("`{text}` does not fit a double");
                self.report(Code::BadNumber.at(span, message));
                Err(ParseFailed)
            }
        }
    }
}
