//! A small HTTP client: for what a server asks of others (keys of an issuer, traces to a collector), and for those who ask a server.
//!
//! It speaks HTTP/1.1 over TLS, or in plain text on this machine, and uses connections again. There are bounds on time and size. It follows no
//! redirects and uses no proxies: a request goes where it is sent, or nowhere.

mod address;
mod pinned;
mod pool;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{HeaderMap, Method, Request, StatusCode};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use address::RequestTarget;
use pinned::Pinned;
use pool::{Connection, Pool};

pub use address::{Origin, check};

/// How long a request may take, from the first byte to the last.
const PATIENCE: Duration = Duration::from_secs(10);
/// How large an answer may be.
const MOST_BYTES: usize = 1024 * 1024;

/// Asks servers over `https`, or over `http` on this machine. Clones share connections.
#[derive(Clone)]
pub struct Client {
    shared: Arc<ClientState>,
    patience: Duration,
    most_bytes: usize,
    /// How many bytes of an answer are worth one more second.
    slowest: Option<u64>,
    /// What says who asks.
    authorization: Option<HeaderValue>,
}

struct ClientState {
    tls: Arc<ClientConfig>,
    pool: Pool,
}

/// What is asked of a server.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The method; whether the request may be sent twice is said apart.
    pub method: Method,
    /// The whole address; redirects from there are not followed.
    pub url: String,
    /// Headers beyond those that every request has.
    pub headers: HeaderMap,
    /// The body as JSON; empty for none.
    pub body: Bytes,
    /// Whether it may be sent twice: if a connection that was used before breaks without an answer, it is sent again on a new one.
    pub is_idempotent: bool,
}

impl Ask {
    /// A request with a body of JSON, or none. It is idempotent if its method is.
    pub fn new(method: Method, url: impl Into<String>, body: Bytes) -> Ask {
        let is_idempotent = method.is_idempotent();
        Ask { method, url: url.into(), headers: HeaderMap::new(), body, is_idempotent }
    }
}

/// What a server answers.
#[derive(Debug)]
pub struct Reply {
    /// The status, whatever it is: an error of HTTP is an answer.
    pub status: StatusCode,
    /// The headers of the answer.
    pub headers: HeaderMap,
    /// The whole body, within a limit.
    pub body: Bytes,
}

/// What came of an answer, which may be less than all of it.
#[derive(Debug, Default)]
pub struct Received {
    /// The status and the headers, once they are there.
    pub head: Option<(StatusCode, HeaderMap)>,
    /// The body, as far as it came.
    pub body: Vec<u8>,
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
    /// There is no connection: the request was not sent.
    #[error("{0}")]
    Unreachable(String),
    /// Whoever answers is not who was asked for, or cannot prove it: the request was not sent.
    #[error("{0}")]
    Untrusted(String),
    /// The connection broke: the request may have been sent.
    #[error("{0}")]
    Connection(String),
    /// It took too long; the request may have been sent.
    #[error("there was no answer within {} seconds", .0.as_secs())]
    Late(Duration),
    /// The answer is too large.
    #[error("the answer has more than {0} bytes")]
    TooLarge(usize),
    /// A token that no header can have.
    #[error("the token has characters that no token has")]
    Token,
}

/// The cryptography, named, so that no other crate can put another one in its place.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
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
        Ok(Client::with_tls(tls))
    }

    /// A client that trusts one server: the one with the first certificate in a file, whatever names that is for.
    pub fn pinned(certificate: &Path) -> Result<Client, ClientError> {
        let failed = |error: &dyn std::fmt::Display| {
            ClientError::Roots(format!("`{}`: {error}", certificate.display()))
        };
        let text = std::fs::read(certificate).map_err(|error| failed(&error))?;
        let certificate = CertificateDer::from_pem_slice(&text).map_err(|error| failed(&error))?;
        let verifier = Pinned { certificate, provider: ring::default_provider() };
        let tls = ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(|error| failed(&error))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok(Client::with_tls(tls))
    }

    fn with_tls(tls: ClientConfig) -> Client {
        let shared = Arc::new(ClientState { tls: Arc::new(tls), pool: Pool::default() });
        Client { shared, patience: PATIENCE, most_bytes: MOST_BYTES, slowest: None, authorization: None }
    }

    /// The same with other bounds.
    #[must_use]
    pub fn with_limits(self, patience: Duration, most_bytes: usize) -> Client {
        Client { patience, most_bytes, ..self }
    }

    /// The same, but an answer may take one second longer for each `bytes` of it that came. One that comes more slowly is late as soon as
    /// one that does not come at all.
    #[must_use]
    pub fn no_slower_than(self, bytes: u64) -> Client {
        Client { slowest: Some(bytes.max(1)), ..self }
    }

    /// The same with a token.
    pub fn with_token(self, token: &str) -> Result<Client, ClientError> {
        Ok(Client { authorization: Some(bearer(token)?), ..self })
    }

    /// The same with connections of its own, for another runtime.
    #[must_use]
    pub fn apart(self) -> Client {
        let shared = ClientState { tls: Arc::clone(&self.shared.tls), pool: Pool::default() };
        Client { shared: Arc::new(shared), ..self }
    }

    /// What is at an address.
    pub async fn get(&self, url: &str) -> Result<Bytes, ClientError> {
        let reply = self.ask(Method::GET, url, Bytes::new()).await?;
        if reply.status != StatusCode::OK {
            return Err(ClientError::Connection(format!("`{url}` answered {}", reply.status)));
        }
        Ok(reply.body)
    }

    /// Sends JSON to an address.
    pub async fn post(&self, url: &str, json: Bytes) -> Result<StatusCode, ClientError> {
        Ok(self.ask(Method::POST, url, json).await?.status)
    }

    /// Sends a request with a body of JSON, or none, and gives the answer, whatever its status.
    pub async fn ask(&self, method: Method, url: &str, body: Bytes) -> Result<Reply, ClientError> {
        self.send(&Ask::new(method, url, body)).await
    }

    /// Sends a request and gives the answer, whatever its status.
    pub async fn send(&self, ask: &Ask) -> Result<Reply, ClientError> {
        let mut received = Received::default();
        self.receive(ask, &mut received).await?;
        let Some((status, headers)) = received.head else {
            return Err(ClientError::Connection(format!("`{}` did not answer", ask.url)));
        };
        Ok(Reply { status, headers, body: received.body.into() })
    }

    /// Sends a request and keeps what comes of the answer, also if the rest of it does not come: a download can go on from there.
    pub async fn receive(&self, ask: &Ask, into: &mut Received) -> Result<(), ClientError> {
        let target = RequestTarget::parse(&ask.url)?;
        let begun = Instant::now();
        self.in_time(begun, self.most_bytes, self.exchange(ask, &target, into, begun)).await?
    }

    /// What is there in the time that an answer may take of which some bytes came.
    async fn in_time<R>(
        &self,
        begun: Instant,
        came: usize,
        wanted: impl Future<Output = R>,
    ) -> Result<R, ClientError> {
        let more = self.slowest.map_or(0, |slowest| came as u64 / slowest);
        let patience = self.patience.saturating_add(Duration::from_secs(more));
        let left = patience.saturating_sub(begun.elapsed());
        tokio::time::timeout(left, wanted).await.map_err(|_| ClientError::Late(patience))
    }

    async fn exchange(
        &self,
        ask: &Ask,
        target: &RequestTarget,
        into: &mut Received,
        begun: Instant,
    ) -> Result<(), ClientError> {
        // A connection that was used before may be closed without our knowing yet. What must not be sent twice goes over a new one.
        if ask.is_idempotent
            && let Some(connection) = self.shared.pool.take(&target.origin)
        {
            match self.over(connection, ask, target, into, begun).await {
                Err(ExchangeError::Unanswered(_)) => {}
                Err(ExchangeError::For(error)) => return Err(error),
                Ok(()) => return Ok(()),
            }
        }
        let connection = Connection::open(&target.origin, &self.shared.tls);
        let connection = self.in_time(begun, 0, connection).await??;
        self.over(connection, ask, target, into, begun).await.map_err(|broken| match broken {
            ExchangeError::Unanswered(error) | ExchangeError::For(error) => error,
        })
    }

    async fn over(
        &self,
        mut connection: Connection,
        ask: &Ask,
        target: &RequestTarget,
        into: &mut Received,
        begun: Instant,
    ) -> Result<(), ExchangeError> {
        let failed = |error: &dyn std::fmt::Display| {
            ClientError::Connection(format!("`{}`: {}", target.origin, said(&error.to_string())))
        };
        let request = self.request(ask, target).map_err(|error| ExchangeError::For(failed(&error)))?;
        let answer = self.in_time(begun, 0, connection.sender.send_request(request)).await;
        let answer = answer.map_err(ExchangeError::For)?;
        let answer = answer.map_err(|error| ExchangeError::Unanswered(failed(&error)))?;
        let (parts, body) = answer.into_parts();
        into.head = Some((parts.status, parts.headers));
        let mut body = Limited::new(body, self.most_bytes);
        while let Some(frame) =
            self.in_time(begun, into.body.len(), body.frame()).await.map_err(ExchangeError::For)?
        {
            let frame = frame.map_err(|error| {
                ExchangeError::For(match error.downcast_ref::<LengthLimitError>() {
                    Some(_) => ClientError::TooLarge(self.most_bytes),
                    None => failed(&error),
                })
            })?;
            if let Some(data) = frame.data_ref() {
                into.body.extend_from_slice(data);
            }
        }
        self.shared.pool.give_back(&target.origin, connection);
        Ok(())
    }

    fn request(&self, ask: &Ask, target: &RequestTarget) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
        let mut request = Request::builder()
            .method(ask.method.clone())
            .uri(&target.path)
            .header(HOST, &target.authority)
            .header(CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let mut request = request.body(Full::new(ask.body.clone()))?;
        for (name, value) in &ask.headers {
            request.headers_mut().insert(name, value.clone());
        }
        Ok(request)
    }
}

/// Why an exchange was not finished.
enum ExchangeError {
    /// Nothing of an answer came.
    Unanswered(ClientError),
    /// It would not help to send it again, or somebody else has to decide it.
    For(ClientError),
}

/// The words of the protocol library that people would not understand.
fn said(error: &str) -> String {
    match error {
        "connection closed before message completed" => {
            "the connection was closed before the answer".to_owned()
        }
        other => other.to_owned(),
    }
}

/// The header with a token, which nothing prints.
pub fn bearer(token: &str) -> Result<HeaderValue, ClientError> {
    let mut header = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| ClientError::Token)?;
    header.set_sensitive(true);
    Ok(header)
}
