//! `cargo xtask corpus`: public programs through the compiler, held against the templates that lie beside them.
//!
//! What differs has to be in the list of its kind, with a reason, and what is in the list has to differ: lists only shrink.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::arguments::Arguments;
use crate::{Result, agreement, fixes, process, product};

/// A kind of corpus.
struct Kind {
    name: &'static str,
    does: &'static str,
    /// The folders below the given one in which programs lie.
    folders: &'static [&'static str],
    /// What is done with them.
    work: Work,
    /// The known differences.
    list: &'static str,
}

/// What is done with the programs or templates of a corpus.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Programs are compiled, and the results compared with the templates. Members have to stand in the same order unless
    /// the templates that tests keep are sorted in another way.
    Compile { ordered: bool },
    /// Templates are decompiled, and compiled again.
    Decompile,
}

impl Work {
    /// The files that a folder must have.
    fn files(self) -> &'static [&'static str] {
        match self {
            Work::Compile { .. } => &[PROGRAM, TEMPLATE],
            Work::Decompile => &[TEMPLATE],
        }
    }
}

const KINDS: &[Kind] = &[
    Kind {
        name: "decompile",
        does: "a registry of modules, whose templates are decompiled and compiled again",
        folders: &["avm"],
        work: Work::Decompile,
        list: "crates/decompile/resources/corpora/modules.txt",
    },
    Kind {
        name: "modules",
        does: "a registry of modules, such as Azure/bicep-registry-modules",
        folders: &["avm"],
        work: Work::Compile { ordered: true },
        list: "crates/bicep/resources/corpora/modules.txt",
    },
    Kind {
        name: "samples",
        does: "a checkout of Azure/bicep, with its baselines and samples",
        folders: &["src/Bicep.Core.Samples/Files/baselines", "src/Bicep.Core.Samples/Files/user_submitted"],
        work: Work::Compile { ordered: false },
        list: "crates/bicep/resources/corpora/samples.txt",
    },
];

/// The program, and the template that the public compiler made of it.
const PROGRAM: &str = "main.bicep";
const TEMPLATE: &str = "main.json";

pub(crate) fn run(mut arguments: Arguments) -> Result {
    let cache: Option<String> = arguments.value("--modules")?;
    let binary: Option<PathBuf> = arguments.value("--binary")?;
    let part: Option<usize> = arguments.value("--one-in")?;
    let words = arguments.words()?;
    let [name, folders @ ..] = words.as_slice() else { return Err(format!("name a kind:\n{}", known())) };
    if name == GRAPH.0 {
        return pictures(folders);
    }
    if name == LSP.0 {
        return edits(folders, cache.as_deref());
    }
    if name == agreement::KIND.0 {
        return agreement::run(folders, &binary.map_or_else(compiler, Ok)?, cache.as_deref());
    }
    if name == fixes::KIND.0 {
        return fixes::run(folders, &binary.map_or_else(compiler, Ok)?, cache.as_deref(), part);
    }
    let kind = KINDS.iter().find(|kind| kind.name == name);
    let kind = kind.ok_or_else(|| format!("no kind of corpus `{name}`; there are\n{}", known()))?;
    if folders.is_empty() {
        return Err(format!("name the folder: {}", kind.does));
    }
    let list = std::fs::read_to_string(kind.list).map_err(|error| format!("{}: {error}", kind.list))?;
    let expected = known_differences(&list)?;
    let tendon = binary.map_or_else(compiler, Ok)?;
    let mut programs = Vec::new();
    for folder in folders {
        for below in kind.folders {
            find(&Path::new(folder).join(below), Path::new(folder), kind.work, &mut programs);
        }
    }
    programs.sort();
    if programs.is_empty() {
        return Err(format!(
            "there is no folder with `{}` in {}",
            kind.work.files().join("` and `"),
            folders.join(", ")
        ));
    }
    let found = differences(&programs, kind, &tendon, cache.as_deref());
    report(programs.len(), &found, &expected, kind.list)
}

/// The kind that draws templates instead of comparing them.
const GRAPH: (&str, &str) =
    ("graph", "folders with `main.json` somewhere below: all are drawn, and the pictures checked");

/// The kind that edits programs in the language server.
const LSP: (&str, &str) = (
    "lsp",
    "folders with programs: each is edited in the language server, whose diagnostics are held against a fresh one's",
);

fn known() -> String {
    let kinds =
        KINDS.iter().map(|kind| (kind.name, kind.does)).chain([GRAPH, LSP, agreement::KIND, fixes::KIND]);
    let rows: Vec<String> = kinds.map(|(name, does)| format!("  {name:<10}{does}")).collect();
    rows.join("\n")
}

/// Draws all templates below some folders, and checks that boxes do not overlap and lines go around them.
fn pictures(folders: &[String]) -> Result {
    if folders.is_empty() {
        return Err(format!("name the folder: {}", GRAPH.1));
    }
    let mut command = process::cargo();
    command.args(["run", "--quiet", "--release", "--package", "tendon-graph", "--example", "corpus", "--"]);
    process::run(command.args(folders))
}

/// Opens all programs below a folder in the language server, edits them and takes it back.
fn edits(folders: &[String], cache: Option<&str>) -> Result {
    let [folder] = folders else { return Err(format!("name one folder: {}", LSP.1)) };
    let mut command = process::cargo();
    command.args(["run", "--quiet", "--release", "--package", "tendon-bench", "--", "lsp-corpus", folder]);
    if let Some(cache) = cache {
        command.args(["--modules", cache]);
    }
    process::run(&mut command)
}

/// The compiler, built for speed.
fn compiler() -> Result<PathBuf> {
    process::run(process::cargo().args(["build", "--quiet", "--release", "--package", "tendon"]))?;
    Ok(product::target()?.join("release/tendon"))
}

/// Lines of the form `path: reason`; those that start with `#` are for people.
fn known_differences(list: &str) -> Result<BTreeMap<String, String>> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = lines.map(|line| {
        let (path, reason) = line.split_once(": ").ok_or_else(|| format!("`{line}` has no reason"))?;
        Ok((path.to_owned(), reason.to_owned()))
    });
    rows.collect()
}

/// A program: where it is, and what it is called from the root of its corpus.
type Program = (String, PathBuf);

/// Collects the folders that have the files.
fn find(folder: &Path, root: &Path, work: Work, programs: &mut Vec<Program>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    if work.files().iter().all(|name| folder.join(name).is_file()) {
        let name = folder.strip_prefix(root).unwrap_or(folder).to_string_lossy().replace('\\', "/");
        programs.push((name, folder.to_owned()));
    }
    // A link could lead around in a cycle.
    let is_folder = |path: &&PathBuf| path.symlink_metadata().is_ok_and(|it| it.is_dir());
    paths.iter().filter(is_folder).for_each(|path| find(path, root, work, programs));
}

/// Compiles all programs, several at once, and says how the results differ from their templates.
fn differences(
    programs: &[Program],
    kind: &Kind,
    tendon: &Path,
    cache: Option<&str>,
) -> BTreeMap<String, String> {
    let left = Mutex::new(programs.iter());
    let found = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = left.lock().map(|mut left| left.next()).unwrap_or_default();
                    let Some((name, folder)) = next else { break };
                    if let (Some(what), Ok(mut found)) =
                        (difference(folder, kind, tendon, cache), found.lock())
                    {
                        found.insert(name.clone(), what);
                    }
                }
            });
        }
    });
    found.into_inner().unwrap_or_default()
}

/// How what we make of one program or template differs from the template beside it.
fn difference(folder: &Path, kind: &Kind, tendon: &Path, cache: Option<&str>) -> Option<String> {
    match kind.work {
        Work::Compile { ordered } => compiled(folder, ordered, tendon, cache),
        Work::Decompile => decompiled(folder, tendon, cache),
    }
}

/// How a template differs after it was decompiled and compiled again.
fn decompiled(folder: &Path, tendon: &Path, cache: Option<&str>) -> Option<String> {
    let mut command = Command::new(tendon);
    command.arg("decompile").arg(folder.join(TEMPLATE)).args(["--check", "--quiet"]);
    if let Some(cache) = cache {
        command.env("TENDON_MODULES", cache);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return Some(error.to_string()),
    };
    if output.status.success() {
        return None;
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Some(said.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason").to_owned())
}

/// How what a program compiles to differs from the template beside it.
fn compiled(folder: &Path, ordered: bool, tendon: &Path, cache: Option<&str>) -> Option<String> {
    let wanted = match std::fs::read_to_string(folder.join(TEMPLATE)) {
        Ok(wanted) => wanted,
        Err(error) => return Some(format!("{TEMPLATE}: {error}")),
    };
    let mut command = Command::new(tendon);
    command.arg("build").arg(folder.join(PROGRAM)).args(["--stdout", "--no-restore"]);
    if let Some(cache) = cache {
        command.env("TENDON_MODULES", cache);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return Some(error.to_string()),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Some(format!("does not compile: {}", said.lines().next().unwrap_or_default()));
    }
    let made = String::from_utf8_lossy(&output.stdout);
    first_difference(lines(&wanted, ordered), lines(&made, ordered))
}

/// The first line that is not the same.
fn first_difference(wanted: Vec<&str>, made: Vec<&str>) -> Option<String> {
    let mut wanted = wanted.into_iter();
    let mut made = made.into_iter();
    loop {
        match (wanted.next(), made.next()) {
            (None, None) => return None,
            (wanted, made) if wanted == made => {}
            (wanted, made) => {
                let shown = |line: Option<&str>| line.unwrap_or("the end").trim().to_owned();
                return Some(format!("expected {}, found {}", shown(wanted), shown(made)));
            }
        }
    }
}

/// The lines of a template but for those that say who made it.
fn lines(text: &str, ordered: bool) -> Vec<&str> {
    let mut before = "";
    let mut lines: Vec<&str> = Vec::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        let bare = line.trim();
        let is_generator = before == "\"name\": \"bicep\"," && bare.starts_with("\"version\":");
        before = bare;
        if !is_generator && !bare.starts_with("\"templateHash\":") {
            lines.push(if ordered { line } else { bare.trim_end_matches(',') });
        }
    }
    if !ordered {
        lines.sort_unstable();
    }
    lines
}

/// Says what is new, and what is known and gone; both fail.
fn report(
    count: usize,
    found: &BTreeMap<String, String>,
    expected: &BTreeMap<String, String>,
    list: &str,
) -> Result {
    println!("{count} programs, {} equal, {} differ", count - found.len(), found.len());
    let mut wrong = 0;
    for (name, what) in found {
        match expected.get(name) {
            Some(reason) => println!("known  {name}: {reason}"),
            None => {
                wrong += 1;
                println!("NEW    {name}: {what}");
            }
        }
    }
    for name in expected.keys().filter(|name| !found.contains_key(*name)) {
        wrong += 1;
        println!("GONE   {name}: delete its line in {list}");
    }
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} programs are not as {list} says")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADE: &str =
        "{\n  \"name\": \"bicep\",\n  \"version\": \"0.1\",\n  \"templateHash\": \"1\",\n  \"a\": 1\n}\n";

    fn difference(wanted: &str, ordered: bool) -> Option<String> {
        first_difference(lines(wanted, ordered), lines(MADE, ordered))
    }

    #[test]
    fn who_made_a_template_makes_no_difference() {
        let wanted = "\u{feff}{\r\n  \"name\": \"bicep\",\r\n  \"version\": \"dev\",\r\n  \"templateHash\": \"22\",\r\n  \"a\": 1\r\n}";
        assert_eq!(difference(wanted, true), None);
        let found = difference(&wanted.replace(": 1\r", ": 2\r"), true);
        assert_eq!(found.as_deref(), Some("expected \"a\": 2, found \"a\": 1"));
        let found = difference(&format!("{wanted}\n}}"), true);
        assert_eq!(found.as_deref(), Some("expected }, found the end"));
    }

    #[test]
    fn the_order_of_members_counts_where_it_is_kept() {
        let wanted = "{\n  \"a\": 1,\n  \"name\": \"bicep\"\n}";
        assert!(difference(wanted, true).is_some());
        assert_eq!(difference(wanted, false), None);
        assert!(difference(&wanted.replace(": 1", ": 2"), false).is_some());
    }

    #[test]
    fn a_list_may_only_shrink() {
        let list = known_differences("# why\n\nb: old\n").unwrap_or_default();
        let differs = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), String::new())).collect();
        assert_eq!(report(3, &differs(&["b"]), &list, "list"), Ok(()));
        assert!(report(3, &differs(&[]), &list, "list").is_err());
        assert!(report(3, &differs(&["a", "b"]), &list, "list").is_err());
        assert!(known_differences("a without reason").is_err());
    }

    #[test]
    fn every_list_can_be_read() {
        for kind in KINDS {
            let text = std::fs::read_to_string(Path::new("..").join(kind.list)).unwrap_or_default();
            assert!(!text.is_empty() && known_differences(&text).is_ok(), "{}", kind.list);
        }
    }
}
