//! Rules for Rust sources.

use super::{Finding, Tracked, texts};

/// The number of lines past which a file hides a table or a second job.
const LINES: usize = 1500;

/// Files that are allowed to be longer, each with the reason.
const LONG: &[(&str, &str)] = &[];

/// What must not stay in the code, and why.
const UNFINISHED: &[(&str, &str)] = &[
    (concat!("todo", "!("), "unfinished code; finish it or return an error that says so"),
    (concat!("unimplemented", "!("), "unfinished code; finish it or return an error that says so"),
    (concat!("#[", "ignore"), "a test that does not run; make it run or remove it"),
    (concat!("#[", "should_panic"), "a test that hides what it shows; assert on the error instead"),
];

pub(super) fn open_with_documentation(files: &[Tracked]) -> Vec<Finding> {
    texts(files, ".rs")
        .filter(|(_, text)| !text.starts_with("//!"))
        .map(|(path, _)| {
            Finding::new(path, 1, "the file does not open with `//!`, a sentence on its one job")
        })
        .collect()
}

pub(super) fn are_not_too_long(files: &[Tracked]) -> Vec<Finding> {
    too_long(files, LONG)
}

fn too_long(files: &[Tracked], allowed: &[(&str, &str)]) -> Vec<Finding> {
    let is_long = |text: &str| text.lines().count() > LINES;
    let is_allowed = |path: &str| allowed.iter().any(|(long, _)| *long == path);
    let mut findings: Vec<Finding> = texts(files, ".rs")
        .filter(|(path, text)| is_long(text) && !is_allowed(path))
        .map(|(path, text)| {
            let message = format!(
                "{} lines, more than {LINES}; split it or list it with a reason",
                text.lines().count()
            );
            Finding::new(path, 0, message)
        })
        .collect();
    for (path, _) in allowed {
        if !texts(files, ".rs").any(|(other, text)| other == *path && is_long(text)) {
            findings.push(Finding::new(path, 0, "listed as a long file, and is not one any more"));
        }
    }
    findings
}

pub(super) fn are_finished(files: &[Tracked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in texts(files, ".rs") {
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            for (_, message) in UNFINISHED.iter().filter(|(word, _)| line.contains(word)) {
                findings.push(Finding::new(path, index + 1, *message));
            }
        }
    }
    findings
}

/// Where codes of Bicep are rows.
const CODE_TABLES: &[&str] = &["crates/bicep/src/codes/", "crates/syntax/src/diagnostics.rs"];

/// Codes of Bicep are written once, in a table; tests may name them.
pub(super) fn take_codes_from_the_tables(files: &[Tracked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in texts(files, ".rs") {
        let is_product = path.starts_with("crates/") && path.contains("/src/") && !path.ends_with("tests.rs");
        if !is_product || CODE_TABLES.iter().any(|table| path.starts_with(table)) {
            continue;
        }
        let code = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
        for (index, _) in code.filter(|(_, line)| has_code(line)) {
            findings.push(Finding::new(path, index + 1, "a code that is not taken from `bicep::codes`"));
        }
    }
    findings
}

/// Tells whether a line that is not a comment has a string that is a code of Bicep.
fn has_code(line: &str) -> bool {
    if line.trim_start().starts_with("//") {
        return false;
    }
    let mut parts = line.split(concat!('"', "BCP"));
    parts.next();
    parts.any(|rest| rest.bytes().take(3).filter(u8::is_ascii_digit).count() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::{findings, tree};

    #[test]
    fn a_source_without_documentation_is_found() {
        let files = [("a.rs", "//! Documented.\n"), ("b.rs", "use std::fmt;\n"), ("c.md", "text\n")];
        assert_eq!(
            findings(open_with_documentation, &files),
            ["b.rs:1: the file does not open with `//!`, a sentence on its one job"]
        );
    }

    #[test]
    fn a_long_source_is_found_unless_it_is_listed() {
        let long = "//\n".repeat(LINES + 1);
        let files = tree(&[("a.rs", &long), ("b.rs", &long), ("c.rs", "//!\n")]);
        let found = too_long(&files, &[("b.rs", "a table"), ("c.rs", "was a table")]);
        let paths: Vec<&str> = found.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(paths, ["a.rs", "c.rs"], "one is too long, one is listed without need");
    }

    #[test]
    fn unfinished_code_is_found_and_a_comment_about_it_is_not() {
        let text = format!("//! {0}\nfn a() {{\n    {0})\n}}\n", UNFINISHED[0].0);
        assert_eq!(
            findings(are_finished, &[("a.rs", &text)]),
            ["a.rs:3: unfinished code; finish it or return an error that says so"]
        );
    }

    #[test]
    fn a_code_outside_of_its_table_is_found_and_one_in_a_test_is_not() {
        let text =
            format!("//! x\nlet a = {0}BCP001\";\n// {0}BCP002\"\n#[cfg(test)]\nlet b = {0}BCP003\";\n", '"');
        let found = findings(
            take_codes_from_the_tables,
            &[
                ("crates/bicep/src/a.rs", &text),
                ("crates/bicep/src/codes/a.rs", &text),
                ("xtask/src/a.rs", &text),
            ],
        );
        assert_eq!(found, ["crates/bicep/src/a.rs:2: a code that is not taken from `bicep::codes`"]);
    }
}
