//! `explicit-values-for-loc-params`: modules that are left with their default location.

use syntax::ast::AstNode as _;

use super::locations::Locations;
use super::{Category, Example, LintCheck, LintRule, Linter};

pub(super) const RULE: LintRule = LintRule::new(
    "explicit-values-for-loc-params",
    Category::Location,
    "A module is given its location rather than left with its default.",
    "The default of a module is often where the resource group is, which may not be where the rest of the file goes. A \
        parameter is about locations if a resource of the module uses it in its `location`, or if its default value is \
        `resourceGroup().location` or `deployment().location`.",
    &[
        Example::breaks("module app 'located.bicep' = {\n  name: 'app'\n}\n", "app"),
        Example::keeps(
            "param location string\n\nmodule app 'located.bicep' = {\n  name: 'app'\n  params: {\n    location: location\n  }\n}\n",
        ),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    let mut locations = Locations::default();
    for module in &model.modules {
        let params = model.body_object(&module.body).and_then(|body| model.property(body, "params"));
        let span = params.map(|it| it.span()).or_else(|| linter.checker.name_span(module.symbol));
        let Some(span) = span else { continue };
        for location in locations.of(linter, module).into_iter().filter(|it| it.value.is_none()) {
            let name = &model.symbol(module.symbol).name;
            let message =
                format!("`{}` of the module `{name}` is left with its default value", location.parameter);
            linter.report(span, message);
        }
    }
}
