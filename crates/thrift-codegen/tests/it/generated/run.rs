//! Folders, programs, and the comparison of what they say with what is expected.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use thrift::rules::Functions;
use thrift_conformance::{Case, ParsedCase};

/// A folder for the work of one runner, emptied but for what `keep` names.
pub(crate) fn folder(name: &str, keep: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if keep.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }
    folder
}

/// Writes a file and the folders above it, unless it is there already: what is older need not be built again.
pub(crate) fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A file beside the tests.
pub(crate) fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

/// Runs a program to its end and returns what it wrote; fails with everything it said if it fails.
pub(crate) fn run(command: &mut Command, input: Option<&str>) -> String {
    let shown: String = format!("{command:?}").chars().take(300).collect();
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("{shown}: {error}; `cargo xtask test` installs what is missing"));
    let pipe = child.stdin.take();
    let output = std::thread::scope(|scope| {
        if let (Some(mut pipe), Some(text)) = (pipe, input) {
            // A program that ends early says why in its own words.
            scope.spawn(move || pipe.write_all(text.as_bytes()).ok());
        }
        child.wait_with_output().unwrap()
    });
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{shown}\n{out}\n{}", String::from_utf8_lossy(&output.stderr));
    out
}

/// What a runner answered, and what was expected.
#[derive(Default)]
pub(crate) struct Tally {
    count: usize,
    wrong: Vec<String>,
}

impl Tally {
    /// Takes note of an answer.
    pub(crate) fn note(&mut self, case: &str, value: &str, expected: &str, found: &str, same: bool) {
        self.count += 1;
        if !same {
            self.wrong.push(format!("{case}: {value}\n  expected {expected}\n  found    {found}"));
        }
    }

    /// Fails if an answer was wrong.
    pub(crate) fn finish(self, language: &str) {
        println!("{language}: {} values", self.count);
        assert!(
            self.wrong.is_empty(),
            "{} of {} are wrong:\n{}",
            self.wrong.len(),
            self.count,
            self.wrong.join("\n")
        );
    }
}

/// A case that has no errors, as a file of its own with a namespace for a language.
pub(super) fn parsed(case: &Case, language: &str, functions: &Functions) -> ParsedCase {
    let file = format!("{}.thrift", case.id.to_lowercase());
    let parsed = case.read_as(&file, language, functions).unwrap();
    let is_sound = !parsed.diagnostics.iter().any(thrift::Diagnostic::is_error);
    assert!(is_sound, "{}: {:?}", case.name, parsed.diagnostics);
    parsed
}
