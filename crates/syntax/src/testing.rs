//! What the tests of the grammar share: trees and findings in short notations.

use crate::{SourceKind, SyntaxElement, SyntaxNode, SyntaxTree, TokenKind, parse};

/// Checks that the first statement of a template has this shape and that nothing is wrong with the text.
///
/// A node is `(Kind part part)`, a token is its text, a line break is `;`. Absent parts are left out.
#[track_caller]
pub(crate) fn check(text: &str, expected: &str) {
    check_kind(text, SourceKind::Bicep, expected, &[]);
}

/// Checks the shape of the first statement and the findings, written `CODE start..end`.
#[track_caller]
pub(crate) fn check_broken(text: &str, expected: &str, findings: &[&str]) {
    check_kind(text, SourceKind::Bicep, expected, findings);
}

/// As [`check_broken`], for either language.
#[track_caller]
pub(crate) fn check_kind(text: &str, kind: SourceKind, expected: &str, findings: &[&str]) {
    let tree = parse(text, kind);
    let statement = tree.root().child_nodes().next().map(shape).unwrap_or_default();
    assert_eq!(statement, expected, "{text}");
    check_findings_in(&tree, findings);
    // Whatever is cut off, nothing gets lost and nothing panics.
    for prefix in (0..=text.len()).filter_map(|end| text.get(..end)) {
        assert_eq!(parse(prefix, kind).print(), prefix);
    }
}

#[track_caller]
fn check_findings_in(tree: &SyntaxTree, findings: &[&str]) {
    let found: Vec<_> = tree
        .diagnostics()
        .iter()
        .map(|found| format!("{} {}..{}", found.code.as_str(), found.span.start, found.span.end))
        .collect();
    assert_eq!(found, findings, "{}", tree.text());
}

fn shape(node: SyntaxNode<'_>) -> String {
    let parts = node.children().map(|part| match part {
        SyntaxElement::Node(node) => shape(node),
        SyntaxElement::Token(token) if token.kind() == TokenKind::NewLine => ";".to_owned(),
        SyntaxElement::Token(token) => token.text().to_owned(),
    });
    let parts: String = parts.map(|part| format!(" {part}")).collect();
    format!("({}{parts})", node.kind().name())
}
