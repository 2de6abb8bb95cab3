//! Modules and extensions of Bicep in OCI registries: pull, push, credentials, and the cache that the public Bicep command shares.
//!
//! [`Registries`] speaks the distribution API. [`Package`] is what is published: a manifest and its blobs, with the media types and annotations of
//! the public command. [`cache`] keeps what was pulled in its layout, so that both tools use one cache. [`restore`] pulls many artifacts at once.
//!
//! The crate knows nothing of programs: who wants which artifact, and whether a registry is to be trusted, is decided by the caller with [`Trust`].

mod artifact;
mod blob;
pub mod cache;
mod challenge;
mod credential;
mod credentials;
mod digest;
mod docker_config;
mod fault;
mod helper;
mod manifest;
mod media;
mod oci_reference;
mod pull;
mod push;
mod restore;
mod session;
mod sources;
mod trusted_hosts;

pub use artifact::{About, Architecture, ArtifactKind, Package};
pub use credential::{Credential, Secret};
pub use credentials::Keychain;
pub use digest::Digest;
pub use fault::OciError;
pub use oci_reference::OciReference;
pub use pull::Pulled;
pub use restore::{RestoreRequest, restore};
pub use session::{Registries, RetryPolicy};
pub use sources::{PublishedFile, SourceKind, SourceLink, Sources};
pub use trusted_hosts::Trust;
