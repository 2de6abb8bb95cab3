//! The parser on any text.
#![cfg(test)]

mod limits;
mod round_trip;
