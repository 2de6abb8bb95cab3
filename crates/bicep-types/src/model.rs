//! The types that a `types.json` file can hold.
//!
//! A file is a flat list of [`Type`]s that refer to each other by position, so cycles need no care. Optional
//! texts for people (`description`) are part of the model, but a packed file hands types out without them:
//! see [`TypesFile::get`](crate::TypesFile::get).

use smol_str::SmolStr;

use crate::flags::{BuiltInKind, FileKind, ParameterFlags, PropertyFlags, Scopes};

/// The position of a type in its file: the `12` of `#/12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

impl TypeId {
    /// The position as an index into a slice.
    pub fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// One entry of a `types.json` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Any value, and no check.
    Any,
    /// Only `null`, as a part of a union.
    Null,
    /// `true` or `false`; a single one of them has no type.
    Boolean,
    /// A whole number, perhaps within bounds.
    Integer(IntegerType),
    /// Text, perhaps of a given length or form.
    String(StringType),
    /// Exactly one text, compared with its case.
    StringLiteral(StringLiteralType),
    /// The older spelling of the simple types.
    BuiltIn(BuiltInKind),
    /// A list whose items have one type.
    Array(ArrayType),
    /// An object with named properties.
    Object(ObjectType),
    /// An object whose further properties depend on the value of one of them.
    DiscriminatedObject(DiscriminatedObjectType),
    /// A value of any of several types.
    Union(UnionType),
    /// A resource that a template can declare.
    Resource(ResourceType),
    /// A function of a resource type, such as `listKeys`, named from outside that type.
    ResourceFunction(ResourceFunctionType),
    /// The signature of a function that a resource type names in its `functions`.
    Function(FunctionType),
    /// A function that an extension's namespace offers.
    NamespaceFunction(NamespaceFunctionType),
}

/// A whole number between two bounds, each of which may be absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntegerType {
    /// The least value allowed.
    pub min_value: Option<i64>,
    /// The greatest value allowed.
    pub max_value: Option<i64>,
}

/// Text with its constraints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StringType {
    /// Whether the value is a secret.
    pub sensitive: bool,
    /// The least number of characters.
    pub min_length: Option<i64>,
    /// The greatest number of characters.
    pub max_length: Option<i64>,
    /// A regular expression that the text matches.
    pub pattern: Option<SmolStr>,
}

/// A type with exactly one value, a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLiteralType {
    /// The only value, without quotes.
    pub value: SmolStr,
    /// Whether the value is a secret.
    pub sensitive: bool,
}

/// A list whose items have one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayType {
    /// The type of every item.
    pub item: TypeId,
    /// The least number of items.
    pub min_length: Option<i64>,
    /// The greatest number of items.
    pub max_length: Option<i64>,
}

/// An object with named properties, in the order in which the file lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectType {
    /// The name of the type, for messages.
    pub name: SmolStr,
    /// The properties it knows.
    pub properties: Box<[TypeProperty]>,
    /// The type of every other property; none means that there may be no other.
    pub additional_properties: Option<TypeId>,
    /// Whether the whole object is a secret.
    pub sensitive: bool,
}

impl ObjectType {
    /// The property of that exact name.
    pub fn property(&self, name: &str) -> Option<&TypeProperty> {
        self.properties.iter().find(|property| property.name == name)
    }
}

/// An object whose further properties depend on the value of one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscriminatedObjectType {
    /// The name of the type, for messages.
    pub name: SmolStr,
    /// The name of the property that decides.
    pub discriminator: SmolStr,
    /// The properties that every variant has.
    pub base_properties: Box<[TypeProperty]>,
    /// The object type for each value of the discriminator.
    pub elements: Box<[Element]>,
}

/// One variant of a [`DiscriminatedObjectType`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The value of the discriminator.
    pub value: SmolStr,
    /// The object type that applies then.
    pub ty: TypeId,
}

/// One property of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeProperty {
    /// The name of the property, in its own case.
    pub name: SmolStr,
    /// The type of its value.
    pub ty: TypeId,
    /// What may be done with it.
    pub flags: PropertyFlags,
    /// A text for people.
    pub description: Option<Box<str>>,
}

/// A value of any of several types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnionType {
    /// The types, in the order of the file.
    pub elements: Box<[TypeId]>,
}

/// A resource that a template can declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceType {
    /// The full name, `provider/type@version`; the version may be absent in an extension.
    pub name: SmolStr,
    /// The type of the resource's body.
    pub body: TypeId,
    /// Where the resource can be read.
    pub readable_scopes: Scopes,
    /// Where the resource can be deployed.
    pub writable_scopes: Scopes,
    /// Functions of a declared resource; none and an empty list are told apart, as the format does.
    pub functions: Option<Box<[ResourceTypeFunction]>>,
}

impl ResourceType {
    /// The name before `@` and the version after it.
    pub fn name_and_version(&self) -> (&str, Option<&str>) {
        split_name(&self.name)
    }
}

/// A function in the `functions` of a resource type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceTypeFunction {
    /// The name that it is called by on a declared resource.
    pub name: SmolStr,
    /// Its signature, a [`FunctionType`].
    pub ty: TypeId,
    /// A text for people.
    pub description: Option<Box<str>>,
}

/// A function of a resource type, such as `listKeys`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceFunctionType {
    /// The name of the action, such as `listKeys`.
    pub name: SmolStr,
    /// The resource type it belongs to, without a version.
    pub resource_type: SmolStr,
    /// The version it belongs to.
    pub api_version: SmolStr,
    /// The type of its result.
    pub output: TypeId,
    /// The type of its argument, if it takes one.
    pub input: Option<TypeId>,
}

/// The signature of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionType {
    /// The parameters, in order.
    pub parameters: Box<[Parameter]>,
    /// The type of the result.
    pub output: TypeId,
}

/// One parameter of a [`FunctionType`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name that documentation shows; arguments have places and no names.
    pub name: SmolStr,
    /// The type of the argument.
    pub ty: TypeId,
    /// A text for people.
    pub description: Option<Box<str>>,
}

/// A function that an extension's namespace offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceFunctionType {
    /// The name that it is called by in the namespace of the extension.
    pub name: SmolStr,
    /// A text for people.
    pub description: Option<Box<str>>,
    /// The template expression that a call becomes; none means that the extension evaluates it.
    pub evaluated_language_expression: Option<SmolStr>,
    /// The parameters, in order.
    pub parameters: Box<[NamespaceParameter]>,
    /// The type of the result.
    pub output: TypeId,
    /// The only kind of file that may call it; none means every kind.
    pub visible_in: Option<FileKind>,
}

/// One parameter of a [`NamespaceFunctionType`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceParameter {
    /// The name that documentation shows; arguments have places and no names.
    pub name: SmolStr,
    /// The type of the argument.
    pub ty: TypeId,
    /// A text for people.
    pub description: Option<Box<str>>,
    /// What the argument must be.
    pub flags: ParameterFlags,
}

impl Type {
    /// The `$type` of the entry.
    pub fn kind(&self) -> &'static str {
        match self {
            Type::Any => "AnyType",
            Type::Null => "NullType",
            Type::Boolean => "BooleanType",
            Type::Integer(_) => "IntegerType",
            Type::String(_) => "StringType",
            Type::StringLiteral(_) => "StringLiteralType",
            Type::BuiltIn(_) => "BuiltInType",
            Type::Array(_) => "ArrayType",
            Type::Object(_) => "ObjectType",
            Type::DiscriminatedObject(_) => "DiscriminatedObjectType",
            Type::Union(_) => "UnionType",
            Type::Resource(_) => "ResourceType",
            Type::ResourceFunction(_) => "ResourceFunctionType",
            Type::Function(_) => "FunctionType",
            Type::NamespaceFunction(_) => "NamespaceFunctionType",
        }
    }

    /// Calls `visit` with every type that this one names, in the order of the file.
    pub fn for_each_reference(&self, mut visit: impl FnMut(TypeId)) {
        match self {
            Type::Any
            | Type::Null
            | Type::Boolean
            | Type::Integer(_)
            | Type::String(_)
            | Type::StringLiteral(_)
            | Type::BuiltIn(_) => {}
            Type::Array(array) => visit(array.item),
            Type::Object(object) => {
                object.properties.iter().for_each(|property| visit(property.ty));
                object.additional_properties.into_iter().for_each(visit);
            }
            Type::DiscriminatedObject(object) => {
                object.base_properties.iter().for_each(|property| visit(property.ty));
                object.elements.iter().for_each(|element| visit(element.ty));
            }
            Type::Union(union) => union.elements.iter().copied().for_each(visit),
            Type::Resource(resource) => {
                visit(resource.body);
                resource.functions.iter().flatten().for_each(|function| visit(function.ty));
            }
            Type::ResourceFunction(function) => {
                visit(function.output);
                function.input.into_iter().for_each(visit);
            }
            Type::Function(function) => {
                function.parameters.iter().for_each(|parameter| visit(parameter.ty));
                visit(function.output);
            }
            Type::NamespaceFunction(function) => {
                function.parameters.iter().for_each(|parameter| visit(parameter.ty));
                visit(function.output);
            }
        }
    }

    /// How many descriptions the type and its members can have.
    pub(crate) fn description_count(&self) -> usize {
        match self {
            Type::Any
            | Type::Null
            | Type::Boolean
            | Type::Integer(_)
            | Type::String(_)
            | Type::StringLiteral(_)
            | Type::BuiltIn(_)
            | Type::Array(_)
            | Type::Union(_)
            | Type::ResourceFunction(_) => 0,
            Type::Object(object) => object.properties.len(),
            Type::DiscriminatedObject(object) => object.base_properties.len(),
            Type::Resource(resource) => resource.functions.as_deref().map_or(0, <[_]>::len),
            Type::Function(function) => function.parameters.len(),
            Type::NamespaceFunction(function) => 1 + function.parameters.len(),
        }
    }

    /// The descriptions of this type and its members, in the order of the file, as places to read or fill.
    pub(crate) fn descriptions_mut(&mut self) -> Vec<&mut Option<Box<str>>> {
        match self {
            Type::Any
            | Type::Null
            | Type::Boolean
            | Type::Integer(_)
            | Type::String(_)
            | Type::StringLiteral(_)
            | Type::BuiltIn(_)
            | Type::Array(_)
            | Type::Union(_)
            | Type::ResourceFunction(_) => Vec::new(),
            Type::Object(object) => object.properties.iter_mut().map(|p| &mut p.description).collect(),
            Type::DiscriminatedObject(object) => {
                object.base_properties.iter_mut().map(|p| &mut p.description).collect()
            }
            Type::Resource(resource) => {
                resource.functions.iter_mut().flatten().map(|f| &mut f.description).collect()
            }
            Type::Function(function) => function.parameters.iter_mut().map(|p| &mut p.description).collect(),
            Type::NamespaceFunction(function) => std::iter::once(&mut function.description)
                .chain(function.parameters.iter_mut().map(|p| &mut p.description))
                .collect(),
        }
    }
}

/// Splits `provider/type@version` at its last `@`.
pub fn split_name(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (name, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_stays_small_because_files_hold_thousands() {
        assert!(size_of::<Type>() <= 96, "{}", size_of::<Type>());
        assert!(size_of::<TypeProperty>() <= 48, "{}", size_of::<TypeProperty>());
    }

    #[test]
    fn a_resource_name_splits_at_its_version() {
        assert_eq!(split_name("a.b/c@2020-01-01"), ("a.b/c", Some("2020-01-01")));
        assert_eq!(split_name("bucket"), ("bucket", None));
    }
}
