//! The syntax tree of one file.
//!
//! Spans are part of the tree but not of its meaning; a tree that came from elsewhere than text may point
//! all of them at one place.

use super::{Annotations, Comments, Literal};
use crate::Span;

/// A name with its place; references keep their dots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdlName {
    /// The name as written.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A file.
#[derive(Clone, Debug, PartialEq)]
pub struct IdlFile {
    /// Includes and namespaces, in order.
    pub headers: Vec<Header>,
    /// Definitions, in order.
    pub definitions: Vec<Definition>,
    /// The whole file.
    pub span: Span,
}

/// A line at the head of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Header {
    /// `include "path"`
    Include(Include),
    /// `cpp_include "path"`
    CppInclude(CppInclude),
    /// `namespace scope name`
    Namespace(Namespace),
}

/// `include "path"`: makes another file's definitions reachable under its base name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// The path as written.
    pub path: Literal,
    /// The whole header.
    pub span: Span,
}

/// `cpp_include "path"`: for C++ only, kept and otherwise ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CppInclude {
    /// The path as written.
    pub path: Literal,
    /// The whole header.
    pub span: Span,
}

/// `namespace scope name`: where generated code goes, per target language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// The language, or `*`.
    pub scope: IdlName,
    /// The namespace.
    pub name: IdlName,
    /// Its annotations.
    pub annotations: Annotations,
    /// The whole header.
    pub span: Span,
}

/// A definition.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// `const T N = v`
    Const(Const),
    /// `typedef T N`
    Typedef(Typedef),
    /// `enum N { .. }`
    Enum(Enum),
    /// `struct`, `union` or `exception N { .. }`
    Struct(StructLike),
    /// `service N { .. }`
    Service(Service),
}

impl Definition {
    /// Returns the defined name.
    pub fn name(&self) -> &IdlName {
        match self {
            Definition::Const(it) => &it.name,
            Definition::Typedef(it) => &it.name,
            Definition::Enum(it) => &it.name,
            Definition::Struct(it) => &it.name,
            Definition::Service(it) => &it.name,
        }
    }
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    /// Its type.
    pub ty: TypeRef,
    /// Its name.
    pub name: IdlName,
    /// Its value.
    pub value: ConstValue,
    /// Its annotations.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// The whole definition.
    pub span: Span,
}

/// A second name for a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Typedef {
    /// What the name stands for.
    pub ty: TypeRef,
    /// The new name.
    pub name: IdlName,
    /// Its annotations.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// The whole definition.
    pub span: Span,
}

/// An enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// Its name.
    pub name: IdlName,
    /// Its members, in order.
    pub values: Vec<EnumValue>,
    /// Its annotations.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// The whole definition.
    pub span: Span,
}

/// A member of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumValue {
    /// Its name.
    pub name: IdlName,
    /// The number, if one is written.
    pub number: Option<Integer>,
    /// Its annotations.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// The whole member.
    pub span: Span,
}

/// Which keyword a [`StructLike`] is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StructKind {
    /// `struct`
    Struct,
    /// `union`
    Union,
    /// `exception`
    Exception,
}

/// A struct, union or exception.
#[derive(Clone, Debug, PartialEq)]
pub struct StructLike {
    /// Which of the three.
    pub kind: StructKind,
    /// Its name.
    pub name: IdlName,
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// Its annotations.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// The whole definition.
    pub span: Span,
}

/// An integer with its place: a field id or an enum number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// The number.
    pub value: i64,
    /// Its place.
    pub span: Span,
}

/// What is written before the type of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Requiredness {
    /// Nothing: written always, read if there.
    #[default]
    Default,
    /// `required`
    Required,
    /// `optional`
    Optional,
}

/// The XSD markers of a field, which only the Apache compiler knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Xsd {
    /// `xsd_optional`
    pub optional: bool,
    /// `xsd_nillable`
    pub nillable: bool,
    /// `xsd_attrs { .. }`
    pub attributes: Vec<Field>,
}

/// A field of a struct, an argument, or an entry of a throws clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The id, if one is written.
    pub id: Option<Integer>,
    /// Whether it must be there.
    pub requiredness: Requiredness,
    /// Its type.
    pub ty: TypeRef,
    /// Whether the C++ reference marker `&` is written.
    pub reference: bool,
    /// Its name.
    pub name: IdlName,
    /// Its default value.
    pub default: Option<ConstValue>,
    /// Its XSD markers, boxed because nobody writes them.
    pub xsd: Option<Box<Xsd>>,
    /// Its annotations.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// The whole field, without its separator.
    pub span: Span,
}

/// A service.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Its name.
    pub name: IdlName,
    /// The service it extends.
    pub extends: Option<IdlName>,
    /// Its functions, in order.
    pub functions: Vec<Function>,
    /// Its annotations.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// The whole definition.
    pub span: Span,
}

/// A function of a service.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The place of `oneway` (or `async`), if written: nobody answers such a call.
    pub oneway: Option<Span>,
    /// The type of the result; `None` is `void`.
    pub result: Option<TypeRef>,
    /// Its name.
    pub name: IdlName,
    /// Its arguments, in order.
    pub arguments: Vec<Field>,
    /// Its throws clause.
    pub throws: Option<Throws>,
    /// Its annotations.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// The whole function, without its separator.
    pub span: Span,
}

/// A throws clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Throws {
    /// The exceptions, in order.
    pub fields: Vec<Field>,
    /// The whole clause.
    pub span: Span,
}

/// A type as written at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeRef {
    /// The type.
    pub kind: TypeKind,
    /// The value of `cpp_type`, if any.
    pub cpp_type: Option<Literal>,
    /// Annotations directly behind the type.
    pub annotations: Annotations,
    /// The place, without annotations.
    pub span: Span,
}

/// Which type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// A type of the language itself.
    Base(BaseType),
    /// A defined type, with its dots.
    Named(String),
    /// `list<T>`
    List(Box<TypeRef>),
    /// `set<T>`
    Set(Box<TypeRef>),
    /// `map<K, V>`
    Map(Box<TypeRef>, Box<TypeRef>),
    /// Something that could not be understood; already reported.
    Error,
}

/// A type of the language itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BaseType {
    /// `bool`
    Bool,
    /// `i8` or `byte`
    I8,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `double`
    Double,
    /// `string`
    String,
    /// `binary`
    Binary,
    /// `uuid`
    Uuid,
}

impl BaseType {
    /// Returns the name of the type.
    pub fn name(self) -> &'static str {
        match self {
            BaseType::Bool => "bool",
            BaseType::I8 => "i8",
            BaseType::I16 => "i16",
            BaseType::I32 => "i32",
            BaseType::I64 => "i64",
            BaseType::Double => "double",
            BaseType::String => "string",
            BaseType::Binary => "binary",
            BaseType::Uuid => "uuid",
        }
    }
}

/// A constant value as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstValue {
    /// The value.
    pub kind: ConstKind,
    /// Its place.
    pub span: Span,
}

/// Which constant value.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstKind {
    /// `true` or `false`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A double.
    Double(f64),
    /// A string literal.
    Literal(Literal),
    /// The name of a constant or enum member.
    Identifier(String),
    /// `[..]`
    List(Vec<ConstValue>),
    /// `{k: v, ..}`, also for structs
    Map(Vec<(ConstValue, ConstValue)>),
    /// Something that could not be understood; already reported.
    Error,
}
