//! Schedules, crashes and faults from a seed.
//!
//! [`run`] makes a small deployment, runs the real machine on the store in memory, and lets a seed decide everything else: which
//! answer comes first, what a provider refuses, when the process dies and what it had sent by then. Along the way and at the end
//! it holds the run against what the engine promises; the first promise that is broken is returned with the seed that shows it.
//!
//! The promises:
//!
//! - A step is confirmed once, and nothing is sent for it afterwards.
//! - A step starts only when all that it depends on is durable.
//! - What is reported is durable.
//! - A deployment ends within a bounded number of events, and its record says truly how.
//! - When it has ended, no secret is kept.

mod chance;
pub mod cluster;
mod plan;
mod world;

pub use world::{SimulationStats, run, run_with_crash_at};
