//! The cases of `crates/thrift-conformance`, validated by generated code: written, compiled and run for real.
//!
//! All cases of a language share one build. What the build needs beside a Rust toolchain is pinned in
//! `tests/go`, `tests/java` and `tests/typescript`; `cargo xtask test` installs compilers where they are missing.

#![expect(clippy::disallowed_methods, reason = "compilers are programs, and they read files")]

pub(crate) mod functions;
mod go;
mod go_runs;
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

#[test]
fn a_struct_that_needs_every_helper_does() {
    let languages = [
        ("go", names::untried(go::code)),
        ("rust", names::untried(rust::code)),
        ("python", names::untried(python::code)),
        ("java", names::untried(java::plain_code)),
        ("typescript", names::untried(typescript::code)),
    ];
    for (language, mut names) in languages {
        // Words of texts in single quotes, which look like names of Python.
        for word in ["be", "contain", "none", "of", "one"] {
            names.remove(word);
        }
        assert!(names.is_empty(), "{language}: {names:?}");
    }
}
