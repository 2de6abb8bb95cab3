//! The names of what expressions mention.

use syntax::ast::{AstNode as _, Expr};

use crate::codes;
use crate::symbols::CallSyntax;
use crate::types::Ty;

/// The type of `nameof()`.
pub(super) fn name(call: CallSyntax<'_>) -> Ty {
    match call.argument(0).and_then(name_of) {
        Some(name) => Ty::string_literal(name),
        None => {
            let at = call.argument(0).map_or(call.node().span(), |argument| argument.span());
            Ty::error(codes::NAMELESS.at(at, &[]))
        }
    }
}

/// The name of an expression that is one.
pub(crate) fn name_of(expression: Expr<'_>) -> Option<String> {
    match expression {
        Expr::VariableAccess(access) => Some(access.name().text().to_owned()),
        Expr::PropertyAccess(access) => Some(access.name().text().to_owned()),
        Expr::ResourceAccess(access) => Some(access.name().text().to_owned()),
        Expr::ArrayAccess(access) => match access.index() {
            Expr::String(text) => text.constant().map(Into::into),
            _ => None,
        },
        _ => None,
    }
}
