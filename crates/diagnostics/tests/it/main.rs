//! Diagnostics as they are shown.
#![cfg(test)]

mod hidden;
mod positions;
mod rendering;
mod sarif;
mod sarif_schema;
