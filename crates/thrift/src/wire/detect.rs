//! What a connection speaks, from its first bytes.

use super::Protocol;
use super::limits::MAX_NAME;

/// How messages are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framing {
    /// Not at all: a message ends where reading it ends.
    None,
    /// A length stands before each message.
    Framed,
}

/// What a connection speaks. Only [`Detected::Plain`] says in which protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detected {
    /// Messages of a protocol, with or without frames.
    Plain(Framing, Protocol),
    /// THeader frames, of fbthrift and Apache.
    THeader,
    /// TTHeader frames, of kitex and volo.
    TTHeader,
    /// Frames with the old mesh header of kitex.
    MeshHeader,
    /// HTTP; the message is the body of the request.
    Http,
}

/// What can be said so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Detection {
    /// The bytes so far decide it.
    Found(Detected),
    /// At least so many bytes are needed in all.
    NeedMore(usize),
    /// It is nothing known.
    Unknown,
}

/// Says what a connection speaks.
///
/// No more than eight bytes are ever needed, and the answer for a prefix never contradicts the answer for the whole.
pub fn detect(bytes: &[u8]) -> Detection {
    use Detection::{Found, NeedMore, Unknown};
    let plain = |framing, protocol| Found(Detected::Plain(framing, protocol));
    match bytes {
        [] => NeedMore(1),
        // Without a frame, the first byte decides: a frame's length has a small first byte.
        [b'P', rest @ ..] => starts(rest, b"OST ", Found(Detected::Http)),
        [b'[', ..] => plain(Framing::None, Protocol::Json),
        [0x82] => NeedMore(2),
        [0x82, second, ..] if second & 0x1f == 1 => plain(Framing::None, Protocol::Compact),
        [0x80] => NeedMore(2),
        [0x80, 0x01, ..] => plain(Framing::None, Protocol::Binary),
        [first, ..] if *first >= 0x40 => Unknown,
        _ => match bytes.split_first_chunk::<4>() {
            None => NeedMore(5),
            Some((length, rest)) => framed_or_old(u32::from_be_bytes(*length), rest),
        },
    }
}

/// Tells a frame from an old binary envelope without one: both start with a length.
fn framed_or_old(length: u32, rest: &[u8]) -> Detection {
    use Detection::{Found, NeedMore, Unknown};
    let framed = |protocol| Found(Detected::Plain(Framing::Framed, protocol));
    match rest {
        [] => NeedMore(5),
        // No function name starts with a bracket.
        [b'[', ..] => framed(Protocol::Json),
        [0x82] | [0x80] | [0x10] | [0x0f] | [0xff] => NeedMore(6),
        [0x82, second, ..] if second & 0x1f == 1 => framed(Protocol::Compact),
        [0x80, 0x01, ..] => framed(Protocol::Binary),
        [0x10, 0x00, ..] => Found(Detected::TTHeader),
        [0x0f, 0xff, ..] => Found(Detected::THeader),
        [0xff, 0xaf, ..] => Found(Detected::MeshHeader),
        // A name without a frame: it has a sane length and starts with a letter.
        [letter, ..]
            if (letter.is_ascii_alphanumeric() || *letter == b'_') && (1..=MAX_NAME).contains(&length) =>
        {
            Found(Detected::Plain(Framing::None, Protocol::Binary))
        }
        // A name in a frame: its length starts with zeros and fits the frame.
        [0, tail @ ..] => match tail.split_first_chunk::<3>() {
            None if tail.iter().take(1).all(|byte| *byte == 0) => NeedMore(8),
            None => Unknown,
            Some((low, _)) => {
                let name = low.iter().fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
                // Ten bytes beside the name: its length, type, number, and the end of the struct.
                let fits = name <= MAX_NAME && length >= name + 10;
                if fits { framed(Protocol::Binary) } else { Unknown }
            }
        },
        _ => Unknown,
    }
}

/// Compares what is there with what should come.
fn starts(rest: &[u8], expected: &[u8], found: Detection) -> Detection {
    if rest.starts_with(expected) {
        found
    } else if expected.starts_with(rest) {
        Detection::NeedMore(1 + expected.len())
    } else {
        Detection::Unknown
    }
}
