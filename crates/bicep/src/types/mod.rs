//! Types: what values can be, how that relates, and what Azure's resources are made of.
//!
//! [`Ty`] is a handle to a type that never changes. [`union`] makes unions in their canonical order, [`assignable`] is
//! the relation that everything else rests on.

pub(crate) mod azure;
pub(crate) mod extension;
mod flags;
pub(crate) mod kubernetes;
mod methods;
mod model;
mod names;
pub(crate) mod providers;
mod recent;
mod relate;
mod scopes;
mod signature;
mod unions;

pub(crate) use flags::{PropertyFlags, TypeFlags};
pub(crate) use methods::Methods;
pub(crate) use model::{
    Array, Discriminated, Kind, Lambda, LaterType, Object, Origin, Property, Range, ResourceTy, Role, Text,
    Ty, TypeRef,
};
pub(crate) use names::{quoted, scope_names};
pub(crate) use recent::RecentTypes;
pub(crate) use relate::{
    assignable, assignable_unless_null, holds_secret, is_literal, primitive, scope_of, warns,
    warns_for_properties, without_null,
};
pub(crate) use scopes::Scopes;
pub use signature::Known;
pub(crate) use signature::{Parameter, Signature};
pub(crate) use unions::{collapse, collapsed_union, non_null, nullable, text_length, union, union_of};
pub(crate) use unions::{discriminated, object_name};
