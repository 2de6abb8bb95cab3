//! The cases of `crates/thrift-conformance`, validated by generated code: written, compiled and run for real.
//!
//! All cases of a language share one build. What the build needs beside a Rust toolchain is pinned in
//! `tests/go`; `cargo xtask test` installs Go where it is missing.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail, and says how much it looked at"
)]
#![expect(clippy::disallowed_methods, reason = "compilers are programs, and they read files")]

#[path = "generated/go.rs"]
mod go;
#[path = "generated/python.rs"]
mod python;
#[path = "generated/run.rs"]
mod run;
#[path = "generated/rust.rs"]
mod rust;

#[test]
fn go_code_agrees_with_the_cases() {
    go::agrees();
}

#[test]
fn rust_code_agrees_with_the_cases() {
    rust::agrees();
}

#[test]
fn python_code_agrees_with_the_cases() {
    python::agrees();
}
