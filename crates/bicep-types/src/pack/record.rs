//! One type as bytes.
//!
//! A record starts with a byte that holds the kind and up to four marks of what follows. A reference to one of
//! the first types of a file is stored as it is, because these are the simple types that everything uses; all
//! others relative to the referring type, so that the same definition further down another file is the same bytes.
//! Descriptions are not part of a record.

use smol_str::{SmolStr, SmolStrBuilder};

use super::bytes::{Cursor, unzigzag, write_varint, zigzag};
use super::open::Pack;
use crate::flags::{BuiltInKind, FileKind, ParameterFlags, PropertyFlags, Scopes};
use crate::model::{
    ArrayType, DiscriminatedObjectType, Element, FunctionType, IntegerType, NamespaceFunctionType,
    NamespaceParameter, ObjectType, Parameter, ResourceFunctionType, ResourceType, ResourceTypeFunction,
    StringLiteralType, StringType, Type, TypeId, TypeProperty, UnionType,
};

const ANY: u8 = 0;
const NULL: u8 = 1;
const BOOLEAN: u8 = 2;
const INTEGER: u8 = 3;
const STRING: u8 = 4;
const STRING_LITERAL: u8 = 5;
const BUILT_IN: u8 = 6;
const ARRAY: u8 = 7;
const OBJECT: u8 = 8;
const DISCRIMINATED_OBJECT: u8 = 9;
const UNION: u8 = 10;
const RESOURCE: u8 = 11;
const RESOURCE_FUNCTION: u8 = 12;
const FUNCTION: u8 = 13;
const NAMESPACE_FUNCTION: u8 = 14;

const KIND: u8 = 0x0f;
/// The four marks of a record's first byte.
const MARKS: [u8; 4] = [0x10, 0x20, 0x40, 0x80];

/// References below this are stored as they are.
const DIRECT: u32 = 64;

/// Writes records; `text` gives the number that stands for a text.
pub(super) struct Encoder<'a> {
    pub(super) out: &'a mut Vec<u8>,
    pub(super) text: &'a mut dyn FnMut(&str) -> u64,
}

impl Encoder<'_> {
    /// Appends the record of the type at position `at` of its file.
    pub(super) fn record(&mut self, ty: &Type, at: TypeId) {
        match ty {
            Type::Any => self.head(ANY, [false; 4]),
            Type::Null => self.head(NULL, [false; 4]),
            Type::Boolean => self.head(BOOLEAN, [false; 4]),
            Type::Integer(integer) => {
                self.head(INTEGER, [integer.min_value.is_some(), integer.max_value.is_some(), false, false]);
                self.signed_if(integer.min_value);
                self.signed_if(integer.max_value);
            }
            Type::String(string) => {
                let marks = [
                    string.sensitive,
                    string.min_length.is_some(),
                    string.max_length.is_some(),
                    string.pattern.is_some(),
                ];
                self.head(STRING, marks);
                self.signed_if(string.min_length);
                self.signed_if(string.max_length);
                string.pattern.iter().for_each(|pattern| self.text(pattern));
            }
            Type::StringLiteral(literal) => {
                self.head(STRING_LITERAL, [literal.sensitive, false, false, false]);
                self.text(&literal.value);
            }
            Type::BuiltIn(kind) => {
                self.head(BUILT_IN, [false; 4]);
                self.out.push(kind.number());
            }
            Type::Array(array) => {
                self.head(ARRAY, [array.min_length.is_some(), array.max_length.is_some(), false, false]);
                self.signed_if(array.min_length);
                self.signed_if(array.max_length);
                self.reference(array.item, at);
            }
            Type::Object(object) => {
                let marks = [object.additional_properties.is_some(), object.sensitive, false, false];
                self.head(OBJECT, marks);
                self.text(&object.name);
                self.properties(&object.properties, at);
                object.additional_properties.iter().for_each(|ty| self.reference(*ty, at));
            }
            Type::DiscriminatedObject(object) => {
                self.head(DISCRIMINATED_OBJECT, [false; 4]);
                self.text(&object.name);
                self.text(&object.discriminator);
                self.properties(&object.base_properties, at);
                self.number(object.elements.len() as u64);
                for element in &object.elements {
                    self.text(&element.value);
                    self.reference(element.ty, at);
                }
            }
            Type::Union(union) => self.union(&union.elements, at),
            Type::Resource(resource) => self.resource(resource, at),
            Type::ResourceFunction(function) => {
                self.head(RESOURCE_FUNCTION, [function.input.is_some(), false, false, false]);
                self.text(&function.name);
                self.text(&function.resource_type);
                self.text(&function.api_version);
                self.reference(function.output, at);
                function.input.iter().for_each(|input| self.reference(*input, at));
            }
            Type::Function(function) => {
                self.head(FUNCTION, [false; 4]);
                self.number(function.parameters.len() as u64);
                for parameter in &function.parameters {
                    self.text(&parameter.name);
                    self.reference(parameter.ty, at);
                }
                self.reference(function.output, at);
            }
            Type::NamespaceFunction(function) => self.namespace_function(function, at),
        }
    }

    /// A union is mostly a run of literals that stand next to each other, then perhaps one more type.
    fn union(&mut self, elements: &[TypeId], at: TypeId) {
        let run = elements
            .iter()
            .zip(elements.iter().skip(1))
            .take_while(|(one, next)| one.0.checked_add(1) == Some(next.0))
            .count()
            + usize::from(!elements.is_empty());
        match (elements.first(), elements.get(run..)) {
            (Some(first), Some([])) => {
                self.head(UNION, [true, false, false, false]);
                self.number(run as u64);
                self.reference(*first, at);
            }
            (Some(first), Some([last])) => {
                self.head(UNION, [true, true, false, false]);
                self.number(run as u64);
                self.reference(*first, at);
                self.reference(*last, at);
            }
            _ => {
                self.head(UNION, [false; 4]);
                self.number(elements.len() as u64);
                elements.iter().for_each(|element| self.reference(*element, at));
            }
        }
    }

    fn resource(&mut self, resource: &ResourceType, at: TypeId) {
        // Name and version apart: both occur again and again, their combination does not.
        let (name, version) = resource.name_and_version();
        self.head(RESOURCE, [version.is_some(), resource.functions.is_some(), false, false]);
        self.text(name);
        version.iter().for_each(|version| self.text(version));
        self.reference(resource.body, at);
        self.number(u64::from(resource.readable_scopes.0));
        self.number(u64::from(resource.writable_scopes.0));
        if let Some(functions) = &resource.functions {
            self.number(functions.len() as u64);
            for function in functions {
                self.text(&function.name);
                self.reference(function.ty, at);
            }
        }
    }

    fn namespace_function(&mut self, function: &NamespaceFunctionType, at: TypeId) {
        let marks =
            [function.evaluated_language_expression.is_some(), function.visible_in.is_some(), false, false];
        self.head(NAMESPACE_FUNCTION, marks);
        self.text(&function.name);
        function.evaluated_language_expression.iter().for_each(|expression| self.text(expression));
        self.number(function.parameters.len() as u64);
        for parameter in &function.parameters {
            self.text(&parameter.name);
            self.reference(parameter.ty, at);
            self.number(u64::from(parameter.flags.0));
        }
        self.reference(function.output, at);
        function.visible_in.iter().for_each(|kind| self.out.push(kind.number()));
    }

    fn properties(&mut self, properties: &[TypeProperty], at: TypeId) {
        self.number(properties.len() as u64);
        for property in properties {
            self.text(&property.name);
            self.reference(property.ty, at);
            self.number(u64::from(property.flags.0));
        }
    }

    fn head(&mut self, kind: u8, marks: [bool; 4]) {
        let set = marks.into_iter().zip(MARKS).filter(|(set, _)| *set);
        self.out.push(set.fold(kind, |byte, (_, mark)| byte | mark));
    }

    fn number(&mut self, number: u64) {
        write_varint(self.out, number);
    }

    fn signed_if(&mut self, number: Option<i64>) {
        number.iter().for_each(|number| self.number(zigzag(*number)));
    }

    fn text(&mut self, text: &str) {
        let number = (self.text)(text);
        self.number(number);
    }

    fn reference(&mut self, to: TypeId, at: TypeId) {
        let number = if to.0 < DIRECT {
            u64::from(to.0) << 1
        } else {
            (zigzag(i64::from(to.0) - i64::from(at.0)) << 1) | 1
        };
        self.number(number);
    }
}

/// Reads records; every method answers nothing when the bytes make no sense.
pub(super) struct Decoder<'a> {
    pub(super) cursor: Cursor<'a>,
    /// The pack with the texts.
    pub(super) pack: &'a Pack,
    /// How many types the file has, for checking references.
    pub(super) types: u32,
}

impl<'a> Decoder<'a> {
    /// Reads the record of the type at position `at` of its file.
    pub(super) fn record(&mut self, at: TypeId) -> Option<Type> {
        let head = self.cursor.byte()?;
        let marks = MARKS.map(|mark| head & mark != 0);
        Some(match head & KIND {
            ANY => Type::Any,
            NULL => Type::Null,
            BOOLEAN => Type::Boolean,
            INTEGER => Type::Integer(IntegerType {
                min_value: self.signed_if(marks[0])?,
                max_value: self.signed_if(marks[1])?,
            }),
            STRING => Type::String(StringType {
                sensitive: marks[0],
                min_length: self.signed_if(marks[1])?,
                max_length: self.signed_if(marks[2])?,
                pattern: if marks[3] { Some(self.text()?) } else { None },
            }),
            STRING_LITERAL => {
                Type::StringLiteral(StringLiteralType { value: self.text()?, sensitive: marks[0] })
            }
            BUILT_IN => Type::BuiltIn(BuiltInKind::from_number(u64::from(self.cursor.byte()?))?),
            ARRAY => Type::Array(ArrayType {
                min_length: self.signed_if(marks[0])?,
                max_length: self.signed_if(marks[1])?,
                item: self.reference(at)?,
            }),
            OBJECT => Type::Object(ObjectType {
                name: self.text()?,
                properties: self.properties(at)?,
                additional_properties: if marks[0] { Some(self.reference(at)?) } else { None },
                sensitive: marks[1],
            }),
            DISCRIMINATED_OBJECT => Type::DiscriminatedObject(DiscriminatedObjectType {
                name: self.text()?,
                discriminator: self.text()?,
                base_properties: self.properties(at)?,
                elements: self.list(|this| Some(Element { value: this.text()?, ty: this.reference(at)? }))?,
            }),
            UNION => Type::Union(UnionType { elements: self.union(marks, at)? }),
            RESOURCE => Type::Resource(self.resource(marks, at)?),
            RESOURCE_FUNCTION => Type::ResourceFunction(ResourceFunctionType {
                name: self.text()?,
                resource_type: self.text()?,
                api_version: self.text()?,
                output: self.reference(at)?,
                input: if marks[0] { Some(self.reference(at)?) } else { None },
            }),
            FUNCTION => Type::Function(FunctionType {
                parameters: self.list(|this| {
                    Some(Parameter { name: this.text()?, ty: this.reference(at)?, description: None })
                })?,
                output: self.reference(at)?,
            }),
            NAMESPACE_FUNCTION => Type::NamespaceFunction(self.namespace_function(marks, at)?),
            _ => return None,
        })
    }

    fn union(&mut self, marks: [bool; 4], at: TypeId) -> Option<Box<[TypeId]>> {
        if !marks[0] {
            return self.list(|this| this.reference(at));
        }
        let run = self.cursor.small()?;
        let first = self.reference(at)?.0;
        let end = first.checked_add(run).filter(|end| *end <= self.types)?;
        let mut elements: Vec<TypeId> = (first..end).map(TypeId).collect();
        if marks[1] {
            elements.push(self.reference(at)?);
        }
        Some(elements.into())
    }

    fn resource(&mut self, marks: [bool; 4], at: TypeId) -> Option<ResourceType> {
        let mut name = SmolStrBuilder::new();
        name.push_str(self.str()?);
        if marks[0] {
            name.push('@');
            name.push_str(self.str()?);
        }
        Some(ResourceType {
            name: name.finish(),
            body: self.reference(at)?,
            readable_scopes: Scopes(self.cursor.small()?),
            writable_scopes: Scopes(self.cursor.small()?),
            functions: if marks[1] {
                Some(self.list(|this| {
                    let (name, ty) = (this.text()?, this.reference(at)?);
                    Some(ResourceTypeFunction { name, ty, description: None })
                })?)
            } else {
                None
            },
        })
    }

    fn namespace_function(&mut self, marks: [bool; 4], at: TypeId) -> Option<NamespaceFunctionType> {
        Some(NamespaceFunctionType {
            name: self.text()?,
            description: None,
            evaluated_language_expression: if marks[0] { Some(self.text()?) } else { None },
            parameters: self.list(|this| {
                Some(NamespaceParameter {
                    name: this.text()?,
                    ty: this.reference(at)?,
                    description: None,
                    flags: ParameterFlags(this.cursor.small()?),
                })
            })?,
            output: self.reference(at)?,
            visible_in: if marks[1] {
                Some(FileKind::from_number(u64::from(self.cursor.byte()?))?)
            } else {
                None
            },
        })
    }

    fn properties(&mut self, at: TypeId) -> Option<Box<[TypeProperty]>> {
        self.list(|this| {
            Some(TypeProperty {
                name: this.text()?,
                ty: this.reference(at)?,
                flags: PropertyFlags(this.cursor.small()?),
                description: None,
            })
        })
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Box<[T]>> {
        let count = self.cursor.count()?;
        // A damaged count asks for no more than this before the records behind it fail to be read.
        let mut items = Vec::with_capacity(count.min(1024));
        for _ in 0..count {
            items.push(item(self)?);
        }
        Some(items.into())
    }

    fn signed_if(&mut self, present: bool) -> Option<Option<i64>> {
        if present { self.cursor.signed().map(Some) } else { Some(None) }
    }

    fn str(&mut self) -> Option<&'a str> {
        let at = usize::try_from(self.cursor.varint()?).ok()?;
        self.pack.text_at(at)
    }

    fn text(&mut self) -> Option<SmolStr> {
        self.str().map(SmolStr::from)
    }

    fn reference(&mut self, at: TypeId) -> Option<TypeId> {
        let number = self.cursor.varint()?;
        let to = if number & 1 == 0 {
            u32::try_from(number >> 1).ok()?
        } else {
            let distance = unzigzag(number >> 1);
            u32::try_from(i64::from(at.0).checked_add(distance)?).ok()?
        };
        (to < self.types).then_some(TypeId(to))
    }
}
