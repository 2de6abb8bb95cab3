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
    /// Starts a message with its envelope; the struct of arguments or of the result follows.
    fn message_begin(&mut self, name: &[u8], kind: MessageKind, seqid: i32);

    /// Ends a message: only in JSON something stands there.
    fn message_end(&mut self);

    /// Starts a struct, whose fields follow in any order.
    fn struct_begin(&mut self);

    /// Ends a struct: binary and compact write the stop byte.
    fn struct_end(&mut self);

    /// Starts a field, whose one value follows.
    fn field_begin(&mut self, ty: WireType, id: i16);

    /// Ends a field: only in JSON something stands there.
    fn field_end(&mut self);

    /// Starts a list or, in protocols that care, a set.
    fn list_begin(&mut self, element: WireType, len: usize);

    /// Ends a list or set, after as many elements as were announced.
    fn list_end(&mut self);

    /// Starts a map; keys and values follow in turn, `len` of each.
    fn map_begin(&mut self, key: WireType, value: WireType, len: usize);

    /// Ends a map, after as many entries as were announced.
    fn map_end(&mut self);

    /// Writes a truth value.
    fn bool(&mut self, value: bool);

    /// Writes 8 bits, signed; also what the IDL calls `byte`.
    fn i8(&mut self, value: i8);

    /// Writes 16 bits, signed.
    fn i16(&mut self, value: i16);

    /// Writes 32 bits, signed, or an enum.
    fn i32(&mut self, value: i32);

    /// Writes 64 bits, signed.
    fn i64(&mut self, value: i64);

    /// Writes a double; NaN and the infinities are legal.
    fn double(&mut self, value: f64);

    /// Writes text, which nobody checks to be UTF-8.
    fn string(&mut self, value: &[u8]);

    /// Writes bytes, which only JSON writes differently from text.
    fn binary(&mut self, value: &[u8]) {
        self.string(value);
    }

    /// Writes a uuid; its bytes are in the order of its text.
    fn uuid(&mut self, value: [u8; 16]);

    /// Returns what was written.
    fn into_bytes(self) -> Vec<u8>;
}

/// Lengths are 32 bits on the wire. Nothing this crate writes comes near; what would is cut to the limit.
fn wire_len(len: usize) -> i32 {
    i32::try_from(len).unwrap_or(i32::MAX)
}
