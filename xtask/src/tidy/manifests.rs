//! Rules for the packages' manifests. Each key is looked for in the form in which all manifests write it.

use super::{Finding, Tracked, texts};

/// What every package of the workspace says, under which heading.
const INHERITED: &[(&str, &str)] =
    &[("[lints]", "workspace = true"), ("[package]", "license.workspace = true")];

/// The tables that list dependencies.
const DEPENDENCIES: &[&str] = &["[dependencies]", "[dev-dependencies]", "[build-dependencies]"];

pub(super) fn inherit(files: &[Tracked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in packages(files) {
        for (table, key) in INHERITED {
            if !entries(text).any(|(_, in_table, line)| in_table == *table && line == *key) {
                findings.push(Finding::new(path, 0, format!("the table `{table}` does not say `{key}`")));
            }
        }
    }
    findings
}

pub(super) fn name_dependencies_at_the_root(files: &[Tracked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in packages(files) {
        for (line, table, entry) in entries(text) {
            if DEPENDENCIES.contains(&table) && !entry.contains("workspace = true") {
                let message = format!("`{entry}` is not `workspace = true`");
                findings.push(Finding::new(path, line, message));
            }
        }
    }
    findings
}

/// Cargo builds what a manifest names, whether or not a source does. What only tests use is a dependency of tests.
pub(super) fn have_no_unused_dependencies(files: &[Tracked]) -> Vec<Finding> {
    let libraries: Vec<(&str, &str)> = packages(files).filter_map(|(_, text)| library(text)).collect();
    let mut findings = Vec::new();
    for (path, text) in packages(files) {
        let folder = path.trim_end_matches("Cargo.toml");
        let sources: Vec<(&str, &str)> = texts(files, ".rs")
            .filter_map(|(source, text)| Some((source.strip_prefix(folder)?, text)))
            .collect();
        for (line, table, entry) in entries(text).filter(|(_, table, _)| table.ends_with("dependencies]")) {
            let package = entry.split(['.', ' ', '=']).next().unwrap_or_default();
            let library = libraries.iter().find(|(name, _)| *name == package).map(|(_, library)| *library);
            let name = library.map_or_else(|| package.replace('-', "_"), str::to_owned);
            let is_looked_at = |source: &str| match table {
                _ if table.ends_with("dev-dependencies]") => source != "build.rs",
                _ if table.ends_with("build-dependencies]") => source == "build.rs",
                _ => is_source(source),
            };
            if !sources.iter().any(|(source, text)| is_looked_at(source) && names(text, &name)) {
                findings.push(Finding::new(path, line, format!("no source names `{name}`")));
            }
        }
    }
    findings
}

/// The name of a package and of its library.
fn library(manifest: &str) -> Option<(&str, &str)> {
    let name = |wanted: &str| {
        let mut values = entries(manifest).filter(|(_, table, _)| *table == wanted);
        values.find_map(|(_, _, line)| line.strip_prefix("name = \"")?.strip_suffix('"'))
    };
    Some((name("[package]")?, name("[lib]")?))
}

/// Whether a source has a path that starts with a crate.
fn names(source: &str, crate_name: &str) -> bool {
    source.match_indices(crate_name).any(|(at, _)| {
        let (before, from) = source.split_at(at);
        let after = from.strip_prefix(crate_name).unwrap_or_default();
        let before_path = before.strip_suffix("::").unwrap_or(before);
        let is_start = !before_path.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>');
        let is_imported = before.ends_with("use ") && after.starts_with([';', ' ']);
        is_start && (after.starts_with("::") || is_imported)
    })
}

/// `rustdoc` takes seconds to find out that a library has no examples, and examples that do not run say anything.
pub(super) fn say_whether_there_are_examples(files: &[Tracked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in packages(files).filter(|(_, text)| text.contains("[lib]")) {
        let folder = path.trim_end_matches("Cargo.toml");
        let sources =
            texts(files, ".rs").filter(|(source, _)| source.strip_prefix(folder).is_some_and(is_source));
        let has_examples = sources.into_iter().any(|(_, source)| has_example(source));
        let says_none = entries(text).any(|(_, table, line)| table == "[lib]" && line == "doctest = false");
        let message = match (has_examples, says_none) {
            (true, true) => "the examples in its documentation do not run; remove `doctest = false`",
            (false, false) => "its documentation has no examples; say `doctest = false` under `[lib]`",
            (true, false) | (false, true) => continue,
        };
        findings.push(Finding::new(path, 0, message));
    }
    findings
}

fn is_source(path: &str) -> bool {
    path.starts_with("src/")
}

/// Whether the documentation in a source has a block of Rust code, or is a file that may have one.
fn has_example(source: &str) -> bool {
    let mut is_open = false;
    source.lines().map(str::trim_start).any(|line| {
        let documentation = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(words) = documentation.and_then(|line| line.trim().strip_prefix("```")) else {
            return line.starts_with("#[doc = include_str!");
        };
        is_open = !is_open;
        is_open && words.split(',').all(|word| RUST.contains(&word.trim()))
    })
}

/// What a block of Rust code is marked with.
const RUST: &[&str] = &["", "rust", "no_run", "compile_fail", "should_panic", "ignore"];

/// The manifests of the workspace's packages.
fn packages(files: &[Tracked]) -> impl Iterator<Item = (&str, &str)> {
    texts(files, "/Cargo.toml")
        .filter(|(path, _)| ["crates/", "tools/", "xtask/"].iter().any(|folder| path.starts_with(folder)))
}

/// The lines of a manifest that hold something: line number, table, text.
fn entries(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let lines = text.lines().map(str::trim).enumerate();
    lines
        .scan("", |table, (index, line)| {
            if line.starts_with('[') {
                *table = line;
            }
            Some((index + 1, *table, line))
        })
        .filter(|(_, _, line)| !line.is_empty() && !line.starts_with(['#', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::findings;

    #[test]
    fn a_package_on_its_own_is_found() {
        let good = "[package]\nlicense.workspace = true\n\n[lints]\nworkspace = true\n";
        let bad = "[package]\nlicense = \"MIT\"\n\n[dependencies]\nworkspace = true\n";
        let files = [("crates/a/Cargo.toml", good), ("crates/b/Cargo.toml", bad), ("fuzz/Cargo.toml", bad)];
        assert_eq!(
            findings(inherit, &files),
            [
                "crates/b/Cargo.toml:0: the table `[lints]` does not say `workspace = true`",
                "crates/b/Cargo.toml:0: the table `[package]` does not say `license.workspace = true`",
            ]
        );
    }

    #[test]
    fn a_dependency_with_a_version_of_its_own_is_found() {
        let text = "[dependencies]\na.workspace = true\nb = { workspace = true, features = [\"x\"] }\n\n\
                    [dev-dependencies]\n# for tests\nc = \"1\"\n\n[features]\nd = []\n";
        assert_eq!(
            findings(name_dependencies_at_the_root, &[("crates/a/Cargo.toml", text)]),
            ["crates/a/Cargo.toml:7: `c = \"1\"` is not `workspace = true`"]
        );
    }

    #[test]
    fn a_dependency_that_no_source_names_is_found() {
        let manifest = "[package]\nname = \"a\"\n\n[dependencies]\nin-tests.workspace = true\nown-value.workspace = true\n\
                        time.workspace = true\nused.workspace = true\n\n[target.'cfg(unix)'.dev-dependencies]\nin-tests.workspace = true\n";
        let value = "[package]\nname = \"own-value\"\n\n[lib]\nname = \"value\"\n";
        let files = [
            ("crates/a/Cargo.toml", manifest),
            (
                "crates/a/src/lib.rs",
                "use std::time::Duration;\nuse value;\n\nfn f() -> ::used::X { run_time::x() }\n",
            ),
            ("crates/a/tests/it/main.rs", "use in_tests::x;\n"),
            ("crates/value/Cargo.toml", value),
        ];
        assert_eq!(
            findings(have_no_unused_dependencies, &files),
            [
                "crates/a/Cargo.toml:5: no source names `in_tests`",
                "crates/a/Cargo.toml:7: no source names `time`",
            ]
        );
    }

    #[test]
    fn a_library_that_hides_its_examples_or_has_none_is_found() {
        let (plain, none) = ("[lib]\nname = \"a\"\n", "[lib]\nname = \"a\"\ndoctest = false\n");
        let (example, text) = ("//! A.\n//!\n//! ```\n//! a();\n//! ```\n", "/// ```json\n/// {}\n/// ```\n");
        let files = [
            ("crates/a/Cargo.toml", plain),
            ("crates/a/src/lib.rs", example),
            ("crates/b/Cargo.toml", none),
            ("crates/b/src/lib.rs", text),
            ("crates/b/tests/it/main.rs", example),
            ("crates/c/Cargo.toml", none),
            ("crates/c/src/inner/one.rs", example),
            ("crates/d/Cargo.toml", plain),
            ("crates/d/src/lib.rs", text),
        ];
        assert_eq!(
            findings(say_whether_there_are_examples, &files),
            [
                "crates/c/Cargo.toml:0: the examples in its documentation do not run; remove `doctest = false`",
                "crates/d/Cargo.toml:0: its documentation has no examples; say `doctest = false` under `[lib]`",
            ]
        );
    }
}
