//! What is asked of the use of a built-in decorator: one arm for each rule.

use syntax::ast::{AstNode as _, Expr, Statement, TypeExpr};
use syntax::{NodeKind, Span, SyntaxNode};

use super::Checker;
use super::decorators::bare_type;
use super::nodes::{declared_name, integer as constant_integer, items as array_items};
use crate::codes;
use crate::decorators::{Decorator, UseRule, is_existing};
use crate::language::Dialect;
use crate::symbols::{CallSyntax, SymbolKind};
use crate::types::{
    Ambient, Object, Property, PropertyFlags, Range, Ty, TyKind, assignable, is_literal, primitive,
};

/// The use of a built-in decorator.
pub(super) struct DecoratorUse<'m> {
    pub(super) decorator: &'static Decorator,
    pub(super) at: Span,
    pub(super) call: CallSyntax<'m>,
    pub(super) target: SyntaxNode<'m>,
    /// The type that the declaration writes, without its question mark. Finding it takes a look at all decorators.
    pub(super) written: Option<TypeExpr<'m>>,
    /// The type of what it decorates, null aside.
    pub(super) ty: Ty,
    /// Whether it can be attached to that type.
    pub(super) fits: bool,
}

impl<'m> Checker<'m> {
    /// Asks what a rule asks of a use.
    pub(super) fn check_use(&mut self, rule: UseRule, used: &DecoratorUse<'m>) {
        match rule {
            UseRule::NoAlias => check_value(self, used),
            UseRule::Secure => check_secure(self, used),
            UseRule::Length => check_length(self, used),
            UseRule::Allowed => check_allowed(self, used),
            UseRule::Metadata => check_metadata(self, used),
            UseRule::Sealed => check_sealed(self, used),
            UseRule::Discriminator => check_discriminator(self, used),
            UseRule::Export => check_export(self, used),
            UseRule::BatchSize => check_batch_size(self, used),
            UseRule::NullIfNotFound => check_null_if_not_found(self, used),
            UseRule::Deployed => check_deployed(self, used),
            UseRule::WaitUntil => check_wait_until(self, used),
        }
    }
}

fn check_secure<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    if !used.fits {
        return;
    }
    if primitive(&used.ty).is_none() {
        checker.push(codes::SECURE_TARGET.at(used.at, &[]));
    }
    check_value(checker, used);
}

/// Limits belong to the type itself, not to a name for it.
fn check_value<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    if used.written.is_some_and(|ty| is_alias(checker, ty)) {
        checker.push(codes::DECORATOR_ON_ALIAS.at(used.at, &[&used.decorator.name]));
    }
}

fn check_length<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    check_value(checker, used);
    if matches!(used.ty.kind(), TyKind::Union(_)) || is_literal(&used.ty) {
        checker.push(codes::DECORATOR_ON_LITERAL.at(used.at, &[&used.decorator.name]));
    }
    if let Some(length) = used.call.argument(0)
        && constant_integer(length).is_some_and(|value| value < 0)
    {
        checker.push(codes::NEGATIVE_LENGTH.at(length.span(), &[]));
    }
}

fn check_allowed<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    check_value(checker, used);
    if let Some(written) = used.written
        && is_literal_syntax(checker, written)
    {
        checker.push(codes::DECORATOR_ON_LITERAL.at(used.at, &[&used.decorator.name]));
    }
    let Some(values) = used.call.argument(0) else { return };
    if assignable(&used.ty, &Ty::array())
        && let Expr::Array(array) = values
        && array_items(array).all(|item| !matches!(item, Expr::Array(_)))
    {
        return;
    }
    checker.narrow(values, &Ty::array_of(used.ty.clone(), Range::default()));
}

fn is_literal_syntax<'m>(checker: &mut Checker<'m>, ty: TypeExpr<'m>) -> bool {
    match ty {
        TypeExpr::IntegerTypeLiteral(_)
        | TypeExpr::BooleanTypeLiteral(_)
        | TypeExpr::UnaryTypeOperation(_)
        | TypeExpr::StringTypeLiteral(_)
        | TypeExpr::UnionType(_) => true,
        TypeExpr::ObjectType(_) | TypeExpr::TupleType(_) => is_literal(&checker.type_node(ty.node()).get()),
        _ => false,
    }
}

fn check_metadata<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    if let Some(value) = used.call.argument(0) {
        checker.narrow(value, &metadata_type());
    }
}

/// What `@metadata()` takes.
fn metadata_type() -> Ty {
    let constant = PropertyFlags::CONSTANT;
    Ty::object_of(Object {
        name: "ParameterModifierMetadata".into(),
        properties: [("description".into(), Property::new(Ty::string(), constant))].into(),
        additional: Some(Property::new(Ty::any(), constant)),
        ..Object::default()
    })
}

fn check_sealed<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    match used.written {
        Some(TypeExpr::ParameterizedTypeInstantiation(it))
            if Ambient::from_name(it.name().text()).is_some() =>
        {
            checker.push(codes::DECORATOR_ON_DERIVED.at(used.at, &[&used.decorator.name]));
        }
        Some(TypeExpr::ObjectType(it)) if it.additional_properties().next().is_some() => {
            checker.push(codes::SEALED_WITH_ADDITIONAL.at(used.at, &[]));
        }
        _ => {}
    }
}

fn check_discriminator<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    let TyKind::Discriminated(union) = used.ty.kind() else {
        return checker.push(codes::DISCRIMINATOR_TARGET.at(used.at, &[]));
    };
    let given = match used.call.argument(0) {
        Some(Expr::String(text)) => text.constant(),
        _ => None,
    };
    if given.is_some_and(|given| given != union.key.as_str()) {
        checker.push(codes::OTHER_DISCRIMINATOR.at(used.at, &[&union.key]));
    }
}

fn is_alias(checker: &Checker<'_>, ty: TypeExpr<'_>) -> bool {
    match bare_type(ty) {
        TypeExpr::TypeVariableAccess(access) => {
            checker.model.symbol_at(access.node()).is_some_and(|symbol| {
                matches!(
                    checker.model.symbol(symbol).kind,
                    SymbolKind::Type | SymbolKind::WildcardImport | SymbolKind::Imported(_)
                )
            })
        }
        TypeExpr::TypePropertyAccess(it) => is_alias(checker, it.base()),
        TypeExpr::TypeAdditionalPropertiesAccess(it) => is_alias(checker, it.base()),
        TypeExpr::TypeArrayAccess(it) => is_alias(checker, it.base()),
        TypeExpr::TypeItemsAccess(it) => is_alias(checker, it.base()),
        _ => false,
    }
}

fn check_export<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    if Statement::cast(used.target).and_then(declared_name).is_none() {
        checker.push(codes::EXPORT_TARGET.at(used.at, &[]));
    }
    let Some(symbol) = checker.model.symbol_at(used.target) else { return };
    let mut wrong: Vec<String> = Vec::new();
    for symbol in checker.closure(symbol) {
        let known = checker.model.symbol(symbol);
        let exportable = matches!(
            known.kind,
            SymbolKind::Variable
                | SymbolKind::Type
                | SymbolKind::Function
                | SymbolKind::Imported(_)
                | SymbolKind::WildcardImport
        ) || known.kind.is_local();
        if !exportable {
            wrong.push(known.name.to_string());
        }
    }
    if !wrong.is_empty() {
        wrong.sort();
        checker.push(codes::NOT_EXPORTABLE.at(used.at, &[&codes::list(wrong)]));
    }
}

fn check_batch_size<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    if !assignable(&used.ty, &Ty::array()) {
        checker.push(codes::BATCH_TARGET.at(used.at, &[&used.decorator.name]));
    }
    if let Some(argument) = used.call.argument(0)
        && let Some(size) = constant_integer(argument)
        && size < 1
    {
        checker.push(codes::BATCH_SIZE.at(argument.span(), &[&1, &size]));
    }
}

fn check_null_if_not_found<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    if !is_existing(used.target) && used.target.kind() == NodeKind::ResourceDeclaration {
        checker.push(codes::NULL_IF_NOT_FOUND.at(used.at, &[]));
    }
}

/// What is not deployed has no options of a deployment.
fn check_deployed<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    if checker.model.dialect == Dialect::Tendon && is_existing(used.target) {
        checker.push(codes::OPTION_ON_EXISTING.at(used.at, &[&used.decorator.name]));
    }
}

fn check_wait_until<'m>(checker: &mut Checker<'m>, used: &DecoratorUse<'m>) {
    check_deployed(checker, used);
    if checker.model.dialect == Dialect::Tendon
        && let Some(Expr::String(duration)) = used.call.argument(1)
        && let Some(text) = duration.constant()
        && arm::functions::duration_in_milliseconds(&text).is_none()
    {
        checker.push(codes::INVALID_DURATION.at(duration.span(), &[&text]));
    }
}
