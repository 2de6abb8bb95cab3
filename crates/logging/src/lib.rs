//! The log of what runs for long: the server and the Thrift proxy.
//!
//! A [`Log`] takes lines and never waits: a thread of its own writes them, and what does not fit into its queue is lost and counted.
//! Events of libraries, and of code that is handed no log, reach it through [`LogSubscriber`].

mod line;
mod log;
mod subscriber;

pub use line::{LogFormat, LogLevel, LogValue};
pub use log::{Log, OpenSink};
pub use subscriber::LogSubscriber;
