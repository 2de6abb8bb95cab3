//! Reads `index.json`.

use serde::Deserialize;

use super::read::{InlineText, JsonMembers, ListOrMembers, Ref};
use crate::error::{Error, Result};
use crate::index::{ExtensionManifest, TypeFunctions, TypeIndex};
use crate::reference::FileRef;

/// Reads the index; `path` names it in errors.
pub fn read_index(path: &str, json: &[u8]) -> Result<TypeIndex> {
    let raw: RawIndex = serde_json::from_slice(json).map_err(|error| Error::json(path, &error))?;
    Ok(TypeIndex {
        resources: raw.resources.0.into_iter().map(|(name, reference)| (name, reference.0)).collect(),
        resource_functions: raw.resource_functions.0.into_iter().map(type_functions).collect(),
        namespace_functions: raw.namespace_functions.unwrap_or_default().into_iter().map(|r| r.0).collect(),
        settings: raw.settings.map(settings),
        fallback_resource_type: raw.fallback_resource_type.map(|reference| reference.0),
        decorators: raw.decorators.0.into_iter().map(|(name, it)| (name, it.to_string().into())).collect(),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "")]
struct RawIndex {
    #[serde(default)]
    resources: JsonMembers<Ref<FileRef>>,
    #[serde(default)]
    resource_functions: JsonMembers<RawVersions>,
    namespace_functions: Option<Vec<Ref<FileRef>>>,
    settings: Option<RawSettings>,
    fallback_resource_type: Option<Ref<FileRef>>,
    #[serde(default)]
    decorators: JsonMembers<serde_json::Value>,
}

/// The functions of each version: a list, or in files of one older writer an object by function name.
type RawVersions = JsonMembers<ListOrMembers<Ref<FileRef>>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawSettings {
    name: InlineText,
    version: InlineText,
    #[serde(default)]
    is_singleton: bool,
    is_preview: Option<bool>,
    is_deprecated: Option<bool>,
    configuration_type: Option<Ref<FileRef>>,
}

fn type_functions((resource_type, versions): (smol_str::SmolStr, RawVersions)) -> TypeFunctions {
    let versions = versions.0.into_iter().map(|(version, functions)| {
        let references = match functions {
            ListOrMembers::List(list) => list.into_iter().map(|reference| reference.0).collect(),
            ListOrMembers::Members(members) => {
                members.0.into_iter().map(|(_, reference)| reference.0).collect()
            }
        };
        (version, references)
    });
    TypeFunctions { resource_type, versions: versions.collect() }
}

fn settings(raw: RawSettings) -> ExtensionManifest {
    ExtensionManifest {
        name: raw.name.0,
        version: raw.version.0,
        is_singleton: raw.is_singleton,
        is_preview: raw.is_preview,
        is_deprecated: raw.is_deprecated,
        configuration_type: raw.configuration_type.map(|reference| reference.0),
    }
}
