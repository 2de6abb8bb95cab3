//! `use-recent-az-powershell-version`: deployment scripts for old versions of Azure PowerShell.

use syntax::ast::{AstNode as _, Expr, NameOrString, Object, ResourceDeclaration};
use syntax::{NodeKind, Span, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};

pub(super) const RULE: LintRule = LintRule::new(
    "use-recent-az-powershell-version",
    Category::BestPractice,
    "Deployment scripts use a version of Azure PowerShell that is still supported.",
    "`azPowerShellVersion` is 11.0 or later, or whatever `minimumVersion` in the rule's configuration says. Older versions \
        run on a PowerShell that gets no more fixes.",
    &[
        Example::breaks(
            "resource script 'Microsoft.Resources/deploymentScripts@2023-08-01' = {
  name: 'script'
  location: 'global'
  kind: 'AzurePowerShell'
  properties: {
    azPowerShellVersion: '8.0'
    retentionInterval: 'P1D'
  }
}
",
            "resource script 'Microsoft.Resources/deploymentScripts@2023-08-01' = {
  name: 'script'
  location: 'global'
  kind: 'AzurePowerShell'
  properties: {
    azPowerShellVersion: '8.0'
    retentionInterval: 'P1D'
  }
}",
        ),
        Example::keeps(
            "resource script 'Microsoft.Resources/deploymentScripts@2023-08-01' = {
  name: 'script'
  location: 'global'
  kind: 'AzurePowerShell'
  properties: {
    azPowerShellVersion: '12.3'
    retentionInterval: 'P1D'
  }
}
",
        ),
    ],
    LintCheck::Nodes(&[NodeKind::ResourceDeclaration], check),
);

const MINIMUM: &str = "11.0";

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let Some(it) = ResourceDeclaration::cast(node) else { return };
    let (Expr::String(ty), Expr::Object(body)) = (it.ty(), it.value()) else { return };
    if !ty.constant().is_some_and(|ty| ty.contains("Microsoft.Resources/deploymentScripts")) {
        return;
    }
    let is_power_shell =
        text(named(body, "kind")).is_some_and(|it| it.eq_ignore_ascii_case("AzurePowerShell"));
    let Some(Expr::Object(properties)) = named(body, "properties").filter(|_| is_power_shell) else { return };
    let Some(given) = text(named(properties, "azPowerShellVersion")) else { return };
    let least = linter.setting("minimumVersion").and_then(|it| it.as_str()).unwrap_or(MINIMUM);
    let Some(minimum) = version(least) else {
        let message = format!("`minimumVersion` of the configuration, `{least}`, is not a version");
        return linter.report(Span::default(), message);
    };
    if version(&given).is_some_and(|given| given < minimum) {
        let message = format!("Azure PowerShell {given} is too old, it has to be at least {least}");
        linter.report(node.span(), message);
    }
}

/// The value of a property whose name stands without quotes.
fn named<'t>(object: Object<'t>, name: &str) -> Option<Expr<'t>> {
    let mut properties = object.properties();
    let found = properties.find(|it| match it.key() {
        NameOrString::Name(token) => token.text().eq_ignore_ascii_case(name),
        NameOrString::String(_) | NameOrString::Skipped(_) => false,
    });
    found.map(|property| property.value())
}

fn text(value: Option<Expr<'_>>) -> Option<std::borrow::Cow<'_, str>> {
    match value {
        Some(Expr::String(text)) => text.constant(),
        _ => None,
    }
}

/// Two to four numbers with dots between them.
fn version(text: &str) -> Option<Vec<u32>> {
    let parts: Option<Vec<u32>> = text.trim().split('.').map(|part| part.trim().parse().ok()).collect();
    parts.filter(|parts| (2..=4).contains(&parts.len()))
}
