//! Where the state is, and what commands ask of it: the folder on this machine, or a server.

use std::sync::Arc;

use arm::Value;
use engine::provider::Types;
use engine::state::{self, EVERYTHING};
use engine::{Engine, Refused as Untold};
use store::Page;

use crate::deploy::TypeOptions;
use crate::exit::Failure;
use crate::remote::{Place, Refused, Remote};
use crate::runtime;

/// Which deployment or resource is meant, and where it is.
#[derive(Debug, clap::Args)]
pub(super) struct ItemOptions {
    /// The id of a resource or deployment, or the name of a deployment
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    place: Place,
}

impl ItemOptions {
    /// It, and the state that it is in.
    pub(super) fn find(&self) -> Result<(Item, Kept), Failure> {
        let kept = self.place.open()?;
        Ok((kept.item(&self.id)?, kept))
    }
}

/// A state.
pub(super) enum Kept {
    /// On this machine.
    Here(Arc<Engine>),
    /// On a server.
    There(Remote),
}

/// A deployment or a resource.
pub(crate) struct Item {
    /// Its id.
    pub(crate) id: String,
    /// Whether it is a deployment.
    pub(crate) is_deployment: bool,
    /// Whether it is a deployment that is under way.
    pub(crate) is_active: bool,
    /// The whole of it.
    pub(crate) body: Value,
}

impl Item {
    /// The last part of its id.
    pub(super) fn name(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or_default()
    }
}

impl Place {
    /// Opens it.
    pub(super) fn open(&self) -> Result<Kept, Failure> {
        match self.server()? {
            Some(remote) => Ok(Kept::There(remote)),
            None => {
                let engine = self.state.server_engine(Arc::new(Types::none()), &TypeOptions::default())?;
                Ok(Kept::Here(Arc::new(engine)))
            }
        }
    }
}

/// What a command says if something was not done.
fn failure(refused: impl Into<Refused>) -> Failure {
    match refused.into() {
        Refused::Unreachable(failure) => failure,
        Refused::Failure(failure) if failure.code == "AmbiguousName" => Failure::Usage(failure.message),
        Refused::Failure(failure) => Failure::Environment(failure.message),
    }
}

impl Kept {
    /// The deployments below an id, the newest first.
    pub(super) fn deployments(&self, below: &str) -> Result<Vec<Value>, Failure> {
        match self {
            Kept::Here(engine) => {
                let listed = state::deployments(&*engine.store, below, Page::ALL, EVERYTHING);
                Ok(listed.map_err(failure)?.items)
            }
            Kept::There(remote) => remote.kept("deployments", below).map_err(failure),
        }
    }

    /// The resources below an id, in the order of their ids.
    pub(super) fn resources(&self, below: &str) -> Result<Vec<Value>, Failure> {
        match self {
            Kept::Here(engine) => {
                let listed = state::resources(&*engine.store, below, Page::ALL, EVERYTHING);
                Ok(listed.map_err(failure)?.items)
            }
            Kept::There(remote) => remote.kept("resources", below).map_err(failure),
        }
    }

    /// What an id or a name stands for.
    pub(super) fn item(&self, id: &str) -> Result<Item, Failure> {
        match self {
            Kept::Here(engine) => {
                let item = state::find(&*engine.store, id, EVERYTHING).map_err(failure)?;
                Ok(Item {
                    id: item.id(),
                    is_deployment: matches!(item, state::Item::Deployment(_)),
                    is_active: item.is_active(),
                    body: item.shown(&*engine.store).map_err(failure)?,
                })
            }
            Kept::There(remote) => remote.kept_item(id).map_err(failure),
        }
    }

    /// Deletes what was found; what has gone meanwhile is gone.
    pub(super) fn delete(&self, item: &Item) -> Result<(), Failure> {
        let engine = match self {
            Kept::There(remote) => return remote.delete_kept(&item.id).map_err(failure),
            Kept::Here(engine) => engine,
        };
        runtime::start()?.block_on(async {
            let deleted: Result<(), Untold> = match state::find(&*engine.store, &item.id, EVERYTHING) {
                Ok(state::Item::Deployment(deployment)) => engine.delete_deployment(&deployment.key).await,
                Ok(state::Item::Resource(resource)) => engine.delete_resource(&resource.id).await.map(drop),
                Err(refused) => Err(refused),
            };
            deleted.map_err(failure)
        })
    }
}
