//! A proxy between real sockets.
#![cfg(test)]

mod calls;
mod support;
mod trouble;
