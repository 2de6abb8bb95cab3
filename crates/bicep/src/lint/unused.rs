//! What the rules about unused declarations share.

use std::fmt::Display;

use syntax::{Span, SyntaxNode};

use super::Linter;
use crate::decorators::EXPORT;
use crate::finding::Fix;
use crate::symbols::SymbolId;

/// Reports declarations that nothing in the file refers to.
pub(super) fn report(linter: &mut Linter<'_, '_>, declared: &[SymbolId], what: &str) {
    for symbol in declared {
        if linter.is_used(*symbol) {
            continue;
        }
        let node = linter.model.node_of(*symbol);
        push(linter, *symbol, what, row(node));
    }
}

/// Reports declarations that nothing in the file refers to, and that other files cannot see.
pub(super) fn report_unexported(linter: &mut Linter<'_, '_>, declared: &[SymbolId], what: &str) {
    let model = linter.model;
    let hidden = |symbol: &&SymbolId| model.decorator(model.node_of(**symbol), &EXPORT).is_none();
    let hidden: Vec<SymbolId> = declared.iter().filter(hidden).copied().collect();
    report(linter, &hidden, what);
}

/// Reports an unused declaration, with the text that would have to go.
pub(super) fn push(linter: &mut Linter<'_, '_>, symbol: SymbolId, what: impl Display, goes: Span) {
    let Some(span) = linter.checker.name_span(symbol) else { return };
    let name = &linter.model.symbol(symbol).name;
    let fix = Fix::replace(format!("remove the {what} `{name}`"), goes, "");
    let finding = linter.finding(span, format!("the {what} `{name}` is never used"));
    linter.push(finding.with_fix(fix));
}

/// A declaration, property or item with what goes with it: its lines if it has them for itself, else the comma beside it.
pub(super) fn row(node: SyntaxNode<'_>) -> Span {
    let text = node.tree().text();
    let (mut start, mut end) = (node.span().start as usize, node.span().end as usize);
    let comment = node.tokens().last().and_then(|token| token.trailing_trivia().last());
    if let Some(comment) = comment {
        end = end.max(comment.span().end as usize);
    }
    let before = text.get(..start).unwrap_or_default().trim_end_matches([' ', '\t']);
    let after = text.get(end..).unwrap_or_default();
    let behind = after.trim_start_matches([' ', '\t']);
    let at = |rest: &str| text.len() - rest.len();
    let ends_line = behind.is_empty() || behind.starts_with(['\r', '\n']);
    if (before.is_empty() || before.ends_with('\n')) && ends_line {
        start = before.len();
        end = at(behind.trim_start_matches(['\r', '\n']));
    } else if let Some(rest) = behind.strip_prefix(',') {
        end = at(rest.trim_start_matches([' ', '\t']));
    } else if let Some(rest) = before.strip_suffix(',') {
        start = rest.len();
    }
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(end))
}
