//! An index as tables to look things up in, and what it says of its namespace.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::catalog::{CatalogTable, FileId, Location, OwnedRow};
use crate::index::{ExtensionManifest, TypeIndex};
use crate::model::split_name;
use crate::reference::FileRef;

/// What a set of types says about the namespace it makes up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namespace {
    /// Name, version and the like.
    pub settings: Option<ExtensionManifest>,
    /// The type of the configuration.
    pub configuration_type: Option<Location>,
    /// The resource type that stands for every name not listed.
    pub fallback_resource_type: Option<Location>,
    /// The functions of the namespace.
    pub functions: Vec<Location>,
    /// The decorators that an extension declares, as JSON; packs have none.
    pub decorators: Vec<(SmolStr, Box<str>)>,
}

/// An index with its paths numbered and its names sorted.
pub(crate) struct IndexTables {
    pub(crate) paths: Vec<SmolStr>,
    pub(crate) resources: CatalogTable,
    pub(crate) functions: CatalogTable,
    pub(crate) namespace: Namespace,
}

impl IndexTables {
    /// Files, those that the index names and `more`, are numbered in the order of their paths.
    pub(crate) fn new(index: &TypeIndex, more: Vec<SmolStr>) -> IndexTables {
        let mut paths = index.paths();
        paths.extend(more);
        paths.sort_unstable();
        paths.dedup();
        let numbers: FxHashMap<&str, FileId> =
            paths.iter().map(SmolStr::as_str).zip((0..).map(FileId)).collect();
        let locate = |reference: &FileRef| Location {
            // Every path of the index is among its paths.
            file: numbers.get(reference.path.as_str()).copied().unwrap_or(FileId(u32::MAX)),
            id: reference.id,
        };

        let resources = index.resources.iter().map(|(full_name, reference)| {
            let (name, version) = split_name(full_name);
            let version = version.unwrap_or_default().into();
            OwnedRow { name: name.into(), version, location: locate(reference) }
        });
        let mut functions = Vec::new();
        for of_type in &index.resource_functions {
            for (version, references) in &of_type.versions {
                functions.extend(references.iter().map(|reference| OwnedRow {
                    name: of_type.resource_type.clone(),
                    version: version.clone(),
                    location: locate(reference),
                }));
            }
        }
        let configuration = index.settings.as_ref().and_then(|s| s.configuration_type.as_ref());
        let namespace = Namespace {
            settings: index.settings.clone(),
            configuration_type: configuration.map(locate),
            fallback_resource_type: index.fallback_resource_type.as_ref().map(locate),
            functions: index.namespace_functions.iter().map(locate).collect(),
            decorators: index.decorators.clone(),
        };
        IndexTables {
            resources: CatalogTable::new(resources.collect(), true),
            functions: CatalogTable::new(functions, false),
            namespace,
            paths,
        }
    }
}
