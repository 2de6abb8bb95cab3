//! Folders, programs, and the comparison of what they say with what is expected.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use thrift::rules::Functions;
use thrift::wire::Protocol;
use thrift_conformance::{
    Case, CaseSide, CaseValue, ExpectedVerdict, ParsedCase, cases, encode, table_cases,
};

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

/// What a program is asked, and what it should answer.
#[derive(Default)]
pub(crate) struct Questions {
    input: String,
    asked: Vec<(String, Case, CaseValue)>,
}

impl Questions {
    /// Takes note of a row that the program knows by itself; `name` is that of its type there.
    pub(crate) fn note(&mut self, name: &str, case: &Case, row: &CaseValue) {
        self.asked.push((name.to_owned(), case.clone(), row.clone()));
    }

    /// Asks for the verdict on the bytes of a row: a line with the name of its type there and the bytes.
    pub(crate) fn ask(&mut self, name: &str, case: &Case, read: &ParsedCase, row: &CaseValue) {
        let id = read.structure(&case.root).unwrap();
        let bytes = encode(&read.model, id, &read.value(id, &row.value).unwrap(), Protocol::Binary).unwrap();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.input.push_str(&format!("{name}\t{hex}\n"));
        self.note(name, case, row);
    }

    /// Runs the program, and fails if an answer is not the verdict of its row or what else stands for it.
    pub(crate) fn judge(
        self,
        language: &str,
        program: &mut Command,
        same: impl Fn(&Case, &ExpectedVerdict, &str) -> bool,
    ) {
        let answers = run(program, Some(&self.input));
        let mut answers = answers.lines();
        let mut tally = Tally::default();
        for (name, case, row) in &self.asked {
            let answer = answers.next().unwrap_or("no answer");
            let expected = row.verdict.to_string();
            let case_name = format!("{} ({name})", case.name);
            tally.note(&case_name, &row.text, &expected, answer, same(case, &row.verdict, answer));
        }
        tally.finish(language);
    }
}

/// Whether an answer is a verdict, or says of a required field that our own code misses it.
pub(crate) fn is_verdict(_: &Case, expected: &ExpectedVerdict, answer: &str) -> bool {
    match expected {
        ExpectedVerdict::Missing(field) => {
            let name = field.rsplit('.').next().unwrap_or(field);
            answer.starts_with("required @ ") && answer.ends_with(&format!(".{name}"))
        }
        _ => expected.to_string() == answer,
    }
}

/// Whether two verdicts are the same; a set has no order in which its elements could be counted.
pub(crate) fn same_but_for_sets(case: &Case, expected: &str, found: &str) -> bool {
    let blind = |text: &str| -> String { text.chars().filter(|c| !c.is_ascii_digit()).collect() };
    expected == found || (case.idl.contains("set<") && blind(expected) == blind(found))
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

/// The cases that code is generated for: all of them, those of the proposal's table, and those of functions of the user.
pub(crate) fn documented() -> Vec<Case> {
    let mut cases = cases().unwrap();
    cases.extend(table_cases().unwrap());
    cases.extend(super::functions::cases());
    cases.retain(|case| case.refused.is_none() && case.option("only").is_none());
    cases
}

/// The cases that the Apache compiler makes types for. It refuses names that are reserved in some language, such as those of E21.
pub(crate) fn documented_for_apache() -> Vec<Case> {
    let mut cases = documented();
    cases.retain(|case| case.id != "E21");
    cases
}

/// The IDL as compilers of types can read it: they know no escapes of bytes, and types do not depend on annotations.
pub(crate) fn types_of(case: &Case) -> String {
    let plain = |line: &str| match line.contains("\\x") {
        true => line.split(" (vt.").next().unwrap_or(line).to_owned(),
        false => line.to_owned(),
    };
    case.idl.lines().map(plain).collect::<Vec<_>>().join("\n")
}

/// Whether readers for which strings are always text still have what the row says.
pub(crate) fn is_text(case: &Case, row: &CaseValue) -> bool {
    row.side != CaseSide::Go && (!row.text.contains("$hex") || case.idl.contains("binary"))
}

/// A case that has no errors, as a file of its own with a namespace for a language.
pub(super) fn parsed(case: &Case, language: &str, functions: &Functions) -> ParsedCase {
    let file = format!("{}.thrift", case.id.to_lowercase());
    let parsed = case.read_as(&file, language, functions).unwrap();
    let is_sound = !parsed.diagnostics.iter().any(thrift::Diagnostic::is_error);
    assert!(is_sound, "{}: {:?}", case.name, parsed.diagnostics);
    parsed
}
