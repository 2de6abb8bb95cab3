//! Local mode: nobody logs in, so a request must come from a program of this machine and not from a web page in its browser.
//!
//! A page may give its own name the address 127.0.0.1 (DNS rebinding); the browser then sends that name as `Host`. A page under another
//! name may send simple requests; the browser then says so in `Origin` or `Sec-Fetch-Site`.

use std::net::IpAddr;

use http::HeaderMap;
use http::header::ORIGIN;
use http::uri::Authority;

use crate::api_error::ApiError;

/// Refuses a request that a web page may have sent. `names` are accepted beside those of this machine.
pub(super) fn check(
    host: Option<&str>,
    base: &str,
    headers: &HeaderMap,
    names: &[String],
) -> Result<(), ApiError> {
    if !host.is_some_and(|host| is_local(host, names)) {
        return Err(ApiError::new(
            "InvalidHost",
            "the header `Host` must name this machine: localhost, 127.0.0.1 or [::1]; callers do not log in here, so other names are rejected",
        ));
    }
    refuse_pages(base, headers)
}

/// Refuses a request that a web page of another origin sent.
pub(super) fn refuse_pages(base: &str, headers: &HeaderMap) -> Result<(), ApiError> {
    let foreign =
        headers.get_all(ORIGIN).iter().any(|origin| !origin.as_bytes().eq_ignore_ascii_case(base.as_bytes()));
    // `none` is an address that somebody typed.
    let fetched =
        headers.get_all("sec-fetch-site").iter().any(|site| site != "none" && site != "same-origin");
    if foreign || fetched {
        return Err(ApiError::new("CrossOriginRequest", "web pages may not use this server"));
    }
    Ok(())
}

/// Whether a host, perhaps with a port, is this machine.
fn is_local(host: &str, names: &[String]) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    // `user@host` is for people to be deceived.
    if host.contains('@') {
        return false;
    }
    let name = authority.host();
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        || names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_hosts() {
        let names = ["tendon.test".to_owned()];
        for host in
            ["localhost", "LOCALHOST:8443", "127.0.0.1:1", "127.9.9.9", "[::1]:8443", "tendon.test:8443"]
        {
            assert!(is_local(host, &names), "{host}");
        }
        for host in [
            "",
            "evil.test",
            "localhost.evil.test",
            "127.0.0.1.evil.test",
            "x@localhost",
            "10.0.0.1",
            "[::2]",
            "0.0.0.0",
            "2130706433",
        ] {
            assert!(!is_local(host, &names), "{host}");
        }
    }
}
