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
}
