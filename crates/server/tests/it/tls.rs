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
