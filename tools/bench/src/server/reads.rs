//! Reads of a deployment, beside a bare axum handler that reads and writes the same JSON.

use std::net::SocketAddr;
use std::time::Instant;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;

use super::Options;
use super::client::Client;
use super::served::{BODY, Served, clients, path};
use crate::{Result, said};

/// How many connections ask.
const CONNECTIONS: usize = 16;
/// How many reads there are in a round.
const READS: usize = 32_000;
/// How many rounds there are.
const ROUNDS: usize = 5;

pub(super) fn run(_: &Options) -> Result {
    println!("## Reads\n");
    let served = Served::start("reads")?;
    let path = path("read");
    let record = clients()?.block_on(async {
        let mut client = Client::connect(served.address).await?;
        client.ask("PUT", &path, BODY, 200).await?;
        Ok::<_, String>(client.ask("GET", &path, "", 200).await?.to_owned())
    })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(said)?;
    let bare = runtime.block_on(bare(record))?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(read(served.address, &path)?);
        theirs.push(read(bare, &path)?);
    }
    ours.sort_unstable_by(f64::total_cmp);
    theirs.sort_unstable_by(f64::total_cmp);
    let middle = |values: &[f64]| values.get(values.len() / 2).copied().unwrap_or(f64::NAN);
    let most = |values: &[f64]| values.last().copied().unwrap_or(f64::NAN);
    println!(
        "{READS} reads of a deployment a round from {CONNECTIONS} connections; beside it, a bare axum handler that reads the same \
         JSON with serde_json and writes it again ({ROUNDS} rounds in turns):\n"
    );
    println!("| | median | most |\n|---|--:|--:|");
    println!("| reads a second | {:.0} | {:.0} |", middle(&ours), most(&ours));
    println!("| bare axum | {:.0} | {:.0} |", middle(&theirs), most(&theirs));
    println!("| times | {:.2} | {:.2} |\n", middle(&ours) / middle(&theirs), most(&ours) / most(&theirs));
    Ok(())
}

/// Starts the bare handler.
async fn bare(record: String) -> Result<SocketAddr> {
    async fn answer(State(record): State<String>) -> impl IntoResponse {
        let value: serde_json::Value = serde_json::from_str(&record).unwrap_or_default();
        ([(CONTENT_TYPE, "application/json; charset=utf-8")], value.to_string())
    }
    let router = Router::new().route("/{*path}", get(answer)).with_state(record);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.map_err(said)?;
    let address = listener.local_addr().map_err(said)?;
    tokio::spawn(async move { drop(axum::serve(listener, router).await) });
    Ok(address)
}

/// Reads from several connections; how many a second.
fn read(address: SocketAddr, path: &str) -> Result<f64> {
    clients()?.block_on(async {
        let mut connections = Vec::new();
        for _ in 0..CONNECTIONS {
            connections.push(Client::connect(address).await?);
        }
        let start = Instant::now();
        let tasks: Vec<_> = connections
            .into_iter()
            .map(|mut client| {
                let path = path.to_owned();
                tokio::spawn(async move {
                    for _ in 0..READS / CONNECTIONS {
                        client.ask("GET", &path, "", 200).await?;
                    }
                    Ok::<_, String>(())
                })
            })
            .collect();
        for task in tasks {
            task.await.map_err(said)??;
        }
        Ok(READS as f64 / start.elapsed().as_secs_f64())
    })
}
