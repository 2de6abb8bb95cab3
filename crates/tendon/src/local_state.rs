//! Where the engine keeps its state, and the engine on it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::core::MachineSettings;
use engine::provider::{LazyTypes, Local, Provider, Script, ScriptedProvider};
use engine::{Clock, Engine};
use radius::provider::ValidatingProvider;
use radius::registry::Registry;
use store::{Address, Backup, Key, Passwords, PostgresStore, SqliteStore, Store};

use crate::compile::disk;
use crate::exit::CommandError;

/// The file with the key, in the state folder.
const KEY_FILE: &str = "seal.key";

/// Where the state is.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "State")]
pub(crate) struct StateOptions {
    /// The folder with the deployments and resources [env: TENDON_STATE] [default: `tendon` in the user's data folder]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,

    /// Keep deployments and resources in PostgreSQL, which many nodes can share; the folder has the rest [env: TENDON_DATABASE]
    #[arg(long, value_name = "URL")]
    database: Option<String>,

    /// The key that seals secrets while a deployment runs; nodes that share a database share it [env: TENDON_SEAL_KEY] [default: `seal.key` in
    /// the state folder]
    #[arg(long, value_name = "FILE")]
    seal_key: Option<PathBuf>,
}

/// Which types resources may be of.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Deployment")]
pub(crate) struct TypeOptions {
    /// Accept resources of Radius extensions whose types nobody registered; they are not checked
    #[arg(long)]
    pub(crate) allow_unknown_types: bool,
}

/// A variable of the environment.
fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Makes a folder that only its owner can look into.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Says what went wrong with the state.
fn broken(error: impl std::fmt::Display) -> CommandError {
    CommandError::Environment(error.to_string())
}

impl StateOptions {
    /// Whether a state was named on the command line.
    pub(crate) fn is_named(&self) -> bool {
        self.state.is_some() || self.database.is_some()
    }

    /// The database. A folder that was named on the command line is meant, whatever the environment says.
    fn database(&self) -> Result<Option<Address>, CommandError> {
        let named = match (&self.database, &self.state) {
            (Some(url), _) => Some(url.clone()),
            (None, Some(_)) => None,
            (None, None) => variable("TENDON_DATABASE").map(|url| url.to_string_lossy().into_owned()),
        };
        let parse = |url: String| Address::parse(&url, &Passwords::of_environment());
        named.map(parse).transpose().map_err(|error| CommandError::Usage(error.to_string()))
    }

    /// Whether a state is named in the environment.
    pub(crate) fn is_in_environment(&self) -> bool {
        variable("TENDON_STATE").is_some() || variable("TENDON_DATABASE").is_some()
    }

    pub(crate) fn folder(&self) -> Result<PathBuf, CommandError> {
        let named = self.state.clone().or_else(|| variable("TENDON_STATE").map(PathBuf::from));
        named.or_else(disk::data_folder).ok_or_else(|| {
            CommandError::Usage(
                "there is no data folder on this machine, name the state folder with `--state`".to_owned(),
            )
        })
    }

    pub(crate) fn open(&self) -> Result<Arc<dyn Backup>, CommandError> {
        if let Some(address) = self.database()? {
            let place = address.to_string();
            let store =
                PostgresStore::open(address).map_err(|error| broken(format!("`{place}`: {error}")))?;
            // The key, certificates and the log of what was done are in the folder.
            make_folder(&self.folder()?).map_err(broken)?;
            return Ok(Arc::new(store));
        }
        let folder = self.folder()?;
        let store =
            SqliteStore::open(&folder).map_err(|error| broken(format!("`{}`: {error}", folder.display())))?;
        Ok(Arc::new(store))
    }

    /// The file with the key.
    pub(crate) fn key_file(&self) -> Result<PathBuf, CommandError> {
        match self.seal_key.clone().or_else(|| variable("TENDON_SEAL_KEY").map(PathBuf::from)) {
            Some(file) => Ok(file),
            None => Ok(self.folder()?.join(KEY_FILE)),
        }
    }

    /// What tells the key from others; none if there is no key yet.
    pub(crate) fn key_check(&self) -> Result<Option<String>, CommandError> {
        let file = self.key_file()?;
        if !file.exists() {
            return Ok(None);
        }
        let key = Key::read(&file).map_err(broken)?;
        store::key_check(&key).map(Some).map_err(broken)
    }

    /// Opens the state, with the key that seals its secrets. The key of a database must be that of the other nodes; without a database it is
    /// made if there is none.
    pub(crate) fn open_with_key(&self) -> Result<(Arc<dyn Store>, Key), CommandError> {
        let store = self.open()?;
        let file = self.key_file()?;
        if self.database()?.is_none() {
            return Ok((store, Key::in_file(&file).map_err(broken)?));
        }
        let other = || {
            let file = file.display();
            let message = format!(
                "the key `{file}` is not the one that the database is used with; copy the key of another node there, or name it with `--seal-key`"
            );
            CommandError::Environment(message)
        };
        // A new key would be another one. The database is asked first: a node that starts at the same moment with the same file writes the file first.
        if store::kept_key_check(&*store).map_err(broken)?.is_some() && !file.exists() {
            return Err(other());
        }
        let key = Key::in_file(&file).map_err(broken)?;
        if store::is_key_of(&*store, &key).map_err(broken)? { Ok((store, key)) } else { Err(other()) }
    }

    /// The engine of a server, where resource groups have to be put before they are used.
    pub(crate) fn server_engine(
        &self,
        types: Arc<LazyTypes>,
        unknown_types: &TypeOptions,
    ) -> Result<Engine, CommandError> {
        let (store, key) = self.open_with_key()?;
        let local = Local::new(Arc::clone(&store), key.clone()).with_types(types).keeping_groups();
        let registry = Registry::new(Arc::clone(&store), key.clone());
        let provider = ValidatingProvider::new(Arc::new(local), Arc::new(registry));
        let provider = Arc::new(provider.allowing_unknown_types(unknown_types.allow_unknown_types));
        Ok(Engine { store, key, provider, settings: MachineSettings::default(), clock: Clock::Real })
    }

    /// The engine with the local provider, which learns from types what services add to their resources, and which a script may
    /// speak for.
    pub(crate) fn engine(
        &self,
        settings: MachineSettings,
        clock: Clock,
        types: LazyTypes,
        script: Option<Script>,
        unknown_types: &TypeOptions,
    ) -> Result<Engine, CommandError> {
        let (store, key) = self.open_with_key()?;
        let local = Local::new(Arc::clone(&store), key.clone()).with_types(Arc::new(types));
        let local = Arc::new(local);
        let provider: Arc<dyn Provider> = match script {
            Some(script) => Arc::new(ScriptedProvider::new(local, Arc::new(script))),
            None => local,
        };
        let registry = Registry::new(Arc::clone(&store), key.clone());
        let provider = ValidatingProvider::new(provider, Arc::new(registry));
        let provider = Arc::new(provider.allowing_unknown_types(unknown_types.allow_unknown_types));
        Ok(Engine { store, key, provider, settings, clock })
    }
}
