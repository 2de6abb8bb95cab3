//! The names that artifacts of Bicep have in registries: media types, artifact types and annotations.

/// A manifest of an image, which is what artifacts are stored as.
pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// The type of a module.
pub(crate) const MODULE: &str = "application/vnd.ms.bicep.module.artifact";
pub(crate) const MODULE_CONFIG: &str = "application/vnd.ms.bicep.module.config.v1+json";
/// The template that a module was compiled to.
pub(crate) const MODULE_TEMPLATE: &str = "application/vnd.ms.bicep.module.layer.v1+json";
/// The sources of a module.
pub(crate) const MODULE_SOURCES: &str = "application/vnd.ms.bicep.module.source.v1.tar+gzip";

/// The type of an extension; it was called a provider when the name was chosen.
pub(crate) const EXTENSION: &str = "application/vnd.ms.bicep.provider.artifact";
pub(crate) const EXTENSION_CONFIG: &str = "application/vnd.ms.bicep.provider.config.v1+json";
/// The types of an extension.
pub(crate) const EXTENSION_TYPES: &str = "application/vnd.ms.bicep.provider.layer.v1.tar+gzip";

/// The program of an extension for one kind of machine.
pub(crate) fn extension_binary(architecture: &str) -> String {
    format!("application/vnd.ms.bicep.provider.layer.v1.{architecture}.binary")
}

/// Media types do not depend on case.
pub(crate) fn is(found: &str, wanted: &str) -> bool {
    found.eq_ignore_ascii_case(wanted)
}

pub(crate) const TITLE: &str = "org.opencontainers.image.title";
pub(crate) const DESCRIPTION: &str = "org.opencontainers.image.description";
pub(crate) const DOCUMENTATION: &str = "org.opencontainers.image.documentation";
pub(crate) const CREATED: &str = "org.opencontainers.image.created";
pub(crate) const SERIALIZATION_FORMAT: &str = "bicep.serialization.format";
