//! No handler is called with what the proxy has not let pass: the proxy, held against other people's servers.
//!
//! A [`stacks::Stack`] is a server of another project with one way to read its bytes, whose handler logs the calls that
//! reach it; [`programs`] builds them, and each runs as a [`server::Server`]. [`connections`] writes what clients send: calls in every transport, protocol and envelope, with calls that
//! hide in names, texts, headers and behind messages. [`through`] sends that through a proxy, and [`expected`] says which
//! calls the proxy decided to let pass. [`run`] compares the two. A server may refuse a call; its handler must never be
//! called with anything else, nor in another order.

pub mod attacks;
pub mod connections;
pub mod expected;
mod load;
mod messages;
mod parts;
pub mod programs;
pub mod run;
pub mod server;
pub mod stacks;
pub mod through;
