//! What a machine runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::Value;
use arm::deployment::{Evaluation, Plan, ReadMember, WhatIfDiagnostic};
use contract::Admitted;
use smol_str::SmolStr;
use store::DeploymentKey;

use super::event::Act;
use super::index::StepIndex;
use crate::Failure;
use crate::records::DeploymentRecord;

/// The steps of one deployment. Evaluating one twice with the same answers gives the same result.
pub trait StepProgram: Send + Sync {
    /// Whether it was asked to stop, so that its evaluations fail.
    fn was_canceled(&self) -> bool {
        false
    }

    /// How many steps there are.
    fn steps(&self) -> usize;

    /// The steps that must have ended well before one can start.
    fn depends_on(&self, step: StepIndex) -> &[StepIndex];

    /// What a step wants done, its name for people included.
    fn evaluate(&self, step: StepIndex, live: &KnownResults<'_>) -> StepEvaluation<StepAction>;

    /// What a step deals with, for reports and operations: the id of a resource, and its symbolic name.
    fn subject(&self, step: StepIndex) -> (&str, Option<&str>);

    /// The type and the name of what a step deals with, as far as they are known.
    fn named(&self, _step: StepIndex) -> Option<(&str, &str)> {
        None
    }

    /// The resource that a step leaves behind, for the record of the deployment.
    fn output_resource(&self, step: StepIndex) -> Option<&str>;

    /// Tells whether the state of a step is what its `waitUntil` wants.
    fn is_enough(&self, step: StepIndex, state: &Value, live: &KnownResults<'_>) -> Result<Enough, Failure>;

    /// What `waitUntil` sees of a state, as a message shows it: without secrets.
    fn seen_of(&self, state: &Value) -> String {
        state.to_json()
    }

    /// The option because of which a step that is there already is left alone, as the template writes it.
    fn left_alone_by(&self, _step: StepIndex) -> Option<&str> {
        None
    }

    /// The plan that it was made of; none if it was made of something else.
    fn plan(&self) -> Option<&Plan> {
        None
    }

    /// What there is to say of it before it runs.
    fn diagnostics(&self) -> &[WhatIfDiagnostic] {
        &[]
    }

    /// The names of the options of a step, as the template writes them.
    fn options(&self, _step: StepIndex) -> Vec<&str> {
        Vec::new()
    }

    /// The outputs, once all steps have ended well.
    fn outputs(&self, live: &KnownResults<'_>) -> StepEvaluation<Value>;

    /// The outputs that a run of it left earlier, as somebody kept them, if they are what it declares.
    fn kept_outputs(&self, kept: Value) -> Result<Value, Failure> {
        Ok(kept)
    }

    /// What is deleted at the end, if the deployment is complete and not incremental.
    fn cleanup(&self) -> Option<Cleanup>;
}

/// What became of an evaluation of a program: it asks providers, and fails as steps do.
pub type StepEvaluation<T> = Evaluation<T, ProviderQuestion, Failure>;

/// What a step wants done.
pub enum StepAction {
    /// Put a resource, and wait for it if its policy says so.
    Put(Arc<PutRequest>),
    /// Read a resource that must be there.
    Read(ReadRequest),
    /// Run another deployment, of which this step is the place in the outer one.
    Deploy(Box<Deploy>),
    /// Do nothing: it only stands between others.
    Nothing,
}

/// A resource to put.
#[derive(Clone, Debug, PartialEq)]
pub struct PutRequest {
    /// Its id; that of a resource of an extension begins with `extension/`.
    pub id: SmolStr,
    /// Its type, with those of its parents, such as `Our.Things/things/parts`.
    pub kind: SmolStr,
    /// The version of the API.
    pub api_version: SmolStr,
    /// What to put, secrets included.
    pub body: Admitted<Value>,
    /// What it wants beyond the put.
    pub wanted: StepPolicy,
    /// The extension that it is of, by the name that it has everywhere; none if it is of no extension.
    pub extension: Option<SmolStr>,
}

/// What a step wants beyond being done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepPolicy {
    /// Do nothing if it is there already.
    pub only_if_missing: bool,
    /// Change what is there and leave the rest as it is, instead of putting all of it.
    pub patch: bool,
    /// Try again after some errors.
    pub retry: Option<Retry>,
    /// Wait until the program says that it is enough.
    pub wait: Option<Wait>,
    /// Options that the engine does not know, for the provider.
    pub others: Vec<(SmolStr, Value)>,
    /// What the template reads of the outputs of a script, for providers that run none.
    pub script_outputs: Arc<[ReadMember]>,
}

/// How long to wait for a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The time after which waiting fails, in milliseconds.
    pub milliseconds: u64,
    /// As the template writes it.
    pub written: SmolStr,
}

/// Whether a state is what is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enough {
    /// The state is what is waited for.
    Yes,
    /// It may still become what is waited for.
    NotYet,
    /// It cannot be told from this state, for this reason.
    Unclear(String),
}

/// When to try again.
#[derive(Clone, Debug, PartialEq)]
pub struct Retry {
    /// The codes of errors that are worth it, compared without case.
    pub codes: Vec<SmolStr>,
    /// How many further attempts there are.
    pub attempts: u32,
}

/// A resource to read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRequest {
    /// The id of the resource.
    pub id: SmolStr,
    /// The version of the API.
    pub api_version: SmolStr,
    /// Whether it may be missing.
    pub may_be_missing: bool,
}

/// A deployment inside another one.
pub struct Deploy {
    /// Where it is found.
    pub key: DeploymentKey,
    /// What its steps are and what each of them does.
    pub program: Arc<dyn StepProgram>,
    /// Its record before it begins.
    pub record: DeploymentRecord,
    /// Its id as a resource, in which its scope and its name are.
    pub id: SmolStr,
    /// The version of the API.
    pub api_version: SmolStr,
    /// What it wants beyond being run.
    pub wanted: StepPolicy,
    /// What it links to and was read just now, by address: it becomes durable before the deployment starts.
    pub links: Vec<(SmolStr, Arc<str>)>,
}

/// What is deleted when a complete deployment has put everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cleanup {
    /// The id of the group that is cleaned.
    pub below: SmolStr,
    /// How many segments an id has behind that if it is one that goes; none if all do.
    pub segments: Option<usize>,
    /// The ids that stay, in lower case.
    pub keep: BTreeSet<String>,
}

/// Something that an evaluation has to know of a resource, and that its provider is asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProviderQuestion {
    /// The state of a resource.
    Get {
        /// The id of the resource to read.
        id: SmolStr,
        /// The version of the API.
        api_version: SmolStr,
    },
    /// The result of an action.
    Action(Act),
}

/// What was fetched: the body, nothing where there is no such resource, or why it could not be fetched.
pub type Fetched = Result<Option<Value>, Failure>;

/// What is known while a deployment runs.
#[derive(Clone, Copy)]
pub struct KnownResults<'l> {
    pub(super) states: &'l [Option<Value>],
    pub(super) fetched: &'l BTreeMap<ProviderQuestion, Fetched>,
}

impl<'l> KnownResults<'l> {
    /// What is known so far: the state that each step ended with, and what was fetched.
    pub fn new(
        states: &'l [Option<Value>],
        fetched: &'l BTreeMap<ProviderQuestion, Fetched>,
    ) -> KnownResults<'l> {
        KnownResults { states, fetched }
    }

    /// The state that a step ended with.
    pub fn state(&self, step: StepIndex) -> Option<&'l Value> {
        self.states.get(step.get()).and_then(Option::as_ref)
    }

    /// What was fetched for a question; none if it was not asked yet.
    pub fn fetched(&self, need: &ProviderQuestion) -> Option<&'l Fetched> {
        self.fetched.get(need)
    }
}
