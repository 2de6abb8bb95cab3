//! The manifest of an artifact: its type, its config, its layers and what is said about it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Digest, OciError};

/// A manifest, with its members in the order in which the public command writes them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) schema_version: u32,
    #[serde(default)]
    pub(crate) media_type: Option<String>,
    #[serde(default)]
    pub(crate) artifact_type: Option<String>,
    pub(crate) config: Descriptor,
    #[serde(default)]
    pub(crate) layers: Vec<Descriptor>,
    #[serde(default)]
    pub(crate) annotations: Option<BTreeMap<String, String>>,
}

/// A blob: what it is, what it hashes to, and how large it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    #[serde(default)]
    pub(crate) media_type: Option<String>,
    pub(crate) digest: Digest,
    pub(crate) size: u64,
    #[serde(default)]
    pub(crate) annotations: Option<BTreeMap<String, String>>,
}

impl Manifest {
    pub(crate) fn read(bytes: &[u8]) -> Result<Manifest, OciError> {
        let manifest: Manifest = serde_json::from_slice(bytes)
            .map_err(|error| OciError::Artifact(format!("its manifest cannot be read: {error}")))?;
        if manifest.schema_version != 2 {
            let version = manifest.schema_version;
            return Err(OciError::Artifact(format!("its manifest has schema version {version}, and not 2")));
        }
        Ok(manifest)
    }
}

impl Descriptor {
    /// Whether it is a blob of some media type.
    pub(crate) fn is(&self, media_type: &str) -> bool {
        self.media_type.as_deref().is_some_and(|found| crate::media::is(found, media_type))
    }
}
