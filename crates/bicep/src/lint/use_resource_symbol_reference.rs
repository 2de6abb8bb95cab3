//! `use-resource-symbol-reference`: resources of the file that are read by `reference` and `list` functions.

use syntax::SyntaxNode;
use syntax::ast::{AstNode as _, Expr};

use super::{CALLS, Category, Example, LintCheck, LintRule, Linter, is_same};
use crate::finding::Fix;
use crate::symbols::{CallSyntax, ResourceId, SymbolId};

pub(super) const RULE: LintRule = LintRule::new(
    "use-resource-symbol-reference",
    Category::BestPractice,
    "A resource of the file is reached by its name rather than by `reference` and `list` functions.",
    "`app.properties` has types, and makes whatever uses it wait for `app`. `reference(app.id, '2024-01-01')` does neither.",
    &[
        Example::breaks(
            "resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app'
}

output state object = reference(app.id, '2024-01-01')
",
            "reference(app.id, '2024-01-01')",
        )
        .fixed(
            "resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app'
}

output state object = app.properties
",
        ),
        Example::keeps(
            "resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app'
}

output state object = app.properties
",
        ),
    ],
    LintCheck::Nodes(CALLS, check),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let Some((name, call)) = linter.azure_call(node) else { return };
    let is_list = name.starts_with("list");
    let count = call.arguments().count();
    let fits =
        if is_list { (2..=3).contains(&count) } else { name == "reference" && (1..=3).contains(&count) };
    let Some(id) = call.argument(0).filter(|_| fits) else { return };
    let candidates = candidates(linter, id);
    let Some(symbol) = with_version(linter, &candidates, call.argument(1)) else { return };
    let resource = &linter.model.symbol(symbol).name;
    let written = if is_list {
        let rest = match (call.argument(1), call.argument(2)) {
            (Some(version), Some(body)) => format!("{}, {}", version.node().text(), body.node().text()),
            _ => String::new(),
        };
        format!("{resource}.{}({rest})", call.name())
    } else if is_full(call) {
        resource.to_string()
    } else {
        format!("{resource}.properties")
    };
    let message =
        format!("`{resource}` is a resource of this file, it can be used instead of `{}`", call.name());
    let fix = Fix::replace(format!("use `{written}`"), node.span(), written);
    linter.push(linter.finding(node.span(), message).with_fix(fix));
}

fn is_full(call: CallSyntax<'_>) -> bool {
    match call.argument(2) {
        Some(Expr::String(text)) => text.constant().is_some_and(|text| text.eq_ignore_ascii_case("full")),
        _ => false,
    }
}

/// The resources of the file that an id may be of.
fn candidates<'m>(linter: &mut Linter<'_, 'm>, id: Expr<'m>) -> Vec<SymbolId> {
    let model = linter.model;
    if let Expr::PropertyAccess(access) = id
        && matches!(access.name().text(), "id" | "name")
        && let Some(resource) = linter.resource_named(access.base())
    {
        return vec![resource.symbol];
    }
    let Some((name, call)) = linter.azure_call(id.node()) else { return Vec::new() };
    let Some(Expr::String(ty)) = call.argument(0).filter(|_| name == "resourceid") else { return Vec::new() };
    let Some(ty) = ty.constant().filter(|ty| ty.contains('/')) else { return Vec::new() };
    let names: Vec<Expr<'m>> = call.arguments().skip(1).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (id, resource) in model.all_resources() {
        let fits = resource.extension.is_none() && resource.ty.as_ref().is_some_and(|it| it.is(&ty));
        if fits && is_named(linter, id, &names) {
            found.push(resource.symbol);
        }
    }
    found
}

/// Tells whether the names of a resource and of those above it are written like this.
fn is_named<'m>(linter: &Linter<'_, 'm>, id: ResourceId, names: &[Expr<'m>]) -> bool {
    let model = linter.model;
    let ancestors = model.ancestors(id);
    let line = ancestors.iter().map(|it| it.resource).chain([id]);
    let mut given = names.iter();
    let same = line.into_iter().all(|it| {
        let own = model.body_property(&model.resource(it).body, "name");
        own.zip(given.next()).is_some_and(|(own, given)| is_same(own.node(), given.node()))
    });
    same && given.next().is_none()
}

/// The resource that has the version that is asked for.
fn with_version<'m>(
    linter: &mut Linter<'_, 'm>,
    all: &[SymbolId],
    version: Option<Expr<'m>>,
) -> Option<SymbolId> {
    let Some(version) = version else {
        return match all {
            [only] => Some(*only),
            _ => None,
        };
    };
    match version {
        Expr::PropertyAccess(access) if access.name().text() == "apiVersion" => {
            let resource = linter.resource_named(access.base())?;
            all.contains(&resource.symbol).then_some(resource.symbol)
        }
        Expr::String(text) => {
            let text = text.constant()?;
            all.iter().copied().find(|symbol| {
                let ty = linter.model.resource_of(*symbol).and_then(|it| it.ty.as_ref());
                ty.and_then(|ty| ty.version.as_deref()).is_some_and(|it| it.eq_ignore_ascii_case(&text))
            })
        }
        _ => None,
    }
}
