//! The files of a folder that are of a language, and the languages by the names of files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::exit::CommandError;
use crate::input;

/// A language whose files are told by their names or by what is in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LintLanguage {
    /// Programs, parameters files and files of tests.
    Bicep,
    Thrift,
    /// JSON or YAML, of which the content says what it is.
    Data,
}

impl LintLanguage {
    /// The language that a file's name tells; none if it is no file to lint.
    pub(crate) fn of_name(path: &OsStr) -> Option<LintLanguage> {
        match input::extension(path)?.as_str() {
            "bicep" | "bicepparam" | "biceptest" => Some(LintLanguage::Bicep),
            "thrift" => Some(LintLanguage::Thrift),
            "json" | "jsonc" | "yaml" | "yml" => Some(LintLanguage::Data),
            _ => None,
        }
    }
}

/// The folders that are not searched: they hold what others made, or what programs keep.
fn is_skipped(name: &OsStr) -> bool {
    name == "node_modules" || name.as_encoded_bytes().starts_with(b".")
}

/// How many folders deep a search goes.
const DEEPEST: usize = 64;

/// The files in a folder and in those below it that are wanted, in the order of their paths. Links to folders are not followed.
pub(crate) fn files_below(
    folder: &Path,
    is_wanted: &dyn Fn(&Path) -> bool,
) -> Result<Vec<PathBuf>, CommandError> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        let failed =
            |error: std::io::Error| CommandError::reading(&format!("`{}`", folder.display()), &error);
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            if is_skipped(&entry.file_name()) {
                continue;
            }
            // What is in the working folder has no need of `./`.
            let path = entry.path();
            let path = path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
            if kind.is_dir() {
                if depth < DEEPEST {
                    open.push((path, depth + 1));
                }
            } else if is_wanted(&path) && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_language() {
        let of = |name: &str| LintLanguage::of_name(OsStr::new(name));
        assert_eq!(of("a/main.bicep"), Some(LintLanguage::Bicep));
        assert_eq!(of("a/MAIN.BICEPPARAM"), Some(LintLanguage::Bicep));
        assert_eq!(of("a/main.biceptest"), Some(LintLanguage::Bicep));
        assert_eq!(of("service.thrift"), Some(LintLanguage::Thrift));
        assert_eq!(of("types.yml"), Some(LintLanguage::Data));
        assert_eq!(of("README.md"), None);
        assert_eq!(of("bicep"), None);
    }

    #[test]
    fn hidden_folders_and_those_of_package_managers_are_skipped() {
        for (name, expect) in [(".git", true), (".tendon", true), ("node_modules", true), ("modules", false)]
        {
            assert_eq!(is_skipped(OsStr::new(name)), expect, "{name}");
        }
    }
}
