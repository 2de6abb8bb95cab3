//! What `az-env` and `rad-env` have in common: the server that another client is set up for, and paths.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::exit::CommandError;
use crate::local_state::StateOptions;

/// The server that a client is set up for.
#[derive(Debug, clap::Args)]
pub(super) struct TargetOptions {
    /// The address of the server
    #[arg(long, value_name = "URL", default_value = "https://127.0.0.1:8443")]
    server: String,

    /// The certificate to trust [default: the one in the state folder]
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl TargetOptions {
    /// The address, without a slash at the end.
    pub(super) fn url(&self) -> &str {
        self.server.trim_end_matches('/')
    }

    /// The absolute path of the certificate to trust; the one in the state folder is made if it is not there.
    pub(super) fn certificate(&self, state: &StateOptions) -> Result<PathBuf, CommandError> {
        match &self.ca {
            Some(file) => absolute(file),
            None => {
                let own = server::Identity::own(&state.made_folder()?, &[], SystemTime::now());
                absolute(&own.map_err(|error| CommandError::Environment(error.to_string()))?.certificate)
            }
        }
    }
}

/// The absolute form of a path.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, CommandError> {
    std::path::absolute(path).map_err(|error| failed(path, &error))
}

/// What is said of a path that cannot be used.
pub(super) fn failed(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::Environment(format!("`{}`: {error}", path.display()))
}
