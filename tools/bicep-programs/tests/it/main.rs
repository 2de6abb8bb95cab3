//! Programs of every shape, compiled and formatted.
#![cfg(test)]

mod bounded;
mod format;
