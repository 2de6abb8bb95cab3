//! Messages as values, for what cannot be read in place.

use contract::Constant;

use super::types::{ProgramTypes, Ty, TypeForm};
use super::work::WorkBudget;
use crate::model::StructId;
use crate::wire::{Reader, Result, WireType};

/// Reads a struct that nothing is known of: an object with members by number.
pub(super) fn read_struct<'b, R: Reader<'b>>(reader: &mut R) -> Result<Constant> {
    foreign(reader, WireType::Struct)
}

// Readers bound the depth.
fn foreign<'b, R: Reader<'b>>(reader: &mut R, ty: WireType) -> Result<Constant> {
    Ok(match ty {
        WireType::Struct => {
            let scope = reader.struct_begin()?;
            let mut members = Vec::new();
            while let Some(field) = reader.field_begin()? {
                let value = foreign(reader, field.ty)?;
                reader.field_end()?;
                members.push((i64::from(field.id).into(), value));
            }
            reader.struct_end(scope)?;
            Constant::Object(members)
        }
        WireType::List | WireType::Set => {
            let head = reader.list_begin()?;
            let mut items = Vec::new();
            for _ in 0..head.len {
                items.push(foreign(reader, head.element)?);
            }
            reader.list_end(head.scope)?;
            Constant::List(items)
        }
        WireType::Map => {
            let head = reader.map_begin()?;
            let mut entries = Vec::new();
            for _ in 0..head.len {
                let key = foreign(reader, head.key)?;
                entries.push((key, foreign(reader, head.value)?));
            }
            reader.map_end(head.scope)?;
            Constant::Object(entries)
        }
        scalar => read_scalar(reader, scalar)?,
    })
}

fn read_scalar<'b, R: Reader<'b>>(reader: &mut R, ty: WireType) -> Result<Constant> {
    Ok(match ty {
        WireType::Bool => reader.bool()?.into(),
        WireType::I8 => reader.i8()?.into(),
        WireType::I16 => reader.i16()?.into(),
        WireType::I32 => reader.i32()?.into(),
        WireType::I64 => reader.i64()?.into(),
        WireType::Double => reader.double()?.into(),
        WireType::String => text(&reader.string()?),
        WireType::Uuid => Constant::Bytes(reader.uuid()?.into()),
        WireType::Stop | WireType::Struct | WireType::Map | WireType::Set | WireType::List => Constant::Null,
    })
}

fn text(bytes: &[u8]) -> Constant {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => Constant::Bytes(bytes.into()),
    }
}

/// Reads values of known types, and counts what is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<'v> {
    pub(super) types: &'v ProgramTypes,
    pub(super) work: &'v WorkBudget,
}

impl Values<'_> {
    /// Reads the value at which a reader stands.
    // Readers bound the depth.
    pub(super) fn read<'b, R: Reader<'b>>(&self, reader: &mut R, ty: Ty) -> Result<Constant> {
        if !self.work.step() {
            self.work.verdict(reader.offset())?;
        }
        Ok(match self.types.kind(ty) {
            TypeForm::Scalar(wire) => read_scalar(reader, wire)?,
            TypeForm::Text => text(&reader.string()?),
            // Bytes that one protocol, JSON, writes as text: they cannot be told from text without the IDL.
            TypeForm::Bytes => text(&reader.binary()?),
            TypeForm::Struct(id) => self.structure(reader, id)?,
            TypeForm::List(element) | TypeForm::Set(element) => {
                let head = reader.list_begin()?;
                let mut items = Vec::new();
                for _ in 0..head.len {
                    items.push(self.read(reader, element)?);
                }
                reader.list_end(head.scope)?;
                Constant::List(items)
            }
            TypeForm::Map(key, value) => {
                let head = reader.map_begin()?;
                let mut entries = Vec::new();
                for _ in 0..head.len {
                    let key = self.read(reader, key)?;
                    entries.push((key, self.read(reader, value)?));
                }
                reader.map_end(head.scope)?;
                Constant::Object(entries)
            }
            TypeForm::Unknown => Constant::Null,
        })
    }

    /// Reads the known fields of a struct that have their type.
    pub(super) fn structure<'b, R: Reader<'b>>(&self, reader: &mut R, id: StructId) -> Result<Constant> {
        let scope = reader.struct_begin()?;
        let mut members: Vec<(Constant, Constant)> = Vec::new();
        while let Some(head) = reader.field_begin()? {
            let known = self.types.structure(id).and_then(|it| it.field(head.id));
            match known {
                Some((_, field)) if self.types.wire(field.ty) == head.ty => {
                    let value = self.read(reader, field.ty)?;
                    members.push((i64::from(head.id).into(), value));
                }
                _ => self.work.skip(reader, head.ty)?,
            }
            reader.field_end()?;
        }
        reader.struct_end(scope)?;
        Ok(Constant::Object(members))
    }
}
