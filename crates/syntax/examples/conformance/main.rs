//! Compares the lexer and the parser with what the reference compiler says about the same texts.
//!
//! ```text
//! conformance baselines DIR      folders with main.bicep, main.tokens.bicep, main.syntax.bicep, main.diagnostics.bicep,
//!                                main.formatted.bicep
//! conformance cases DIR JSONL    programs as DIR/ID/ENTRY with DIR/index.tsv, and one line of expectations per ID
//! conformance corpus DIR...      every .bicep and .bicepparam file: round trip, also of prefixes, and findings
//! conformance format DIR OUT     every .bicep and .bicepparam file, formatted, into another folder
//! conformance bench DIR...       speed over all files
//! ```
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool for developers, it reads files and prints"
)]

mod baselines;
mod cases;
mod corpus;
mod dump;
mod place;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use syntax::SourceKind;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose = arguments.iter().any(|argument| argument == "--verbose");
    let arguments: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|argument| *argument != "--verbose").collect();
    match arguments.as_slice() {
        ["baselines", root] => baselines::run(Path::new(root), verbose),
        ["cases", root, expectations] => cases::run(Path::new(root), Path::new(expectations), verbose),
        ["corpus", roots @ ..] if !roots.is_empty() => corpus::run(roots, verbose),
        ["format", root, out] => corpus::format(Path::new(root), Path::new(out)),
        ["bench", roots @ ..] if !roots.is_empty() => corpus::bench(roots),
        _ => {
            println!(
                "usage: conformance baselines DIR | cases DIR JSONL | corpus DIR... | format DIR OUT | bench DIR... [--verbose]"
            );
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Returns all Bicep files below `root`, sorted.
fn bicep_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if source_kind(&path).is_some() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn source_kind(path: &Path) -> Option<SourceKind> {
    match path.extension()?.to_str()? {
        "bicep" => Some(SourceKind::Bicep),
        "bicepparam" => Some(SourceKind::Params),
        _ => None,
    }
}

/// Reads a text as the reference compiler does: without a byte order mark.
fn read(path: &Path) -> Option<String> {
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    Some(text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text))
}
