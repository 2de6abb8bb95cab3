//! Two contracts compared as sets of values.
//!
//! Shapes become terms (`term`, `lower`), each thing said kept once whichever contract says it, so that what did not change costs nothing.
//! A question "is there a value that these accept and those refuse" is taken apart kind by kind (`solve`, with `number`, `text`, `list`
//! and `object`), and its answer is a value, a proof that there is none, or "unknown" when the work is used up. `compare` asks it in
//! both directions, `changes` says where the difference comes from, and `rule` names what can differ.
//!
//! The crate reads no files. Whoever has the checkers of the contracts runs them over the values that are found before believing them.

mod changes;
mod compare;
mod decimal;
mod eval;
mod list;
mod lower;
mod model;
mod number;
mod object;
mod rule;
mod solve;
mod term;
#[cfg(test)]
mod tests;
mod text;

pub use changes::{Change, ChangeStep, dotted};
pub use compare::{BoundaryDiff, compare};
pub use model::{ComparedContract, Comparison, Difference, Flow, Level, SetRelation};
pub use rule::{ChangeRule, ExampleLanguage, RULES};
