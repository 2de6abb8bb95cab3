//! `cargo xtask test --only tidy`: rules of the house that neither the compiler nor clippy knows.
//!
//! A rule is a pure function over the tracked files and one row of [`RULES`], with its tests beside it.

mod architecture;
mod commands;
mod layers;
mod layout;
mod manifests;
mod paths;
mod sources;
mod walks;

use std::process::Command;

use crate::{Result, process};

/// A file of the project, by its path from the root with `/` between the parts.
struct Tracked {
    path: String,
    /// The number of bytes.
    size: usize,
    /// The text; nothing for a binary file.
    text: Option<String>,
}

/// A breach of a rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    /// Counted from one; zero speaks of the whole file.
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: path.to_owned(), line, message: message.into() }
    }
}

type Rule = fn(&[Tracked]) -> Vec<Finding>;

const RULES: &[(&str, Rule)] = &[
    ("every source file opens with its documentation", sources::open_with_documentation),
    ("no source file grows past its limit", sources::are_not_too_long),
    ("no unfinished code, no test that does not run", sources::are_finished),
    ("every code is a row of its table", sources::take_codes_from_the_tables),
    ("every package inherits the workspace's lints and licence", manifests::inherit),
    ("every dependency is named once, at the root", manifests::name_dependencies_at_the_root),
    ("every dependency is used", manifests::have_no_unused_dependencies),
    ("every library says whether its documentation has examples", manifests::say_whether_there_are_examples),
    ("every command in the documentation exists", commands::exist),
    ("the code map is that of the manifests", architecture::map_is_that_of_the_manifests),
    ("pure crates are linted as such", architecture::pure_crates_are_linted),
    ("one file of the command line reads files", architecture::one_file_reads_files),
    ("one file of the command line writes files", architecture::one_file_writes_files),
    ("every path in ARCHITECTURE.md and CONTRIBUTING.md exists", architecture::paths_exist),
    ("every type in ARCHITECTURE.md and CONTRIBUTING.md exists", architecture::types_exist),
    ("ARCHITECTURE.md fits its size", architecture::fits_its_size),
    ("every hop of docs/walks.md names functions that exist", walks::name_functions_that_exist),
    ("modules do not know each other in circles", layers::have_no_circles),
    ("a name is that of a type in three crates at most", layers::name_types_apart),
    ("no path of somebody's machine", paths::are_relative),
    ("the licence texts are there", layout::has_licences),
    ("no large file", layout::has_no_large_files),
    ("every fuzz target is registered and has seeds", layout::has_complete_fuzz_targets),
    ("the tests of a crate are one program", layout::has_few_test_programs),
];

pub(crate) fn run() -> Result {
    let files = tracked_files()?;
    let mut count = 0;
    for (name, rule) in RULES {
        let findings = rule(&files);
        println!("{} {name}", if findings.is_empty() { "ok    " } else { "BROKEN" });
        for Finding { path, line, message } in &findings {
            let place = if *line == 0 { path.clone() } else { format!("{path}:{line}") };
            println!("       {place}: {message}");
        }
        count += findings.len();
    }
    match count {
        0 => Ok(()),
        1 => Err("1 breach of the rules of the house".to_owned()),
        _ => Err(format!("{count} breaches of the rules of the house")),
    }
}

/// The files git knows, and the new ones it would add.
fn tracked_files() -> Result<Vec<Tracked>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let list = process::output(Command::new("git").args(arguments))?;
    let mut files = Vec::new();
    for path in list.split('\0').filter(|path| !path.is_empty()) {
        // A tracked file that was just deleted, or a link to nowhere, is not there to be read.
        let Ok(bytes) = std::fs::read(path) else { continue };
        files.push(Tracked { path: path.to_owned(), size: bytes.len(), text: String::from_utf8(bytes).ok() });
    }
    Ok(files)
}

/// The files whose path ends in one way, with their texts.
fn texts<'a>(files: &'a [Tracked], ending: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    files
        .iter()
        .filter(move |file| file.path.ends_with(ending))
        .filter_map(|file| Some((file.path.as_str(), file.text.as_deref()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a tree out of paths and texts.
    pub(super) fn tree(files: &[(&str, &str)]) -> Vec<Tracked> {
        files
            .iter()
            .map(|(path, text)| Tracked {
                path: (*path).to_owned(),
                size: text.len(),
                text: Some((*text).to_owned()),
            })
            .collect()
    }

    /// Runs a rule and writes each finding as `path:line: message`.
    pub(super) fn findings(rule: Rule, files: &[(&str, &str)]) -> Vec<String> {
        let shown = |finding: &Finding| format!("{}:{}: {}", finding.path, finding.line, finding.message);
        rule(&tree(files)).iter().map(shown).collect()
    }
}
