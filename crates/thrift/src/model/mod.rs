//! What a program means: files with their includes, names resolved, types, constants, ids, services.
//!
//! Two steps. [`load`] reads a file and everything it includes through a [`Loader`] into a [`ThriftProgram`];
//! a program can also be put together from trees that did not come from text. [`resolve`] turns a program
//! into a [`Model`]: arenas of definitions that refer to each other by id. Neither fails: what is wrong is
//! reported, and what depends on it becomes [`Type::Error`] or is left out.

mod constants;
mod data;
mod endless;
mod expansion;
mod fields;
mod graph;
mod load;
mod names;
mod paths;
mod resolve;
mod services;
mod types;
mod values;

pub use data::{
    Const, ConstId, ConstantValue, Enum, EnumId, EnumMember, Field, Function, Model, Service, ServiceId,
    Struct, StructId, StructRole, Type, TypeId, TypeNode, Typedef, TypedefId,
};
pub use load::{Include, LoadConfig, Loader, MemoryLoader, SearchOrder, ThriftFile, ThriftProgram, load};
pub use paths::normalize;
pub use resolve::resolve;

use crate::idl::Strict;

/// What to do with fields that have no id, or one that is not positive.
///
/// The compilers number them differently, so the same text means different bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ImplicitIds {
    /// Report each one; they are numbered as thriftgo does, for the sake of what follows.
    #[default]
    Error,
    /// Number them -1, -2, .. like the Apache compiler.
    Apache,
    /// Number them one above the field before, like thriftgo, and keep ids that are not positive.
    Thriftgo,
}

/// How to resolve a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Which compiler the files must satisfy.
    pub strict: Strict,
    /// What to do with missing ids.
    pub implicit_ids: ImplicitIds,
}
