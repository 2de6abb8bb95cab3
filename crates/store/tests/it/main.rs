//! Every store keeps the same promises.
#![cfg(test)]

mod backup;
mod failover;
mod linear;
mod postgres;
mod seal;
mod suite;
mod support;
