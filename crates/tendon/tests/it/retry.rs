//! The example of a scripted provider: what goes wrong is tried again, at virtual times.

use crate::support::Folder;

#[test]
fn the_example_with_a_script_succeeds_at_virtual_times() {
    let folder = Folder::with(&[]);
    folder.add_examples();
    let deploy =
        ["deploy", "examples/retry/main.json", "--mocks", "examples/retry/mocks.yaml", "--state", "state"];
    let output = folder.run(&[&deploy[..], &["-o", "json"]].concat(), b"");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(r#""duration": "PT1M40S""#), "{text}");
    let output = folder.run(&["state", "show", "main", "--state", "state", "-o", "json"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches(r#""operationId""#).count(), 4, "one for each attempt: {text}");
}
