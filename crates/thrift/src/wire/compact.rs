//! The compact protocol: variable-length numbers, field ids as differences.

use std::borrow::Cow;

use super::cursor::{Cursor, in_place, zigzag};
use super::{
    FieldHeader, FlatCompact, InPlace, Limits, ListHeader, MapHeader, MessageForm, MessageHeader,
    MessageKind, Reader, Result, Scope, WireErrorKind, WireType,
};

const PROTOCOL_ID: u8 = 0x82;
const VERSION: u8 = 1;

/// Reads the compact protocol.
#[derive(Clone, Copy, Debug)]
pub struct CompactReader<'b> {
    at: Cursor<'b>,
    /// The id of the last field of the current struct.
    last_id: i16,
    /// The truth value that the last field header carried.
    carried: Option<bool>,
    depth: u8,
    limits: Limits,
}

impl<'b> CompactReader<'b> {
    /// Starts at the first byte.
    #[inline]
    pub fn new(bytes: &'b [u8], limits: Limits) -> Self {
        CompactReader { at: Cursor::new(bytes), last_id: 0, carried: None, depth: limits.depth, limits }
    }

    /// Reads text or bytes, in place.
    #[inline]
    pub fn slice(&mut self) -> Result<&'b [u8]> {
        self.slice_within(self.limits.string)
    }

    #[inline]
    fn slice_within(&mut self, limit: u32) -> Result<&'b [u8]> {
        let start = self.at;
        let length = self.at.varint(32)? as u32 as i32;
        let length = start.length(length.into(), limit)?;
        self.at.bytes(length)
    }

    #[inline]
    fn enter(&mut self) -> Result<Scope> {
        match self.depth.checked_sub(1) {
            Some(depth) => {
                self.depth = depth;
                Ok(Scope(std::mem::replace(&mut self.last_id, 0)))
            }
            None => self.at.fail(WireErrorKind::TooDeep),
        }
    }

    #[inline]
    fn ascend(&mut self, scope: Scope) {
        self.depth = self.depth.saturating_add(1);
        self.last_id = scope.0;
    }

    /// Finds the type of elements by its number.
    #[inline]
    fn element(&self, number: u8) -> Option<WireType> {
        WireType::from_compact(number).filter(|_| number != 2 || !self.limits.exact_bools)
    }

    #[inline]
    fn container_len(&mut self) -> Result<usize> {
        let start = self.at;
        let length = self.at.varint(32)? as u32 as i32;
        start.length(length.into(), self.limits.container)
    }
}

in_place!(CompactReader, FlatCompact);

impl<'b> Reader<'b> for CompactReader<'b> {
    #[inline]
    fn offset(&self) -> usize {
        self.at.offset()
    }

    fn message_begin(&mut self) -> Result<MessageHeader<'b>> {
        let start = self.at;
        let [id, second] = self.at.array::<2>()?;
        if id != PROTOCOL_ID || second & 0x1f != VERSION {
            return start.fail(WireErrorKind::BadVersion(u32::from_be_bytes([0, 0, id, second])));
        }
        let Some(kind) = MessageKind::from_number(second >> 5) else {
            return start.fail(WireErrorKind::BadMessageKind((second >> 5).into()));
        };
        let seqid = self.at.varint(32)? as u32 as i32;
        let name = Cow::Borrowed(self.slice_within(self.limits.name)?);
        Ok(MessageHeader { name, kind, seqid, form: MessageForm::Versioned })
    }

    #[inline]
    fn struct_begin(&mut self) -> Result<Scope> {
        self.enter()
    }

    #[inline]
    fn field_begin(&mut self) -> Result<Option<FieldHeader>> {
        let start = self.at;
        let byte = self.at.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        let number = byte & 0x0f;
        let Some(ty) = WireType::from_compact(number) else {
            return start.fail(WireErrorKind::BadType(number));
        };
        let id = match byte >> 4 {
            0 => i16::try_from(zigzag(self.at.varint(32)?)).ok(),
            delta => self.last_id.checked_add(delta.into()),
        };
        let Some(id) = id else {
            return start.fail(WireErrorKind::BadFieldId);
        };
        self.last_id = id;
        self.carried = (ty == WireType::Bool).then_some(number == 1);
        Ok(Some(FieldHeader { ty, id }))
    }

    #[inline]
    fn struct_end(&mut self, scope: Scope) -> Result<()> {
        self.ascend(scope);
        Ok(())
    }

    #[inline]
    fn list_begin(&mut self) -> Result<ListHeader> {
        let start = self.at;
        let byte = self.at.byte()?;
        let len = match byte >> 4 {
            15 => self.container_len()?,
            short => start.length(short.into(), self.limits.container)?,
        };
        let element = start.element_type(self.element(byte & 0x0f), byte & 0x0f, len)?;
        self.at.require(len.saturating_mul(element.min_compact()))?;
        Ok(ListHeader { element, len, scope: self.enter()? })
    }

    #[inline]
    fn list_end(&mut self, scope: Scope) -> Result<()> {
        self.ascend(scope);
        Ok(())
    }

    #[inline]
    fn map_begin(&mut self) -> Result<MapHeader> {
        let len = self.container_len()?;
        if len == 0 {
            return Ok(MapHeader { key: WireType::Stop, value: WireType::Stop, len, scope: self.enter()? });
        }
        let start = self.at;
        let types = self.at.byte()?;
        let key = start.element_type(self.element(types >> 4), types >> 4, len)?;
        let value = start.element_type(self.element(types & 0x0f), types & 0x0f, len)?;
        self.at.require(len.saturating_mul(key.min_compact() + value.min_compact()))?;
        Ok(MapHeader { key, value, len, scope: self.enter()? })
    }

    #[inline]
    fn map_end(&mut self, scope: Scope) -> Result<()> {
        self.ascend(scope);
        Ok(())
    }

    #[inline]
    fn bool(&mut self) -> Result<bool> {
        if let Some(carried) = self.carried.take() {
            return Ok(carried);
        }
        let start = self.at;
        match self.at.byte()? {
            1 => Ok(true),
            2 => Ok(false),
            0 if !self.limits.exact_bools => Ok(false),
            other => start.fail(WireErrorKind::BadBool(other)),
        }
    }

    #[inline]
    fn i8(&mut self) -> Result<i8> {
        Ok(self.at.byte()? as i8)
    }

    #[inline]
    fn i16(&mut self) -> Result<i16> {
        let start = self.at;
        match i16::try_from(zigzag(self.at.varint(32)?)) {
            Ok(value) => Ok(value),
            Err(_) => start.fail(WireErrorKind::BadVarint),
        }
    }

    #[inline]
    fn i32(&mut self) -> Result<i32> {
        // INVARIANT: undoing the zigzag of 32 bits gives 32 bits.
        Ok(zigzag(self.at.varint(32)?) as i32)
    }

    #[inline]
    fn i64(&mut self) -> Result<i64> {
        Ok(zigzag(self.at.varint(64)?))
    }

    #[inline]
    fn double(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.at.array()?))
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
        match ty {
            WireType::Bool => self.bool().map(drop),
            WireType::I8 => self.at.byte().map(drop),
            WireType::I16 => self.i16().map(drop),
            WireType::I32 => self.at.varint(32).map(drop),
            WireType::I64 => self.at.varint(64).map(drop),
            WireType::Double => self.at.bytes(8).map(drop),
            WireType::Uuid => self.at.bytes(16).map(drop),
            WireType::String => self.slice().map(drop),
            WireType::Struct => self.skip_struct(),
            WireType::List | WireType::Set => {
                let list = self.list_begin()?;
                let fixed = match list.element {
                    WireType::I8 => Some(1),
                    WireType::Double => Some(8),
                    WireType::Uuid => Some(16),
                    _ => None,
                };
                match fixed {
                    Some(size) => self.at.bytes(list.len.saturating_mul(size)).map(drop)?,
                    // The commonest lists get loops of their own.
                    None if list.element == WireType::I32 => {
                        (0..list.len).try_for_each(|_| self.at.varint(32).map(drop))?;
                    }
                    None if list.element == WireType::I64 => {
                        (0..list.len).try_for_each(|_| self.at.varint(64).map(drop))?;
                    }
                    None => (0..list.len).try_for_each(|_| self.skip(list.element))?,
                }
                self.list_end(list.scope)
            }
            WireType::Map => {
                let map = self.map_begin()?;
                for _ in 0..map.len {
                    self.skip(map.key)?;
                    self.skip(map.value)?;
                }
                self.map_end(map.scope)
            }
            WireType::Stop => self.at.fail(WireErrorKind::BadType(0)),
        }
    }
}
