//! Whether a place is somewhere in an expression where another one could stand.

use syntax::ast::{
    Array, AstNode as _, BinaryOperation, Expr, ObjectProperty, TernaryOperation, UnaryOperation,
};
use syntax::{NodeKind, Span, SyntaxToken, TokenKind};

use super::cursor_context::touches;
use super::expected_syntax::{ExpectedSyntax, ValuePlace};
use super::recognize::Recognizer;

impl Recognizer<'_, '_> {
    /// Tells whether the place is somewhere in an expression where another one could stand.
    pub(super) fn is_in_expression(&self) -> bool {
        let Some(node) = self.place.node() else { return false };
        if !self.place.nodes.iter().any(|node| is_expression(node.kind())) {
            return false;
        }
        let offset = self.offset;
        let at = |span: Span| touches(span, offset);
        let has = |expr: Expr<'_>| !matches!(expr, Expr::Skipped(_));
        let Some(token) = self.place.token else {
            return match node.kind() {
                NodeKind::Object
                | NodeKind::Array
                | NodeKind::VariableBlock
                | NodeKind::TypedVariableBlock => false,
                NodeKind::UnaryOperation => {
                    UnaryOperation::cast(node).is_some_and(|it| at(it.operand().span()))
                }
                NodeKind::BinaryOperation => BinaryOperation::cast(node)
                    .is_some_and(|it| at(it.left().span()) || at(it.right().span())),
                NodeKind::TernaryOperation => TernaryOperation::cast(node).is_some_and(|it| {
                    let parts = [it.condition(), it.true_expression(), it.false_expression()];
                    parts.iter().any(|part| at(part.span())) || is_in_gap(it, offset)
                }),
                NodeKind::LocalVariable | NodeKind::For => false,
                _ => true,
            };
        };
        let (starts, ends) = (token.span().start == offset, token.span().end == offset);
        match token.kind() {
            TokenKind::TrueKeyword
            | TokenKind::FalseKeyword
            | TokenKind::NullKeyword
            | TokenKind::Integer => {
                return false;
            }
            TokenKind::StringLeftPiece | TokenKind::StringMiddlePiece if node.kind() == NodeKind::String => {
                return ends;
            }
            TokenKind::StringComplete | TokenKind::StringRightPiece if node.kind() == NodeKind::String => {
                return false;
            }
            _ => {}
        }
        match node.kind() {
            NodeKind::Object
            | NodeKind::Array
            | NodeKind::VariableBlock
            | NodeKind::TypedVariableBlock
            | NodeKind::LocalVariable
            | NodeKind::TypedLocalVariable => false,
            NodeKind::UnaryOperation => {
                UnaryOperation::cast(node).is_some_and(|it| !(starts || ends && has(it.operand())))
            }
            NodeKind::BinaryOperation => BinaryOperation::cast(node)
                .is_some_and(|it| !(starts && has(it.left()) || ends && has(it.right()))),
            NodeKind::TernaryOperation => TernaryOperation::cast(node).is_some_and(|it| {
                let is_question = token.kind() == TokenKind::Question;
                let (before, behind) = if is_question {
                    (it.condition(), it.true_expression())
                } else {
                    (it.true_expression(), it.false_expression())
                };
                !(starts && has(before) || ends && has(behind))
            }),
            _ => true,
        }
    }

    /// Parentheses and conditions ask of their parts what is asked of them.
    pub(super) fn flow_through(&mut self) {
        let through = |kind: NodeKind| {
            matches!(kind, NodeKind::TernaryOperation | NodeKind::ParenthesizedExpression | NodeKind::Skipped)
        };
        // A half-typed name at the place is a part, too.
        let mut nodes = self.place.nodes.iter().rev().peekable();
        if nodes.peek().is_some_and(|node| node.kind() == NodeKind::VariableAccess) {
            nodes.next();
        }
        let mut seen = false;
        for node in nodes {
            match node.kind() {
                kind if through(kind) => {
                    // The condition of a ternary is asked something else.
                    if TernaryOperation::cast(*node)
                        .is_some_and(|it| touches(it.condition().span(), self.offset))
                    {
                        return;
                    }
                    seen = true;
                }
                NodeKind::ObjectProperty if seen => {
                    if let Some(property) = ObjectProperty::cast(*node) {
                        self.add(ExpectedSyntax::Value(ValuePlace::Property(property)));
                    }
                    return;
                }
                NodeKind::Array if seen => {
                    if let Some(array) = Array::cast(*node) {
                        self.add(ExpectedSyntax::Value(ValuePlace::Item(array)));
                    }
                    return;
                }
                _ => return,
            }
        }
    }
}

/// Tells whether an offset is where an outcome of a condition is missing.
fn is_in_gap(ternary: TernaryOperation<'_>, offset: u32) -> bool {
    let start = |token: Option<SyntaxToken<'_>>| token.map(|token| token.span().start);
    let is_missing = |expr: Expr<'_>| matches!(expr, Expr::Skipped(_));
    let (question, colon) = (start(ternary.question()), start(ternary.colon()));
    let first = is_missing(ternary.true_expression())
        && question.is_some_and(|question| question <= offset)
        && colon.is_none_or(|colon| offset <= colon);
    let second = is_missing(ternary.false_expression())
        && colon.is_some_and(|colon| colon <= offset)
        && offset <= ternary.false_expression().span().start;
    first || second
}

fn is_expression(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::BooleanLiteral
            | NodeKind::IntegerLiteral
            | NodeKind::NullLiteral
            | NodeKind::NoneLiteral
            | NodeKind::String
            | NodeKind::Array
            | NodeKind::Object
            | NodeKind::ObjectProperty
            | NodeKind::SpreadExpression
            | NodeKind::ParenthesizedExpression
            | NodeKind::VariableAccess
            | NodeKind::FunctionCall
            | NodeKind::InstanceFunctionCall
            | NodeKind::PropertyAccess
            | NodeKind::ArrayAccess
            | NodeKind::ResourceAccess
            | NodeKind::NonNullAssertion
            | NodeKind::UnaryOperation
            | NodeKind::BinaryOperation
            | NodeKind::TernaryOperation
            | NodeKind::Lambda
            | NodeKind::TypedLambda
    )
}
