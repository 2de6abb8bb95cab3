//! Values that have to be known when the program is compiled.

use syntax::ast::AstNode as _;
use syntax::{NodeKind, SyntaxNode};

use super::super::{Checker, nodes};
use crate::codes;
use crate::finding::Finding;

impl<'m> Checker<'m> {
    /// Reports values that are not known when the program is compiled.
    pub(in crate::check) fn require_constant(expr: SyntaxNode<'m>, out: &mut Vec<Finding>) {
        match expr.kind() {
            NodeKind::ArrayAccess
            | NodeKind::BinaryOperation
            | NodeKind::FunctionCall
            | NodeKind::InstanceFunctionCall
            | NodeKind::For
            | NodeKind::ParenthesizedExpression
            | NodeKind::PropertyAccess
            | NodeKind::TernaryOperation
            | NodeKind::VariableAccess => out.push(codes::CONSTANT_REQUIRED.at(expr.span(), &[])),
            NodeKind::String if expr.slot_count() > 1 => {
                out.push(codes::CONSTANT_REQUIRED.at(expr.span(), &[]))
            }
            NodeKind::UnaryOperation
                if !syntax::ast::UnaryOperation::cast(expr).is_some_and(nodes::is_minus) =>
            {
                out.push(codes::CONSTANT_REQUIRED.at(expr.span(), &[]));
            }
            _ => expr.child_nodes().for_each(|child| Self::require_constant(child, out)),
        }
    }
}
