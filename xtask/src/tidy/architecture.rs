//! The claims of ARCHITECTURE.md and CONTRIBUTING.md that can be checked: the code map, purity, the reader of files, paths, size.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Tracked, texts};

const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// The largest size of ARCHITECTURE.md in bytes: what is read in one sitting.
const LARGEST: usize = 26_000;

/// The documents whose paths have to exist.
const DOCUMENTS: &[&str] = &[ARCHITECTURE, "CONTRIBUTING.md"];

/// The folders in which paths of those documents start.
const ROOTS: &[&str] = &["crates/", "tools/", "xtask/", "fuzz/", "docs/", "examples/", "editors/"];

/// The crate that nearly every other one uses, and that the map leaves out.
const COMMON: &str = "diagnostics";

/// The code map as it is written.
#[derive(Default)]
struct Map<'a> {
    /// The line and the dependencies of each product crate.
    crates: BTreeMap<&'a str, (usize, BTreeSet<&'a str>)>,
    /// The line and the names behind `pure:` and `tools:`.
    lists: BTreeMap<&'a str, (usize, BTreeSet<&'a str>)>,
}

impl<'a> Map<'a> {
    /// Reads the fenced block that has `->` in it.
    fn read(text: &'a str) -> Map<'a> {
        let mut map = Map::default();
        let mut is_open = false;
        for (index, line) in text.lines().enumerate() {
            if line.starts_with("```") {
                is_open = !is_open;
            } else if is_open && let Some((name, uses)) = line.split_once("->") {
                map.crates.insert(name.trim(), (index + 1, names(uses)));
            } else if is_open && let Some((name @ ("pure" | "tools"), listed)) = line.split_once(':') {
                map.lists.insert(name, (index + 1, names(listed)));
            }
        }
        map
    }

    fn list(&self, name: &str) -> (usize, BTreeSet<&'a str>) {
        self.lists.get(name).cloned().unwrap_or_default()
    }
}

fn names(list: &str) -> BTreeSet<&str> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// The packages of the workspace: name of the folder, manifest.
fn packages(files: &[Tracked]) -> BTreeMap<&str, (&str, &str)> {
    texts(files, "/Cargo.toml")
        .filter_map(|(path, text)| {
            let folder = path.strip_suffix("/Cargo.toml")?;
            let name = folder.strip_prefix("crates/").or_else(|| folder.strip_prefix("tools/"));
            let name = name.or((folder == "xtask").then_some(folder))?;
            Some((name, (folder, text)))
        })
        .collect()
}

/// The crates of the workspace that a manifest names under `[dependencies]`.
fn dependencies(manifest: &str) -> BTreeSet<&str> {
    let table =
        manifest.split("\n[").find_map(|table| table.strip_prefix("dependencies]\n")).unwrap_or_default();
    table
        .lines()
        .filter_map(|line| {
            let name = line.strip_prefix("tendon-")?;
            name.split(['.', ' ', '=']).next()
        })
        .filter(|name| *name != COMMON)
        .collect()
}

/// The map has one line for each package, with the dependencies of its manifest; no product crate uses a tool.
pub(super) fn map_is_that_of_the_manifests(files: &[Tracked]) -> Vec<Finding> {
    let Some((_, text)) = texts(files, ARCHITECTURE).next() else { return Vec::new() };
    let map = Map::read(text);
    let (tools_line, tools) = map.list("tools");
    let packages = packages(files);
    let products: BTreeSet<&str> = packages.keys().filter(|name| !tools.contains(*name)).copied().collect();
    let mut findings = Vec::new();
    let mut report = |line, message: String| findings.push(Finding::new(ARCHITECTURE, line, message));
    for name in tools.iter().filter(|name| !packages.contains_key(*name)) {
        report(tools_line, format!("no package is called `{name}`"));
    }
    for (name, (line, _)) in &map.crates {
        if !products.contains(name) {
            report(*line, format!("no product crate is called `{name}`"));
        }
    }
    for name in products {
        let Some((_, manifest)) = packages.get(name) else { continue };
        let Some((line, mapped)) = map.crates.get(name) else {
            report(0, format!("the code map lacks the crate `{name}`"));
            continue;
        };
        let used = dependencies(manifest);
        for tool in used.intersection(&tools) {
            report(*line, format!("`{name}` depends on `{tool}`, which is a tool"));
        }
        // The binary has everything, which is written as one sign.
        if mapped.contains("*") {
            continue;
        }
        for missing in used.difference(mapped) {
            report(*line, format!("`{name}` depends on `{missing}`, and the map does not say so"));
        }
        for stale in mapped.difference(&used) {
            report(*line, format!("`{name}` does not depend on `{stale}`"));
        }
    }
    findings
}

/// The pure crates are those for which clippy bans everything that the root bans.
pub(super) fn pure_crates_are_linted(files: &[Tracked]) -> Vec<Finding> {
    let Some((_, text)) = texts(files, ARCHITECTURE).next() else { return Vec::new() };
    let map = Map::read(text);
    let (line, pure) = map.list("pure");
    let root: BTreeSet<&str> = files
        .iter()
        .find(|file| file.path == "clippy.toml")
        .and_then(|file| file.text.as_deref())
        .map(banned)
        .unwrap_or_default();
    let mut findings = Vec::new();
    if root.is_empty() {
        findings.push(Finding::new("clippy.toml", 0, "bans nothing, so that no crate is pure"));
    }
    let packages = packages(files);
    for name in map.crates.keys() {
        let Some((folder, _)) = packages.get(name) else { continue };
        let own = format!("{folder}/clippy.toml");
        let own = files
            .iter()
            .find(|file| file.path == own)
            .map(|file| file.text.as_deref().map(banned).unwrap_or_default());
        let is_pure = own.is_none_or(|own| root.is_subset(&own));
        let message = match (is_pure, pure.contains(name)) {
            (true, false) => format!("`{name}` is pure, and the map does not say so"),
            (false, true) => {
                format!("`{name}` has a clippy.toml that allows what the root bans, so it is not pure")
            }
            (true, true) | (false, false) => continue,
        };
        findings.push(Finding::new(ARCHITECTURE, line, message));
    }
    for name in pure.iter().filter(|name| !map.crates.contains_key(*name)) {
        findings.push(Finding::new(ARCHITECTURE, line, format!("no product crate is called `{name}`")));
    }
    findings
}

/// The paths that a clippy.toml bans.
fn banned(text: &str) -> BTreeSet<&str> {
    let paths = text.split("path = \"").skip(1);
    paths.filter_map(|rest| rest.split('"').next()).collect()
}

/// How a file is opened to be read.
const READS: &[&str] = &["File::open(", "fs::read(", "fs::read_to_string("];

/// The sources of the command line, and the one of them that reads files.
const COMMAND_LINE: &str = "crates/tendon/src/";
const READER: &str = "crates/tendon/src/files.rs";

/// Other files that open one, each with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "crates/tendon/src/process_memory.rs",
        "what the system says of the process in `/proc` and of its control group",
    ),
    ("crates/tendon/src/against/program.rs", "finds out whether a file can be opened; the compiler reads it"),
    (
        "crates/tendon/src/commands/restore.rs",
        "finds out whether a file can be opened; the compiler reads it",
    ),
    ("crates/tendon/src/compile/mod.rs", "finds out whether a file can be opened; the compiler reads it"),
    ("crates/tendon/src/deploy/load.rs", "finds out whether a file can be opened; the compiler reads it"),
    ("crates/tendon/src/compile/disk.rs", "a pack of types, of which only the needed parts are read"),
    ("crates/tendon/src/commands/state/import.rs", "an export, which is read row by row and has no limit"),
    ("crates/tendon/src/commands/thrift/reload.rs", "the memory of the process in `/proc`"),
    ("crates/tendon/src/remote/contexts.rs", "configuration that the program wrote"),
    ("crates/tendon/src/remote/options.rs", "the token, which the user names"),
];

/// One file of the command line reads input; every exception is still one.
pub(super) fn one_file_reads_files(files: &[Tracked]) -> Vec<Finding> {
    alone(files, READS, READER, EXCEPTIONS, "is the one reader of files")
}

/// The lines of the command line that do what one file of it does for all, and exceptions that do not.
fn alone(
    files: &[Tracked],
    calls: &[&str],
    only: &str,
    exceptions: &[(&str, &str)],
    role: &str,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut unused: BTreeMap<&str, &str> = exceptions.iter().copied().collect();
    for (path, text) in
        texts(files, ".rs").filter(|(path, _)| path.starts_with(COMMAND_LINE) && *path != only)
    {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (index, line) in code.lines().enumerate() {
            let is_code = !line.trim_start().starts_with("//");
            if let Some(call) = calls.iter().find(|call| is_code && line.contains(**call)) {
                unused.remove(path);
                if exceptions.iter().all(|(exception, _)| *exception != path) {
                    findings.push(Finding::new(path, index + 1, format!("`{call}...)`: {only} {role}")));
                }
            }
        }
    }
    // A tree without that file is one of a test of another rule.
    if files.iter().any(|file| file.path == only) {
        let stale = unused.keys().map(|path| {
            Finding::new(path, 0, format!("an exception of the tidy step, and {only} {role} without it"))
        });
        findings.extend(stale);
    }
    findings
}

/// How a file is made, changed or moved.
const WRITES: &[&str] = &[
    "fs::write(",
    "fs::rename(",
    "fs::copy(",
    "fs::hard_link(",
    "fs::set_permissions(",
    "File::create(",
    "File::create_new(",
    "File::options(",
    "OpenOptions::new(",
];

/// The one source of the command line that writes files.
const WRITER: &str = "crates/tendon/src/output_file.rs";

/// Other files that write one, each with the reason.
const WRITING_EXCEPTIONS: &[(&str, &str)] = &[
    ("crates/tendon/src/commands/rad_env.rs", "puts the program itself where `rad` looks for Bicep"),
    ("crates/tendon/src/external_inputs/prompt.rs", "the terminal, which is read and written"),
];

/// One file of the command line writes results, so that none is half there; every exception is still one.
pub(super) fn one_file_writes_files(files: &[Tracked]) -> Vec<Finding> {
    alone(files, WRITES, WRITER, WRITING_EXCEPTIONS, "is the one writer of files")
}

/// Every path in backticks exists; in one with a part in capitals, such as `NAME.rs`, the folder does.
pub(super) fn paths_exist(files: &[Tracked]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (document, text) in
        DOCUMENTS.iter().filter_map(|name| texts(files, name).find(|(path, _)| path == name))
    {
        for (index, line) in text.lines().enumerate() {
            for path in line.split('`').skip(1).step_by(2) {
                let is_path = ROOTS.iter().any(|root| path.starts_with(root)) && !path.contains(' ');
                if is_path && !exists(files, known_part(path)) {
                    findings.push(Finding::new(document, index + 1, format!("`{path}` does not exist")));
                }
            }
        }
    }
    findings
}

/// A path up to its first part in capitals, which stands for any name.
fn known_part(path: &str) -> &str {
    let mut end = 0;
    for part in path.split_inclusive('/') {
        let name = part.trim_end_matches('/').split('.').next().unwrap_or_default();
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase()) {
            break;
        }
        end += part.len();
    }
    path.get(..end).unwrap_or_default()
}

fn exists(files: &[Tracked], path: &str) -> bool {
    let path = path.trim_end_matches('/');
    files
        .iter()
        .any(|file| file.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Every type that the documents name in backticks, such as `Gate` or `proxy::CallAction`, is declared in some source file.
pub(super) fn types_exist(files: &[Tracked]) -> Vec<Finding> {
    let mut named = Vec::new();
    for (document, text) in
        DOCUMENTS.iter().filter_map(|name| texts(files, name).find(|(path, _)| path == name))
    {
        for (index, line) in text.lines().enumerate() {
            for code in line.split('`').skip(1).step_by(2) {
                named.extend(type_names(code).map(|name| (document, index + 1, name)));
            }
        }
    }
    let mut undeclared: BTreeSet<&str> = named.iter().map(|(_, _, name)| *name).collect();
    for (_, text) in texts(files, ".rs") {
        text.lines().filter_map(declared_name).for_each(|name| {
            undeclared.remove(name);
        });
    }
    named.retain(|(_, _, name)| undeclared.contains(name));
    named
        .into_iter()
        .map(|(document, line, name)| Finding::new(document, line, format!("no source file has a `{name}`")))
        .collect()
}

/// The type or variant that a line declares, if it does: `pub struct Gate {`, `Forward(Message),`.
fn declared_name(line: &str) -> Option<&str> {
    let mut words = line.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|word| !word.is_empty());
    if line.trim_start().starts_with(|it: char| it.is_ascii_uppercase()) {
        return words.next();
    }
    let has_keyword = words.any(|word| matches!(word, "struct" | "enum" | "trait" | "type" | "union"));
    if has_keyword { words.next() } else { None }
}

/// The names in a path such as `arm::Value` that look like those of types: a capital, then small letters.
fn type_names(code: &str) -> impl Iterator<Item = &str> {
    let is_path = code.chars().all(|it| it.is_ascii_alphanumeric() || it == ':');
    code.split("::").filter(move |name| {
        is_path
            && name.starts_with(|it: char| it.is_ascii_uppercase())
            && name.contains(|it: char| it.is_ascii_lowercase())
    })
}

pub(super) fn fits_its_size(files: &[Tracked]) -> Vec<Finding> {
    let large = files.iter().filter(|file| file.path == ARCHITECTURE && file.size > LARGEST);
    large
        .map(|file| Finding::new(&file.path, 0, format!("{} bytes, more than {LARGEST}", file.size)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::findings;

    const MAP: &str = "```\na -> *\nb -> c, e\nc ->\n\npure: c, b\ntools: t, u\n```\n";
    const NONE: &str = "[package]\n\n[dev-dependencies]\ntendon-t.workspace = true\n";

    #[test]
    fn a_map_that_differs_from_the_manifests_is_found() {
        let b = "[dependencies]\nserde.workspace = true\ntendon-diagnostics.workspace = true\n\
                 tendon-d.workspace = true\ntendon-c = { workspace = true }\ntendon-t.workspace = true\n\n[features]\n";
        let b = format!("[package]\n\n{b}");
        let files = [
            ("ARCHITECTURE.md", MAP),
            ("crates/b/Cargo.toml", b.as_str()),
            ("crates/c/Cargo.toml", NONE),
            ("crates/d/Cargo.toml", NONE),
            ("tools/t/Cargo.toml", NONE),
            ("fuzz/Cargo.toml", NONE),
        ];
        assert_eq!(
            findings(map_is_that_of_the_manifests, &files),
            [
                "ARCHITECTURE.md:7: no package is called `u`",
                "ARCHITECTURE.md:2: no product crate is called `a`",
                "ARCHITECTURE.md:3: `b` depends on `t`, which is a tool",
                "ARCHITECTURE.md:3: `b` depends on `d`, and the map does not say so",
                "ARCHITECTURE.md:3: `b` depends on `t`, and the map does not say so",
                "ARCHITECTURE.md:3: `b` does not depend on `e`",
                "ARCHITECTURE.md:0: the code map lacks the crate `d`",
            ]
        );
    }

    #[test]
    fn a_crate_is_pure_if_its_lints_are_those_of_the_root_or_stricter() {
        let root = "disallowed-methods = [\n  { path = \"std::fs::read\" },\n]\n";
        let stricter = "[\n  { path = \"std::thread::spawn\" },\n  { path = \"std::fs::read\" },\n]\n";
        let crates = |b, c| {
            [
                ("ARCHITECTURE.md", "```\nb ->\nc ->\npure: b\n```\n"),
                ("clippy.toml", root),
                ("crates/b/Cargo.toml", NONE),
                ("crates/b/clippy.toml", b),
                ("crates/c/Cargo.toml", NONE),
                ("crates/c/clippy.toml", c),
            ]
        };
        assert!(findings(pure_crates_are_linted, &crates(stricter, "")).is_empty());
        assert_eq!(
            findings(pure_crates_are_linted, &crates("", stricter)),
            [
                "ARCHITECTURE.md:4: `b` has a clippy.toml that allows what the root bans, so it is not pure",
                "ARCHITECTURE.md:4: `c` is pure, and the map does not say so",
            ]
        );
    }

    #[test]
    fn a_type_that_no_source_file_has_is_found() {
        let text = "`Gate` and `admit::OpenTerms`, `NAME`, `a Word`\n`Gone::Variant`\n";
        let source = "struct Gate;\npub(crate) enum OpenTerms {\n    Variant,\n    // Gone\n";
        let files = [("CONTRIBUTING.md", text), ("crates/b/src/lib.rs", source)];
        assert_eq!(findings(types_exist, &files), ["CONTRIBUTING.md:2: no source file has a `Gone`"]);
    }

    #[test]
    fn a_second_reader_of_files_is_found() {
        let reads =
            "fn a() {\n    // File::open(\n    std::fs::read(path);\n}\n#[cfg(test)]\nFile::open(path)\n";
        let files = [("crates/tendon/src/a.rs", reads), ("crates/arm/src/a.rs", reads)];
        assert_eq!(
            findings(one_file_reads_files, &files),
            [
                "crates/tendon/src/a.rs:3: `fs::read(...)`: crates/tendon/src/files.rs is the one reader of files"
            ]
        );
        let stale = findings(one_file_reads_files, &[(READER, reads)]);
        assert_eq!(stale.len(), EXCEPTIONS.len());
    }

    #[test]
    fn a_second_writer_of_files_is_found() {
        let writes =
            "fn a() {\n    // fs::write(\n    fs::write(path, text);\n    File::options().write(true);\n}\n";
        let files = [("crates/tendon/src/a.rs", writes), ("crates/arm/src/a.rs", writes)];
        assert_eq!(
            findings(one_file_writes_files, &files),
            [
                "crates/tendon/src/a.rs:3: `fs::write(...)`: crates/tendon/src/output_file.rs is the one writer of files",
                "crates/tendon/src/a.rs:4: `File::options(...)`: crates/tendon/src/output_file.rs is the one writer of files"
            ]
        );
        let stale = findings(one_file_writes_files, &[(WRITER, writes)]);
        assert_eq!(stale.len(), WRITING_EXCEPTIONS.len());
    }

    #[test]
    fn a_path_that_does_not_exist_is_found() {
        let text = "`crates/a/src/NAME.rs`, `crates/a`, `crates/a/lib.rs`\n`crates/b/NAME/x.rs`, `not/a/path`, `docs/x y`\n";
        let files = [("CONTRIBUTING.md", text), ("crates/a/src/lib.rs", "//!\n")];
        assert_eq!(
            findings(paths_exist, &files),
            [
                "CONTRIBUTING.md:1: `crates/a/lib.rs` does not exist",
                "CONTRIBUTING.md:2: `crates/b/NAME/x.rs` does not exist"
            ]
        );
    }

    #[test]
    fn a_long_text_is_found() {
        let long = "x".repeat(LARGEST + 1);
        assert_eq!(
            findings(fits_its_size, &[(ARCHITECTURE, &long)]),
            ["ARCHITECTURE.md:0: 26001 bytes, more than 26000"]
        );
    }
}
