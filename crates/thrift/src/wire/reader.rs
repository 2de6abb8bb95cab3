//! The cursor over one message, alike for every protocol.

use std::borrow::Cow;

use super::{Flat, MessageHeader, Result, WireType};

/// What a reader keeps of the outside while it is inside a struct or container.
///
/// Given out by the `begin` functions and taken back by the `end` functions, so that a reader needs no
/// stack of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the matching `end` function wants it back"]
pub struct Scope(pub(super) i16);

/// The head of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldHeader {
    /// The type of the value that follows.
    pub ty: WireType,
    /// The id that the message has, which no field of the IDL need have.
    pub id: i16,
}

/// The head of a list or set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListHeader {
    /// The type of the elements; [`WireType::Stop`] only if there are none.
    pub element: WireType,
    /// How many there are.
    pub len: usize,
    /// To be given back to [`Reader::list_end`].
    pub scope: Scope,
}

/// The head of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapHeader {
    /// The type of the keys; [`WireType::Stop`] only if there are none.
    pub key: WireType,
    /// The type of the values; [`WireType::Stop`] only if there are none.
    pub value: WireType,
    /// How many entries there are.
    pub len: usize,
    /// To be given back to [`Reader::map_end`].
    pub scope: Scope,
}

/// A cursor over one message.
///
/// Values are pulled in the order in which they stand. Every value that a header announces must be read or
/// skipped, and every `begin` needs its `end`. A reader is cheap to clone: a clone is a bookmark.
pub trait Reader<'b>: Clone {
    /// Returns how many bytes have been read.
    fn offset(&self) -> usize;

    /// Reads the envelope; the struct of arguments or of the result follows.
    fn message_begin(&mut self) -> Result<MessageHeader<'b>>;

    /// Reads what stands behind the struct of a message: nothing, but in JSON.
    #[inline]
    fn message_end(&mut self) -> Result<()> {
        Ok(())
    }

    /// Enters a struct; fails where values nest too deep.
    fn struct_begin(&mut self) -> Result<Scope>;

    /// Reads the head of the next field, or `None` behind the last.
    fn field_begin(&mut self) -> Result<Option<FieldHeader>>;

    /// Leaves a field whose value has been read or skipped; only in JSON something stands there.
    #[inline]
    fn field_end(&mut self) -> Result<()> {
        Ok(())
    }

    /// Leaves a struct behind its last field.
    fn struct_end(&mut self, scope: Scope) -> Result<()>;

    /// Enters a list or set.
    fn list_begin(&mut self) -> Result<ListHeader>;

    /// Leaves a list or set behind its last element.
    fn list_end(&mut self, scope: Scope) -> Result<()>;

    /// Enters a map; keys and values follow in turn.
    fn map_begin(&mut self) -> Result<MapHeader>;

    /// Leaves a map behind its last value.
    fn map_end(&mut self, scope: Scope) -> Result<()>;

    /// Reads a truth value.
    fn bool(&mut self) -> Result<bool>;

    /// Reads 8 bits, signed; also what the IDL calls `byte`.
    fn i8(&mut self) -> Result<i8>;

    /// Reads 16 bits, signed.
    fn i16(&mut self) -> Result<i16>;

    /// Reads 32 bits, or an enum.
    fn i32(&mut self) -> Result<i32>;

    /// Reads 64 bits, signed.
    fn i64(&mut self) -> Result<i64>;

    /// Reads a double; NaN and the infinities are legal.
    fn double(&mut self) -> Result<f64>;

    /// Reads text; nobody checks that it is UTF-8.
    fn string(&mut self) -> Result<Cow<'b, [u8]>>;

    /// Reads bytes, which only JSON writes differently from text.
    #[inline]
    fn binary(&mut self) -> Result<Cow<'b, [u8]>> {
        self.string()
    }

    /// Reads a uuid: 16 bytes, in the order of its text.
    fn uuid(&mut self) -> Result<[u8; 16]>;

    /// Moves over a value.
    fn skip(&mut self, ty: WireType) -> Result<()>;

    /// Moves over a struct.
    #[inline]
    fn skip_struct(&mut self) -> Result<()> {
        let scope = self.struct_begin()?;
        while let Some(field) = self.field_begin()? {
            self.skip(field.ty)?;
            self.field_end()?;
        }
        self.struct_end(scope)
    }
}

/// A reader whose texts are slices of the message, so that nothing needs to be copied to look at it.
pub trait InPlace<'b>: Reader<'b> + Copy + std::fmt::Debug {
    /// The protocol without a cursor.
    type Flat: Flat;

    /// Reads text or bytes.
    fn string_in_place(&mut self) -> Result<&'b [u8]>;

    /// Reads the sixteen bytes of a uuid.
    fn uuid_in_place(&mut self) -> Result<&'b [u8]>;

    /// Returns the bytes that have not been read.
    fn rest(&self) -> &'b [u8];

    /// Returns how many more levels values may nest.
    fn depth(&self) -> u8;

    /// Moves to where only so many bytes are left, behind a whole value.
    fn leave(&mut self, left: usize);
}
