//! Servers that are saved under a name, and which of them is asked if nobody says otherwise.
//!
//! They are in one file of the user. It holds where tokens are, never a token.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::compile::disk;
use crate::exit::CommandError;
use crate::output_file::{self, OutputFile};

/// The file, in the folder of the user's configuration.
const FILE: &str = "contexts.json";
/// The version of the form of the file.
const VERSION: u32 = 1;

/// The servers that are saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Contexts {
    version: u32,
    /// The name of the one that is used.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) current: Option<String>,
    #[serde(default)]
    pub(crate) contexts: BTreeMap<String, Context>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Context {
    pub(crate) server: String,
    /// The certificates to trust.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) server_ca: Option<PathBuf>,
    /// The file with the token.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) token_file: Option<PathBuf>,
}

impl Default for Contexts {
    fn default() -> Contexts {
        Contexts { version: VERSION, current: None, contexts: BTreeMap::new() }
    }
}

impl Contexts {
    /// Reads the contexts of the user; nobody has saved any if there is no file.
    pub(crate) fn load() -> Result<Contexts, CommandError> {
        match disk::config_folder() {
            Some(folder) => read(&folder.join(FILE)),
            None => Ok(Contexts::default()),
        }
    }

    /// Changes the contexts of the user. Those who do it at the same time wait for each other.
    pub(crate) fn change<T>(
        change: impl FnOnce(&mut Contexts) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let folder = disk::config_folder().ok_or_else(|| {
            let message = "there is no folder for configuration on this machine, set XDG_CONFIG_HOME";
            CommandError::Usage(message.to_owned())
        })?;
        let file = folder.join(FILE);
        let failed = |error: io::Error| CommandError::writing(&format!("`{}`", file.display()), &error);
        fs::create_dir_all(&folder).map_err(failed)?;
        let _lock = output_file::locked(&folder.join("contexts.lock")).map_err(failed)?;
        let mut contexts = read(&file)?;
        let changed = change(&mut contexts)?;
        write(&file, &contexts).map_err(failed)?;
        Ok(changed)
    }

    /// The context of a name.
    pub(crate) fn named(&self, name: &str) -> Result<&Context, CommandError> {
        self.contexts.get(name).ok_or_else(|| {
            let hint = "`tendon context list` shows those that are";
            CommandError::Usage(format!("no context is saved under the name `{name}`; {hint}"))
        })
    }
}

fn read(file: &Path) -> Result<Contexts, CommandError> {
    let shown = format!("`{}`", file.display());
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Contexts::default()),
        Err(error) => return Err(CommandError::reading(&shown, &error)),
    };
    let contexts: Contexts = serde_json::from_str(&text).map_err(|error| {
        CommandError::Environment(format!("{shown} does not hold contexts: {error}; repair or delete it"))
    })?;
    if contexts.version != VERSION {
        let message = format!("{shown} has version {}, and {VERSION} is known", contexts.version);
        return Err(CommandError::Environment(message));
    }
    Ok(contexts)
}

/// Puts the file in the place of the old one, which is whole until then.
fn write(file: &Path, contexts: &Contexts) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(contexts)?;
    text.push(b'\n');
    OutputFile::at(file).private().write(&text)
}
