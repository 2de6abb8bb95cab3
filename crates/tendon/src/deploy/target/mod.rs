//! Where a deployment goes: the state on this machine, a server, or an ARM endpoint.
//!
//! Commands know no more of it than [`Target`]. Each target is a file, and [`TargetArguments::open`] says which one is meant.

mod endpoint;
mod engine_run;
mod kept;
mod local;
mod server;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ::server::{Recorder, StepSummary};
use arm::Value;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode, Links, WhatIfDiagnostic};
use engine::core::MachineSettings;
use engine::{ChangeKind, Clock, DeploymentResult, Engine, WhatIf};
use store::RunId;

use super::load::Loader;
use super::resource_names::ResourceNames;
use super::tree::Counts;
use crate::cloud::EndpointOptions;
use crate::common::Common;
use crate::compile::CompileOptions;
use crate::exit::CommandError;
use crate::local_state::TypeOptions;
use crate::output::Streams;
use crate::remote::{BackendOptions, TargetError, Timeline};

pub(crate) use endpoint::EndpointTarget;
use local::LocalTarget;
use server::ServerTarget;

/// A place that deployments go to.
pub(crate) trait Target: Sync {
    /// What a deployment knows of its surroundings there, made of what it would know on this machine.
    fn within(&self, context: DeploymentContext) -> DeploymentContext {
        context
    }

    /// Whether resources are only kept in the state on this machine, so that what their services would know is made up.
    fn is_simulated(&self) -> bool {
        false
    }

    /// Learns what the program calls the resources of the next deployment, also where its template does not say it.
    fn name_resources(&self, _names: &ResourceNames) {}

    /// The id of the resource that a word is the symbolic name of; none if it is of none.
    fn find(&self, _word: &str) -> Result<Option<String>, TargetError> {
        Ok(None)
    }

    /// Predicts what a deployment would change, and changes nothing.
    fn predict(&self, deployment: &Arc<Deployment>, mode: DeploymentMode) -> Result<WhatIf, TargetError>;

    /// Deploys, shows the steps as they are done, and waits for the end.
    fn deploy(
        &self,
        deployment: &Arc<Deployment>,
        mode: DeploymentMode,
        view: &mut RunView<'_>,
        streams: &mut Streams,
    ) -> Result<DeploymentOutcome, TargetError>;

    /// The engine on this machine, with the key that seals plans; none if the engine is elsewhere.
    fn engine_here(&self) -> Result<Option<&Arc<Engine>>, TargetError>;

    /// Whether others deploy there as well.
    fn is_shared(&self) -> bool {
        false
    }

    /// The deployments that are kept there, as the REST API shows them.
    fn deployments(&self) -> Result<Vec<Value>, TargetError>;

    /// The ids of the resources that are there; none if they cannot be listed.
    fn resources(&self) -> Result<Option<Vec<String>>, TargetError>;

    /// Deletes a resource or a resource group with what is inside it, and waits until it is gone. What is not there is gone.
    fn delete(&self, id: &str) -> Result<(), TargetError>;

    /// Forgets a deployment; its resources stay.
    fn forget(&self, id: &str) -> Result<(), TargetError>;

    /// Refuses deployments whose resources are elsewhere, by their ids: what deletes resources here would only lose track of those.
    fn check_places(&self, deployments: &[String]) -> Result<(), TargetError>;

    /// The deployments that a killed process left, or the one of a name.
    fn interrupted(&self, name: Option<&str>) -> Result<Vec<RunId>, TargetError>;

    /// Resumes a deployment that was interrupted.
    fn resume(
        &self,
        run: RunId,
        links: &Links,
        view: &mut RunView<'_>,
        streams: &mut Streams,
    ) -> Result<DeploymentOutcome, TargetError>;
}

/// What is shown and kept of a deployment while it runs.
pub(crate) struct RunView<'v> {
    pub(crate) common: &'v Common,
    /// Whether its steps are kept.
    pub(crate) is_recorded: bool,
    /// The steps, as far as it came; those of a server are in the outcome.
    pub(crate) recorder: Option<Recorder>,
}

/// How a deployment ended.
pub(crate) struct DeploymentOutcome {
    pub(crate) ended: DeploymentResult,
    pub(crate) did: DeploymentCounts,
    /// What a server did.
    pub(crate) elsewhere: Vec<StepSummary>,
    /// When it did it.
    pub(crate) timeline: Option<Timeline>,
}

/// What a deployment did.
#[derive(Default)]
pub(crate) struct DeploymentCounts {
    pub(crate) steps: Counts,
    pub(crate) changes: BTreeMap<ChangeKind, usize>,
    /// How many resources of an endpoint were put that were there; it does not say whether they changed.
    pub(crate) updated: usize,
    /// What there was to say of it beforehand.
    pub(crate) diagnostics: Vec<WhatIfDiagnostic>,
}

impl DeploymentCounts {
    /// What it did, in words.
    pub(crate) fn words(&self) -> String {
        let count = |kind: ChangeKind| self.changes.get(&kind).copied().unwrap_or(0);
        let parts = [
            (count(ChangeKind::Create), "created"),
            (count(ChangeKind::Modify), "changed"),
            (self.updated, "updated"),
            (count(ChangeKind::NoChange) + self.steps.there, "unchanged"),
            (count(ChangeKind::Delete), "deleted"),
            (self.steps.failed, "failed"),
            (self.steps.not_started, "not started"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if parts.is_empty() { "no resources".to_owned() } else { parts.join(", ") }
    }
}

/// Which target is meant.
#[derive(Debug, clap::Args)]
pub(crate) struct TargetArguments {
    #[command(flatten)]
    place: BackendOptions,
    #[command(flatten)]
    endpoint: EndpointOptions,
}

/// What a target is made with.
pub(crate) struct TargetSetup<'t> {
    /// The file that is deployed, in whose project the state is; none if an old deployment is resumed.
    pub(crate) file: Option<&'t Path>,
    pub(crate) loader: &'t Loader<'t>,
    pub(crate) compile: &'t CompileOptions,
    pub(crate) types: TypeOptions,
    pub(crate) purpose: TargetPurpose,
}

/// What a target is for.
#[derive(Clone, Copy)]
pub(crate) enum TargetPurpose {
    Prediction,
    Deployment {
        settings: MachineSettings,
        /// The clock that was asked for.
        clock: Option<Clock>,
        /// Whether a new one is made, and not an old one resumed.
        is_new: bool,
    },
}

impl TargetArguments {
    /// Whether it is the state on this machine, for a file.
    pub(crate) fn is_local(&self, file: Option<&Path>) -> Result<bool, CommandError> {
        let place = self.place.of_file(file);
        Ok(!self.endpoint.is_meant(Some(&place))? && place.server()?.is_none())
    }

    /// Says where earlier versions kept the state, if that of this machine is meant and there is none yet.
    pub(crate) fn note_earlier(
        &self,
        file: Option<&Path>,
        common: &Common,
        streams: &Streams,
    ) -> Result<(), CommandError> {
        if self.is_local(file)? {
            self.place.state.of_file(file).note_earlier(common, streams)?;
        }
        Ok(())
    }

    /// The target, if one is named; none if nothing is to be looked up.
    pub(crate) fn open_if_meant<'t>(
        &'t self,
        setup: TargetSetup<'t>,
    ) -> Result<Option<Box<dyn Target + 't>>, TargetError> {
        let place = self.place.of_file(setup.file);
        if self.endpoint.is_meant(Some(&place))? {
            return Ok(Some(Box::new(EndpointTarget::without_state(&self.endpoint, &setup)?)));
        }
        if place.server()?.is_none() && !place.state.is_named() {
            return Ok(None);
        }
        self.open(setup).map(Some)
    }

    /// The target that is meant.
    pub(crate) fn open<'t>(&'t self, setup: TargetSetup<'t>) -> Result<Box<dyn Target + 't>, TargetError> {
        let place = self.place.of_file(setup.file);
        if self.endpoint.is_meant(Some(&place))? {
            return Ok(Box::new(EndpointTarget::open(&self.endpoint, &place.state, &setup)?));
        }
        Ok(match place.server()? {
            Some(_) if setup.loader.mocks_of_resources().is_some() => {
                let name = setup.loader.mocks_of_resources().unwrap_or_default();
                let message = format!(
                    "the mocks have results of `{name}`, and a server has resources of its own; leave them out, or use the state on this machine"
                );
                return Err(CommandError::Usage(message).into());
            }
            Some(remote) => Box::new(ServerTarget(remote)),
            None => Box::new(LocalTarget::new(place.state, setup)),
        })
    }
}
