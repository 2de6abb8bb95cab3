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
mod credentials;
mod digest;
mod docker_config;
mod fault;
mod helper;
mod manifest;
mod media;
mod place;
mod pull;
mod push;
mod restore;
mod session;
mod sources;
mod trust;

pub use artifact::{About, Architecture, Kind, Package};
pub use credentials::{Credential, Keychain, Secret};
pub use digest::Digest;
pub use fault::Fault;
pub use place::Place;
pub use pull::Pulled;
pub use restore::{Wanted, restore};
pub use session::{Pace, Registries};
pub use sources::{Link, SourceFile, SourceKind, Sources};
pub use trust::Trust;
