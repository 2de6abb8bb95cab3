//! The deterministic core: events in, commands out.
//!
//! A [`Machine`] runs one deployment and the deployments nested in it. [`StepProgram`] is what it runs, [`Event`] and [`Command`] what it hears and
//! says. Everything that it decides follows from the events in their order, so that a run can be replayed.
//!
//! - A step is durable before it is reported, and before what depends on it starts.
//! - A step that was confirmed is never done again. One that was sent and not confirmed may be sent again.
//! - A step that fails stops what depends on it and nothing else.

mod event;
mod index;
mod machine;
mod mask_secrets;
mod names;
mod nested;
mod program;
mod run;
mod step_end;
mod step_progress;

pub use crate::records::{RunEnd, Stored, StoredRun};
pub use event::{
    Act, Command, Event, NestedProgram, ProviderCall, ProviderReply, Response, RunProgress, Ticket,
};
pub use index::{RunIndex, StepIndex};
pub use machine::{Machine, MachineSettings, Start};
pub use program::{
    Cleanup, Deploy, Enough, Fetched, KnownResults, ProviderQuestion, PutRequest, ReadRequest, Retry,
    StepAction, StepEvaluation, StepPolicy, StepProgram, Wait,
};
