//! What a module and an extension consist of: the blobs that are published, and the files that are restored.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::manifest::{Descriptor, Manifest};
use crate::{Digest, OciError, media};

/// The config of an artifact that has nothing to say.
const EMPTY: &[u8] = b"{}";

/// The largest template, the largest sources and the largest types.
const MOST_TEXT: u64 = 256 << 20;
/// The largest program of an extension.
const MOST_BINARY: u64 = 1 << 30;

/// What an artifact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArtifactKind {
    /// A Bicep module: a compiled template, perhaps with its sources.
    Module,
    /// Types of resources, and perhaps programs that have them.
    Extension,
}

impl ArtifactKind {
    /// The file of the cache that has to be there.
    #[must_use]
    pub fn main_file(self) -> &'static str {
        match self {
            ArtifactKind::Module => "main.json",
            ArtifactKind::Extension => "types.tgz",
        }
    }

    fn artifact_type(self) -> &'static str {
        match self {
            ArtifactKind::Module => media::MODULE,
            ArtifactKind::Extension => media::EXTENSION,
        }
    }

    fn config_type(self) -> &'static str {
        match self {
            ArtifactKind::Module => media::MODULE_CONFIG,
            ArtifactKind::Extension => media::EXTENSION_CONFIG,
        }
    }

    fn main_type(self) -> &'static str {
        match self {
            ArtifactKind::Module => media::MODULE_TEMPLATE,
            ArtifactKind::Extension => media::EXTENSION_TYPES,
        }
    }

    /// The name of such a thing.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ArtifactKind::Module => "module",
            ArtifactKind::Extension => "extension",
        }
    }

    /// The word for one of that kind, in messages.
    fn one(self) -> &'static str {
        match self {
            ArtifactKind::Module => "a module",
            ArtifactKind::Extension => "an extension",
        }
    }
}

/// A kind of machine that programs of extensions are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Architecture(&'static str);

impl Architecture {
    /// All of them, in the order in which they are published.
    pub const ALL: [Architecture; 6] = [
        Architecture("linux-x64"),
        Architecture("linux-arm64"),
        Architecture("osx-x64"),
        Architecture("osx-arm64"),
        Architecture("win-x64"),
        Architecture("win-arm64"),
    ];

    /// The one of this machine, if extensions are made for it.
    #[must_use]
    pub fn here() -> Option<Architecture> {
        let system = match std::env::consts::OS {
            "linux" => "linux",
            "macos" => "osx",
            "windows" => "win",
            _ => return None,
        };
        let processor = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            _ => return None,
        };
        Architecture::ALL.into_iter().find(|it| it.0.split_once('-') == Some((system, processor)))
    }

    /// Its name, such as `linux-x64`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// What is said about a module.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// What it is for.
    pub description: Option<String>,
    /// Where its documentation is.
    pub documentation: Option<String>,
    /// The moment of its publication, in the form of RFC 3339.
    pub created: String,
}

/// An artifact that can be published.
#[derive(Clone, Debug)]
pub struct Package {
    kind: ArtifactKind,
    config: Vec<u8>,
    layers: Vec<Layer>,
    annotations: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
struct Layer {
    media_type: String,
    title: &'static str,
    bytes: Vec<u8>,
}

/// What an extension says of its programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExtensionConfig {
    local_deploy_enabled: bool,
    supported_architectures: Vec<&'static str>,
}

impl Package {
    /// A module: its template, and its sources if they are published.
    #[must_use]
    pub fn module(template: Vec<u8>, sources: Option<Vec<u8>>, about: About) -> Package {
        let mut layers = vec![Layer {
            media_type: media::MODULE_TEMPLATE.to_owned(),
            title: "Compiled ARM template",
            bytes: template,
        }];
        layers.extend(sources.map(|bytes| Layer {
            media_type: media::MODULE_SOURCES.to_owned(),
            title: "Source files",
            bytes,
        }));
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let rows = [
            (media::DESCRIPTION, said(about.description)),
            (media::DOCUMENTATION, said(about.documentation)),
            (media::CREATED, Some(about.created)),
        ];
        let annotations = rows.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Package {
            kind: ArtifactKind::Module,
            config: EMPTY.to_vec(),
            layers,
            annotations: annotations.collect(),
        }
    }

    /// An extension: an archive with its types, and its programs.
    #[must_use]
    pub fn extension(types: Vec<u8>, binaries: Vec<(Architecture, Vec<u8>)>, created: String) -> Package {
        let mut layers =
            vec![Layer { media_type: media::EXTENSION_TYPES.to_owned(), title: "types.tgz", bytes: types }];
        let config = match binaries.is_empty() {
            true => EMPTY.to_vec(),
            false => {
                let names = binaries.iter().map(|(architecture, _)| architecture.name()).collect();
                let config = ExtensionConfig { local_deploy_enabled: true, supported_architectures: names };
                // Names and a truth value can always be written.
                serde_json::to_vec(&config).unwrap_or_else(|_| EMPTY.to_vec())
            }
        };
        layers.extend(binaries.into_iter().map(|(architecture, bytes)| Layer {
            media_type: media::extension_binary(architecture.name()),
            title: "extension.bin",
            bytes,
        }));
        let annotations =
            [(media::SERIALIZATION_FORMAT.to_owned(), "v1".to_owned()), (media::CREATED.to_owned(), created)];
        Package { kind: ArtifactKind::Extension, config, layers, annotations: annotations.into() }
    }

    /// Whether it is a module or an extension, as its media types say.
    #[must_use]
    pub fn kind(&self) -> ArtifactKind {
        self.kind
    }

    /// All blobs, with their digests.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = (Digest, &[u8])> {
        let layers = self.layers.iter().map(|layer| layer.bytes.as_slice());
        std::iter::once(self.config.as_slice()).chain(layers).map(|bytes| (Digest::of(bytes), bytes))
    }

    pub(crate) fn manifest(&self) -> Result<Vec<u8>, OciError> {
        let descriptor = |media_type: &str, bytes: &[u8], title: Option<&str>| Descriptor {
            media_type: Some(media_type.to_owned()),
            digest: Digest::of(bytes),
            size: bytes.len() as u64,
            annotations: Some(
                title.map(|title| (media::TITLE.to_owned(), title.to_owned())).into_iter().collect(),
            ),
        };
        let layers = self.layers.iter();
        let manifest = Manifest {
            schema_version: 2,
            media_type: Some(media::MANIFEST.to_owned()),
            artifact_type: Some(self.kind.artifact_type().to_owned()),
            config: descriptor(self.kind.config_type(), &self.config, None),
            layers: layers.map(|it| descriptor(&it.media_type, &it.bytes, Some(it.title))).collect(),
            annotations: Some(self.annotations.clone()),
        };
        serde_json::to_vec(&manifest)
            .map_err(|error| OciError::Artifact(format!("its manifest cannot be written: {error}")))
    }
}

/// A file to restore: its name in the cache, the blob that it is, and how large it may be.
#[derive(Debug)]
pub(crate) struct ArtifactFile<'m> {
    pub(crate) file: &'static str,
    pub(crate) blob: &'m Descriptor,
    pub(crate) most: u64,
}

/// The files of an artifact by its manifest, the main one last; or why it is not the kind of artifact that is wanted.
pub(crate) fn parts(manifest: &Manifest, kind: ArtifactKind) -> Result<Vec<ArtifactFile<'_>>, OciError> {
    check_type(manifest, kind)?;
    let mut of_main = manifest.layers.iter().filter(|layer| layer.is(kind.main_type()));
    let main = match (of_main.next(), of_main.next()) {
        (Some(main), None) => main,
        (found, _) => {
            let count = if found.is_some() { "more than one layer" } else { "no layer" };
            return Err(OciError::Artifact(format!(
                "it has {count} of the type `{}`, and {} has one",
                kind.main_type(),
                kind.one()
            )));
        }
    };
    let find = |media_type: &str| manifest.layers.iter().find(|layer| layer.is(media_type));
    let more = match kind {
        ArtifactKind::Module => {
            find(media::MODULE_SOURCES).map(|blob| ArtifactFile { file: "source.tgz", blob, most: MOST_TEXT })
        }
        ArtifactKind::Extension => Architecture::here()
            .and_then(|here| find(&media::extension_binary(here.name())))
            .map(|blob| ArtifactFile { file: "extension.bin", blob, most: MOST_BINARY }),
    };
    let main = ArtifactFile { file: kind.main_file(), blob: main, most: MOST_TEXT };
    Ok(more.into_iter().chain([main]).collect())
}

fn check_type(manifest: &Manifest, kind: ArtifactKind) -> Result<(), OciError> {
    let newer = "; it may have been made for a newer version of Bicep";
    match &manifest.artifact_type {
        // The first modules were published without a type.
        None if kind == ArtifactKind::Module => {}
        Some(found) if media::is(found, kind.artifact_type()) => {}
        Some(found) if [media::MODULE, media::EXTENSION].iter().any(|known| media::is(found, known)) => {
            let other = match kind {
                ArtifactKind::Module => ArtifactKind::Extension,
                ArtifactKind::Extension => ArtifactKind::Module,
            };
            return Err(OciError::Artifact(format!("it is {}, and not {}", other.one(), kind.one())));
        }
        found => {
            let found = found.as_deref().unwrap_or_default();
            return Err(OciError::Artifact(format!(
                "its artifact type is `{found}`, and not `{}`{newer}",
                kind.artifact_type()
            )));
        }
    }
    match &manifest.config.media_type {
        Some(found) if !media::is(found, kind.config_type()) => Err(OciError::Artifact(format!(
            "the type of its config is `{found}`, and not `{}`{newer}",
            kind.config_type()
        ))),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(sources: Option<Vec<u8>>) -> Package {
        let about = About {
            description: Some("What it is for".to_owned()),
            documentation: Some(String::new()),
            created: "2026-01-02T03:04:05Z".to_owned(),
        };
        Package::module(b"{ }".to_vec(), sources, about)
    }

    #[test]
    fn a_module_has_the_manifest_of_the_public_command() {
        let text = String::from_utf8(module(None).manifest().unwrap()).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","#,
                r#""artifactType":"application/vnd.ms.bicep.module.artifact","#,
                r#""config":{"mediaType":"application/vnd.ms.bicep.module.config.v1+json","#,
                r#""digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2,"annotations":{}},"#,
                r#""layers":[{"mediaType":"application/vnd.ms.bicep.module.layer.v1+json","#,
                r#""digest":"sha256:257c1be96ae69f4b01c2c69bdb6d78605f59175819fb007d0bf245bf48444c4a","size":3,"#,
                r#""annotations":{"org.opencontainers.image.title":"Compiled ARM template"}}],"#,
                r#""annotations":{"org.opencontainers.image.created":"2026-01-02T03:04:05Z","#,
                r#""org.opencontainers.image.description":"What it is for"}}"#
            )
        );
    }

    #[test]
    fn the_files_of_an_artifact_end_with_the_main_one() {
        let files = |package: &Package, kind| {
            let bytes = package.manifest().unwrap();
            let manifest = Manifest::read(&bytes).unwrap();
            let parts = parts(&manifest, kind).map_err(|fault| fault.to_string())?;
            Ok::<_, String>(parts.iter().map(|part| part.file).collect::<Vec<_>>())
        };
        assert_eq!(files(&module(None), ArtifactKind::Module).unwrap(), ["main.json"]);
        assert_eq!(files(&module(Some(vec![1])), ArtifactKind::Module).unwrap(), ["source.tgz", "main.json"]);
        let extension = |binaries| Package::extension(vec![1], binaries, String::new());
        assert_eq!(files(&extension(vec![]), ArtifactKind::Extension).unwrap(), ["types.tgz"]);
        if let Some(here) = Architecture::here() {
            let both = extension(vec![(here, vec![2])]);
            assert_eq!(files(&both, ArtifactKind::Extension).unwrap(), ["extension.bin", "types.tgz"]);
            let config: Vec<u8> = both.blobs().next().unwrap().1.to_vec();
            assert_eq!(
                String::from_utf8(config).unwrap(),
                format!(r#"{{"localDeployEnabled":true,"supportedArchitectures":["{}"]}}"#, here.name())
            );
        }
        assert_eq!(
            files(&module(None), ArtifactKind::Extension).unwrap_err(),
            "it is a module, and not an extension"
        );
        assert_eq!(
            files(&extension(vec![]), ArtifactKind::Module).unwrap_err(),
            "it is an extension, and not a module"
        );
    }

    #[test]
    fn what_is_not_of_bicep_is_refused() {
        let refused = |manifest: &str| {
            let manifest = Manifest::read(manifest.as_bytes())?;
            parts(&manifest, ArtifactKind::Module).map(drop)
        };
        let digest = Digest::of(b"");
        let config = format!(r#""config":{{"digest":"{digest}","size":0}}"#);
        let layer = format!(r#"{{"mediaType":"{}","digest":"{digest}","size":0}}"#, media::MODULE_TEMPLATE);
        let old = format!(r#"{{"schemaVersion":2,{config},"layers":[{layer}]}}"#);
        assert!(refused(&old).is_ok());
        for (manifest, why) in [
            ("", "cannot be read"),
            ("[]", "cannot be read"),
            (&*format!(r#"{{"schemaVersion":1,{config}}}"#), "schema version 1"),
            (&*format!(r#"{{"schemaVersion":2,{config},"layers":[]}}"#), "no layer"),
            (
                &*format!(r#"{{"schemaVersion":2,{config},"layers":[{layer},{layer}]}}"#),
                "more than one layer",
            ),
            (
                &*format!(r#"{{"schemaVersion":2,"artifactType":"x/y",{config},"layers":[{layer}]}}"#),
                "artifact type is `x/y`",
            ),
            (
                &*old.replace("\"config\":{", "\"config\":{\"mediaType\":\"x/y\","),
                "type of its config is `x/y`",
            ),
            (&*old.replace(digest.as_str(), "sha1:00"), "is not a digest"),
            (&*old.replace("\"size\":0", "\"size\":-1"), "cannot be read"),
        ] {
            let fault = refused(manifest).expect_err(manifest).to_string();
            assert!(fault.contains(why), "{manifest}: {fault}");
        }
    }
}
