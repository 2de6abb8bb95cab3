//! The types of a program, as far as bytes show them: what each field, element, key and value must be.
//!
//! Types are shared as the program shares them, so that a chain of typedefs costs no more than it is long.

use std::sync::Arc;

use crate::model::{Model, StructId, Type, TypeId};
use crate::wire::WireType;

/// A type, by its place in [`ProgramTypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ty(u32);

/// What a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeForm {
    /// A number, truth value or uuid.
    Scalar(WireType),
    /// Text, which should be UTF-8.
    Text,
    Bytes,
    List(Ty),
    Set(Ty),
    Map(Ty, Ty),
    Struct(StructId),
    /// A type that could not be resolved.
    Unknown,
}

/// The types of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct ProgramTypes {
    kinds: Vec<TypeForm>,
    /// The enum that a type is, by its place among the types.
    enums: Vec<Option<Arc<EnumType>>>,
    structs: Vec<StructType>,
    /// Whether some type is a uuid, so that those who read the program's messages know of uuids.
    pub(super) has_uuid: bool,
}

/// The members of an enum.
#[derive(Clone, Debug)]
pub(super) struct EnumType {
    pub(super) name: Box<str>,
    members: Vec<(i64, Box<str>)>,
}

impl EnumType {
    /// The numbers of its members.
    pub(super) fn numbers(&self) -> impl Iterator<Item = i64> {
        self.members.iter().map(|(number, _)| *number)
    }

    /// The name of the first member with a number.
    pub(super) fn member(&self, number: i64) -> Option<&str> {
        self.members.iter().find(|(known, _)| *known == number).map(|(_, name)| &**name)
    }
}

/// The fields of a struct.
#[derive(Clone, Debug)]
pub(super) struct StructType {
    /// Sorted by id.
    fields: Box<[FieldType]>,
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub(super) struct FieldType {
    pub(super) id: i16,
    pub(super) name: Box<str>,
    pub(super) ty: Ty,
    /// Whether readers may see a value that was not sent.
    pub(super) has_default: bool,
}

impl ProgramTypes {
    pub(super) fn new(model: &Model) -> ProgramTypes {
        let kinds: Vec<TypeForm> = (0..model.types.len() as u32).map(|id| kind(model, TypeId(id))).collect();
        let structs = model.structs.iter().map(|it| {
            let mut fields: Vec<FieldType> = it
                .fields
                .iter()
                .map(|field| FieldType {
                    id: field.wire_id(),
                    name: field.name.text.as_str().into(),
                    ty: Ty(field.ty.0),
                    has_default: field.default.is_some(),
                })
                .collect();
            fields.sort_by_key(|field| field.id);
            StructType { fields: fields.into() }
        });
        let has_uuid = kinds.contains(&TypeForm::Scalar(WireType::Uuid));
        let all: Vec<Arc<EnumType>> = model
            .enums
            .iter()
            .map(|it| {
                let members = it.members.iter();
                let members = members.map(|it| (i64::from(it.number), it.name.text.as_str().into()));
                Arc::new(EnumType { name: it.name.text.as_str().into(), members: members.collect() })
            })
            .collect();
        let enums = (0..model.types.len() as u32).map(|id| match model.real(TypeId(id)) {
            Type::Enum(id) => all.get(id.0 as usize).cloned(),
            _ => None,
        });
        ProgramTypes { structs: structs.collect(), enums: enums.collect(), has_uuid, kinds }
    }

    /// The type at one place of the program.
    pub(super) fn of(&self, id: TypeId) -> Ty {
        Ty(id.0)
    }

    #[inline]
    pub(super) fn kind(&self, ty: Ty) -> TypeForm {
        self.kinds.get(ty.0 as usize).copied().unwrap_or(TypeForm::Unknown)
    }

    /// How values of a type are marked on the wire.
    #[inline]
    pub(super) fn wire(&self, ty: Ty) -> WireType {
        self.kind(ty).wire()
    }

    /// The enum that a type is.
    pub(super) fn enumeration(&self, ty: Ty) -> Option<&EnumType> {
        self.enums.get(ty.0 as usize)?.as_deref()
    }

    pub(super) fn structure(&self, id: StructId) -> Option<&StructType> {
        self.structs.get(id.0 as usize)
    }
}

impl StructType {
    /// How many fields it has.
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// A field by its name.
    pub(super) fn named(&self, name: &str) -> Option<&FieldType> {
        self.fields.iter().find(|field| *field.name == *name)
    }

    /// A field by its id, with its place among the fields.
    pub(super) fn field(&self, id: i16) -> Option<(usize, &FieldType)> {
        let at = self.fields.binary_search_by_key(&id, |field| field.id).ok()?;
        self.fields.get(at).map(|field| (at, field))
    }
}

impl TypeForm {
    pub(super) fn wire(self) -> WireType {
        match self {
            TypeForm::Scalar(wire) => wire,
            TypeForm::Text | TypeForm::Bytes => WireType::String,
            TypeForm::List(_) => WireType::List,
            TypeForm::Set(_) => WireType::Set,
            TypeForm::Map(..) => WireType::Map,
            TypeForm::Struct(_) => WireType::Struct,
            TypeForm::Unknown => WireType::Stop,
        }
    }
}

fn kind(model: &Model, id: TypeId) -> TypeForm {
    match model.real(id) {
        Type::Bool => TypeForm::Scalar(WireType::Bool),
        Type::I8 => TypeForm::Scalar(WireType::I8),
        Type::I16 => TypeForm::Scalar(WireType::I16),
        Type::I32 | Type::Enum(_) => TypeForm::Scalar(WireType::I32),
        Type::I64 => TypeForm::Scalar(WireType::I64),
        Type::Double => TypeForm::Scalar(WireType::Double),
        Type::Uuid => TypeForm::Scalar(WireType::Uuid),
        Type::String => TypeForm::Text,
        Type::Binary => TypeForm::Bytes,
        Type::List(element) => TypeForm::List(Ty(element.0)),
        Type::Set(element) => TypeForm::Set(Ty(element.0)),
        Type::Map(key, value) => TypeForm::Map(Ty(key.0), Ty(value.0)),
        Type::Struct(id) => TypeForm::Struct(id),
        Type::Typedef(_) | Type::Error => TypeForm::Unknown,
    }
}

/// How values of a type are marked on the wire; `Stop` if the type could not be resolved.
pub fn wire_type(model: &Model, id: TypeId) -> WireType {
    kind(model, id).wire()
}
