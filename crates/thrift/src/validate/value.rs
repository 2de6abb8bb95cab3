//! Messages as values, for what cannot be read in place.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use contract::Constant;

use crate::model::{Model, StructId, Type, TypeId};
use crate::wire::{Reader, Result, WireType};

/// Where bytes are that one protocol, JSON, writes as text: they cannot be told from text without the IDL.
#[derive(Clone, Debug, Default)]
pub(super) struct Binaries {
    /// The fields of each struct that are binary, or lead to what is or may be.
    structs: Vec<BTreeMap<i16, Arc<Binary>>>,
}

#[derive(Clone, Debug)]
enum Binary {
    Itself,
    List(Arc<Binary>),
    Map(Option<Arc<Binary>>, Option<Arc<Binary>>),
    Struct(StructId),
}

impl Binaries {
    pub(super) fn new(model: &Model) -> Binaries {
        let mut known = HashMap::new();
        let structs = model.structs.iter().map(|it| {
            let fields = it.fields.iter();
            fields.filter_map(|field| Some((field.wire_id(), binary(model, field.ty, &mut known)?))).collect()
        });
        Binaries { structs: structs.collect() }
    }

    fn field(&self, id: StructId, field: i16) -> Option<&Binary> {
        self.structs.get(id.0 as usize)?.get(&field).map(AsRef::as_ref)
    }
}

/// Where a type holds bytes. Types that typedefs share are looked at once.
// INVARIANT: types nest no deeper than they are written; a struct is a step of its own.
fn binary(model: &Model, ty: TypeId, known: &mut HashMap<Type, Option<Arc<Binary>>>) -> Option<Arc<Binary>> {
    let real = model.real(ty);
    if let Some(found) = known.get(&real) {
        return found.clone();
    }
    let found = match real {
        Type::Binary => Some(Binary::Itself),
        Type::Struct(id) => Some(Binary::Struct(id)),
        Type::List(element) | Type::Set(element) => binary(model, element, known).map(Binary::List),
        Type::Map(key, value) => {
            let (key, value) = (binary(model, key, known), binary(model, value, known));
            (key.is_some() || value.is_some()).then_some(Binary::Map(key, value))
        }
        _ => None,
    };
    let found = found.map(Arc::new);
    known.insert(real, found.clone());
    found
}

/// Reads a struct that nothing is known of: an object with members by number.
pub(super) fn read_struct<'b, R: Reader<'b>>(reader: &mut R) -> Result<Constant> {
    Values { binaries: &Binaries::default() }.structure(reader, None)
}

/// Reads a struct of a type.
pub(super) fn read_known<'b, R: Reader<'b>>(
    reader: &mut R,
    binaries: &Binaries,
    id: StructId,
) -> Result<Constant> {
    Values { binaries }.structure(reader, Some(id))
}

struct Values<'v> {
    binaries: &'v Binaries,
}

// Readers bound the depth.
impl Values<'_> {
    fn structure<'b, R: Reader<'b>>(&self, reader: &mut R, id: Option<StructId>) -> Result<Constant> {
        let scope = reader.struct_begin()?;
        let mut members = Vec::new();
        while let Some(field) = reader.field_begin()? {
            let binary = id.and_then(|id| self.binaries.field(id, field.id));
            let value = self.value(reader, field.ty, binary)?;
            reader.field_end()?;
            members.push((i64::from(field.id).into(), value));
        }
        reader.struct_end(scope)?;
        Ok(Constant::Object(members))
    }

    fn value<'b, R: Reader<'b>>(
        &self,
        reader: &mut R,
        ty: WireType,
        binary: Option<&Binary>,
    ) -> Result<Constant> {
        Ok(match ty {
            WireType::Stop => Constant::Null,
            WireType::Bool => reader.bool()?.into(),
            WireType::I8 => reader.i8()?.into(),
            WireType::I16 => reader.i16()?.into(),
            WireType::I32 => reader.i32()?.into(),
            WireType::I64 => reader.i64()?.into(),
            WireType::Double => reader.double()?.into(),
            WireType::String => {
                let mut ahead = reader.clone();
                let bytes = match (binary, ahead.binary()) {
                    (Some(Binary::Itself), Ok(bytes)) => {
                        *reader = ahead;
                        bytes
                    }
                    // What has rules was decoded before; what has none is only shown.
                    _ => reader.string()?,
                };
                match std::str::from_utf8(&bytes) {
                    Ok(text) => text.into(),
                    Err(_) => Constant::Bytes(bytes.into_owned().into()),
                }
            }
            WireType::Uuid => Constant::Bytes(reader.uuid()?.into()),
            WireType::Struct => match binary {
                Some(Binary::Struct(id)) => self.structure(reader, Some(*id))?,
                _ => self.structure(reader, None)?,
            },
            WireType::List | WireType::Set => {
                let element = match binary {
                    Some(Binary::List(element)) => Some(&**element),
                    _ => None,
                };
                let head = reader.list_begin()?;
                let mut items = Vec::new();
                for _ in 0..head.len {
                    items.push(self.value(reader, head.element, element)?);
                }
                reader.list_end(head.scope)?;
                Constant::List(items)
            }
            WireType::Map => {
                let (keys, values) = match binary {
                    Some(Binary::Map(key, value)) => (key.as_deref(), value.as_deref()),
                    _ => (None, None),
                };
                let head = reader.map_begin()?;
                let mut entries = Vec::new();
                for _ in 0..head.len {
                    let key = self.value(reader, head.key, keys)?;
                    entries.push((key, self.value(reader, head.value, values)?));
                }
                reader.map_end(head.scope)?;
                Constant::Object(entries)
            }
        })
    }
}
