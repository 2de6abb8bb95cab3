//! The other direction: messages into bytes.

mod binary;
mod compact;
mod json;

pub use binary::BinaryWriter;
pub use compact::CompactWriter;
pub use json::JsonWriter;

use super::{MessageKind, WireType};

/// Writes one message, in the order of its parts. Writing cannot fail.
pub trait Writer {
    /// Writes the envelope.
    fn message_begin(&mut self, name: &[u8], kind: MessageKind, seqid: i32);

    /// Ends a message.
    fn message_end(&mut self);

    /// Starts a struct.
    fn struct_begin(&mut self);

    /// Ends a struct.
    fn struct_end(&mut self);

    /// Starts a field.
    fn field_begin(&mut self, ty: WireType, id: i16);

    /// Ends a field.
    fn field_end(&mut self);

    /// Starts a list or, in protocols that care, a set.
    fn list_begin(&mut self, element: WireType, len: usize);

    /// Ends a list or set.
    fn list_end(&mut self);

    /// Starts a map.
    fn map_begin(&mut self, key: WireType, value: WireType, len: usize);

    /// Ends a map.
    fn map_end(&mut self);

    /// Writes a truth value.
    fn bool(&mut self, value: bool);

    /// Writes 8 bits.
    fn i8(&mut self, value: i8);

    /// Writes 16 bits.
    fn i16(&mut self, value: i16);

    /// Writes 32 bits.
    fn i32(&mut self, value: i32);

    /// Writes 64 bits.
    fn i64(&mut self, value: i64);

    /// Writes a double.
    fn double(&mut self, value: f64);

    /// Writes text.
    fn string(&mut self, value: &[u8]);

    /// Writes bytes, which only JSON writes differently from text.
    fn binary(&mut self, value: &[u8]) {
        self.string(value);
    }

    /// Writes a uuid.
    fn uuid(&mut self, value: [u8; 16]);

    /// Returns what was written.
    fn into_bytes(self) -> Vec<u8>;
}

/// Lengths are 32 bits on the wire. Nothing this crate writes comes near; what would is cut to the limit.
fn wire_len(len: usize) -> i32 {
    i32::try_from(len).unwrap_or(i32::MAX)
}
