//! `use-secure-value-for-secure-inputs`: values that are not secret where a resource asks for a secret.

use syntax::ast::{AstNode as _, Expr, Object};

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::types::{Ty, TyKind, TypeFlags, non_null};

pub(super) const RULE: LintRule = LintRule::new(
    "use-secure-value-for-secure-inputs",
    Category::Security,
    "Properties that hold secrets are given values that are secrets.",
    "The type of a resource says which of its properties are secret. A value that is written into the file, or that comes \
        from a parameter that is not `@secure()`, can be read by others. Values that are only known during the deployment \
        are not looked at.",
    &[
        Example::breaks(
            "param adminPassword string

resource app 'Test.Rp/secrets@2024-01-01' = {
  name: 'app'
  properties: {
    password: adminPassword
  }
}
",
            "adminPassword",
        ),
        Example::keeps(
            "@secure()
param adminPassword string

resource app 'Test.Rp/secrets@2024-01-01' = {
  name: 'app'
  properties: {
    password: adminPassword
  }
}
",
        ),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for resource in &model.resources {
        let Some(body) = model.body_object(&resource.body) else { continue };
        let declared = linter.checker.quietly(|checker| checker.declared_resource(resource.symbol));
        let TyKind::Resource(declared) = declared.kind() else { continue };
        let mut open: Vec<(Expr<'_>, Ty)> = vec![(Expr::Object(body), declared.body.clone())];
        while let Some((value, ty)) = open.pop() {
            self::value(linter, value, &ty, &mut open);
        }
    }
}

/// Looks into a value with the type that is asked for at its place.
fn value<'m>(linter: &mut Linter<'_, 'm>, value: Expr<'m>, ty: &Ty, open: &mut Vec<(Expr<'m>, Ty)>) {
    let ty = non_null(ty);
    match value {
        Expr::Object(object) => self::object(linter, object, &ty, open),
        Expr::Array(array) => {
            if let Some((item, _)) = ty.as_list() {
                open.extend(crate::check::array_items(array).map(|value| (value, item.clone())));
            }
        }
        Expr::For(each) => {
            if let Some((item, _)) = ty.as_list() {
                open.push((each.body(), item));
            }
        }
        Expr::ParenthesizedExpression(it) => open.push((it.expression(), ty)),
        Expr::TernaryOperation(it) => {
            open.push((it.true_expression(), ty.clone()));
            open.push((it.false_expression(), ty));
        }
        Expr::IfCondition(it) => open.push((it.body(), ty)),
        _ => {}
    }
}

fn object<'m>(linter: &mut Linter<'_, 'm>, object: Object<'m>, ty: &Ty, open: &mut Vec<(Expr<'m>, Ty)>) {
    let ty = match ty.kind() {
        TyKind::Discriminated(union) => {
            let key = linter.model.property(object, &union.key);
            let key = key.and_then(|it| linter.constant(it.value()));
            let member = key.and_then(|key| union.members.iter().find(|(name, _)| *name == key));
            match member {
                Some((_, member)) => member.get(),
                None => return,
            }
        }
        _ => ty.clone(),
    };
    let Some(known) = ty.as_object() else { return };
    for property in object.properties() {
        let Some(name) = property.key().constant() else { continue };
        let Some(asked) = known.properties.get(name.as_ref()).or(known.additional.as_ref()) else { continue };
        let asked = asked.ty.get();
        let value = property.value();
        if asked.flags().contains(TypeFlags::SECURE) {
            let given = linter.ty(value);
            if is_open(&given) && linter.checker.is_known_early(property.node()) {
                let given = crate::check::discreet(&given, &asked);
                let message = format!("`{name}` is a secret, but its value is not: it is of type `{given}`");
                linter.report(value.span(), message);
            }
        }
        open.push((value, asked));
    }
}

/// Tells whether a value of the type can be seen by others.
fn is_open(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Error(_) | TyKind::Null => false,
        TyKind::StrLit(text) if text.is_empty() => false,
        TyKind::Union(members) => members.iter().any(|member| is_open(&member.get())),
        _ => !ty.flags().contains(TypeFlags::SECURE),
    }
}
