//! Addresses: where a request goes, and whether two of them go to the same place.

use hyper::Uri;

use crate::ClientError;

/// The scheme, the host and the port of an address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    pub(crate) tls: bool,
    /// In lower case, without the brackets of an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Origin {
    /// The origin of an address that can be asked: `https`, or `http` on this machine.
    pub fn of(url: &str) -> Result<Origin, ClientError> {
        RequestTarget::parse(url).map(|target| target.origin)
    }

    /// Whether it is on this machine.
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.host)
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        let host = &self.host;
        let (open, close) = if host.contains(':') { ("[", "]") } else { ("", "") };
        write!(f, "{scheme}://{open}{host}{close}")?;
        if self.port == default_port(self.tls) { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

/// Where a request goes.
#[derive(Debug)]
pub(crate) struct RequestTarget {
    pub(crate) origin: Origin,
    /// The host and the port as they were written.
    pub(crate) authority: String,
    pub(crate) path: String,
}

impl RequestTarget {
    pub(crate) fn parse(url: &str) -> Result<RequestTarget, ClientError> {
        let refused = || ClientError::Address(url.to_owned());
        let uri: Uri = url.parse().map_err(|_| refused())?;
        let authority =
            uri.authority().filter(|authority| !authority.as_str().contains('@')).ok_or_else(refused)?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_lowercase();
        if host.is_empty() {
            return Err(refused());
        }
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") if is_loopback(&host) => false,
            Some(_) | None => return Err(refused()),
        };
        let port = authority.port_u16().unwrap_or(default_port(tls));
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Ok(RequestTarget {
            origin: Origin { tls, host, port },
            authority: authority.as_str().to_owned(),
            path,
        })
    }
}

fn default_port(tls: bool) -> u16 {
    if tls { 443 } else { 80 }
}

/// Whether a host is this machine, without asking anybody.
fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Refuses an address that would not be asked.
pub fn check(url: &str) -> Result<(), ClientError> {
    RequestTarget::parse(url).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_this_machine_alone() {
        for url in
            ["https://issuer.example/a?b", "http://127.0.0.1:1/x", "http://localhost", "http://[::1]:80/"]
        {
            assert!(check(url).is_ok(), "{url}");
        }
        for url in [
            "http://issuer.example",
            "http://169.254.169.254/",
            "file:///etc/passwd",
            "/x",
            "https://a@b/",
            "ftp://x",
        ] {
            assert!(check(url).is_err(), "{url}");
        }
    }

    #[test]
    fn an_origin_is_a_scheme_a_host_and_a_port() {
        let origin = |url: &str| Origin::of(url).unwrap();
        let here = origin("https://Management.Example/a?b");
        assert_eq!(here, origin("https://management.example:443"));
        for other in [
            "https://management.example:444/",
            "https://management.example.evil.example/",
            "https://evil.example/https://management.example",
        ] {
            assert_ne!(here, origin(other), "{other}");
        }
        assert_ne!(origin("http://localhost:443"), origin("https://localhost:443"));
        assert_eq!(here.to_string(), "https://management.example");
        assert_eq!(origin("http://[::1]:8080/x").to_string(), "http://[::1]:8080");
    }
}
