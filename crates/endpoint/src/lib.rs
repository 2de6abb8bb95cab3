//! Resources of an ARM endpoint, such as `https://management.azure.com`: a provider of the engine that speaks its REST API.
//!
//! The engine evaluates, orders and remembers; every resource is put, read and deleted with a plain request. [`Endpoint`] is the provider.
//! `exchange` sends one request until it is answered for good, and `pace` says when it is sent again; `operation` follows what takes longer than its
//! request; `fault` makes errors of answers; `address` makes addresses of ids and refuses links that lead elsewhere; `versions` finds the version of
//! an API that nobody named. [`Credential`] is where tokens come from. `trial` predicts a deployment on what is there, and `compare` says what
//! a put would change of it.

mod address;
mod compare;
mod credential;
mod error_body;
mod operation;
mod prediction;
mod provider;
mod retry_policy;
mod secrets;
mod send;
mod versions;

pub use credential::{BearerToken, Claims, Credential, Fixed, Obtaining, Refreshed, Secret};
pub use prediction::Prediction;
pub use provider::{Counts, Endpoint, Setup};
