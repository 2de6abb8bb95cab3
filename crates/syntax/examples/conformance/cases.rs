//! Small programs with the codes and positions of everything the reference compiler finds in them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::place::Lines;
use crate::{read, source_kind};
use syntax::Code;

/// Codes that later stages report too; they count only where the parser finds them.
const SHARED: [&str; 4] = ["BCP010", "BCP032", "BCP337", "BCP404"];

/// Tells whether only the lexer or the parser reports `code`.
pub(crate) fn is_ours(code: &str) -> bool {
    Code::ALL.iter().any(|ours| ours.as_str() == code) && !SHARED.contains(&code)
}

#[derive(Default)]
pub(crate) struct Counts {
    programs: usize,
    equal: usize,
    matched: usize,
    missing: usize,
    extra: usize,
}

impl Counts {
    /// Compares findings as multisets of lines.
    pub(crate) fn compare(&mut self, name: &str, expected: Vec<String>, found: Vec<String>, verbose: bool) {
        let mut balance: BTreeMap<String, i32> = BTreeMap::new();
        for line in &expected {
            *balance.entry(line.clone()).or_default() += 1;
        }
        for line in found {
            if is_ours(line.split(' ').next().unwrap_or("")) {
                *balance.entry(line).or_default() -= 1;
            }
        }
        let missing: usize =
            balance.values().filter(|count| **count > 0).map(|count| count.unsigned_abs() as usize).sum();
        let extra: usize =
            balance.values().filter(|count| **count < 0).map(|count| count.unsigned_abs() as usize).sum();
        self.programs += 1;
        self.matched += expected.len() - missing;
        self.missing += missing;
        self.extra += extra;
        if missing + extra == 0 {
            self.equal += 1;
            return;
        }
        println!("findings differ: {name}");
        if verbose {
            for (line, count) in balance.iter().filter(|(_, count)| **count != 0) {
                println!("  {} {line}", if *count > 0 { "missing" } else { "extra" });
            }
        }
    }

    pub(crate) fn print(&self, title: &str) {
        println!(
            "{title}: {} of {} programs equal; {} matched, {} missing, {} extra",
            self.equal, self.programs, self.matched, self.missing, self.extra
        );
    }
}

pub(crate) fn run(root: &Path, expectations: &Path, verbose: bool) {
    let index = read(&root.join("index.tsv")).unwrap_or_default();
    let entries: BTreeMap<&str, &str> = index
        .lines()
        .filter_map(|line| {
            line.split_once('\t').map(|(id, rest)| (id, rest.split('\t').next().unwrap_or("")))
        })
        .collect();
    let mut counts = Counts::default();
    for line in read(expectations).unwrap_or_default().lines() {
        let Ok(case) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let Some(id) = case.get("id").and_then(serde_json::Value::as_str) else { continue };
        let Some(path) = entries.get(id).map(|entry| root.join(id).join(entry)) else { continue };
        let (Some(text), Some(kind)) = (read(&path), source_kind(&path)) else { continue };
        let diagnostics = case.get("diag").and_then(serde_json::Value::as_array);
        let expected = diagnostics.into_iter().flatten().filter_map(|line| {
            let (_, finding) = line.as_str()?.split_once(' ')?;
            is_ours(finding.split(' ').next()?).then(|| finding.to_owned())
        });
        let lines = Lines::new(&text);
        let tree = syntax::parse(text.as_str(), kind);
        let found = tree.diagnostics().iter().map(|found| {
            let (line, column, _) = lines.place(found.span);
            format!("{} {}:{}", found.code.as_str(), line + 1, column + 1)
        });
        counts.compare(&path.display().to_string(), expected.collect(), found.collect(), verbose);
    }
    counts.print("cases");
}
