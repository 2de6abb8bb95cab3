//! Thrift: the interface language, what it means, and the bytes it describes.
//!
//! - [`idl`] reads text into a syntax tree with a place for everything, and never fails: what is wrong
//!   comes back as diagnostics beside the tree.
//! - [`model`] loads a file with its includes and resolves names, types, constants, field ids and services
//!   into an arena that code generators and contracts are made from.
//! - [`rules`] turns `vt.*` annotations into contracts.
//! - [`wire`] reads binary, compact and JSON messages in place, finds out how a connection is framed, and
//!   writes the replies a proxy needs.
//! - [`plain`] reads JSON with fields by name, by the types of the IDL.
//! - [`validate`] holds messages against contracts on their bytes.
//! - [`proxy`] decides what becomes of the messages of a connection.
//!
//! The crate is pure: files come through [`model::Loader`], bytes come from the caller.

pub mod base64;
mod code;
pub mod idl;

pub mod model;
pub mod plain;
pub mod proxy;
pub mod rules;
mod suggest;
pub mod validate;
pub mod wire;

pub use code::Code;
// The places and diagnostics that this crate's functions take and return.
pub use diagnostics::{Diagnostic, FileId, Label, Severity, Span};
