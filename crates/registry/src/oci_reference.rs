//! Where an artifact is: a host, a repository on it, and a tag or a digest.

use std::fmt;

use crate::{Digest, OciError};

/// The name of Docker's registry, and the host that answers for it.
const DOCKER: (&str, &str) = ("docker.io", "registry-1.docker.io");

/// An artifact in a registry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OciReference {
    pub(crate) host: String,
    pub(crate) repository: String,
    pub(crate) version: Version,
}

/// Which of the artifacts of a repository is meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Version {
    Tag(String),
    Digest(Digest),
}

impl OciReference {
    /// The artifact with a tag, or with a digest if the version is one.
    ///
    /// What cannot be a part of an address is refused, so that no text of a program can lead a request elsewhere.
    pub fn new(host: &str, repository: &str, version: &str) -> Result<OciReference, OciError> {
        let plain = |more: &'static str| {
            move |byte: u8| byte.is_ascii_alphanumeric() || more.as_bytes().contains(&byte)
        };
        let segment = |segment: &str| {
            segment.starts_with(|first: char| first.is_ascii_alphanumeric())
                && segment.bytes().all(plain("._-"))
        };
        let has_host = host.starts_with(|first: char| first.is_ascii_alphanumeric())
            && host.bytes().all(plain(".-_:"))
            && host.bytes().filter(|byte| *byte == b':').count() <= 1;
        if !has_host || !repository.split('/').all(segment) {
            return Err(OciError::Artifact(format!(
                "`{host}/{repository}` is not the address of a repository"
            )));
        }
        let version = match Digest::parse(version) {
            Some(digest) => Version::Digest(digest),
            None if version.len() <= 128
                && !version.starts_with(['.', '-'])
                && !version.is_empty()
                && version.bytes().all(plain("._-")) =>
            {
                Version::Tag(version.to_owned())
            }
            None => return Err(OciError::Artifact(format!("`{version}` is not a tag or a digest"))),
        };
        Ok(OciReference { host: host.to_ascii_lowercase(), repository: repository.to_owned(), version })
    }

    /// The tag, or the digest.
    #[must_use]
    pub fn version(&self) -> &str {
        match &self.version {
            Version::Tag(tag) => tag,
            Version::Digest(digest) => digest.as_str(),
        }
    }

    /// The host, without the port.
    pub(crate) fn host_name(&self) -> &str {
        self.host.split_once(':').map_or(self.host.as_str(), |(name, _)| name)
    }

    /// Whether the registry is on this machine, and speaks plain HTTP.
    pub(crate) fn is_loopback(&self) -> bool {
        is_loopback(self.host_name())
    }

    /// Whether the registry may send a request to an address: over `https`, and to this machine only if the registry is here, too.
    pub(crate) fn may_lead_to(&self, url: &str) -> bool {
        client::Origin::of(url).is_ok_and(|origin| self.is_loopback() || !origin.is_loopback())
    }

    /// The address of something in the repository.
    pub(crate) fn url(&self, what: &str) -> String {
        let scheme = if self.is_loopback() { "http" } else { "https" };
        let (name, api) = DOCKER;
        let host = if self.host == name { api } else { &self.host };
        format!("{scheme}://{host}/v2/{}/{what}", self.repository)
    }
}

/// Whether a host is this machine, without asking anybody.
pub(crate) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl fmt::Display for OciReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = match &self.version {
            Version::Tag(_) => ':',
            Version::Digest(_) => '@',
        };
        write!(f, "{}/{}{between}{}", self.host, self.repository, self.version())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_made_of_host_repository_and_version() {
        let place = OciReference::new("MCR.example", "bicep/a", "1.0").unwrap();
        assert_eq!(place.to_string(), "mcr.example/bicep/a:1.0");
        assert_eq!(place.url("manifests/1.0"), "https://mcr.example/v2/bicep/a/manifests/1.0");
        let local = OciReference::new("127.0.0.1:5000", "a", "1").unwrap();
        assert_eq!(local.url("x"), "http://127.0.0.1:5000/v2/a/x");
        let hub = OciReference::new("docker.io", "a/b", "1").unwrap();
        assert_eq!(hub.url("x"), "https://registry-1.docker.io/v2/a/b/x");
        let digest = Digest::of(b"");
        let place = OciReference::new("x.io", "a", digest.as_str()).unwrap();
        assert_eq!(place.to_string(), format!("x.io/a@{digest}"));
    }

    #[test]
    fn what_leads_elsewhere_is_refused() {
        for (host, repository, version) in [
            ("x.io", "a/../b", "1"),
            ("x.io", "a?b", "1"),
            ("x.io", "", "1"),
            ("x@y.io", "a", "1"),
            ("x.io/", "a", "1"),
            ("", "a", "1"),
            ("x.io:1:2", "a", "1"),
            ("x.io", "a", "../1"),
            ("x.io", "a", "1/2"),
            ("x.io", "a", ""),
            ("x.io", "a", "sha256:1"),
        ] {
            assert!(OciReference::new(host, repository, version).is_err(), "{host} {repository} {version}");
        }
    }
}
