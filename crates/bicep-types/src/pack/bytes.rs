//! Numbers as bytes.

/// The 32-bit number at a byte offset.
pub(crate) fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    bytes.try_into().ok().map(u32::from_le_bytes)
}

/// Rows of four 32-bit numbers.
pub(crate) const ROW: usize = 16;

/// The row at a position.
pub(crate) fn read_row(bytes: &[u8], position: usize) -> Option<[u32; 4]> {
    let at = position.checked_mul(ROW)?;
    let row = bytes.get(at..at.checked_add(ROW)?)?;
    let mut fields = [0; 4];
    for (position, field) in fields.iter_mut().enumerate() {
        *field = read_u32(row, position * 4)?;
    }
    Some(fields)
}

pub(crate) fn write_row(out: &mut Vec<u8>, row: [u32; 4]) {
    row.iter().for_each(|field| out.extend(field.to_le_bytes()));
}

pub(crate) fn write_varint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        // The mask makes the low seven bits fit a byte.
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Folds the sign into the lowest bit, so that small numbers of either sign are short.
pub(crate) fn zigzag(value: i64) -> u64 {
    (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned()
}

pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

/// Reads varints one after the other.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Starts at a byte offset; a start past the end reads nothing.
    pub(crate) fn at(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor { rest: bytes.get(at..).unwrap_or_default() }
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    pub(crate) fn varint(&mut self) -> Option<u64> {
        let first = self.byte()?;
        if first < 0x80 {
            return Some(u64::from(first));
        }
        let mut value = u64::from(first & 0x7f);
        let mut shift = 7;
        loop {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // Ten bytes hold 64 bits, and the tenth only the last of them.
            if shift > 63 || (shift == 63 && bits > 1) {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
            shift += 7;
        }
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        self.varint().map(unzigzag)
    }

    pub(crate) fn small(&mut self) -> Option<u32> {
        self.varint().and_then(|value| u32::try_from(value).ok())
    }

    /// A number of things that take at least one byte each, so that a wrong number cannot ask for more memory
    /// than the bytes themselves.
    pub(crate) fn count(&mut self) -> Option<usize> {
        self.varint().and_then(|value| usize::try_from(value).ok()).filter(|count| *count <= self.rest.len())
    }

    /// A text with its length before it.
    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = self.count()?;
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        std::str::from_utf8(text).ok()
    }
}

pub(crate) fn write_text(out: &mut Vec<u8>, text: &str) {
    write_varint(out, text.len() as u64);
    out.extend(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_survives() {
        for value in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            write_varint(&mut bytes, value);
            assert_eq!(Cursor::at(&bytes, 0).varint(), Some(value));
            bytes.pop();
            assert_eq!(Cursor::at(&bytes, 0).varint(), None, "cut short");
        }
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
    }

    #[test]
    fn a_number_of_more_than_64_bits_is_refused() {
        let mut bytes = vec![0xff; 9];
        bytes.push(2);
        assert_eq!(Cursor::at(&bytes, 0).varint(), None);
    }

    #[test]
    fn a_text_must_fit_and_be_unicode() {
        assert_eq!(Cursor::at(&[2, b'h', b'i'], 0).text(), Some("hi"));
        assert_eq!(Cursor::at(&[3, b'h', b'i'], 0).text(), None);
        assert_eq!(Cursor::at(&[1, 0xff], 0).text(), None);
    }
}
