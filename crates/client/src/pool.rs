//! Connections: how one is made, and those that wait to be used again.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
use tokio_rustls::TlsConnector;

use crate::{ClientError, Origin};

/// How many connections wait for each origin.
const MOST_IDLE: usize = 64;
/// How long a connection waits; servers give theirs up later than that.
const LONGEST_IDLE: Duration = Duration::from_secs(30);

/// A connection that is used for one request at a time.
pub(crate) struct Connection {
    pub(crate) sender: SendRequest<Full<Bytes>>,
    task: AbortHandle,
}

impl Drop for Connection {
    /// What nobody waits for any more is not read.
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Connection {
    /// Connects to an origin.
    pub(crate) async fn open(origin: &Origin, tls: &Arc<ClientConfig>) -> Result<Connection, ClientError> {
        let failed = |error: io::Error| ClientError::Unreachable(format!("`{origin}`: {error}"));
        let stream = TcpStream::connect((origin.host.as_str(), origin.port)).await.map_err(failed)?;
        // Requests are small, and each waits for its answer.
        let _ = stream.set_nodelay(true);
        if !origin.tls {
            return Connection::over(TokioIo::new(stream), origin).await;
        }
        let name = ServerName::try_from(origin.host.clone())
            .map_err(|_| ClientError::Address(origin.to_string()))?;
        let stream = TlsConnector::from(Arc::clone(tls)).connect(name, stream).await.map_err(|error| {
            let refused = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
            match refused {
                Some(refused) => ClientError::Untrusted(format!("`{origin}`: {refused}")),
                None => failed(error),
            }
        })?;
        Connection::over(TokioIo::new(stream), origin).await
    }

    async fn over<S>(stream: S, origin: &Origin) -> Result<Connection, ClientError>
    where
        S: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
    {
        let failed = |error: hyper::Error| ClientError::Unreachable(format!("`{origin}`: {error}"));
        let (sender, connection) = http1::handshake(stream).await.map_err(failed)?;
        let task = tokio::spawn(async { drop(connection.await) }).abort_handle();
        Ok(Connection { sender, task })
    }
}

/// Connections that wait to be used again, by origin.
#[derive(Default)]
pub(crate) struct Pool {
    idle: Mutex<BTreeMap<Origin, Vec<(Connection, Instant)>>>,
}

impl Pool {
    /// The connection that was used last, if it is still open.
    pub(crate) fn take(&self, origin: &Origin) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let list = idle.get_mut(origin)?;
        // One that waits for longer than this is behind all that wait for less.
        list.retain(|(connection, since)| !connection.sender.is_closed() && since.elapsed() < LONGEST_IDLE);
        list.pop().map(|(connection, _)| connection)
    }

    /// Keeps a connection whose last answer was read to its end.
    pub(crate) fn give_back(&self, origin: &Origin, connection: Connection) {
        if connection.sender.is_closed() {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let list = idle.entry(origin.clone()).or_default();
        if list.len() < MOST_IDLE {
            list.push((connection, Instant::now()));
        }
    }
}
