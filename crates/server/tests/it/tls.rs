//! TLS: a client that trusts the certificate of the server speaks to it, others do not.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use client::{Client, ClientError};
use engine::core::MachineSettings;
use engine::provider::Local;
use engine::{Clock, Engine, Host};
use http::Method;
use hyper::body::Bytes;
use radius::registry::Registry;
use server::{App, AuthMode, Guard, Identity, ServeError, Tokens};
use store::{Key, MemoryStore, Store};

/// A server in local mode, or one that asks for tokens.
fn app(local: bool) -> Arc<App> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let key = Key::random().unwrap();
    let provider = Arc::new(Local::new(Arc::clone(&store), key.clone()));
    let registry = Arc::new(Registry::new(Arc::clone(&store), key.clone()));
    let tokens = Tokens::new(Arc::clone(&store), key.clone());
    let guard = if local { Guard::local() } else { Guard::new(AuthMode::Tokens(tokens)) };
    let engine = Engine {
        store,
        key,
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Virtual,
        budgets: Default::default(),
    };
    Arc::new(App::new(Arc::new(Host::new(engine)), registry).guarded(guard))
}

#[test]
fn a_client_that_trusts_the_certificate_speaks_to_the_server_and_a_signal_ends_it() {
    let folder = std::env::temp_dir().join(format!("tendon-server-tls-{}", std::process::id()));
    let (mine, other) = (folder.join("mine"), folder.join("other"));
    let identity = Identity::own(&mine, &[], SystemTime::now()).unwrap();
    let stranger = Identity::own(&other, &[], SystemTime::now()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let settings = server::ListenSettings {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            tls: Some(identity.server_config().unwrap()),
            connections: 10,
            per_address: 10,
            grace: Duration::from_secs(5),
        };
        let listening = server::listen(app(true), settings).await.unwrap();
        let port = listening.address().port();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let running = tokio::spawn(listening.run(async move { drop(stopped.await) }));
        let trusting = Client::new(Some(&identity.certificate)).unwrap();
        for host in ["127.0.0.1", "localhost"] {
            let reply = trusting
                .ask(Method::GET, &format!("https://{host}:{port}/healthz"), Bytes::new())
                .await
                .unwrap();
            assert_eq!(reply.status, 200);
        }
        let distrusting = Client::new(Some(&stranger.certificate)).unwrap();
        let url = format!("https://127.0.0.1:{port}/healthz");
        let refused = distrusting.ask(Method::GET, &url, Bytes::new()).await;
        assert!(matches!(refused, Err(ClientError::Untrusted(_))), "{refused:?}");
        // Plain HTTP on the same port is no way in.
        let plain = format!("http://127.0.0.1:{port}/healthz");
        assert!(trusting.ask(Method::GET, &plain, Bytes::new()).await.is_err());
        drop(stop);
        running.await.unwrap();
        assert!(trusting.ask(Method::GET, &url, Bytes::new()).await.is_err());
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_other_machines_could_misuse_is_not_served() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let address: SocketAddr = address.parse().unwrap();
        let settings = server::ListenSettings {
            address,
            tls: None,
            connections: 1,
            per_address: 1,
            grace: Duration::ZERO,
        };
        let open = runtime.block_on(server::listen(app(true), settings.clone()));
        assert!(matches!(open, Err(ServeError::Open(_))));
        let plain = runtime.block_on(server::listen(app(false), settings));
        assert!(matches!(plain, Err(ServeError::Plain(_))));
    }
}

/// An authority, and what it signs.
struct Authority {
    issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Authority {
        let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Authority { issuer: rcgen::Issuer::new(params, key), pem }
    }

    /// The settings of a client with a certificate for a name, which trusts the server.
    fn client(&self, name: &str, server: &std::path::Path) -> tokio_rustls::TlsConnector {
        let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
        let text = name.try_into().unwrap();
        let is_uri = name.contains("://");
        params.subject_alt_names =
            vec![if is_uri { rcgen::SanType::URI(text) } else { rcgen::SanType::DnsName(text) }];
        params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth];
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().der().clone();
        let key = rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        connector(server, |builder| builder.with_client_auth_cert(vec![certificate], key).unwrap())
    }
}

type Builder = rustls::ConfigBuilder<rustls::ClientConfig, rustls::client::WantsClientCert>;

fn connector(
    server: &std::path::Path,
    finish: impl FnOnce(Builder) -> rustls::ClientConfig,
) -> tokio_rustls::TlsConnector {
    use rustls::pki_types::pem::PemObject as _;
    let mut roots = rustls::RootCertStore::empty();
    roots.add(rustls::pki_types::CertificateDer::from_pem_file(server).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
    Arc::new(finish(builder)).into()
}

/// The status of an answer; none if the server does not speak to the client.
async fn status(port: u16, connector: &tokio_rustls::TlsConnector, request: &str) -> Option<u16> {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let mut stream = connector.connect("localhost".try_into().unwrap(), stream).await.ok()?;
    let text =
        format!("{request}\r\nhost: localhost:{port}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    stream.write_all(text.replacen("\r\n", " HTTP/1.1\r\n", 1).as_bytes()).await.ok()?;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    std::str::from_utf8(answer.get(9..12)?).ok()?.parse().ok()
}

#[test]
fn a_client_is_known_by_its_certificate() {
    let folder = std::env::temp_dir().join(format!("tendon-server-clients-{}", std::process::id()));
    let identity = Identity::own(&folder, &[], SystemTime::now()).unwrap();
    let (ours, theirs) = (Authority::new(), Authority::new());
    let file = folder.join("clients.pem");
    std::fs::write(&file, &ours.pem).unwrap();
    let authorities = server::ClientAuthorities::from_file(&file).unwrap();
    let (tls, _slot) = identity.replaceable(Some(&authorities)).unwrap();
    let rules = ["ci.example=reader@/", "spiffe://example/deployer=deployer@/subscriptions/s"];
    let rules = rules.iter().map(|rule| server::RoleRule::parse(rule).unwrap()).collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let tokens = Tokens::new(Arc::clone(&store), Key::random().unwrap());
        let app = Arc::into_inner(app(false)).unwrap();
        let app = Arc::new(app.guarded(Guard::new(AuthMode::Tokens(tokens)).knowing(rules)));
        let settings = server::ListenSettings {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            tls: Some(tls),
            connections: 10,
            per_address: 10,
            grace: Duration::ZERO,
        };
        let listening = server::listen(app, settings).await.unwrap();
        let port = listening.address().port();
        let running = tokio::spawn(listening.run(std::future::pending()));
        let read = "GET /subscriptions/s/resourceGroups?api-version=2025-04-01";
        let put = "PUT /subscriptions/s/resourceGroups/g?api-version=2025-04-01";
        let server = &identity.certificate;
        let reader = ours.client("ci.example", server);
        assert_eq!(status(port, &reader, read).await, Some(200));
        assert_eq!(status(port, &reader, put).await, Some(403));
        let deployer = ours.client("spiffe://example/deployer", server);
        let nested = "GET /subscriptions/other/resourceGroups/g?api-version=2025-04-01";
        assert_eq!(status(port, &deployer, read).await, Some(200));
        assert_eq!(status(port, &deployer, nested).await, Some(403));
        // A page of somebody else may have sent it; a token is looked at before the certificate.
        let page = format!("{read}\r\norigin: https://evil.example");
        assert_eq!(status(port, &reader, &page).await, Some(403));
        let fetched = format!("{read}\r\nsec-fetch-site: cross-site");
        assert_eq!(status(port, &reader, &fetched).await, Some(403));
        let token = format!("{read}\r\nauthorization: Bearer tendon_0_0");
        assert_eq!(status(port, &reader, &token).await, Some(401));
        // Names that stand for nothing, none at all, and those of others.
        assert_eq!(status(port, &ours.client("other.example", server), read).await, Some(401));
        let nobody = connector(server, |builder| builder.with_no_client_auth());
        assert_eq!(status(port, &nobody, read).await, Some(401));
        let stranger = theirs.client("ci.example", server);
        assert_eq!(status(port, &stranger, read).await, None);
        // Another authority follows, without a restart; a file that is none changes nothing.
        std::fs::write(&file, "nothing").unwrap();
        assert!(authorities.reload(&file).is_err());
        assert_eq!(status(port, &reader, read).await, Some(200));
        std::fs::write(&file, &theirs.pem).unwrap();
        authorities.reload(&file).unwrap();
        assert_eq!(status(port, &stranger, read).await, Some(200));
        assert_eq!(status(port, &reader, read).await, None);
        running.abort();
    });
    std::fs::remove_dir_all(&folder).unwrap();
}
