//! The software bill of materials: what the binary is made of, in the form of CycloneDX 1.5.
//!
//! `cargo tree` knows which packages are inside and their licences, the lock file their checksums.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{Result, process};

/// A package inside the binary.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
    licence: String,
    /// Whether it is one of the workspace.
    is_own: bool,
}

/// The bill, as JSON.
pub(super) fn of_materials(version: &str, triple: &str) -> Result<String> {
    let mut tree = process::cargo();
    tree.args(["tree", "--package", "tendon", "--edges", "normal", "--prefix", "none", "--locked"]);
    tree.args(["--target", triple, "--format", "{p}|{l}"]);
    let packages = packages(&process::output(&mut tree)?);
    let lock = std::fs::read_to_string("Cargo.lock")
        .map_err(|error| format!("cannot read `Cargo.lock`: {error}"))?;
    Ok(written(version, &packages, &checksums(&lock)))
}

/// The packages that `cargo tree` lists, each once.
fn packages(tree: &str) -> Vec<Package> {
    let package = |line: &str| {
        let (what, licence) = line.split_once('|')?;
        let mut words = what.split(' ');
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        let is_own = words.next().is_some_and(|word| word.starts_with("(/"));
        let licence = licence.trim_end_matches(" (*)").to_owned();
        Some(Package { name: name.to_owned(), version: version.to_owned(), licence, is_own })
    };
    let mut packages: Vec<Package> = tree.lines().filter_map(package).collect();
    packages.sort();
    packages.dedup();
    packages
}

/// The checksums of a lock file, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let mut found = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = package
                .lines()
                .find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"'));
            line.map(str::to_owned)
        };
        if let (Some(name), Some(version), Some(sum)) = (value("name"), value("version"), value("checksum")) {
            found.insert((name, version), sum);
        }
    }
    found
}

fn written(version: &str, packages: &[Package], sums: &BTreeMap<(String, String), String>) -> String {
    let components: Vec<String> = packages
        .iter()
        .filter(|package| package.name != "tendon")
        .map(|package| component(package, sums.get(&(package.name.clone(), package.version.clone()))))
        .collect();
    let mut text =
        String::from("{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n");
    let _ = writeln!(
        text,
        "  \"metadata\": {{\"component\": {{\"type\": \"application\", \"bom-ref\": \"tendon\", \"name\": \"tendon\", \"version\": {}}}}},",
        quoted(version)
    );
    let _ = write!(text, "  \"components\": [\n{}\n  ]\n}}\n", components.join(",\n"));
    text
}

fn component(package: &Package, sum: Option<&String>) -> String {
    let Package { name, version, licence, is_own } = package;
    let purl = format!("pkg:cargo/{name}@{version}");
    let mut text = format!(
        "    {{\"type\": \"library\", \"bom-ref\": {}, \"name\": {}, \"version\": {}",
        quoted(&purl),
        quoted(name),
        quoted(version)
    );
    if !is_own {
        let _ = write!(text, ", \"purl\": {}", quoted(&purl));
    }
    if !licence.is_empty() {
        let _ =
            write!(text, ", \"licenses\": [{{\"expression\": {}}}]", quoted(&licence.replace('/', " OR ")));
    }
    if let Some(sum) = sum {
        let _ = write!(text, ", \"hashes\": [{{\"alg\": \"SHA-256\", \"content\": {}}}]", quoted(sum));
    }
    text.push('}');
    text
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_has_each_package_once_with_its_checksum() {
        let tree = "tendon v0.1.0 (/a)|MIT OR Apache-2.0\nsmall v1.2.3|MIT/Apache-2.0\nown v0.1.0 (/b)|MIT\nsmall v1.2.3|MIT/Apache-2.0 (*)\n";
        let lock = "version = 4\n\n[[package]]\nname = \"small\"\nversion = \"1.2.3\"\nsource = \"x\"\nchecksum = \"abc\"\n\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n";
        let packages = packages(tree);
        assert_eq!(packages.len(), 3);
        let bill = written("0.1.0", &packages, &checksums(lock));
        assert_eq!(bill.matches("pkg:cargo/small@1.2.3\", \"name\"").count(), 1, "{bill}");
        assert!(bill.contains("\"expression\": \"MIT OR Apache-2.0\"}], \"hashes\": [{\"alg\": \"SHA-256\", \"content\": \"abc\"}]"), "{bill}");
        assert!(!bill.contains("\"purl\": \"pkg:cargo/own"), "{bill}");
        assert_eq!(quoted("a\"\\\n"), "\"a\\\"\\\\\\u000a\"");
    }
}
