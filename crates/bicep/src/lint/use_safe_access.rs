//! `use-safe-access`: what may be absent and is read as if it were there.

use syntax::ast::{AstNode as _, Expr, TernaryOperation};
use syntax::spelling::is_name;
use syntax::{NodeKind, Span, SyntaxNode};

use super::{Category, Example, LintCheck, LintRule, Linter, is_same};
use crate::finding::Fix;
use crate::types::{TyKind, without_null};

pub(super) const RULE: LintRule = LintRule::new(
    "use-safe-access",
    Category::BestPractice,
    "What may be absent is read with `.?`.",
    "`contains(o, 'p') ? o.p : other` says the same as `o.?p ?? other`, and `o.p` fails where `p` is optional and absent. \
        `.?` and `[?` give `null` then. If the value is always there, say so with `!`.",
    &[
        Example::breaks(
            "param tags object\noutput owner string = contains(tags, 'owner') ? tags.owner : 'none'\n",
            "contains(tags, 'owner') ? tags.owner : 'none'",
        )
        .fixed("param tags object\noutput owner string = tags.?owner ?? 'none'\n"),
        Example::breaks("param site { port: int? }\noutput port int? = site.port\n", "site.port")
            .fixed("param site { port: int? }\noutput port int? = site.?port\n"),
        Example::keeps("param site { port: int? }\noutput port int = site.?port ?? 80\n"),
    ],
    LintCheck::Nodes(&[NodeKind::TernaryOperation, NodeKind::PropertyAccess, NodeKind::ArrayAccess], check),
);

const TITLE: &str = "use safe access (`.?`)";

fn check<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>) {
    match Expr::cast(node) {
        Some(Expr::TernaryOperation(choice)) => self::choice(linter, choice),
        Some(Expr::PropertyAccess(it)) if it.safe_access().is_none() => {
            access(linter, node, it.base(), it.dot().map(|dot| dot.span()));
        }
        Some(Expr::ArrayAccess(it)) if it.safe_access().is_none() => {
            access(linter, node, it.base(), it.open_square().map(|open| open.span()));
        }
        _ => {}
    }
}

/// `contains(o, 'p') ? o.p : other`
fn choice<'m>(linter: &mut Linter<'_, 'm>, choice: TernaryOperation<'m>) {
    let Some(call) = linter.call_of(choice.condition().node(), "contains") else { return };
    let (Some(object), Some(key), None) = (call.argument(0), call.argument(1), call.argument(2)) else {
        return;
    };
    let (base, is_key) = match choice.true_expression() {
        Expr::PropertyAccess(it) => {
            let named =
                matches!(key, Expr::String(text) if text.constant().as_deref() == Some(it.name().text()));
            (it.base(), named)
        }
        Expr::ArrayAccess(it) => (it.base(), is_same(it.index().node(), key.node())),
        _ => return,
    };
    if !is_key || !is_same(object.node(), base.node()) {
        return;
    }
    let name = match key {
        Expr::String(text) => text.constant().filter(|name| is_name(name)),
        _ => None,
    };
    let read = match name {
        Some(name) => format!("{}.?{name}", base.node().text()),
        None => format!("{}[?{}]", base.node().text(), key.node().text()),
    };
    let other = choice.false_expression();
    let other = match other {
        Expr::TernaryOperation(_) => format!("({})", other.node().text()),
        _ => other.node().text().to_owned(),
    };
    let fix = Fix::replace(TITLE, choice.span(), format!("{read} ?? {other}"));
    let message = "a choice by `contains` reads the same with `.?` and `??`";
    linter.push(linter.finding(choice.span(), message).with_fix(fix));
}

/// `o.p` or `o['p']`, where `p` is optional.
fn access<'m>(linter: &mut Linter<'_, 'm>, node: SyntaxNode<'m>, base: Expr<'m>, before: Option<Span>) {
    if !matches!(linter.ty(base).kind(), TyKind::Object(_)) {
        return;
    }
    let Some(expr) = Expr::cast(node) else { return };
    if without_null(&linter.ty(expr)).is_none()
        || linter.model.parent(node).is_some_and(|it| it.kind() == NodeKind::NonNullAssertion)
    {
        return;
    }
    let mut finding = linter.finding(node.span(), "the property may be absent, and reading it fails then");
    if let Some(before) = before {
        finding = finding.with_fix(Fix::replace(TITLE, Span::empty(before.end), "?"));
    }
    linter.push(finding.with_hint("use `.?` if it may be, or `!` behind it if it is always there"));
}
