//! Where the files lie that references name: beside the program, in the offline cache, or in a folder that stands in for
//! a registry.

use super::{
    ArtifactVersion, FilePath, FileTarget, Reference, ReferenceKind, RegistryReference, RestoreFailure, World,
};
use crate::codes;
use crate::config::Config;
use crate::finding::Fault;

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
    pub fn new(references: &str, root: FilePath, config: &Config) -> Result<Mirror, Fault> {
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

    fn find(&self, artifact: &RegistryReference, names: &[&str], world: &dyn World) -> Option<FilePath> {
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
    /// The version.
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
    let value = super::content::read_json(&String::from_utf8_lossy(&bytes))?;
    value.as_object().and_then(|object| object.get("version")?.as_str().map(str::to_owned))
}

/// Tells whether the sources in a folder are those of a tag.
fn is_version(folder: &FilePath, tag: &str, world: &dyn World) -> bool {
    let version = version_of(folder, world);
    let rest = version.as_deref().and_then(|version| tag.strip_prefix(version));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Where to look for what references name.
#[derive(Clone, Copy)]
pub struct Places<'p> {
    /// The machine.
    pub world: &'p dyn World,
    /// Folders that stand in for registries, before those of the configuration; the first that has an artifact counts.
    pub mirrors: &'p [Mirror],
}

impl Places<'_> {
    /// The file that holds what a reference of a file in `folder` names; or why there is none.
    pub(super) fn locate(
        self,
        reference: Reference,
        folder: &FilePath,
        kind: ReferenceKind,
        config: &Config,
    ) -> Result<FileTarget, Fault> {
        let path = match &reference {
            Reference::Local(path) => self.local(folder.join(path), kind),
            Reference::Registry(artifact) => self.artifact(artifact, kind, config, &reference)?,
            Reference::Mapped(mapped) => mapped.file.clone(),
            Reference::TemplateSpec(spec) => {
                let path = spec.cache_folder(&config.cache_root(self.world)).join("main.json");
                self.restored(path, &reference)?
            }
        };
        Ok(FileTarget { reference, path })
    }

    /// A file beside the program; an extension can be a folder with its index.
    fn local(self, path: FilePath, kind: ReferenceKind) -> FilePath {
        let index = path.join("index.json");
        if kind == ReferenceKind::Extension && !self.world.exists(&path) && self.world.exists(&index) {
            return index;
        }
        path
    }

    fn artifact(
        self,
        artifact: &RegistryReference,
        kind: ReferenceKind,
        config: &Config,
        reference: &Reference,
    ) -> Result<FilePath, Fault> {
        let names: &[&str] = match kind {
            ReferenceKind::Extension => &["types.tgz", "index.json"],
            _ => &["main.json", "main.bicep"],
        };
        let mut mirrors = self.mirrors.iter().chain(config.mirrors());
        let mirrored = mirrors.find_map(|mirror| mirror.find(artifact, names, self.world));
        if let Some(path) = mirrored {
            return Ok(path);
        }
        let cached = artifact.cache_folder(&config.cache_root(self.world));
        self.restored(cached.join(names.first().copied().unwrap_or_default()), reference)
    }

    /// A file of the cache, if it is there.
    fn restored(self, path: FilePath, reference: &Reference) -> Result<FilePath, Fault> {
        if self.world.exists(&path) {
            return Ok(path);
        }
        let name = reference.full_name();
        Err(match self.world.restore_failure(reference) {
            Some(RestoreFailure::Failed(why)) => codes::RESTORE_FAILED.fault(&[&name, &why]),
            Some(RestoreFailure::Untrusted) => codes::UNTRUSTED_REGISTRY.fault(&[&name]),
            None => {
                let advice = match reference {
                    Reference::Registry(_) => {
                        "fetch it with `tendon restore FILE` or with `--restore`, or name a folder that has it with `--registry`, with the variable TENDON_REGISTRIES or with `tendon.registries` in bicepconfig.json"
                    }
                    Reference::Local(_) | Reference::Mapped(_) | Reference::TemplateSpec(_) => {
                        "write its template to that file"
                    }
                };
                codes::NOT_RESTORED.fault(&[&name, &path, &advice])
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryWorld;

    fn world() -> MemoryWorld {
        let files = [
            "/m/avm/res/a/0.1.0/main.json",
            "/m/avm/res/b/main.bicep",
            "/m/avm/res/c/main.json",
            "/m/ext/k/1.0.0/types.tgz",
            "/cache/br/mcr.microsoft.com/bicep$avm$res$a/0.2.0$/main.json",
        ];
        let world = files.iter().fold(MemoryWorld::default(), |world, path| world.with_file(path, "{}"));
        world.with_file("/m/avm/res/b/version.json", r#"{ "version": "0.3" }"#)
    }

    #[track_caller]
    fn finds(references: &str, reference: &str, kind: ReferenceKind, expected: Result<&str, &str>) {
        let (world, config) = (world(), Config::defaults());
        let mirrors = [Mirror::new(references, FilePath::new("/m"), &config).unwrap()];
        let places = Places { world: &world, mirrors: &mirrors };
        let reference = Reference::parse(reference, kind, &config).unwrap();
        let found = places.locate(reference, &FilePath::new("/"), kind, &config);
        let found = found.as_ref().map(|target| target.path.as_str()).map_err(|fault| fault.code);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_mirror_has_folders_of_versions_or_sources_of_one_version() {
        let module = ReferenceKind::Module;
        finds("br/public", "br/public:avm/res/a:0.1.0", module, Ok("/m/avm/res/a/0.1.0/main.json"));
        finds("br/public", "br/public:avm/res/b:0.3.7", module, Ok("/m/avm/res/b/main.bicep"));
        finds("br/public", "br/public:avm/res/b:0.30.0", module, Err("BCP190"));
        // Sources without a version could be of any.
        finds("br/public", "br/public:avm/res/c:1.0.0", module, Err("BCP190"));
        finds("br:mcr.microsoft.com/bicep/ext", "br/public:avm/res/a:0.1.0", module, Err("BCP190"));
        finds("br:x.io", "br:x.io/avm/res/a:0.1.0", module, Ok("/m/avm/res/a/0.1.0/main.json"));
        finds("br:x.io", "br:X.IO/ext/k:1.0.0", ReferenceKind::Extension, Ok("/m/ext/k/1.0.0/types.tgz"));
    }

    #[test]
    fn what_no_mirror_has_comes_from_the_cache() {
        let cached = "/cache/br/mcr.microsoft.com/bicep$avm$res$a/0.2.0$/main.json";
        finds("br/public", "br/public:avm/res/a:0.2.0", ReferenceKind::Module, Ok(cached));
        finds("br/public", "br/public:avm/res/a:0.9.0", ReferenceKind::Module, Err("BCP190"));
    }

    #[test]
    fn a_mirror_stands_in_for_a_registry() {
        let fails =
            |text: &str| Mirror::new(text, FilePath::new("/m"), &Config::defaults()).unwrap_err().code;
        assert_eq!((fails("br/none"), fails("x.io"), fails("br:")), ("BCP213", "BCP193", "BCP193"));
    }
}
