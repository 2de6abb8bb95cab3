//! The deterministic part of the engine: what is decided, and nothing of how it is done.
//!
//! [`core::Machine`] is the state machine of a deployment. Events go in (a reply of a provider, a timer, a batch that is durable, a wish to
//! cancel), commands come out (call a provider, wait, persist, report). What a deployment does is a [`core::StepProgram`]: steps that depend
//! on each other and say what they want done once their dependencies are there. [`node::NodeCore`] is that of a node, which claims and
//! renews leases on deployments. [`records`] has what is kept of a deployment, as types and as the store keeps it.
//!
//! Nothing here reads a clock, starts a thread or rolls dice; `clippy.toml` bans it. So the same code runs in production, under a virtual
//! clock, and in `tools/simulation`, which explores schedules and crashes from a seed.

pub mod attempts;
pub mod core;
mod failure;
pub mod node;
pub mod records;

pub use failure::Failure;
