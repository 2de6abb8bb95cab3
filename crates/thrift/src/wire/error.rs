//! What can be wrong with bytes.

use std::fmt;

/// Bytes that are no message, and where that shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireError {
    /// Offset of the byte where reading stopped.
    pub offset: usize,
    /// What is wrong there.
    pub kind: WireErrorKind,
}

/// What is wrong with the bytes of a message, without where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireErrorKind {
    /// The bytes end too early; at least so many more are needed.
    Truncated {
        /// How many bytes are missing at least.
        needed: usize,
    },
    /// A length below zero.
    NegativeLength(i64),
    /// A length above the limit.
    TooLong {
        /// The length that is claimed.
        length: u64,
        /// The length that is allowed.
        limit: u64,
    },
    /// A number that stands for no type.
    BadType(u8),
    /// More nesting than the limit.
    TooDeep,
    /// A variable-length number that is too long or does not fit its type.
    BadVarint,
    /// A field id outside 16 bits.
    BadFieldId,
    /// A byte that is not a bool.
    BadBool(u8),
    /// A message type that is none of call, reply, exception and oneway.
    BadMessageKind(i64),
    /// A version or protocol mark that is not known.
    BadVersion(u32),
    /// A frame that is not laid out as its header says.
    BadFrame,
    /// Arguments that a server takes for a message if it does not have the function.
    BeginsAsMessage,
    /// A message that would have to be looked at too often.
    TooMuchWork,
    /// JSON that is not what the protocol writes.
    Json(JsonProblem),
}

/// What is wrong with JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonProblem {
    /// Another character was expected.
    Expected(char),
    /// Something that is not a value.
    NoValue,
    /// A type tag that is not known.
    BadTag,
    /// A number that is not a number, or does not fit its type.
    BadNumber,
    /// An escape that stands for no character.
    BadEscape,
    /// A control character that is not escaped: some readers take the whole text for nothing.
    Control,
    /// Text that is not base64.
    BadBase64,
    /// Text that is not a uuid.
    BadUuid,
}

impl WireError {
    pub(super) fn new(offset: usize, kind: WireErrorKind) -> Self {
        WireError { offset, kind }
    }

    /// Returns whether more bytes might help.
    pub fn is_truncated(&self) -> bool {
        matches!(self.kind, WireErrorKind::Truncated { .. })
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            WireErrorKind::Truncated { needed } => {
                write!(f, "the bytes end early, at least {needed} are missing")?
            }
            WireErrorKind::NegativeLength(length) => write!(f, "the length {length} is negative")?,
            WireErrorKind::TooLong { length, limit } => {
                write!(f, "the length {length} is above the limit {limit}")?
            }
            WireErrorKind::BadType(number) => write!(f, "{number} is not a type")?,
            WireErrorKind::TooDeep => write!(f, "values are nested too deep")?,
            WireErrorKind::BadVarint => {
                write!(f, "a number does not fit its type, or has more bytes than it needs")?
            }
            WireErrorKind::BadFieldId => write!(f, "a field id does not fit 16 bits")?,
            WireErrorKind::BadBool(byte) => write!(f, "{byte} is not a bool")?,
            WireErrorKind::BadMessageKind(number) => write!(f, "{number} is not a message type")?,
            WireErrorKind::BadVersion(version) => write!(f, "0x{version:x} is not a known version")?,
            WireErrorKind::BadFrame => write!(f, "the frame is not laid out as its header says")?,
            WireErrorKind::BeginsAsMessage => write!(f, "the arguments begin as a message does")?,
            WireErrorKind::TooMuchWork => write!(f, "the rules look at the message too often")?,
            WireErrorKind::Json(problem) => match problem {
                JsonProblem::Expected(sign) => write!(f, "expected `{sign}`")?,
                JsonProblem::NoValue => write!(f, "expected a value")?,
                JsonProblem::BadTag => write!(f, "unknown type tag")?,
                JsonProblem::BadNumber => write!(f, "expected a number that fits its type")?,
                JsonProblem::BadEscape => write!(f, "an escape stands for no character")?,
                JsonProblem::Control => write!(f, "a control character in text is not escaped")?,
                JsonProblem::BadBase64 => write!(f, "the text is not base64")?,
                JsonProblem::BadUuid => write!(f, "the text is not a uuid")?,
            },
        }
        write!(f, " at offset {}", self.offset)
    }
}

impl std::error::Error for WireError {}
