//! The binary protocol: big endian, fixed widths.

use std::borrow::Cow;

use super::cursor::{Cursor, in_place};
use super::{
    FieldHeader, FlatBinary, InPlace, Limits, ListHeader, MapHeader, MessageForm, MessageHeader, MessageKind,
    Reader, Result, Scope, WireErrorKind, WireType,
};

/// The upper half of the first word of an envelope with a version.
const VERSION: u32 = 0x8001_0000;
const VERSION_MASK: u32 = 0xffff_0000;

/// Reads the binary protocol.
#[derive(Clone, Copy, Debug)]
pub struct BinaryReader<'b> {
    at: Cursor<'b>,
    depth: u8,
    limits: Limits,
}

impl<'b> BinaryReader<'b> {
    /// Starts at the first byte.
    #[inline]
    pub fn new(bytes: &'b [u8], limits: Limits) -> Self {
        BinaryReader { at: Cursor::new(bytes), depth: limits.depth, limits }
    }

    /// Reads text or bytes, in place.
    #[inline]
    pub fn slice(&mut self) -> Result<&'b [u8]> {
        self.slice_within(self.limits.string)
    }

    #[inline]
    fn slice_within(&mut self, limit: u32) -> Result<&'b [u8]> {
        let start = self.at;
        let length = i32::from_be_bytes(self.at.array()?);
        let length = start.length(length.into(), limit)?;
        self.at.bytes(length)
    }

    #[inline]
    fn enter(&mut self) -> Result<Scope> {
        match self.depth.checked_sub(1) {
            Some(depth) => {
                self.depth = depth;
                Ok(Scope(0))
            }
            None => self.at.fail(WireErrorKind::TooDeep),
        }
    }

    #[inline]
    fn ascend(&mut self) {
        self.depth = self.depth.saturating_add(1);
    }

    fn message_kind(&self, start: Cursor<'b>, number: u8) -> Result<MessageKind> {
        match MessageKind::from_number(number) {
            Some(kind) => Ok(kind),
            None => start.fail(WireErrorKind::BadMessageKind(number.into())),
        }
    }
}

in_place!(BinaryReader, FlatBinary);

impl<'b> Reader<'b> for BinaryReader<'b> {
    #[inline]
    fn offset(&self) -> usize {
        self.at.offset()
    }

    fn message_begin(&mut self) -> Result<MessageHeader<'b>> {
        let start = self.at;
        let first = u32::from_be_bytes(self.at.array()?);
        if first & 0x8000_0000 == 0 {
            let length = start.length(first.into(), self.limits.name)?;
            let name = Cow::Borrowed(self.at.bytes(length)?);
            let before = self.at;
            let number = self.at.byte()?;
            let kind = self.message_kind(before, number)?;
            let seqid = i32::from_be_bytes(self.at.array()?);
            return Ok(MessageHeader { name, kind, seqid, form: MessageForm::Old });
        }
        if first & VERSION_MASK != VERSION {
            return start.fail(WireErrorKind::BadVersion(first));
        }
        let kind = self.message_kind(start, first as u8)?;
        let name = Cow::Borrowed(self.slice_within(self.limits.name)?);
        let seqid = i32::from_be_bytes(self.at.array()?);
        Ok(MessageHeader { name, kind, seqid, form: MessageForm::Versioned })
    }

    #[inline]
    fn struct_begin(&mut self) -> Result<Scope> {
        self.enter()
    }

    #[inline]
    fn field_begin(&mut self) -> Result<Option<FieldHeader>> {
        let start = self.at;
        let number = self.at.byte()?;
        if number == 0 {
            return Ok(None);
        }
        let Some(ty) = WireType::from_binary(number) else {
            return start.fail(WireErrorKind::BadType(number));
        };
        Ok(Some(FieldHeader { ty, id: i16::from_be_bytes(self.at.array()?) }))
    }

    #[inline]
    fn struct_end(&mut self, _: Scope) -> Result<()> {
        self.ascend();
        Ok(())
    }

    #[inline]
    fn list_begin(&mut self) -> Result<ListHeader> {
        let start = self.at;
        let [number, length @ ..] = self.at.array::<5>()?;
        let len = start.length(i32::from_be_bytes(length).into(), self.limits.container)?;
        let element = start.element_type(WireType::from_binary(number), number, len)?;
        self.at.require(len.saturating_mul(element.min_binary()))?;
        Ok(ListHeader { element, len, scope: self.enter()? })
    }

    #[inline]
    fn list_end(&mut self, _: Scope) -> Result<()> {
        self.ascend();
        Ok(())
    }

    #[inline]
    fn map_begin(&mut self) -> Result<MapHeader> {
        let start = self.at;
        let [key, value, length @ ..] = self.at.array::<6>()?;
        let len = start.length(i32::from_be_bytes(length).into(), self.limits.container)?;
        let key = start.element_type(WireType::from_binary(key), key, len)?;
        let value = start.element_type(WireType::from_binary(value), value, len)?;
        self.at.require(len.saturating_mul(key.min_binary() + value.min_binary()))?;
        Ok(MapHeader { key, value, len, scope: self.enter()? })
    }

    #[inline]
    fn map_end(&mut self, _: Scope) -> Result<()> {
        self.ascend();
        Ok(())
    }

    #[inline]
    fn bool(&mut self) -> Result<bool> {
        let start = self.at;
        // UPSTREAM: readers disagree about other bytes (Python: true, Go: false), so they are refused.
        match self.at.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => start.fail(WireErrorKind::BadBool(other)),
        }
    }

    #[inline]
    fn i8(&mut self) -> Result<i8> {
        Ok(self.at.byte()? as i8)
    }

    #[inline]
    fn i16(&mut self) -> Result<i16> {
        Ok(i16::from_be_bytes(self.at.array()?))
    }

    #[inline]
    fn i32(&mut self) -> Result<i32> {
        Ok(i32::from_be_bytes(self.at.array()?))
    }

    #[inline]
    fn i64(&mut self) -> Result<i64> {
        Ok(i64::from_be_bytes(self.at.array()?))
    }

    #[inline]
    fn double(&mut self) -> Result<f64> {
        Ok(f64::from_be_bytes(self.at.array()?))
    }

    #[inline]
    fn string(&mut self) -> Result<Cow<'b, [u8]>> {
        self.slice().map(Cow::Borrowed)
    }

    #[inline]
    fn uuid(&mut self) -> Result<[u8; 16]> {
        self.at.array()
    }

    fn skip(&mut self, ty: WireType) -> Result<()> {
        if let Some(size) = ty.fixed_binary() {
            return self.at.bytes(size).map(drop);
        }
        match ty {
            WireType::String => self.slice().map(drop),
            WireType::Struct => self.skip_struct(),
            WireType::List | WireType::Set => {
                let list = self.list_begin()?;
                match list.element.fixed_binary() {
                    // INVARIANT: the product fits, `list_begin` has held it against the bytes.
                    Some(size) => self.at.bytes(list.len.saturating_mul(size)).map(drop)?,
                    None => (0..list.len).try_for_each(|_| self.skip(list.element))?,
                }
                self.list_end(list.scope)
            }
            WireType::Map => {
                let map = self.map_begin()?;
                match (map.key.fixed_binary(), map.value.fixed_binary()) {
                    (Some(key), Some(value)) => {
                        self.at.bytes(map.len.saturating_mul(key + value)).map(drop)?
                    }
                    _ => (0..map.len).try_for_each(|_| {
                        self.skip(map.key)?;
                        self.skip(map.value)
                    })?,
                }
                self.map_end(map.scope)
            }
            _ => self.at.fail(WireErrorKind::BadType(ty.binary())),
        }
    }
}
