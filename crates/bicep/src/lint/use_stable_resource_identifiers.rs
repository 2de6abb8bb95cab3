//! `use-stable-resource-identifiers`: resources with another name in every deployment.

use syntax::NodeKind;
use syntax::ast::{AstNode as _, Expr, ParameterDefaultValue, Statement};
use syntax::{SyntaxElement, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::symbols::{SymbolId, SymbolKind};

pub(super) const RULE: LintRule = LintRule::new(
    "use-stable-resource-identifiers",
    Category::PotentialMistake,
    "Names of resources are the same in every deployment.",
    "A name made with `newGuid()` or `utcNow()` is a new one each time, so that every deployment makes another resource. \
        `uniqueString()` and `guid()` give the same name for the same arguments.",
    &[
        Example::breaks(
            "param now string = utcNow()

resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app-${now}'
}
",
            "'app-${now}'",
        ),
        Example::keeps(
            "resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app-${uniqueString(resourceGroup().id)}'
}
",
        ),
    ],
    LintCheck::File(check),
);

/// What tells resources of Azure apart.
const IDENTITY: [&str; 3] = ["name", "scope", "parent"];

/// How many declarations are looked into for one value.
const MOST: usize = 256;

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for resource in linter.azure_resources() {
        for property in IDENTITY {
            let Some(value) = model.body_property(&resource.body, property) else { continue };
            for (function, path) in unstable(linter, value) {
                let name = &model.symbol(resource.symbol).name;
                let message =
                    format!("`{property}` of `{name}` is new in every deployment: {path}`{function}()`");
                linter.report(value.span(), message);
            }
        }
    }
}

/// The functions with ever new results that a value is made with, and the names that lead to them.
fn unstable<'m>(linter: &Linter<'_, 'm>, value: Expr<'m>) -> Vec<(&'static str, String)> {
    let model = linter.model;
    let mut found = Vec::new();
    let mut open: Vec<(SyntaxNode<'m>, Vec<SymbolId>)> = vec![(value.node(), Vec::new())];
    for _ in 0..MOST {
        let Some((part, path)) = open.pop() else { break };
        for node in part.descendants() {
            for name in ["newGuid", "utcNow"] {
                if linter.call_of(node, name).is_some() {
                    let names = path.iter().map(|symbol| format!("`{}` -> ", model.symbol(*symbol).name));
                    found.push((name, names.collect()));
                }
            }
            let symbol = model.symbol_at(node).filter(|_| node.kind() == NodeKind::VariableAccess);
            let Some(symbol) = symbol.filter(|symbol| !path.contains(symbol)) else { continue };
            let next = match (model.symbol(symbol).kind, model.statement_of(symbol)) {
                (SymbolKind::Parameter, Some(Statement::ParameterDeclaration(it))) => it
                    .modifier()
                    .and_then(SyntaxElement::node)
                    .and_then(ParameterDefaultValue::cast)
                    .map(|it| it.node()),
                (SymbolKind::Variable, Some(Statement::VariableDeclaration(it))) => Some(it.value().node()),
                _ => None,
            };
            if let Some(next) = next {
                let path = path.iter().copied().chain([symbol]).collect();
                open.push((next, path));
            }
        }
    }
    found
}
