//! The dependencies, held against `deny.toml`: licences, sources, and requirements that are none.
//!
//! `cargo-deny` reads the same file and knows more, but takes minutes to build for a second of work. What cargo says itself is enough
//! here. Advisories are left to `cargo deny check`: they come from the network, and a test that depends on the day cannot be repeated.

mod licence;

use std::collections::{BTreeMap, BTreeSet};

use crate::{Result, process};

/// Where packages may come from, as the lock file spells it.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The manifests of what is handed out, and their lock files.
const WORKSPACES: [(&str, &str); 2] =
    [("Cargo.toml", "Cargo.lock"), ("bindings/Cargo.toml", "bindings/Cargo.lock")];

pub(crate) fn run() -> Result {
    let read =
        |path: &str| std::fs::read_to_string(path).map_err(|error| format!("cannot read `{path}`: {error}"));
    let rules = read("deny.toml")?;
    let allowed = allowed_licences(&rules)?;
    let (mut count, mut wrong) = (0, Vec::new());
    for (manifest, lock) in WORKSPACES {
        let mut tree = process::cargo();
        tree.args(["tree", "--manifest-path", manifest, "--workspace", "--all-features", "--target", "all"]);
        tree.args(["--edges", "normal,build,dev", "--prefix", "none", "--format", "{p}\t{l}"]);
        println!("{}", process::shown(&tree));
        let packages = process::output(&mut tree)?;
        // A package whose dependencies were listed before is marked.
        let lines = packages.lines().map(|line| line.trim_end_matches(" (*)"));
        let packages: BTreeSet<&str> = lines.filter(|line| !line.is_empty()).collect();
        let lock = read(lock)?;
        for (name, versions) in duplicates(&lock) {
            println!("note: several versions of {name}: {}", versions.join(", "));
        }
        wrong.extend(unlicensed(&packages, &allowed));
        wrong.extend(strange_sources(&lock));
        wrong.extend(wildcards(&read(manifest)?));
        count += packages.len();
    }
    println!("{} packages, {} licences allowed", count, allowed.len());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The list `allow` of `deny.toml`, which has one licence on each line.
fn allowed_licences(text: &str) -> Result<Vec<&str>> {
    let lines = text.lines().skip_while(|line| *line != "allow = [").skip(1).take_while(|line| *line != "]");
    let allowed: Vec<&str> =
        lines.filter_map(|line| line.trim().strip_prefix('"')?.split('"').next()).collect();
    if allowed.is_empty() { Err("`deny.toml` allows no licence".to_owned()) } else { Ok(allowed) }
}

/// Packages, each as its name, a tab and its licence, whose licence is not among the allowed ones.
fn unlicensed(packages: &BTreeSet<&str>, allowed: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    for package in packages {
        let (name, expression) = package.split_once('\t').unwrap_or((package, ""));
        match licence::is_allowed(expression, allowed) {
            Some(true) => {}
            Some(false) => wrong.push(format!("{name}: its licence `{expression}` is not allowed")),
            None => wrong.push(format!("{name}: its licence `{expression}` is no expression of licences")),
        }
    }
    wrong
}

/// The packages of a lock file that come from elsewhere than the registry. Those of the workspace have no source.
fn strange_sources(lock: &str) -> Vec<String> {
    let sources =
        lock_entries(lock).filter_map(|(name, key, value)| Some((name, value)).filter(|_| key == "source"));
    sources
        .filter(|(_, source)| *source != REGISTRY)
        .map(|(name, source)| format!("{name}: its source `{source}` is not the registry"))
        .collect()
}

/// The packages of a lock file with several versions, which cost build time and size.
fn duplicates(lock: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, _, version) in lock_entries(lock).filter(|(_, key, _)| *key == "version") {
        versions.entry(name).or_default().push(version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    versions
}

/// The keys and values of a lock file that are one line each, with the name of their package.
fn lock_entries(lock: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    lock.lines()
        .scan("", |package, line| {
            let entry = line.split_once(" = ").map(|(key, value)| (key, value.trim_matches('"')));
            if let Some(("name", name)) = entry {
                *package = name;
            }
            Some(entry.map(|(key, value)| (*package, key, value)))
        })
        .flatten()
}

/// Requirements of the root manifest that any version meets.
fn wildcards(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().filter(|line| !line.starts_with('#') && line.contains("\"*\""));
    // The profile of all dependencies is the one other place where a star stands in quotes.
    lines
        .filter(|line| !line.starts_with('['))
        .map(|line| format!("a requirement of `*` is none: {line}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_licences_is_read() {
        let text = "# Rules.\n\n[licenses]\nallow = [\n  \"MIT\",\n  \"Apache-2.0 WITH LLVM-exception\",\n]\nother = [\n  \"GPL-3.0\",\n]\n";
        assert_eq!(allowed_licences(text).unwrap(), ["MIT", "Apache-2.0 WITH LLVM-exception"]);
        assert!(allowed_licences("[licenses]\n").is_err());
    }

    #[test]
    fn a_package_without_an_allowed_licence_is_found() {
        let packages =
            BTreeSet::from(["a v1.0.0\tMIT OR GPL-3.0", "b v1.0.0\tMIT AND GPL-3.0", "c v1.0.0\t"]);
        assert_eq!(
            unlicensed(&packages, &["MIT"]),
            [
                "b v1.0.0: its licence `MIT AND GPL-3.0` is not allowed",
                "c v1.0.0: its licence `` is no expression of licences",
            ]
        );
    }

    #[test]
    fn sources_and_versions_are_those_of_the_lock_file() {
        let lock = format!(
            "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"{REGISTRY}\"\n\n\
             [[package]]\nname = \"a\"\nversion = \"2.0.0\"\nsource = \"git+https://example.com/a\"\n\n\
             [[package]]\nname = \"b\"\nversion = \"0.1.0\"\ndependencies = [\n \"a 2.0.0\",\n]\n"
        );
        assert_eq!(strange_sources(&lock), ["a: its source `git+https://example.com/a` is not the registry"]);
        assert_eq!(duplicates(&lock), BTreeMap::from([("a", vec!["1.0.0", "2.0.0"])]));
    }

    #[test]
    fn a_requirement_that_any_version_meets_is_found() {
        let manifest =
            "[workspace.dependencies]\n# \"*\"\na = \"*\"\nb = \"1\"\n\n[profile.dev.package.\"*\"]\n";
        assert_eq!(wildcards(manifest), ["a requirement of `*` is none: a = \"*\""]);
    }
}
