//! Runs the documents in `resources/specs` with the real binary.
//!
//! A case's files are written to a folder of its own, in which the project's `examples` are, too, and `command` holds the
//! command lines to run there, one after the other. A line begins with `tendon`, or the name of a tool that the binary
//! stands in for, after any number of `NAME=VALUE`, and may end with `< FILE`. The outputs are `stdout`, `stderr` and
//! `exit`; a case with several command lines has those of all of them, in order. Files that the commands write are
//! outputs, too, by their names. The path of the folder is shown as `/FOLDER`, and how long a deployment really took as `0s`.

mod support;

use spec_test::{Case, CaseOutput};
use support::Folder;

fn main() -> std::process::ExitCode {
    spec_test::main("resources/specs", run)
}

fn run(case: &Case) -> CaseOutput {
    let Some(commands) = case.file("command") else { return CaseOutput::error("no file `command`") };
    let folder = Folder::with(&[]);
    if commands.text.contains("examples/") {
        folder.add_examples();
    }
    for file in case.files.iter().filter(|file| file.name != "command") {
        folder.write(&file.name, file.text.as_bytes());
    }
    let (mut stdout, mut stderr, mut exit) = (String::new(), String::new(), String::new());
    for line in commands.text.lines().filter(|line| !line.is_empty()) {
        let (command, input) = line.split_once(" < ").unwrap_or((line, ""));
        let input = match case.file(input) {
            Some(file) => file.text.as_bytes(),
            None if input.is_empty() => &[],
            None => return CaseOutput::error(format!("no file `{input}`")),
        };
        let output = folder.run_line(command, input);
        stdout.push_str(&without_time(command, &folder.anonymous(&output.stdout)));
        stderr.push_str(&folder.anonymous(&output.stderr));
        exit.push_str(&format!(
            "{}\n",
            output.status.code().map_or("killed".to_owned(), |code| code.to_string())
        ));
    }
    let mut outcome =
        CaseOutput::new().output("stdout", stdout).output("stderr", stderr).output("exit", exit);
    for expected in &case.expectations {
        if let Ok(text) = std::fs::read(folder.path(&expected.name)) {
            outcome = outcome.output(&*expected.name, folder.anonymous(&text));
        }
    }
    outcome
}

/// The text with `0 ms` for how long a deployment really took. On the virtual clock it takes whole seconds, the same each time.
fn without_time(command: &str, text: &str) -> String {
    let is_virtual = ["--mocks", "--clock virtual"].iter().any(|option| command.contains(option));
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let ended = [" succeeded in ", " failed in "]
            .iter()
            .find(|how| line.starts_with("deployment ") && line.contains(**how));
        match ended.and_then(|how| line.split_once(how).zip(Some(how))) {
            Some(((before, behind), how)) if !is_virtual => {
                let rest = behind.split_once(':').map_or("", |(_, rest)| rest);
                out.push_str(&format!("{before}{how}0 ms:{rest}"));
            }
            Some(_) | None => out.push_str(line),
        }
    }
    out
}
