//! The validating Thrift proxy: sockets, metrics and logs around the decisions of [`thrift::proxy`].
//!
//! A client's connection has one connection to the upstream, made with its first call, and one task that
//! serves both directions ([`connection`](mod@connection)): nothing is shared between clients but the
//! contracts ([`live`](mod@live)), which can be replaced while connections go on, and the counters
//! ([`metrics`](mod@metrics)). [`Proxy::run`] serves until it is told to stop.

mod backlog;
mod bell;
mod buffer;
pub mod connection;
mod endpoint;
pub mod live;
pub mod log;
pub mod metrics;
mod operate;
mod server;
mod settings;
mod stop;
mod time;

pub use connection::Shared;
pub use live::{Fresh, Live};
pub use log::{Log, LogFormat, LogWriter, OpenSink};
pub use metrics::Metrics;
pub use operate::Operator;
pub use server::{CannotListen, Proxy};
pub use settings::{MAX_MESSAGE, Settings, Timeouts};
pub use stop::{Stop, Stopper};
