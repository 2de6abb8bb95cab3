//! The JSON protocol of Apache Thrift.
//!
//! A struct is `{"1":{"i32":5}}`, a list `["i32",2,7,8]`, a map `["str","i32",1,{"k":5}]`; numbers are
//! quoted where they are keys of a map. A key that is a struct or container is written plainly, which is
//! no JSON any more, but is what the protocol does.

mod text;

use std::borrow::Cow;

use self::text::{parse_uuid, unescape};
use super::cursor::Cursor;
use super::{
    FieldHeader, JsonProblem, Limits, ListHeader, MapHeader, MessageForm, MessageHeader, MessageKind, Reader,
    Result, Scope, WireErrorKind, WireType,
};
use crate::base64;

/// Reads the JSON protocol.
#[derive(Clone, Copy, Debug)]
pub struct JsonReader<'b> {
    at: Cursor<'b>,
    place: JsonContext,
    depth: u8,
    limits: Limits,
}

/// What stands around the next value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum JsonContext {
    /// Nothing: the top, or the inside of a field.
    Plain,
    /// In a list, behind its head.
    Element,
    FirstKey,
    Key,
    Value,
    FirstField,
    Field,
}

impl JsonContext {
    fn from_scope(scope: Scope) -> JsonContext {
        match scope.0 {
            1 => JsonContext::Element,
            2 => JsonContext::FirstKey,
            3 => JsonContext::Key,
            4 => JsonContext::Value,
            5 => JsonContext::FirstField,
            6 => JsonContext::Field,
            _ => JsonContext::Plain,
        }
    }
}

impl<'b> JsonReader<'b> {
    /// Starts at the first byte.
    pub fn new(bytes: &'b [u8], limits: Limits) -> Self {
        JsonReader { at: Cursor::new(bytes), place: JsonContext::Plain, depth: limits.depth, limits }
    }

    fn fail<T>(&self, problem: JsonProblem) -> Result<T> {
        self.at.fail(WireErrorKind::Json(problem))
    }

    /// Returns the next byte that is not a blank, without taking it.
    #[inline]
    fn peek(&mut self) -> Result<u8> {
        let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let mut ahead = self.at;
        loop {
            let byte = ahead.byte()?;
            if !is_blank(byte) {
                return Ok(byte);
            }
            self.at = ahead;
        }
    }

    #[inline]
    fn expect(&mut self, sign: u8) -> Result<()> {
        if self.peek()? == sign {
            self.at.byte().map(drop)
        } else {
            self.fail(JsonProblem::Expected(sign.into()))
        }
    }

    /// Reads the sign that separates the next value from what is before it.
    #[inline]
    fn before_value(&mut self) -> Result<()> {
        match self.place {
            JsonContext::Plain | JsonContext::FirstKey => Ok(()),
            JsonContext::Element | JsonContext::Key => self.expect(b','),
            JsonContext::Value => self.expect(b':'),
            JsonContext::FirstField | JsonContext::Field => self.fail(JsonProblem::NoValue),
        }
    }

    #[inline]
    fn after_value(&mut self) {
        self.place = match self.place {
            JsonContext::FirstKey | JsonContext::Key => JsonContext::Value,
            JsonContext::Value => JsonContext::Key,
            other => other,
        };
    }

    fn in_key(&self) -> bool {
        matches!(self.place, JsonContext::FirstKey | JsonContext::Key)
    }

    fn enter(&mut self, inside: JsonContext) -> Result<Scope> {
        let Some(depth) = self.depth.checked_sub(1) else {
            return self.at.fail(WireErrorKind::TooDeep);
        };
        self.depth = depth;
        Ok(Scope(std::mem::replace(&mut self.place, inside) as i16))
    }

    fn leave(&mut self, scope: Scope) {
        self.depth = self.depth.saturating_add(1);
        self.place = JsonContext::from_scope(scope);
        self.after_value();
    }

    /// Reads the raw text of a string and whether it has escapes.
    fn raw_string(&mut self) -> Result<(&'b [u8], bool)> {
        self.expect(b'"')?;
        let start = self.at;
        let rest = start.rest();
        let mut escaped = false;
        let mut length = 0;
        loop {
            let tail = rest.get(length..).unwrap_or(&[]);
            match tail.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
                Some(found) if tail.get(found) == Some(&b'"') => {
                    length += found;
                    break;
                }
                Some(found) => {
                    escaped = true;
                    length += found + 2;
                }
                None => return self.at.exhausted(),
            }
        }
        start.length(length as i64, self.limits.string)?;
        let raw = self.at.bytes(length)?;
        if raw.iter().any(|byte| *byte < b' ') {
            return start.fail(WireErrorKind::Json(JsonProblem::Control));
        }
        self.at.byte()?;
        Ok((raw, escaped))
    }

    fn text(&mut self) -> Result<Cow<'b, [u8]>> {
        let start = self.at;
        let (raw, escaped) = self.raw_string()?;
        if !escaped {
            return Ok(Cow::Borrowed(raw));
        }
        match unescape(raw) {
            Some(text) => Ok(Cow::Owned(text)),
            None => start.fail(WireErrorKind::Json(JsonProblem::BadEscape)),
        }
    }

    /// Reads the characters of a number, quoted where it is a key.
    fn number_text(&mut self) -> Result<&'b [u8]> {
        if self.in_key() {
            return self.raw_string().map(|(raw, _)| raw);
        }
        self.peek()?;
        let rest = self.at.rest();
        let is_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        // A number at the very end may go on in bytes that are not here yet.
        match rest.iter().position(|byte| !is_number(byte)) {
            Some(length) => self.at.bytes(length),
            None => self.at.exhausted(),
        }
    }

    fn parse<T: std::str::FromStr>(&self, start: Cursor<'b>, text: &[u8]) -> Result<T> {
        let problem = WireErrorKind::Json(JsonProblem::BadNumber);
        // `+5` and the like are Rust, but not JSON.
        if text.first() == Some(&b'+') {
            return start.fail(problem);
        }
        match std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()) {
            Some(number) => Ok(number),
            None => start.fail(problem),
        }
    }

    fn integer<T: std::str::FromStr>(&mut self) -> Result<T> {
        self.before_value()?;
        let start = self.at;
        let text = self.number_text()?;
        let value = self.parse(start, text)?;
        self.after_value();
        Ok(value)
    }

    /// Reads an integer of a head, which is never a key.
    fn plain_integer(&mut self) -> Result<i64> {
        let place = std::mem::replace(&mut self.place, JsonContext::Plain);
        let value = self.integer();
        self.place = place;
        value
    }

    fn tag(&mut self) -> Result<WireType> {
        let start = self.at;
        let (raw, _) = self.raw_string()?;
        match WireType::from_tag(raw) {
            Some(ty) => Ok(ty),
            None => start.fail(WireErrorKind::Json(JsonProblem::BadTag)),
        }
    }

    /// Reads the number of elements, each of which takes at least so many bytes.
    fn count(&mut self, min_size: usize) -> Result<usize> {
        let start = self.at;
        let length = self.plain_integer()?;
        let length = start.length(length, self.limits.container)?;
        self.at.require(length.saturating_mul(min_size))?;
        Ok(length)
    }

    /// Moves over any JSON value, `depth` levels deep at most.
    fn skip_json(&mut self, depth: usize) -> Result<()> {
        let Some(depth) = depth.checked_sub(1) else {
            return self.at.fail(WireErrorKind::TooDeep);
        };
        match self.peek()? {
            b'"' => self.raw_string().map(drop),
            b'{' => self.skip_members(b'}', depth, true),
            b'[' => self.skip_members(b']', depth, false),
            b'-' | b'0'..=b'9' => {
                let start = self.at;
                let place = std::mem::replace(&mut self.place, JsonContext::Plain);
                let text = self.number_text();
                self.place = place;
                self.parse::<f64>(start, text?).map(drop)
            }
            _ => self.fail(JsonProblem::NoValue),
        }
    }

    fn skip_members(&mut self, close: u8, depth: usize, pairs: bool) -> Result<()> {
        self.at.byte()?;
        if self.peek()? == close {
            return self.at.byte().map(drop);
        }
        loop {
            self.skip_json(depth)?;
            if pairs {
                self.expect(b':')?;
                self.skip_json(depth)?;
            }
            if self.peek()? == close {
                return self.at.byte().map(drop);
            }
            self.expect(b',')?;
        }
    }
}

impl<'b> Reader<'b> for JsonReader<'b> {
    fn offset(&self) -> usize {
        self.at.offset()
    }

    fn message_begin(&mut self) -> Result<MessageHeader<'b>> {
        self.expect(b'[')?;
        let start = self.at;
        let version = self.plain_integer()?;
        if version != 1 {
            return start.fail(WireErrorKind::BadVersion(version as u32));
        }
        self.expect(b',')?;
        let start = self.at;
        let name = self.text()?;
        start.length(name.len() as i64, self.limits.name)?;
        self.expect(b',')?;
        let start = self.at;
        let number = self.plain_integer()?;
        let Some(kind) = u8::try_from(number).ok().and_then(MessageKind::from_number) else {
            return start.fail(WireErrorKind::BadMessageKind(number));
        };
        self.expect(b',')?;
        let start = self.at;
        let text = self.number_text()?;
        let seqid = self.parse(start, text)?;
        self.expect(b',')?;
        Ok(MessageHeader { name, kind, seqid, form: MessageForm::Versioned })
    }

    fn message_end(&mut self) -> Result<()> {
        self.expect(b']')
    }

    fn struct_begin(&mut self) -> Result<Scope> {
        self.before_value()?;
        self.expect(b'{')?;
        self.enter(JsonContext::FirstField)
    }

    fn field_begin(&mut self) -> Result<Option<FieldHeader>> {
        if self.peek()? == b'}' {
            self.at.byte()?;
            return Ok(None);
        }
        if self.place == JsonContext::Field {
            self.expect(b',')?;
        }
        let start = self.at;
        let (raw, _) = self.raw_string()?;
        let id = match self.parse(start, raw) {
            Ok(id) => id,
            Err(_) => return start.fail(WireErrorKind::BadFieldId),
        };
        self.expect(b':')?;
        self.expect(b'{')?;
        let ty = self.tag()?;
        self.expect(b':')?;
        self.place = JsonContext::Plain;
        Ok(Some(FieldHeader { ty, id }))
    }

    fn field_end(&mut self) -> Result<()> {
        self.expect(b'}')?;
        self.place = JsonContext::Field;
        Ok(())
    }

    fn struct_end(&mut self, scope: Scope) -> Result<()> {
        self.leave(scope);
        Ok(())
    }

    fn list_begin(&mut self) -> Result<ListHeader> {
        self.before_value()?;
        self.expect(b'[')?;
        let element = self.tag()?;
        self.expect(b',')?;
        let len = self.count(2)?;
        Ok(ListHeader { element, len, scope: self.enter(JsonContext::Element)? })
    }

    fn list_end(&mut self, scope: Scope) -> Result<()> {
        self.expect(b']')?;
        self.leave(scope);
        Ok(())
    }

    fn map_begin(&mut self) -> Result<MapHeader> {
        self.before_value()?;
        self.expect(b'[')?;
        let key = self.tag()?;
        self.expect(b',')?;
        let value = self.tag()?;
        self.expect(b',')?;
        let len = self.count(4)?;
        self.expect(b',')?;
        self.expect(b'{')?;
        Ok(MapHeader { key, value, len, scope: self.enter(JsonContext::FirstKey)? })
    }

    fn map_end(&mut self, scope: Scope) -> Result<()> {
        self.expect(b'}')?;
        self.expect(b']')?;
        self.leave(scope);
        Ok(())
    }

    fn bool(&mut self) -> Result<bool> {
        let start = self.at;
        match self.integer::<u8>()? {
            0 => Ok(false),
            1 => Ok(true),
            other => start.fail(WireErrorKind::BadBool(other)),
        }
    }

    fn i8(&mut self) -> Result<i8> {
        self.integer()
    }

    fn i16(&mut self) -> Result<i16> {
        self.integer()
    }

    fn i32(&mut self) -> Result<i32> {
        self.integer()
    }

    fn i64(&mut self) -> Result<i64> {
        self.integer()
    }

    fn double(&mut self) -> Result<f64> {
        self.before_value()?;
        let quoted = self.peek()? == b'"';
        let start = self.at;
        let text = if quoted { self.raw_string()?.0 } else { self.number_text()? };
        let value = match text {
            b"NaN" if quoted => f64::NAN,
            b"Infinity" if quoted => f64::INFINITY,
            b"-Infinity" if quoted => f64::NEG_INFINITY,
            number if quoted == self.in_key() && number.iter().any(u8::is_ascii_digit) => {
                self.parse(start, number)?
            }
            _ => return start.fail(WireErrorKind::Json(JsonProblem::BadNumber)),
        };
        self.after_value();
        Ok(value)
    }

    fn string(&mut self) -> Result<Cow<'b, [u8]>> {
        self.before_value()?;
        let text = self.text()?;
        self.after_value();
        Ok(text)
    }

    fn binary(&mut self) -> Result<Cow<'b, [u8]>> {
        let start = self.at;
        let text = self.string()?;
        match base64::decode_standard(&text) {
            Some(bytes) => Ok(Cow::Owned(bytes)),
            None => start.fail(WireErrorKind::Json(JsonProblem::BadBase64)),
        }
    }

    fn uuid(&mut self) -> Result<[u8; 16]> {
        let start = self.at;
        let text = self.string()?;
        match parse_uuid(&text) {
            Some(uuid) => Ok(uuid),
            None => start.fail(WireErrorKind::Json(JsonProblem::BadUuid)),
        }
    }

    fn skip(&mut self, _: WireType) -> Result<()> {
        self.before_value()?;
        // A struct takes two levels of JSON for one of Thrift.
        self.skip_json(usize::from(self.depth) * 2 + 1)?;
        self.after_value();
        Ok(())
    }
}
