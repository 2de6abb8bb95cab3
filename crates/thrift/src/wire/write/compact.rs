//! Writes the compact protocol.

use super::{Writer, wire_len};
use crate::wire::{MessageKind, WireType};

/// Writes the compact protocol.
#[derive(Clone, Debug, Default)]
pub struct CompactWriter {
    out: Vec<u8>,
    last_id: i16,
    outer_ids: Vec<i16>,
    /// A field of a truth value waits for it: its header carries the value.
    waiting: Option<i16>,
}

impl CompactWriter {
    /// A writer that has written nothing yet.
    pub fn new() -> Self {
        CompactWriter::default()
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.out.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.out.push(value as u8);
    }

    fn zigzag(&mut self, value: i64) {
        self.varint((value << 1 ^ value >> 63) as u64);
    }

    fn field_header(&mut self, number: u8, id: i16) {
        match id.checked_sub(self.last_id) {
            Some(delta @ 1..=15) => self.out.push((delta as u8) << 4 | number),
            _ => {
                self.out.push(number);
                self.zigzag(id.into());
            }
        }
        self.last_id = id;
    }
}

impl Writer for CompactWriter {
    fn message_begin(&mut self, name: &[u8], kind: MessageKind, seqid: i32) {
        self.out.extend_from_slice(&[0x82, kind.number() << 5 | 1]);
        self.varint(u64::from(seqid as u32));
        self.string(name);
    }

    fn message_end(&mut self) {}

    fn struct_begin(&mut self) {
        self.outer_ids.push(std::mem::replace(&mut self.last_id, 0));
    }

    fn struct_end(&mut self) {
        self.out.push(0);
        self.last_id = self.outer_ids.pop().unwrap_or(0);
    }

    fn field_begin(&mut self, ty: WireType, id: i16) {
        match ty {
            WireType::Bool => self.waiting = Some(id),
            _ => self.field_header(ty.compact(), id),
        }
    }

    fn field_end(&mut self) {}

    fn list_begin(&mut self, element: WireType, len: usize) {
        match len {
            0..=14 => self.out.push((len as u8) << 4 | element.compact()),
            _ => {
                self.out.push(0xf0 | element.compact());
                self.varint(wire_len(len) as u64);
            }
        }
    }

    fn list_end(&mut self) {}

    fn map_begin(&mut self, key: WireType, value: WireType, len: usize) {
        self.varint(wire_len(len) as u64);
        if len > 0 {
            self.out.push(key.compact() << 4 | value.compact());
        }
    }

    fn map_end(&mut self) {}

    fn bool(&mut self, value: bool) {
        let number = if value { 1 } else { 2 };
        match self.waiting.take() {
            Some(id) => self.field_header(number, id),
            None => self.out.push(number),
        }
    }

    fn i8(&mut self, value: i8) {
        self.out.push(value as u8);
    }

    fn i16(&mut self, value: i16) {
        self.zigzag(value.into());
    }

    fn i32(&mut self, value: i32) {
        self.zigzag(value.into());
    }

    fn i64(&mut self, value: i64) {
        self.zigzag(value);
    }

    fn double(&mut self, value: f64) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    fn string(&mut self, value: &[u8]) {
        let len = wire_len(value.len());
        self.varint(len as u64);
        self.out.extend(value.iter().take(len as usize));
    }

    fn uuid(&mut self, value: [u8; 16]) {
        self.out.extend_from_slice(&value);
    }

    fn into_bytes(self) -> Vec<u8> {
        self.out
    }
}
