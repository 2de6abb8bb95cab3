//! `cargo xtask corpus fixes`: what `lint --fix` does to public modules does not change what their tests deploy.
//!
//! Of each module there are three programs: the one that people wrote, the one that its template decompiles to, and the
//! first one with much to mend in every file. The tests of the module are predicted, the safe fixes are made in all of its files, and the tests are
//! predicted again: the snapshots are the same, byte by byte.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::{Result, folder, product};

/// The kind in the list of corpora.
pub(crate) const KIND: (&str, &str) =
    ("fixes", "a registry of modules: `lint --fix` changes nothing in what their tests deploy");

/// The rules whose fixes are safe, which are all turned on.
const RULES: [&str; 10] = [
    "no-unnecessary-dependson",
    "no-unused-imports",
    "no-unused-types",
    "no-unused-vars",
    "prefer-interpolation",
    "prefer-unquoted-property-names",
    "simplify-interpolation",
    "simplify-json-null",
    "use-parent-property",
    "use-resource-symbol-reference",
];

/// The file of a module, its template, what its tests are called, and the settings of all.
const PROGRAM: &str = "main.bicep";
const TEMPLATE: &str = "main.json";
const TEST: &str = "main.test.bicep";
const SETTINGS: &str = "bicepconfig.json";

/// The value that the authors of the modules leave to their pipeline.
const PREFIX: &str = "namePrefix=tst";

/// Which program of a module is mended.
#[derive(Clone, Copy, Debug)]
enum Variant {
    Written,
    Decompiled,
    Worsened,
}

/// What was found.
#[derive(Default)]
struct Counts {
    /// The programs that were mended.
    programs: usize,
    /// The findings that were mended.
    fixed: usize,
    /// The tests with the same snapshot, and those that have none before.
    same: usize,
    unpredicted: usize,
    differences: Vec<String>,
}

/// Mends the modules below a folder; `part` takes every so many of them.
pub(crate) fn run(folders: &[String], tendon: &Path, cache: Option<&str>, part: Option<usize>) -> Result {
    let [registry] = folders else { return Err(format!("name one folder: {}", KIND.1)) };
    let registry = Path::new(registry);
    let mut modules = Vec::new();
    find(&registry.join("avm"), &mut modules);
    modules.sort();
    let modules: Vec<PathBuf> = modules.into_iter().step_by(part.unwrap_or(1).max(1)).collect();
    if modules.is_empty() {
        return Err(format!("there is no module with tests in {}", registry.display()));
    }
    let scratch = product::target()?.join("fixes");
    folder::remove(&scratch)?;
    std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    let settings = std::fs::read_to_string(registry.join(SETTINGS)).unwrap_or_default();
    std::fs::write(scratch.join(SETTINGS), with_rules(&settings)).map_err(|error| error.to_string())?;
    let work = Work { registry, scratch: &scratch, tendon, cache };
    let (left, counts) = (Mutex::new(modules.iter()), Mutex::new(Counts::default()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = left.lock().map(|mut left| left.next()).unwrap_or_default();
                    let Some(module) = next else { break };
                    for variant in [Variant::Written, Variant::Decompiled, Variant::Worsened] {
                        let found = work.mend(module, variant);
                        if let Ok(mut counts) = counts.lock() {
                            counts.add(found);
                        }
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().map_err(|error| error.to_string())?;
    for line in &counts.differences {
        println!("{line}");
    }
    println!(
        "{} programs of {} modules: {} findings mended, {} snapshots the same, {} tests without one before, {} different",
        counts.programs,
        modules.len(),
        counts.fixed,
        counts.same,
        counts.unpredicted,
        counts.differences.len(),
    );
    match counts.differences.len() {
        0 => Ok(()),
        wrong => Err(format!("the fixes change what {wrong} tests deploy")),
    }
}

impl Counts {
    fn add(&mut self, more: Counts) {
        self.programs += more.programs;
        self.fixed += more.fixed;
        self.same += more.same;
        self.unpredicted += more.unpredicted;
        self.differences.extend(more.differences);
    }
}

/// Where the modules are, and what works on them.
struct Work<'w> {
    registry: &'w Path,
    scratch: &'w Path,
    tendon: &'w Path,
    cache: Option<&'w str>,
}

impl Work<'_> {
    /// Mends one program of a module in a copy.
    fn mend(&self, module: &Path, variant: Variant) -> Counts {
        let name = module.strip_prefix(self.registry).unwrap_or(module);
        let place = self.scratch.join(name);
        let counts = self.compare(module, &place, variant).unwrap_or_else(|why| Counts {
            differences: vec![format!("{} ({variant:?}): {why}", name.display())],
            ..Counts::default()
        });
        let _ = std::fs::remove_dir_all(&place);
        counts
    }

    fn compare(&self, module: &Path, place: &Path, variant: Variant) -> Result<Counts> {
        folder::copy_anew(module, place)?;
        let mut counts = Counts { programs: 1, ..Counts::default() };
        if matches!(variant, Variant::Decompiled) {
            let (template, program) = (place.join(TEMPLATE), place.join(PROGRAM));
            let arguments = ["decompile".as_ref(), template.as_os_str(), "--force".as_ref()];
            let output = ["--outfile".as_ref(), program.as_os_str()];
            if !template.is_file() || self.call(&[&arguments[..], &output[..]].concat())?.0 != 0 {
                return Ok(Counts::default());
            }
        }
        if matches!(variant, Variant::Worsened) {
            worsen(place)?;
        }
        let mut tests = Vec::new();
        find_tests(place, &mut tests);
        tests.sort();
        let before = tests.iter().map(|test| self.snapshot(test)).collect::<Result<Vec<_>>>()?;
        let lint = ["lint".as_ref(), place.as_os_str(), "--fix".as_ref(), "--no-restore".as_ref()];
        let (_, _, said) = self.call(&lint)?;
        counts.fixed = said.lines().filter_map(fixed).sum();
        for (test, before) in tests.iter().zip(before) {
            let Some(before) = before else {
                counts.unpredicted += 1;
                continue;
            };
            match self.snapshot(test)? {
                Some(after) if after == before => counts.same += 1,
                after => {
                    let line =
                        after.map_or("no snapshot any more".to_owned(), |after| first(&before, &after));
                    let name = test.strip_prefix(self.scratch).unwrap_or(test).display();
                    counts.differences.push(format!("{name} ({variant:?}): {line}"));
                }
            }
        }
        Ok(counts)
    }

    /// What a test would deploy; none if that cannot be predicted.
    fn snapshot(&self, test: &Path) -> Result<Option<String>> {
        let text = std::fs::read_to_string(test).map_err(|error| format!("{}: {error}", test.display()))?;
        let mut arguments = vec!["snapshot".as_ref(), test.as_os_str(), "--no-restore".as_ref()];
        arguments.extend(["--location".as_ref(), std::ffi::OsStr::new("westeurope")]);
        if text.contains("param namePrefix ") {
            arguments.extend(["--param".as_ref(), std::ffi::OsStr::new(PREFIX)]);
        }
        let (code, printed, _) = self.call(&arguments)?;
        Ok((code == 0).then(|| unwrapped(&printed)))
    }

    /// The exit code, and what was printed.
    fn call(&self, arguments: &[&std::ffi::OsStr]) -> Result<(i32, String, String)> {
        let mut command = Command::new(self.tendon);
        command.args(arguments);
        if let Some(cache) = self.cache {
            command.env("TENDON_MODULES", cache);
        }
        let output = command.output().map_err(|error| format!("{}: {error}", self.tendon.display()))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match output.status.code() {
            Some(code @ (0 | 1)) => Ok((code, text(&output.stdout), text(&output.stderr))),
            code => {
                let said = text(&output.stderr);
                let line = said.lines().next().unwrap_or_default();
                Err(format!("{:?} ended with {code:?}: {line}", arguments.first()))
            }
        }
    }
}

/// Writes the programs of a module in a way that has much to mend; its tests stay.
fn worsen(folder: &Path) -> Result {
    for path in below(folder) {
        if path.is_dir() && !path.ends_with("tests") {
            worsen(&path)?;
        } else if path.extension().is_some_and(|it| it == "bicep") {
            let failed = |error: std::io::Error| format!("{}: {error}", path.display());
            let text = std::fs::read_to_string(&path).map_err(failed)?;
            std::fs::write(&path, worse(&text)).map_err(failed)?;
        }
    }
    Ok(())
}

/// A program with names in quotes, calls of `concat`, nulls from JSON, dependencies that are there anyway, and declarations
/// that nothing uses.
fn worse(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        match line.split_once(": ").filter(|(key, _)| key.starts_with(' ') && is_name(key.trim_start())) {
            Some((key, value)) => {
                let indent = " ".repeat(key.len() - key.trim_start().len());
                let name = key.trim_start();
                out.push_str(&format!("{indent}'{name}': {}\n", worse_value(name, value)));
                if name == "parent" && is_name(value) {
                    out.push_str(&format!("{indent}dependsOn: [\n{indent}  {value}\n{indent}]\n"));
                }
            }
            None => out.push_str(&format!("{line}\n")),
        }
    }
    out.push_str("var nothingUsesThis = '${'a'}'\ntype nothingUsesThisType = string\n");
    out
}

fn worse_value(name: &str, value: &str) -> String {
    let text = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let parts = text.filter(|text| !text.contains(['\'', '\\'])).and_then(|text| {
        let (before, rest) = text.split_once("${")?;
        let (part, after) = rest.split_once('}')?;
        (is_name(part) && !after.contains("${")).then(|| format!("concat('{before}', {part}, '{after}')"))
    });
    match parts {
        Some(parts) => parts,
        None if value == "null" => "json('null')".to_owned(),
        None if value == name && ["name", "location"].contains(&name) => format!("'${{{value}}}'"),
        None => value.to_owned(),
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// How many findings a line says are mended.
fn fixed(line: &str) -> Option<usize> {
    line.strip_prefix("note: fixed ")?.split(' ').next()?.parse().ok()
}

/// A snapshot without the calls that make text of text, `format('{0}', TEXT)`: of a value that is not known, the expression
/// is kept as it is written, with them or without them. What could not be told is left out: it comes in the order of the
/// steps, in which fewer dependencies leave more room.
fn unwrapped(snapshot: &str) -> String {
    const CALL: &str = "format('{0}', ";
    let mut out = String::with_capacity(snapshot.len());
    let mut is_told = true;
    for line in snapshot.lines() {
        match line {
            "  \"diagnostics\": []," => continue,
            "  \"diagnostics\": [" => is_told = false,
            "  ]," => is_told = true,
            _ => {}
        }
        if !is_told {
            continue;
        }
        let mut line = line.to_owned();
        // The last one has no other in it.
        while let Some(start) = line.rfind(CALL) {
            let inner = start + CALL.len();
            let Some(end) = closing(&line, inner) else { break };
            let part = |range: std::ops::Range<usize>| line.get(range).unwrap_or_default();
            line = format!("{}{}{}", part(0..start), part(inner..end), part(end + 1..line.len()));
        }
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// Where the bracket closes that is open at a place, if nothing but one argument is before it.
fn closing(line: &str, start: usize) -> Option<usize> {
    let (mut depth, mut in_text) = (0_usize, false);
    for (at, byte) in line.bytes().enumerate().skip(start) {
        match byte {
            b'\'' => in_text = !in_text,
            _ if in_text => {}
            b'(' | b'[' => depth += 1,
            b')' if depth == 0 => return Some(at),
            b')' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The first lines that differ.
fn first(before: &str, after: &str) -> String {
    let pair = before.lines().zip(after.lines()).find(|(before, after)| before != after);
    let (before, after) = pair.unwrap_or(("", "another length"));
    format!("`{}` is `{}` now", before.trim(), after.trim())
}

/// The settings of a registry, in which all rules with safe fixes are on.
fn with_rules(settings: &str) -> String {
    let missing = RULES.iter().filter(|rule| !settings.contains(&format!("\"{rule}\"")));
    let rows: String = missing.map(|rule| format!("\"{rule}\": {{\"level\": \"warning\"}},")).collect();
    match settings.split_once("\"rules\": {") {
        Some((head, tail)) => format!("{head}\"rules\": {{{rows}{tail}"),
        None => format!("{{\"analyzers\": {{\"core\": {{\"rules\": {{{rows}}}}}}}}}"),
    }
}

/// The modules with tests below a folder: one does not contain another, as parts of a module are mended with it.
fn find(folder: &Path, modules: &mut Vec<PathBuf>) {
    if folder.join(PROGRAM).is_file() && folder.join("tests").is_dir() {
        modules.push(folder.to_owned());
        return;
    }
    below(folder).iter().filter(|path| path.is_dir()).for_each(|path| find(path, modules));
}

fn find_tests(folder: &Path, tests: &mut Vec<PathBuf>) {
    for path in below(folder) {
        if path.is_dir() {
            find_tests(&path, tests);
        } else if path.ends_with(TEST) {
            tests.push(path);
        }
    }
}

/// What is in a folder, apart from links, which could lead around in a cycle.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.symlink_metadata().is_ok_and(|it| !it.is_symlink())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_the_settings_lack_are_added() {
        let settings = with_rules("{\"rules\": {\"no-unused-vars\": {\"level\": \"warning\"}}}");
        assert_eq!(settings.matches("no-unused-vars").count(), 1);
        assert!(RULES.iter().all(|rule| settings.contains(rule)), "{settings}");
        assert!(with_rules("").starts_with("{\"analyzers\""));
    }

    #[test]
    fn text_of_text_is_the_text() {
        assert_eq!(unwrapped("[format('{0}', f('a)', b[0]))]"), "[f('a)', b[0])]\n");
        assert_eq!(unwrapped("[x(format('{0}', format('{0}', y)))]"), "[x(y)]\n");
        assert_eq!(unwrapped("[format('{0}', a, b)]"), "[format('{0}', a, b)]\n");
        let whole = "{\n  \"a\": 1,\n  \"diagnostics\": [\n    \"x\"\n  ],\n  \"outputs\": {}\n}";
        assert_eq!(unwrapped(whole), "{\n  \"a\": 1,\n  ],\n  \"outputs\": {}\n}\n");
        let none = "{\n  \"diagnostics\": [],\n  \"outputs\": {}\n}";
        assert_eq!(unwrapped(none), "{\n  \"outputs\": {}\n}\n");
    }

    #[test]
    fn worse_programs_have_something_to_mend() {
        let text = "resource a 'b' = {\n  parent: c\n  name: name\n  d: 'x${e}y'\n  f: null\n}\n";
        let worse = worse(text);
        assert!(worse.starts_with(
            "resource a 'b' = {\n  'parent': c\n  dependsOn: [\n    c\n  ]\n  'name': '${name}'\n  'd': concat('x', e, 'y')\n  'f': json('null')\n}\n"
        ), "{worse}");
    }

    #[test]
    fn notes_say_how_much_was_mended() {
        assert_eq!(fixed("note: fixed 12 findings in `a.bicep`"), Some(12));
        assert_eq!(fixed("a.bicep(1,2) : Warning"), None);
        assert_eq!(first("a\nb", "a\nc"), "`b` is `c` now");
    }
}
