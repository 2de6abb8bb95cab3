//! The types of one file.

use smol_str::SmolStr;

use crate::error::{Error, Result};
use crate::json::read_types;
use crate::model::{NamespaceFunctionType, ResourceFunctionType, ResourceType, Type, TypeId};
use crate::pack::PackedFile;

/// The types of one file. From JSON they are all there; from a pack they are decoded as they are asked for.
pub struct TypesFile {
    path: SmolStr,
    types: TypesText,
}

enum TypesText {
    Parsed(Vec<Type>),
    Packed(PackedFile),
}

impl std::fmt::Debug for TypesFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TypesFile").field("path", &self.path).field("len", &self.len()).finish()
    }
}

impl TypesFile {
    /// Reads a `types.json`; `path` names it in errors.
    pub fn parse(path: &str, json: &[u8]) -> Result<TypesFile> {
        Ok(TypesFile { path: path.into(), types: TypesText::Parsed(read_types(path, json)?) })
    }

    pub(crate) fn packed(path: &str, file: PackedFile) -> TypesFile {
        TypesFile { path: path.into(), types: TypesText::Packed(file) }
    }

    /// The path of the file, as the index spells it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// How many types the file has.
    pub fn len(&self) -> usize {
        match &self.types {
            TypesText::Parsed(types) => types.len(),
            TypesText::Packed(file) => file.len(),
        }
    }

    /// Whether the file has no types.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All positions of the file.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).map(TypeId)
    }

    /// The type at a position. Its descriptions may be absent, because a pack keeps them elsewhere: ask
    /// [`TypesFile::documented`] for them. Every reference in the type is a position of this file.
    pub fn get(&self, id: TypeId) -> Result<&Type> {
        match &self.types {
            TypesText::Parsed(types) => types.get(id.index()),
            TypesText::Packed(file) => file.get(id)?,
        }
        .ok_or_else(|| self.no_such_type(id))
    }

    /// The type at a position, with its descriptions.
    pub fn documented(&self, id: TypeId) -> Result<Type> {
        match &self.types {
            TypesText::Parsed(types) => types.get(id.index()).cloned(),
            TypesText::Packed(file) => file.documented(id)?,
        }
        .ok_or_else(|| self.no_such_type(id))
    }

    /// The resource type at a position.
    pub fn resource_type(&self, id: TypeId) -> Result<&ResourceType> {
        match self.get(id)? {
            Type::Resource(resource) => Ok(resource),
            other => Err(self.wrong_kind(id, "ResourceType", other)),
        }
    }

    /// The function of a resource type at a position.
    pub fn resource_function(&self, id: TypeId) -> Result<&ResourceFunctionType> {
        match self.get(id)? {
            Type::ResourceFunction(function) => Ok(function),
            other => Err(self.wrong_kind(id, "ResourceFunctionType", other)),
        }
    }

    /// The function of the namespace at a position.
    pub fn namespace_function(&self, id: TypeId) -> Result<&NamespaceFunctionType> {
        match self.get(id)? {
            Type::NamespaceFunction(function) => Ok(function),
            other => Err(self.wrong_kind(id, "NamespaceFunctionType", other)),
        }
    }

    fn no_such_type(&self, id: TypeId) -> Error {
        Error::NoSuchType { file: self.path.to_string(), id, count: self.len() }
    }

    fn wrong_kind(&self, id: TypeId, expected: &'static str, found: &Type) -> Error {
        Error::WrongKind { file: self.path.to_string(), id, expected, found: found.kind() }
    }
}
