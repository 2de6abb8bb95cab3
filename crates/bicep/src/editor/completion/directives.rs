//! Directives that switch diagnostics off and on, and the codes that they can name.

use std::collections::BTreeMap;

use syntax::{Span, SyntaxTree, TokenKind, TriviaKind};

use super::item::{Completion, Priority};
use crate::Compiler;
use crate::symbols::Model;

const WORDS: [(&str, &str); 3] = [
    ("disable-next-line", "Disable next line diagnostics directive"),
    ("disable-diagnostics", "Disable diagnostics directive"),
    ("restore-diagnostics", "Restore diagnostics directive"),
];

/// The items inside of a directive or behind a `#`; nothing for other places.
pub(super) fn complete(compiler: &Compiler, model: &Model, offset: u32) -> Option<Vec<Completion>> {
    let tree = &model.file.tree;
    if let Some((kind, end)) = directive_at(tree, offset) {
        return Some(codes(compiler, model, kind, end, offset));
    }
    let span = begun(tree, offset)?;
    Some(
        WORDS
            .iter()
            .map(|(word, detail)| Completion::keyword(word, detail, Priority::Medium, span))
            .collect(),
    )
}

/// The directive whose codes are being written at an offset, and where its line ends.
fn directive_at(tree: &SyntaxTree, offset: u32) -> Option<(TriviaKind, u32)> {
    let pieces = tree.trivia();
    let after = pieces.partition_point(|piece| piece.start < offset);
    let piece = pieces.get(after.checked_sub(1)?)?;
    piece.kind.pragma_keyword()?;
    let line = tree.text().get(piece.start as usize..offset as usize)?;
    (!line.contains(['\n', '\r'])).then_some((piece.kind, piece.start))
}

/// The word behind a `#` at the start of a line, as far as it was typed, which an item replaces.
fn begun(tree: &SyntaxTree, offset: u32) -> Option<Span> {
    let (before, behind) = tree.text().split_at_checked(offset as usize)?;
    let line = before.rsplit(['\n', '\r']).next()?;
    let typed = line.trim_start().strip_prefix('#')?;
    let is_part = |character: char| character.is_ascii_alphabetic() || character == '-';
    let rest = behind.len() - behind.trim_start_matches(is_part).len();
    let start = offset - u32::try_from(typed.len()).ok()?;
    // In a string it is only text.
    let is_sign = tree.token_at(start.checked_sub(1)?)?.kind() == TokenKind::Unrecognized;
    (is_sign && typed.chars().all(is_part))
        .then(|| Some(Span::new(start, offset + u32::try_from(rest).ok()?)))
        .flatten()
}

fn codes(compiler: &Compiler, model: &Model, kind: TriviaKind, start: u32, offset: u32) -> Vec<Completion> {
    let text = model.file.tree.text();
    let is_blank = |character: char| character.is_whitespace();
    let written = text.get(start as usize..offset as usize).unwrap_or_default();
    // A code can only follow a blank, and what was typed of it is replaced.
    let Some(typed) = written.rfind([' ', '\t']).and_then(|blank| written.get(blank + 1..)) else {
        return Vec::new();
    };
    let behind = text.get(offset as usize..).unwrap_or_default();
    let rest = behind.find(is_blank).unwrap_or(behind.len());
    let span = Span::new(
        offset - u32::try_from(typed.len()).unwrap_or_default(),
        offset + u32::try_from(rest).unwrap_or_default(),
    );
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    if kind == TriviaKind::RestoreDiagnostics {
        for code in disabled_before(&model.file.tree, start) {
            found.insert(code.to_owned(), code.to_owned());
        }
    } else {
        let line_end =
            |from: usize| text.get(from..).and_then(|rest| rest.find('\n')).map(|at| from + at + 1);
        let next = line_end(offset as usize);
        let until = match kind {
            TriviaKind::DisableNextLine => next.and_then(line_end).unwrap_or(text.len()),
            _ => text.len(),
        };
        let Some(from) = next else { return Vec::new() };
        let checked = compiler.checked(model);
        for finding in checked.findings.iter() {
            let place = finding.span.start as usize;
            // What is an error of the language itself stays one.
            let is_fixed = finding.is_error() && crate::lint::is_core(finding.code);
            if from <= place && place < until && !is_fixed {
                found.entry(finding.code.to_owned()).or_insert_with(|| finding.message.to_string());
            }
        }
    }
    found.iter().map(|(code, about)| Completion::keyword(code, about, Priority::Medium, span)).collect()
}

/// The codes that are switched off where a directive starts.
fn disabled_before(tree: &SyntaxTree, start: u32) -> Vec<&str> {
    let mut off: Vec<&str> = Vec::new();
    for pragma in tree.pragmas().take_while(|pragma| pragma.span.start < start) {
        for (_, code) in pragma.codes() {
            match pragma.kind {
                TriviaKind::DisableDiagnostics if !off.contains(&code) => off.push(code),
                TriviaKind::RestoreDiagnostics => off.retain(|known| *known != code),
                _ => {}
            }
        }
    }
    off
}
