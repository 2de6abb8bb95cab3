//! The real binary: everything that is not a specification document.
#![cfg(test)]

mod conformance;
mod endpoint;
mod external_inputs;
mod go;
mod hostile;
mod hostile_bicep;
mod kill;
mod pictures;
mod postgres;
mod registries;
mod reports;
mod retry;
mod server;
mod storefront;
mod terminal;
mod thriftgo;

#[path = "../support/mod.rs"]
mod support;
