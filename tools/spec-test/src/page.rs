//! Pages of the documentation that are made from tables of the code.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "the page is a file, and this is a test"
)]

use std::path::Path;

/// Holds a page, named from the root of the workspace, against what the code makes of it; with `TENDON_UPDATE=1` it is written.
///
/// # Panics
///
/// If the page is not up to date, or cannot be written.
#[track_caller]
pub fn check_page(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    if std::env::var_os("TENDON_UPDATE").is_some() {
        std::fs::write(&path, page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "{name} is out of date: run the tests with TENDON_UPDATE=1");
}
