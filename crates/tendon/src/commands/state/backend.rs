//! Where the state is, and what commands ask of it: the folder on this machine, or a server.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::budget::BudgetSource;
use arm::{Caseless as _, Value};
use engine::core::RunEnd;
use engine::provider::LazyTypes;
use engine::state::{self, EVERYTHING};
use engine::{Engine, StartError};
use store::{Page, Status};

use super::super::destroy::group_named;
use crate::exit::CommandError;
use crate::local_state::TypeOptions;
use crate::remote::{BackendOptions, Remote, StoredItem, TargetError};
use crate::runtime;

/// Which deployment or resource is meant, and where it is.
#[derive(Debug, clap::Args)]
pub(super) struct ItemOptions {
    /// The id of a resource or deployment, the name of a deployment, or the symbolic name of a resource
    #[arg(value_name = "ID")]
    pub(super) id: String,
    #[command(flatten)]
    pub(super) place: BackendOptions,
}

impl ItemOptions {
    /// It, and the state that it is in.
    pub(super) fn find(&self) -> Result<(StoredItem, StateBackend), CommandError> {
        let kept = self.place.open()?;
        Ok((kept.item(&self.id)?, kept))
    }
}

pub(super) enum StateBackend {
    Here(Arc<Engine>),
    There(Remote),
}

impl BackendOptions {
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
        TargetError::Failure(failure) if failure.code.ends_with("NotFound") => {
            CommandError::Input(failure.message)
        }
        TargetError::Failure(failure) => CommandError::Environment(failure.message),
    }
}

/// Whether a failure is that something does not exist.
fn is_missing(refused: &CommandError) -> bool {
    matches!(refused, CommandError::Input(_))
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

    /// The same; none if it stands for nothing.
    pub(super) fn item_if_any(&self, id: &str) -> Result<Option<StoredItem>, CommandError> {
        match self.item(id) {
            Ok(item) => Ok(Some(item)),
            Err(refused) if is_missing(&refused) => Ok(None),
            Err(refused) => Err(refused),
        }
    }

    /// The ids of the resource groups that have a name or an id, of those that hold something.
    pub(super) fn groups(&self, name: &str) -> Result<BTreeSet<String>, CommandError> {
        let folded = name.caseless();
        let is_it = |group: &&str| group.caseless() == folded;
        let last = folded.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let mut groups = BTreeMap::new();
        for value in self.deployments("")?.iter().chain(&self.resources("")?) {
            let id = value.as_object().and_then(|it| it.get("id")).and_then(Value::as_str);
            let group = id.and_then(|id| group_named(id, last));
            if let Some(group) = group.filter(|group| !folded.contains('/') || is_it(group)) {
                groups.entry(group.caseless()).or_insert_with(|| group.to_owned());
            }
        }
        Ok(groups.into_values().collect())
    }

    /// Deletes a resource group with its resources and the records of its deployments.
    pub(super) fn delete_group(&self, id: &str) -> Result<(), CommandError> {
        match self {
            StateBackend::There(remote) => remote.delete_kept(id).map_err(failure),
            StateBackend::Here(engine) => {
                runtime::start()?.block_on(engine.delete_group(id)).map_err(failure)
            }
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
