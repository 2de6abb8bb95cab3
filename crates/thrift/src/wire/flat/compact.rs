//! The compact protocol.
//!
//! The head of a field carries its truth value, so that 1 and 2 are numbers of a value of no bytes. Truth values
//! among elements have a byte each; [`BOOL_BYTE`], which does not fit the wire, stands for those.

use super::{Flat, FlatField, FlatHead, FlatRange, Rest, utf8};
use crate::wire::cursor::zigzag;
use crate::wire::{CompactReader, Limits, Protocol, WireType};

const BOOL_BYTE: u8 = 16;

/// Takes a variable-length number of at most `bits` bits off.
#[inline]
fn varint(bytes: &[u8], bits: u32) -> Option<(u64, &[u8])> {
    match bytes.split_first()? {
        (byte @ ..0x80, rest) => Some(((*byte).into(), rest)),
        _ => long_varint(bytes, bits),
    }
}

/// Takes a number of two bytes or more off, up to eight of them at once.
#[inline(never)]
fn long_varint(bytes: &[u8], bits: u32) -> Option<(u64, &[u8])> {
    const MORE: u64 = 0x8080_8080_8080_8080;
    let Some(word) = bytes.first_chunk() else { return longest_varint(bytes, bits) };
    let word = u64::from_le_bytes(*word);
    // The last byte is the first one that does not promise another.
    let ends = !word & MORE;
    if ends == 0 {
        return longest_varint(bytes, bits);
    }
    let last = ends.trailing_zeros();
    // The bits of the number are moved together, from seven of eight to 14 of 16, 28 of 32 and 56.
    let word = word & (u64::MAX >> (63 - last)) & !MORE;
    let word = (word & 0x007f_007f_007f_007f) | (word & 0x7f00_7f00_7f00_7f00) >> 1;
    let word = (word & 0x0000_3fff_0000_3fff) | (word & 0x3fff_0000_3fff_0000) >> 2;
    let value = (word & 0x0fff_ffff) | (word & 0x0fff_ffff_0000_0000) >> 4;
    // A last byte that adds nothing is for the thorough walk, and so is a number that is too large.
    let before = last / 8;
    let is_shortest = value >> (7 * before) != 0;
    let fits = bits == 64 || value >> bits == 0;
    (is_shortest && fits).then_some((value, bytes.get(before as usize + 1..)?))
}

/// The same byte by byte, near the end of a message or for a number of nine bytes or more.
#[cold]
fn longest_varint(bytes: &[u8], bits: u32) -> Option<(u64, &[u8])> {
    let mut value = 0;
    let mut rest = bytes;
    for shift in (0..bits).step_by(7) {
        let (byte, after) = rest.split_first()?;
        let part = u64::from(byte & 0x7f);
        if bits - shift < 7 && part >> (bits - shift) != 0 {
            return None;
        }
        value |= part << shift;
        rest = after;
        if *byte < 0x80 {
            return (*byte != 0).then_some((value, rest));
        }
    }
    None
}

#[inline]
fn signed(bytes: &[u8], bits: u32) -> Option<(i64, &[u8])> {
    varint(bytes, bits).map(|(value, rest)| (zigzag(value), rest))
}

/// Takes a length off, unless it is negative or above a limit.
#[inline]
fn length(bytes: &[u8], limit: u32) -> Option<(usize, &[u8])> {
    let (length, rest) = varint(bytes, 32)?;
    (length <= u64::from(limit.min(i32::MAX as u32))).then_some((length as usize, rest))
}

/// The number of a type among elements; an empty container may leave it out.
#[inline]
fn element(number: u8, len: usize) -> Option<u8> {
    match number {
        // Other ways to write truth values are for the thorough walk.
        1 => Some(BOOL_BYTE),
        3..=13 => Some(number),
        0 if len == 0 => Some(0),
        _ => None,
    }
}

/// The compact protocol, without a cursor.
#[derive(Clone, Copy, Debug)]
pub struct FlatCompact;

impl Flat for FlatCompact {
    const WINDOW: usize = 1 + 10;

    const PROTOCOL: Protocol = Protocol::Compact;

    type Reader<'b> = CompactReader<'b>;

    fn reader(bytes: &[u8], limits: Limits) -> CompactReader<'_> {
        CompactReader::new(bytes, limits)
    }

    #[inline]
    fn number(ty: WireType) -> u8 {
        ty.compact()
    }

    #[inline]
    fn element(ty: WireType) -> u8 {
        if ty == WireType::Bool { BOOL_BYTE } else { ty.compact() }
    }

    #[inline]
    fn plain(number: u8) -> u8 {
        if number == 2 { 1 } else { number }
    }

    #[inline(always)]
    fn expected<'b>(bytes: &'b [u8], head: &FlatHead) -> Rest<'b> {
        let (found, rest) = bytes.split_first()?;
        // Zero is the end of the struct, and no head.
        (*found == head.compact && *found != 0).then_some(rest)
    }

    #[inline(always)]
    fn field(bytes: &[u8], last: i16) -> Option<(FlatField, &[u8])> {
        let (byte, rest) = bytes.split_first()?;
        if *byte == 0 {
            return Some((FlatField { number: 0, id: 0 }, rest));
        }
        let number = byte & 0x0f;
        match byte >> 4 {
            0 => {
                let (id, rest) = signed(rest, 32)?;
                // A head of no type would be taken for the end.
                (number != 0).then_some((FlatField { number, id: i16::try_from(id).ok()? }, rest))
            }
            delta => {
                let id = last.checked_add(delta.into())?;
                (number != 0).then_some((FlatField { number, id }, rest))
            }
        }
    }

    #[inline]
    fn list<'b>(bytes: &'b [u8], limits: &Limits) -> Option<(u8, usize, &'b [u8])> {
        let (byte, rest) = bytes.split_first()?;
        let (len, rest) = match byte >> 4 {
            15 => length(rest, limits.container)?,
            short if u32::from(short) <= limits.container => (short.into(), rest),
            _ => return None,
        };
        Some((element(byte & 0x0f, len)?, len, rest))
    }

    #[inline]
    fn map<'b>(bytes: &'b [u8], limits: &Limits) -> Option<(u8, u8, usize, &'b [u8])> {
        let (len, rest) = length(bytes, limits.container)?;
        if len == 0 {
            return Some((0, 0, 0, rest));
        }
        let (types, rest) = rest.split_first()?;
        Some((element(types >> 4, len)?, element(types & 0x0f, len)?, len, rest))
    }

    #[inline]
    fn bool(number: u8, bytes: &[u8]) -> Option<(bool, &[u8])> {
        match number {
            1 => Some((true, bytes)),
            2 => Some((false, bytes)),
            _ => match bytes.split_first()? {
                (1, rest) => Some((true, rest)),
                (2, rest) => Some((false, rest)),
                _ => None,
            },
        }
    }

    #[inline]
    fn i8(bytes: &[u8]) -> Option<(i64, &[u8])> {
        bytes.split_first().map(|(byte, rest)| ((*byte as i8).into(), rest))
    }

    #[inline]
    fn i16(bytes: &[u8]) -> Option<(i64, &[u8])> {
        let (value, rest) = signed(bytes, 32)?;
        i16::try_from(value).ok().map(|value| (value.into(), rest))
    }

    #[inline]
    fn i32(bytes: &[u8]) -> Option<(i64, &[u8])> {
        signed(bytes, 32)
    }

    #[inline]
    fn i64(bytes: &[u8]) -> Option<(i64, &[u8])> {
        signed(bytes, 64)
    }

    #[inline]
    fn double(bytes: &[u8]) -> Option<(f64, &[u8])> {
        bytes.split_first_chunk().map(|(value, rest)| (f64::from_le_bytes(*value), rest))
    }

    #[inline]
    fn string<'b>(bytes: &'b [u8], limits: &Limits) -> Option<(&'b [u8], &'b [u8])> {
        let (len, rest) = length(bytes, limits.string)?;
        rest.split_at_checked(len)
    }

    #[inline(always)]
    fn within<'b>(bytes: &'b [u8], range: &FlatRange) -> Rest<'b> {
        let (number, rest) = match range.ty {
            WireType::I8 => Self::i8(bytes)?,
            WireType::I16 => Self::i16(bytes)?,
            WireType::Double => {
                let (value, rest) = bytes.split_first_chunk()?;
                (i64::from_le_bytes(*value), rest)
            }
            WireType::String => {
                let (length, rest) = varint(bytes, 32)?;
                (length.cast_signed(), rest)
            }
            WireType::I32 => Self::i32(bytes)?,
            _ => Self::i64(bytes)?,
        };
        if !range.holds(number) {
            return None;
        }
        if !range.is_text {
            return Some(rest);
        }
        let len = number.cast_unsigned() as usize;
        if range.is_utf8 { utf8::text(rest, len) } else { rest.get(len..) }
    }

    fn skip<'b>(number: u8, bytes: &'b [u8], depth: u8, limits: &Limits) -> Rest<'b> {
        match number {
            1 | 2 => Some(bytes),
            3 => bytes.get(1..),
            4 => Self::i16(bytes).map(|(_, rest)| rest),
            5 => varint(bytes, 32).map(|(_, rest)| rest),
            6 => varint(bytes, 64).map(|(_, rest)| rest),
            7 => bytes.get(8..),
            8 => Self::string(bytes, limits).map(|(_, rest)| rest),
            9 | 10 => {
                let depth = depth.checked_sub(1)?;
                let (number, len, rest) = Self::list(bytes, limits)?;
                Self::skip_all(number, len, rest, depth, limits)
            }
            11 => {
                let depth = depth.checked_sub(1)?;
                let (key, value, len, mut rest) = Self::map(bytes, limits)?;
                for _ in 0..len {
                    rest = Self::skip(value, Self::skip(key, rest, depth, limits)?, depth, limits)?;
                }
                Some(rest)
            }
            12 => {
                let depth = depth.checked_sub(1)?;
                let mut rest = bytes;
                let mut last = 0;
                loop {
                    let (field, value) = Self::field(rest, last)?;
                    if field.number == 0 {
                        return Some(value);
                    }
                    last = field.id;
                    rest = Self::skip(field.number, value, depth, limits)?;
                }
            }
            13 => bytes.get(16..),
            BOOL_BYTE => Self::bool(number, bytes).map(|(_, rest)| rest),
            _ => None,
        }
    }

    #[inline]
    fn skip_all<'b>(number: u8, count: usize, bytes: &'b [u8], depth: u8, limits: &Limits) -> Rest<'b> {
        let size = match number {
            3 => 1,
            7 => 8,
            13 => 16,
            _ => {
                let mut rest = bytes;
                for _ in 0..count {
                    rest = Self::skip(number, rest, depth, limits)?;
                }
                return Some(rest);
            }
        };
        bytes.get(count.saturating_mul(size)..)
    }
}
