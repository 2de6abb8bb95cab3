//! The envelope of a message.

use std::borrow::Cow;

/// How a message is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// The binary protocol; old and new envelopes are told apart when read.
    Binary,
    /// The compact protocol: integers of variable length, ids as differences.
    Compact,
    /// The JSON protocol of Apache Thrift.
    Json,
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MessageKind {
    /// A call that waits for an answer.
    Call = 1,
    /// The answer to a call.
    Reply = 2,
    /// The refusal of a call.
    Exception = 3,
    /// A call that nobody answers.
    Oneway = 4,
}

impl MessageKind {
    /// Finds a kind by its number.
    pub fn from_number(number: u8) -> Option<MessageKind> {
        Some(match number {
            1 => MessageKind::Call,
            2 => MessageKind::Reply,
            3 => MessageKind::Exception,
            4 => MessageKind::Oneway,
            _ => return None,
        })
    }

    /// Returns the number that envelopes have, from 1 to 4.
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// Whether the envelope carries a version. Only the binary protocol has the old form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageForm {
    /// The first bytes are a version, as all current libraries write it.
    Versioned,
    /// Without one: the name comes first.
    Old,
}

/// The envelope of a message: everything before its struct of arguments or its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageHeader<'b> {
    /// The name of the function, with a service before a colon when services share a connection.
    pub name: Cow<'b, [u8]>,
    /// What the message is.
    pub kind: MessageKind,
    /// The number that an answer repeats.
    pub seqid: i32,
    /// Whether it carries a version.
    pub form: MessageForm,
}

impl MessageHeader<'_> {
    /// Splits `service:function`; the service is there only when services share a connection.
    pub fn service_and_function(&self) -> (Option<&[u8]>, &[u8]) {
        match self.name.iter().position(|byte| *byte == b':') {
            Some(at) => match self.name.split_at_checked(at) {
                Some((service, [_, function @ ..])) => (Some(service), function),
                _ => (None, &self.name),
            },
            None => (None, &self.name),
        }
    }
}
