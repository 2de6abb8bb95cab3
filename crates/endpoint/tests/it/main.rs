//! The provider for an ARM endpoint, against endpoints that answer as a script says.
#![cfg(test)]

mod calls;
mod conventions;
mod faults;
mod predictions;
mod proxy;
mod support;
