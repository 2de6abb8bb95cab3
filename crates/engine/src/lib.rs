//! Runs deployments: a deterministic core, and what surrounds it.
//!
//! [`core::Machine`] is a state machine. Events go in (an answer of a provider, a timer, a batch that is durable, a wish to cancel),
//! commands come out (call a provider, wait, persist, report). It reads no clock, starts no task and rolls no dice, so the same
//! core runs in production, under a virtual clock, and in a simulator that explores schedules and crashes from a seed.
//!
//! What a deployment does is a [`core::Program`]: steps that depend on each other and say what they want done once their
//! dependencies are there. [`records`] turns what the machine wants to keep into what the store keeps, and back.

mod awaited;
pub mod core;
mod deploy;
mod failure;
pub mod form;
mod frozen;
mod host;
mod journal;
mod keeper;
pub mod node;
mod persist;
mod program;
pub mod provider;
mod record;
pub mod records;
mod resource_record;
mod resources;
mod runtime;
pub mod simulate;
pub mod state;
mod time;
mod turns;
mod validated;
mod what_if;

pub use deploy::{Accepted, Ended, Engine, Refused};
pub use failure::Failure;
pub use host::{Host, Started, TakenUp, Watch};
pub use program::{PlanProgram, failure as template_failure, together};
pub use record::{guid, shown_parameters};
pub use resource_record::{ResourceRecord, admit_body};
pub use runtime::{Clock, Watcher};
pub use time::moment;
pub use turns::{evaluate_until, take_turns};
pub use validated::validated;
pub use what_if::{Change, ChangeKind, Delta, WhatIf, add_new};
