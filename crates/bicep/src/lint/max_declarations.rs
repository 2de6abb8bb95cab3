//! `max-params` and its kind: how many declarations a template can have. Beyond that, a deployment is refused.

use super::{Category, Check, LintRule};
use crate::check::Checker;
use crate::finding::Severity;
use crate::symbols::{ExportKind, Model, SymbolId};

/// The most that a rule allows, and what it counts.
struct Limit {
    most: usize,
    what: &'static str,
    declared: fn(&Model) -> &[SymbolId],
}

const fn row(name: &'static str, summary: &'static str, check: Check) -> LintRule {
    LintRule {
        name,
        category: Category::DeploymentError,
        override_level: None,
        summary,
        documentation: "The deployment engine refuses a template with more. Put some of the declarations into modules, \
            use a loop, or an object in place of many values. The finding is at the first declaration.",
        examples: &[],
        check: Some(check),
    }
}

/// `max-asserts`
pub(super) const ASSERTS: LintRule =
    row("max-asserts", "A file has at most 32 assertions.", |checker, rule, severity| {
        check(
            checker,
            rule,
            severity,
            Limit { most: 32, what: "assertions", declared: |it| &it.declarations.asserts },
        );
    });

/// `max-outputs`
pub(super) const OUTPUTS: LintRule =
    row("max-outputs", "A file has at most 64 outputs.", |checker, rule, severity| {
        check(
            checker,
            rule,
            severity,
            Limit { most: 64, what: "outputs", declared: |it| &it.declarations.outputs },
        );
    });

/// `max-params`
pub(super) const PARAMS: LintRule =
    row("max-params", "A file has at most 256 parameters.", |checker, rule, severity| {
        check(
            checker,
            rule,
            severity,
            Limit { most: 256, what: "parameters", declared: |it| &it.declarations.parameters },
        );
    });

/// `max-resources`
pub(super) const RESOURCES: LintRule =
    row("max-resources", "A file has at most 800 resources.", |checker, rule, severity| {
        check(
            checker,
            rule,
            severity,
            Limit { most: 800, what: "resources", declared: |it| &it.declarations.resources },
        );
    });

/// `max-variables`
pub(super) const VARIABLES: LintRule =
    row("max-variables", "A file has at most 512 variables.", check_variables);

/// Reports, at the first declaration of a kind, that there are too many.
fn check(checker: &mut Checker<'_>, rule: &LintRule, severity: Severity, limit: Limit) {
    count(checker, rule, severity, limit, 0);
}

/// Variables that are imported by name count too; a file that only offers values to others has as many as it likes.
fn check_variables(checker: &mut Checker<'_>, rule: &LintRule, severity: Severity) {
    let limit = Limit { most: 512, what: "variables", declared: |it| &it.declarations.variables };
    if !is_library(checker.model) {
        let imported = checker.model.imported.iter();
        let imported = imported.filter(|item| item.kind == ExportKind::Variable).count();
        count(checker, rule, severity, limit, imported);
    }
}

fn count(checker: &mut Checker<'_>, rule: &LintRule, severity: Severity, limit: Limit, imported: usize) {
    let Limit { most, what, declared } = limit;
    let declared = declared(checker.model);
    let count = declared.len() + imported;
    if count <= most {
        return;
    }
    // Nested resources come before those that they are in, but the outermost is the first to read.
    let first = declared.iter().filter_map(|symbol| checker.name_span(*symbol)).min_by_key(|it| it.start);
    let message = format!("{count} {what}, a template can have at most {most}");
    checker.push(rule.finding(first.unwrap_or_default(), severity, message));
}

/// Tells whether a file deploys nothing, and only offers values to others.
fn is_library(model: &Model) -> bool {
    let declarations = &model.declarations;
    let deployed =
        [&declarations.modules, &declarations.resources, &declarations.parameters, &declarations.outputs];
    deployed.into_iter().all(Vec::is_empty)
        && declarations
            .variables
            .iter()
            .any(|variable| model.decorator(model.node_of(*variable), &crate::decorators::EXPORT).is_some())
}
