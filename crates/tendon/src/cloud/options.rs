//! Which endpoint is meant, and whose token goes there.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arm::evaluate::Scope;
use client::{Client, Origin};
use endpoint::{Credential, Endpoint, Fixed, Setup};
use engine::provider::LazyTypes;
use store::{Key, Store};

use super::{Cloud, command};
use crate::exit::CommandError;
use crate::local_state::StateOptions;
use crate::remote::{BackendOptions, TargetError};

/// The variable with the address of an endpoint.
const ENDPOINT: &str = "TENDON_ENDPOINT";

/// The variable with a token.
const TOKEN: &str = "TENDON_ENDPOINT_TOKEN";

/// Where resources go, if that is not the state.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Endpoint")]
pub(crate) struct EndpointOptions {
    /// Deploy to an ARM endpoint, such as `https://management.azure.com`; the record of the deployment stays in the state [env: TENDON_ENDPOINT]
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,

    /// The certificates to trust (PEM) [default: that in the state folder for an endpoint on this machine, else those of the system]
    #[arg(long, value_name = "FILE")]
    endpoint_ca: Option<PathBuf>,

    /// The command that prints a token, or JSON with one [default: the text in TENDON_ENDPOINT_TOKEN, else `az account get-access-token`]
    #[arg(long, value_name = "COMMAND")]
    credential_command: Option<String>,

    /// The audience of the token that `az` is asked for [default: the endpoint]
    #[arg(long, value_name = "URL")]
    audience: Option<String>,

    /// The time limit for one resource in seconds, with all attempts and its whole operation [default: 7200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    step_seconds: Option<u64>,
}

/// How long one resource may take, if nobody says it: two hours, as the slowest services need.
const STEP: u64 = 7200;

impl EndpointOptions {
    /// Whether an endpoint is meant. A server that the command line names comes before the variable.
    pub(crate) fn is_meant(&self, place: Option<&BackendOptions>) -> Result<bool, CommandError> {
        if self.endpoint.is_some() {
            place.map_or(Ok(()), |place| place.exclude_server("--endpoint"))?;
            return Ok(true);
        }
        if self.url().is_some() && place.is_none_or(|place| !place.names_server()) {
            return Ok(true);
        }
        let others = [
            (self.endpoint_ca.is_some(), "--endpoint-ca"),
            (self.credential_command.is_some(), "--credential-command"),
            (self.audience.is_some(), "--audience"),
            (self.step_seconds.is_some(), "--step-seconds"),
        ];
        match others.iter().find(|(is_given, _)| *is_given) {
            Some((_, name)) => Err(CommandError::Usage(format!("`{name}` needs `--endpoint`"))),
            None => Ok(false),
        }
    }

    /// The address of the endpoint.
    fn url(&self) -> Option<String> {
        let set = || std::env::var(ENDPOINT).ok().filter(|url| !url.is_empty());
        self.endpoint.clone().or_else(set)
    }

    /// The endpoint that is meant.
    fn endpoint(
        &self,
        state: &StateOptions,
        types: LazyTypes,
        store: Arc<dyn Store>,
        key: Key,
    ) -> Result<Endpoint, CommandError> {
        let url = &self.url().unwrap_or_default();
        let wrong =
            |error: &dyn std::fmt::Display| CommandError::Usage(format!("`--endpoint {url}`: {error}"));
        let origin = Origin::of(url).map_err(|error| wrong(&error))?;
        let own = origin.is_loopback().then(|| state.certificate()).flatten();
        let authorities = self.endpoint_ca.clone().or(own);
        let client = Client::new(authorities.as_deref()).map_err(|error| wrong(&error))?;
        let setup = Setup {
            url: url.to_owned(),
            client,
            credential: self.credential(&origin)?,
            types: Arc::new(types),
            store,
            key,
            step: Duration::from_secs(self.step_seconds.unwrap_or(STEP)),
            patience: None,
            second: Duration::from_secs(1),
        };
        Endpoint::new(setup).map_err(|error| wrong(&error))
    }

    /// Connects to the endpoint. A deployment that is new asks what it has to know of its scope.
    pub(crate) fn connect(
        &self,
        state: &StateOptions,
        types: LazyTypes,
        store: Arc<dyn Store>,
        key: Key,
        scope: Option<&Scope>,
        is_new: bool,
    ) -> Result<Cloud, TargetError> {
        let endpoint = self.endpoint(state, types, store, key)?;
        match scope {
            _ if !is_new => Ok(Cloud::unseen(endpoint)),
            Some(scope) => Cloud::look_around(endpoint, scope),
            None => {
                let message =
                    "`--endpoint` needs `--scope`: there is no scope that would be meant without it";
                Err(CommandError::Usage(message.to_owned()).into())
            }
        }
    }

    /// Where tokens come from. An endpoint on this machine may do without.
    fn credential(&self, origin: &Origin) -> Result<Option<Arc<dyn Credential>>, CommandError> {
        if let Some(text) = &self.credential_command {
            let words = command::words(text).map_err(|why| {
                CommandError::Usage(format!("`--credential-command` is not understood: {why}"))
            })?;
            return Ok(Some(Arc::new(command::credential(words))));
        }
        let set = std::env::var(TOKEN).ok().filter(|value| !value.trim().is_empty());
        if let Some(token) = set {
            return Ok(Some(Arc::new(Fixed::new(&token))));
        }
        if origin.is_loopback() && self.audience.is_none() {
            return Ok(None);
        }
        let audience = self.audience.clone().unwrap_or_else(|| format!("{origin}/"));
        Ok(Some(Arc::new(command::credential(command::az(&audience)))))
    }
}
