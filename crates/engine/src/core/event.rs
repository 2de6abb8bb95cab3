//! What a machine hears and says.

use std::sync::Arc;

use arm::Value;
use smol_str::SmolStr;

use super::program::{Program, Put};
use crate::Failure;
use crate::records::Record;

/// The name of something that was asked for; the answer carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// What has happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A provider has answered.
    Answered {
        /// What was asked.
        ticket: Ticket,
        /// What it said.
        answer: Answer,
    },
    /// A time is over.
    Fired {
        /// Which.
        ticket: Ticket,
    },
    /// A batch is durable.
    Durable {
        /// Which.
        batch: u64,
    },
    /// A batch was not written: a deployment of that name is under way, or what the batch was made from has changed.
    Conflict {
        /// Which.
        batch: u64,
    },
    /// Another has taken the deployment over: nothing more can be written.
    Fenced,
    /// Somebody wants the deployment to stop.
    Cancel,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub enum Command {
    /// Ask a provider.
    Call {
        /// What the answer carries.
        ticket: Ticket,
        /// What to ask.
        call: Call,
    },
    /// Let time pass.
    Wait {
        /// What the event carries.
        ticket: Ticket,
        /// How long.
        milliseconds: u64,
    },
    /// Make records durable, as a whole, after the batches before.
    Persist {
        /// What the event carries.
        batch: u64,
        /// What to keep.
        records: Vec<Record>,
        /// Whether it begins a deployment, which is only allowed if none of that name is under way.
        begins: bool,
    },
    /// Tell whoever watches.
    Report(Progress),
    /// The deployment has ended and is durable: there is nothing more to do.
    Stop(End),
}

/// A question to a provider.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// The state of a resource.
    Get {
        /// Its id.
        id: SmolStr,
        /// The version of the API.
        api_version: SmolStr,
    },
    /// Put a resource.
    Put(Arc<Put>),
    /// Delete a resource.
    Delete {
        /// Its id.
        id: SmolStr,
    },
    /// The ids of the resources below another one.
    List {
        /// That one.
        below: SmolStr,
    },
    /// Call an action of a resource.
    Action(Act),
}

/// A call of an action of a resource, such as `listKeys`.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// The id of the resource.
    pub id: SmolStr,
    /// The name of the action.
    pub action: SmolStr,
    /// The version of the API.
    pub api_version: SmolStr,
    /// What is sent along: JSON, or nothing.
    pub body: SmolStr,
}

/// What a provider says.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It is done.
    Done(Response),
    /// It goes on; ask for the state after a while.
    Running {
        /// How long to wait, in milliseconds.
        after: u64,
    },
    /// There is no such resource.
    Missing,
    /// It cannot be done.
    Failed(Failure),
}

/// What a provider did.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The state of the resource, the result of an action, or the ids of a list.
    pub body: Value,
    /// What has to become durable with the step: the state of local resources.
    pub writes: Vec<Record>,
}

impl Default for Response {
    fn default() -> Response {
        Response { body: Value::Null, writes: Vec::new() }
    }
}

/// How a deployment ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Everything was done; the outputs.
    Succeeded(Value),
    /// Something was not done.
    Failed(Failure),
    /// Somebody cancelled it.
    Canceled,
    /// Another has taken it over; how it ends is not for us to say.
    Lost,
}

/// What a deployment inside another one runs, for those who name its steps.
#[derive(Clone)]
pub struct Inside(pub Arc<dyn Program>);

impl std::fmt::Debug for Inside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} steps", self.0.steps())
    }
}

impl PartialEq for Inside {
    fn eq(&self, other: &Inside) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What people who watch see. A step is named by its deployment, the outermost being 0, and its number.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// A deployment inside another one began, as a step of it.
    Began {
        /// Which deployment.
        run: usize,
        /// The step that it is.
        within: (usize, usize),
        /// What it runs.
        inside: Inside,
    },
    /// A step began, or began again.
    Started {
        /// The step.
        step: (usize, usize),
        /// Which attempt, from 1.
        attempt: u32,
    },
    /// A step waits before it goes on.
    Waiting {
        /// The step.
        step: (usize, usize),
        /// How long, in milliseconds.
        milliseconds: u64,
        /// Why.
        why: SmolStr,
    },
    /// A step has ended and is durable.
    Ended {
        /// The step.
        step: (usize, usize),
        /// What went wrong, if anything.
        failure: Option<Failure>,
        /// Whether nothing had to be done.
        skipped: bool,
    },
    /// A step will never start.
    NotStarted {
        /// The step.
        step: (usize, usize),
    },
    /// A resource was deleted.
    Deleted {
        /// The deployment.
        run: usize,
        /// The resource.
        id: SmolStr,
    },
}
