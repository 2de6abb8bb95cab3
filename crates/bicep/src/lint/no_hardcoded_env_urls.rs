//! `no-hardcoded-env-urls`: addresses of one cloud.

use syntax::ast::{AstNode as _, String as Text};
use syntax::{NodeKind, Span, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::symbols::Binding;

pub(super) const RULE: LintRule = LintRule::new(
    "no-hardcoded-env-urls",
    Category::BestPractice,
    "Addresses of a cloud come from `environment()`, so that the file works in other clouds.",
    "Clouds have hosts of their own; `environment()` has those of the cloud that is deployed to. `disallowedhosts` in the \
        rule's configuration is the list of hosts that are looked for, and `excludedhosts` those that are fine although one \
        of the others is in them.",
    &[
        Example::breaks("output api string = 'https://management.azure.com/'\n", "management.azure.com"),
        Example::keeps("output api string = environment().resourceManager\n"),
    ],
    LintCheck::Nodes(&[NodeKind::String], check),
);

const DISALLOWED: [&str; 12] = [
    "azuredatalakeanalytics.net",
    "azuredatalakestore.net",
    "batch.core.windows.net",
    "core.windows.net",
    "database.windows.net",
    "datalake.azure.net",
    "gallery.azure.com",
    "graph.windows.net",
    "login.microsoftonline.com",
    "management.azure.com",
    "management.core.windows.net",
    "vault.azure.net",
];
const EXCLUDED: [&str; 1] = ["schema.management.azure.com"];

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let Some(text) = Text::cast(node).filter(|_| !linter.model.is_params()) else { return };
    if dots(node.text()).next().is_none() && linter.setting("disallowedhosts").is_none() {
        return;
    }
    let parent = linter.model.parent(node).map(SyntaxNode::kind);
    if matches!(parent, Some(NodeKind::ResourceDeclaration | NodeKind::ModuleDeclaration)) {
        return;
    }
    // Most texts with dots are descriptions, and hosts are looked for one by one.
    if is_about_the_file(linter, node) {
        return;
    }
    let disallowed = hosts(linter, "disallowedhosts", &DISALLOWED);
    let Some(shortest) = disallowed.iter().map(|host| host.len()).min() else { return };
    if node.text().len() <= shortest {
        return;
    }
    let mut found: Vec<(Span, &str)> = Vec::new();
    for token in text.pieces().filter(|token| token.text().len() >= shortest) {
        let mut matches: Vec<(usize, usize)> =
            disallowed.iter().flat_map(|host| places(token.text(), host)).collect();
        if matches.is_empty() {
            break;
        }
        let excluded = hosts(linter, "excludedhosts", &EXCLUDED);
        let fine: Vec<(usize, usize)> = excluded.iter().flat_map(|host| places(token.text(), host)).collect();
        matches.sort_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)));
        let mut done = 0;
        for (start, end) in matches {
            if start < done {
                continue;
            }
            done = end;
            if fine.iter().any(|other| start < other.1 && other.0 < end) {
                continue;
            }
            let offset = |at: usize| token.span().start.saturating_add(u32::try_from(at).unwrap_or_default());
            found.push((
                Span::new(offset(start), offset(end)),
                token.text().get(start..end).unwrap_or_default(),
            ));
        }
    }
    for (span, host) in found {
        let message = format!("`{host}` is a host of one cloud, `environment()` has that of every cloud");
        linter.report(span, message);
    }
}

/// The hosts that the configuration gives, or those that are looked for without.
fn hosts<'m>(linter: &Linter<'_, 'm>, name: &str, otherwise: &[&'static str]) -> Vec<&'m str> {
    match linter.setting(name) {
        Some(given) => {
            given.items().filter_map(|host| host.as_str()).filter(|host| !host.is_empty()).collect()
        }
        None => otherwise.to_vec(),
    }
}

/// The dots between the labels of hosts: other than those of sentences, something follows them at once. They
/// are rare and quickly found.
fn dots(text: &str) -> impl Iterator<Item = usize> {
    let follows = |dot: usize| text.as_bytes().get(dot + 1).is_some_and(u8::is_ascii_alphanumeric);
    text.match_indices('.').map(|(dot, _)| dot).filter(move |dot| follows(*dot))
}

/// Where a host stands in a text, by itself or with other names before a dot.
fn places(text: &str, host: &str) -> Vec<(usize, usize)> {
    // A host that a configuration names may have no such dot.
    let starts: Box<dyn Iterator<Item = usize>> = match dots(host).next() {
        Some(before) => Box::new(dots(text).filter_map(move |dot| dot.checked_sub(before))),
        None => Box::new(0..text.len()),
    };
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in starts {
        let end = at + host.len();
        let is_free = found.last().is_none_or(|(_, last)| *last <= at);
        let is_here = text.as_bytes().get(at..end).is_some_and(|it| it.eq_ignore_ascii_case(host.as_bytes()));
        if !is_free || !is_here {
            continue;
        }
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(end..).and_then(|text| text.chars().next());
        if ![before, after].into_iter().flatten().any(char::is_alphanumeric) {
            found.push((at, end));
        }
    }
    found
}

/// Tells whether a text describes the file and does nothing: metadata and descriptions.
fn is_about_the_file<'m>(linter: &Linter<'_, 'm>, node: SyntaxNode<'m>) -> bool {
    let mut at = Some(node);
    while let Some(node) = at {
        match node.kind() {
            NodeKind::MetadataDeclaration => return true,
            NodeKind::Decorator => {
                let expression = syntax::ast::Decorator::cast(node).map(|it| it.expression().node().id());
                return expression.is_some_and(|it| match linter.model.binding(it) {
                    Binding::Decorator(row) => matches!(row.name, "description" | "metadata"),
                    _ => false,
                });
            }
            _ => at = linter.model.parent(node),
        }
    }
    false
}
