//! Calls whose result is known when compiling: files that were loaded, names, environment variables.

use arm::Value;
use syntax::ast::{AstNode as _, Expr, Statement};

use crate::symbols::{Call, Model, SymbolKind};

/// How deep constants may refer to each other.
const MAX_DEPTH: usize = 64;

/// The result of a call that needs no file, or nothing when the call is not of that kind.
pub(crate) fn value_of(model: &Model, call: Call<'_>) -> Option<Value> {
    let function = model.binding(call.node().id()).function()?;
    match function.name() {
        _ if function.is_decorator => None,
        // A scope other than the own has no value of its own.
        "managementGroup" | "resourceGroup" | "subscription" if call.argument(0).is_some() => {
            Some(Value::object::<&str>([]))
        }
        "nameof" => Some(Value::text(name_of(model, call.argument(0)?)?)),
        _ => None,
    }
}

/// The name that `nameof` gives for an expression.
fn name_of(model: &Model, expression: Expr<'_>) -> Option<String> {
    Some(match expression {
        Expr::VariableAccess(it) => it.name().text().to_owned(),
        Expr::PropertyAccess(it) => it.name().text().to_owned(),
        Expr::ResourceAccess(it) => it.name().text().to_owned(),
        Expr::ArrayAccess(it) => constant_text(model, it.index(), 0)?,
        Expr::NonNullAssertion(it) => name_of(model, it.base())?,
        Expr::ParenthesizedExpression(it) => name_of(model, it.expression())?,
        _ => return None,
    })
}

/// The text that an expression is known to have.
pub(crate) fn constant_text(model: &Model, expression: Expr<'_>, depth: usize) -> Option<String> {
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
