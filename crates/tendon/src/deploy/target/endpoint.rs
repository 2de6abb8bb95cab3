//! An ARM endpoint: its resources go there, and the state on this machine keeps the records.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::endpoint::Endpoint;
use arm::Value;
use arm::budget::BudgetLimits;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode, Links};
use diagnostics::printable;
use engine::core::{MachineSettings, ProviderReply};
use engine::provider::Provider;
use engine::{ChangeKind, Clock, Engine, Failure, WhatIf};
use store::{Key, MemoryStore, RunId, Store};

use super::engine_run::EngineRun;
use super::kept;
use super::{DeploymentOutcome, RunView, Target, TargetPurpose, TargetSetup};
use crate::cloud::{Cloud, EndpointOptions};
use crate::exit::CommandError;
use crate::local_state::StateOptions;
use crate::output::Streams;
use crate::process_memory;
use crate::remote::TargetError;
use crate::runtime;

/// An endpoint, and the engine that puts resources there.
pub(crate) struct EndpointTarget {
    cloud: Cloud,
    engine: Arc<Engine>,
}

impl EndpointTarget {
    /// Connects to an endpoint; the state keeps the records.
    pub(super) fn open(
        options: &EndpointOptions,
        state: &StateOptions,
        setup: &TargetSetup<'_>,
    ) -> Result<EndpointTarget, TargetError> {
        if let TargetPurpose::Deployment { clock, .. } = setup.purpose
            && (clock == Some(Clock::Virtual) || setup.loader.script().is_some())
        {
            let message = "an endpoint takes its own time and speaks for itself; leave out `--clock virtual` and mocks with `provider`";
            return Err(CommandError::Usage(message.to_owned()).into());
        }
        let (store, key) = state.open_with_key().map_err(CommandError::from)?;
        EndpointTarget::connect(options, state, store, key, setup)
    }

    /// Connects to an endpoint for predictions, of which nothing is kept, so that they need no state.
    pub(crate) fn without_state(
        options: &EndpointOptions,
        setup: &TargetSetup<'_>,
    ) -> Result<EndpointTarget, TargetError> {
        let key = Key::random().map_err(|error| CommandError::Environment(error.to_string()))?;
        EndpointTarget::connect(options, &StateOptions::default(), Arc::new(MemoryStore::new()), key, setup)
    }

    fn connect(
        options: &EndpointOptions,
        state: &StateOptions,
        store: Arc<dyn Store>,
        key: Key,
        setup: &TargetSetup<'_>,
    ) -> Result<EndpointTarget, TargetError> {
        let types = setup.compile.engine_types(setup.loader.compiler());
        let (settings, is_new) = match setup.purpose {
            TargetPurpose::Prediction => (MachineSettings::default(), true),
            TargetPurpose::Deployment { settings, is_new, .. } => (settings, is_new),
        };
        let scope = setup.loader.scope();
        let cloud = options.connect(state, types, Arc::clone(&store), key.clone(), scope, is_new)?;
        let provider: Arc<dyn Provider> = Arc::<Endpoint>::clone(&cloud.endpoint);
        let engine = Arc::new(Engine {
            store,
            key,
            provider,
            settings,
            clock: Clock::Real,
            budgets: process_memory::budgets(BudgetLimits::DEFAULT),
        });
        Ok(EndpointTarget { cloud, engine })
    }

    /// Runs a deployment. The endpoint counts what it did, and says what goes on there after the end.
    fn counted(
        &self,
        streams: &mut Streams,
        deploy: impl FnOnce(&EngineRun<'_>, &mut Streams) -> Result<DeploymentOutcome, TargetError>,
    ) -> Result<DeploymentOutcome, TargetError> {
        let endpoint = &self.cloud.endpoint;
        let cancel = || endpoint.cancel();
        let run = EngineRun { engine: &self.engine, counts_changes: false, on_cancel: &cancel };
        let mut outcome = deploy(&run, streams);
        if let Ok(DeploymentOutcome { did, .. }) = &mut outcome {
            let counts = endpoint.counts();
            did.changes =
                BTreeMap::from([(ChangeKind::Create, counts.created), (ChangeKind::Delete, counts.deleted)]);
            did.updated = counts.updated;
        }
        for (method, id) in endpoint.under_way() {
            streams.aside(&format!(
                "{}\n",
                printable(&format!("goes on at {}: {method} {id}", endpoint.origin()))
            ));
        }
        outcome
    }
}

impl Target for EndpointTarget {
    fn within(&self, context: DeploymentContext) -> DeploymentContext {
        self.cloud.within(context)
    }

    fn predict(&self, deployment: &Arc<Deployment>, mode: DeploymentMode) -> Result<WhatIf, TargetError> {
        Ok(self.cloud.predict(self.engine.key.clone(), Arc::clone(deployment), mode)??)
    }

    fn deploy(
        &self,
        deployment: &Arc<Deployment>,
        mode: DeploymentMode,
        view: &mut RunView<'_>,
        streams: &mut Streams,
    ) -> Result<DeploymentOutcome, TargetError> {
        self.counted(streams, |run, streams| run.deploy(deployment, mode, view, streams))
    }

    fn engine_here(&self) -> Result<Option<&Arc<Engine>>, TargetError> {
        Ok(Some(&self.engine))
    }

    fn deployments(&self) -> Result<Vec<Value>, TargetError> {
        kept::deployments(&self.engine)
    }

    fn resources(&self) -> Result<Option<Vec<String>>, TargetError> {
        Ok(None)
    }

    fn delete(&self, id: &str) -> Result<(), TargetError> {
        runtime::start()?.block_on(async {
            match self.cloud.endpoint.delete(id).await {
                ProviderReply::Done(_) | ProviderReply::Missing => Ok(()),
                ProviderReply::Failed(failure) => Err(TargetError::Failure(failure)),
                // It waits for the end by itself.
                ProviderReply::Running { .. } => {
                    let message = format!("`{id}` is still being deleted; ask again later");
                    Err(TargetError::Failure(Failure::new("AnotherOperationInProgress", message)))
                }
            }
        })
    }

    fn forget(&self, id: &str) -> Result<(), TargetError> {
        kept::forget(&self.engine, id)
    }

    fn check_places(&self, deployments: &[String]) -> Result<(), TargetError> {
        kept::check_places(&self.engine, deployments)?;
        for (kind, version) in kept::api_versions(&self.engine, deployments)? {
            self.cloud.endpoint.note_version(&kind, &version);
        }
        Ok(())
    }

    fn interrupted(&self, name: Option<&str>) -> Result<Vec<RunId>, TargetError> {
        Ok(self.engine.cut_off(name)?)
    }

    fn resume(
        &self,
        run: RunId,
        links: &Links,
        view: &mut RunView<'_>,
        streams: &mut Streams,
    ) -> Result<DeploymentOutcome, TargetError> {
        let accepted = self.engine.resume(run, links)?;
        self.counted(streams, |run, streams| run.finish(accepted, view, streams))
    }
}
