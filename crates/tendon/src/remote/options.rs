//! Which server is meant, and who asks.

use std::path::{Path, PathBuf};

use client::Client;

use super::contexts::{Context, Contexts};
use super::{MOST_BYTES, PATIENCE, Remote};
use crate::common::Common;
use crate::exit::CommandError;
use crate::local_state::StateOptions;
use crate::output::Streams;

/// Which server is asked, if any.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Server")]
struct ServerOptions {
    /// Use a server instead of the state on this machine [env: TENDON_SERVER]
    #[arg(long, value_name = "URL", conflicts_with_all = ["state", "database"])]
    server: Option<String>,

    /// Use a server that `tendon context add` has saved [env: TENDON_CONTEXT] [default: that of `tendon context use`]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["state", "database", "server"])]
    context: Option<String>,

    /// The certificates to trust (PEM) [default: that in the state folder for a server on this machine, else those of the system]
    #[arg(long, value_name = "FILE")]
    server_ca: Option<PathBuf>,

    /// The file with the access token [default: that of the context, else the text in TENDON_TOKEN]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

/// Where the state is: on this machine, or on a server.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct BackendOptions {
    #[command(flatten)]
    pub(crate) state: StateOptions,
    #[command(flatten)]
    server: ServerOptions,
}

impl BackendOptions {
    /// The same for a file, in whose project the state is where nothing else is said.
    pub(crate) fn of_file(&self, file: Option<&Path>) -> BackendOptions {
        BackendOptions { state: self.state.of_file(file), server: self.server.clone() }
    }

    /// The server, if one is meant.
    pub(crate) fn server(&self) -> Result<Option<Remote>, CommandError> {
        self.server.connect(&self.state)
    }

    /// Says where earlier versions kept the state, if that of this machine is meant and there is none yet.
    pub(crate) fn note_earlier(&self, common: &Common, streams: &Streams) -> Result<(), CommandError> {
        if self.server()?.is_none() {
            self.state.note_earlier(common, streams)?;
        }
        Ok(())
    }

    /// The folder of the state, if it is that of a project.
    pub(crate) fn project_folder(&self) -> Result<Option<PathBuf>, CommandError> {
        if self.server()?.is_some() { Ok(None) } else { self.state.project_folder() }
    }

    /// Whether the command line names a server.
    pub(crate) fn names_server(&self) -> bool {
        self.server.server.is_some() || self.server.context.is_some()
    }

    /// Refuses a server on the command line where another option says who has the resources.
    pub(crate) fn exclude_server(&self, other: &str) -> Result<(), CommandError> {
        let ServerOptions { server, context, .. } = &self.server;
        let named = [(server.is_some(), "--server"), (context.is_some(), "--context")];
        match named.into_iter().find(|(is_named, _)| *is_named) {
            Some((_, name)) => Err(CommandError::Usage(format!("`{other}` cannot be used with `{name}`"))),
            None => Ok(()),
        }
    }
}

/// The variable with the address of a server.
const SERVER: &str = "TENDON_SERVER";
/// The variable with the name of a context.
const CONTEXT: &str = "TENDON_CONTEXT";
/// The variable with a token.
const TOKEN: &str = "TENDON_TOKEN";

/// What a variable is set to.
fn set(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl ServerOptions {
    /// The server that is meant. What the command line names comes before the environment, that before the settings of
    /// the project, and those before the current context; a state that is named is meant, whatever else is.
    fn meant(&self, state: &StateOptions) -> Result<Option<Context>, CommandError> {
        let at = |server: String| Context { server, server_ca: None, token_file: None };
        if let Some(server) = &self.server {
            return Ok(Some(at(server.clone())));
        }
        if let Some(name) = &self.context {
            return Contexts::load()?.named(name).cloned().map(Some);
        }
        if state.is_named() {
            return Ok(None);
        }
        if let Some(server) = set(SERVER) {
            return Ok(Some(at(server)));
        }
        let contexts = Contexts::load()?;
        if let Some(name) = set(CONTEXT) {
            return contexts.named(&name).cloned().map(Some);
        }
        if state.is_in_environment() {
            return Ok(None);
        }
        let settings = state.settings()?;
        if let Some(server) = settings.server {
            return Ok(Some(at(server)));
        }
        if let Some(name) = settings.context {
            return contexts.named(&name).cloned().map(Some);
        }
        match &contexts.current {
            Some(name) if settings.state.is_none() => contexts.named(name).cloned().map(Some),
            Some(_) | None => Ok(None),
        }
    }

    /// Connects to the server that is meant; none if it is the state on this machine.
    fn connect(&self, state: &StateOptions) -> Result<Option<Remote>, CommandError> {
        let Some(context) = self.meant(state)? else { return Ok(None) };
        let url = context.server.trim_end_matches('/').to_owned();
        let wrong = |error: &dyn std::fmt::Display| CommandError::Usage(format!("`{url}`: {error}"));
        let own = is_loopback(&url).then(|| state.certificate()).flatten();
        let authorities = self.server_ca.clone().or(context.server_ca).or(own);
        let client = Client::new(authorities.as_deref()).map_err(|error| wrong(&error))?;
        let client = client.with_limits(PATIENCE, MOST_BYTES);
        let token = match self.token_file.as_ref().or(context.token_file.as_ref()) {
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| CommandError::reading(&format!("`{}`", file.display()), &error))?;
                Some(text.trim().to_owned())
            }
            None => set(TOKEN),
        };
        let client = match token {
            Some(token) => client.with_token(&token).map_err(|error| wrong(&error))?,
            None => client,
        };
        let runtime = crate::runtime::start()?;
        Ok(Some(Remote { client, url, runtime }))
    }
}

/// Whether an address is on this machine.
fn is_loopback(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|local| {
        host.strip_prefix(local).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_this_machine() {
        for url in ["https://127.0.0.1:8443", "http://localhost", "https://[::1]:1/x"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in ["https://127.0.0.1.example", "https://localhost.example:1", "https://10.0.0.1"] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
