//! A thousand programs, the same in every run: none ends the compiler, and none is without a result.

use std::process::Command;

#[test]
fn no_program_ends_the_compiler() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bicep-programs"));
    let output = command.args(["--count", "1000", "--untimed"]).output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}");
    assert!(report.contains("1000 programs"), "{report}");
}
