//! A proxy between real sockets.
#![cfg(test)]

mod calls;
mod misreading;
mod support;
mod trouble;
