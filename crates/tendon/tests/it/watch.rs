//! `--watch` does the same again after a change, and only then.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::support::Folder;

#[test]
fn a_change_is_checked_again() {
    let folder =
        Folder::with(&[("size.json", b"3"), ("size.contract.json", br#"{"type": "integer", "minimum": 4}"#)]);
    let mut command = folder.tendon(&[
        "check",
        "size.json",
        "--against",
        "size.contract.json",
        "--watch",
        "--color",
        "never",
    ]);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let first = lines.find(|line| line.contains("invalid"));
    folder.write("size.json", b"44");
    let second = lines.find(|line| line.contains("value"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(first.as_deref(), Some("1 value invalid, 1 violation"));
    assert_eq!(second.as_deref(), Some("1 value valid"));
}

#[test]
fn what_reads_nothing_is_not_watched() {
    let folder = Folder::with(&[]);
    let output = folder.run(&["lint", "missing.bicep", "--watch"], b"");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}
