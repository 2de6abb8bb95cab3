//! Reads `types.json`.
//!
//! An entry is read into one record with all fields that any kind has, and then turned into the kind that its
//! `$type` names: `$type` may stand anywhere, nothing is read twice, and a fault is reported at its entry.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use super::read::{InlineText, JsonMembers, ListOrMembers, Ref};
use crate::error::{Error, Result};
use crate::flags::{BuiltInKind, FileKind, ParameterFlags, PropertyFlags, Scopes};
use crate::model::{
    ArrayType, DiscriminatedObjectType, Element, FunctionType, IntegerType, NamespaceFunctionType,
    NamespaceParameter, ObjectType, Parameter, ResourceFunctionType, ResourceType, ResourceTypeFunction,
    StringLiteralType, StringType, Type, TypeId, TypeProperty, UnionType,
};

/// Reads all types of a file; `path` names it in errors. Every reference is checked to be inside the file.
pub fn read_types(path: &str, json: &[u8]) -> Result<Vec<Type>> {
    let TypeList(types) = serde_json::from_slice(json).map_err(|error| Error::json(path, &error))?;
    let count = types.len();
    let mut dangling = None;
    for (from, ty) in (0..).map(TypeId).zip(&types) {
        ty.for_each_reference(|to| {
            if to.index() >= count {
                dangling.get_or_insert((from, to));
            }
        });
    }
    match dangling {
        Some((from, to)) => Err(Error::Dangling { file: path.to_owned(), from, to, count }),
        None => Ok(types),
    }
}

/// The top-level list, converted entry by entry so that errors carry the place of the entry.
struct TypeList(Vec<Type>);

impl<'de> Deserialize<'de> for TypeList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<TypeList, D::Error> {
        deserializer.deserialize_seq(TypeListVisitor)
    }
}

struct TypeListVisitor;

impl<'de> Visitor<'de> for TypeListVisitor {
    type Value = TypeList;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of types")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<TypeList, A::Error> {
        let mut types = Vec::new();
        while let Some(raw) = seq.next_element::<RawType>()? {
            let position = types.len();
            let ty = raw
                .into_type()
                .map_err(|fault| A::Error::custom(format_args!("the type `#/{position}` {fault}")))?;
            types.push(ty);
        }
        Ok(TypeList(types))
    }
}

/// Every field of every kind.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "")]
struct RawType {
    #[serde(rename = "$type")]
    kind: InlineText,
    name: Option<InlineText>,
    description: Option<Box<str>>,
    value: Option<InlineText>,
    sensitive: Option<bool>,
    min_value: Option<i64>,
    max_value: Option<i64>,
    min_length: Option<i64>,
    max_length: Option<i64>,
    pattern: Option<InlineText>,
    #[serde(rename = "kind")]
    built_in: Option<u64>,
    item_type: Option<Ref<TypeId>>,
    properties: Option<JsonMembers<RawProperty>>,
    additional_properties: Option<Ref<TypeId>>,
    discriminator: Option<InlineText>,
    base_properties: Option<JsonMembers<RawProperty>>,
    elements: Option<ListOrMembers<Ref<TypeId>>>,
    body: Option<Ref<TypeId>>,
    readable_scopes: Option<u32>,
    writable_scopes: Option<u32>,
    scope_type: Option<u32>,
    read_only_scopes: Option<u32>,
    flags: Option<u32>,
    functions: Option<JsonMembers<RawFunction>>,
    resource_type: Option<InlineText>,
    api_version: Option<InlineText>,
    output: Option<Ref<TypeId>>,
    input: Option<Ref<TypeId>>,
    parameters: Option<Vec<RawParameter>>,
    output_type: Option<Ref<TypeId>>,
    evaluated_language_expression: Option<InlineText>,
    visible_in_file_kind: Option<u64>,
}

#[derive(Deserialize)]
#[serde(bound = "")]
struct RawProperty {
    #[serde(rename = "type")]
    ty: Ref<TypeId>,
    #[serde(default)]
    flags: u32,
    description: Option<Box<str>>,
}

#[derive(Deserialize)]
#[serde(bound = "")]
struct RawFunction {
    #[serde(rename = "type")]
    ty: Ref<TypeId>,
    description: Option<Box<str>>,
}

#[derive(Deserialize)]
#[serde(bound = "")]
struct RawParameter {
    name: InlineText,
    #[serde(rename = "type")]
    ty: Ref<TypeId>,
    description: Option<Box<str>>,
    #[serde(default)]
    flags: u32,
}

/// Why an entry is not a type; reads as the end of "the type `#/3` ...".
enum TypeEntryError {
    UnknownKind(InlineText),
    Missing(&'static str),
    WrongElements(&'static str),
    UnknownNumber(&'static str, u64),
    MixedScopes,
    HalfScopes,
}

impl fmt::Display for TypeEntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeEntryError::UnknownKind(kind) => write!(f, "has the unknown `$type` `{}`", kind.0),
            TypeEntryError::Missing(field) => write!(f, "has no `{field}`"),
            TypeEntryError::WrongElements(expected) => write!(f, "has `elements` that are not {expected}"),
            TypeEntryError::UnknownNumber(field, number) => write!(f, "has the unknown `{field}` {number}"),
            TypeEntryError::MixedScopes => f.write_str(
                "mixes `readableScopes` and `writableScopes` with the older `scopeType`, `readOnlyScopes` or \
                 `flags`; use only the former",
            ),
            TypeEntryError::HalfScopes => {
                f.write_str("has only one of `readableScopes` and `writableScopes`; both are needed")
            }
        }
    }
}

fn need<T>(value: Option<T>, field: &'static str) -> std::result::Result<T, TypeEntryError> {
    value.ok_or(TypeEntryError::Missing(field))
}

impl RawType {
    fn into_type(self) -> std::result::Result<Type, TypeEntryError> {
        Ok(match self.kind.0.as_str() {
            "AnyType" => Type::Any,
            "NullType" => Type::Null,
            "BooleanType" => Type::Boolean,
            "IntegerType" => {
                Type::Integer(IntegerType { min_value: self.min_value, max_value: self.max_value })
            }
            "StringType" => Type::String(StringType {
                sensitive: self.sensitive.unwrap_or(false),
                min_length: self.min_length,
                max_length: self.max_length,
                pattern: self.pattern.map(|pattern| pattern.0),
            }),
            "StringLiteralType" => Type::StringLiteral(StringLiteralType {
                value: need(self.value, "value")?.0,
                sensitive: self.sensitive.unwrap_or(false),
            }),
            "BuiltInType" => {
                let number = need(self.built_in, "kind")?;
                Type::BuiltIn(
                    BuiltInKind::from_number(number).ok_or(TypeEntryError::UnknownNumber("kind", number))?,
                )
            }
            "ArrayType" => Type::Array(ArrayType {
                item: need(self.item_type, "itemType")?.0,
                min_length: self.min_length,
                max_length: self.max_length,
            }),
            "ObjectType" => Type::Object(ObjectType {
                name: self.name.map(|name| name.0).unwrap_or_default(),
                properties: properties(self.properties),
                additional_properties: self.additional_properties.map(|reference| reference.0),
                sensitive: self.sensitive.unwrap_or(false),
            }),
            "DiscriminatedObjectType" => self.into_discriminated()?,
            "UnionType" => match need(self.elements, "elements")? {
                ListOrMembers::List(list) => {
                    Type::Union(UnionType { elements: list.into_iter().map(|element| element.0).collect() })
                }
                ListOrMembers::Members(_) => {
                    return Err(TypeEntryError::WrongElements("a list of references"));
                }
            },
            "ResourceType" => self.into_resource()?,
            "ResourceFunctionType" => Type::ResourceFunction(ResourceFunctionType {
                name: need(self.name, "name")?.0,
                resource_type: need(self.resource_type, "resourceType")?.0,
                api_version: need(self.api_version, "apiVersion")?.0,
                output: need(self.output, "output")?.0,
                input: self.input.map(|reference| reference.0),
            }),
            "FunctionType" => Type::Function(FunctionType {
                parameters: need(self.parameters, "parameters")?.into_iter().map(parameter).collect(),
                output: need(self.output, "output")?.0,
            }),
            "NamespaceFunctionType" => self.into_namespace_function()?,
            _ => return Err(TypeEntryError::UnknownKind(self.kind)),
        })
    }

    fn into_discriminated(self) -> std::result::Result<Type, TypeEntryError> {
        let ListOrMembers::Members(elements) = need(self.elements, "elements")? else {
            return Err(TypeEntryError::WrongElements("an object of references by discriminator value"));
        };
        let elements = elements.0.into_iter().map(|(value, ty)| Element { value, ty: ty.0 });
        Ok(Type::DiscriminatedObject(DiscriminatedObjectType {
            name: self.name.map(|name| name.0).unwrap_or_default(),
            discriminator: need(self.discriminator, "discriminator")?.0,
            base_properties: properties(self.base_properties),
            elements: elements.collect(),
        }))
    }

    fn into_resource(self) -> std::result::Result<Type, TypeEntryError> {
        let (readable_scopes, writable_scopes) = self.scopes()?;
        let functions = self.functions.map(|functions| {
            let functions = functions.0.into_iter().map(|(name, function)| ResourceTypeFunction {
                name,
                ty: function.ty.0,
                description: function.description,
            });
            functions.collect()
        });
        Ok(Type::Resource(ResourceType {
            name: need(self.name, "name")?.0,
            body: need(self.body, "body")?.0,
            readable_scopes,
            writable_scopes,
            functions,
        }))
    }

    /// Readable and writable scopes, from today's two fields or from the three older ones.
    fn scopes(&self) -> std::result::Result<(Scopes, Scopes), TypeEntryError> {
        const READ_ONLY_RESOURCE: u32 = 1;
        let flags = self.flags.unwrap_or(0);
        let older = self.scope_type.is_some() || self.read_only_scopes.is_some() || flags != 0;
        match (self.readable_scopes, self.writable_scopes) {
            (Some(_), _) | (_, Some(_)) if older => Err(TypeEntryError::MixedScopes),
            (Some(readable), Some(writable)) => Ok((Scopes(readable), Scopes(writable))),
            (Some(_), None) | (None, Some(_)) => Err(TypeEntryError::HalfScopes),
            (None, None) => {
                // A scope of 0 once meant "unknown", which is every scope.
                let scope = match self.scope_type {
                    Some(0) => Scopes::ALL,
                    scope => Scopes(scope.unwrap_or(0)),
                };
                let readable = scope | Scopes(self.read_only_scopes.unwrap_or(0));
                let writable = if flags & READ_ONLY_RESOURCE != 0 { Scopes::NONE } else { scope };
                Ok((readable, writable))
            }
        }
    }

    fn into_namespace_function(self) -> std::result::Result<Type, TypeEntryError> {
        let visible_in = match self.visible_in_file_kind {
            Some(number) => Some(
                FileKind::from_number(number)
                    .ok_or(TypeEntryError::UnknownNumber("visibleInFileKind", number))?,
            ),
            None => None,
        };
        let parameters = self.parameters.unwrap_or_default().into_iter().map(|raw| NamespaceParameter {
            name: raw.name.0,
            ty: raw.ty.0,
            description: raw.description,
            flags: ParameterFlags(raw.flags),
        });
        Ok(Type::NamespaceFunction(NamespaceFunctionType {
            name: need(self.name, "name")?.0,
            description: self.description,
            evaluated_language_expression: self.evaluated_language_expression.map(|text| text.0),
            parameters: parameters.collect(),
            output: need(self.output_type, "outputType")?.0,
            visible_in,
        }))
    }
}

fn properties(raw: Option<JsonMembers<RawProperty>>) -> Box<[TypeProperty]> {
    let members = raw.unwrap_or_default().0;
    let properties = members.into_iter().map(|(name, raw)| TypeProperty {
        name,
        ty: raw.ty.0,
        flags: PropertyFlags(raw.flags),
        description: raw.description,
    });
    properties.collect()
}

fn parameter(raw: RawParameter) -> Parameter {
    Parameter { name: raw.name.0, ty: raw.ty.0, description: raw.description }
}
