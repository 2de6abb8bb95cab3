//! Real nodes on a real PostgreSQL: what they promise while they are killed, and what they cost.
//!
//! [`proof`] sends deployments to nodes that are killed at random while the database is restarted, records everything that was
//! committed, and has [`check`] hold the record against the promises. [`figures`] measures throughput and takeover.

pub mod check;
pub mod client;
pub mod figures;
pub mod nodes;
mod processor;
pub mod proof;
mod random;

/// What went wrong, in words.
pub type Result<T = ()> = std::result::Result<T, String>;

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
