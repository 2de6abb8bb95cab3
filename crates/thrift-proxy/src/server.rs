//! Listening, and handing connections to the threads that serve them.
//!
//! Each worker is one thread with an event loop of its own, and a connection stays with the worker that has the
//! fewest when it comes: nothing moves between cores while calls go through.

use std::io;
use std::net::{SocketAddr, TcpListener as StdListener, TcpStream as StdStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::connection::{ConnectionContext, serve};
use crate::control::{Operator, operate};
use crate::endpoint;
use crate::stop::{Stop, Stopper};
use crate::wakeup::{Bell, Ticker, Ticks};
use logging::{LogLevel, LogValue};

/// A proxy that listens and has not accepted anybody yet.
#[derive(Debug)]
pub struct Proxy {
    shared: Arc<ConnectionContext>,
    listener: StdListener,
    metrics: Option<StdListener>,
}

/// An address that cannot be had, and why.
#[derive(Debug)]
pub struct CannotListen {
    /// The address that was asked for.
    pub address: SocketAddr,
    /// What the system says.
    pub error: io::Error,
}

impl std::fmt::Display for CannotListen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot listen on `{}`: {}", self.address, self.error)
    }
}

impl std::error::Error for CannotListen {}

impl Proxy {
    /// Starts to listen.
    ///
    /// # Errors
    ///
    /// An address cannot be had.
    pub fn bind(shared: ConnectionContext) -> Result<Proxy, CannotListen> {
        let listener = bind(shared.settings.listen)?;
        let metrics = shared.settings.metrics.map(bind).transpose()?;
        Ok(Proxy { shared: Arc::new(shared), listener, metrics })
    }

    /// Where it listens, with the port that it was given if any port would do.
    ///
    /// # Errors
    ///
    /// The system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Where it serves its metrics.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().and_then(|listener| listener.local_addr().ok())
    }

    /// What its connections share.
    pub fn shared(&self) -> &Arc<ConnectionContext> {
        &self.shared
    }

    /// Serves until it is told to stop, then finishes the calls that are going on and returns.
    ///
    /// # Errors
    ///
    /// Threads or event loops cannot be had.
    pub fn run(self, stopper: Stopper, stop: Stop, operator: Operator) -> io::Result<()> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (ticker, ticks) = Ticker::new();
        let workers: Vec<Worker> = (0..self.shared.settings.workers.get())
            .map(|index| Worker::start(index, &self.shared, &ticks, &stop))
            .collect::<io::Result<_>>()?;
        runtime.block_on(async {
            let listener = TcpListener::from_std(self.listener)?;
            let mut side = JoinSet::new();
            if let Some(metrics) = self.metrics {
                let metrics = TcpListener::from_std(metrics)?;
                side.spawn(endpoint::serve(metrics, Arc::clone(&self.shared)));
            }
            side.spawn(ticker.run(self.shared.settings.timeouts.tick()));
            side.spawn(operate(Arc::clone(&self.shared), stopper, operator));
            accept(&listener, &self.shared, &workers, stop).await;
            // Whoever connects from here on is refused by the system, not left waiting.
            drop(listener);
            finish(workers).await;
            side.shutdown().await;
            Ok(())
        })
    }
}

fn bind(address: SocketAddr) -> Result<StdListener, CannotListen> {
    let bind = || {
        let listener = StdListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    };
    bind().map_err(|error| CannotListen { address, error })
}

async fn accept(listener: &TcpListener, shared: &Arc<ConnectionContext>, workers: &[Worker], stop: Stop) {
    let mut stop = stop.boxed();
    loop {
        let accepted = std::future::poll_fn(|cx| {
            if stop.as_mut().poll(cx).is_ready() {
                return std::task::Poll::Ready(None);
            }
            listener.poll_accept(cx).map(Some)
        });
        match accepted.await {
            None => return,
            Some(Ok((stream, peer))) => {
                if let Err(error) = welcome(stream, peer, shared, workers) {
                    complain(shared, &error);
                }
            }
            Some(Err(error)) => {
                complain(shared, &error);
                // Most likely there are no file descriptors left; some will come back.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

fn complain(shared: &ConnectionContext, error: &io::Error) {
    let message = error.to_string();
    shared.log.write(LogLevel::Error, "accept", &[("message", LogValue::Text(&message))]);
}

fn welcome(
    stream: TcpStream,
    peer: SocketAddr,
    shared: &ConnectionContext,
    workers: &[Worker],
) -> io::Result<()> {
    let open = shared.metrics.open_connections.get();
    if open >= shared.settings.max_connections as u64 {
        shared.metrics.refused_connections.add(1);
        return Ok(());
    }
    stream.set_nodelay(true)?;
    let stream = stream.into_std()?;
    shared.metrics.connections.add(1);
    if let Some(worker) = workers.iter().min_by_key(|worker| worker.load.load(Ordering::Relaxed)) {
        worker.load.fetch_add(1, Ordering::Relaxed);
        shared.metrics.open_connections.add(1);
        // A worker takes connections until it is told to stop, and then it does not matter.
        let _ = worker.sender.send((stream, peer));
    }
    Ok(())
}

type Arrival = (StdStream, SocketAddr);

/// A thread that serves connections.
struct Worker {
    sender: UnboundedSender<Arrival>,
    /// How many connections it has.
    load: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl Worker {
    fn start(
        index: usize,
        shared: &Arc<ConnectionContext>,
        ticks: &Ticks,
        stop: &Stop,
    ) -> io::Result<Worker> {
        let (sender, arrivals) = unbounded_channel();
        let load = Arc::new(AtomicUsize::new(0));
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let work = work(arrivals, Arc::clone(shared), Arc::clone(&load), ticks.clone(), stop.clone());
        let thread = std::thread::Builder::new()
            .name(format!("worker-{index}"))
            .spawn(move || runtime.block_on(work))?;
        Ok(Worker { sender, load, thread })
    }
}

async fn work(
    mut arrivals: UnboundedReceiver<Arrival>,
    shared: Arc<ConnectionContext>,
    load: Arc<AtomicUsize>,
    ticks: Ticks,
    stop: Stop,
) {
    let mut connections = JoinSet::new();
    while let Some((stream, peer)) = arrivals.recv().await {
        // Those that are over make room for this one.
        while connections.try_join_next().is_some() {}
        let place = ConnectionGuard { shared: Arc::clone(&shared), load: Arc::clone(&load) };
        let Ok(stream) = TcpStream::from_std(stream) else { continue };
        let bell = Bell::new(ticks.clone(), stop.clone());
        connections.spawn(async move {
            serve(stream, peer, Arc::clone(&place.shared), bell).await;
            drop(place);
        });
    }
    let all = async { while connections.join_next().await.is_some() {} };
    // Who is not done by then is cut off when the set is dropped.
    let _ = timeout(shared.settings.timeouts.grace, all).await;
}

/// A connection's place, given back however it ends.
struct ConnectionGuard {
    shared: Arc<ConnectionContext>,
    load: Arc<AtomicUsize>,
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.load.fetch_sub(1, Ordering::Relaxed);
        self.shared.metrics.open_connections.sub(1);
    }
}

/// Waits for the workers to finish what they have.
async fn finish(workers: Vec<Worker>) {
    let threads: Vec<JoinHandle<()>> = workers.into_iter().map(|worker| worker.thread).collect();
    let joined = tokio::task::spawn_blocking(move || {
        for thread in threads {
            // A worker that panicked has nothing left to finish.
            let _ = thread.join();
        }
    });
    let _ = joined.await;
}
