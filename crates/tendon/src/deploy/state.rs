//! Where the engine keeps its state, and the engine on it.

use std::path::PathBuf;
use std::sync::Arc;

use engine::core::Settings;
use engine::provider::{Local, Provider, Script, ScriptedProvider, Types};
use engine::{Clock, Engine};
use radius::provider::Registered;
use radius::registry::Registry;
use store::{Key, SqliteStore, Store};

use crate::compile::disk;
use crate::exit::Failure;

/// The file with the key, in the state folder.
const KEY_FILE: &str = "seal.key";

/// Where the state is.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "State")]
pub(crate) struct StateOptions {
    /// The folder with the deployments and resources that are there [env: TENDON_STATE] [default: `tendon` in the user's data folder]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,

    /// The key that seals secrets while a deployment runs [default: `seal.key` in the state folder]
    #[arg(long, value_name = "FILE")]
    seal_key: Option<PathBuf>,
}

/// The folder that the environment names.
fn in_environment() -> Option<PathBuf> {
    std::env::var_os("TENDON_STATE").filter(|value| !value.is_empty()).map(PathBuf::from)
}

impl StateOptions {
    /// Whether a folder was named on the command line.
    pub(crate) fn is_named(&self) -> bool {
        self.state.is_some()
    }

    /// Whether a folder is named in the environment.
    pub(crate) fn is_in_environment(&self) -> bool {
        in_environment().is_some()
    }

    /// The folder.
    pub(crate) fn folder(&self) -> Result<PathBuf, Failure> {
        let named = self.state.clone().or_else(in_environment);
        named.or_else(disk::data_folder).ok_or_else(|| {
            Failure::Usage(
                "there is no data folder on this machine, name the state folder with `--state`".to_owned(),
            )
        })
    }

    /// Opens the state.
    pub(crate) fn open(&self) -> Result<Arc<dyn Store>, Failure> {
        let folder = self.folder()?;
        let store = SqliteStore::open(&folder)
            .map_err(|error| Failure::Environment(format!("`{}`: {error}", folder.display())))?;
        Ok(Arc::new(store))
    }

    /// The key; a new one if there is none.
    pub(crate) fn key(&self) -> Result<Key, Failure> {
        let file = match &self.seal_key {
            Some(file) => file.clone(),
            None => self.folder()?.join(KEY_FILE),
        };
        Key::in_file(&file).map_err(|error| Failure::Environment(error.to_string()))
    }

    /// The engine of a server, where resource groups have to be put before they are used.
    pub(crate) fn server_engine(&self, types: Arc<Types>) -> Result<Engine, Failure> {
        let (store, key) = (self.open()?, self.key()?);
        let local = Local::new(Arc::clone(&store), key.clone()).with_types(types).keeping_groups();
        let registry = Registry::new(Arc::clone(&store), key.clone());
        let provider = Arc::new(Registered::new(Arc::new(local), Arc::new(registry)));
        Ok(Engine { store, key, provider, settings: Settings::default(), clock: Clock::Real })
    }

    /// The engine with the local provider, which learns from types what services add to their resources, and which a script may
    /// speak for.
    pub(crate) fn engine(
        &self,
        settings: Settings,
        clock: Clock,
        types: Types,
        script: Option<Script>,
    ) -> Result<Engine, Failure> {
        let store = self.open()?;
        let key = self.key()?;
        let local = Local::new(Arc::clone(&store), key.clone()).with_types(Arc::new(types));
        let local = Arc::new(local);
        let provider: Arc<dyn Provider> = match script {
            Some(script) => Arc::new(ScriptedProvider::new(local, Arc::new(script))),
            None => local,
        };
        let registry = Registry::new(Arc::clone(&store), key.clone());
        let provider = Arc::new(Registered::new(provider, Arc::new(registry)));
        Ok(Engine { store, key, provider, settings, clock })
    }
}
