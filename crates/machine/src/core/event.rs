//! What a machine hears and says.

use std::sync::Arc;

use arm::Value;
use smol_str::SmolStr;

use super::index::{RunIndex, StepIndex};
use super::program::{ProviderQuestion, PutRequest, StepProgram};
use crate::Failure;
use crate::records::{Record, RunEnd};

/// The name of something that was asked for; the answer carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// What has happened outside the machine, as its runtime tells it.
#[derive(Clone, Debug)]
pub enum Event {
    /// A provider has answered.
    Answered {
        /// The ticket of the [`Command::Call`] that it answers.
        ticket: Ticket,
        /// What the provider said.
        answer: ProviderReply,
    },
    /// A time is over.
    Fired {
        /// The ticket of the [`Command::Wait`] that is over.
        ticket: Ticket,
    },
    /// A batch is durable.
    Durable {
        /// The number of the [`Command::Persist`]; those before it are durable, too.
        batch: u64,
    },
    /// A batch was not written: a deployment of that name is under way, or what the batch was made from has changed.
    Conflict {
        /// The number of the [`Command::Persist`].
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
    /// Ask a provider; the answer is [`Event::Answered`].
    Call {
        /// What the answer carries.
        ticket: Ticket,
        /// The question, which may be asked again after a crash.
        call: ProviderCall,
    },
    /// Let time pass; [`Event::Fired`] says that it has.
    Wait {
        /// What the event carries.
        ticket: Ticket,
        /// For how long, in milliseconds of the machine's time.
        milliseconds: u64,
    },
    /// Make records durable, as a whole, after the batches before.
    Persist {
        /// What the event carries.
        batch: u64,
        /// What to keep; a later record of the same thing replaces an earlier one.
        records: Vec<Record>,
        /// Whether it begins a deployment, which is only allowed if none of that name is under way.
        begins: bool,
    },
    /// Tell whoever watches what goes on.
    Report(RunProgress),
    /// The deployment has ended and is durable: there is nothing more to do.
    Stop(RunEnd),
}

/// A question to a provider.
#[derive(Clone, Debug, PartialEq)]
pub enum ProviderCall {
    /// The state of a resource.
    Get {
        /// The id of the resource to read.
        id: SmolStr,
        /// The version of the API.
        api_version: SmolStr,
    },
    /// Put a resource, or change a part of it if its policy says so.
    Put(Arc<PutRequest>),
    /// Delete a resource; one that is not there is no error.
    Delete {
        /// The id of the resource to delete.
        id: SmolStr,
    },
    /// The ids of the resources below another one.
    List {
        /// What their ids begin with.
        below: SmolStr,
    },
    /// Call an action of a resource.
    Action(Act),
}

impl From<ProviderQuestion> for ProviderCall {
    fn from(question: ProviderQuestion) -> ProviderCall {
        match question {
            ProviderQuestion::Get { id, api_version } => ProviderCall::Get { id, api_version },
            ProviderQuestion::Action(act) => ProviderCall::Action(act),
        }
    }
}

/// A call of an action of a resource, such as `listKeys`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
pub enum ProviderReply {
    /// It is done, and this is what became of it.
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

/// What a deployment inside another one runs, for those who name its steps.
#[derive(Clone)]
pub struct NestedProgram(pub Arc<dyn StepProgram>);

impl std::fmt::Debug for NestedProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} steps", self.0.steps())
    }
}

impl PartialEq for NestedProgram {
    fn eq(&self, other: &NestedProgram) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What people who watch see. A step is named by its deployment and its place in that.
#[derive(Clone, Debug, PartialEq)]
pub enum RunProgress {
    /// A deployment inside another one began, as a step of it.
    Began {
        /// The place that the deployment has in this run; the outermost one is the first.
        run: RunIndex,
        /// The step that it is.
        within: (RunIndex, StepIndex),
        /// What it runs, to name its steps by.
        inside: NestedProgram,
    },
    /// A step began, or began again.
    Started {
        /// The deployment and the step in it.
        step: (RunIndex, StepIndex),
        /// Which attempt, from 1.
        attempt: u32,
    },
    /// A step waits before it goes on.
    Waiting {
        /// The deployment and the step in it.
        step: (RunIndex, StepIndex),
        /// How long, in milliseconds.
        milliseconds: u64,
        /// The reason, in words for people.
        why: SmolStr,
    },
    /// A step has ended and is durable.
    Ended {
        /// The deployment and the step in it.
        step: (RunIndex, StepIndex),
        /// What went wrong, if anything.
        failure: Option<Failure>,
        /// Whether nothing had to be done.
        skipped: bool,
    },
    /// A step will never start.
    NotStarted {
        /// The deployment and the step in it.
        step: (RunIndex, StepIndex),
    },
    /// A resource was deleted.
    Deleted {
        /// The complete deployment that does not name the resource.
        run: RunIndex,
        /// The id of the resource.
        id: SmolStr,
    },
}
