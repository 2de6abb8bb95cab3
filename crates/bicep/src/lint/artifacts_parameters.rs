//! `artifacts-parameters`: parameters for the place of artifacts, which tools fill in.

use syntax::SyntaxElement;
use syntax::ast::{AstNode as _, Expr, ParameterDeclaration, ParameterDefaultValue, TypeExpr};

use super::{Category, Example, LintCheck, LintRule, Linter, locations};
use crate::finding::Fix;
use crate::symbols::SymbolId;

pub(super) const RULE: LintRule = LintRule::new(
    "artifacts-parameters",
    Category::BestPractice,
    "Parameters for the place of artifacts have the names and types that tools expect.",
    "Tools that upload the files of a deployment give `_artifactsLocation` and `_artifactsLocationSasToken` a value. Both \
        are there or neither, both are strings, the token is `@secure()`, and default values are an address and an empty \
        text. Modules that have them are given both.",
    &[
        Example::breaks(
            "param _artifactsLocation string\noutput place string = _artifactsLocation\n",
            "_artifactsLocation",
        ),
        Example::keeps(
            "param _artifactsLocation string
@secure()
param _artifactsLocationSasToken string
@secure()
output place string = uri(_artifactsLocation, _artifactsLocationSasToken)
",
        ),
    ],
    LintCheck::File(check),
);

const LOCATION: &str = "_artifactsLocation";
const TOKEN: &str = "_artifactsLocationSasToken";

fn check(linter: &mut Linter<'_, '_>) {
    own(linter);
    let model = linter.model;
    for module in &model.modules {
        let Some(target) = model.module_target(module) else { continue };
        let given = match model.body_property(&module.body, "params") {
            Some(Expr::Object(given)) => Some(given),
            _ => None,
        };
        let interface = linter.checker.interface_of(target);
        for name in interface.parameters.keys() {
            let is_one = name.eq_ignore_ascii_case(LOCATION) || name.eq_ignore_ascii_case(TOKEN);
            if !is_one || given.is_some_and(|given| locations::plain(given, name).is_some()) {
                continue;
            }
            if let Some(span) = linter.checker.name_span(module.symbol) {
                let module = &model.symbol(module.symbol).name;
                linter.report(span, format!("the module `{module}` is not given `{name}`"));
            }
        }
    }
}

/// The parameters of the file itself.
fn own(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    let find = |name: &str| -> Option<SymbolId> {
        let mut all = model.declarations.parameters.iter().copied();
        all.find(|symbol| model.symbol(*symbol).name.eq_ignore_ascii_case(name))
    };
    let (location, token) = match (find(LOCATION), find(TOKEN)) {
        (Some(location), Some(token)) => (location, token),
        (Some(only), None) => return alone(linter, only, TOKEN),
        (None, Some(only)) => return alone(linter, only, LOCATION),
        (None, None) => return,
    };
    for symbol in [location, token] {
        let Some(declaration) = ParameterDeclaration::cast(model.node_of(symbol)) else { continue };
        let name = &model.symbol(symbol).name;
        let span = declaration.ty().span();
        if let TypeExpr::TypeVariableAccess(ty) = declaration.ty()
            && ty.name().is_valid()
            && ty.name().text() != "string"
        {
            let fix = Fix::replace("use `string`", span, "string");
            linter.push(linter.finding(span, format!("`{name}` has to be a string")).with_fix(fix));
        }
        if symbol == token && !model.is_secure(declaration.node()) {
            linter.report(span, format!("`{name}` has to be `@secure()`"));
        }
        let default =
            declaration.modifier().and_then(SyntaxElement::node).and_then(ParameterDefaultValue::cast);
        let Some(default) = default.map(ParameterDefaultValue::value) else { continue };
        let text = match default {
            Expr::String(text) => text.constant(),
            _ => None,
        };
        if symbol == token {
            if text.as_deref() != Some("") {
                linter.report(
                    default.span(),
                    format!("the default value of `{name}` can only be an empty text"),
                );
            }
        } else if !text.is_some_and(|text| text.starts_with("http"))
            && !is_template_link(default.node().text())
        {
            let message = format!(
                "the default value of `{name}` has to be an address, or `deployment().properties.templateLink.uri`"
            );
            linter.report(default.span(), message);
        }
    }
}

fn alone(linter: &mut Linter<'_, '_>, only: SymbolId, missing: &str) {
    if let Some(span) = linter.checker.name_span(only) {
        let name = &linter.model.symbol(only).name;
        linter.report(span, format!("there is `{name}` but no parameter `{missing}`"));
    }
}

/// Tells whether a text has `deployment(` in it and `.templateLink` behind that.
fn is_template_link(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.split_once("deployment(").is_some_and(|(_, rest)| rest.contains(".templatelink"))
}
