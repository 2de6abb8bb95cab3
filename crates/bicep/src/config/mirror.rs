//! Folders that stand in for registries, as configurations and command lines name them.

use super::Config;
use crate::codes;
use crate::finding::UnlocatedFinding;
use crate::world::{ArtifactVersion, FilePath, RegistryReference, World};

/// A folder with the modules of a registry, or of a part of it.
///
/// Two layouts are understood, and both can be mixed. *Published*: a folder per version, such as
/// `<root>/avm/res/storage/0.1.0/main.json`. *Source*: a folder per module with a `version.json` whose `version` the tag
/// begins with, such as `<root>/avm/res/storage/main.json`. Where there is no `main.json`, a `main.bicep` will do;
/// extensions are a `types.tgz` or an `index.json` with the files it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    registry: String,
    repository: String,
    root: FilePath,
}

impl Mirror {
    /// Reads which references a folder stands in for: `br/ALIAS`, `br:HOST` or `br:HOST/PATH`.
    pub fn new(references: &str, root: FilePath, config: &Config) -> Result<Mirror, UnlocatedFinding> {
        let bad = || codes::MIRROR.fault(&[&references]);
        let (registry, repository) = if let Some(alias) = references.strip_prefix("br/") {
            let part = |name| config.text(&["moduleAliases", "br", alias, name]);
            let unknown = || codes::UNKNOWN_REGISTRY_ALIAS.fault(&[&alias]);
            (part("registry").ok_or_else(unknown)?, part("modulePath").unwrap_or_default())
        } else {
            let host = references.strip_prefix("br:").ok_or_else(bad)?;
            host.split_once('/').unwrap_or((host, ""))
        };
        if registry.is_empty() {
            return Err(bad());
        }
        let repository = repository.trim_matches('/').to_owned();
        Ok(Mirror { registry: registry.to_ascii_lowercase(), repository, root })
    }

    /// The folder of an artifact, whatever its version; none when it belongs to another registry.
    fn folder(&self, artifact: &RegistryReference) -> Option<FilePath> {
        if !artifact.registry.eq_ignore_ascii_case(&self.registry) {
            return None;
        }
        let rest = artifact.repository.strip_prefix(self.repository.as_str())?;
        let is_inside = rest.is_empty() || rest.starts_with('/') || self.repository.is_empty();
        is_inside.then(|| self.root.join(rest.trim_start_matches('/')))
    }

    /// The modules that it has of a registry, with their versions.
    pub(crate) fn modules(&self, registry: &str, world: &dyn World) -> Vec<RegistryModule> {
        let mut found = Vec::new();
        if !registry.eq_ignore_ascii_case(&self.registry) {
            return found;
        }
        // The folders that are left to look into, with the path of each on the registry.
        let mut open = vec![(self.root.clone(), self.repository.clone(), 0)];
        while let Some((folder, path, depth)) = open.pop() {
            let entries = world.list(&folder).unwrap_or_default();
            let has = |name: &str| entries.iter().any(|entry| entry.name == name && !entry.is_folder);
            let main = ["main.json", "main.bicep"].into_iter().find(|name| has(name));
            if let Some(file) = main.map(|name| folder.join(name)) {
                let named = match version_of(&folder, world) {
                    Some(version) => Some((path.as_str(), version)),
                    None => path.rsplit_once('/').map(|(path, tag)| (path, tag.to_owned())),
                };
                found.extend(named.map(|(path, version)| RegistryModule {
                    path: path.to_owned(),
                    version,
                    file,
                }));
            }
            if depth < MAX_MODULE_DEPTH && found.len() < MAX_MODULES {
                open.extend(entries.iter().filter(|entry| entry.is_folder).map(|entry| {
                    let path =
                        if path.is_empty() { entry.name.clone() } else { format!("{path}/{}", entry.name) };
                    (folder.join(&entry.name), path, depth + 1)
                }));
            }
        }
        found
    }

    /// The first file of these names that it has for an artifact.
    pub(crate) fn find(
        &self,
        artifact: &RegistryReference,
        names: &[&str],
        world: &dyn World,
    ) -> Option<FilePath> {
        let folder = self.folder(artifact)?;
        let ArtifactVersion::Tag(tag) = &artifact.version else { return None };
        let first =
            |folder: &FilePath| names.iter().map(|name| folder.join(name)).find(|path| world.exists(path));
        first(&folder.join(tag)).or_else(|| first(&folder).filter(|_| is_version(&folder, tag, world)))
    }
}

/// A module of a registry that can be had without asking for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegistryModule {
    /// The path on the registry.
    pub(crate) path: String,
    pub(crate) version: String,
    /// The file that holds it.
    pub(crate) file: FilePath,
}

/// How many folders are inside each other where the modules of a mirror are listed.
const MAX_MODULE_DEPTH: usize = 8;
/// How many modules of a mirror are listed.
const MAX_MODULES: usize = 10_000;

/// The version that the sources in a folder say they are, or the start of it.
fn version_of(folder: &FilePath, world: &dyn World) -> Option<String> {
    let bytes = world.read(&folder.join("version.json")).ok()?;
    let value = crate::content::read_json(&String::from_utf8_lossy(&bytes)).ok()?;
    value.as_object().and_then(|object| object.get("version")?.as_str().map(str::to_owned))
}

/// Tells whether the sources in a folder are those of a tag.
fn is_version(folder: &FilePath, tag: &str, world: &dyn World) -> bool {
    let version = version_of(folder, world);
    let rest = version.as_deref().and_then(|version| tag.strip_prefix(version));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
