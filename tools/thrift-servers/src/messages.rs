//! Messages of calls, in every protocol and with every envelope.

use thrift::wire::{
    BinaryWriter, CompactWriter, JsonWriter, MessageForm, MessageKind, Protocol, WireType, Writer,
};

/// What a message says.
pub(crate) struct Said<'s> {
    pub(crate) name: &'s [u8],
    pub(crate) kind: MessageKind,
    pub(crate) text: &'s [u8],
    pub(crate) count: i32,
    /// A text in a field that no function has.
    pub(crate) extra: Option<&'s [u8]>,
}

impl<'s> Said<'s> {
    /// A call that is answered, without a field that no function has.
    pub(crate) fn call(name: &'s [u8], text: &'s [u8], count: i32) -> Said<'s> {
        Said { name, kind: MessageKind::Call, text, count, extra: None }
    }
}

/// Fields of arguments, whatever the protocol.
pub(crate) trait Arguments {
    fn field(&mut self, ty: WireType, id: i16);
    fn done(&mut self);
    fn open(&mut self);
    fn close(&mut self);
    fn text(&mut self, text: &[u8]);
    fn number(&mut self, number: i32);
    fn bools(&mut self, values: &[bool]);
    fn truth(&mut self, value: bool);
    fn uuid(&mut self);
}

impl<W: Writer> Arguments for W {
    fn field(&mut self, ty: WireType, id: i16) {
        self.field_begin(ty, id);
    }

    fn done(&mut self) {
        self.field_end();
    }

    fn open(&mut self) {
        self.struct_begin();
    }

    fn close(&mut self) {
        self.struct_end();
    }

    fn text(&mut self, text: &[u8]) {
        self.string(text);
    }

    fn number(&mut self, number: i32) {
        self.i32(number);
    }

    fn bools(&mut self, values: &[bool]) {
        self.list_begin(WireType::Bool, values.len());
        values.iter().for_each(|value| self.bool(*value));
        self.list_end();
    }

    fn truth(&mut self, value: bool) {
        self.bool(value);
    }

    fn uuid(&mut self) {
        Writer::uuid(self, [7; 16]);
    }
}

pub(crate) fn write(protocol: Protocol, form: MessageForm, said: &Said<'_>) -> Vec<u8> {
    compose(protocol, form, said.name, said.kind, |writer| {
        writer.field(WireType::String, 1);
        writer.text(said.text);
        writer.done();
        if !said.name.ends_with(b"note") {
            writer.field(WireType::I32, 2);
            writer.number(said.count);
            writer.done();
        }
        if let Some(extra) = said.extra {
            writer.field(WireType::String, 9);
            writer.text(extra);
            writer.done();
        }
    })
}

/// A call of `mark` whose arguments are, in the compact protocol, a call of the function `said.name` as well.
pub(crate) fn mark(protocol: Protocol, form: MessageForm, name: &[u8], said: &Said<'_>) -> Vec<u8> {
    compose(protocol, form, name, MessageKind::Call, |writer| {
        for (id, truth) in [(8, false), (10, true)] {
            writer.field(WireType::Bool, id);
            writer.truth(truth);
            writer.done();
        }
        for (id, text) in [(11, said.name), (12, said.text)] {
            writer.field(WireType::String, id);
            writer.text(text);
            writer.done();
        }
        writer.field(WireType::I32, 13);
        writer.number(said.count);
        writer.done();
    })
}

pub(crate) fn compose(
    protocol: Protocol,
    form: MessageForm,
    name: &[u8],
    kind: MessageKind,
    arguments: impl Fn(&mut dyn Arguments),
) -> Vec<u8> {
    fn run<W: Writer>(
        mut writer: W,
        name: &[u8],
        kind: MessageKind,
        arguments: impl Fn(&mut dyn Arguments),
    ) -> Vec<u8> {
        writer.message_begin(name, kind, 1);
        writer.struct_begin();
        arguments(&mut writer);
        writer.struct_end();
        writer.message_end();
        writer.into_bytes()
    }
    match protocol {
        Protocol::Binary => run(BinaryWriter::new(form), name, kind, arguments),
        Protocol::Compact => run(CompactWriter::new(), name, kind, arguments),
        Protocol::Json => run(JsonWriter::new(), name, kind, arguments),
    }
}
