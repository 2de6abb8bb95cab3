//! What holds for every expression, template and plan.
#![cfg(test)]

mod budgets;
mod entries;
mod forms;
mod plans;
mod properties;
#[path = "../simulate/mod.rs"]
mod simulate;
mod templates;
