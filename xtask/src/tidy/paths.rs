//! The rule against paths that exist on one machine only.

use super::{Finding, Tracked};

/// Where people's files lie: a path below one of these is somebody's.
const PRIVATE: &[&str] = &["home", "root", "Users", "work"];

pub(super) fn are_relative(files: &[Tracked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, text) in files.iter().filter_map(|file| Some((file, file.text.as_deref()?))) {
        for (index, line) in text.lines().enumerate() {
            if let Some(path) = private_path(line) {
                findings.push(Finding::new(
                    &file.path,
                    index + 1,
                    format!("`{path}` is a path of one machine"),
                ));
            }
        }
    }
    findings
}

/// The first path in a line that starts in a private folder.
fn private_path(line: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(at) = line.get(from..)?.find('/').map(|at| from + at) {
        from = at + 1;
        let starts_here =
            line.get(..at)?.chars().next_back().is_none_or(|c| !c.is_alphanumeric() && !"/._-}".contains(c));
        let rest = line.get(from..)?;
        let below = PRIVATE.iter().find_map(|folder| rest.strip_prefix(folder)?.strip_prefix('/'));
        if starts_here && below.is_some_and(|name| name.starts_with(|c: char| c.is_alphanumeric())) {
            let end = rest.find(|c: char| c.is_whitespace() || "\"'`)".contains(c)).unwrap_or(rest.len());
            return line.get(at..from + end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_a_private_folder_is_found() {
        let folder = PRIVATE[0];
        let found = [
            (format!("see /{folder}/jane/notes.txt for more"), format!("/{folder}/jane/notes.txt")),
            (format!("\"/{folder}/jane\""), format!("/{folder}/jane")),
            (format!("a/b and `/{folder}/x`"), format!("/{folder}/x")),
        ];
        for (line, path) in found {
            assert_eq!(private_path(&line), Some(path.as_str()), "{line}");
        }
    }

    #[test]
    fn other_slashes_are_left_alone() {
        let folder = PRIVATE[0];
        for line in [
            format!("src/{folder}/mod.rs"),
            format!("https://example.com/{folder}/page"),
            format!("GET /{folder}/"),
            format!("{{base}}/{folder}/x"),
            "and/or // comment /".to_owned(),
        ] {
            assert_eq!(private_path(&line), None, "{line}");
        }
    }
}
