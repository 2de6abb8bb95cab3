//! The binary protocol.

use super::{Flat, FlatField, FlatHead, FlatRange, Rest, utf8};
use crate::wire::{BinaryReader, Limits, Protocol, WireType};

/// Takes a big-endian number off.
macro_rules! number {
    ($ty:ty, $bytes:expr) => {{
        let (number, rest) = $bytes.split_first_chunk()?;
        Some((<$ty>::from_be_bytes(*number).into(), rest))
    }};
}

/// A length, unless it is negative or above a limit.
#[inline]
fn length(bytes: [u8; 4], limit: u32) -> Option<usize> {
    let length = u32::from_be_bytes(bytes);
    (length <= limit.min(i32::MAX as u32)).then_some(length as usize)
}

/// Whether a number stands for a type of elements; an empty container may leave it out.
#[inline]
fn is_element(number: u8, len: usize) -> bool {
    matches!(number, 2 | 3 | 4 | 6 | 8 | 10..=16) || (number == 0 && len == 0)
}

/// The size of every value of a type, for types that have one.
#[inline]
fn fixed(number: u8) -> Option<usize> {
    Some(match number {
        2 | 3 => 1,
        6 => 2,
        8 => 4,
        4 | 10 => 8,
        16 => 16,
        _ => return None,
    })
}

/// Eight bytes of fewer, of which those that are not there will not count.
#[cold]
fn padded(bytes: &[u8]) -> [u8; 8] {
    let mut eight = [0; 8];
    eight.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    eight
}

/// The binary protocol, without a cursor.
#[derive(Clone, Copy, Debug)]
pub struct FlatBinary;

impl Flat for FlatBinary {
    const WINDOW: usize = 3 + 8;

    const PROTOCOL: Protocol = Protocol::Binary;

    type Reader<'b> = BinaryReader<'b>;

    fn reader(bytes: &[u8], limits: Limits) -> BinaryReader<'_> {
        BinaryReader::new(bytes, limits)
    }

    #[inline]
    fn number(ty: WireType) -> u8 {
        ty.binary()
    }

    #[inline]
    fn element(ty: WireType) -> u8 {
        ty.binary()
    }

    #[inline]
    fn plain(number: u8) -> u8 {
        number
    }

    #[inline(always)]
    fn expected<'b>(bytes: &'b [u8], head: &FlatHead) -> Rest<'b> {
        // The end of the struct at least is behind it.
        let found = u32::from_le_bytes(*bytes.first_chunk()?);
        (found << 8 == head.binary).then(|| bytes.get(3..))?
    }

    #[inline(always)]
    fn field(bytes: &[u8], _: i16) -> Option<(FlatField, &[u8])> {
        let ([number], rest) = bytes.split_first_chunk()?;
        if *number == 0 {
            return Some((FlatField { number: 0, id: 0 }, rest));
        }
        let (id, rest) = rest.split_first_chunk()?;
        Some((FlatField { number: *number, id: i16::from_be_bytes(*id) }, rest))
    }

    #[inline]
    fn list<'b>(bytes: &'b [u8], limits: &Limits) -> Option<(u8, usize, &'b [u8])> {
        let ([number, len @ ..], rest) = bytes.split_first_chunk::<5>()?;
        let len = length(*len, limits.container)?;
        is_element(*number, len).then_some((*number, len, rest))
    }

    #[inline]
    fn map<'b>(bytes: &'b [u8], limits: &Limits) -> Option<(u8, u8, usize, &'b [u8])> {
        let ([key, value, len @ ..], rest) = bytes.split_first_chunk::<6>()?;
        let len = length(*len, limits.container)?;
        (is_element(*key, len) && is_element(*value, len)).then_some((*key, *value, len, rest))
    }

    #[inline]
    fn bool(_: u8, bytes: &[u8]) -> Option<(bool, &[u8])> {
        match bytes.split_first()? {
            (0, rest) => Some((false, rest)),
            (1, rest) => Some((true, rest)),
            _ => None,
        }
    }

    #[inline]
    fn i8(bytes: &[u8]) -> Option<(i64, &[u8])> {
        number!(i8, bytes)
    }

    #[inline]
    fn i16(bytes: &[u8]) -> Option<(i64, &[u8])> {
        number!(i16, bytes)
    }

    #[inline]
    fn i32(bytes: &[u8]) -> Option<(i64, &[u8])> {
        number!(i32, bytes)
    }

    #[inline]
    fn i64(bytes: &[u8]) -> Option<(i64, &[u8])> {
        number!(i64, bytes)
    }

    #[inline]
    fn double(bytes: &[u8]) -> Option<(f64, &[u8])> {
        number!(f64, bytes)
    }

    #[inline]
    fn string<'b>(bytes: &'b [u8], limits: &Limits) -> Option<(&'b [u8], &'b [u8])> {
        let (len, rest) = bytes.split_first_chunk()?;
        rest.split_at_checked(length(*len, limits.string)?)
    }

    #[inline(always)]
    fn within<'b>(bytes: &'b [u8], range: &FlatRange) -> Rest<'b> {
        let eight = match bytes.first_chunk() {
            Some(eight) => *eight,
            None => padded(bytes),
        };
        let number = i64::from_be_bytes(eight) >> (range.shift & 63);
        if !range.holds(number) {
            return None;
        }
        // Where the next value is depends on this one only if it is text.
        if !range.is_text {
            return bytes.get(range.size.into()..);
        }
        let (text, len) = (bytes.get(4..)?, number.cast_unsigned() as usize);
        if range.is_utf8 { utf8::text(text, len) } else { text.get(len..) }
    }

    #[inline]
    fn all_within<'b>(bytes: &'b [u8], count: usize, range: &FlatRange) -> Rest<'b> {
        if range.is_text {
            let mut rest = bytes;
            for _ in 0..count {
                rest = Self::within(rest, range)?;
            }
            return Some(rest);
        }
        // Where they end is known, so that nothing has to be asked on the way.
        let (numbers, rest) = bytes.split_at_checked(count.checked_mul(range.size.into())?)?;
        let all = match range.size {
            1 => range.holds_all(numbers, |[byte]: [u8; 1]| i8::from_be_bytes([byte]).into()),
            2 => range.holds_all(numbers, |bytes| i16::from_be_bytes(bytes).into()),
            4 => range.holds_all(numbers, |bytes| i32::from_be_bytes(bytes).into()),
            _ => range.holds_all(numbers, i64::from_be_bytes),
        };
        all.then_some(rest)
    }

    fn skip<'b>(number: u8, bytes: &'b [u8], depth: u8, limits: &Limits) -> Rest<'b> {
        match number {
            11 => Self::string(bytes, limits).map(|(_, rest)| rest),
            12 => {
                let depth = depth.checked_sub(1)?;
                let mut rest = bytes;
                loop {
                    let (field, value) = Self::field(rest, 0)?;
                    if field.number == 0 {
                        return Some(value);
                    }
                    rest = Self::skip(field.number, value, depth, limits)?;
                }
            }
            13 => {
                let depth = depth.checked_sub(1)?;
                let (key, value, len, rest) = Self::map(bytes, limits)?;
                if let (Some(key), Some(value)) = (fixed(key), fixed(value)) {
                    return rest.get(len.saturating_mul(key + value)..);
                }
                let mut rest = rest;
                for _ in 0..len {
                    rest = Self::skip(value, Self::skip(key, rest, depth, limits)?, depth, limits)?;
                }
                Some(rest)
            }
            14 | 15 => {
                let depth = depth.checked_sub(1)?;
                let (number, len, rest) = Self::list(bytes, limits)?;
                Self::skip_all(number, len, rest, depth, limits)
            }
            _ => bytes.get(fixed(number)?..),
        }
    }

    #[inline]
    fn skip_all<'b>(number: u8, count: usize, bytes: &'b [u8], depth: u8, limits: &Limits) -> Rest<'b> {
        if let Some(size) = fixed(number) {
            return bytes.get(count.saturating_mul(size)..);
        }
        let mut rest = bytes;
        for _ in 0..count {
            rest = Self::skip(number, rest, depth, limits)?;
        }
        Some(rest)
    }
}
