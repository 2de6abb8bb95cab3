//! A server in place of the state on this machine: which one, and the requests that commands make of it.
//!
//! What a command does on its own state it asks the server to do, and prints what it would have printed.

mod contexts;
mod deployment;
mod options;
mod registry;
mod state;
mod timeline;
mod tokens;

use std::time::Duration;

use arm::Value;
use client::{Client, ClientError, Reply};
use engine::Failure as EngineFailure;
use engine::records::parse;
use hyper::body::Bytes;
use hyper::{Method, StatusCode};
use tokio::runtime::Runtime;

use crate::exit::CommandError;

pub(crate) use contexts::{Context, Contexts};
pub(crate) use options::BackendOptions;
pub(crate) use state::StoredItem;
pub(crate) use timeline::Timeline;

/// The version of the API of deployments.
const DEPLOYMENTS: &str = "2025-04-01";
/// The version of the API of resource groups.
const GROUPS: &str = "2024-11-01";

/// How long one request may take; what takes longer is asked for again.
const PATIENCE: Duration = Duration::from_secs(120);
/// How large an answer may be.
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// How many pages a list may have: those of a server that never ends are not read for ever.
const MOST_PAGES: usize = 10_000;

/// The address of a path of a server, or of a link that it gave; none for a link to another one. What is sent to a server, with the token of its
/// user, goes to no other, whatever it says.
fn address(server: &str, path: &str) -> Option<String> {
    let own = path.strip_prefix(server).unwrap_or(path);
    // A server whose name only begins alike is another one, and so is what stands behind two slashes.
    (own.starts_with('/') && !own.starts_with("//")).then(|| format!("{server}{own}"))
}

/// A server, and who asks it.
pub(crate) struct Remote {
    client: Client,
    /// Its address, without a slash at the end.
    url: String,
    runtime: Runtime,
}

/// Why a server, or another target of deployments, did not do something.
pub(crate) enum TargetError {
    Failure(EngineFailure),
    /// It could not be asked, or its answer cannot be read.
    Unreachable(CommandError),
}

impl From<engine::StartError> for TargetError {
    fn from(refused: engine::StartError) -> TargetError {
        match refused {
            engine::StartError::Failure(failure) => TargetError::Failure(failure),
            engine::StartError::State(message) | engine::StartError::Unavailable(message) => {
                TargetError::Unreachable(CommandError::Environment(message))
            }
        }
    }
}

impl From<CommandError> for TargetError {
    fn from(failure: CommandError) -> TargetError {
        TargetError::Unreachable(failure)
    }
}

impl Remote {
    fn failed(&self, error: &dyn std::fmt::Display) -> CommandError {
        CommandError::Environment(format!("the server {}: {error}", self.url))
    }

    /// Sends a request. The path is one of the server, or a link that it gave.
    async fn ask(&self, method: Method, path: &str, body: String) -> Result<Reply, TargetError> {
        let Some(url) = address(&self.url, path) else {
            return Err(self.failed(&format!("it led to `{path}`, which is another server")).into());
        };
        let reply = self.client.ask(method, &url, Bytes::from(body)).await;
        let reply = reply.map_err(|error| match error {
            ClientError::Unreachable(why) => CommandError::Environment(format!(
                "cannot reach the server {why}; start it with `tendon serve`, or name another one with `--server`"
            )),
            error => self.failed(&error),
        })?;
        if reply.status.is_success() {
            return Ok(reply);
        }
        Err(self.refused(&reply))
    }

    /// The error that an answer has.
    fn refused(&self, reply: &Reply) -> TargetError {
        let body = parse(&String::from_utf8_lossy(&reply.body)).ok();
        let error = body.as_ref().and_then(Value::as_object).and_then(|body| body.get("error"));
        match error {
            Some(error) if reply.status == StatusCode::UNAUTHORIZED => {
                let message = EngineFailure::from_value(error).message;
                let hint = "name a file with a token with `--token-file`, or set TENDON_TOKEN";
                TargetError::Unreachable(self.failed(&format!("{message}; {hint}")))
            }
            Some(error) => TargetError::Failure(EngineFailure::from_value(error)),
            None => TargetError::Unreachable(self.failed(&format!("it answered {}", reply.status))),
        }
    }

    fn value(&self, reply: &Reply) -> Result<Value, TargetError> {
        let read = parse(&String::from_utf8_lossy(&reply.body));
        read.map_err(|error| self.failed(&format!("its answer cannot be read: {error}")).into())
    }

    /// All items of a list, over all its pages.
    async fn list(&self, path: &str) -> Result<Vec<Value>, TargetError> {
        let mut items = Vec::new();
        let mut next = Some(path.to_owned());
        let mut pages = 0;
        while let Some(path) = next {
            pages += 1;
            if pages > MOST_PAGES {
                return Err(self.failed(&format!("its list has more than {MOST_PAGES} pages")).into());
            }
            let page = self.value(&self.ask(Method::GET, &path, String::new()).await?)?;
            let member = |name: &str| page.as_object().and_then(|page| page.get(name));
            items.extend(member("value").and_then(Value::as_array).unwrap_or_default().iter().cloned());
            next = member("nextLink").and_then(Value::as_str).map(str::to_owned);
        }
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_no_other_server() {
        let server = "https://tendon.example:84";
        for path in ["/a?b", "https://tendon.example:84/a?b"] {
            assert_eq!(address(server, path).as_deref(), Some("https://tendon.example:84/a?b"));
        }
        for link in [
            "https://tendon.example:8443/a",
            "https://tendon.example:84.evil.example/a",
            "https://tendon.example:84@evil.example/a",
            "https://evil.example/a",
            "//evil.example/a",
            "a",
            "",
        ] {
            assert_eq!(address(server, link), None, "{link}");
        }
    }
}
