//! `no-hardcoded-outputs`: outputs that are always the same.

use syntax::ast::{AstNode as _, Expr, OutputDeclaration};
use syntax::{NodeKind, Span, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::finding::{Edit, Fix};

pub(super) const RULE: LintRule = LintRule::new(
    "no-hardcoded-outputs",
    Category::BestPractice,
    "Constants are exported variables rather than outputs.",
    "Nothing has to be deployed to know a constant. An `@export()` variable can be imported when files are compiled.",
    &[
        Example::breaks("output size int = 42\n", "42").fixed("@export()\nvar size = 42\n"),
        Example::keeps("param size int\noutput twice int = size * 2\n"),
    ],
    LintCheck::Nodes(&[NodeKind::OutputDeclaration], check),
)
.off();

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    let Some(output) = OutputDeclaration::cast(node).filter(|it| is_constant(it.value())) else { return };
    let (name, model) = (output.name(), linter.model);
    let message = format!("the output `{}` is always the same", name.text());
    let mut finding = linter.finding(output.value().span(), message);
    let is_taken = model.symbols().any(|(_, symbol)| symbol.name == name.text() && symbol.node != node.id());
    if let (Some(keyword), Some(assignment), None) =
        (output.keyword(), output.assignment(), node.decorators().next())
        && !is_taken
    {
        let edits = vec![
            Edit { span: keyword.span(), text: "@export()\nvar".to_owned() },
            Edit { span: Span::new(name.span().end, assignment.span().start), text: " ".to_owned() },
        ];
        finding = finding.with_fix(Fix { title: "make it an exported variable".into(), edits });
    }
    linter.push(finding);
}

/// Tells whether a value is written out.
fn is_constant(value: Expr<'_>) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Expr::String(text) if text.is_interpolated() => return false,
            Expr::String(_) | Expr::IntegerLiteral(_) | Expr::BooleanLiteral(_) | Expr::NullLiteral(_) => {}
            Expr::UnaryOperation(it) => open.push(it.operand()),
            Expr::ParenthesizedExpression(it) => open.push(it.expression()),
            Expr::Array(array) => open.extend(array.values()),
            Expr::Object(object) => open.extend(object.properties().map(|property| property.value())),
            _ => return false,
        }
    }
    true
}
