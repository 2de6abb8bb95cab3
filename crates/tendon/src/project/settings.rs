//! The settings of a project: the member `tendon` of its `bicepconfig.json`.

use std::path::{Path, PathBuf};

use bicep::Config;
use contract::Node;
use diagnostics::suggest;

use crate::compile::disk::{self, Disk};
use crate::exit::CommandError;

/// The member that has them.
const SECTION: &str = "tendon";

/// All settings by name, those of the compiler included.
const NAMES: [&str; 10] = [
    "context",
    "limits",
    "location",
    "mocks",
    "moduleIndex",
    "parameters",
    "registries",
    "scope",
    "server",
    "state",
];

/// What a project says where the command line says nothing. Paths are those of files, wherever a command is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectSettings {
    /// Where to deploy to.
    pub(crate) scope: Option<String>,
    /// The location of deployments.
    pub(crate) location: Option<String>,
    /// Results of functions that need a cloud.
    pub(crate) mocks: Option<PathBuf>,
    /// Parameters files, for programs and templates.
    pub(crate) parameters: Vec<PathBuf>,
    /// Whose limits apply: `tendon` or `azure`.
    pub(crate) limits: Option<String>,
    /// The folder of the state.
    pub(crate) state: Option<PathBuf>,
    /// The address of a server in place of the state.
    pub(crate) server: Option<String>,
    /// The name of a context in place of the state.
    pub(crate) context: Option<String>,
}

impl ProjectSettings {
    /// Reads the settings that hold in a folder.
    pub(crate) fn read(root: &Path) -> Result<ProjectSettings, CommandError> {
        let config = Config::find(&Disk::default(), &disk::file_path(root));
        if let Some(fault) = config.faults().first() {
            return Err(CommandError::Input(fault.sentence()));
        }
        let reader = Reader { config: &config };
        if let Some(unknown) = config.names(&[SECTION]).into_iter().find(|name| !NAMES.contains(name)) {
            let hint = match suggest(unknown, NAMES) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("known are {}", NAMES.map(|name| format!("`{name}`")).join(", ")),
            };
            return Err(reader.wrong(unknown, &format!("is not a setting; {hint}")));
        }
        let settings = ProjectSettings {
            scope: reader.text("scope")?,
            location: reader.text("location")?,
            mocks: reader.path("mocks")?,
            parameters: reader.paths("parameters")?,
            limits: reader.text("limits")?,
            state: reader.path("state")?,
            server: reader.text("server")?,
            context: reader.text("context")?,
        };
        if settings.limits.as_deref().is_some_and(|limits| !["tendon", "azure"].contains(&limits)) {
            return Err(reader.wrong("limits", "must be `tendon` or `azure`"));
        }
        let places = [
            ("state", settings.state.is_some()),
            ("server", settings.server.is_some()),
            ("context", settings.context.is_some()),
        ];
        let mut given = places.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name);
        if let (Some(one), Some(other)) = (given.next(), given.next()) {
            return Err(reader.wrong(other, &format!("cannot be used with `{SECTION}.{one}`")));
        }
        Ok(settings)
    }
}

struct Reader<'c> {
    config: &'c Config,
}

impl Reader<'_> {
    fn wrong(&self, name: &str, what: &str) -> CommandError {
        let file =
            self.config.place_of(&[SECTION, name]).map_or_else(String::new, |(file, _)| file.to_string());
        CommandError::Input(format!("`{file}`: `{SECTION}.{name}` {what}"))
    }

    fn text(&self, name: &str) -> Result<Option<String>, CommandError> {
        let Some(value) = self.config.get(&[SECTION, name]) else { return Ok(None) };
        match value.as_str().filter(|text| !text.is_empty()) {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(self.wrong(name, "must be a string that is not empty")),
        }
    }

    /// A path, which is one from the file that says it.
    fn located(&self, name: &str, path: &str) -> PathBuf {
        let folder = self.config.folder_of(&[SECTION, name]);
        folder.map_or_else(|| PathBuf::from(path), |folder| Path::new(folder.as_str()).join(path))
    }

    fn path(&self, name: &str) -> Result<Option<PathBuf>, CommandError> {
        Ok(self.text(name)?.map(|path| self.located(name, &path)))
    }

    /// One path, or an array of them.
    fn paths(&self, name: &str) -> Result<Vec<PathBuf>, CommandError> {
        let Some(value) = self.config.get(&[SECTION, name]) else { return Ok(Vec::new()) };
        if !matches!(value.node(), Node::List(_)) {
            return Ok(self.path(name)?.into_iter().collect());
        }
        let path = |item: document::SourceValue<'_>| match item.as_str().filter(|path| !path.is_empty()) {
            Some(path) => Ok(self.located(name, path)),
            None => Err(self.wrong(name, "must be a path, or an array of paths")),
        };
        value.items().map(path).collect()
    }
}
