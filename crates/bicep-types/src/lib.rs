//! Reads and writes the bicep-types format, lazily.
//!
//! A set of types is an index (`index.json`) and the files it names (`types.json`, a flat list of types that refer
//! to each other by position). It comes as a folder, as an extension archive (`.tgz`), or in the packed form of
//! [`pack`]. [`TypeStore`] looks things up in any of them; a file is read only when one of its types is needed.
//!
//! Nothing here touches the machine: bytes come in through [`TypeFiles`] or as a [`PackBytes`], and go out as
//! vectors and strings.

mod archive;
mod catalog;
mod distance;
mod error;
mod file;
mod flags;
mod index;
mod json;
mod model;
mod pack;
mod reference;
mod store;

pub use archive::{Archive, ArchiveLimits, ExtensionPackage, INDEX_FILE, write_types_archive};
pub use catalog::{FileId, Location};
pub use error::{Error, Result};
pub use file::TypesFile;
pub use flags::{BuiltInKind, FileKind, ParameterFlags, PropertyFlags, Scopes};
pub use index::{IndexBuilder, Settings, TypeFunctions, TypeIndex};
pub use json::{JsonStyle, read_index, read_types, write_index, write_types};
pub use model::{
    ArrayType, DiscriminatedObjectType, Element, FunctionType, IntegerType, NamespaceFunctionType,
    NamespaceParameter, ObjectType, Parameter, Property, ResourceFunctionType, ResourceType,
    ResourceTypeFunction, StringLiteralType, StringType, Type, TypeId, UnionType, split_name,
};
pub use pack::{Pack, PackBuilder, PackBytes, PackError, pack};
pub use reference::FileRef;
pub use store::{Namespace, ResourceTypeRef, TypeFiles, TypeStore};
