//! Answers that the proxy gives itself.

use std::borrow::Cow;
use std::sync::Arc;

use super::http::http_answer;
use crate::wire::{
    ExceptionKind, HeaderDialect, MessageForm, MessageHeader, MessageKind, Protocol, ReplyFrame,
    exception_reply, write_frame,
};

/// What stands around a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enclosure {
    /// Nothing: messages follow each other, and end where reading them ends.
    None,
    /// A frame: four bytes with the length, then the message.
    Frame,
    /// A THeader or TTHeader frame.
    Header(ReplyFrame),
    /// A TTHeader frame of a stream.
    Stream(ReplyFrame),
    /// An HTTP request or response.
    Http {
        /// Whether the connection ends with the response.
        close: bool,
    },
}

impl Enclosure {
    /// Whether clients find the call of an answer by the number in its frame, in whatever order answers come. Clients of
    /// kitex that share a connection do; one that does not has no more than one call on its way.
    pub fn is_numbered(&self) -> bool {
        match self {
            Enclosure::Header(frame) => frame.dialect == HeaderDialect::TTHeader,
            Enclosure::Stream(_) => true,
            Enclosure::None | Enclosure::Frame | Enclosure::Http { .. } => false,
        }
    }

    /// Puts a message into the enclosure; HTTP gets status 200.
    pub fn wrap(&self, message: Vec<u8>) -> Vec<u8> {
        match self {
            Enclosure::None => message,
            Enclosure::Frame => write_frame(&message),
            Enclosure::Header(frame) => frame.write(&message),
            Enclosure::Stream(frame) => frame.write_stream_end(b"", &message),
            Enclosure::Http { close } => http_answer(200, &message, *close),
        }
    }
}

/// What has to be remembered of a call in order to answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyTo {
    /// The name of the function, without a service.
    pub function: Arc<[u8]>,
    /// The number that the answer repeats.
    pub seqid: i32,
    /// Whether the envelope carries a version.
    pub form: MessageForm,
    /// The protocol of the message.
    pub protocol: Protocol,
    /// What stands around it.
    pub enclosure: Enclosure,
}

impl ReplyTo {
    /// Writes an exception that answers the call, as it goes over the connection.
    pub fn exception(&self, kind: ExceptionKind, message: &str) -> Vec<u8> {
        let header = MessageHeader {
            name: Cow::Borrowed(&self.function),
            kind: MessageKind::Call,
            seqid: self.seqid,
            form: self.form,
        };
        self.enclosure.wrap(exception_reply(self.protocol, &header, kind, message))
    }

    /// Whether a message with this envelope answers the call.
    pub fn is_answered_by(&self, reply: &MessageHeader<'_>) -> bool {
        self.seqid == reply.seqid && *self.function == *reply.name
    }

    /// Whether the client finds the call of an answer by its number, in whatever order answers come.
    pub fn is_numbered(&self) -> bool {
        self.enclosure.is_numbered()
    }

    /// Whether the connection ends with the answer.
    pub fn closes(&self) -> bool {
        matches!(self.enclosure, Enclosure::Http { close: true })
    }
}
