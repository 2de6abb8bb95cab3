//! The real binary: everything that is not a specification document.
#![cfg(test)]

mod conformance;
mod contract_changes;
mod destroy;
mod endpoint;
mod envelope;
mod external_inputs;
mod go;
mod hostile;
mod hostile_bicep;
mod interrupted;
mod kill;
mod operate;
mod outputs;
mod pages;
mod pictures;
mod places;
mod plans;
mod postgres;
mod project;
mod recording;
mod registries;
mod reports;
mod retry;
mod server;
mod storefront;
mod terminal;
mod testing;
mod thriftgo;
mod watch;

#[path = "../support/mod.rs"]
mod support;
