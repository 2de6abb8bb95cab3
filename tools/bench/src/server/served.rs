//! A server on a folder of its own, and the requests that are sent to it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use engine::core::MachineSettings;
use engine::provider::Local;
use engine::{Clock, Engine, Host};
use radius::registry::Registry;
use server::App;
use store::{Key, SqliteStore, Store};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::client::Client;
use crate::{Result, said};

/// The group that everything is in.
const GROUP: &str = "/subscriptions/00000000-0000-0000-0000-000000000001/resourcegroups/bench";

/// A server that answers until it is dropped.
pub(super) struct Served {
    pub(super) address: SocketAddr,
    pub(super) folder: PathBuf,
    // Dropped before the runtime, so that the server stops.
    _stop: oneshot::Sender<()>,
    _runtime: Runtime,
}

impl Served {
    /// Starts one with an empty state.
    pub(super) fn start(name: &str) -> Result<Served> {
        let folder = std::env::current_exe().map_err(said)?.with_file_name(format!("bench-server-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder).map_err(said)?);
        let key = Key::random().map_err(said)?;
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
        let app = Arc::new(App::new(Arc::new(Host::new(engine)), registry));
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(said)?;
        let (stop, stopped) = oneshot::channel();
        let settings = server::ListenSettings {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            tls: None,
            connections: 20_000,
            per_address: 20_000,
            grace: std::time::Duration::ZERO,
        };
        let listening = runtime.block_on(server::listen(app, settings)).map_err(said)?;
        let address = listening.address();
        runtime.spawn(listening.run(async move { drop(stopped.await) }));
        let served = Served { address, folder, _stop: stop, _runtime: runtime };
        clients()?.block_on(async {
            let mut client = Client::connect(address).await?;
            let path = format!("{GROUP}?api-version=2024-11-01");
            client.ask("PUT", &path, r#"{"location": "westeurope"}"#, 201).await.map(drop)
        })?;
        Ok(served)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Where clients run: one thread, beside those of the server.
pub(super) fn clients() -> Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(said)
}

/// The path of a deployment.
pub(super) fn path(name: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}?api-version=2025-04-01")
}

/// A small deployment: a parameter with a rule, a resource, an output.
pub(super) const BODY: &str = r#"{"properties": {"mode": "Incremental", "parameters": {"name": {"value": "shop"}}, "template": {
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": {"name": {"type": "string", "minLength": 3, "maxLength": 24}},
  "resources": [{
    "type": "Microsoft.Things/things", "apiVersion": "2025-01-01", "location": "westeurope",
    "name": "[format('{0}-{1}', parameters('name'), deployment().name)]",
    "properties": {"tier": "Standard", "replicas": 2}
  }],
  "outputs": {"id": {"type": "string", "value": "[resourceId('Microsoft.Things/things', format('{0}-{1}', parameters('name'), deployment().name))]"}}
}}}"#;
