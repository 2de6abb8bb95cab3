//! The rule that a command in the documentation is one that exists.

use super::{Finding, Tracked, texts};
use crate::COMMANDS;

/// How a command of this program starts.
const START: &str = "cargo xtask ";

pub(super) fn exist(files: &[Tracked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in texts(files, ".md") {
        for (index, line) in text.lines().enumerate() {
            for (at, _) in line.match_indices(START) {
                let rest = line.get(at + START.len()..).unwrap_or_default();
                let command = rest.split(['`', '#', '|', ')', ';']).next().unwrap_or_default();
                if let Some(message) = mistake(command) {
                    findings.push(Finding::new(path, index + 1, message));
                }
            }
        }
    }
    findings
}

/// What is wrong with the words behind `cargo xtask`.
fn mistake(command: &str) -> Option<String> {
    let mut words = command.split_whitespace();
    let name = words.next()?;
    let Some(known) = COMMANDS.iter().find(|known| known.name == name) else {
        return Some(format!("there is no `{START}{name}`"));
    };
    let has = |option: &str| known.usage.split([' ', '[', ']']).any(|word| word == option);
    // What stands behind its own arguments belongs to the program that it starts.
    let hands_on =
        known.usage.contains("[ARGUMENT]") && words.clone().next().is_some_and(|word| !word.starts_with('-'));
    let unknown = words.find(|word| word.starts_with("--") && !hands_on && !has(word))?;
    Some(format!("`{START}{name}` has no option `{unknown}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_options_that_do_not_exist_are_found() {
        let text = "`cargo xtask test --only fmt` is one\n\
                    cargo xtask bench bicep FOLDER --types PACK  # another\n\
                    cargo xtask tests\n\
                    and `cargo xtask fuzz --second 5`";
        let file = Tracked { path: "a.md".to_owned(), size: text.len(), text: Some(text.to_owned()) };
        let found = exist(&[file]);
        let expected =
            [(3, "there is no `cargo xtask tests`"), (4, "`cargo xtask fuzz` has no option `--second`")];
        assert_eq!(found, expected.map(|(line, message)| Finding::new("a.md", line, message)));
    }
}
