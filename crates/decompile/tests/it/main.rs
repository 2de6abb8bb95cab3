//! Tests of the decompiler from outside.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod hostile;
mod names;
