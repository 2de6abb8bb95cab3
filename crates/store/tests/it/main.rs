//! Every store keeps the same promises.
#![cfg(test)]

mod seal;
mod suite;
