//! Reading without a cursor: a value is taken off the front of a slice, and what is left comes back.
//!
//! This is what the quick walk of `validate` is made of. Positions stay in registers, and whatever is wrong is
//! `None`: a [`Reader`](super::Reader) then says what. A `None` may be too strict, never too lax: what passes
//! here, a reader takes as well.

mod binary;
mod compact;
mod range;
mod utf8;

pub use binary::FlatBinary;
pub use compact::FlatCompact;
pub use range::FlatRange;
pub(crate) use utf8::is_utf8;

use super::{InPlace, Limits, Protocol, WireType};

/// What is left behind a value.
pub type Rest<'b> = Option<&'b [u8]>;

/// The head of a field: the number of its type, 0 behind the last field, and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatField {
    /// The number of the type in the protocol.
    pub number: u8,
    /// The id that the message has.
    pub id: i16,
}

/// The head of a field as it is written in each protocol, if the field that is declared before it came before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatHead {
    /// The three bytes as the high ones of a little-endian number, behind nothing.
    binary: u32,
    /// Zero if it cannot be told in one byte.
    compact: u8,
}

impl FlatHead {
    /// The head of a field behind another; `before` is 0 if it is the first.
    pub fn new(ty: WireType, id: i16, before: i16) -> FlatHead {
        let [high, low] = id.to_be_bytes();
        let delta = u8::try_from(i32::from(id) - i32::from(before)).unwrap_or_default();
        let compact = match (delta, ty) {
            // The head of a truth value is one of two.
            (1..=15, WireType::Bool) | (0 | 16.., _) => 0,
            (delta, ty) => delta << 4 | ty.compact(),
        };
        FlatHead { binary: u32::from_le_bytes([0, ty.binary(), high, low]), compact }
    }
}

/// A protocol whose values can be taken off a slice.
///
/// Types are numbers of the protocol, as [`Flat::number`] gives them; those of elements come from
/// [`Flat::list`] and [`Flat::map`], and are to be given back as they are.
pub trait Flat {
    /// So many bytes have room for the head of a field and for any number or length behind it: who has
    /// asked for them once need not ask again for either.
    const WINDOW: usize;

    /// The protocol whose bytes it reads.
    const PROTOCOL: Protocol;

    /// The reader of the same protocol.
    type Reader<'b>: InPlace<'b>;

    /// A reader at the first of some bytes.
    fn reader(bytes: &[u8], limits: Limits) -> Self::Reader<'_>;

    /// The number of a type in the head of a field; for a truth value that of `true`.
    fn number(ty: WireType) -> u8;

    /// The number of a type among elements.
    fn element(ty: WireType) -> u8;

    /// The number of a type, whatever truth value it carries.
    fn plain(number: u8) -> u8;

    /// Takes a head off if it is the expected one; a head behind which nothing can be may be refused.
    fn expected<'b>(bytes: &'b [u8], head: &FlatHead) -> Rest<'b>;

    /// Takes the head of a field off; `last` is the id of the field before, 0 for the first.
    fn field(bytes: &[u8], last: i16) -> Option<(FlatField, &[u8])>;

    /// Takes the head of a list or set off: the number of the elements' type, and how many there are.
    fn list<'b>(bytes: &'b [u8], limits: &Limits) -> Option<(u8, usize, &'b [u8])>;

    /// Takes the head of a map off: the numbers of both types, and how many entries there are.
    fn map<'b>(bytes: &'b [u8], limits: &Limits) -> Option<(u8, u8, usize, &'b [u8])>;

    /// Takes a truth value off.
    fn bool(number: u8, bytes: &[u8]) -> Option<(bool, &[u8])>;

    /// Takes 8 bits off.
    fn i8(bytes: &[u8]) -> Option<(i64, &[u8])>;

    /// Takes 16 bits off.
    fn i16(bytes: &[u8]) -> Option<(i64, &[u8])>;

    /// Takes 32 bits off.
    fn i32(bytes: &[u8]) -> Option<(i64, &[u8])>;

    /// Takes 64 bits off.
    fn i64(bytes: &[u8]) -> Option<(i64, &[u8])>;

    /// Takes a double off.
    fn double(bytes: &[u8]) -> Option<(f64, &[u8])>;

    /// Takes text or bytes off.
    fn string<'b>(bytes: &'b [u8], limits: &Limits) -> Option<(&'b [u8], &'b [u8])>;

    /// Takes a number or text off that passes.
    fn within<'b>(bytes: &'b [u8], range: &FlatRange) -> Rest<'b>;

    /// Takes so many numbers or texts off that all pass.
    #[inline]
    fn all_within<'b>(bytes: &'b [u8], count: usize, range: &FlatRange) -> Rest<'b> {
        let mut rest = bytes;
        for _ in 0..count {
            rest = Self::within(rest, range)?;
        }
        Some(rest)
    }

    /// Takes any value off, `depth` levels deep at most.
    fn skip<'b>(number: u8, bytes: &'b [u8], depth: u8, limits: &Limits) -> Rest<'b>;

    /// Takes so many values of one type off.
    fn skip_all<'b>(number: u8, count: usize, bytes: &'b [u8], depth: u8, limits: &Limits) -> Rest<'b>;
}
