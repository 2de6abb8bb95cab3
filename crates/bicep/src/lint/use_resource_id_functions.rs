//! `use-resource-id-functions`: ids of resources that are put together by hand.

use syntax::NodeKind;
use syntax::ast::{AstNode as _, Expr, Object, ObjectProperty, Statement};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::symbols::SymbolKind;
use crate::types::{Ty, assignable, without_null};

pub(super) const RULE: LintRule = LintRule::new(
    "use-resource-id-functions",
    Category::BestPractice,
    "Ids of resources come from functions or from the resources.",
    "An id that is put together from texts is easily wrong. The `id` of a resource, or a function such as `resourceId`, is \
        right. Properties whose names end in `id` are looked at, apart from those that are known to hold other ids.",
    &[
        Example::breaks(
            "resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app'
  properties: {
    planId: '/subscriptions/x/providers/Contoso.App/plans/plan'
  }
}
",
            "planId",
        ),
        Example::keeps(
            "resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app'
  properties: {
    planId: resourceId('Contoso.App/plans', 'plan')
  }
}
",
        ),
    ],
    LintCheck::File(check),
)
.off();

const FUNCTIONS: [&str; 10] = [
    "extensionResourceId",
    "guid",
    "if",
    "managementGroupResourceId",
    "reference",
    "resourceId",
    "roleDefinitions",
    "subscription",
    "subscriptionResourceId",
    "tenantResourceId",
];

/// Properties that are not looked into, in lower case.
const OTHER: [&str; 40] = [
    "appid",
    "clientid",
    "connectorid",
    "contentid",
    "datatypeid",
    "defaultmenuitemid",
    "deploymentspecid",
    "detector",
    "groupid",
    "illusiveincidentid",
    "keyid",
    "keyvaultid",
    "keyvaultsecretid",
    "locations",
    "menuid",
    "metadata",
    "metricid",
    "nodeagentskuid",
    "objectid",
    "parentid",
    "policydefinitionreferenceid",
    "principalid",
    "requestedserviceobjectiveid",
    "resource",
    "ruleid",
    "schemaid",
    "serviceprincipalclientid",
    "sid",
    "startingdeviceid",
    "storageaccountsubscriptionid",
    "subscriptionid",
    "syntheticmonitorid",
    "tags",
    "targetprotectioncontainerid",
    "targetworkersizeid",
    "tenantid",
    "timezoneid",
    "uniquefindingid",
    "vlanid",
    "workersizeid",
];

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for resource in linter.azure_resources() {
        let Some(ty) = resource.ty.as_ref().map(|ty| ty.name.to_ascii_lowercase()) else { continue };
        let Some(Expr::Object(properties)) = model.body_property(&resource.body, "properties") else {
            continue;
        };
        if is_left_out(&ty) {
            continue;
        }
        for property in ids(properties, ty == "microsoft.apimanagement/service/subscriptions") {
            let value = property.value();
            let ty = linter.ty(value);
            let is_text = |ty: &Ty| !ty.is_any() && assignable(ty, &Ty::string());
            if !is_text(&ty) && !without_null(&ty).is_some_and(|ty| is_text(&ty)) {
                continue;
            }
            if !is_id(linter, value) {
                let name = property.key().constant().unwrap_or_default();
                linter
                    .report(property.key().span(), format!("`{name}` is an id that is put together by hand"));
            }
        }
    }
}

/// Types whose ids are not those of resources.
fn is_left_out(ty: &str) -> bool {
    let collections = ty.strip_prefix("microsoft.documentdb/databaseaccounts/");
    let collections = collections.and_then(|rest| rest.strip_suffix("/collections"));
    matches!(
        ty,
        "microsoft.portal/dashboards"
            | "microsoft.logic/workflows"
            | "microsoft.apimanagement/service/backends"
    ) || ty.starts_with("microsoft.web/sites/config")
        || collections.is_some_and(|kind| !kind.contains('/'))
}

/// The properties that hold ids, at any depth, outside those that are not looked into.
fn ids<'m>(start: Object<'m>, has_owner: bool) -> Vec<ObjectProperty<'m>> {
    let mut found = Vec::new();
    let mut open = vec![start.node()];
    while let Some(node) = open.pop() {
        if let Some(property) = ObjectProperty::cast(node)
            && let Some(name) = property.key().constant()
        {
            let lower = name.to_ascii_lowercase();
            if OTHER.contains(&lower.as_str()) || has_owner && lower == "ownerid" {
                continue;
            }
            if lower.ends_with("id") && !name.ends_with("uid") && !name.ends_with("UID") {
                found.push(property);
                continue;
            }
        }
        open.extend(node.child_nodes());
    }
    found
}

/// Tells whether a value is an id from a resource, a function or a parameter.
fn is_id<'m>(linter: &Linter<'_, 'm>, start: Expr<'m>) -> bool {
    const MOST: usize = 256;
    let model = linter.model;
    let mut at = start;
    for _ in 0..MOST {
        let is_resource = |node: syntax::SyntaxNode<'m>| {
            let symbol = model.symbol_at(node).filter(|_| node.kind() == NodeKind::VariableAccess);
            symbol
                .is_some_and(|it| matches!(model.symbol(it).kind, SymbolKind::Resource | SymbolKind::Module))
        };
        if at.node().subtree().any(is_resource) {
            return true;
        }
        at = match at {
            Expr::FunctionCall(call) => return FUNCTIONS.contains(&call.name().text()),
            Expr::TernaryOperation(_) => return true,
            Expr::String(text) => return text.constant().is_some_and(|text| !text.contains('/')),
            Expr::PropertyAccess(it) if is_of_parameter(linter, it.base()) => return true,
            Expr::ArrayAccess(it) if is_of_parameter(linter, it.base()) => return true,
            Expr::PropertyAccess(it) => it.base(),
            Expr::ArrayAccess(it) => it.base(),
            Expr::ParenthesizedExpression(it) => it.expression(),
            Expr::NonNullAssertion(it) => it.base(),
            Expr::VariableAccess(_) => {
                let Some(symbol) = model.symbol_in(at) else { return false };
                match (model.symbol(symbol).kind, model.statement_of(symbol)) {
                    (SymbolKind::Variable, Some(Statement::VariableDeclaration(it))) => it.value(),
                    (SymbolKind::Parameter, _) => return true,
                    _ => return false,
                }
            }
            _ => return false,
        };
    }
    true
}

/// Tells whether a value is a parameter or a part of one.
fn is_of_parameter<'m>(linter: &Linter<'_, 'm>, base: Expr<'m>) -> bool {
    let mut at = base;
    loop {
        at = match at {
            Expr::PropertyAccess(it) => it.base(),
            Expr::ArrayAccess(it) => it.base(),
            Expr::ParenthesizedExpression(it) => it.expression(),
            Expr::NonNullAssertion(it) => it.base(),
            other => {
                let symbol = linter.model.symbol_in(other);
                return symbol.is_some_and(|it| linter.model.symbol(it).kind == SymbolKind::Parameter);
            }
        };
    }
}
