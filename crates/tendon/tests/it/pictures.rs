//! The pictures of the front page are what the commands draw, and those of the state and of predictions show what happened.

use std::path::Path;

use crate::support::Folder;

const DEPLOY: [&str; 5] =
    ["examples/storefront/prod.bicepparam", "--mocks", "examples/storefront/mocks.yaml", "--state", "state"];

/// Runs a command on the example.
#[track_caller]
fn run(folder: &Folder, command: &[&str]) -> String {
    let output = folder.run(command, b"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Compares a picture with the one in the documentation.
#[track_caller]
fn check(folder: &Folder, name: &str) {
    let drawn = std::fs::read_to_string(folder.path(name)).unwrap();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images").join(name);
    if std::env::var_os("TENDON_UPDATE").is_some() {
        std::fs::write(&kept, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(kept).unwrap_or_default();
    assert!(kept == drawn, "docs/images/{name} is out of date, set TENDON_UPDATE=1");
}

#[test]
fn the_picture_of_the_example_is_current() {
    let folder = Folder::with(&[]);
    folder.add_examples();
    run(&folder, &["graph", "examples/storefront/prod.bicepparam", "--outfile", "storefront.svg"]);
    check(&folder, "storefront.svg");
}

#[test]
fn the_picture_of_a_change_is_current() {
    let folder = Folder::with(&[]);
    folder.add_examples();
    run(&folder, &[&["deploy"], DEPLOY.as_slice()].concat());
    let shelves = r#"shelves=[{"name":"pictures","public":true},{"name":"invoices"},{"name":"returns"}]"#;
    let change = ["what-if", "--mode", "complete", "--param", shelves, "--graph", "storefront-change.svg"];
    run(&folder, &[change.as_slice(), DEPLOY.as_slice()].concat());
    check(&folder, "storefront-change.svg");
}

#[test]
fn a_deployment_of_the_state_is_drawn_with_how_it_ended() {
    let folder = Folder::with(&[]);
    folder.add_examples();
    run(&folder, &[&["deploy"], DEPLOY.as_slice()].concat());
    let drawn = run(&folder, &["graph", "--deployment", "prod", "--state", "state", "--format", "mermaid"]);
    assert!(
        drawn.contains("account (✓ succeeded)") || drawn.contains("account #40;#10003; succeeded#41;"),
        "{drawn}"
    );
    assert!(drawn.contains("subgraph"), "modules are drawn as well: {drawn}");
    let missing = folder.run(&["graph", "--deployment", "other", "--state", "state"], b"");
    assert_eq!(missing.status.code(), Some(1));
    let inside = folder.run(&["graph", "--deployment", "storage", "--state", "state"], b"");
    assert_eq!(inside.status.code(), Some(2), "{}", String::from_utf8_lossy(&inside.stderr));
}
