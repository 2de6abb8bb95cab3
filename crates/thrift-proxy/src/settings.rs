//! What can be set.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::time::Duration;

/// How a proxy listens, and what it puts up with.
#[derive(Clone, Debug)]
pub struct ProxySettings {
    /// The address and port that clients connect to.
    pub listen: SocketAddr,
    /// Where calls go: `host:port`, looked up for each connection.
    pub upstream: String,
    /// Where `/metrics` and `/healthz` are served.
    pub metrics: Option<SocketAddr>,
    /// How many clients may be connected at a time.
    pub max_connections: usize,
    /// How long a message may be, in bytes, with everything around it.
    pub max_message: u32,
    /// How many calls of one client may wait for their answers; more are not read.
    pub max_pending: usize,
    /// Whether each call has a line in the log.
    pub access_log: bool,
    /// How many threads serve connections.
    pub workers: NonZeroUsize,
    /// How long things may take.
    pub timeouts: Timeouts,
}

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Reaching the upstream, once for each connection.
    pub connect: Duration,
    /// Receiving one message of a client, from its first byte to its last.
    pub read: Duration,
    /// Sending bytes to a side that does not take them.
    pub write: Duration,
    /// Waiting for the upstream's answer to a call.
    pub reply: Duration,
    /// Keeping a connection on which nothing happens.
    pub idle: Duration,
    /// Finishing calls when the proxy stops.
    pub grace: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            connect: Duration::from_secs(5),
            read: Duration::from_secs(30),
            write: Duration::from_secs(30),
            reply: Duration::from_secs(60),
            idle: Duration::from_secs(600),
            grace: Duration::from_secs(10),
        }
    }
}

impl Timeouts {
    /// How often a connection looks at the clock.
    pub(crate) fn tick(&self) -> Duration {
        // Connecting has a clock of its own.
        let least = self.read.min(self.write).min(self.reply).min(self.idle);
        (least / 4).clamp(Duration::from_millis(10), Duration::from_secs(60))
    }
}

/// The default for [`ProxySettings::max_message`], as in Apache Thrift.
pub const MAX_MESSAGE: u32 = 16_384_000;
