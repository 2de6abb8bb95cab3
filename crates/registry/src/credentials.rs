//! Who asks: credentials by host, from the configuration of Docker, its credential helpers, or variables.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use crate::credential::{Credential, Secret};
use crate::docker_config::{CredentialSource, DockerConfig, canonical};
use crate::helper;

/// The largest configuration that is read.
const MOST_CONFIG: u64 = 1 << 20;

/// Where credentials come from. A credential is for one host, and for the service that this host names for its tokens.
#[derive(Debug, Default)]
pub struct Keychain {
    config: DockerConfig,
    /// Why the configuration cannot be used.
    complaint: Option<String>,
    /// A credential of the environment, with the host that it is for.
    ambient: Option<(String, Credential)>,
    found: Mutex<BTreeMap<String, Arc<OnceCell<CredentialLookup>>>>,
}

/// What was found for a host.
#[derive(Clone, Debug, Default)]
pub(crate) struct CredentialLookup {
    pub(crate) credential: Option<Credential>,
    /// Why there is none, if that is worth telling.
    pub(crate) complaint: Option<String>,
}

impl Keychain {
    /// The credentials of a user: `config.json` in the folder DOCKER_CONFIG, or in `.docker` below their own folder, and the variables
    /// DOCKER_USERNAME and DOCKER_PASSWORD for the host in DOCKER_REGISTRY.
    #[must_use]
    pub fn of_user(variable: &dyn Fn(&str) -> Option<String>, home: Option<PathBuf>) -> Keychain {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let folder = set("DOCKER_CONFIG").map(PathBuf::from).or_else(|| Some(home?.join(".docker")));
        let ambient = match (set("DOCKER_REGISTRY"), set("DOCKER_USERNAME"), variable("DOCKER_PASSWORD")) {
            (Some(host), Some(user), Some(password)) => {
                Some((canonical(&host), Credential::Basic { user, password: Secret::new(password) }))
            }
            _ => None,
        };
        let (config, complaint) = match folder.map(|folder| read(&folder.join("config.json"))) {
            Some(Ok(config)) => (config, None),
            Some(Err(why)) => (DockerConfig::default(), Some(why)),
            None => (DockerConfig::default(), None),
        };
        Keychain { config, complaint, ambient, found: Mutex::default() }
    }

    /// Credentials by the text of a configuration of Docker.
    pub fn from_config(text: &str) -> Result<Keychain, String> {
        Ok(Keychain { config: DockerConfig::read(text)?, ..Keychain::default() })
    }

    /// The credential for a host. A credential helper is asked once, however many artifacts of the host are wanted.
    pub(crate) async fn find(&self, host: &str) -> CredentialLookup {
        let host = canonical(host);
        let cell = {
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(found.entry(host.clone()).or_default())
        };
        cell.get_or_init(|| self.look_up(host)).await.clone()
    }

    async fn look_up(&self, host: String) -> CredentialLookup {
        let mut complaint = self.complaint.clone();
        for entry in self.config.entries(&host) {
            match entry {
                CredentialSource::Credential(credential) => {
                    return CredentialLookup { credential: Some(credential), complaint: None };
                }
                CredentialSource::Helper { program, key } => {
                    // It can wait for a person or for the network.
                    let asked = tokio::task::spawn_blocking(move || helper::ask(&program, &key)).await;
                    match asked.unwrap_or_else(|_| Err("the credential helper could not be run".to_owned())) {
                        Ok(Some(credential)) => {
                            return CredentialLookup { credential: Some(credential), complaint: None };
                        }
                        Ok(None) => {}
                        Err(why) => complaint = Some(why),
                    }
                }
            }
        }
        let ambient = self.ambient.iter().find(|(known, _)| *known == host);
        CredentialLookup { credential: ambient.map(|(_, credential)| credential.clone()), complaint }
    }
}

/// Reads a configuration; one that is not there has no credentials.
fn read(path: &std::path::Path) -> Result<DockerConfig, String> {
    let failed = |why: &dyn fmt::Display| format!("`{}` cannot be used: {why}", path.display());
    let size = match std::fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(DockerConfig::default()),
        Err(error) => return Err(failed(&error)),
    };
    if size > MOST_CONFIG {
        return Err(failed(&"it is too large"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    DockerConfig::read(&text).map_err(|why| failed(&why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_shown() {
        let credential = Credential::Basic { user: "me".to_owned(), password: Secret::new("hunter2") };
        assert!(!format!("{credential:?}").contains("hunter2"));
    }
}
