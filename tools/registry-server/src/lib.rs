//! Registries for tests, on loopback ports.
//!
//! [`Memory`] keeps artifacts in memory, records what it is asked, and lets a test answer in its place: with errors, with challenges, with
//! half of an answer. [`Debian`] is the real one of that system, and [`Breaking`] a proxy that breaks connections to it.

mod breaking;
mod debian;
mod http;
mod memory;

pub use breaking::Breaking;
pub use debian::{Access, Debian, ELSEWHERE, PASSWORD, USER, token};
pub use http::{Request, ScriptedResponse};
pub use memory::Memory;
