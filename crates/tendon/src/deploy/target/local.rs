//! The state on this machine, and the engine on it.

use std::sync::{Arc, OnceLock};

use arm::Value;
use arm::deployment::{Deployment, DeploymentMode, Links};
use engine::core::MachineSettings;
use engine::provider::SymbolicNames;
use engine::{Clock, Engine, WhatIf};
use store::RunId;

use super::super::resource_names::ResourceNames;
use super::engine_run::EngineRun;
use super::kept;
use super::{DeploymentOutcome, RunView, Target, TargetPurpose, TargetSetup};
use crate::exit::CommandError;
use crate::local_state::StateOptions;
use crate::output::Streams;
use crate::remote::TargetError;
use crate::runtime;

/// The state on this machine; it is opened when it is needed, so that a file with errors leaves none behind.
pub(super) struct LocalTarget<'t> {
    state: StateOptions,
    setup: TargetSetup<'t>,
    names: SymbolicNames,
    engine: OnceLock<Arc<Engine>>,
}

impl<'t> LocalTarget<'t> {
    pub(super) fn new(state: StateOptions, setup: TargetSetup<'t>) -> LocalTarget<'t> {
        LocalTarget { state, setup, names: SymbolicNames::default(), engine: OnceLock::new() }
    }

    fn engine(&self) -> Result<&Arc<Engine>, CommandError> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let TargetSetup { loader, compile, types, purpose, .. } = &self.setup;
        // A script is not kept with a deployment: how far it had come is not known when it is resumed.
        let script = loader.script();
        let (settings, clock) = match purpose {
            TargetPurpose::Prediction => (MachineSettings::default(), Clock::Virtual),
            TargetPurpose::Deployment { settings, clock: Some(clock), .. } => (*settings, *clock),
            // A script is not waited for unless somebody wants to.
            TargetPurpose::Deployment { settings, clock: None, .. } if script.is_some() => {
                (*settings, Clock::Virtual)
            }
            TargetPurpose::Deployment { settings, clock: None, .. } => (*settings, Clock::Real),
        };
        let known = compile.engine_types(loader.compiler());
        let engine = self.state.engine(settings, clock, known, script, self.names.clone(), types)?;
        Ok(self.engine.get_or_init(|| Arc::new(engine)))
    }

    fn run(&self) -> Result<EngineRun<'_>, CommandError> {
        Ok(EngineRun { engine: self.engine()?, counts_changes: true, on_cancel: &|| {} })
    }
}

impl Target for LocalTarget<'_> {
    fn is_simulated(&self) -> bool {
        true
    }

    fn name_resources(&self, names: &ResourceNames) {
        for (id, name) in names {
            name.symbol.iter().for_each(|symbol| self.names.insert(id, symbol));
        }
    }

    fn find(&self, word: &str) -> Result<Option<String>, TargetError> {
        kept::find(self.engine()?, word)
    }

    fn predict(&self, deployment: &Arc<Deployment>, mode: DeploymentMode) -> Result<WhatIf, TargetError> {
        let engine = self.engine()?;
        Ok(runtime::start()?.block_on(engine.what_if(Arc::clone(deployment), mode))?)
    }

    fn deploy(
        &self,
        deployment: &Arc<Deployment>,
        mode: DeploymentMode,
        view: &mut RunView<'_>,
        streams: &mut Streams,
    ) -> Result<DeploymentOutcome, TargetError> {
        self.run()?.deploy(deployment, mode, view, streams)
    }

    fn engine_here(&self) -> Result<Option<&Arc<Engine>>, TargetError> {
        Ok(Some(self.engine()?))
    }

    fn deployments(&self) -> Result<Vec<Value>, TargetError> {
        kept::deployments(self.engine()?)
    }

    fn resources(&self) -> Result<Option<Vec<String>>, TargetError> {
        Ok(Some(kept::resources(self.engine()?)?))
    }

    fn delete(&self, id: &str) -> Result<(), TargetError> {
        kept::delete(self.engine()?, id)
    }

    fn forget(&self, id: &str) -> Result<(), TargetError> {
        kept::forget(self.engine()?, id)
    }

    fn check_places(&self, deployments: &[String]) -> Result<(), TargetError> {
        kept::check_places(self.engine()?, deployments)
    }

    fn interrupted(&self, name: Option<&str>) -> Result<Vec<RunId>, TargetError> {
        Ok(self.engine()?.cut_off(name)?)
    }

    fn resume(
        &self,
        run: RunId,
        links: &Links,
        view: &mut RunView<'_>,
        streams: &mut Streams,
    ) -> Result<DeploymentOutcome, TargetError> {
        let accepted = self.engine()?.resume(run, links)?;
        self.run()?.finish(accepted, view, streams)
    }
}
