//! The contract model: shapes, rules and operands that every dialect lowers to.

pub mod format;
mod kind;
pub mod number;
pub mod pattern;
mod view;

pub use kind::{Kind, Kinds};
pub use view::{Node, Place, View};
