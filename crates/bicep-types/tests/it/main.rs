//! The format as its users see it.
#![cfg(test)]

mod archive;
mod damage;
mod json;
mod orchard;
mod store;
