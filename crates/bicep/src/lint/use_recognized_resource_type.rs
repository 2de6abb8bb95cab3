//! `use-recognized-resource-type`: resource types that do not exist.

use smol_str::SmolStr;
use syntax::SyntaxNode;
use syntax::ast::Expr;

use super::resource_type::is_type;
use super::{CALLS, Category, Example, LintCheck, LintRule, Linter};
use crate::symbols::CallSyntax;

pub(super) const RULE: LintRule = LintRule::new(
    "use-recognized-resource-type",
    Category::PotentialMistake,
    "`reference` and `list` functions name resource types that exist.",
    "A misspelt type is only found when the deployment runs. Types that are newer than the compiler's data are reported, \
        too.",
    &[
        Example::breaks(
            "output state object = reference(resourceId('Test.Rp/secrts', 'a'), '2024-01-01')\n",
            "reference(resourceId('Test.Rp/secrts', 'a'), '2024-01-01')",
        ),
        Example::keeps("output state object = reference(resourceId('Test.Rp/secrets', 'a'), '2024-01-01')\n"),
    ],
    LintCheck::Nodes(CALLS, check),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let Some(types) = &linter.model.az_types else { return };
    let Some((name, call)) = linter.azure_call(node) else { return };
    if name != "reference" && !name.starts_with("list") {
        return;
    }
    let Some(ty) = call.argument(0).and_then(|id| resource_type(linter, id)) else { return };
    if types.versions(&ty).is_ok_and(|versions| !versions.is_empty()) {
        return;
    }
    let mut finding = linter.finding(node.span(), format!("there is no resource type `{ty}`"));
    if let Some(similar) = types.similar_names(&ty, 1).first() {
        finding = finding.with_hint(format!("did you mean `{similar}`?"));
    }
    linter.push(finding);
}

/// The resource type in an argument: one that is written out, or that of a resource id.
fn resource_type<'m>(linter: &mut Linter<'_, 'm>, argument: Expr<'m>) -> Option<SmolStr> {
    let Some(call) = CallSyntax::of(argument) else {
        return linter.constant(argument).filter(|text| is_type(text));
    };
    if call.name() != "resourceId" {
        return None;
    }
    let arguments: Vec<Expr<'m>> = call.arguments().collect();
    arguments.into_iter().find_map(|it| linter.constant(it).filter(|text| is_type(text)))
}
