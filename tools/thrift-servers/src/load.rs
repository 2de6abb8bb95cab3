//! An argument that some readers refuse halfway, and what a call behind it looks like to a server that goes on there.

use thrift::wire::{MessageForm, MessageKind, Protocol, WireType};

use crate::messages::{Arguments, Said, compose, write};

/// An argument of many parts.
pub(crate) struct Load {
    pub(crate) size: i32,
    pub(crate) place: Place,
    /// The first of the marks, as a number.
    pub(crate) marks: Option<u8>,
    pub(crate) note: &'static [u8],
    /// Whether it comes before the other arguments.
    pub(crate) first: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Place {
    Absent,
    Street,
    /// A union without a field.
    Empty,
}

impl Load {
    /// A call that carries it.
    pub(crate) fn call(
        &self,
        protocol: Protocol,
        form: MessageForm,
        name: &[u8],
        text: &[u8],
        count: i32,
    ) -> Vec<u8> {
        let mut payload = compose(protocol, form, name, MessageKind::Call, |writer| {
            if self.first {
                self.write(writer);
            }
            writer.field(WireType::String, 1);
            writer.text(text);
            writer.done();
            writer.field(WireType::I32, 2);
            writer.number(count);
            writer.done();
            if !self.first {
                self.write(writer);
            }
        });
        if let (Protocol::Compact, Some(mark)) = (protocol, self.marks) {
            // The first of three marks: its value can be written in more than one way.
            let marks = payload.windows(4).position(|it| it == [0x31, 1, 1, 1]);
            if let Some(there) = marks.and_then(|at| payload.get_mut(at + 1)) {
                *there = mark;
            }
        }
        payload
    }

    fn write(&self, writer: &mut dyn Arguments) {
        writer.field(WireType::Struct, 3);
        writer.open();
        writer.field(WireType::Struct, 1);
        writer.open();
        writer.field(WireType::I32, 1);
        writer.number(self.size);
        writer.done();
        if self.marks.is_some() {
            writer.field(WireType::List, 3);
            writer.bools(&[true, true, true]);
            writer.done();
        }
        if !self.note.is_empty() {
            writer.field(WireType::String, 4);
            writer.text(self.note);
            writer.done();
        }
        if !matches!(self.place, Place::Absent) {
            writer.field(WireType::Struct, 2);
            writer.open();
            if matches!(self.place, Place::Street) {
                writer.field(WireType::String, 1);
                writer.text(b"street");
                writer.done();
            }
            writer.close();
            writer.done();
        }
        writer.close();
        writer.done();
        writer.close();
        writer.done();
    }
}

/// A text for the call behind, from which a server goes on with hidden calls that is in the middle of the call before: it takes
/// the ends of the structs that are open and the first bytes of the envelope for the length of a name. `skips` if it moves over
/// the arguments of a function of that name.
pub(crate) fn resumed(name: &[u8], mut text: Vec<u8>, hidden: &[Vec<u8>], skips: bool) -> Vec<u8> {
    let said = Said::call(name, b"", 0);
    // Behind the text is the number, and the end of the arguments.
    let start = write(Protocol::Binary, MessageForm::Versioned, &said).len().saturating_sub(8);
    let arguments: &[u8] = if skips { &[0] } else { &[] };
    // How many structs are open, and the length that they make.
    for ((open, length), hidden) in [(3, 0x80_usize), (2, 0x8001)].into_iter().zip(hidden) {
        let end = (4 - open + length).saturating_sub(start);
        if end > text.len() {
            text.resize(end, b'x');
            text.extend([&[1, 0, 0, 0, 1], arguments, hidden].concat());
        }
    }
    // Some servers want the name to be text, and with it the length of this.
    while text.len() & 0x8080 != 0 {
        text.push(b'x');
    }
    text
}
