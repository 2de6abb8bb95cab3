//! What happens on the socket: clients that go away.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use engine::core::MachineSettings;
use engine::provider::Local;
use engine::{Clock, Engine, Host};
use radius::registry::Registry;
use server::{App, Limits};
use store::{Key, SqliteStore, Store};

/// A server on a folder of its own.
struct Served {
    address: SocketAddr,
    folder: std::path::PathBuf,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    _runtime: tokio::runtime::Runtime,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn served(name: &str, limits: Limits) -> Served {
    let folder = std::env::temp_dir().join(format!("tendon-server-{name}-{}", std::process::id()));
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder).unwrap());
    let key = Key::random().unwrap();
    let provider = Arc::new(Local::new(Arc::clone(&store), key.clone()));
    let registry = Arc::new(Registry::new(Arc::clone(&store), key.clone()));
    let engine = Engine {
        store,
        key,
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Real,
        budgets: Default::default(),
    };
    let app = Arc::new(App::new(Arc::new(Host::new(engine)), registry).limited(limits));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let settings = server::ListenSettings {
        address,
        tls: None,
        connections: 100,
        per_address: 100,
        grace: std::time::Duration::ZERO,
    };
    let listening = runtime.block_on(server::listen(app, settings)).unwrap();
    let address = listening.address();
    let (stop, stopped) = tokio::sync::oneshot::channel();
    runtime.spawn(listening.run(async move { drop(stopped.await) }));
    Served { address, folder, stop: Some(stop), _runtime: runtime }
}

fn send(address: SocketAddr, request: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!(
        "{request} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    stream
}

fn ask(address: SocketAddr, request: &str, body: &str) -> String {
    let mut answer = String::new();
    send(address, request, body).read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_deployment_whose_client_goes_away_is_finished() {
    let served = served("socket", Limits::default());
    let group = "/subscriptions/s/resourcegroups/g";
    ask(served.address, &format!("PUT {group}?api-version=2024-11-01"), r#"{"location": "north"}"#);
    let template = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "resources": []}"#;
    let body = format!(r#"{{"properties": {{"template": {template}}}}}"#);
    let path = |number: usize| {
        format!("{group}/providers/Microsoft.Resources/deployments/d{number}?api-version=2025-04-01")
    };
    for number in 0..20 {
        let stream = send(served.address, &format!("PUT {}", path(number)), &body);
        // The request has arrived, and nobody waits for its answer.
        std::thread::sleep(Duration::from_millis(number as u64 % 4));
        stream.shutdown(std::net::Shutdown::Both).unwrap();
    }
    // None is left half done: each was begun and ends, or was never seen.
    for number in 0..20 {
        let mut answer = String::new();
        for _ in 0..400 {
            answer = ask(served.address, &format!("GET {}", path(number)), "");
            if !answer.contains(r#""provisioningState":"Running""#) {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let ended = answer.contains(r#""provisioningState":"Succeeded""#);
        assert!(ended || answer.contains("DeploymentNotFound"), "{answer}");
    }
}

#[test]
fn a_page_that_is_followed_is_not_an_idle_connection() {
    let limits = Limits { idle_time: Duration::from_millis(50), ..Limits::default() };
    let mut served = served("followed", limits);
    let group = "/subscriptions/s/resourceGroups/g";
    ask(served.address, &format!("PUT {group}?api-version=2024-11-01"), r#"{"location": "north"}"#);
    let endless = r#"{"properties": {"template": {
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "resources": [{"type": "A.B/c", "apiVersion": "2023-01-01", "name": "c",
        "@options": {"waitUntil": ["[lambda('x', false())]", "PT1H"]}}]}}}"#;
    let id = format!("{group}/providers/Microsoft.Resources/deployments/d");
    ask(served.address, &format!("PUT {id}?api-version=2025-04-01"), endless);
    let mut events = send(served.address, &format!("GET /ui/events{id}"), "");
    let mut said = String::new();
    let mut read = |events: &mut TcpStream, until: &str| {
        let mut bytes = [0; 4096];
        while !said.contains(until) {
            let count = events.read(&mut bytes).unwrap();
            assert!(count > 0, "{said}");
            said.push_str(&String::from_utf8_lossy(bytes.get(..count).unwrap()));
        }
    };
    read(&mut events, "event: part");
    // Long enough for a connection on which nothing happens to be closed.
    std::thread::sleep(Duration::from_millis(300));
    let canceled = ask(served.address, &format!("POST {id}/cancel?api-version=2025-04-01"), "");
    assert!(canceled.starts_with("HTTP/1.1 204"), "{canceled}");
    read(&mut events, "event: end");
    // A server that stops does not wait for those who look.
    ask(served.address, &format!("PUT {id}2?api-version=2025-04-01"), endless);
    let mut events = send(served.address, &format!("GET /ui/events{id}2"), "");
    events.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    assert!(events.read(&mut [0; 1]).unwrap() > 0);
    served.stop.take().unwrap().send(()).unwrap();
    events.read_to_end(&mut Vec::new()).unwrap();
}
