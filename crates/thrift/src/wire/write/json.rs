//! Writes the JSON protocol of Apache Thrift.

use std::io::Write;

use super::Writer;
use crate::wire::json::JsonContext;
use crate::wire::{MessageKind, WireType};

/// Writes the JSON protocol.
#[derive(Clone, Debug, Default)]
pub struct JsonWriter {
    out: Vec<u8>,
    places: Vec<JsonContext>,
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl JsonWriter {
    /// A writer that has written nothing yet.
    pub fn new() -> Self {
        JsonWriter::default()
    }

    /// Writes what separates the next value from the last, and says whether it is a key.
    fn before_value(&mut self) -> bool {
        let Some(place) = self.places.last_mut() else { return false };
        let was = *place;
        match was {
            JsonContext::Element => self.out.push(b','),
            JsonContext::FirstKey => *place = JsonContext::Value,
            JsonContext::Key => {
                self.out.push(b',');
                *place = JsonContext::Value;
            }
            JsonContext::Value => {
                self.out.push(b':');
                *place = JsonContext::Key;
            }
            JsonContext::FirstField | JsonContext::Field | JsonContext::Plain => {}
        }
        matches!(was, JsonContext::FirstKey | JsonContext::Key)
    }

    fn number(&mut self, value: impl std::fmt::Display) {
        let quote = if self.before_value() { "\"" } else { "" };
        self.append(format_args!("{quote}{value}{quote}"));
    }

    fn append(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a vector does not fail.
        let _ = self.out.write_fmt(text);
    }

    /// Writes a JSON string of bytes, which need not be UTF-8: a message is passed on as it came. For text, `value` has one.
    fn quoted(&mut self, text: &[u8]) {
        self.out.push(b'"');
        for byte in text {
            match byte {
                b'"' => self.out.extend_from_slice(b"\\\""),
                b'\\' => self.out.extend_from_slice(b"\\\\"),
                b'\n' => self.out.extend_from_slice(b"\\n"),
                b'\r' => self.out.extend_from_slice(b"\\r"),
                b'\t' => self.out.extend_from_slice(b"\\t"),
                8 => self.out.extend_from_slice(b"\\b"),
                12 => self.out.extend_from_slice(b"\\f"),
                0..=31 => self.append(format_args!("\\u{byte:04x}")),
                _ => self.out.push(*byte),
            }
        }
        self.out.push(b'"');
    }

    fn base64(&mut self, bytes: &[u8]) {
        self.out.push(b'"');
        for chunk in bytes.chunks(3) {
            let bits = chunk.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte))
                << (8 * (3 - chunk.len()));
            let letters = [18, 12, 6, 0].map(|shift| BASE64.get(bits >> shift & 63).copied().unwrap_or(b'A'));
            self.out.extend(letters.into_iter().take(chunk.len() + 1));
        }
        self.out.push(b'"');
    }
}

impl Writer for JsonWriter {
    fn message_begin(&mut self, name: &[u8], kind: MessageKind, seqid: i32) {
        self.out.extend_from_slice(b"[1,");
        self.quoted(name);
        self.append(format_args!(",{},{seqid},", kind.number()));
    }

    fn message_end(&mut self) {
        self.out.push(b']');
    }

    fn struct_begin(&mut self) {
        self.before_value();
        self.out.push(b'{');
        self.places.push(JsonContext::FirstField);
    }

    fn struct_end(&mut self) {
        self.out.push(b'}');
        self.places.pop();
    }

    fn field_begin(&mut self, ty: WireType, id: i16) {
        if self.places.last() == Some(&JsonContext::Field) {
            self.out.push(b',');
        }
        if let Some(place) = self.places.last_mut() {
            *place = JsonContext::Field;
        }
        self.append(format_args!("\"{id}\":{{\"{}\":", ty.tag()));
        self.places.push(JsonContext::Plain);
    }

    fn field_end(&mut self) {
        self.out.push(b'}');
        self.places.pop();
    }

    fn list_begin(&mut self, element: WireType, len: usize) {
        self.before_value();
        self.append(format_args!("[\"{}\",{len}", element.tag()));
        self.places.push(JsonContext::Element);
    }

    fn list_end(&mut self) {
        self.out.push(b']');
        self.places.pop();
    }

    fn map_begin(&mut self, key: WireType, value: WireType, len: usize) {
        self.before_value();
        self.append(format_args!("[\"{}\",\"{}\",{len},{{", key.tag(), value.tag()));
        self.places.push(JsonContext::FirstKey);
    }

    fn map_end(&mut self) {
        self.out.extend_from_slice(b"}]");
        self.places.pop();
    }

    fn bool(&mut self, value: bool) {
        self.number(u8::from(value));
    }

    fn i8(&mut self, value: i8) {
        self.number(value);
    }

    fn i16(&mut self, value: i16) {
        self.number(value);
    }

    fn i32(&mut self, value: i32) {
        self.number(value);
    }

    fn i64(&mut self, value: i64) {
        self.number(value);
    }

    fn double(&mut self, value: f64) {
        if value.is_finite() {
            return self.number(format_args!("{value:?}"));
        }
        self.before_value();
        self.out.extend_from_slice(match value {
            value if value.is_nan() => b"\"NaN\"",
            value if value > 0.0 => b"\"Infinity\"",
            _ => b"\"-Infinity\"",
        });
    }

    fn string(&mut self, value: &[u8]) {
        self.before_value();
        self.quoted(value);
    }

    fn binary(&mut self, value: &[u8]) {
        self.before_value();
        self.base64(value);
    }

    fn uuid(&mut self, value: [u8; 16]) {
        self.before_value();
        let digits = format!("{:032x}", u128::from_be_bytes(value));
        let parts = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)];
        let text: Vec<&str> = parts.iter().filter_map(|(start, end)| digits.get(*start..*end)).collect();
        self.quoted(text.join("-").as_bytes());
    }

    fn into_bytes(self) -> Vec<u8> {
        self.out
    }
}
