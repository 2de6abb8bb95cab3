//! What a value is to whoever reads, checks or stores it.
//!
//! Every language has values of its own: nodes of a JSON document, values of the template engine, bytes of a Thrift message. They all
//! implement [`View`], so that one checker can look at them without a copy. [`Node`] is what it sees, [`Path`] says where, and
//! [`number`] compares numbers without rounding them. [`Constant`] is a value that nobody else owns.

pub mod case;
mod constant;
mod json_string;
mod kind;
pub mod number;
mod path;
pub mod show;
mod view;

pub use case::Caseless;
pub use constant::{Constant, ConstantMembers};
pub use json_string::{Escapes, write_json_string, write_quoted};
pub use kind::{Kinds, ValueKind};
pub use number::IntWidth;
pub use path::{Path, PathStep};
pub use show::MASK;
pub use view::{Node, View};
