//! References to modules and extensions: what they name, and where the offline cache keeps it.

use super::FilePath;
use crate::codes;
use crate::finding::UnlocatedFinding;

/// Characters that no path may hold on some system that Bicep runs on.
const FORBIDDEN_IN_PATH: &str = "\"*:<>?\\|";

/// What a module, import or extension refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// A file, by its path from the folder of the referring file.
    Local(String),
    /// An artifact of a registry.
    Registry(RegistryReference),
    /// A template spec of a subscription.
    TemplateSpec(TemplateSpecReference),
    /// A module of a registry whose alias the configuration maps to a folder.
    Mapped(MappedReference),
}

/// A module in a folder that stands in for a registry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MappedReference {
    /// The path that the reference names, without the version.
    pub module: String,
    /// The path of the file on this machine.
    pub file: FilePath,
}

/// An artifact of a registry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegistryReference {
    /// The host of the registry, with a port if it has one.
    pub registry: String,
    /// The path on the host.
    pub repository: String,
    /// Which of the versions.
    pub version: ArtifactVersion,
}

/// Which version of an artifact is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArtifactVersion {
    /// The one with a tag.
    Tag(String),
    /// The one with a digest, `sha256:...`.
    Digest(String),
}

/// A version of a template spec.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TemplateSpecReference {
    /// The id of the subscription that has the template spec.
    pub subscription: String,
    /// The resource group that has the template spec.
    pub group: String,
    /// The name of the template spec.
    pub name: String,
    /// The version of the template spec, as its author calls it.
    pub version: String,
}

impl Reference {
    /// The folder of the cache that holds what the reference names; none for a file beside the program.
    #[must_use]
    pub fn cache_folder(&self, root: &FilePath) -> Option<FilePath> {
        match self {
            Reference::Local(_) | Reference::Mapped(_) => None,
            Reference::Registry(artifact) => Some(artifact.cache_folder(root)),
            Reference::TemplateSpec(spec) => Some(spec.cache_folder(root)),
        }
    }

    /// The reference with its alias resolved, as error messages and imported symbols name it.
    #[must_use]
    pub fn full_name(&self) -> String {
        match self {
            Reference::Local(path) => path.clone(),
            Reference::Mapped(mapped) => format!("br:{}", mapped.module),
            Reference::Registry(artifact) => {
                let RegistryReference { registry, repository, version } = artifact;
                match version {
                    ArtifactVersion::Tag(tag) => format!("br:{registry}/{repository}:{tag}"),
                    ArtifactVersion::Digest(digest) => format!("br:{registry}/{repository}@{digest}"),
                }
            }
            Reference::TemplateSpec(spec) => {
                format!("ts:{}/{}/{}:{}", spec.subscription, spec.group, spec.name, spec.version)
            }
        }
    }
}

impl RegistryReference {
    /// The folder of the artifact in the cache.
    #[must_use]
    pub fn cache_folder(&self, root: &FilePath) -> FilePath {
        let registry = self.registry.replace(':', "$").to_lowercase();
        let repository = self.repository.replace('/', "$");
        let version = match &self.version {
            ArtifactVersion::Tag(tag) => encode_tag(tag),
            ArtifactVersion::Digest(digest) => digest.replace(':', "#"),
        };
        root.join(&format!("br/{registry}/{repository}/{version}"))
    }
}

impl TemplateSpecReference {
    /// The folder of the template spec in the cache.
    #[must_use]
    pub fn cache_folder(&self, root: &FilePath) -> FilePath {
        let path = format!("ts/{}/{}/{}/{}", self.subscription, self.group, self.name, self.version);
        root.join(&path.to_lowercase())
    }

    /// The resource id of the version.
    #[must_use]
    pub fn resource_id(&self) -> String {
        format!(
            "/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Resources/templateSpecs/{}/versions/{}",
            self.subscription, self.group, self.name, self.version
        )
    }
}

/// A tag as a folder name that keeps its case apart on systems that do not: `$` and a mask of its capitals.
fn encode_tag(tag: &str) -> String {
    let mut mask = [0u64; 2];
    for (position, byte) in tag.bytes().enumerate() {
        if byte.is_ascii_uppercase()
            && let Some(part) = mask.get_mut(position / 64)
        {
            *part |= 1 << (position % 64);
        }
    }
    let [low, high] = mask;
    match (high, low) {
        (0, 0) => format!("{tag}$"),
        (0, low) => format!("{tag}${low:x}"),
        (high, low) => format!("{tag}${high:x}{low:016x}"),
    }
}

/// Tells what is wrong with a relative path.
pub fn check_path(path: &str) -> Result<(), UnlocatedFinding> {
    if path.is_empty() {
        return Err(codes::EMPTY_PATH.fault(&[]));
    }
    let drive =
        path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') || drive {
        return Err(codes::ABSOLUTE_PATH.fault(&[]));
    }
    for character in path.chars() {
        if character == '\\' {
            return Err(codes::BACKSLASH.fault(&[]));
        }
        if FORBIDDEN_IN_PATH.contains(character) {
            return Err(codes::FORBIDDEN_CHARACTER.fault(&[&character]));
        }
        if character < ' ' {
            return Err(codes::CONTROL_CHARACTER.fault(&[]));
        }
    }
    if path.ends_with([' ', '.']) {
        return Err(codes::PATH_END.fault(&[]));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_of_a_tag_are_kept_apart_in_the_name_of_its_folder() {
        assert_eq!(
            (encode_tag("V1"), encode_tag("vX1"), encode_tag("v1")),
            ("V1$1".into(), "vX1$2".into(), "v1$".into())
        );
    }
}
