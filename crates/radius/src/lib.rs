//! Radius resource types: the manifest that declares them, the rules for their schemas, and schemas as contracts.
//!
//! [`Manifest::read`] takes a document and returns what it declares together with everything that is wrong with it, in
//! the order of the text. A rule is one row of [`rule`]. A schema that was read is a [`Schema`]: [`Schema::to_json`]
//! writes it in the one form that is kept, and [`contract_of`] lowers it to the shapes that `contract` checks resources with.
//!
//! [`registry`] keeps types and their resources in a store, and checks everything again before it does. [`provider`] is how
//! deployments meet it.
//!
//! The crate takes documents and returns values: it opens no file and no socket.

mod built_in_types;
mod cause;
mod compiled_schema;
mod complete;
mod exact;
mod extension;
mod findings;
mod limits;
mod lower;
mod manifest;
mod names;
mod pointer;
pub mod provider;
pub mod registry;
pub mod rule;
mod schema;
mod schema_reader;
mod texts;
mod well_formed;

pub use extension::{Extension, package};
pub use findings::ManifestDiagnostic;
pub use limits::{LIMITS, STORED};
pub use lower::{Purpose, contract_of, properties_shape, resource_shape, response_shape};
pub use manifest::{
    ApiVersion, Manifest, ManifestResult, ResourceType, ServedLocation, looks_like_manifest, secret_places,
};
pub use rule::{ManifestDialect, ManifestReadOptions, ManifestRule, RuleLevel, RuleStage};
pub use schema::{Additional, Constraint, Keyword, Schema, SchemaProperty, SchemaType};
pub use schema_reader::{BUILT_IN_PREFIX, built_in, built_in_names};
pub use well_formed::{DUPLICATE_MEMBER, NUMBER_RANGE};
