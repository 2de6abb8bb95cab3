//! A small client: for what the server itself asks of others (keys of an issuer, traces to a collector), and for those who ask a server. No
//! redirects, no proxies, bounds on time and size.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::tls::provider;

/// How long a request may take, from the first byte to the last.
const PATIENCE: Duration = Duration::from_secs(10);
/// How large an answer may be.
const MOST_BYTES: usize = 1024 * 1024;

/// Asks servers over `https`, or over `http` on this machine.
#[derive(Clone)]
pub struct Client {
    tls: Arc<ClientConfig>,
    patience: Duration,
    most_bytes: usize,
    /// What says who asks.
    authorization: Option<HeaderValue>,
}

/// What a server answers.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// It is not an address that is asked.
    #[error("`{0}` is not an address with `https`, or with `http` on this machine")]
    Address(String),
    /// The certificates to trust cannot be read.
    #[error("the certificates to trust cannot be used: {0}")]
    Roots(String),
    /// The connection broke, or was never there.
    #[error("{0}")]
    Connection(String),
    /// It took too long.
    #[error("there was no answer within {} seconds", .0.as_secs())]
    Late(Duration),
    /// A token that no header can have.
    #[error("the token has characters that no token has")]
    Token,
}

impl Client {
    /// A client that trusts the authorities of the system, or those in a file.
    pub fn new(authorities: Option<&Path>) -> Result<Client, ClientError> {
        let failed = |error: &dyn std::fmt::Display| ClientError::Roots(error.to_string());
        let mut roots = RootCertStore::empty();
        match authorities {
            Some(file) => {
                let text =
                    std::fs::read(file).map_err(|error| failed(&format!("`{}`: {error}", file.display())))?;
                for certificate in CertificateDer::pem_slice_iter(&text) {
                    let certificate = certificate.map_err(|error| failed(&error))?;
                    roots.add(certificate).map_err(|error| failed(&error))?;
                }
                if roots.is_empty() {
                    return Err(failed(&format!("`{}` has none", file.display())));
                }
            }
            // Those that cannot be read are not trusted.
            None => drop(roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs)),
        }
        let tls = ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(|error| failed(&error))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Client { tls: Arc::new(tls), patience: PATIENCE, most_bytes: MOST_BYTES, authorization: None })
    }

    /// The same with other bounds.
    #[must_use]
    pub fn within(self, patience: Duration, most_bytes: usize) -> Client {
        Client { patience, most_bytes, ..self }
    }

    /// The same with a token.
    pub fn with_token(self, token: &str) -> Result<Client, ClientError> {
        let mut header = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| ClientError::Token)?;
        header.set_sensitive(true);
        Ok(Client { authorization: Some(header), ..self })
    }

    /// What is at an address.
    pub(crate) async fn get(&self, url: &str) -> Result<Bytes, ClientError> {
        let reply = self.ask(Method::GET, url, Bytes::new()).await?;
        if reply.status != StatusCode::OK {
            return Err(ClientError::Connection(format!("`{url}` answered {}", reply.status)));
        }
        Ok(reply.body)
    }

    /// Sends JSON to an address.
    pub(crate) async fn post(&self, url: &str, json: Bytes) -> Result<StatusCode, ClientError> {
        Ok(self.ask(Method::POST, url, json).await?.status)
    }

    /// Sends a request with a body of JSON, or none, and gives the answer, whatever its status.
    pub async fn ask(&self, method: Method, url: &str, body: Bytes) -> Result<Reply, ClientError> {
        let target = Target::parse(url)?;
        tokio::time::timeout(self.patience, self.exchange(method, &target, body))
            .await
            .map_err(|_| ClientError::Late(self.patience))?
    }

    async fn exchange(&self, method: Method, target: &Target, body: Bytes) -> Result<Reply, ClientError> {
        let failed = |error: io::Error| ClientError::Connection(format!("`{}`: {error}", target.authority));
        let stream = TcpStream::connect((target.host.as_str(), target.port)).await.map_err(failed)?;
        if !target.tls {
            return self.over(TokioIo::new(stream), method, target, body).await;
        }
        let name = ServerName::try_from(target.host.clone())
            .map_err(|_| ClientError::Address(target.authority.clone()))?;
        let stream = TlsConnector::from(Arc::clone(&self.tls)).connect(name, stream).await.map_err(failed)?;
        self.over(TokioIo::new(stream), method, target, body).await
    }

    async fn over<S>(
        &self,
        stream: S,
        method: Method,
        target: &Target,
        body: Bytes,
    ) -> Result<Reply, ClientError>
    where
        S: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
    {
        let failed = |error: &dyn std::fmt::Display| {
            ClientError::Connection(format!("`{}`: {error}", target.authority))
        };
        let (mut sender, connection) = http1::handshake(stream).await.map_err(|error| failed(&error))?;
        let running = tokio::spawn(connection);
        let mut request = Request::builder()
            .method(method)
            .uri(&target.path)
            .header(HOST, &target.authority)
            .header(CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request = request.body(Full::new(body)).map_err(|error| failed(&error))?;
        let answer = async {
            let response = sender.send_request(request).await.map_err(|error| failed(&error))?;
            let (parts, body) = response.into_parts();
            let body = Limited::new(body, self.most_bytes).collect().await.map_err(|error| failed(&error))?;
            Ok(Reply { status: parts.status, headers: parts.headers, body: body.to_bytes() })
        };
        let answer = answer.await;
        running.abort();
        answer
    }
}

/// Where a request goes.
#[derive(Debug)]
struct Target {
    tls: bool,
    host: String,
    port: u16,
    /// The host and the port as they were written.
    authority: String,
    path: String,
}

impl Target {
    fn parse(url: &str) -> Result<Target, ClientError> {
        let refused = || ClientError::Address(url.to_owned());
        let uri: Uri = url.parse().map_err(|_| refused())?;
        let authority =
            uri.authority().filter(|authority| !authority.as_str().contains('@')).ok_or_else(refused)?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") if is_loopback(&host) => false,
            Some(_) | None => return Err(refused()),
        };
        let port = authority.port_u16().unwrap_or(if tls { 443 } else { 80 });
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Ok(Target { tls, host, port, authority: authority.as_str().to_owned(), path })
    }
}

/// Whether a host is this machine, without asking anybody.
fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Refuses an address that would not be asked.
pub(crate) fn check(url: &str) -> Result<(), ClientError> {
    Target::parse(url).map(drop)
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
}
