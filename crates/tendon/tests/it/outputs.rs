//! What commands write is there whole or not at all, and nothing but what was named is written.

use std::fs;
use std::path::Path;

use crate::support::Folder;

const PROGRAM: &[u8] = b"param name string = 'x'\noutput name string = name\n";

const TEMPLATE: &[u8] = br#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": []}"#;

const PARAMETERS: &[u8] = br#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#", "contentVersion": "1.0.0.0", "parameters": {"name": {"value": "y"}}}"#;

/// Every command that writes a file, with `OUT` in its place.
const COMMANDS: &[&str] = &[
    "build main.bicep --outfile OUT",
    "build-params main.bicepparam --outfile OUT",
    "generate-params main.bicep --outfile OUT --force",
    "decompile template.json --outfile OUT --force",
    "decompile-params parameters.json --outfile OUT --force",
    "format main.bicep --outfile OUT",
    "graph main.bicep --outfile OUT",
    "deploy main.bicep --report OUT",
    "what-if main.bicep --graph OUT",
    "what-if main.bicep --out OUT",
    "what-if main.bicep --report OUT",
    "contract convert main.contract.json --to jsonschema --outfile OUT",
    "check value.json --against main.contract.json --report OUT",
    "thrift conformance --self --junit OUT",
    "state export OUT",
];

fn project() -> Folder {
    Folder::with(&[
        ("main.bicep", PROGRAM),
        ("main.bicepparam", b"using 'main.bicep'\n"),
        ("template.json", TEMPLATE),
        ("parameters.json", PARAMETERS),
        ("main.contract.json", br#"{"type": "string"}"#),
        ("value.json", b"\"x\""),
        ("bicepconfig.json", b"{}"),
    ])
}

fn arguments(line: &str, out: &str) -> Vec<String> {
    line.split(' ').map(|word| word.replace("OUT", out)).collect()
}

/// The files in a folder, without the state that commands keep.
fn names(folder: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| name != ".tendon" && name != "tendon").collect();
    names.sort();
    names
}

#[test]
fn every_command_writes_what_was_named_and_nothing_else() {
    for line in COMMANDS {
        let folder = project();
        // Some commands want a state to be there.
        folder.run(&["deploy", "main.bicep", "-q"], b"");
        let mut expected = names(&folder.path("."));
        expected.push("out".to_owned());
        expected.sort();
        let ran = folder.run(&arguments(line, "out"), b"");
        assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
        assert_eq!(names(&folder.path(".")), expected, "{line}");
        assert!(fs::metadata(folder.path("out")).unwrap().len() > 0, "{line}");
    }
}

#[test]
fn a_result_in_the_place_of_an_input_is_refused() {
    for (line, input) in [
        ("build main.bicep --outfile OUT", "main.bicep"),
        ("build-params main.bicepparam --outfile OUT", "main.bicep"),
        ("decompile template.json --outfile OUT --force", "template.json"),
        ("decompile-params parameters.json --outfile OUT --force", "parameters.json"),
        ("graph main.bicep --outfile OUT", "main.bicep"),
        ("deploy main.bicep --report OUT", "main.bicep"),
        ("what-if main.bicep --graph OUT", "main.bicep"),
        ("what-if main.bicep --out OUT", "main.bicep"),
        ("check value.json --against main.contract.json --report OUT", "value.json"),
    ] {
        let folder = project();
        let before = fs::read(folder.path(input)).unwrap();
        let ran = folder.run(&arguments(line, &format!("./{input}")), b"");
        let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(3), "{line}: {errors}");
        assert!(errors.contains("it is an input of the command, and would be lost"), "{line}: {errors}");
        assert_eq!(fs::read(folder.path(input)).unwrap(), before, "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_and_stays_a_device() {
    use std::os::unix::fs::FileTypeExt as _;
    for line in COMMANDS {
        let folder = project();
        folder.run(&["deploy", "main.bicep", "-q"], b"");
        let ran = folder.run(&arguments(line, "/dev/full"), b"");
        assert_eq!(ran.status.code(), Some(3), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
        assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device(), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_gets_the_whole_result() {
    for line in COMMANDS {
        let folder = project();
        folder.run(&["deploy", "main.bicep", "-q"], b"");
        let to_file = folder.run(&arguments(line, "out"), b"");
        assert!(to_file.status.success(), "{line}");
        // The shell gives a pipe as number 9.
        let script = "\"$@\" 9>&1 >/dev/null 2>/dev/null | cat";
        let piped = in_shell(&folder, script, &arguments(line, "/dev/fd/9")).stdout;
        assert!(!piped.is_empty(), "{line}");
    }
}

/// Runs a command line in a shell, as `"$@"` of a script.
#[cfg(target_os = "linux")]
fn in_shell<S: AsRef<std::ffi::OsStr>>(folder: &Folder, script: &str, line: &[S]) -> std::process::Output {
    let inner = folder.tendon(line);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, "sh"]).arg(inner.get_program()).args(line).current_dir(folder.path("."));
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(std::process::Stdio::null()).output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_or_a_kill_in_the_middle_leaves_the_old_result() {
    use std::os::unix::process::ExitStatusExt as _;
    let long = format!("output name string = '{}'\n", "x".repeat(100_000));
    for line in [["build", "main.bicep"], ["format", "main.bicep"]] {
        let source = format!("{}{long}", "// a comment\n".repeat(200)).replace(" = ", "  =  ");
        let folder = Folder::with(&[("main.bicep", source.as_bytes()), ("main.json", b"old")]);
        let content = || ["main.bicep", "main.json"].map(|name| fs::read(folder.path(name)).unwrap());
        let before = content();
        // A file can have one block. Who writes more is told so if the signal is ignored, and is killed otherwise.
        let full = in_shell(&folder, "trap '' XFSZ; ulimit -f 1; exec \"$@\"", &line);
        assert_eq!(full.status.code(), Some(3), "{line:?}: {}", String::from_utf8_lossy(&full.stderr));
        assert_eq!(content(), before, "{line:?}");
        assert_eq!(names(&folder.path(".")), ["main.bicep", "main.json"], "{line:?}");
        let killed = in_shell(&folder, "ulimit -c 0; ulimit -f 1; exec \"$@\"", &line);
        assert!(killed.status.signal().is_some(), "{line:?}: {:?}", killed.status);
        assert_eq!(content(), before, "{line:?}");
    }
}

#[test]
fn a_state_is_not_written_over() {
    let folder = project();
    assert_eq!(folder.run_line("tendon deploy main.bicep", b"").status.code(), Some(0));
    let before = fs::read(folder.path(".tendon/seal.key")).unwrap();
    for file in [".tendon/state.db", ".tendon/seal.key", "./.tendon/../.tendon/state.db"] {
        for line in ["state export OUT", "build main.bicep --outfile OUT", "what-if main.bicep --out OUT"] {
            let output = folder.run(&arguments(line, file), b"");
            let text = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{line} {file}: {text}");
            assert!(text.contains("it belongs to the state of a project"), "{line} {file}: {text}");
        }
    }
    assert_eq!(fs::read(folder.path(".tendon/seal.key")).unwrap(), before);
    let listed = folder.run_line("tendon state list", b"");
    assert!(String::from_utf8_lossy(&listed.stdout).contains("deployments/main"));
}

#[test]
fn an_input_is_not_written_over_by_another_path() {
    let folder = project();
    for path in ["missing/../main.bicep", "./main.bicep", "./missing/.././main.bicep"] {
        let output = folder.run(&arguments("build main.bicep --outfile OUT", path), b"");
        assert_eq!(output.status.code(), Some(3), "{path}");
        assert_eq!(fs::read(folder.path("main.bicep")).unwrap(), PROGRAM, "{path}");
    }
    assert!(!folder.path("missing").exists());
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_the_deployment() {
    let folder = project();
    let output = folder.run_line("tendon deploy main.bicep --report main.bicep", b"");
    assert_eq!(output.status.code(), Some(3));
    assert!(!folder.path(".tendon").exists());
}
