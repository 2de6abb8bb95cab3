//! Every store keeps the same promises.
#![cfg(test)]

mod backup;
mod linear;
mod postgres;
mod seal;
mod suite;
mod support;
