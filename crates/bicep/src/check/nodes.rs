//! Small questions about nodes that many checks ask.

use syntax::ast::{
    Array, ArrayAccess, AstNode as _, Expr, For, LocalVariable, Object, ObjectProperty, Statement,
    UnaryOperation, VariableBlock,
};
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode, TokenKind};

/// The span from the start of one to the end of the other.
pub(super) fn between(from: Span, to: Span) -> Span {
    Span::new(from.start, to.end.max(from.start))
}

/// The properties of an object whose name is known, in source order.
pub(super) fn named_properties<'t>(object: Object<'t>) -> impl Iterator<Item = (String, ObjectProperty<'t>)> {
    object.properties().filter_map(|property| Some((property.key().constant()?.into_owned(), property)))
}

/// The property with a name.
pub(super) fn property<'t>(object: Object<'t>, name: &str) -> Option<ObjectProperty<'t>> {
    object.properties().find(|property| property.key().constant().as_deref() == Some(name))
}

/// The value of a whole number that is written out, with or without a minus.
pub(crate) fn integer(expr: Expr<'_>) -> Option<i64> {
    match expr {
        Expr::IntegerLiteral(literal) => i64::try_from(literal.value()).ok(),
        Expr::UnaryOperation(operation) if is_minus(operation) => match operation.operand() {
            Expr::IntegerLiteral(literal) if literal.value() == 1 << 63 => Some(i64::MIN),
            Expr::IntegerLiteral(literal) => i64::try_from(literal.value()).ok().map(|value| -value),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn is_minus(operation: UnaryOperation<'_>) -> bool {
    operation.operator().is_some_and(|token| token.kind() == TokenKind::Minus)
}

/// The variables of a loop: the item and the index.
pub(super) fn loop_variables(each: For<'_>) -> (Option<LocalVariable<'_>>, Option<LocalVariable<'_>>) {
    let mut variables = variables(each.variables());
    (variables.next(), variables.next())
}

/// The variables of a loop or lambda, whether in parentheses or not.
pub(super) fn variables(element: Option<SyntaxElement<'_>>) -> impl Iterator<Item = LocalVariable<'_>> {
    let node = element.and_then(SyntaxElement::node);
    let lone = node.and_then(LocalVariable::cast);
    let block = node.and_then(VariableBlock::cast);
    lone.into_iter().chain(block.into_iter().flat_map(VariableBlock::variables))
}

/// The body of a resource or module: the object behind loops and conditions.
pub(crate) fn body(value: Expr<'_>) -> Option<Object<'_>> {
    let value = match value {
        Expr::For(each) => each.body(),
        value => value,
    };
    let value = match value {
        Expr::IfCondition(condition) => condition.body(),
        value => value,
    };
    match value {
        Expr::Object(object) => Some(object),
        _ => None,
    }
}

/// The condition of a resource or module.
pub(super) fn condition(value: Expr<'_>) -> Option<Expr<'_>> {
    let value = match value {
        Expr::For(each) => each.body(),
        value => value,
    };
    match value {
        Expr::IfCondition(condition) => Some(condition.condition()),
        _ => None,
    }
}

/// The items of an array that are no spreads.
pub(crate) fn items(array: Array<'_>) -> impl Iterator<Item = Expr<'_>> {
    array.values().filter(|value| !matches!(value, Expr::SpreadExpression(_)))
}

/// Tells whether an access is `.?` or `[?`.
pub(super) fn is_safe(expr: Expr<'_>) -> bool {
    match expr {
        Expr::PropertyAccess(access) => access.safe_access().is_some(),
        Expr::ArrayAccess(access) => access.safe_access().is_some(),
        _ => false,
    }
}

/// What stands before the dot or bracket of an access.
pub(super) fn base(expr: Expr<'_>) -> Option<Expr<'_>> {
    match expr {
        Expr::PropertyAccess(access) => Some(access.base()),
        Expr::ArrayAccess(access) => Some(access.base()),
        _ => None,
    }
}

/// The span of the brackets of an access.
pub(super) fn brackets(access: ArrayAccess<'_>) -> Span {
    let whole = access.span();
    let open = access.open_square().map_or(whole, |token| token.span());
    let close = access.close_square().map_or(whole, |token| token.span());
    between(open, close)
}

/// The base and the index of an access by index; anything else without an index.
pub(super) fn unindexed(expr: Expr<'_>) -> (Expr<'_>, Option<Expr<'_>>) {
    match expr {
        Expr::ArrayAccess(access) => (access.base(), Some(access.index())),
        other => (other, None),
    }
}

/// An expression without `!` and, with it, whether there was one; parentheses are looked through.
pub(super) fn unasserted(mut expr: Expr<'_>) -> (Expr<'_>, bool) {
    let mut asserted = false;
    loop {
        expr = match expr {
            Expr::NonNullAssertion(inner) => {
                asserted = true;
                inner.base()
            }
            Expr::ParenthesizedExpression(inner) => inner.expression(),
            other => return (other, asserted),
        };
    }
}

/// An expression without `!` around it.
pub(super) fn without_assertion(mut expr: Expr<'_>) -> Expr<'_> {
    while let Expr::NonNullAssertion(inner) = expr {
        expr = inner.base();
    }
    expr
}

/// The name of a declaration, and where it stands.
pub(crate) fn declared_name(statement: Statement<'_>) -> Option<(syntax::ast::Name<'_>, &str)> {
    Some(match statement {
        Statement::MetadataDeclaration(it) => (it.name(), "metadata"),
        Statement::ParameterDeclaration(it) => (it.name(), "param"),
        Statement::VariableDeclaration(it) => (it.name(), "var"),
        Statement::TypeDeclaration(it) => (it.name(), "type"),
        Statement::FunctionDeclaration(it) => (it.name(), "func"),
        Statement::ResourceDeclaration(it) => (it.name(), "resource"),
        Statement::ModuleDeclaration(it) => (it.name(), "module"),
        Statement::TestDeclaration(it) => (it.name(), "test"),
        Statement::OutputDeclaration(it) => (it.name(), "output"),
        Statement::AssertDeclaration(it) => (it.name(), "assert"),
        Statement::ParameterAssignment(it) => (it.name(), "param"),
        _ => return None,
    })
}

/// Tells whether a node is the value of a property.
pub(super) fn is_property_value(parent: SyntaxNode<'_>, node: SyntaxNode<'_>) -> bool {
    parent.kind() == NodeKind::ObjectProperty
        && ObjectProperty::cast(parent).is_some_and(|property| property.value().node() == node)
}
