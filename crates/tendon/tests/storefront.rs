//! The example that the front page names compiles without a finding, and its results are those that lie beside it.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use std::path::Path;

use support::Folder;

/// Compiles a file of the example and compares the result with the file of that name beside it.
#[track_caller]
fn check(command: &str, source: &str, result: &str) {
    let folder = Folder::with(&[]);
    folder.add_examples();
    let source = format!("examples/storefront/{source}");
    let arguments = [command, &source, "--stdout", "--quiet", "--generator-version", "dev"];
    let output = folder.run(&arguments, b"");
    let findings = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*findings), (Some(0), ""));
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/storefront").join(result);
    if std::env::var_os("TENDON_UPDATE").is_some() {
        std::fs::write(&expected, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(expected).unwrap_or_default() == text,
        "{result} is out of date, set TENDON_UPDATE=1"
    );
}

#[test]
fn the_program_has_its_template() {
    check("build", "main.bicep", "main.json");
}

#[test]
fn the_parameters_have_their_values() {
    check("build-params", "prod.bicepparam", "prod.json");
}
