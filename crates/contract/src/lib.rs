//! The contract model: shapes, rules and operands that every dialect lowers to.

mod kind;
pub mod pattern;
mod view;

pub use kind::{Kind, Kinds};
pub use view::{Node, Place, View};
