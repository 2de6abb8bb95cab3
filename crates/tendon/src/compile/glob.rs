//! Patterns of paths: `*` and `?` inside a name, `**` for any number of folders. Case does not count.

use std::io;
use std::path::{Path, PathBuf};

/// How many folders deep a search goes; links that lead back to themselves end here at the latest.
const DEEPEST: usize = 64;

/// A pattern, and the folder that it starts from.
#[derive(Debug)]
pub(crate) struct Glob {
    /// The folder before the first part that has a wildcard.
    pub(crate) root: PathBuf,
    parts: Vec<Vec<char>>,
}

impl Glob {
    /// Takes a pattern apart; it is relative to the current folder unless it is absolute.
    pub(crate) fn new(pattern: &str) -> Glob {
        let is_wild = |part: &str| part.contains(['*', '?']);
        let parts: Vec<&str> = pattern.split('/').collect();
        // The last part is the name of a file, with or without wildcards.
        let fixed = parts.iter().position(|part| is_wild(part)).unwrap_or(parts.len()).min(parts.len() - 1);
        let (root, rest) = parts.split_at(fixed);
        let root = match root {
            [] => PathBuf::from("."),
            [""] => PathBuf::from("/"),
            root => PathBuf::from(root.join("/")),
        };
        let lower = |part: &&str| part.to_lowercase().chars().collect();
        Glob { root, parts: rest.iter().filter(|part| !part.is_empty()).map(lower).collect() }
    }

    /// The files that match, in the order of their paths.
    pub(crate) fn files(&self) -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        self.search(&self.root, &self.parts, DEEPEST, &mut found)?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn search(
        &self,
        folder: &Path,
        parts: &[Vec<char>],
        deeper: usize,
        found: &mut Vec<PathBuf>,
    ) -> io::Result<()> {
        let Some((part, rest)) = parts.split_first() else { return Ok(()) };
        let any_depth = matches!(part.as_slice(), ['*', '*']);
        if any_depth && !rest.is_empty() {
            self.search(folder, rest, deeper, found)?;
        }
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let path = entry.path();
            let name: Vec<char> = entry.file_name().to_string_lossy().to_lowercase().chars().collect();
            // A link counts as what it leads to, but no search goes through a link to a folder.
            if kind.is_dir() {
                let next = if any_depth { parts } else { rest };
                if deeper > 0 && (any_depth || matches(part, &name)) {
                    self.search(&path, next, deeper - 1, found)?;
                }
            } else if rest.is_empty() && (any_depth || matches(part, &name)) && path.is_file() {
                found.push(path);
            }
        }
        Ok(())
    }
}

/// Tells whether a name matches one part of a pattern. Only the last star is ever given more, which is enough.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut pattern_at) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(character) = name.get(at) {
        match pattern.get(pattern_at) {
            Some('*') => {
                star = Some((pattern_at, at));
                pattern_at += 1;
            }
            Some(wanted) if *wanted == '?' || wanted == character => {
                at += 1;
                pattern_at += 1;
            }
            _ => {
                let Some((star_at, covered)) = star else { return false };
                star = Some((star_at, covered + 1));
                (pattern_at, at) = (star_at + 1, covered + 1);
            }
        }
    }
    pattern.iter().skip(pattern_at).all(|character| *character == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, name: &str, expect: bool) {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(matches(&chars(pattern), &chars(name)), expect, "{pattern} {name}");
    }

    #[test]
    fn stars_cover_any_part_of_a_name() {
        check("*.bicep", "main.bicep", true);
        check("*.bicep", "main.bicepparam", false);
        check("m*n*.b?cep", "main.test.bicep", true);
        check("a*b*c", "abxbxc", true);
        check("a*b*c", "abxb", false);
        check("*", "", true);
        check("", "a", false);
    }

    #[test]
    fn a_pattern_starts_at_the_folder_before_its_first_wildcard() {
        let root = |pattern: &str| Glob::new(pattern).root.to_string_lossy().into_owned();
        assert_eq!(root("avm/res/**/main.bicep"), "avm/res");
        assert_eq!(root("/avm/*.bicep"), "/avm");
        assert_eq!(root("/*.bicep"), "/");
        assert_eq!(root("**/main.bicep"), ".");
        assert_eq!(root("a/main.bicep"), "a");
    }
}
