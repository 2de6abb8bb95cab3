//! The cases of `crates/thrift-conformance`, validated by generated code: written, compiled and run for real.
//!
//! All cases of a language share one build. What the build needs beside a Rust toolchain is pinned in
//! `tests/go`, `tests/java` and `tests/typescript`; `cargo xtask test` installs compilers where they are missing.

#![expect(clippy::disallowed_methods, reason = "compilers are programs, and they read files")]

pub(crate) mod functions;
mod go;
mod java;
mod names;
mod python;
mod run;
mod rust;
mod typescript;

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

#[test]
fn java_code_agrees_with_the_cases() {
    java::agrees();
}

#[test]
fn java_code_for_private_fields_agrees_with_the_cases() {
    java::agrees_with_private_members();
}

#[test]
fn typescript_code_agrees_with_the_cases() {
    typescript::agrees();
}
