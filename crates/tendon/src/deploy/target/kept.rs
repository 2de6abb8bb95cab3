//! What an engine on this machine keeps, and how it is deleted.

use std::sync::Arc;

use arm::Value;
use arm::evaluate::Scope;
use engine::state::{self, EVERYTHING, StateItem};
use engine::{Engine, StartError};
use store::Page;

use crate::remote::TargetError;
use crate::runtime;

/// The deployments, as the REST API shows them.
pub(super) fn deployments(engine: &Engine) -> Result<Vec<Value>, TargetError> {
    Ok(state::deployments(&*engine.store, "", Page::ALL, EVERYTHING)?.items)
}

/// The ids of the resources.
pub(super) fn resources(engine: &Engine) -> Result<Vec<String>, TargetError> {
    let kept = engine.store.resources("/", Page::ALL).map_err(StartError::from)?;
    Ok(kept.into_iter().map(|resource| resource.id).collect())
}

/// The id of the resource that a word is the symbolic name of; none if it is of none.
pub(super) fn find(engine: &Engine, word: &str) -> Result<Option<String>, TargetError> {
    match state::find(&*engine.store, word, EVERYTHING) {
        Ok(item) => Ok(Some(item.id())),
        Err(StartError::Failure(failure)) if failure.code == "NotFound" => Ok(None),
        Err(refused) => Err(refused.into()),
    }
}

/// Deletes a resource, or a resource group with the records of its deployments.
pub(super) fn delete(engine: &Arc<Engine>, id: &str) -> Result<(), TargetError> {
    let is_group = matches!(Scope::parse(id), Some(Scope::ResourceGroup { .. }));
    let runtime = runtime::start()?;
    Ok(runtime.block_on(async {
        if is_group { engine.delete_group(id).await } else { engine.delete_resource(id).await.map(drop) }
    })?)
}

pub(super) fn forget(engine: &Arc<Engine>, id: &str) -> Result<(), TargetError> {
    let StateItem::Deployment(deployment) = state::find(&*engine.store, id, EVERYTHING)? else {
        return Ok(());
    };
    Ok(runtime::start()?.block_on(engine.delete_deployment(&deployment.key))?)
}

/// The versions of APIs that deployments have used, by types.
pub(super) fn api_versions(engine: &Engine, ids: &[String]) -> Result<Vec<(String, String)>, TargetError> {
    let mut versions = Vec::new();
    for id in ids {
        if let StateItem::Deployment(deployment) = state::find(&*engine.store, id, EVERYTHING)? {
            versions.extend(state::api_versions(&engine.store, &deployment)?);
        }
    }
    Ok(versions)
}

/// Refuses deployments whose resources are not those of the engine: once they are forgotten, nobody finds their resources.
pub(super) fn check_places(engine: &Engine, ids: &[String]) -> Result<(), TargetError> {
    for id in ids {
        if let StateItem::Deployment(deployment) = state::find(&*engine.store, id, EVERYTHING)? {
            engine.check_kept_place(&deployment)?;
        }
    }
    Ok(())
}
