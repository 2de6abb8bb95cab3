//! Messages as bytes, read in place.
//!
//! - [`detect`] says from the first bytes of a connection how it is framed and encoded.
//! - [`Reader`] is a cursor over one message: [`BinaryReader`], [`CompactReader`] and [`JsonReader`] pull
//!   field headers and scalars, skip what is not wanted, and allocate nothing (JSON allocates for text with
//!   escapes and for base64).
//! - [`Writer`] is the other direction, and [`exception_reply`] the answer to a call that was refused.
//! - [`HeaderFrame`] takes THeader and TTHeader frames apart and puts replies together.
//!
//! Nothing here trusts a length: sizes are held against the bytes that are there, nesting against
//! [`Limits`], and what does not fit is a [`WireError`] with its offset.

mod binary;
mod compact;
mod cursor;
mod detect;
mod error;
mod exception;
mod flat;
mod frame;
mod header;
mod json;
mod kinds;
mod limits;
mod message;
mod reader;
mod write;

pub use binary::BinaryReader;
pub use compact::CompactReader;
pub use detect::{Detected, Detection, Framing, detect};
pub use error::{JsonProblem, WireError, WireErrorKind};
pub use exception::{ExceptionKind, exception_number, exception_reply};
pub(crate) use flat::is_utf8;
pub use flat::{Flat, FlatBinary, FlatCompact, FlatField, FlatHead, FlatRange, Rest};
pub use frame::{frame_len, message_len, write_frame};
pub use header::{CallInfos, HeaderDialect, HeaderFrame, Info, ReplyFrame, StreamFrame};
pub use json::JsonReader;
pub use kinds::WireType;
pub use limits::Limits;
pub use message::{MessageForm, MessageHeader, MessageKind, Protocol};
pub use reader::{FieldHeader, InPlace, ListHeader, MapHeader, Reader, Scope};
pub use write::{BinaryWriter, CompactWriter, JsonWriter, Writer};

/// What reading returns: an error has the offset at which it was noticed.
pub type Result<T> = std::result::Result<T, WireError>;
