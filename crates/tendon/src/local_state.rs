//! Where the engine keeps its state, and the engine on it.

mod lazy_store;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arm::budget::{BudgetLimits, BudgetSource};
use engine::core::MachineSettings;
use engine::provider::{LazyTypes, Local, NamingProvider, Provider, Script, ScriptedProvider, SymbolicNames};
use engine::{Clock, Engine};
use radius::provider::ValidatingProvider;
use radius::registry::Registry;
use store::{Address, Backup, Key, Passwords, PostgresStore, SealError, Store, StoreError};

use crate::common::Common;
use crate::exit::CommandError;
use crate::output::Streams;
use crate::process_memory;
use crate::project::{self, Project, ProjectSettings};
use crate::state_files::{self, has_state};
use lazy_store::{LazyStore, make_folder};

/// Where the state is.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "State")]
pub(crate) struct StateOptions {
    /// The folder with the deployments and resources [env: TENDON_STATE] [default: `.tendon` in the project]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,

    /// Keep deployments and resources in PostgreSQL, which many nodes can share; the folder has the rest [env: TENDON_DATABASE]
    #[arg(long, value_name = "URL")]
    database: Option<String>,

    /// The key that seals secrets while a deployment runs; nodes that share a database share it [env:
    /// TENDON_SEAL_KEY] [default: `seal.key` in the state folder]
    #[arg(long, value_name = "FILE")]
    seal_key: Option<PathBuf>,

    /// The file whose project has the state; none if it is that of the working directory.
    #[arg(skip)]
    file: Option<PathBuf>,
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

/// Says what went wrong with the state.
fn broken(error: impl std::fmt::Display) -> CommandError {
    CommandError::Environment(error.to_string())
}

/// Why a state cannot be opened.
#[derive(Debug)]
pub(crate) enum StateError {
    /// The database does not answer, and may do so later.
    Unavailable(String),
    Other(CommandError),
}

impl From<CommandError> for StateError {
    fn from(error: CommandError) -> StateError {
        StateError::Other(error)
    }
}

impl From<StateError> for CommandError {
    fn from(error: StateError) -> CommandError {
        match error {
            StateError::Unavailable(why) => CommandError::Environment(why),
            StateError::Other(error) => error,
        }
    }
}

/// What a store says, which may be that it does not answer now.
fn said(about: &str, error: &StoreError) -> StateError {
    let why = if about.is_empty() { error.to_string() } else { format!("`{about}`: {error}") };
    match error {
        StoreError::Remote(_) => StateError::Unavailable(why),
        _ => StateError::Other(CommandError::Environment(why)),
    }
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

    /// The same for a file, in whose project the state is where nothing else is said.
    pub(crate) fn of_file(&self, file: Option<&Path>) -> StateOptions {
        StateOptions { file: file.map(Path::to_owned), ..self.clone() }
    }

    /// What the project says about it.
    pub(crate) fn settings(&self) -> Result<ProjectSettings, CommandError> {
        Project::of(self.file.as_deref()).settings()
    }

    /// The folder that is named: on the command line, in the environment or by the project.
    fn named_folder(&self) -> Result<Option<PathBuf>, CommandError> {
        match self.state.clone().or_else(|| variable("TENDON_STATE").map(PathBuf::from)) {
            Some(folder) => Ok(Some(folder)),
            None => Ok(self.settings()?.state),
        }
    }

    /// The folder, which may not be there, and whether it is the one that projects have by themselves.
    fn place(&self) -> Result<(PathBuf, bool), CommandError> {
        Ok(match self.named_folder()? {
            Some(folder) => (folder, false),
            None => (Project::of(self.file.as_deref()).state_folder(), true),
        })
    }

    /// The folder, if it is the one that the project has by itself.
    pub(crate) fn project_folder(&self) -> Result<Option<PathBuf>, CommandError> {
        let (folder, is_own) = self.place()?;
        Ok(Some(folder).filter(|_| is_own))
    }

    /// The folder, which is made if it is not there.
    pub(crate) fn made_folder(&self) -> Result<PathBuf, CommandError> {
        let (folder, is_own) = self.place()?;
        make_folder(&folder, is_own).map_err(|error| broken(format!("`{}`: {error}", folder.display())))?;
        Ok(folder)
    }

    /// Folders that may have the certificate of a server on this machine: that of the state, that of the working directory, and
    /// that of earlier versions.
    pub(crate) fn certificate(&self) -> Option<PathBuf> {
        let own = self.place().ok().map(|(folder, _)| folder);
        let own = [own, Some(Project::of(None).state_folder()), project::earlier_state()];
        let files = own.into_iter().flatten().map(|folder| folder.join(server::CERTIFICATE_FILE));
        files.into_iter().find(|file| file.is_file())
    }

    /// Says where earlier versions kept what this one does not find in the project, and how to move it.
    pub(crate) fn note_earlier(&self, common: &Common, streams: &Streams) -> Result<(), CommandError> {
        if common.quiet || self.database()?.is_some() {
            return Ok(());
        }
        let Some(earlier) = project::earlier_state().filter(|folder| has_state(folder)) else {
            return Ok(());
        };
        if let Some(folder) = self.project_folder()?.filter(|folder| !has_state(folder)) {
            let (earlier, folder, key) = (earlier.display(), folder.display(), state_files::KEY);
            let note = format!(
                "note: earlier versions kept deployments and resources in `{earlier}`; each project has its own state now: name that folder with `--state`, or move `state.db*` and `{key}` from there to `{folder}`"
            );
            streams.aside(&format!("{}\n", diagnostics::printable(&note)));
        }
        Ok(())
    }

    pub(crate) fn open(&self) -> Result<Arc<dyn Backup>, CommandError> {
        match self.database()? {
            Some(address) => Ok(self.open_database(address)?),
            None => self.open_folder(None, None),
        }
    }

    fn open_database(&self, address: Address) -> Result<Arc<dyn Backup>, StateError> {
        let place = address.to_string();
        let store = PostgresStore::open(address).map_err(|error| said(&place, &error))?;
        // The key, certificates and the log of what was done are in the folder.
        self.made_folder()?;
        Ok(Arc::new(store))
    }

    /// The state in the folder, with a key that is written with it, or with the reason why nothing is.
    fn open_folder(
        &self,
        key: Option<(Key, PathBuf)>,
        locked: Option<String>,
    ) -> Result<Arc<dyn Backup>, CommandError> {
        let (folder, is_own) = self.place()?;
        let store = LazyStore::new(&folder, is_own, key, locked);
        Ok(store.map_err(|error| broken(format!("`{}`: {error}", folder.display())))?)
    }

    /// The file with the key.
    pub(crate) fn key_file(&self) -> Result<PathBuf, CommandError> {
        match self.seal_key.clone().or_else(|| variable("TENDON_SEAL_KEY").map(PathBuf::from)) {
            Some(file) => Ok(file),
            None => Ok(self.place()?.0.join(state_files::KEY)),
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
    pub(crate) fn open_with_key(&self) -> Result<(Arc<dyn Store>, Key), StateError> {
        let file = self.key_file()?;
        let Some(address) = self.database()? else { return self.open_folder_with_key(file) };
        let store = self.open_database(address)?;
        let other = || {
            let file = file.display();
            let message = format!(
                "the key `{file}` is not the one that the database is used with; copy the key of another node there, or name it with `--seal-key`"
            );
            StateError::Other(CommandError::Environment(message))
        };
        // A new key would be another one. The database is asked first: a node that starts at the same moment with the same file writes the file first.
        if store::kept_key_check(&*store).map_err(|error| said("", &error))?.is_some() && !file.exists() {
            return Err(other());
        }
        let key = Key::in_file(&file).map_err(broken)?;
        if store::is_key_of(&*store, &key).map_err(|error| said("", &error))? {
            Ok((store, key))
        } else {
            Err(other())
        }
    }

    /// The same in a folder, whose key is beside the database. A folder that came with another key is not used: what is sealed in it could not be
    /// opened, and its tokens would be unknown. One that came without its key can be read, apart from its secrets, and is not written to.
    fn open_folder_with_key(&self, file: PathBuf) -> Result<(Arc<dyn Store>, Key), StateError> {
        let (folder, _) = self.place()?;
        // A state that is not there is made with its key when something is written, and so is the key of one in which nothing was ever sealed.
        let (key, is_new) = match Key::read(&file) {
            Ok(key) => (key, false),
            Err(SealError::File { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => {
                let key = Key::random().map_err(broken)?;
                if let Some(why) = self.lost_key(&file)? {
                    return Ok((self.open_folder(None, Some(why))?, key));
                }
                (key, true)
            }
            Err(error) => return Err(broken(error).into()),
        };
        let store = self.open_folder(is_new.then(|| (key.clone(), file.clone())), None)?;
        if !is_new && has_state(&folder) {
            let kept = store::kept_key_check(&*store).map_err(broken)?;
            if kept.is_some_and(|kept| store::key_check(&key).is_ok_and(|check| check != kept)) {
                let message = format!(
                    "the key `{}` is not the one that the state in `{}` is used with; restore that one, or name it with `--seal-key`",
                    file.display(),
                    folder.display()
                );
                return Err(CommandError::Environment(message).into());
            }
        }
        Ok((store, key))
    }

    /// Says so if the state in the folder was used with a key that is not there.
    fn lost_key(&self, file: &Path) -> Result<Option<String>, CommandError> {
        let (folder, _) = self.place()?;
        if file.exists()
            || !has_state(&folder)
            || store::kept_key_check(&*self.open_folder(None, None)?).map_err(broken)?.is_none()
        {
            return Ok(None);
        }
        Ok(Some(format!(
            "the state in `{}` has no key: `{}` does not exist; restore it from its backup, or name another with `--seal-key`",
            folder.display(),
            file.display()
        )))
    }

    /// Checks that the state has its key: a server that opens no secret serves nobody.
    pub(crate) fn require_key(&self) -> Result<(), CommandError> {
        match self.database()?.is_none().then(|| self.key_file()).transpose()? {
            Some(file) => self.lost_key(&file)?.map_or(Ok(()), |why| Err(CommandError::Environment(why))),
            None => Ok(()),
        }
    }

    /// Checks what is said of the state without opening it.
    pub(crate) fn check(&self) -> Result<(), CommandError> {
        drop(self.database()?);
        let file = self.key_file()?;
        match Key::read(&file) {
            Ok(_) => Ok(()),
            Err(SealError::File { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(CommandError::Usage(error.to_string())),
        }
    }

    /// Makes the key of a new state at once: `tendon token` may write to the state of a server before the server does, and both need one key.
    pub(crate) fn make_key(&self) -> Result<(), CommandError> {
        if self.database()?.is_none() && !has_state(&self.place()?.0) {
            self.made_folder()?;
            Key::in_file(&self.key_file()?).map_err(broken)?;
        }
        Ok(())
    }

    /// The engine of a server, where resource groups have to be put before they are used.
    pub(crate) fn server_engine(
        &self,
        types: Arc<LazyTypes>,
        unknown_types: &TypeOptions,
        budgets: BudgetSource,
    ) -> Result<Engine, StateError> {
        let (store, key) = self.open_with_key()?;
        let local = Local::new(Arc::clone(&store), key.clone()).with_types(types).keeping_groups();
        let registry = Registry::new(Arc::clone(&store), key.clone());
        let provider = ValidatingProvider::new(Arc::new(local), Arc::new(registry));
        let provider = Arc::new(provider.allowing_unknown_types(unknown_types.allow_unknown_types));
        Ok(Engine { store, key, provider, settings: MachineSettings::default(), clock: Clock::Real, budgets })
    }

    /// The engine with the local provider, which learns from types what services add to their resources, and which a script may
    /// speak for. Operations are recorded with the names that resources have in their program.
    pub(crate) fn engine(
        &self,
        settings: MachineSettings,
        clock: Clock,
        types: LazyTypes,
        script: Option<Script>,
        names: SymbolicNames,
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
        let provider = Arc::new(NamingProvider::new(provider, names));
        let budgets = process_memory::budgets(BudgetLimits::DEFAULT);
        Ok(Engine { store, key, provider, settings, clock, budgets })
    }
}
