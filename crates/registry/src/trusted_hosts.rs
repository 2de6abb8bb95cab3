//! Which registries are asked at all: a program can name any host, and what it names must not make us send anything there.

use crate::OciReference;

/// The registries that are trusted without being named, as by the public command.
const BUILT_IN: [&str; 6] =
    ["*.azurecr.io", "*.azurecr.cn", "*.azurecr.us", "mcr.microsoft.com", "mcr.azure.cn", "ghcr.io"];

/// The registries that are asked.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    more: Vec<String>,
}

impl Trust {
    /// The variable with more registries to trust.
    pub const VARIABLE: &str = "BICEP_TRUSTED_REGISTRIES";

    /// The built-in ones, those of this machine, and those in a list with `,` or `;` between the hosts; `*.example.com` stands for all hosts below it.
    #[must_use]
    pub fn new(list: &str) -> Trust {
        let hosts = list.split([',', ';']).map(str::trim).filter(|host| !host.is_empty());
        Trust { more: hosts.map(str::to_ascii_lowercase).collect() }
    }

    /// Whether the registry of an artifact is asked.
    #[must_use]
    pub fn covers(&self, place: &OciReference) -> bool {
        let host = place.host_name().trim_end_matches('.');
        let mut patterns = BUILT_IN.into_iter().chain(self.more.iter().map(String::as_str));
        place.is_loopback() || patterns.any(|pattern| matches(host, pattern))
    }
}

fn matches(host: &str, pattern: &str) -> bool {
    match pattern.strip_prefix('*').filter(|rest| rest.starts_with('.')) {
        Some(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
        None => host == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_trusted_by_name_or_by_what_they_are_below() {
        let trust = Trust::new("contoso.example, *.team.example;Other.Example");
        let covers = |host: &str| trust.covers(&OciReference::new(host, "a", "1").unwrap());
        for host in [
            "mcr.microsoft.com",
            "x.azurecr.io",
            "X.AZURECR.IO:443",
            "contoso.example",
            "a.team.example:5000",
            "other.example",
            "localhost:5000",
            "127.0.0.1",
        ] {
            assert!(covers(host), "{host}");
        }
        for host in [
            "azurecr.io",
            "evil-mcr.microsoft.com",
            "mcr.microsoft.com.evil.example",
            "evilazurecr.io",
            "team.example",
            "sub.contoso.example",
            "docker.io",
            "10.0.0.1",
        ] {
            assert!(!covers(host), "{host}");
        }
    }
}
