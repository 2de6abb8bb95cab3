//! The messages that the tests of the proxy send.

use thrift::wire::{
    BinaryWriter, CompactWriter, JsonWriter, MessageForm, MessageKind, Protocol, WireType, Writer,
};

/// A call of a function, its arguments written by `body`.
pub(crate) fn message(
    protocol: Protocol,
    form: MessageForm,
    name: &str,
    kind: MessageKind,
    body: impl Fn(&mut dyn Fields),
) -> Vec<u8> {
    fn run<W: Writer>(
        mut writer: W,
        name: &str,
        kind: MessageKind,
        body: impl Fn(&mut dyn Fields),
    ) -> Vec<u8> {
        writer.message_begin(name.as_bytes(), kind, 7);
        writer.struct_begin();
        body(&mut writer);
        writer.struct_end();
        writer.message_end();
        writer.into_bytes()
    }
    match protocol {
        Protocol::Binary => run(BinaryWriter::new(form), name, kind, body),
        Protocol::Compact => run(CompactWriter::new(), name, kind, body),
        Protocol::Json => run(JsonWriter::new(), name, kind, body),
    }
}

/// What the messages of the tests are made of.
pub(crate) trait Fields {
    fn text(&mut self, id: i16, text: &str);
    fn int(&mut self, id: i16, value: i32);
    fn ints(&mut self, id: i16, values: &[i32]);
    fn structure(&mut self, id: i16, body: &dyn Fn(&mut dyn Fields));
}

impl<W: Writer> Fields for W {
    fn text(&mut self, id: i16, text: &str) {
        self.field_begin(WireType::String, id);
        self.string(text.as_bytes());
        self.field_end();
    }

    fn int(&mut self, id: i16, value: i32) {
        self.field_begin(WireType::I32, id);
        self.i32(value);
        self.field_end();
    }

    fn ints(&mut self, id: i16, values: &[i32]) {
        self.field_begin(WireType::List, id);
        self.list_begin(WireType::I32, values.len());
        values.iter().for_each(|value| self.i32(*value));
        self.list_end();
        self.field_end();
    }

    fn structure(&mut self, id: i16, body: &dyn Fn(&mut dyn Fields)) {
        self.field_begin(WireType::Struct, id);
        self.struct_begin();
        body(self);
        self.struct_end();
        self.field_end();
    }
}

/// `echo` of a request.
pub(crate) fn echo(protocol: Protocol, form: MessageForm, count: i32) -> Vec<u8> {
    message(protocol, form, "echo", MessageKind::Call, |fields| {
        fields.structure(1, &|fields| {
            fields.text(1, "bob");
            fields.int(2, count);
            fields.ints(3, &[1, 2]);
        });
    })
}
