//! What speaks of the program rather than of values.

use arm::Value;
use syntax::ast::{AstNode as _, Expr};

use super::row::Becomes;
use super::{Family, Function, FunctionFlags, Overload as O, Parameter as P, Purity};
use crate::check::Checker;
use crate::codes;
use crate::emit::constant_text;
use crate::symbols::{Call, Model};
use crate::types::Ty;

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "any",
        "Says that a value fits wherever it stands: its type is not checked.",
        &[O::always(&[P::new("value", Ty::any)], Ty::any)],
    )
    .becomes(Becomes::Argument),
    row(
        "fail",
        "Ends the deployment with a message when it is evaluated.",
        &[O::always(&[P::new("message", Ty::string)], Ty::never)],
    )
    .purity(Purity::Impure),
    row(
        "nameof",
        "Returns the name of a declaration or property, which an editor renames with it.",
        &[O::call(&[P::new("symbol", Ty::any)], name, Ty::string)],
    )
    .flags(FunctionFlags::IGNORES_VALUES)
    .becomes(Becomes::Value(name_value, "the name")),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::sys(Family::Language, name, doc, overloads)
}

fn name<'m>(_: &mut Checker<'m>, call: Call<'m>, _: &[Ty]) -> Ty {
    match call.argument(0).and_then(name_of) {
        Some(name) => Ty::string_literal(name),
        None => {
            let at = call.argument(0).map_or(call.node().span(), |argument| argument.span());
            Ty::error(codes::NAMELESS.at(at, &[]))
        }
    }
}

/// The name of an expression that is one.
fn name_of(expression: Expr<'_>) -> Option<String> {
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

fn name_value<'m>(model: &'m Model, call: Call<'m>) -> Option<Value> {
    written_name(model, call.argument(0)?).map(Value::text)
}

/// The name that templates get, which looks through constants and assertions.
fn written_name(model: &Model, expression: Expr<'_>) -> Option<String> {
    match expression {
        Expr::ArrayAccess(access) => constant_text(model, access.index(), 0),
        Expr::NonNullAssertion(inner) => written_name(model, inner.base()),
        Expr::ParenthesizedExpression(inner) => written_name(model, inner.expression()),
        other => name_of(other),
    }
}
