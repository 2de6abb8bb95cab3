//! The socket: connections are accepted, served, and let go when the server stops.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use crate::app::App;
use crate::frame_pace::Paced;
use crate::idle_timeout::Activity;
use crate::limits::Limits;
use crate::pipeline::respond;
use crate::quota::Shares;
use crate::response::{HoldingBody, Stream};
use crate::timeout_stream::Patient;
use crate::tls::ClientNames;
use crate::watch::Peer;

/// How many connections wait to be accepted.
const BACKLOG: u32 = 8192;
/// How many headers a request may have.
const MOST_HEADERS: usize = 100;
/// How large the head of a request may be.
const HEAD_BYTES: usize = 64 * 1024;
/// The same for HTTP/2.
const HEADER_LIST_BYTES: u32 = 64 * 1024;
/// How many requests a connection may have under way at the same time.
const STREAMS: u32 = 256;
/// How often a client of HTTP/2 has to show that it is there.
const PING: Duration = Duration::from_secs(20);
/// How long requests may take to end once the server stops.
const GRACE: Duration = Duration::from_secs(10);
/// How often it is looked whether deployments have ended.
const LOOK: Duration = Duration::from_millis(20);

/// What the socket is like.
#[derive(Clone)]
pub struct ListenSettings {
    /// The address and port to listen on; port 0 takes a free one.
    pub address: SocketAddr,
    /// TLS; plain HTTP without it.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// How many connections are open at most; others wait.
    pub connections: usize,
    /// How many of them one address may have; more are closed.
    pub per_address: usize,
    /// How long deployments may take to end once the server stops.
    pub grace: Duration,
}

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken, or is not one of this machine.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// Other machines could do everything.
    #[error(
        "`{0}` can be reached from other machines, and callers do not have to log in; listen on a loopback address such as 127.0.0.1, or let callers log in with `--auth`"
    )]
    Open(SocketAddr),
    /// Everybody on the way could read tokens.
    #[error("`{0}` can be reached from other machines; plain HTTP is for loopback addresses alone")]
    Plain(SocketAddr),
}

/// A server that listens and does not answer yet.
pub struct Listening {
    listener: TcpListener,
    settings: ListenSettings,
    app: Arc<App>,
}

/// Begins to listen. What would let everybody in, or show tokens to everybody, is refused.
pub async fn listen(app: Arc<App>, settings: ListenSettings) -> Result<Listening, ServeError> {
    let address = settings.address;
    may_listen(address, app.guard.is_local(), settings.tls.is_some())?;
    let failed = |error| ServeError::Listen { address, error };
    let listener = bind(address).map_err(failed)?;
    Ok(Listening { listener, settings, app })
}

/// Refuses an address that would let everybody in, or show tokens to everybody.
pub fn may_listen(address: SocketAddr, is_local: bool, has_tls: bool) -> Result<(), ServeError> {
    match (address.ip().is_loopback(), is_local, has_tls) {
        (false, true, _) => Err(ServeError::Open(address)),
        (false, false, false) => Err(ServeError::Plain(address)),
        (true, _, _) | (false, false, true) => Ok(()),
    }
}

/// The name of an address for those who count: an end of a network of IPv6 has very many.
fn counted(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => address.to_string(),
            None => Ipv6Addr::from(u128::from(address) >> 64 << 64).to_string(),
        },
    }
}

/// What every connection may cost: sizes, times and streams.
fn connection_builder(head_time: Duration) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .max_headers(MOST_HEADERS)
        .max_buf_size(HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(HEADER_LIST_BYTES)
        .keep_alive_interval(PING)
        .keep_alive_timeout(head_time);
    builder
}

/// Listens, with a long queue: many clients may come at once, and those who find it full try again only after a second.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A server that starts again gets its port at once.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

impl Listening {
    /// Where: the port is known even if none was asked for.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap_or(self.settings.address)
    }

    /// Answers until it is told to stop; what is under way then is finished, for a while.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let links = ::arm::deployment::Links::default();
        self.app.host.keep_taking_up(links, |key, refused| {
            tracing::error!(
                name = key.name(),
                ?refused,
                "a deployment that was interrupted cannot be resumed"
            );
        });
        let app = Arc::clone(&self.app);
        let forgetful = tokio::spawn(async move { app.history.keep_forgetting(Arc::clone(&app.host)).await });
        let graceful = GracefulShutdown::new();
        let permits = Arc::new(Semaphore::new(self.settings.connections));
        let words = ["there are too many connections of this address", "there are too many connections"];
        let addresses = Arc::new(Shares::new(usize::MAX, self.settings.per_address, words));
        let tls = self.settings.tls.clone().map(TlsAcceptor::from);
        let scheme = if tls.is_some() { "https" } else { "http" };
        let Limits { head_time, idle_time, .. } = self.app.limits;
        let builder = connection_builder(head_time);
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = async {
                let permit = Arc::clone(&permits).acquire_owned().await;
                (permit, self.listener.accept().await)
            };
            let Some((permit, accepted)) = first(accepted, stop.as_mut()).await else { break };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Too many open files, most likely: it passes.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            // Who has too many is let go without a word: an answer would cost a handshake.
            let Ok(share) = addresses.take(&counted(peer.ip())) else {
                self.app.watch.metrics.refused_connections.add(1);
                continue;
            };
            let _ = stream.set_nodelay(true);
            let app = Arc::clone(&self.app);
            let open = OpenConnection::new(Arc::clone(&app));
            let stream = Patient::new(stream, head_time);
            let activity = Activity::new();
            let here = Arc::clone(&activity);
            let named = Arc::new(OnceLock::<ClientNames>::new());
            let client = Arc::clone(&named);
            let service = service_fn(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(Peer(peer.ip()));
                if let Some(names) = client.get() {
                    request.extensions_mut().insert(names.clone());
                }
                let (app, busy) = (Arc::clone(&app), here.begin());
                async move {
                    let response = respond(app, scheme, request).await;
                    // What goes on is under way until it ends.
                    let goes_on = response.extensions().get::<Stream>().is_some();
                    let response =
                        if goes_on { response.map(|body| HoldingBody::around(body, busy)) } else { response };
                    Ok::<_, Infallible>(response)
                }
            });
            let (builder, tls, watcher) = (builder.clone(), tls.clone(), graceful.watcher());
            let flooding = Arc::clone(&self.app);
            tokio::spawn(async move {
                let (_permit, _open, _share) = (permit, open, share);
                let flooded = Arc::new(AtomicBool::new(false));
                // A connection that breaks is the client's business.
                match tls {
                    Some(tls) => {
                        let shaken = tokio::time::timeout(head_time, tls.accept(stream)).await;
                        let Ok(Ok(stream)) = shaken else { return };
                        let _ = named.set(ClientNames::of(stream.get_ref().1));
                        let stream = Paced::new(stream, Arc::clone(&flooded));
                        let connection = builder.serve_connection(TokioIo::new(stream), service);
                        let quiet = std::pin::pin!(activity.ended(idle_time));
                        first(watcher.watch(connection.into_owned()), quiet).await;
                    }
                    None => {
                        let stream = Paced::new(stream, Arc::clone(&flooded));
                        let connection = builder.serve_connection(TokioIo::new(stream), service);
                        let quiet = std::pin::pin!(activity.ended(idle_time));
                        first(watcher.watch(connection.into_owned()), quiet).await;
                    }
                }
                if flooded.load(Ordering::Relaxed) {
                    flooding.watch.metrics.flooded_connections.add(1);
                }
            });
        }
        forgetful.abort();
        self.shut_down(graceful).await;
    }

    /// Lets requests and deployments end, for a while.
    async fn shut_down(self, graceful: GracefulShutdown) {
        drop(self.listener);
        self.app.runs.stop();
        let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
        // What does not end in time is given back: another node goes on with it at once, or the next start.
        let _ = tokio::time::timeout(self.settings.grace, async {
            while self.app.host.count() > 0 {
                tokio::time::sleep(LOOK).await;
            }
        })
        .await;
        self.app.host.drain().await;
    }
}

/// A connection that is counted while it is open.
struct OpenConnection(Arc<App>);

impl OpenConnection {
    fn new(app: Arc<App>) -> OpenConnection {
        app.watch.metrics.accepted.add(1);
        app.watch.metrics.connections.add(1);
        OpenConnection(app)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.watch.metrics.connections.sub(1);
    }
}

/// What the first future gives, unless the second one ends before.
async fn first<T>(work: impl Future<Output = T>, mut stop: Pin<&mut impl Future<Output = ()>>) -> Option<T> {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(|context| {
        if stop.as_mut().poll(context).is_ready() {
            return std::task::Poll::Ready(None);
        }
        work.as_mut().poll(context).map(Some)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_count_together() {
        let counted = |text: &str| counted(text.parse().unwrap());
        assert_eq!(counted("10.0.0.1"), "10.0.0.1");
        assert_eq!(counted("::ffff:10.0.0.1"), "10.0.0.1");
        assert_eq!(counted("2001:db8:1:2:3::4"), counted("2001:db8:1:2:ffff::1"));
        assert_ne!(counted("2001:db8:1:2::1"), counted("2001:db8:1:3::1"));
    }
}
