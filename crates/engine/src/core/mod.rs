//! The deterministic core: events in, commands out.
//!
//! A [`Machine`] runs one deployment and the deployments nested in it. [`Program`] is what it runs, [`Event`] and [`Command`] what it hears and
//! says. Everything that it decides follows from the events in their order, so that a run can be replayed.
//!
//! - A step is durable before it is reported, and before what depends on it starts.
//! - A step that was confirmed is never done again. One that was sent and not confirmed may be sent again.
//! - A step that fails stops what depends on it and nothing else.

mod discreet;
mod event;
mod follow;
mod inner;
mod machine;
mod program;
mod run;
mod settle;

pub use event::{Act, Answer, Call, Command, End, Event, Inside, Progress, Response, Ticket};
pub use machine::{Machine, Settings, Start};
pub use program::{
    Action, Cleanup, Deploy, Enough, Evaluated, Fetched, Live, Need, Program, Put, Read, Retry, Wait, Wanted,
};
pub use run::{Stored, StoredRun};
pub(crate) use settle::ended_record;
pub use settle::is_cancel_requested;
