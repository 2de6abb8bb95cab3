//! A server in place of the state on this machine.

use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, DeploymentMode, Links};
use diagnostics::printable;
use engine::{Engine, WhatIf};
use store::RunId;

use super::{DeploymentCounts, DeploymentOutcome, RunView, Target};
use crate::common::Form;
use crate::exit::CommandError;
use crate::output::Streams;
use crate::remote::{Remote, TargetError};

pub(super) struct ServerTarget(pub(super) Remote);

impl ServerTarget {
    /// It goes on with what was interrupted when it starts.
    fn resumes_by_itself() -> TargetError {
        let message = "a server resumes interrupted deployments by itself; leave out `--resume`";
        TargetError::Unreachable(CommandError::Usage(message.to_owned()))
    }
}

impl Target for ServerTarget {
    fn predict(&self, deployment: &Arc<Deployment>, mode: DeploymentMode) -> Result<WhatIf, TargetError> {
        self.0.what_if(deployment, mode)
    }

    /// For people it is asked beforehand what would change, so that they are told what did.
    fn deploy(
        &self,
        deployment: &Arc<Deployment>,
        mode: DeploymentMode,
        view: &mut RunView<'_>,
        streams: &mut Streams,
    ) -> Result<DeploymentOutcome, TargetError> {
        let is_told = view.common.form() == Form::Text && !view.common.quiet;
        self.0.make_group(deployment)?;
        let predicted = if is_told { Some(self.0.what_if(deployment, mode)?) } else { None };
        let done = self.0.deploy(deployment, mode)?;
        let mut did = DeploymentCounts::default();
        if let Some(predicted) = predicted {
            for diagnostic in &predicted.diagnostics {
                streams.print_error(&format!("{}\n", printable(&diagnostic.to_string())))?;
            }
            (did.steps.failed, did.steps.not_started) = done.undone(deployment);
            did.steps.there = predicted.changes.iter().filter(|change| change.left_alone).count();
            did.changes = done.changes(&predicted);
            did.diagnostics = predicted.diagnostics;
        }
        let elsewhere = done.ran();
        Ok(DeploymentOutcome { ended: done.ended, did, elsewhere, timeline: Some(done.timeline) })
    }

    fn engine_here(&self) -> Result<Option<&Arc<Engine>>, TargetError> {
        Ok(None)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn deployments(&self) -> Result<Vec<Value>, TargetError> {
        self.0.kept("deployments", "")
    }

    fn resources(&self) -> Result<Option<Vec<String>>, TargetError> {
        let listed = self.0.kept("resources", "")?;
        let id = |item: &Value| Some(item.as_object()?.get("id")?.as_str()?.to_owned());
        Ok(Some(listed.iter().filter_map(id).collect()))
    }

    fn find(&self, word: &str) -> Result<Option<String>, TargetError> {
        match self.0.kept_item(word) {
            Ok(item) => Ok(Some(item.id)),
            Err(TargetError::Failure(failure)) if failure.code.contains("NotFound") => Ok(None),
            Err(refused) => Err(refused),
        }
    }

    fn delete(&self, id: &str) -> Result<(), TargetError> {
        self.0.delete_kept(id)
    }

    fn forget(&self, id: &str) -> Result<(), TargetError> {
        self.0.delete_kept(id)
    }

    /// A server has the resources of all its deployments.
    fn check_places(&self, _: &[String]) -> Result<(), TargetError> {
        Ok(())
    }

    fn interrupted(&self, _: Option<&str>) -> Result<Vec<RunId>, TargetError> {
        Err(ServerTarget::resumes_by_itself())
    }

    fn resume(
        &self,
        _: RunId,
        _: &Links,
        _: &mut RunView<'_>,
        _: &mut Streams,
    ) -> Result<DeploymentOutcome, TargetError> {
        Err(ServerTarget::resumes_by_itself())
    }
}
