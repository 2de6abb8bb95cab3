//! Registries in memory: what is pushed is pulled, and what is wrong is refused and leaves nothing.
#![cfg(test)]

mod access;
mod support;
mod trouble;
mod works;
