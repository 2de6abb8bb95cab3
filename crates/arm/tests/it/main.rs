//! What holds for every expression, template and plan.
#![cfg(test)]

mod plans;
mod properties;
mod templates;
