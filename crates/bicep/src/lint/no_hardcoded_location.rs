//! `no-hardcoded-location`: locations that are written into the file.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use syntax::Span;
use syntax::ast::{AstNode as _, Expr, Statement};

use super::locations::Locations;
use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::finding::{Edit, Fix};
use crate::symbols::{SymbolId, SymbolKind};

pub(super) const RULE: LintRule = LintRule::new(
    "no-hardcoded-location",
    Category::Location,
    "A location is a parameter or `global`, and not written into a resource.",
    "Not every location is allowed everywhere, so whoever deploys the file decides. A variable that is only a text counts as \
        written into the resource.",
    &[
        Example::breaks(
            "resource app 'Contoso.App/sites@2024-01-01' = {\n  name: 'app'\n  location: 'westus'\n}\n",
            "'westus'",
        )
        .fixed(
            "param location string = 'westus'\n\nresource app 'Contoso.App/sites@2024-01-01' = {\n  name: 'app'\n  location: location\n}\n",
        ),
        Example::keeps(
            "param location string\n\nresource app 'Contoso.App/sites@2024-01-01' = {\n  name: 'app'\n  location: location\n}\n",
        ),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    let mut variables = FxHashSet::default();
    for resource in &model.resources {
        if let Some(location) = model.body_property(&resource.body, "location") {
            value(linter, location, &mut variables);
        }
    }
    let mut locations = Locations::default();
    for module in &model.modules {
        for location in locations.of(linter, module) {
            if let Some(given) = location.value {
                value(linter, given, &mut variables);
            }
        }
    }
}

fn value<'m>(linter: &mut Linter<'_, 'm>, given: Expr<'m>, variables: &mut FxHashSet<SymbolId>) {
    let Some((text, variable)) = literal(linter, given) else { return };
    if text.eq_ignore_ascii_case("global") {
        return;
    }
    let Some(variable) = variable else { return written(linter, given, &text) };
    if !variables.insert(variable) {
        return;
    }
    let Some(span) = linter.checker.name_span(variable) else { return };
    let name = &linter.model.symbol(variable).name;
    let mut finding =
        linter.finding(span, format!("the variable `{name}` is a location, it should be a parameter"));
    if let Some(Statement::VariableDeclaration(it)) = linter.model.statement_of(variable)
        && let Some(keyword) = it.keyword()
        && it.ty().is_none()
    {
        let edits = vec![
            Edit { span: keyword.span(), text: "param".to_owned() },
            Edit { span: Span::empty(span.end), text: " string".to_owned() },
        ];
        finding = finding.with_fix(Fix { title: "make it a parameter".into(), edits });
    }
    linter.push(finding);
}

/// A location that is written where it is used.
fn written<'m>(linter: &mut Linter<'_, 'm>, given: Expr<'m>, text: &str) {
    let model = linter.model;
    let names: FxHashSet<&str> = model.symbols().map(|(_, symbol)| symbol.name.as_str()).collect();
    let mut numbered = (2..).map(|number| format!("location{number}"));
    let name = if names.contains("location") {
        numbered.find(|name| !names.contains(name.as_str())).unwrap_or_default()
    } else {
        "location".to_owned()
    };
    let edits = vec![
        Edit { span: Span::empty(0), text: format!("param {name} string = {}\n\n", given.node().text()) },
        Edit { span: given.span(), text: name.clone() },
    ];
    let fix = Fix { title: format!("make a parameter `{name}` of it").into(), edits };
    let message = format!("the location `{text}` is written into the file");
    let finding = linter.finding(given.span(), message).with_fix(fix);
    linter.push(finding.with_hint("use a parameter, an expression or `'global'`"));
}

/// The text that a value is, with the variable that says so if it is not written at its place.
fn literal<'m>(linter: &mut Linter<'_, 'm>, start: Expr<'m>) -> Option<(SmolStr, Option<SymbolId>)> {
    const MOST: usize = 64;
    let text = linter.constant(start)?;
    let mut at = start;
    let mut variable = None;
    for _ in 0..MOST {
        match at {
            Expr::String(it) => return (!it.is_interpolated()).then_some((text, variable)),
            Expr::VariableAccess(_) => {}
            _ => return None,
        }
        let symbol = linter.model.symbol_in(at)?;
        match linter.model.symbol(symbol).kind {
            SymbolKind::Variable => {}
            _ => return None,
        }
        let Some(Statement::VariableDeclaration(it)) = linter.model.statement_of(symbol) else { return None };
        variable = Some(symbol);
        at = it.value();
    }
    None
}
