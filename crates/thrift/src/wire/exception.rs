//! The answer to a call that is refused: `TApplicationException`.

use super::{
    BinaryReader, BinaryWriter, CompactReader, CompactWriter, JsonReader, JsonWriter, Limits, MessageHeader,
    MessageKind, Protocol, Reader, Result, WireType, Writer,
};

/// Why a call is refused, by the numbers that clients know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ExceptionKind {
    /// No reason that fits.
    Unknown = 0,
    /// There is no such function.
    UnknownMethod = 1,
    /// The message is neither call nor oneway.
    InvalidMessageType = 2,
    /// The answer is to another function.
    WrongMethodName = 3,
    /// The answer is to another call.
    BadSequenceId = 4,
    /// The answer has no result.
    MissingResult = 5,
    /// The server failed while it worked on the call.
    InternalError = 6,
    /// The bytes are no message.
    ProtocolError = 7,
    /// A transform is not known.
    InvalidTransform = 8,
    /// The protocol is not known.
    InvalidProtocol = 9,
    /// The kind of client is not supported.
    UnsupportedClientType = 10,
    /// The message breaks a rule of its contract. Only Go has a name for it; others pass the number on.
    ValidationFailed = 11,
}

/// Writes the exception that answers a call, with its name, its number and its form of envelope.
///
/// When services share a connection the call is named `service:function`; the answer is named `function`.
pub fn exception_reply(
    protocol: Protocol,
    call: &MessageHeader<'_>,
    kind: ExceptionKind,
    message: &str,
) -> Vec<u8> {
    match protocol {
        Protocol::Binary => write(BinaryWriter::new(call.form), call, kind, message),
        Protocol::Compact => write(CompactWriter::new(), call, kind, message),
        Protocol::Json => write(JsonWriter::new(), call, kind, message),
    }
}

fn write(mut writer: impl Writer, call: &MessageHeader<'_>, kind: ExceptionKind, message: &str) -> Vec<u8> {
    let (_, function) = call.service_and_function();
    writer.message_begin(function, MessageKind::Exception, call.seqid);
    writer.struct_begin();
    writer.field_begin(WireType::String, 1);
    writer.string(message.as_bytes());
    writer.field_end();
    writer.field_begin(WireType::I32, 2);
    writer.i32(kind as i32);
    writer.field_end();
    writer.struct_end();
    writer.message_end();
    writer.into_bytes()
}

/// Reads the number of the kind from an exception, 0 if it has none.
///
/// # Errors
///
/// The bytes are no message.
pub fn exception_number(protocol: Protocol, message: &[u8], limits: Limits) -> Result<i32> {
    match protocol {
        Protocol::Binary => number(BinaryReader::new(message, limits)),
        Protocol::Compact => number(CompactReader::new(message, limits)),
        Protocol::Json => number(JsonReader::new(message, limits)),
    }
}

fn number<'b>(mut reader: impl Reader<'b>) -> Result<i32> {
    let mut number = 0;
    reader.message_begin()?;
    let scope = reader.struct_begin()?;
    while let Some(field) = reader.field_begin()? {
        match (field.id, field.ty) {
            (2, WireType::I32) => number = reader.i32()?,
            (_, ty) => reader.skip(ty)?,
        }
        reader.field_end()?;
    }
    reader.struct_end(scope)?;
    Ok(number)
}
