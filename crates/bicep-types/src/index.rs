//! The index of a set of type files: what `index.json` holds, and how to make one by looking into the files.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::model::{Type, TypeId};
use crate::reference::FileRef;

/// Which file holds which resource type and function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeIndex {
    /// Resource types by full name, `provider/type@version`.
    pub resources: Vec<(SmolStr, FileRef)>,
    /// Functions of resource types.
    pub resource_functions: Vec<TypeFunctions>,
    /// Functions of the namespace.
    pub namespace_functions: Vec<FileRef>,
    /// What an extension says about itself.
    pub settings: Option<ExtensionManifest>,
    /// The resource type that stands for every name not listed.
    pub fallback_resource_type: Option<FileRef>,
    /// Decorators of resources by name, each as the JSON that declares it: who has the language knows what it means.
    pub decorators: Vec<(SmolStr, Box<str>)>,
}

/// The functions of one resource type, by version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeFunctions {
    /// The resource type, without a version.
    pub resource_type: SmolStr,
    /// The functions of each version.
    pub versions: Vec<(SmolStr, Vec<FileRef>)>,
}

/// What an extension says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtensionManifest {
    /// The name of the extension, as it was published.
    pub name: SmolStr,
    /// The version of the extension, as it was published.
    pub version: SmolStr,
    /// Whether a file can bring the extension in only once.
    pub is_singleton: bool,
    /// Whether it is a preview.
    pub is_preview: Option<bool>,
    /// Whether it should no longer be used.
    pub is_deprecated: Option<bool>,
    /// The type of the configuration it takes.
    pub configuration_type: Option<FileRef>,
}

impl TypeIndex {
    /// The paths of all files that the index refers to, each once, in the order of first mention; this is the
    /// order in which an extension archive stores them.
    pub fn paths(&self) -> Vec<SmolStr> {
        let mut seen = FxHashSet::default();
        let configuration = self.settings.iter().filter_map(|settings| settings.configuration_type.as_ref());
        let functions = self.resource_functions.iter().flat_map(|functions| &functions.versions);
        self.resources
            .iter()
            .map(|(_, reference)| reference)
            .chain(&self.fallback_resource_type)
            .chain(configuration)
            .chain(&self.namespace_functions)
            .chain(functions.flat_map(|(_, references)| references))
            .filter(|reference| seen.insert(reference.path.as_str()))
            .map(|reference| reference.path.clone())
            .collect()
    }
}

/// Makes a [`TypeIndex`] for files that come without one.
///
/// Files may be added in any order: they are indexed in the order of their lower-case paths, and where two files
/// hold a type or function of the same name, without regard to case, the first one counts.
#[derive(Default)]
pub struct IndexBuilder {
    files: Vec<FoundFile>,
}

struct FoundFile {
    path: SmolStr,
    found: Vec<(TypeId, IndexKey)>,
}

enum IndexKey {
    Resource(SmolStr),
    ResourceFunction { name: SmolStr, resource_type: SmolStr, api_version: SmolStr },
    NamespaceFunction(SmolStr),
}

impl IndexBuilder {
    /// An index of nothing.
    pub fn new() -> IndexBuilder {
        IndexBuilder::default()
    }

    /// Notes what the file at `path` has to offer.
    pub fn add(&mut self, path: &str, types: &[Type]) {
        let found = (0u32..).map(TypeId).zip(types).filter_map(|(id, ty)| match ty {
            Type::Resource(resource) => Some((id, IndexKey::Resource(resource.name.clone()))),
            Type::ResourceFunction(function) => Some((
                id,
                IndexKey::ResourceFunction {
                    name: function.name.clone(),
                    resource_type: function.resource_type.clone(),
                    api_version: function.api_version.clone(),
                },
            )),
            Type::NamespaceFunction(function) => {
                Some((id, IndexKey::NamespaceFunction(function.name.clone())))
            }
            _ => None,
        });
        self.files.push(FoundFile { path: path.into(), found: found.collect() });
    }

    /// The index of all files added.
    pub fn finish(self) -> TypeIndex {
        let mut files = self.files;
        files.sort_by_cached_key(|file| file.path.to_ascii_lowercase());
        let mut index = TypeIndex::default();
        let mut functions = FunctionTable::default();
        let mut seen = FxHashSet::default();
        for file in files {
            for (id, found) in file.found {
                if !seen.insert(found.key()) {
                    continue;
                }
                let reference = FileRef { path: file.path.clone(), id };
                match found {
                    IndexKey::Resource(name) => index.resources.push((name, reference)),
                    IndexKey::NamespaceFunction(_) => index.namespace_functions.push(reference),
                    IndexKey::ResourceFunction { resource_type, api_version, .. } => {
                        functions.push(&resource_type, &api_version, reference);
                    }
                }
            }
        }
        index.resource_functions = functions.entries;
        index
    }
}

impl IndexKey {
    /// What two finds have in common when only the first of them counts.
    fn key(&self) -> String {
        match self {
            IndexKey::Resource(name) => format!("r{name}"),
            IndexKey::ResourceFunction { name, resource_type, api_version } => {
                format!("f{resource_type}@{api_version}:{name}")
            }
            IndexKey::NamespaceFunction(name) => format!("n{name}"),
        }
        .to_ascii_lowercase()
    }
}

/// Functions grouped by resource type and version, both in lower case, in the order of first mention.
#[derive(Default)]
struct FunctionTable {
    entries: Vec<TypeFunctions>,
    position: FxHashMap<SmolStr, usize>,
}

impl FunctionTable {
    fn push(&mut self, resource_type: &str, api_version: &str, reference: FileRef) {
        let resource_type = SmolStr::from(resource_type.to_ascii_lowercase());
        let api_version = SmolStr::from(api_version.to_ascii_lowercase());
        let position = *self.position.entry(resource_type.clone()).or_insert_with(|| {
            self.entries.push(TypeFunctions { resource_type, versions: Vec::new() });
            self.entries.len() - 1
        });
        let Some(entry) = self.entries.get_mut(position) else { return };
        // Files of one type come version by version, so a known version is at or near the end.
        match entry.versions.iter_mut().rev().find(|(version, _)| *version == api_version) {
            Some((_, references)) => references.push(reference),
            None => entry.versions.push((api_version, vec![reference])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::Scopes;
    use crate::model::{NamespaceFunctionType, ResourceFunctionType, ResourceType};

    fn resource(name: &str) -> Type {
        Type::Resource(ResourceType {
            name: name.into(),
            body: TypeId(0),
            readable_scopes: Scopes::NONE,
            writable_scopes: Scopes::NONE,
            functions: None,
        })
    }

    fn function(name: &str, resource_type: &str, api_version: &str) -> Type {
        Type::ResourceFunction(ResourceFunctionType {
            name: name.into(),
            resource_type: resource_type.into(),
            api_version: api_version.into(),
            output: TypeId(0),
            input: None,
        })
    }

    fn namespace_function(name: &str) -> Type {
        Type::NamespaceFunction(NamespaceFunctionType {
            name: name.into(),
            description: None,
            evaluated_language_expression: None,
            parameters: Box::default(),
            output: TypeId(0),
            visible_in: None,
        })
    }

    #[test]
    fn files_are_indexed_by_path_and_the_first_of_equal_names_counts() {
        let mut builder = IndexBuilder::new();
        builder.add("B/types.json", &[resource("My.Rp/OLD@v1"), resource("my.rp/new@v1")]);
        builder.add("a/types.json", &[Type::Any, resource("My.Rp/old@v1")]);
        let index = builder.finish();
        assert_eq!(
            index.resources,
            [
                ("My.Rp/old@v1".into(), FileRef::new("a/types.json", TypeId(1))),
                ("my.rp/new@v1".into(), FileRef::new("B/types.json", TypeId(1))),
            ]
        );
    }

    #[test]
    fn functions_are_grouped_by_lower_case_type_and_version() {
        let mut builder = IndexBuilder::new();
        builder.add(
            "types.json",
            &[
                function("listKeys", "My.Rp/a", "2020-01-01-Preview"),
                function("listOther", "my.rp/A", "2020-01-01-preview"),
                function("LISTKEYS", "my.rp/a", "2020-01-01-preview"),
                namespace_function("binding"),
                namespace_function("Binding"),
            ],
        );
        let index = builder.finish();
        let reference = |id| FileRef::new("types.json", TypeId(id));
        assert_eq!(
            index.resource_functions,
            [TypeFunctions {
                resource_type: "my.rp/a".into(),
                versions: vec![("2020-01-01-preview".into(), vec![reference(0), reference(1)])],
            }]
        );
        assert_eq!(index.namespace_functions, [reference(3)]);
    }

    #[test]
    fn paths_are_listed_once_in_the_order_of_an_archive() {
        let index = TypeIndex {
            resources: vec![
                ("a@v1".into(), FileRef::new("x/types.json", TypeId(0))),
                ("b@v1".into(), FileRef::new("x/types.json", TypeId(1))),
            ],
            namespace_functions: vec![FileRef::new("types.json", TypeId(0))],
            fallback_resource_type: Some(FileRef::new("types.json", TypeId(2))),
            ..TypeIndex::default()
        };
        assert_eq!(index.paths(), ["x/types.json", "types.json"]);
    }
}
