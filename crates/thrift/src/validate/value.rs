//! Messages as values, for what cannot be read in place.

use contract::Constant;

use crate::wire::{Reader, Result, WireType};

/// Reads a struct: an object with members by number.
pub(super) fn read_struct<'b, R: Reader<'b>>(reader: &mut R) -> Result<Constant> {
    let scope = reader.struct_begin()?;
    let mut members = Vec::new();
    while let Some(field) = reader.field_begin()? {
        let value = read(reader, field.ty)?;
        reader.field_end()?;
        members.push((i64::from(field.id).into(), value));
    }
    reader.struct_end(scope)?;
    Ok(Constant::Object(members))
}

/// Reads a value of a type. Readers bound the depth.
pub(super) fn read<'b, R: Reader<'b>>(reader: &mut R, ty: WireType) -> Result<Constant> {
    Ok(match ty {
        WireType::Stop => Constant::Null,
        WireType::Bool => reader.bool()?.into(),
        WireType::I8 => reader.i8()?.into(),
        WireType::I16 => reader.i16()?.into(),
        WireType::I32 => reader.i32()?.into(),
        WireType::I64 => reader.i64()?.into(),
        WireType::Double => reader.double()?.into(),
        WireType::String => {
            let bytes = reader.string()?;
            match std::str::from_utf8(&bytes) {
                Ok(text) => text.into(),
                Err(_) => Constant::Bytes(bytes.into_owned().into()),
            }
        }
        WireType::Uuid => Constant::Bytes(reader.uuid()?.into()),
        WireType::Struct => read_struct(reader)?,
        WireType::List | WireType::Set => {
            let head = reader.list_begin()?;
            let mut items = Vec::new();
            for _ in 0..head.len {
                items.push(read(reader, head.element)?);
            }
            reader.list_end(head.scope)?;
            Constant::List(items)
        }
        WireType::Map => {
            let head = reader.map_begin()?;
            let mut entries = Vec::new();
            for _ in 0..head.len {
                let key = read(reader, head.key)?;
                entries.push((key, read(reader, head.value)?));
            }
            reader.map_end(head.scope)?;
            Constant::Object(entries)
        }
    })
}
