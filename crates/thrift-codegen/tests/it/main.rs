//! Generated code: that it is made of any program, and that it agrees with the cases when it runs.
#![cfg(test)]

mod arbitrary;
mod functions;
mod generated;
mod sharing;
mod support;
