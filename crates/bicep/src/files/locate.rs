//! Where the files lie that references name: beside the program, in the offline cache, or in a folder that stands in for
//! a registry.

use super::{
    FilePath, FileTarget, Mirror, Reference, ReferenceKind, RegistryReference, RestoreFailure, World,
};
use crate::codes;
use crate::config::Config;
use crate::finding::UnlocatedFinding;

/// Where to look for what references name.
#[derive(Clone, Copy)]
pub struct Places<'p> {
    /// Answers reads of files; nothing else is asked.
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
    ) -> Result<FileTarget, UnlocatedFinding> {
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
    ) -> Result<FilePath, UnlocatedFinding> {
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
    fn restored(self, path: FilePath, reference: &Reference) -> Result<FilePath, UnlocatedFinding> {
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
    use crate::world::MemoryWorld;

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
