//! A proxy in this process, and clients that send what they are given.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use logging::Log;
use thrift::proxy::ProxyConfig;
use thrift_proxy::{
    ActiveContracts, ConnectionContext, Fresh, MAX_MESSAGE, Metrics, Operator, Proxy, ProxySettings, Stopper,
    Timeouts,
};
use thrift_readers::{Result, said};

use crate::expected::contracts;

/// How long a server may take to answer. One that reads otherwise than a client writes waits for more, and never answers.
const REPLY: Duration = Duration::from_millis(2500);
/// The same if there is one client, who waits for nobody.
const SERIAL_REPLY: Duration = Duration::from_millis(400);
/// How long a client waits for the end of its connection, on which each of a dozen calls may be answered too late.
const PATIENCE: Duration = Duration::from_secs(60);

/// A proxy that runs until it is dropped.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Starts a proxy before a server, which may serve one client at a time.
    pub fn start(upstream: SocketAddr, config: ProxyConfig, is_serial: bool) -> Result<Running> {
        let timeouts =
            Timeouts { reply: reply_timeout(is_serial), read: Duration::from_secs(2), ..Timeouts::default() };
        let settings = ProxySettings {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            upstream: upstream.to_string(),
            metrics: None,
            max_connections: 1000,
            max_message: MAX_MESSAGE,
            max_pending: 64,
            access_log: false,
            workers: NonZeroUsize::MIN,
            timeouts,
        };
        let metrics = Arc::new(Metrics::default());
        let source = Box::new(move || Ok(Fresh { contracts: contracts(config.clone())?, files: Vec::new() }));
        let live = ActiveContracts::new(source, Arc::clone(&metrics))?;
        let log = Log::silent();
        let proxy = Proxy::bind(ConnectionContext { settings, live, metrics, log })
            .map_err(|error| error.to_string())?;
        let address = proxy.address().map_err(said("the proxy"))?;
        let (stopper, stop) = Stopper::new();
        let tell = stopper.clone();
        let thread = std::thread::spawn(move || {
            // Whoever connects notices if it cannot serve.
            _ = proxy.run(tell, stop, Operator::default());
        });
        Ok(Running { address, stopper, thread: Some(thread) })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

/// How long a server may take to answer, which may serve one client at a time.
pub fn reply_timeout(is_serial: bool) -> Duration {
    if is_serial { SERIAL_REPLY } else { REPLY }
}

/// Sends bytes in so many pieces, and waits for the other side to close the connection; answers how long that took.
pub fn send(address: SocketAddr, bytes: &[u8], pieces: usize) -> Result<Duration> {
    let mut stream = TcpStream::connect(address).map_err(said(address))?;
    let set = stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(PATIENCE)));
    set.map_err(said(address))?;
    let mut reading = stream.try_clone().map_err(said(address))?;
    let start = Instant::now();
    let reader = std::thread::spawn(move || {
        let mut scratch = [0; 65536];
        while matches!(reading.read(&mut scratch), Ok(1..)) {}
    });
    for piece in bytes.chunks(bytes.len().div_ceil(pieces.max(1)).max(1)) {
        // The other side may have heard enough.
        if stream.write_all(piece).is_err() {
            break;
        }
    }
    _ = stream.shutdown(Shutdown::Write);
    reader.join().map_err(|_| "a client has failed".to_owned())?;
    match start.elapsed() {
        took if took < PATIENCE => Ok(took),
        _ => Err("the connection does not end".to_owned()),
    }
}
