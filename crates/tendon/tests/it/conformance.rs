//! Other people's validators, asked what the rules mean by the real command.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::go;
use crate::support::Folder;

fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../thrift-conformance").join(path)
}

/// Runs the suite against thrift-gen-validator, whose code is generated and compiled for it.
fn ask_the_validator(folder: &Folder, arguments: &[&str]) -> Output {
    let path = |path: PathBuf| path.into_os_string().into_string().unwrap();
    let executor = path(go::build(&beside("executors/go"), "executor"));
    let thriftgo = path(go::tool("github.com/cloudwego/thriftgo"));
    let validator = path(go::tool("github.com/cloudwego/thrift-gen-validator"));
    let suite = ["thrift", "conformance", "--compare", "verdict"];
    let asked = ["--", &executor, "-thriftgo", &thriftgo, "-validator", &validator];
    // The folder has a home of its own, but what Go has compiled and loaded need not be there again.
    let mut command = folder.tendon(&[&suite[..], arguments, &asked].concat());
    for name in ["GOCACHE", "GOMODCACHE"] {
        command.env(name, go::run(Command::new("go").args(["env", name])).trim());
    }
    command.output().unwrap()
}

#[test]
fn the_list_for_thrift_gen_validator_is_true() {
    let list = beside("expected/thrift-gen-validator.txt");
    let folder = Folder::with(&[]);
    let arguments = ["--expected-failures", list.to_str().unwrap(), "--junit", "results.xml"];
    let output = ask_the_validator(&folder, &arguments);
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains(" failed as expected"), "{said}");
    let results = std::fs::read_to_string(folder.path("results.xml")).unwrap();
    assert!(results.contains(" failures=\"0\" "), "{}", results.lines().nth(1).unwrap_or_default());
    assert!(results.contains("<skipped message=\"there is no `_escape`\"/>"));
}

#[test]
fn a_failure_that_is_not_listed_is_one() {
    let folder = Folder::with(&[("list.txt", b"F13/1: there is no `_escape`\nB01/1: a mistake\n")]);
    let output = ask_the_validator(&folder, &["--expected-failures", "list.txt", "--filter", "F13"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with(
            "failed F13/2 an escaped dollar: {\"s\": \"5.00\"}\n  expected invalid, vt.const at S.s\n"
        ),
        "{said}"
    );
    assert!(said.ends_with("0 passed, 1 failed as expected, 1 failed\n"), "{said}");
    let output = ask_the_validator(&folder, &["--expected-failures", "list.txt", "--filter", "B01/1"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("passed unexpectedly B01/1 a constant"), "{said}");
}

/// The lists name only what there is, whoever can be asked here.
#[test]
fn every_list_can_be_read() {
    let folder = Folder::with(&[]);
    for entry in std::fs::read_dir(beside("expected")).unwrap() {
        let list = entry.unwrap().path();
        let arguments =
            ["thrift", "conformance", "--requests", "--expected-failures", list.to_str().unwrap()];
        let output = folder.run(&arguments, b"");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[cfg(unix)]
mod executors {
    use super::*;

    /// Runs the suite against a shell script.
    fn ask(script: &str, arguments: &[&str]) -> Output {
        let folder = Folder::with(&[("script", script.as_bytes())]);
        let asked = ["--filter", "B01", "--", "sh", "script"];
        folder.run(&[&["thrift", "conformance"], arguments, &asked].concat(), b"")
    }

    #[track_caller]
    fn fails(script: &str, arguments: &[&str], exit: i32, message: &str) {
        let output = ask(script, arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(exit), "{said}");
        assert!(said.contains(message), "{said}");
    }

    #[test]
    fn answers_may_come_before_all_requests_are_read() {
        let script = r#"while read -r line; do
            case=$(printf '%s' "$line" | sed 's/.*"case":"\([^"]*\)".*/\1/')
            printf '{"case":"%s","verdict":"valid"}\n' "$case"
        done"#;
        let output = ask(script, &["--compare", "verdict", "-q"]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(said.matches("failed B01/").count(), 2, "{said}");
    }

    #[test]
    fn an_executor_that_fails_is_a_failure_of_the_environment() {
        fails("cat > /dev/null; echo 'not JSON'", &[], 3, "wrote a line that is not an answer");
        fails("exit 7", &[], 3, "ended with exit status: 7");
        fails("exec sleep 30", &["--timeout", "1"], 3, "did not end in 1 seconds");
    }

    #[test]
    fn answers_before_the_failure_still_count() {
        let output = ask("echo '{\"case\":\"B01/1\",\"verdict\":\"valid\"}'; exit 7", &["-v"]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("passed B01/1"), "{said}");
        assert!(said.contains("found    no answer"), "{said}");
    }
}
