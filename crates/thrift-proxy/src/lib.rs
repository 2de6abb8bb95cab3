//! The validating Thrift proxy: sockets, metrics and logs around the decisions of [`thrift::proxy`].
//!
//! A client's connection has one connection to the upstream, made with its first call, and one task that
//! serves both directions ([`connection`](mod@connection)): nothing is shared between clients but the
//! contracts ([`active_contracts`]), which can be replaced while connections go on, and the counters
//! ([`metrics`](mod@metrics)). [`Proxy::run`] serves until it is told to stop.

pub mod active_contracts;
mod backlog;
mod buffer;
pub mod connection;
mod control;
mod endpoint;
pub mod metrics;
mod server;
mod settings;
mod stop;
mod time;
mod wakeup;

pub use active_contracts::{ActiveContracts, Fresh};
pub use connection::ConnectionContext;
pub use control::Operator;
pub use metrics::Metrics;
pub use server::{CannotListen, Proxy};
pub use settings::{MAX_MESSAGE, ProxySettings, Timeouts};
pub use stop::{Stop, Stopper};
