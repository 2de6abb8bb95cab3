//! `simplify-interpolation`: texts that are only one value.

use syntax::ast::{
    AstNode as _, Expr, ObjectProperty, OutputDeclaration, ParameterDefaultValue, VariableDeclaration,
};
use syntax::{NodeKind, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::finding::Fix;
use crate::types::{Ty, assignable};

pub(super) const RULE: LintRule = LintRule::new(
    "simplify-interpolation",
    Category::Style,
    "A text that is only one value is written as that value.",
    "`'${name}'` is `name` if that is a text. Around other values, interpolation makes texts of them.",
    &[
        Example::breaks("param name string\noutput app string = '${name}'\n", "'${name}'")
            .fixed("param name string\noutput app string = name\n"),
        Example::keeps("param size int\noutput text string = '${size}'\n"),
    ],
    LintCheck::Nodes(
        &[
            NodeKind::ObjectProperty,
            NodeKind::VariableDeclaration,
            NodeKind::OutputDeclaration,
            NodeKind::ParameterDefaultValue,
        ],
        check,
    ),
);

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let value = ObjectProperty::cast(node)
        .map(ObjectProperty::value)
        .or_else(|| VariableDeclaration::cast(node).map(VariableDeclaration::value))
        .or_else(|| OutputDeclaration::cast(node).map(OutputDeclaration::value))
        .or_else(|| ParameterDefaultValue::cast(node).map(ParameterDefaultValue::value));
    let Some(Expr::String(text)) = value else { return };
    let mut holes = text.holes();
    let (Some(hole), None) = (holes.next(), holes.next()) else { return };
    if text.segments().any(|segment| !segment.is_empty()) {
        return;
    }
    let ty = linter.ty(hole);
    if !ty.is_any() && assignable(&ty, &Ty::string()) {
        let fix = Fix::replace("write the value itself", text.span(), hole.node().text());
        linter.push(
            linter.finding(text.span(), "the text is only one value, which is a text already").with_fix(fix),
        );
    }
}
