//! Writes the binary protocol.

use super::{Writer, wire_len};
use crate::wire::{MessageForm, MessageKind, WireType};

/// Writes the binary protocol.
#[derive(Clone, Debug)]
pub struct BinaryWriter {
    out: Vec<u8>,
    form: MessageForm,
}

impl BinaryWriter {
    /// Starts empty; the form is that of the envelope.
    pub fn new(form: MessageForm) -> Self {
        BinaryWriter { out: Vec::with_capacity(128), form }
    }
}

impl Writer for BinaryWriter {
    fn message_begin(&mut self, name: &[u8], kind: MessageKind, seqid: i32) {
        match self.form {
            MessageForm::Versioned => {
                self.out.extend_from_slice(&[0x80, 0x01, 0x00, kind.number()]);
                self.string(name);
            }
            MessageForm::Old => {
                self.string(name);
                self.out.push(kind.number());
            }
        }
        self.i32(seqid);
    }

    fn message_end(&mut self) {}

    fn struct_begin(&mut self) {}

    fn struct_end(&mut self) {
        self.out.push(0);
    }

    fn field_begin(&mut self, ty: WireType, id: i16) {
        self.out.push(ty.binary());
        self.i16(id);
    }

    fn field_end(&mut self) {}

    fn list_begin(&mut self, element: WireType, len: usize) {
        self.out.push(element.binary());
        self.i32(wire_len(len));
    }

    fn list_end(&mut self) {}

    fn map_begin(&mut self, key: WireType, value: WireType, len: usize) {
        self.out.extend_from_slice(&[key.binary(), value.binary()]);
        self.i32(wire_len(len));
    }

    fn map_end(&mut self) {}

    fn bool(&mut self, value: bool) {
        self.out.push(value.into());
    }

    fn i8(&mut self, value: i8) {
        self.out.push(value as u8);
    }

    fn i16(&mut self, value: i16) {
        self.out.extend_from_slice(&value.to_be_bytes());
    }

    fn i32(&mut self, value: i32) {
        self.out.extend_from_slice(&value.to_be_bytes());
    }

    fn i64(&mut self, value: i64) {
        self.out.extend_from_slice(&value.to_be_bytes());
    }

    fn double(&mut self, value: f64) {
        self.out.extend_from_slice(&value.to_be_bytes());
    }

    fn string(&mut self, value: &[u8]) {
        let len = wire_len(value.len());
        self.i32(len);
        self.out.extend(value.iter().take(len as usize));
    }

    fn uuid(&mut self, value: [u8; 16]) {
        self.out.extend_from_slice(&value);
    }

    fn into_bytes(self) -> Vec<u8> {
        self.out
    }
}
