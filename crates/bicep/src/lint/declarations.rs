//! How many declarations of a kind a template can have: what `max-params` and its kind share.

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::symbols::SymbolId;

/// The row of a rule of this kind.
pub(super) const fn row(
    name: &'static str,
    summary: &'static str,
    documentation: &'static str,
    examples: &'static [Example],
    check: for<'m> fn(&mut Linter<'_, 'm>),
) -> LintRule {
    LintRule::new(name, Category::DeploymentError, summary, documentation, examples, LintCheck::File(check))
}

/// The most that a rule allows, and what it counts.
pub(super) struct Limit<'m> {
    pub(super) most: usize,
    pub(super) what: &'static str,
    pub(super) declared: &'m [SymbolId],
    /// How many there are besides, in other files.
    pub(super) imported: usize,
}

/// Reports, at the first declaration of a kind, that there are too many.
pub(super) fn check(linter: &mut Linter<'_, '_>, limit: Limit<'_>) {
    let Limit { most, what, declared, imported } = limit;
    let count = declared.len() + imported;
    if count <= most {
        return;
    }
    // Nested resources come before those that they are in, but the outermost is the first to read.
    let first =
        declared.iter().filter_map(|symbol| linter.checker.name_span(*symbol)).min_by_key(|it| it.start);
    let message = format!("{count} {what}, a template can have at most {most}");
    linter.report(first.unwrap_or_default(), message);
}
