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
    /// Where it is written, dots included.
    pub span: Span,
}

/// One file, as it was parsed; nothing in it is resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct IdlFile {
    /// Includes and namespaces, in order.
    pub headers: Vec<Header>,
    /// Definitions in source order, two of one name included.
    pub definitions: Vec<Definition>,
    /// The whole file, from its first byte to its last.
    pub span: Span,
}

/// A line at the head of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Header {
    /// Another file, `include "path"`.
    Include(Include),
    /// A header of C++, `cpp_include "path"`.
    CppInclude(CppInclude),
    /// A package of a language, `namespace scope name`.
    Namespace(Namespace),
}

/// `include "path"`: makes another file's definitions reachable under its base name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// The path as written.
    pub path: Literal,
    /// From its first word to its last.
    pub span: Span,
}

/// `cpp_include "path"`: for C++ only, kept and otherwise ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CppInclude {
    /// The path as written.
    pub path: Literal,
    /// From its first word to its last.
    pub span: Span,
}

/// `namespace scope name`: where generated code goes, per target language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// The language, or `*`.
    pub scope: IdlName,
    /// The namespace with its dots; each language makes of it what it needs.
    pub name: IdlName,
    /// What stands in parentheses after it, in the order of the text.
    pub annotations: Annotations,
    /// From its first word to its last.
    pub span: Span,
}

/// What a file can define, apart from its headers.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// `const T N = v`
    Const(Const),
    /// A second name for a type, `typedef T N`.
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

/// `const T N = v`
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    /// The declared type, which the value has to fit.
    pub ty: TypeRef,
    /// The name that others use, in other files behind that of the file.
    pub name: IdlName,
    /// The value as written; names in it are not resolved.
    pub value: ConstValue,
    /// What stands in parentheses after it, in the order of the text.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// From its first word to its end, annotations included.
    pub span: Span,
}

/// A second name for a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Typedef {
    /// What the name stands for.
    pub ty: TypeRef,
    /// The name that is added for the type.
    pub name: IdlName,
    /// What stands in parentheses after it, in the order of the text.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// From its first word to its end, annotations included.
    pub span: Span,
}

/// `enum N { .. }`
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// The name that others use, in other files behind that of the file.
    pub name: IdlName,
    /// Its members, in order.
    pub values: Vec<EnumValue>,
    /// What stands in parentheses after it, in the order of the text.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// From its first word to its end, annotations included.
    pub span: Span,
}

/// A member of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumValue {
    /// The name, which others write behind that of the enum.
    pub name: IdlName,
    /// The number, if one is written.
    pub number: Option<Integer>,
    /// What stands in parentheses after it, in the order of the text.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// From its name to its end, annotations included.
    pub span: Span,
}

/// Which keyword a [`StructLike`] is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Thrift's own words")]
pub enum StructKind {
    Struct,
    Union,
    Exception,
}

/// A struct, union or exception.
#[derive(Clone, Debug, PartialEq)]
pub struct StructLike {
    /// Which of the three.
    pub kind: StructKind,
    /// The name that others use, in other files behind that of the file.
    pub name: IdlName,
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// What stands in parentheses after it, in the order of the text.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// From its first word to its end, annotations included.
    pub span: Span,
}

/// An integer with its place: a field id or an enum number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// The number; whether it fits is checked where it is used.
    pub value: i64,
    /// Where it is written.
    pub span: Span,
}

/// What is written before the type of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the others are Thrift's own words")]
pub enum Requiredness {
    /// Nothing: written always, read if there.
    #[default]
    Default,
    Required,
    Optional,
}

/// The XSD markers of a field, which only the Apache compiler knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Xsd {
    /// Whether `xsd_optional` is written; it means nothing here.
    pub optional: bool,
    /// Whether `xsd_nillable` is written; it means nothing here.
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
    /// The type as written; names in it are not resolved.
    pub ty: TypeRef,
    /// Whether the C++ reference marker `&` is written.
    pub reference: bool,
    /// The name as it is written.
    pub name: IdlName,
    /// The value after `=`; names in it are not resolved.
    pub default: Option<ConstValue>,
    /// Its XSD markers, boxed because nobody writes them.
    pub xsd: Option<Box<Xsd>>,
    /// What stands in parentheses after it, in the order of the text.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// The whole field, without its separator.
    pub span: Span,
}

/// `service N extends M { .. }`
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// The name that others extend, in other files behind that of the file.
    pub name: IdlName,
    /// The service it extends.
    pub extends: Option<IdlName>,
    /// Its functions, in order.
    pub functions: Vec<Function>,
    /// What stands in parentheses after it, in the order of the text.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// From its first word to its end, annotations included.
    pub span: Span,
}

/// A function of a service.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The place of `oneway` (or `async`), if written: nobody answers such a call.
    pub oneway: Option<Span>,
    /// The type of the result; `None` is `void`.
    pub result: Option<TypeRef>,
    /// The name as it is written.
    pub name: IdlName,
    /// Its arguments, in order.
    pub arguments: Vec<Field>,
    /// The exceptions that it declares; `None` without a clause.
    pub throws: Option<Throws>,
    /// What stands in parentheses after it, in the order of the text.
    pub annotations: Annotations,
    /// The comments around it.
    pub comments: Comments,
    /// The whole function, without its separator.
    pub span: Span,
}

/// `throws (1: E e, ..)`
#[derive(Clone, Debug, PartialEq)]
pub struct Throws {
    /// The exceptions as fields, with the ids that the result has.
    pub fields: Vec<Field>,
    /// From `throws` to the closing parenthesis.
    pub span: Span,
}

/// A type as written at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeRef {
    /// The type as written; names in it are not resolved.
    pub kind: TypeKind,
    /// The value of `cpp_type`, if any.
    pub cpp_type: Option<Literal>,
    /// Annotations directly behind the type.
    pub annotations: Annotations,
    /// The place, without annotations.
    pub span: Span,
}

/// What a type is, before names are resolved.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the others are Thrift's own types")]
pub enum TypeKind {
    /// A type of the language itself.
    Base(BaseType),
    /// A defined type, with its dots.
    Named(String),
    List(Box<TypeRef>),
    Set(Box<TypeRef>),
    Map(Box<TypeRef>, Box<TypeRef>),
    /// Something that could not be understood; already reported.
    Error,
}

/// A type of the language itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Thrift's own types")]
pub enum BaseType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Double,
    String,
    Binary,
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

/// A constant value as written, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstValue {
    /// The value, parts included.
    pub kind: ConstKind,
    /// Where it is written.
    pub span: Span,
}

/// How a constant value is written. What it means depends on the type that it is for.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstKind {
    /// `true` or `false`, in lower case.
    Bool(bool),
    /// An integer, decimal or hexadecimal; also for doubles and enums.
    Int(i64),
    /// A number with a point or an exponent.
    Double(f64),
    /// A string literal, for text, bytes and uuids.
    Literal(Literal),
    /// The name of a constant or enum member.
    Identifier(String),
    /// A list or set, `[..]`.
    List(Vec<ConstValue>),
    /// `{k: v, ..}`, also for structs
    Map(Vec<(ConstValue, ConstValue)>),
    /// Something that could not be understood; already reported.
    Error,
}
