//! The parts of an assert that a failure shows: what `&&` connects, and the two sides of each comparison.

use syntax::Span;
use syntax::ast::{AstNode as _, Expr, FunctionCall};

/// The most parts of one assert that are told apart.
const MOST: usize = 64;

/// One of the conditions that `&&` connects.
#[derive(Clone, Copy)]
pub(crate) struct AssertPart<'t> {
    pub(crate) condition: Expr<'t>,
    /// What it compares, and how.
    pub(crate) compared: Option<Compared<'t>>,
}

/// The two sides of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Compared<'t> {
    pub(crate) left: Expr<'t>,
    pub(crate) right: Expr<'t>,
    /// The operator, or the name of the function.
    pub(crate) operator: &'t str,
}

/// The conditions that have to hold for an assert to hold, in source order.
pub(crate) fn assert_parts(condition: Expr<'_>) -> Vec<AssertPart<'_>> {
    let mut parts = Vec::new();
    let mut open = vec![condition];
    while let Some(next) = open.pop() {
        match next {
            Expr::ParenthesizedExpression(inner) => open.push(inner.expression()),
            Expr::BinaryOperation(it)
                if it.operator().is_some_and(|token| token.text() == "&&")
                    && parts.len() + open.len() + 2 <= MOST =>
            {
                open.push(it.right());
                open.push(it.left());
            }
            other => parts.push(AssertPart { condition: other, compared: compared(other) }),
        }
    }
    parts
}

fn compared(condition: Expr<'_>) -> Option<Compared<'_>> {
    match condition {
        Expr::BinaryOperation(it) => {
            let operator = it.operator()?.text();
            let compares = ["==", "!=", "=~", "!~", "<", "<=", ">", ">="].contains(&operator);
            compares.then(|| Compared { left: it.left(), right: it.right(), operator })
        }
        Expr::FunctionCall(call) => of_call(call),
        _ => None,
    }
}

fn of_call(call: FunctionCall<'_>) -> Option<Compared<'_>> {
    let operator = call.name().text();
    if !["matches", "hasItem", "contains"].contains(&operator) {
        return None;
    }
    let mut arguments = call.arguments();
    Some(Compared { left: arguments.next()?, right: arguments.next()?, operator })
}

impl AssertPart<'_> {
    pub(crate) fn span(&self) -> Span {
        self.condition.node().span()
    }
}
