//! Reads and writes the bicep-types format, lazily.
//!
//! A set of types is an index (`index.json`) and the files it names (`types.json`, a flat list of types that refer
//! to each other by position). It comes as a folder, as an extension archive (`.tgz`), or in the packed form of
//! [`pack`]. [`TypeStore`] looks things up in any of them; a file is read only when one of its types is needed.
//!
//! Nothing here touches the machine: bytes come in through [`TypeFiles`] or as a [`PackBytes`], and go out as
//! vectors and strings.
//!
//! ```
//! use bicep_types::{Type, TypeStore, pack};
//! use std::sync::Arc;
//!
//! let read = |_: &str| {
//!     Ok(br##"[
//!         {"$type": "StringType", "maxLength": 24},
//!         {"$type": "ObjectType", "name": "body", "properties": {"name": {"type": {"$ref": "#/0"}, "flags": 1}}},
//!         {"$type": "ResourceType", "name": "My.Rp/things@2025-01-01", "body": {"$ref": "#/1"},
//!          "readableScopes": 8, "writableScopes": 8}
//!     ]"##.to_vec())
//! };
//! let bytes = pack(&["types.json".into()], &read, None)?;
//!
//! let store = TypeStore::from_pack(Arc::new(bytes))?;
//! let found = store.resource_type("my.rp/THINGS", Some("2025-01-01"))?.ok_or("no such resource type")?;
//! assert_eq!(found.name, "My.Rp/things");
//! let file = store.file(found.location.file)?;
//! let Type::Object(body) = file.get(file.resource_type(found.location.id)?.body)? else { unreachable!() };
//! assert!(body.property("name").is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod catalog;
mod error;
mod file;
mod flags;
mod index;
mod json;
mod model;
mod pack;
mod reference;
mod store;
mod tables;
mod type_files;

pub use archive::{Archive, ArchiveLimits, ExtensionPackage, INDEX_FILE, write_types_archive};
pub use catalog::{FileId, Location};
pub use error::{Error, PackError, Result};
pub use file::TypesFile;
pub use flags::{BuiltInKind, FileKind, ParameterFlags, PropertyFlags, Scopes};
pub use index::{ExtensionManifest, IndexBuilder, TypeFunctions, TypeIndex};
pub use json::{JsonStyle, read_index, read_types, write_index, write_types};
pub use model::{
    ArrayType, DiscriminatedObjectType, Element, FunctionType, IntegerType, NamespaceFunctionType,
    NamespaceParameter, ObjectType, Parameter, ResourceFunctionType, ResourceType, ResourceTypeFunction,
    StringLiteralType, StringType, Type, TypeId, TypeProperty, UnionType, split_name,
};
pub use pack::{Pack, PackBuilder, PackBytes, PackFile, pack};
pub use reference::FileRef;
pub use store::{ResourceTypeRef, TypeStore};
pub use tables::Namespace;
pub use type_files::TypeFiles;
