//! The configuration of Docker: which credentials there are for which host.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use crate::{Credential, Secret};

/// What is read of `config.json`; the rest is about other things.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DockerConfig {
    #[serde(default)]
    auths: BTreeMap<String, Auth>,
    #[serde(default)]
    cred_helpers: BTreeMap<String, String>,
    #[serde(default)]
    creds_store: Option<String>,
}

/// What the file itself says about a host. With a credential helper it says nothing.
#[derive(Default, Deserialize)]
struct Auth {
    #[serde(default)]
    auth: Option<String>,
    #[serde(default)]
    username: Option<String>,
    #[serde(default)]
    password: Option<String>,
    #[serde(default)]
    identitytoken: Option<String>,
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// Where a credential can come from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CredentialSource {
    /// It is in the file.
    Credential(Credential),
    /// A program has it, under a key.
    Helper { program: String, key: String },
}

impl DockerConfig {
    pub(crate) fn read(text: &str) -> Result<DockerConfig, String> {
        // The message of the parser would show parts of the text.
        serde_json::from_str(text).map_err(|error| {
            format!("line {}, column {} is not as it should be", error.line(), error.column())
        })
    }

    /// The entries for a host, in the order in which they count.
    pub(crate) fn entries(&self, host: &str) -> Vec<CredentialSource> {
        let written = self.auths.iter().filter(|(key, _)| canonical(key) == host);
        let written = written.filter_map(|(_, auth)| auth.credential()).map(CredentialSource::Credential);
        let helper = self.cred_helpers.iter().find(|(key, _)| canonical(key) == host);
        let helper = helper
            .map(|(key, program)| CredentialSource::Helper { program: program.clone(), key: key.clone() });
        let store = self.creds_store.iter().filter(|program| !program.is_empty()).map(|program| {
            // Docker keeps the credential of its own registry under an address of old.
            let key = if host == HUB { "https://index.docker.io/v1/" } else { host };
            CredentialSource::Helper { program: program.clone(), key: key.to_owned() }
        });
        written.chain(helper).chain(store).collect()
    }
}

impl Auth {
    fn credential(&self) -> Option<Credential> {
        if let Some(token) = self.identitytoken.as_deref().filter(|token| !token.is_empty()) {
            return Some(Credential::Identity(Secret::new(token)));
        }
        if let (Some(user), Some(password)) = (&self.username, &self.password)
            && !user.is_empty()
        {
            return Some(Credential::Basic { user: user.clone(), password: Secret::new(password.as_str()) });
        }
        let decoded = STANDARD.decode(self.auth.as_deref()?.trim()).ok()?;
        let decoded = String::from_utf8(decoded).ok()?;
        let (user, password) = decoded.trim_end_matches('\0').split_once(':')?;
        (!user.is_empty())
            .then(|| Credential::Basic { user: user.to_owned(), password: Secret::new(password) })
    }
}

const HUB: &str = "docker.io";

/// A host as keys are compared: without scheme, path and the usual port, in lower case.
pub(crate) fn canonical(key: &str) -> String {
    let (key, usual) = match key.split_once("://") {
        Some(("http", rest)) => (rest, ":80"),
        Some((_, rest)) => (rest, ":443"),
        None => (key, ":443"),
    };
    let host = key.split('/').next().unwrap_or(key).to_ascii_lowercase();
    let host = host.strip_suffix(usual).unwrap_or(&host);
    match host {
        "index.docker.io" | "registry-1.docker.io" => HUB.to_owned(),
        host => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn basic(user: &str, password: &str) -> CredentialSource {
        CredentialSource::Credential(Credential::Basic {
            user: user.to_owned(),
            password: Secret::new(password),
        })
    }

    fn helper(program: &str, key: &str) -> CredentialSource {
        CredentialSource::Helper { program: program.to_owned(), key: key.to_owned() }
    }

    #[test]
    fn a_credential_is_for_one_host_and_one_port() {
        let text = r#"{ "HttpHeaders": {}, "auths": {
            "https://a.example/v2/": { "auth": "bWU6c2U6Y3JldA==" },
            "b.example:5000": { "username": "u", "password": "" },
            "c.azurecr.io": { "auth": "MDAwMDo=", "identitytoken": "long" },
            "d.example": {},
            "https://index.docker.io/v1/": { "auth": "aDpo" },
            "broken.example": { "auth": "***" }
        } }"#;
        let config = DockerConfig::read(text).unwrap();
        let check = |host: &str, expected: &[CredentialSource]| {
            assert_eq!(config.entries(&canonical(host)), expected, "{host}")
        };
        check("A.example", &[basic("me", "se:cret")]);
        check("a.example:443", &[basic("me", "se:cret")]);
        check("b.example:5000", &[basic("u", "")]);
        check("c.azurecr.io", &[CredentialSource::Credential(Credential::Identity(Secret::new("long")))]);
        check("docker.io", &[basic("h", "h")]);
        for none in ["a.example:8443", "b.example", "d.example", "broken.example", "example", "x.a.example"] {
            check(none, &[]);
        }
    }

    #[test]
    fn helpers_are_asked_after_the_file() {
        let text = r#"{ "auths": { "a.example": { "auth": "YTpi" } }, "credHelpers": { "a.example": "special" }, "credsStore": "desktop" }"#;
        let config = DockerConfig::read(text).unwrap();
        assert_eq!(
            config.entries("a.example"),
            [basic("a", "b"), helper("special", "a.example"), helper("desktop", "a.example")]
        );
        assert_eq!(config.entries("docker.io"), [helper("desktop", "https://index.docker.io/v1/")]);
    }

    #[test]
    fn a_broken_configuration_does_not_show_its_text() {
        let why = DockerConfig::read(r#"{ "auths": { "a": { "auth": ["hunter2"] } } }"#).unwrap_err();
        assert!(why.contains("line 1") && !why.contains("hunter2"), "{why}");
    }
}
