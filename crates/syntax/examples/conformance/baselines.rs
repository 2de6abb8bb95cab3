//! Checked-in dumps: tokens, trees and findings.

use std::collections::BTreeMap;
use std::path::Path;

use syntax::format::FormatOptions;

use crate::cases::{Counts, is_ours};
use crate::place::Lines;
use crate::{bicep_files, dump, read, source_kind};

/// Writes a dump, with the line break that separates its lines.
type Dump = fn(&syntax::SyntaxTree, &str) -> String;

pub(crate) fn run(root: &Path, verbose: bool) {
    let mut tally: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut counts = Counts::default();
    for path in bicep_files(root) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        let Some((stem, extension)) = name.split_once('.') else { continue };
        let (Some(text), Some(kind)) = (read(&path), source_kind(&path)) else { continue };
        if !matches!(name, "main.bicep" | "parameters.bicepparam") {
            continue;
        }
        // The dumps split lines by one kind of line break only, which a folder's name tells.
        let crlf = path.parent().is_some_and(|folder| folder.to_string_lossy().ends_with("_CRLF"));
        let line_break = if crlf { "\r\n" } else { "\n" };
        let tree = syntax::parse(text.as_str(), kind);
        let dumps: [(&str, Dump); 5] = [
            ("tokens", dump::tokens),
            ("syntax", dump::syntax),
            ("formatted", |tree, _| formatted(tree, 120)),
            ("pprint.w40", |tree, _| formatted(tree, 40)),
            ("pprint.w80", |tree, _| formatted(tree, 80)),
        ];
        for (what, dump) in dumps {
            let Some(expected) = read(&path.with_file_name(format!("{stem}.{what}.{extension}"))) else {
                continue;
            };
            let (equal, total) = tally.entry(what).or_default();
            *total += 1;
            let expected = expected.replace("\r\n", "\n");
            let actual = dump(&tree, line_break).replace("\r\n", "\n");
            if actual == expected {
                *equal += 1;
            } else {
                println!("{what} differ: {}", path.display());
                let differing = actual
                    .lines()
                    .zip(expected.lines())
                    .enumerate()
                    .filter(|(_, (ours, theirs))| ours != theirs);
                for (number, (ours, theirs)) in differing.take(if verbose { 5 } else { 1 }) {
                    println!("  {}\n    expected {theirs}\n    found    {ours}", number + 1);
                }
            }
        }
        if let Some(expected) = read(&path.with_file_name(format!("{stem}.diagnostics.{extension}"))) {
            let lines = Lines::new(&text);
            let found = tree.diagnostics().iter().map(|found| {
                let (line, start, end) = lines.place(found.span);
                format!("{} {line}:{start}:{end}", found.code.as_str())
            });
            counts.compare(
                &path.display().to_string(),
                expected_diagnostics(&expected, line_break),
                found.collect(),
                verbose,
            );
        }
    }
    for (what, (equal, total)) in tally {
        println!("{what}: {equal} of {total} equal");
    }
    counts.print("baseline findings");
}

/// The formatted text, whose line breaks are always the same.
fn formatted(tree: &syntax::SyntaxTree, width: u32) -> String {
    syntax::format::format_once(tree, &FormatOptions { width, ..FormatOptions::default() })
}

/// Reads `//@[SS:EE) [CODE (Level)] ...` lines.
fn expected_diagnostics(annotated: &str, line_break: &str) -> Vec<String> {
    let mut line = 0;
    let mut found = Vec::new();
    for text in annotated.split(line_break) {
        let Some(note) = text.strip_prefix("//@[") else {
            line += 1;
            continue;
        };
        let Some((place, rest)) = note.split_once(") [") else { continue };
        let (Some((start, end)), Some(code)) = (place.split_once(':'), rest.split(' ').next()) else {
            continue;
        };
        if let (Ok(start), Ok(end), true) = (start.parse::<usize>(), end.parse::<usize>(), is_ours(code)) {
            found.push(format!("{code} {}:{start}:{end}", line - 1));
        }
    }
    found
}
