//! Runs deployments: a runtime around their machines, and the providers of resources.
//!
//! [`Engine`] accepts a deployment, which makes it durable, and runs its [`core::Machine`]: `runtime` does what the machine asks for, and
//! `journal` writes what it wants kept. [`Host`] runs many at a time, in a process that stays; its leases are kept by `lease_keeper`, the
//! runtime of a node. [`PlanProgram`] is what a planned template makes a machine do, and [`provider`] has those who have the resources.

mod attempts;
mod deploy;
mod destruction;
mod evaluation_limiter;
pub mod form;
mod host;
mod journal;
mod lease_keeper;
mod persist;
mod persist_message;
mod planned_record;
mod predicted_change;
mod program;
pub mod provider;
mod random;
mod resealing;
mod resources;
mod run_ids;
mod run_waiters;
mod runtime;
mod saved_plan;
pub mod state;
mod stored_inputs;
mod takeovers;
mod validated;
mod what_if;

pub use deploy::{AcceptedDeployment, DeploymentResult, Engine, StartError};
pub use destruction::{Destruction, DestructionPlan, DestructionScope, DoomedResource};
pub use evaluation_limiter::{evaluate_until, take_turns, wait_within, waiting_evaluations};
pub use host::{DeploymentHandle, Host, TakenUp, WatcherFactory};
pub use machine::records::{DeploymentRecord, OperationRecord, ResourceRecord, admit_body, guid};
pub use machine::{Failure, core, records};
pub use planned_record::shown_parameters;
pub use predicted_change::{ChangeKind, Delta, PredictedChange, change as resource_change, differences};
pub use program::{PlanProgram, broken_asserts, failure as template_failure, together};
pub use resealing::{Resealed, reseal};
pub use runtime::{Clock, Watcher};
pub use saved_plan::{PlanDraft, PlanInput, PlanSources, SavedPlan};
pub use validated::validated;
pub use what_if::{WhatIf, add_new};
