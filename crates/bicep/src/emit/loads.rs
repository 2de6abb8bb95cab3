//! Calls whose result is known when compiling: files that were loaded, names, environment variables.

use arm::Value;
use syntax::ast::{AstNode as _, Expr, Statement};

use crate::check;
use crate::functions::{Becomes, ValueRule};
use crate::symbols::{CallSyntax, Model, SymbolKind};

/// How deep constants may refer to each other.
const MAX_DEPTH: usize = 64;

/// The result of a call that needs no file, or nothing when the call is not of that kind.
pub(crate) fn value_of<'m>(model: &'m Model, call: CallSyntax<'m>) -> Option<Value> {
    match model.binding(call.node().id()).function()?.becomes {
        Becomes::Value(rule, _) => known_value(model, rule, call),
        Becomes::Call
        | Becomes::Argument
        | Becomes::Loaded
        | Becomes::Input(_)
        | Becomes::SecretReference
        | Becomes::Expression(..) => None,
    }
}

fn known_value(model: &Model, rule: ValueRule, call: CallSyntax<'_>) -> Option<Value> {
    let argument = call.argument(0)?;
    match rule {
        ValueRule::MentionedName => written_name(model, argument).map(Value::text),
        ValueRule::NothingElsewhere => Some(Value::object::<&str>([])),
    }
}

/// The name that templates get, which looks through constants and assertions.
fn written_name(model: &Model, expression: Expr<'_>) -> Option<String> {
    match expression {
        Expr::ArrayAccess(access) => constant_text(model, access.index(), 0),
        Expr::NonNullAssertion(inner) => written_name(model, inner.base()),
        Expr::ParenthesizedExpression(inner) => written_name(model, inner.expression()),
        other => check::name_of(other),
    }
}

/// The text that an expression is known to have.
pub(super) fn constant_text(model: &Model, expression: Expr<'_>, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    match expression {
        Expr::String(string) => {
            let mut text = String::new();
            let mut holes = string.holes();
            for segment in string.segments() {
                text.push_str(&segment);
                if let Some(hole) = holes.next() {
                    text.push_str(&constant_text(model, hole, depth + 1)?);
                }
            }
            Some(text)
        }
        Expr::IntegerLiteral(it) if depth > 0 => Some(it.value().to_string()),
        Expr::ParenthesizedExpression(it) => constant_text(model, it.expression(), depth + 1),
        Expr::VariableAccess(it) => {
            let symbol = model.symbol_at(it.node())?;
            if model.symbol(symbol).kind != SymbolKind::Variable {
                return None;
            }
            match model.statement_of(symbol)? {
                Statement::VariableDeclaration(variable) => constant_text(model, variable.value(), depth + 1),
                _ => None,
            }
        }
        _ => None,
    }
}
