//! `no-unused-imports`: imported names that nothing refers to.

use syntax::ast::{AstNode as _, ImportedSymbolsList};
use syntax::{Span, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter, unused};
use crate::symbols::ModuleTarget;

pub(super) const RULE: LintRule = LintRule::new(
    "no-unused-imports",
    Category::BestPractice,
    "Every import is used.",
    "A name that is imported and never used makes readers look for it in two files. What `import *` brings counts as one \
        name.",
    &[
        Example::breaks("import * as sizes from 'shared.bicep'\n", "sizes").fixed(""),
        Example::keeps("import { size } from 'shared.bicep'\noutput size int = size\n"),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for symbol in &model.declarations.imported {
        let source = model.imported_item(*symbol).map(|(_, source)| &source.target);
        if !linter.is_used(*symbol) && !is_broken(linter, source) {
            unused::push(
                linter,
                *symbol,
                "import",
                item(model.node_of(*symbol), model.parent(model.node_of(*symbol))),
            );
        }
    }
    for symbol in &model.declarations.wildcards {
        let source = model.wildcard_source(*symbol).map(|source| &source.target);
        if !linter.is_used(*symbol) && !is_broken(linter, source) {
            let node = model.node_of(*symbol);
            let declaration = model.parent(node).unwrap_or(node);
            unused::push(linter, *symbol, "import", unused::row(declaration));
        }
    }
}

/// Tells whether something is imported from a file with errors: what is in it, and who needs it, is known when it has none.
fn is_broken<E>(linter: &Linter<'_, '_>, source: Option<&Result<ModuleTarget, E>>) -> bool {
    let target = source.and_then(|source| source.as_ref().ok());
    target.is_some_and(|target| linter.checker.interface_of(target).has_errors)
}

/// An item of a list with one of the commas beside it; the whole import if there is nothing else in it.
fn item<'m>(node: SyntaxNode<'m>, list: Option<SyntaxNode<'m>>) -> Span {
    let Some(list) = list.and_then(ImportedSymbolsList::cast) else { return node.span() };
    let mut before: Option<Span> = None;
    let mut found = false;
    for other in list.symbols() {
        if other.node() == node {
            found = true;
        } else if found {
            // The first of several: up to the next one.
            return match before {
                None => Span::new(node.span().start, other.span().start),
                Some(before) => Span::new(before.end, node.span().end),
            };
        } else {
            before = Some(other.span());
        }
    }
    before.map_or(node.span(), |before| Span::new(before.end, node.span().end))
}
