//! The resolved program: arenas of definitions that name each other by id.

use std::sync::Arc;

use crate::idl::{Annotations, Comments, IdlName, Literal, Requiredness};
use crate::{FileId, Span};

/// Declares an id and the access to its arena in [`Model`].
macro_rules! arena {
    ($id:ident $item:ident $field:ident $add:ident $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $id(pub u32);

        impl std::ops::Index<$id> for Model {
            type Output = $item;

            #[expect(clippy::indexing_slicing, reason = "ids are made by the model that is indexed")]
            fn index(&self, id: $id) -> &$item {
                &self.$field[id.0 as usize]
            }
        }

        impl Model {
            /// Adds to the arena.
            pub(super) fn $add(&mut self, item: $item) -> $id {
                let id = $id(self.$field.len() as u32);
                self.$field.push(item);
                id
            }
        }
    };
}

arena!(TypeId TypeNode types add_type "A type at one place of the program.");
arena!(StructId Struct structs add_struct "A struct, union, exception, or the arguments or result of a function.");
arena!(EnumId Enum enums add_enum "An enum.");
arena!(TypedefId Typedef typedefs add_typedef "A typedef.");
arena!(ConstId Const consts add_const "A constant.");
arena!(ServiceId Service services add_service "A service.");

/// A resolved program. Ids index it: `model[id]`; an id belongs to the model it came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Every type written anywhere, by [`TypeId`].
    pub types: Vec<TypeNode>,
    /// Every struct-like thing, by [`StructId`].
    pub structs: Vec<Struct>,
    /// Every enum, by [`EnumId`].
    pub enums: Vec<Enum>,
    /// Every typedef, by [`TypedefId`].
    pub typedefs: Vec<Typedef>,
    /// Every constant, by [`ConstId`].
    pub consts: Vec<Const>,
    /// Every service, by [`ServiceId`].
    pub services: Vec<Service>,
}

impl Model {
    /// Returns what a type is once typedefs are looked through.
    pub fn real(&self, id: TypeId) -> Type {
        match self[id].ty {
            // INVARIANT: the target of a typedef is never a typedef; see `types.rs`.
            Type::Typedef(typedef) => self[self[typedef].real].ty,
            other => other,
        }
    }

    /// Iterates over the functions of a service, its own first, then those it inherits.
    pub fn functions(&self, service: ServiceId) -> impl Iterator<Item = &Function> {
        // INVARIANT: `extends` never forms a cycle; see `services.rs`.
        std::iter::successors(Some(service), |id| self[*id].extends).flat_map(|id| self[id].functions.iter())
    }

    /// Returns the service with a name in a file.
    pub fn service(&self, file: FileId, name: &str) -> Option<ServiceId> {
        let at = self.services.iter().position(|it| it.file == file && it.name.text == name)?;
        Some(ServiceId(at as u32))
    }

    /// Returns the struct, union or exception with a name in a file.
    pub fn structure(&self, file: FileId, name: &str) -> Option<StructId> {
        let declared = |it: &Struct| it.role.is_declared() && it.file == file && it.name.text == name;
        Some(StructId(self.structs.iter().position(declared)? as u32))
    }

    /// Writes a type as the IDL does.
    pub fn type_name(&self, id: TypeId) -> String {
        match self[id].ty {
            Type::List(element) => format!("list<{}>", self.type_name(element)),
            Type::Set(element) => format!("set<{}>", self.type_name(element)),
            Type::Map(key, value) => format!("map<{}, {}>", self.type_name(key), self.type_name(value)),
            Type::Enum(id) => self[id].name.text.clone(),
            Type::Struct(id) => self[id].name.text.clone(),
            Type::Typedef(id) => self[id].name.text.clone(),
            other => other.base_name().to_owned(),
        }
    }
}

/// A type as it stands at one place, with the annotations written there.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeNode {
    /// The type itself; nodes with the same type but other annotations are separate.
    pub ty: Type,
    /// The annotations directly behind it.
    pub annotations: Annotations,
    /// The value of `cpp_type`.
    pub cpp_type: Option<Literal>,
    /// Where it is written.
    pub span: Span,
}

/// A resolved type. Parts are ids of the model that it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the others are Thrift's own types")]
pub enum Type {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Double,
    String,
    Binary,
    Uuid,
    List(TypeId),
    Set(TypeId),
    Map(TypeId, TypeId),
    /// An enum: 32 bits on the wire, of which only some numbers have members.
    Enum(EnumId),
    /// A struct, union or exception.
    Struct(StructId),
    /// A typedef; [`Model::real`] looks through it.
    Typedef(TypedefId),
    /// Something that was reported.
    Error,
}

impl Type {
    /// The name of a type that needs no arena to be named.
    pub(super) fn base_name(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::I8 => "i8",
            Type::I16 => "i16",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::Double => "double",
            Type::String => "string",
            Type::Binary => "binary",
            Type::Uuid => "uuid",
            Type::List(_) => "list",
            Type::Set(_) => "set",
            Type::Map(..) => "map",
            Type::Enum(_) => "enum",
            Type::Struct(_) => "struct",
            Type::Typedef(_) => "typedef",
            Type::Error => "an unknown type",
        }
    }

    /// The smallest and largest value of an integer type.
    pub fn integer_range(self) -> Option<(i64, i64)> {
        match self {
            Type::I8 => Some((i8::MIN.into(), i8::MAX.into())),
            Type::I16 => Some((i16::MIN.into(), i16::MAX.into())),
            Type::I32 => Some((i32::MIN.into(), i32::MAX.into())),
            Type::I64 => Some((i64::MIN, i64::MAX)),
            _ => None,
        }
    }
}

/// A typedef: a name with annotations of its own, which types and rules see through.
#[derive(Clone, Debug, PartialEq)]
pub struct Typedef {
    /// The file that declares it.
    pub file: FileId,
    /// The name that it declares.
    pub name: IdlName,
    /// The type it was given.
    pub target: TypeId,
    /// The first type on the way that is not a typedef.
    pub real: TypeId,
    /// The annotations of the typedef itself, not those of its target.
    pub annotations: Annotations,
    /// The comments before it and behind it, its documentation among them.
    pub comments: Comments,
}

/// An enum. Values without a member are legal on the wire unless a rule says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// The file that declares it.
    pub file: FileId,
    /// The name that it declares.
    pub name: IdlName,
    /// Its members, in order.
    pub members: Vec<EnumMember>,
    /// The numbers of the members, sorted.
    pub(super) numbers: Vec<i32>,
    /// The annotations behind its members.
    pub annotations: Annotations,
    /// The comments before it and behind it, its documentation among them.
    pub comments: Comments,
}

impl Enum {
    /// Returns the member with a name.
    pub fn member(&self, name: &str) -> Option<&EnumMember> {
        self.members.iter().find(|member| member.name.text == name)
    }

    /// Returns whether a number is the number of a member.
    pub fn has_number(&self, number: i32) -> bool {
        self.numbers.binary_search(&number).is_ok()
    }
}

/// A member of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumMember {
    /// The name, which is unique in its enum.
    pub name: IdlName,
    /// Its number, written or counted.
    pub number: i32,
    /// The annotations behind its number.
    pub annotations: Annotations,
    /// The comments before it and behind it on its line.
    pub comments: Comments,
}

/// What a struct-like thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the others are Thrift's own words")]
pub enum StructRole {
    Struct,
    Union,
    Exception,
    /// The arguments of a function.
    Arguments,
    /// The result of a function: field 0 is the success, the others are exceptions.
    Result,
}

impl StructRole {
    /// Whether the program declares it under its own name.
    pub fn is_declared(self) -> bool {
        matches!(self, StructRole::Struct | StructRole::Union | StructRole::Exception)
    }
}

/// A struct, union, exception, or the arguments or result of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// The file that declares it; for arguments and results, that of the service.
    pub file: FileId,
    /// Which keyword declares it, or which part of a function it is.
    pub role: StructRole,
    /// Its name; `f_args` and `f_result` for a function `f`.
    pub name: IdlName,
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// The annotations behind its fields.
    pub annotations: Annotations,
    /// The comments before it and behind it, its documentation among them.
    pub comments: Comments,
}

impl Struct {
    /// Returns the field with a name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.text == name)
    }
}

/// A field of a struct-like thing, or an argument, with its id settled.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its id; on the wire only 16 bits of it travel, see [`Field::wire_id`].
    pub id: i32,
    /// Whether the id was counted instead of written.
    pub implicit_id: bool,
    /// Whether it must be there, after the rules for unions, arguments and results.
    pub requiredness: Requiredness,
    /// The type as written; [`Model::real`] looks through typedefs.
    pub ty: TypeId,
    /// The name; on the wire only the id travels.
    pub name: IdlName,
    /// The value after `=`, worked out; `None` without one, or if it does not fit the type.
    pub default: Option<ConstantValue>,
    /// The annotations behind it, where its rules are.
    pub annotations: Annotations,
    /// The comments before it and behind it on its line.
    pub comments: Comments,
    /// Where it is written.
    pub span: Span,
}

impl Field {
    /// Returns the id as it appears on the wire.
    pub fn wire_id(&self) -> i16 {
        self.id as i16
    }
}

/// A constant: a name for a value, which defaults and rules refer to.
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    /// The file that declares it.
    pub file: FileId,
    /// The name that it declares.
    pub name: IdlName,
    /// The declared type, which its value fits.
    pub ty: TypeId,
    /// Its value; `None` if it could not be worked out.
    pub value: Option<ConstantValue>,
    /// The annotations behind its value.
    pub annotations: Annotations,
    /// The comments before it and behind it, its documentation among them.
    pub comments: Comments,
}

/// A service with its own functions; [`Model::functions`] has those that it inherits, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// The file that declares it.
    pub file: FileId,
    /// The name that it declares.
    pub name: IdlName,
    /// The service it extends.
    pub extends: Option<ServiceId>,
    /// Its own functions, in order.
    pub functions: Vec<Function>,
    /// The annotations behind its functions.
    pub annotations: Annotations,
    /// The comments before it and behind it, its documentation among them.
    pub comments: Comments,
}

/// A function of a service.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The name, as calls carry it.
    pub name: IdlName,
    /// Whether it is declared `oneway`: nobody answers a call of it.
    pub oneway: bool,
    /// The type of its result; `None` is `void`.
    pub result_type: Option<TypeId>,
    /// Its arguments as a struct.
    pub arguments: StructId,
    /// Its result as a struct; `None` for a oneway function.
    pub result: Option<StructId>,
    /// The annotations behind its arguments and exceptions.
    pub annotations: Annotations,
    /// The comments before it and behind it, its documentation among them.
    pub comments: Comments,
    /// Where it is written.
    pub span: Span,
}

/// A constant value, worked out and of the type it was given to.
///
/// Containers are shared: a list that is used in many constants exists once.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantValue {
    /// Of a `bool`, also if it was written as `0` or `1`.
    Bool(bool),
    /// Of an integer type.
    Int(i64),
    /// Of a `double`, also if it was written as an integer.
    Double(f64),
    /// Of a `string` or `binary`.
    Bytes(Arc<[u8]>),
    /// Of a `uuid`: 16 bytes, in the order of its text.
    Uuid([u8; 16]),
    /// Of an enum: the number, which need not be a member's.
    Enum(EnumId, i32),
    /// Of a list or set.
    List(Arc<[ConstantValue]>),
    /// Of a map, in source order.
    Map(Arc<[(ConstantValue, ConstantValue)]>),
    /// Of a struct: positions in [`Struct::fields`] and values, in source order.
    Struct(StructId, Arc<[(usize, ConstantValue)]>),
}
