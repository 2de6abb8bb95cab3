//! `prefer-unquoted-property-names`: quotes around names of properties that need none.

use syntax::ast::{ArrayAccess, AstNode as _, Expr, NameOrString, ObjectProperty};
use syntax::spelling::is_name;
use syntax::{NodeKind, Span, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::finding::Fix;

pub(super) const RULE: LintRule = LintRule::new(
    "prefer-unquoted-property-names",
    Category::Style,
    "Property names stand without quotes, and are reached with a dot, where they are names.",
    "Only names that are not made of letters, digits and underscores need quotes.",
    &[
        Example::breaks("output tags object = {\n  'owner': 'me'\n}\n", "'owner'")
            .fixed("output tags object = {\n  owner: 'me'\n}\n"),
        Example::breaks("param tags object\noutput owner string = tags['owner']\n", "['owner']")
            .fixed("param tags object\noutput owner string = tags.owner\n"),
        Example::keeps("param tags object\noutput owner string = tags['the-owner']\n"),
    ],
    LintCheck::Nodes(&[NodeKind::ObjectProperty, NodeKind::ArrayAccess], check),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    if let Some(property) = ObjectProperty::cast(node) {
        if let NameOrString::String(key) = property.key()
            && let Some(name) = key.constant().filter(|name| is_name(name))
        {
            let fix = Fix::replace(format!("write `{name}`"), key.span(), name);
            linter.push(linter.finding(key.span(), "the name needs no quotes").with_fix(fix));
        }
        return;
    }
    let Some(access) = ArrayAccess::cast(node) else { return };
    let Expr::String(key) = access.index() else { return };
    let Some(name) = key.constant().filter(|name| is_name(name)) else { return };
    let (Some(open), Some(close)) = (access.open_square(), access.close_square()) else { return };
    let span = Span::new(open.span().start, close.span().end);
    let written = if access.safe_access().is_some() { format!(".?{name}") } else { format!(".{name}") };
    let finding = linter.finding(span, format!("the property can be reached with `{written}`"));
    linter.push(finding.with_fix(Fix::replace(format!("use `{written}`"), span, written)));
}
