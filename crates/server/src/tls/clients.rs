//! Certificates of clients: whose are accepted, and what they are called.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, RootCertStore, SignatureScheme};

use super::{TlsError, provider, read};

/// The authorities that sign certificates of clients. Clones are the same, also when they are read again.
#[derive(Clone)]
pub struct ClientAuthorities(Arc<RwLock<Arc<dyn ClientCertVerifier>>>);

impl ClientAuthorities {
    /// The authorities in a file (PEM).
    pub fn from_file(file: &Path) -> Result<ClientAuthorities, TlsError> {
        verifier(file).map(|verifier| ClientAuthorities(Arc::new(RwLock::new(verifier))))
    }

    /// Reads the file again, for connections that are made from now on. If it cannot be used, the authorities before stay.
    pub fn reload(&self, file: &Path) -> Result<(), TlsError> {
        let next = verifier(file)?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }

    fn current(&self) -> Arc<dyn ClientCertVerifier> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn verifier(file: &Path) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
    let malformed = || TlsError::Malformed { path: file.to_owned(), expected: "certificate" };
    let text = read(file)?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.map_err(|_| malformed())?;
        roots.add(certificate).map_err(|_| malformed())?;
    }
    if roots.is_empty() {
        return Err(malformed());
    }
    // Who has none may have a token.
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider());
    let verifier = verifier.allow_unauthenticated().build();
    verifier.map(|verifier| verifier as Arc<dyn ClientCertVerifier>).map_err(|_| malformed())
}

impl fmt::Debug for ClientAuthorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientAuthorities")
    }
}

impl ClientCertVerifier for ClientAuthorities {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        // The authorities may be others by now; clients then send what they have.
        &[]
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.current().verify_client_cert(certificate, chain, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.current().verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.current().verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.current().supported_verify_schemes()
    }
}

/// What the certificate of a client says that it is: the names of hosts and the URIs in it. They come with each request of its connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientNames(pub(crate) Arc<[String]>);

impl ClientNames {
    /// The names in the certificate of a connection, which was checked.
    pub(crate) fn of(connection: &rustls::ServerConnection) -> ClientNames {
        let certificate = connection.peer_certificates().and_then(<[_]>::first);
        let parsed = certificate.and_then(|it| webpki::EndEntityCert::try_from(it).ok());
        let Some(parsed) = parsed else { return ClientNames::default() };
        let names = parsed.valid_dns_names().chain(parsed.valid_uri_names()).map(str::to_owned);
        ClientNames(names.collect())
    }
}
