//! Types: what values can be, how that relates, and what Azure's resources are made of.
//!
//! [`Ty`] is a handle to a type that never changes. [`union`] makes unions in their canonical order, [`assignable`] is
//! the relation that everything else rests on.

mod ambient;
pub(crate) mod azure;
pub(crate) mod extension;
mod flags;
mod function_flags;
pub(crate) mod kubernetes;
mod member_index;
mod methods;
mod model;
mod names;
mod namespace;
mod overload;
mod printed;
pub(crate) mod providers;
mod relate;
mod scopes;
mod signature;
mod type_cache;
mod type_reference;
mod unions;

pub(crate) use ambient::Ambient;
pub(crate) use flags::{PropertyFlags, TypeFlags};
pub(crate) use function_flags::FunctionFlags;
pub(crate) use methods::Methods;
pub(crate) use model::{
    Array, Discriminated, Lambda, LaterType, LengthBounds, Object, Origin, Property, Range, ResourceTy, Role,
    Ty, TyKind, TypeRef,
};
pub(crate) use names::{quoted, scope_names};
pub(crate) use namespace::BuiltIn;
pub use overload::Count;
pub(crate) use overload::{ArgumentRule, CallRule, Gives, Overload, ParameterRow};
pub(crate) use printed::{printed, printed_length};
pub(crate) use relate::{
    assignable, assignable_unless_null, candidates, holds_secret, is_literal, primitive, scope_of, warns,
    warns_for_properties, without_null,
};
pub(crate) use scopes::Scopes;
pub use signature::EvaluationPhase;
pub(crate) use signature::{Parameter, Signature};
pub(crate) use type_cache::RecentTypes;
pub(crate) use type_reference::TypeReference;
pub(crate) use unions::{collapse, collapsed_union, non_null, nullable, text_length, union, union_of};
pub(crate) use unions::{discriminated, object_name};
