//! Where the state is, and what commands ask of it: the folder on this machine, or a server.

use std::sync::Arc;

use arm::Value;
use arm::budget::BudgetSource;
use engine::core::RunEnd;
use engine::provider::LazyTypes;
use engine::state::{self, EVERYTHING};
use engine::{Engine, StartError};
use store::{Page, Status};

use crate::exit::CommandError;
use crate::local_state::TypeOptions;
use crate::remote::{BackendOptions, Remote, StoredItem, TargetError};
use crate::runtime;

/// Which deployment or resource is meant, and where it is.
#[derive(Debug, clap::Args)]
pub(super) struct ItemOptions {
    /// The id of a resource or deployment, or the name of a deployment
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    place: BackendOptions,
}

impl ItemOptions {
    /// It, and the state that it is in.
    pub(super) fn find(&self) -> Result<(StoredItem, StateBackend), CommandError> {
        let kept = self.place.open()?;
        Ok((kept.item(&self.id)?, kept))
    }
}

/// A state.
pub(super) enum StateBackend {
    /// On this machine.
    Here(Arc<Engine>),
    /// On a server.
    There(Remote),
}

impl BackendOptions {
    /// Opens it.
    pub(super) fn open(&self) -> Result<StateBackend, CommandError> {
        match self.server()? {
            Some(remote) => Ok(StateBackend::There(remote)),
            None => {
                let engine = self.state.server_engine(
                    Arc::new(LazyTypes::none()),
                    &TypeOptions::default(),
                    BudgetSource::default(),
                )?;
                Ok(StateBackend::Here(Arc::new(engine)))
            }
        }
    }
}

/// What a command says if something was not done.
fn failure(refused: impl Into<TargetError>) -> CommandError {
    match refused.into() {
        TargetError::Unreachable(failure) => failure,
        TargetError::Failure(failure) if failure.code == "AmbiguousName" => {
            CommandError::Usage(failure.message)
        }
        TargetError::Failure(failure) => CommandError::Environment(failure.message),
    }
}

impl StateBackend {
    /// The deployments below an id, the newest first.
    pub(super) fn deployments(&self, below: &str) -> Result<Vec<Value>, CommandError> {
        match self {
            StateBackend::Here(engine) => {
                let listed = state::deployments(&*engine.store, below, Page::ALL, EVERYTHING);
                Ok(listed.map_err(failure)?.items)
            }
            StateBackend::There(remote) => remote.kept("deployments", below).map_err(failure),
        }
    }

    /// The resources below an id, in the order of their ids.
    pub(super) fn resources(&self, below: &str) -> Result<Vec<Value>, CommandError> {
        match self {
            StateBackend::Here(engine) => {
                let listed = state::resources(&*engine.store, below, Page::ALL, EVERYTHING);
                Ok(listed.map_err(failure)?.items)
            }
            StateBackend::There(remote) => remote.kept("resources", below).map_err(failure),
        }
    }

    /// What an id or a name stands for.
    pub(super) fn item(&self, id: &str) -> Result<StoredItem, CommandError> {
        match self {
            StateBackend::Here(engine) => {
                let item = state::find(&*engine.store, id, EVERYTHING).map_err(failure)?;
                Ok(StoredItem {
                    id: item.id(),
                    is_deployment: matches!(item, state::StateItem::Deployment(_)),
                    is_active: item.is_active(),
                    body: item.shown(&*engine.store).map_err(failure)?,
                })
            }
            StateBackend::There(remote) => remote.kept_item(id).map_err(failure),
        }
    }

    /// Ends a deployment that was interrupted and that nobody works on.
    pub(super) fn end(&self, item: &StoredItem, end: &RunEnd) -> Result<(), CommandError> {
        let StateBackend::Here(engine) = self else {
            let message = "a server ends its deployments itself; cancel the deployment there, or stop the server and name its `--state`";
            return Err(CommandError::Usage(message.to_owned()));
        };
        let name = item.name();
        match state::find(&*engine.store, &item.id, EVERYTHING).map_err(failure)? {
            state::StateItem::Deployment(found)
                if found.status == Status::Active && found.run == found.root =>
            {
                engine.end_without_running(found.run, end).map_err(failure)
            }
            state::StateItem::Deployment(found) if found.status == Status::Active => Err(
                CommandError::Usage(format!("the deployment `{name}` is part of another one; end that one")),
            ),
            state::StateItem::Deployment(_) => {
                Err(CommandError::Usage(format!("the deployment `{name}` has ended already")))
            }
            state::StateItem::Resource(_) => {
                Err(CommandError::Usage(format!("`{name}` is a resource, and no deployment")))
            }
        }
    }

    /// Deletes what was found; what has gone meanwhile is gone.
    pub(super) fn delete(&self, item: &StoredItem) -> Result<(), CommandError> {
        let engine = match self {
            StateBackend::There(remote) => return remote.delete_kept(&item.id).map_err(failure),
            StateBackend::Here(engine) => engine,
        };
        runtime::start()?.block_on(async {
            let deleted: Result<(), StartError> = match state::find(&*engine.store, &item.id, EVERYTHING) {
                Ok(state::StateItem::Deployment(deployment)) => {
                    engine.delete_deployment(&deployment.key).await
                }
                Ok(state::StateItem::Resource(resource)) => {
                    engine.delete_resource(&resource.id).await.map(drop)
                }
                Err(refused) => Err(refused),
            };
            deleted.map_err(failure)
        })
    }
}
