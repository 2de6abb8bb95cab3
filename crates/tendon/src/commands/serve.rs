//! `tendon serve`: the engine and the registry behind the HTTP APIs that existing clients speak.

use std::net::SocketAddr;
use std::sync::Arc;

use engine::core::Settings;
use engine::{Clock, Host};
use radius::registry::Registry;
use server::App;

use crate::cli::Common;
use crate::compile::CompileOptions;
use crate::deploy::StateOptions;
use crate::exit::{Exit, Failure};
use crate::output::Streams;

/// Serve the APIs of ARM and Radius from a local state
///
/// Clients such as `az`, the SDKs and `rad` deploy to it as to the original. What was cut off is taken up. Ctrl-C stops it: what is under way
/// ends first, and a deployment that does not is taken up by the next start.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The address to listen on; port 0 means any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8443")]
    listen: SocketAddr,

    /// How many connections are open at most; others wait
    #[arg(long, value_name = "N", default_value_t = 16_384)]
    connections: usize,

    #[command(flatten)]
    state: StateOptions,
    #[command(flatten)]
    compile: CompileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon serve --state state
  tendon serve --listen 127.0.0.1:0 --state state";

/// Serves until somebody stops it.
pub(crate) fn run(arguments: &Arguments, _common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let types = arguments.compile.engine_types(None);
    let engine = arguments.state.engine(Settings::default(), Clock::Real, types, None)?;
    let registry = Arc::new(Registry::new(Arc::clone(&engine.store), engine.key.clone()));
    let app = Arc::new(App::new(Arc::new(Host::new(engine)), registry));
    let failed = |error: &dyn std::fmt::Display| Failure::Environment(error.to_string());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| failed(&error))?;
    runtime.block_on(async {
        let settings =
            server::Settings { address: arguments.listen, tls: None, connections: arguments.connections };
        let listening = server::listen(Arc::clone(&app), settings).await.map_err(|error| failed(&error))?;
        streams.print(&format!("listening on http://{}\n", listening.address()))?;
        streams.flush()?;
        listening
            .run(async {
                if tokio::signal::ctrl_c().await.is_err() {
                    // Nobody can press it.
                    std::future::pending::<()>().await;
                }
            })
            .await;
        Ok(Exit::Fine)
    })
}
