//! The proxy against a plain relay of bytes on the same runtime: processor time, latency and throughput.
//!
//! Both run in processes of their own, so that their processor time can be told from that of clients and server. They
//! take turns under the same load: clients on loopback that send a call, wait for the reply, and send the next.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener as StdListener, TcpStream as StdStream};
use std::num::NonZeroUsize;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use logging::Log;
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::proxy::{Contracts, ProxyConfig};
use thrift::wire::{BinaryWriter, MessageForm, MessageKind, WireType, Writer, write_frame};
use thrift_proxy::{
    ActiveContracts, ConnectionContext, Fresh, MAX_MESSAGE, Metrics, Operator, Proxy, ProxySettings, Stopper,
    Timeouts,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::mpsc::unbounded_channel;

use crate::{Result, said};

const IDL: &str = r#"
    struct Item { 1: string name (vt.min_size = "1", vt.max_size = "64") 2: i32 count (vt.gt = "0") 3: double price (vt.ge = "0") }
    struct Order {
        1: required string id (vt.pattern = "^[a-z0-9-]+$", vt.max_size = "40")
        2: i64 customer (vt.gt = "0")
        3: string country (vt.in = "DE", vt.in = "FR", vt.in = "GB")
        4: list<Item> items (vt.min_size = "1", vt.max_size = "1000")
        5: map<string, string> labels (vt.max_size = "16", vt.key.max_size = "32")
        6: i32 discount (vt.ge = "0", vt.le = "100")
        7: optional string note (vt.max_size = "200")
    }
    service Shop { i64 place(1: Order order (vt.not_nil = "true")) }
"#;

const CONNECTIONS: usize = 16;
const WORKERS: usize = 2;
/// Many short rounds: what else the machine does hits few of them, and both sides alike.
const ROUNDS: usize = 101;
const ROUND: Duration = Duration::from_millis(200);

/// Runs the comparison; with a role, one side of it.
pub(crate) fn run(arguments: &[String]) -> Result {
    match arguments {
        [] => compare(),
        [role, upstream] if role == "relay" => relay(address(upstream)?),
        [role, upstream] if role == "proxy" => proxy(address(upstream)?),
        _ => Err("`thrift-proxy` takes no arguments".to_owned()),
    }
}

fn address(text: &str) -> Result<SocketAddr> {
    text.parse().map_err(|_| format!("`{text}` is not an address"))
}

fn compare() -> Result {
    let upstream = serve()?;
    println!(
        "{:<22} {:>11} {:>11} {:>8} {:>8} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9}",
        "call",
        "relay cpu",
        "proxy cpu",
        "added",
        "at least",
        "relay/s",
        "proxy/s",
        "relay p50",
        "proxy p50",
        "relay p99",
        "proxy p99"
    );
    for items in [1, 8, 64] {
        let call = write_frame(&order(items));
        let mut sides = [Side::start("relay", upstream)?, Side::start("proxy", upstream)?];
        let mut rounds: [Vec<Round>; 2] = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS {
            // Whoever comes second finds the machine as the first has left it: they take turns at that too.
            let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
            for at in order {
                if let (Some(side), Some(rounds)) = (sides.get_mut(at), rounds.get_mut(at)) {
                    rounds.push(side.measure(&call)?);
                }
            }
        }
        let added = added(&rounds);
        let least = rounds.each_ref().map(|rounds| rounds.iter().map(|it| it.cpu).fold(f64::MAX, f64::min));
        let [relay, proxy] = rounds.map(|rounds| Summary::of(&rounds));
        println!(
            "{:<22} {:>8.2} us {:>8.2} us {:>6.1} % {:>6.1} % {:>10.0} {:>10.0} {:>6.0} us {:>6.0} us {:>6.0} us {:>6.0} us",
            format!("{} items, {} bytes", items, call.len()),
            relay.cpu,
            proxy.cpu,
            added,
            (least[1] / least[0] - 1.0) * 100.0,
            relay.rate,
            proxy.rate,
            relay.p50,
            proxy.p50,
            relay.p99,
            proxy.p99,
        );
    }
    Ok(())
}

/// How much more processor time a call takes through the proxy, in percent: the median over rounds of both that
/// followed each other.
fn added([relay, proxy]: &[Vec<Round>; 2]) -> f64 {
    let mut shares: Vec<f64> =
        relay.iter().zip(proxy).map(|(relay, proxy)| (proxy.cpu / relay.cpu - 1.0) * 100.0).collect();
    shares.sort_unstable_by(f64::total_cmp);
    shares.get(shares.len() / 2).copied().unwrap_or(f64::NAN)
}

/// One side in a process of its own.
struct Side {
    process: Child,
    /// The connections of the clients, which stay open.
    clients: Vec<StdStream>,
}

impl Side {
    fn start(role: &str, upstream: SocketAddr) -> Result<Side> {
        let own = std::env::current_exe().map_err(said)?;
        let mut process = Command::new(own)
            .args(["thrift-proxy", role, &upstream.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(said)?;
        let mut line = String::new();
        let output = process.stdout.take().ok_or("no output")?;
        BufReader::new(output).read_line(&mut line).map_err(said)?;
        let address = address(line.trim())?;
        let mut side = Side { process, clients: Vec::new() };
        for _ in 0..CONNECTIONS {
            let client = StdStream::connect(address).map_err(said)?;
            client.set_nodelay(true).map_err(said)?;
            side.clients.push(client);
        }
        Ok(side)
    }

    fn measure(&mut self, call: &[u8]) -> Result<Round> {
        let stop = &AtomicBool::new(false);
        let before = self.cpu()?;
        let start = Instant::now();
        let mut times = std::thread::scope(|scope| -> Result<Vec<Duration>> {
            let clients: Vec<_> = self
                .clients
                .iter_mut()
                .map(|stream| scope.spawn(move || client(stream, call, stop)))
                .collect();
            std::thread::sleep(ROUND);
            stop.store(true, Ordering::Relaxed);
            let mut times = Vec::new();
            for client in clients {
                times.extend(client.join().map_err(|_| "a client panicked")??);
            }
            Ok(times)
        })?;
        let elapsed = start.elapsed();
        let cpu = self.cpu()?.saturating_sub(before);
        times.sort_unstable();
        let calls = times.len().max(1);
        let at = |share: f64| {
            let index = (calls as f64 * share) as usize;
            times.get(index.min(calls - 1)).map_or(f64::NAN, |time| time.as_secs_f64() * 1e6)
        };
        Ok(Round {
            cpu: cpu as f64 / 1000.0 / calls as f64,
            rate: calls as f64 / elapsed.as_secs_f64(),
            p50: at(0.5),
            p99: at(0.99),
        })
    }

    /// The processor time of all threads, in nanoseconds.
    fn cpu(&self) -> Result<u64> {
        let folder = format!("/proc/{}/task", self.process.id());
        let mut total = 0;
        for task in std::fs::read_dir(&folder).map_err(said)? {
            let path = task.map_err(said)?.path().join("schedstat");
            let text = std::fs::read_to_string(path).map_err(said)?;
            total += text.split_whitespace().next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
        }
        Ok(total)
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What one round gave, times in microseconds.
struct Round {
    cpu: f64,
    rate: f64,
    p50: f64,
    p99: f64,
}

/// The medians of all rounds.
type Summary = Round;

impl Summary {
    fn of(rounds: &[Round]) -> Summary {
        let median = |pick: fn(&Round) -> f64| {
            let mut values: Vec<f64> = rounds.iter().map(pick).collect();
            values.sort_unstable_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
        };
        Round {
            cpu: median(|it| it.cpu),
            rate: median(|it| it.rate),
            p50: median(|it| it.p50),
            p99: median(|it| it.p99),
        }
    }
}

/// Calls until it is told to stop; the time of each call.
fn client(stream: &mut StdStream, call: &[u8], stop: &AtomicBool) -> Result<Vec<Duration>> {
    let expected = reply();
    let mut answer = vec![0; expected.len()];
    let mut times = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        stream.write_all(call).map_err(said)?;
        stream.read_exact(&mut answer).map_err(said)?;
        times.push(start.elapsed());
        if answer != expected {
            return Err("a wrong reply".to_owned());
        }
    }
    Ok(times)
}

/// A server that answers every frame.
fn serve() -> Result<SocketAddr> {
    let listener = StdListener::bind("127.0.0.1:0").map_err(said)?;
    let address = listener.local_addr().map_err(said)?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer_all(stream));
        }
    });
    Ok(address)
}

fn answer_all(mut stream: StdStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let reply = reply();
    let mut call = Vec::new();
    loop {
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        call.resize(u32::from_be_bytes(length) as usize, 0);
        stream.read_exact(&mut call)?;
        stream.write_all(&reply)?;
    }
}

fn order(items: usize) -> Vec<u8> {
    let mut out = BinaryWriter::new(MessageForm::Versioned);
    out.message_begin(b"place", MessageKind::Call, 1);
    out.struct_begin();
    out.field_begin(WireType::Struct, 1);
    out.struct_begin();
    out.field_begin(WireType::String, 1);
    out.string(b"order-2024-000042");
    out.field_begin(WireType::I64, 2);
    out.i64(77);
    out.field_begin(WireType::String, 3);
    out.string(b"GB");
    out.field_begin(WireType::List, 4);
    out.list_begin(WireType::Struct, items);
    for _ in 0..items {
        out.struct_begin();
        out.field_begin(WireType::String, 1);
        out.string(b"a thing with a name");
        out.field_begin(WireType::I32, 2);
        out.i32(3);
        out.field_begin(WireType::Double, 3);
        out.double(9.5);
        out.struct_end();
    }
    out.list_end();
    out.field_begin(WireType::Map, 5);
    out.map_begin(WireType::String, WireType::String, 2);
    for text in ["channel", "web", "campaign", "spring"] {
        out.string(text.as_bytes());
    }
    out.map_end();
    out.field_begin(WireType::I32, 6);
    out.i32(10);
    out.struct_end();
    out.struct_end();
    out.message_end();
    out.into_bytes()
}

fn reply() -> Vec<u8> {
    let mut out = BinaryWriter::new(MessageForm::Versioned);
    out.message_begin(b"place", MessageKind::Reply, 1);
    out.struct_begin();
    out.field_begin(WireType::I64, 0);
    out.i64(42);
    out.struct_end();
    out.message_end();
    write_frame(&out.into_bytes())
}

fn proxy(upstream: SocketAddr) -> Result {
    let mut loader = MemoryLoader::default().file("shop.thrift", IDL);
    let (program, _) = load("shop.thrift", &mut loader, &LoadConfig::default())?;
    let (model, _) = resolve(&program, &Config::default());
    let (contracts, found) = Contracts::new(&model, ProxyConfig::default());
    let contracts = contracts.ok_or_else(|| format!("{found:?}"))?;
    let metrics = Arc::new(Metrics::default());
    let source = Box::new(move || Ok(Fresh { contracts: contracts.clone(), files: Vec::new() }));
    let live = ActiveContracts::new(source, Arc::clone(&metrics))?;
    let log = Log::silent();
    let settings = ProxySettings {
        listen: address("127.0.0.1:0")?,
        upstream: upstream.to_string(),
        metrics: None,
        max_connections: 1000,
        max_message: MAX_MESSAGE,
        max_pending: 64,
        access_log: false,
        workers: NonZeroUsize::new(WORKERS).ok_or("no workers")?,
        timeouts: Timeouts::default(),
    };
    let proxy = Proxy::bind(ConnectionContext { settings, live, metrics, log }).map_err(said)?;
    println!("{}", proxy.address().map_err(said)?);
    let (stopper, stop) = Stopper::new();
    proxy.run(stopper, stop, Operator::default()).map_err(said)
}

/// Copies bytes both ways, with threads and event loops as the proxy has them.
fn relay(upstream: SocketAddr) -> Result {
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| {
            let (sender, mut arrivals) = unbounded_channel::<StdStream>();
            std::thread::spawn(move || {
                let runtime = Builder::new_current_thread().enable_all().build()?;
                runtime.block_on(async {
                    while let Some(client) = arrivals.recv().await {
                        tokio::spawn(copy(TcpStream::from_std(client)?, upstream));
                    }
                    std::io::Result::Ok(())
                })
            });
            sender
        })
        .collect();
    let listener = StdListener::bind("127.0.0.1:0").map_err(said)?;
    println!("{}", listener.local_addr().map_err(said)?);
    listener.set_nonblocking(true).map_err(said)?;
    let runtime = Builder::new_current_thread().enable_all().build().map_err(said)?;
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener).map_err(said)?;
        for worker in workers.iter().cycle() {
            let (client, _) = listener.accept().await.map_err(said)?;
            worker.send(client.into_std().map_err(said)?).map_err(said)?;
        }
        Ok(())
    })
}

async fn copy(mut client: TcpStream, upstream: SocketAddr) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let mut upstream = TcpStream::connect(upstream).await?;
    upstream.set_nodelay(true)?;
    tokio::io::copy_bidirectional(&mut client, &mut upstream).await.map(drop)
}
