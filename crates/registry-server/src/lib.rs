//! Registries for tests, on loopback ports.
//!
//! [`Memory`] keeps artifacts in memory, records what it is asked, and lets a test answer in its place: with errors, with challenges, with
//! half of an answer.

mod http;
mod memory;

pub use http::{Answer, Request};
pub use memory::Memory;
