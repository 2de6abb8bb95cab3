//! Where a message ends: by the length before it, or by reading it.

use super::cursor::Cursor;
use super::{BinaryReader, CompactReader, JsonReader, Limits, Protocol, Reader, Result, WireType};

/// Returns the length of a frame with the four bytes of its length, which also start THeader and TTHeader.
///
/// # Errors
///
/// The length is negative or above `max`, or the bytes do not even hold the length; the frame itself need not be there.
pub fn frame_len(bytes: &[u8], max: u32) -> Result<usize> {
    let mut at = Cursor::new(bytes);
    let start = at;
    let length = i32::from_be_bytes(at.array()?);
    Ok(start.length(length.into(), max)? + 4)
}

/// Returns the length of a message that has no frame, by reading it.
///
/// # Errors
///
/// The bytes are no message; [`WireError::is_truncated`](super::WireError::is_truncated) says whether more
/// bytes might make them one.
pub fn message_len(protocol: Protocol, bytes: &[u8], limits: Limits) -> Result<usize> {
    fn measure<'b>(mut reader: impl Reader<'b>) -> Result<usize> {
        reader.message_begin()?;
        reader.skip(WireType::Struct)?;
        reader.message_end()?;
        Ok(reader.offset())
    }
    match protocol {
        Protocol::Binary => measure(BinaryReader::new(bytes, limits)),
        Protocol::Compact => measure(CompactReader::new(bytes, limits)),
        Protocol::Json => measure(JsonReader::new(bytes, limits)),
    }
}

/// Puts a message into a frame.
pub fn write_frame(message: &[u8]) -> Vec<u8> {
    let length = i32::try_from(message.len()).unwrap_or(i32::MAX);
    let mut frame = Vec::with_capacity(message.len() + 4);
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend(message.iter().take(length as usize));
    frame
}
