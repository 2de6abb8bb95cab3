//! What a validating proxy does with bytes, without a socket in sight.
//!
//! - [`Splitter`] finds the messages in a stream, however it is cut into pieces: `scan` for messages without
//!   frames, `http` for requests and responses, lengths for everything else. It looks at each byte once.
//! - [`MethodTable`] knows which function a message is for.
//! - [`Contracts`] decides: a call is forwarded as it is, answered with an exception, or dropped, and a reply
//!   is let through or replaced.
//! - [`Session`] holds a client to one dialect, and [`UpstreamLink`] says when it is known that the upstream speaks it too,
//!   and has the service that is called.
//! - [`ReplyTo`] is what has to be remembered of a call in order to answer it.
//!
//! A message is never rewritten: what is forwarded is the bytes that came.

mod answer;
mod config;
mod decide;
mod dialect;
mod http;
mod link;
mod refusal;
mod scan;
mod split;
mod table;

pub use answer::{Enclosure, ReplyTo};
pub use config::{MAX_DEPTH, OldEnvelope, ProxyConfig, ReplyCheck, Streams, UnknownMethod, UnknownService};
pub use decide::{CallAction, Contracts, Decision, ReplyAction, ReplyDecision};
pub use dialect::{CallNames, MessageDialect, Pins, Session, Transport};
pub use http::{HttpProblem, http_answer};
pub use link::{CalledService, UpstreamLink};
pub use refusal::{CallRejection, Cause};
pub use split::{ConnectionSide, Enclosed, Split, SplitError, SplitMessage, Splitter};
pub use table::{Lookup, Method, MethodId, MethodTable};
