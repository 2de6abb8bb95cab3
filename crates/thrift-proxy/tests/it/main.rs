//! A proxy between real sockets.
#![cfg(test)]

mod calls;
mod desync;
mod misreading;
mod naming;
mod numbered;
mod support;
mod trouble;
