//! A position in a slice, and the few reads that everything else is made of.

use super::{Result, WireError, WireErrorKind, WireType};

/// The bytes from a position on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'b> {
    rest: &'b [u8],
    len: usize,
}

impl<'b> Cursor<'b> {
    #[inline]
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Cursor { rest: bytes, len: bytes.len() }
    }

    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.len - self.rest.len()
    }

    #[inline]
    pub(super) fn rest(&self) -> &'b [u8] {
        self.rest
    }

    /// Moves forward to where only so many bytes are left.
    #[inline]
    pub(super) fn leave(&mut self, left: usize) {
        let taken = self.rest.len().saturating_sub(left);
        self.rest = self.rest.get(taken..).unwrap_or_default();
    }

    #[inline]
    pub(super) fn fail<T>(&self, kind: WireErrorKind) -> Result<T> {
        Err(WireError::new(self.offset(), kind))
    }

    #[cold]
    fn truncated<T>(&self, wanted: usize) -> Result<T> {
        self.fail(WireErrorKind::Truncated { needed: wanted.saturating_sub(self.rest.len()).max(1) })
    }

    /// Moves to the end and asks for more.
    pub(super) fn exhausted<T>(&mut self) -> Result<T> {
        self.rest = &[];
        self.truncated(1)
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8> {
        match self.rest.split_first() {
            Some((byte, rest)) => {
                self.rest = rest;
                Ok(*byte)
            }
            None => self.truncated(1),
        }
    }

    #[inline]
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.rest.split_first_chunk::<N>() {
            Some((chunk, rest)) => {
                self.rest = rest;
                Ok(*chunk)
            }
            None => self.truncated(N),
        }
    }

    #[inline]
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'b [u8]> {
        match self.rest.split_at_checked(count) {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => self.truncated(count),
        }
    }

    /// Checks that so many bytes are there, without moving.
    #[inline]
    pub(super) fn require(&self, count: usize) -> Result<()> {
        if count <= self.rest.len() { Ok(()) } else { self.truncated(count) }
    }

    /// Checks a length against a limit.
    #[inline]
    pub(super) fn length(&self, length: i64, limit: u32) -> Result<usize> {
        if length < 0 {
            return self.fail(WireErrorKind::NegativeLength(length));
        }
        if length > i64::from(limit) {
            return self.fail(WireErrorKind::TooLong { length: length as u64, limit: limit.into() });
        }
        Ok(length as usize)
    }

    /// The type of elements, here being its number; an empty container may leave it out.
    #[inline]
    pub(super) fn element_type(&self, ty: Option<WireType>, number: u8, len: usize) -> Result<WireType> {
        match ty {
            Some(ty) => Ok(ty),
            None if number == 0 && len == 0 => Ok(WireType::Stop),
            None => self.fail(WireErrorKind::BadType(number)),
        }
    }

    /// Reads a variable-length number of at most `bits` bits.
    #[inline]
    pub(super) fn varint(&mut self, bits: u32) -> Result<u64> {
        // One byte is by far the commonest.
        if let Some((byte, rest)) = self.rest.split_first()
            && *byte < 0x80
        {
            self.rest = rest;
            return Ok((*byte).into());
        }
        self.long_varint(bits)
    }

    fn long_varint(&mut self, bits: u32) -> Result<u64> {
        let start = *self;
        let mut value: u64 = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            let room = bits.saturating_sub(shift);
            // UPSTREAM: readers differ in how many bytes they take for a number, so that it must not have more than it needs.
            let is_padded = shift > 0 && byte == 0;
            if shift >= bits || is_padded || (room < 7 && part >> room != 0) {
                return start.fail(WireErrorKind::BadVarint);
            }
            value |= part << shift;
            if byte < 0x80 {
                return Ok(value);
            }
            shift += 7;
        }
    }
}

/// Undoes the zigzag that puts the sign into the lowest bit.
#[inline]
pub(super) fn zigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Reading in place for a reader with a cursor `at` and a `depth`.
macro_rules! in_place {
    ($reader:ident, $flat:ident) => {
        impl<'b> InPlace<'b> for $reader<'b> {
            type Flat = $flat;

            #[inline]
            fn string_in_place(&mut self) -> Result<&'b [u8]> {
                self.slice()
            }

            #[inline]
            fn uuid_in_place(&mut self) -> Result<&'b [u8]> {
                self.at.bytes(16)
            }

            #[inline]
            fn rest(&self) -> &'b [u8] {
                self.at.rest()
            }

            #[inline]
            fn depth(&self) -> u8 {
                self.depth
            }

            #[inline]
            fn leave(&mut self, left: usize) {
                self.at.leave(left);
            }
        }
    };
}

pub(super) use in_place;
