//! TLS: a certificate of its own, or one from files.

mod clients;
mod self_signed;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

pub use clients::ClientAuthorities;
pub(crate) use clients::ClientNames;

/// The file of the certificate in the folder of the state.
pub const CERTIFICATE_FILE: &str = "tls-cert.pem";
/// The file of its key.
const KEY_FILE: &str = "tls-key.pem";

/// A certificate and its key.
pub struct Identity {
    /// The file that clients have to trust.
    pub certificate: PathBuf,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read or written.
    #[error("`{path}`: {error}")]
    File {
        /// The path of the file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file is not what it should be.
    #[error("`{path}` has no {expected} in PEM form")]
    Malformed {
        /// The path of the file.
        path: PathBuf,
        /// What it should have.
        expected: &'static str,
    },
    /// The key can be read by others.
    #[error("the key `{0}` can be read by other users; allow only its owner to (chmod 600)")]
    Open(PathBuf),
    /// No certificate could be made.
    #[error("no certificate could be made: {0}")]
    Make(String),
    /// The certificate and the key do not go together, or nobody can use them.
    #[error("the certificate `{path}` cannot be used: {error}")]
    Unusable {
        /// The path of the certificate.
        path: PathBuf,
        /// What the TLS library says.
        error: rustls::Error,
    },
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl Identity {
    /// The certificate in a folder, for `localhost`, its addresses and other names. It is made if there is none, and made anew if it
    /// expires soon or lacks a name.
    pub fn own(folder: &Path, names: &[String], now: SystemTime) -> Result<Identity, TlsError> {
        self_signed::keep(folder, names, now)
    }

    /// A certificate from files: the chain with the server's own first, and its key.
    pub fn from_files(certificate: &Path, key: &Path) -> Result<Identity, TlsError> {
        let malformed = |path: &Path, expected| TlsError::Malformed { path: path.to_owned(), expected };
        let text = read(certificate)?;
        let chain = CertificateDer::pem_slice_iter(&text)
            .collect::<Result<Vec<_>, _>>()
            .ok()
            .filter(|chain| !chain.is_empty())
            .ok_or_else(|| malformed(certificate, "certificate"))?;
        let secret = read(key)?;
        private(key)?;
        let key = PrivateKeyDer::from_pem_slice(&secret).map_err(|_| malformed(key, "private key"))?;
        Ok(Identity { certificate: certificate.to_owned(), chain, key })
    }

    /// What the socket needs: TLS 1.2 and 1.3, HTTP/1.1 and HTTP/2.
    pub fn server_config(&self) -> Result<Arc<ServerConfig>, TlsError> {
        self.replaceable(None).map(|(config, _)| config)
    }

    /// The same with the place where another certificate can be put while the server runs, and perhaps for clients with certificates.
    pub fn replaceable(
        &self,
        clients: Option<&ClientAuthorities>,
    ) -> Result<(Arc<ServerConfig>, CertificateSlot), TlsError> {
        let slot = CertificateSlot(Arc::new(Current(RwLock::new(self.certified()?))));
        let resolver: Arc<Current> = Arc::clone(&slot.0);
        let config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(|error| self.unusable(error))?;
        let config = match clients {
            Some(clients) => config.with_client_cert_verifier(Arc::new(clients.clone())),
            None => config.with_no_client_auth(),
        };
        let mut config = config.with_cert_resolver(resolver);
        // A certificate is shown and checked for each connection, so that one whose authority is gone is not known from before.
        if clients.is_some() {
            config.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
        }
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok((Arc::new(config), slot))
    }

    fn unusable(&self, error: rustls::Error) -> TlsError {
        TlsError::Unusable { path: self.certificate.clone(), error }
    }

    /// The certificate with its key, which go together.
    fn certified(&self) -> Result<Arc<CertifiedKey>, TlsError> {
        let key = CertifiedKey::from_der(self.chain.clone(), self.key.clone_key(), &provider());
        key.map(Arc::new).map_err(|error| self.unusable(error))
    }
}

/// Where a server that runs has its certificate. Clones are the same place.
#[derive(Clone)]
pub struct CertificateSlot(Arc<Current>);

struct Current(RwLock<Arc<CertifiedKey>>);

impl CertificateSlot {
    /// Puts another certificate there, for connections that are made from now on; whether it is another one.
    pub fn replace(&self, identity: &Identity) -> Result<bool, TlsError> {
        let next = identity.certified()?;
        let mut current = self.0.0.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = current.cert != next.cert;
        *current = next;
        Ok(is_new)
    }
}

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Current")
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// The cryptography, named, so that no other crate can put another one in its place.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    std::fs::read(path).map_err(|error| TlsError::File { path: path.to_owned(), error })
}

/// Refuses a key that others can read.
#[cfg(unix)]
fn private(path: &Path) -> Result<(), TlsError> {
    use std::os::unix::fs::PermissionsExt as _;
    let about = std::fs::metadata(path).map_err(|error| TlsError::File { path: path.to_owned(), error })?;
    // A group may be let in on purpose, as tools that hand out certificates do.
    if about.permissions().mode() & 0o007 != 0 { Err(TlsError::Open(path.to_owned())) } else { Ok(()) }
}

#[cfg(not(unix))]
fn private(_: &Path) -> Result<(), TlsError> {
    Ok(())
}
