//! Rules for which files there are.

use super::{Finding, Tracked, texts};

const LICENCES: &[&str] = &["LICENSE-MIT", "LICENSE-APACHE"];

/// The size in bytes past which a file does not belong into a source tree.
const LARGE: usize = 1024 * 1024;

/// Files that are allowed to be larger, each with the reason.
const ALLOWED: &[(&str, &str)] = &[(
    "crates/azure-types/types.pack.lzma",
    "the resource types of Azure, which NOTICE names, so that properties are checked without set-up",
)];

pub(super) fn has_licences(files: &[Tracked]) -> Vec<Finding> {
    let missing = LICENCES.iter().filter(|name| !has(files, name));
    missing.map(|name| Finding::new(name, 0, "the licence text is missing")).collect()
}

pub(super) fn has_no_large_files(files: &[Tracked]) -> Vec<Finding> {
    files
        .iter()
        .filter(|file| file.size > LARGE && ALLOWED.iter().all(|(path, _)| *path != file.path))
        .map(|file| {
            Finding::new(&file.path, 0, format!("{} KiB, more than {} KiB", file.size / 1024, LARGE / 1024))
        })
        .collect()
}

/// Cargo finds no target by itself here, so that a forgotten entry would be a target that never runs.
pub(super) fn has_complete_fuzz_targets(files: &[Tracked]) -> Vec<Finding> {
    let manifest = texts(files, "fuzz/Cargo.toml").next().map_or("", |(_, text)| text);
    let mut findings = Vec::new();
    for (path, _) in texts(files, ".rs") {
        let Some(target) = path.strip_prefix("fuzz/fuzz_targets/").and_then(|name| name.strip_suffix(".rs"))
        else {
            continue;
        };
        if !manifest.lines().any(|line| line == format!("name = \"{target}\"")) {
            findings.push(Finding::new(path, 0, "no `[[bin]]` of this name in fuzz/Cargo.toml"));
        }
        let seeds = format!("fuzz/seeds/{target}/");
        if !files.iter().any(|file| file.path.starts_with(&seeds)) {
            findings.push(Finding::new(path, 0, format!("no seed in {seeds}")));
        }
    }
    findings
}

/// Every file directly in `tests` is a program that is linked and started. A crate with more than one has them as modules of `tests/it`;
/// those with a runner of their own are named in the manifest.
pub(super) fn has_few_test_programs(files: &[Tracked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (manifest_path, manifest) in texts(files, "/Cargo.toml") {
        let folder = format!("{}tests/", manifest_path.trim_end_matches("Cargo.toml"));
        let programs: Vec<&str> = texts(files, ".rs")
            .filter_map(|(path, _)| {
                let name = path.strip_prefix(&folder)?;
                let program = name.strip_suffix("/main.rs").or_else(|| name.strip_suffix(".rs"))?;
                let is_program = !program.contains('/');
                let is_named = manifest.lines().any(|line| line == format!("name = \"{program}\""));
                (is_program && !is_named).then_some(path)
            })
            .collect();
        if programs.len() > 1 {
            let others = programs.iter().filter(|path| !path.ends_with("/it/main.rs"));
            findings.extend(
                others.map(|path| Finding::new(path, 0, format!("belongs into {folder}it as a module"))),
            );
        }
    }
    findings
}

fn has(files: &[Tracked], path: &str) -> bool {
    files.iter().any(|file| file.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::findings;

    #[test]
    fn a_missing_licence_is_found() {
        assert_eq!(
            findings(has_licences, &[("LICENSE-MIT", "")]),
            ["LICENSE-APACHE:0: the licence text is missing"]
        );
    }

    #[test]
    fn a_large_file_is_found() {
        let large = "x".repeat(LARGE + 1);
        let files = [("a.bin", large.as_str()), ("b.txt", "small")];
        assert_eq!(findings(has_no_large_files, &files), ["a.bin:0: 1024 KiB, more than 1024 KiB"]);
    }

    #[test]
    fn a_fuzz_target_without_entry_or_seed_is_found() {
        let files = [
            ("fuzz/Cargo.toml", "[[bin]]\nname = \"good\"\n"),
            ("fuzz/fuzz_targets/good.rs", "//!\n"),
            ("fuzz/seeds/good/empty", ""),
            ("fuzz/fuzz_targets/new.rs", "//!\n"),
        ];
        assert_eq!(
            findings(has_complete_fuzz_targets, &files),
            [
                "fuzz/fuzz_targets/new.rs:0: no `[[bin]]` of this name in fuzz/Cargo.toml",
                "fuzz/fuzz_targets/new.rs:0: no seed in fuzz/seeds/new/",
            ]
        );
    }

    #[test]
    fn a_second_test_program_is_found() {
        let files = [
            ("crates/a/Cargo.toml", "[[test]]\nname = \"specs\"\nharness = false\n"),
            ("crates/a/tests/specs.rs", "//!\n"),
            ("crates/a/tests/it/main.rs", "//!\n"),
            ("crates/a/tests/it/module.rs", "//!\n"),
            ("crates/a/tests/new.rs", "//!\n"),
            ("crates/b/Cargo.toml", ""),
            ("crates/b/tests/only.rs", "//!\n"),
        ];
        assert_eq!(
            findings(has_few_test_programs, &files),
            ["crates/a/tests/new.rs:0: belongs into crates/a/tests/it as a module"]
        );
    }
}
