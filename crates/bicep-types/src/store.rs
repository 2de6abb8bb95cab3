//! A set of types to look things up in, whether it comes from JSON files or from a pack.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::catalog::{self, CatalogTable, FileId, Location, Row};
use crate::error::{Error, PackError, Result};
use crate::file::TypesFile;
use crate::index::TypeIndex;
use crate::pack::{Pack, PackBytes, PackFile};
use crate::tables::{IndexTables, Namespace};
use crate::type_files::TypeFiles;

/// A resource type that a store knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceTypeRef<'a> {
    /// The name without the version, in the spelling of the type data.
    pub name: &'a str,
    /// The version, in the spelling of the type data; extensions may have none.
    pub api_version: Option<&'a str>,
    /// Where the type is.
    pub location: Location,
}

impl<'a> ResourceTypeRef<'a> {
    fn from_row(row: Row<'a>) -> ResourceTypeRef<'a> {
        let api_version = Some(row.version).filter(|version| !version.is_empty());
        ResourceTypeRef { name: row.name, api_version, location: row.location }
    }
}

/// A set of types. Files are read when they are first needed and kept; the store can be shared between threads.
pub struct TypeStore {
    backing: Backing,
    files: RwLock<FxHashMap<FileId, Arc<TypesFile>>>,
}

enum Backing {
    Json(Box<JsonBacking>),
    Pack(Pack),
}

struct JsonBacking {
    source: Box<dyn TypeFiles>,
    paths: Vec<SmolStr>,
    resources: CatalogTable,
    functions: CatalogTable,
    namespace: Namespace,
}

impl fmt::Debug for TypeStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, files) = match &self.backing {
            Backing::Json(json) => ("json", json.paths.len()),
            Backing::Pack(pack) => ("pack", pack.file_count()),
        };
        f.debug_struct("TypeStore").field("backing", &kind).field("files", &files).finish()
    }
}

impl TypeStore {
    /// The types that an index lists, in files that `source` reads.
    pub fn from_index(index: &TypeIndex, source: impl TypeFiles + 'static) -> TypeStore {
        let tables = IndexTables::new(index, Vec::new());
        TypeStore::new(Backing::Json(Box::new(JsonBacking {
            source: Box::new(source),
            paths: tables.paths,
            resources: tables.resources,
            functions: tables.functions,
            namespace: tables.namespace,
        })))
    }

    /// The types of a pack; takes the same time for every pack.
    pub fn from_pack(bytes: PackBytes) -> std::result::Result<TypeStore, PackError> {
        Ok(TypeStore::new(Backing::Pack(Pack::open(bytes)?)))
    }

    /// The types of a pack of which parts are read as they are needed; takes the same time for every pack.
    pub fn from_pack_file(file: Box<dyn PackFile>) -> std::result::Result<TypeStore, PackError> {
        Ok(TypeStore::new(Backing::Pack(Pack::open_file(file)?)))
    }

    fn new(backing: Backing) -> TypeStore {
        TypeStore { backing, files: RwLock::default() }
    }

    /// The resource type of that name and version, without regard to case.
    pub fn resource_type(
        &self,
        name: &str,
        api_version: Option<&str>,
    ) -> Result<Option<ResourceTypeRef<'_>>> {
        let version = api_version.unwrap_or_default();
        let rows = match &self.backing {
            Backing::Json(json) => catalog::find(&&json.resources, name, version),
            Backing::Pack(pack) => catalog::find(&pack.resources(), name, version),
        }?;
        Ok(rows.into_iter().next().map(ResourceTypeRef::from_row))
    }

    /// All versions of the resource type of that name, in ascending order.
    pub fn versions(&self, name: &str) -> Result<Vec<ResourceTypeRef<'_>>> {
        let rows = match &self.backing {
            Backing::Json(json) => catalog::find_all(&&json.resources, name),
            Backing::Pack(pack) => catalog::find_all(&pack.resources(), name),
        }?;
        Ok(rows.into_iter().map(ResourceTypeRef::from_row).collect())
    }

    /// The names of resource types that start with a prefix, without regard to case, in order and without versions.
    /// The empty prefix gives all.
    pub fn names<'a>(&'a self, prefix: &str) -> Box<dyn Iterator<Item = &'a str> + 'a> {
        match &self.backing {
            Backing::Json(json) => Box::new(catalog::names(&json.resources, prefix)),
            Backing::Pack(pack) => Box::new(catalog::names(pack.resources(), prefix)),
        }
    }

    /// Up to `limit` names of resource types that one can mistake for `name`, the closest first.
    pub fn similar_names(&self, name: &str, limit: usize) -> Vec<&str> {
        match &self.backing {
            Backing::Json(json) => catalog::similar(&json.resources, name, limit),
            Backing::Pack(pack) => catalog::similar(pack.resources(), name, limit),
        }
    }

    /// The functions, such as `listKeys`, of a resource type.
    pub fn resource_functions(&self, name: &str, api_version: &str) -> Result<Vec<Location>> {
        let rows = match &self.backing {
            Backing::Json(json) => catalog::find(&&json.functions, name, api_version),
            Backing::Pack(pack) => catalog::find(&pack.functions(), name, api_version),
        }?;
        Ok(rows.into_iter().map(|row| row.location).collect())
    }

    /// Settings, fallback type and functions of the namespace.
    pub fn namespace(&self) -> Result<Namespace> {
        match &self.backing {
            Backing::Json(json) => Ok(json.namespace.clone()),
            Backing::Pack(pack) => Ok(pack.namespace()?),
        }
    }

    /// The files, in the order of their numbers.
    pub fn file_ids(&self) -> impl Iterator<Item = FileId> + use<> {
        let count = match &self.backing {
            Backing::Json(json) => json.paths.len(),
            Backing::Pack(pack) => pack.file_count(),
        };
        (0..u32::try_from(count).unwrap_or(u32::MAX)).map(FileId)
    }

    /// The path of a file, as the index spells it.
    pub fn path(&self, file: FileId) -> Result<&str> {
        match &self.backing {
            Backing::Json(json) => json
                .paths
                .get(file.index())
                .map(SmolStr::as_str)
                .ok_or_else(|| Error::MissingFile { file: format!("#{}", file.0) }),
            Backing::Pack(pack) => Ok(pack.path(file)?),
        }
    }

    /// The types of a file, read when they are asked for the first time.
    pub fn file(&self, file: FileId) -> Result<Arc<TypesFile>> {
        let known = self.files.read().unwrap_or_else(PoisonError::into_inner).get(&file).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        // Two threads may read a file at once; the first to finish decides which copy everybody shares.
        let read = Arc::new(self.read_file(file)?);
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(files.entry(file).or_insert(read)))
    }

    fn read_file(&self, file: FileId) -> Result<TypesFile> {
        let path = self.path(file)?;
        match &self.backing {
            Backing::Json(json) => TypesFile::parse(path, &json.source.read(path)?),
            Backing::Pack(pack) => Ok(TypesFile::packed(path, pack.file(file)?)),
        }
    }
}
