//! Types that are parts of other types: `a.b`, `a[0]`, `a[*]`.

use smol_str::SmolStr;
use syntax::Span;
use syntax::ast::{AstNode as _, Expr, Statement, TypeExpr};

use super::{no_namespace, unwrapped};
use crate::check::Checker;
use crate::check::access::unknown_property;
use crate::codes;
use crate::finding::Finding;
use crate::symbols::Binding;
use crate::types::{Ambient, BuiltIn, PropertyFlags, Role, Ty, TyKind, azure, without_null};

impl<'m> Checker<'m> {
    /// What a type access starts from.
    pub(super) fn type_base(&mut self, base: TypeExpr<'m>, at: Span) -> Result<Ty, Ty> {
        let ty = no_namespace(self.type_node(base.node()).get(), base.span());
        let ty = without_null(&ty).unwrap_or(ty);
        if ty.is_error() {
            return Err(ty);
        }
        if !self.has_name(base) {
            return Err(Ty::error(codes::NAMED_TYPE_REQUIRED.at(at, &[])));
        }
        Ok(ty)
    }

    pub(super) fn has_name(&self, base: TypeExpr<'m>) -> bool {
        match base {
            TypeExpr::TypePropertyAccess(_)
            | TypeExpr::TypeAdditionalPropertiesAccess(_)
            | TypeExpr::TypeArrayAccess(_)
            | TypeExpr::TypeItemsAccess(_)
            | TypeExpr::TypeVariableAccess(_) => true,
            TypeExpr::ParameterizedTypeInstantiation(it) => {
                matches!(self.model.binding(it.node().id()), Binding::Ambient(_))
            }
            TypeExpr::InstanceParameterizedTypeInstantiation(it) => {
                matches!(self.model.binding(it.node().id()), Binding::Ambient(_))
            }
            _ => false,
        }
    }

    pub(super) fn accessed_type(&mut self, base: TypeExpr<'m>, at: Span, name: &str, name_at: Span) -> Ty {
        let base_type = self.type_node(base.node()).get();
        let member = self.type_member(&base_type, name, name_at);
        if member.is_error() {
            return match self.untyped_resource(base, 0).filter(|_| !base_type.is_error()) {
                Some(resource) => {
                    let explained = member.findings().iter().map(|finding| {
                        let message = format!(
                            "{}; there are no types for `{resource}`, so only the properties that every resource has are known",
                            finding.message
                        );
                        Finding { message: message.into(), ..finding.clone() }
                    });
                    Ty::errors(explained.collect())
                }
                None => member,
            };
        }
        if !self.has_name(base) {
            return Ty::error(codes::NAMED_TYPE_REQUIRED.at(at, &[]));
        }
        member
    }

    /// The resource that a type is a part of, if there are no types for it.
    pub(super) fn untyped_resource(&mut self, ty: TypeExpr<'m>, depth: usize) -> Option<String> {
        const MAX_STEPS: usize = 64;
        if depth > MAX_STEPS {
            return None;
        }
        let (ambient, argument) = match ty {
            TypeExpr::ParenthesizedType(it) => return self.untyped_resource(it.expression(), depth + 1),
            TypeExpr::TypePropertyAccess(it) => return self.untyped_resource(it.base(), depth + 1),
            TypeExpr::TypeArrayAccess(it) => return self.untyped_resource(it.base(), depth + 1),
            TypeExpr::TypeItemsAccess(it) => return self.untyped_resource(it.base(), depth + 1),
            TypeExpr::TypeAdditionalPropertiesAccess(it) => {
                return self.untyped_resource(it.base(), depth + 1);
            }
            TypeExpr::TypeVariableAccess(it) => {
                let symbol = self.model.symbol_at(it.node())?;
                let Some(Statement::TypeDeclaration(alias)) = self.model.statement_of(symbol) else {
                    return None;
                };
                return self.untyped_resource(alias.value(), depth + 1);
            }
            TypeExpr::ParameterizedTypeInstantiation(it) => (it.node(), it.arguments().next()?),
            TypeExpr::InstanceParameterizedTypeInstantiation(it) => (it.node(), it.arguments().next()?),
            _ => return None,
        };
        if !matches!(self.model.binding(ambient.id()), Binding::Ambient(_)) {
            return None;
        }
        let TypeExpr::StringTypeLiteral(text) = argument else { return None };
        let how = azure::DeclarationFlags::default();
        let resource = self.resource_type_named(&text.constant()?, argument.span(), how, None).ok()?;
        (!resource.is_defined).then(|| resource.reference.full_name())
    }

    pub(super) fn type_member(&mut self, base: &Ty, name: &str, at: Span) -> Ty {
        let base = without_null(base).unwrap_or_else(|| base.clone());
        if base.is_error() {
            return base;
        }
        let Some(object) = base.as_object() else {
            return Ty::error(codes::PROPERTY_OF_NON_OBJECT.at(at, &[&base]));
        };
        match object.properties.get(name) {
            Some(property) => unwrapped(property.ty.get()),
            None => {
                let readable =
                    object.properties.iter().filter(|(_, it)| !it.flags.contains(PropertyFlags::WRITE_ONLY));
                let mut names: Vec<SmolStr> = readable.map(|(name, _)| name.clone()).collect();
                if matches!(object.role, Role::BuiltIn(BuiltIn::Sys)) {
                    names.extend(Ambient::ALL.into_iter().map(|ambient| SmolStr::new(ambient.name())));
                }
                Ty::error(unknown_property(&base, &names, name, false, at))
            }
        }
    }

    pub(super) fn indexed_type(&mut self, base: TypeExpr<'m>, index: Expr<'m>, at: Span) -> Ty {
        match index {
            Expr::IntegerLiteral(literal) => match self.type_base(base, at) {
                Ok(ty) => {
                    let TyKind::Tuple(items) = ty.kind() else {
                        return Ty::error(codes::TUPLE_REQUIRED.at(index.span(), &[&ty]));
                    };
                    let place = usize::try_from(literal.value()).ok();
                    match place.and_then(|place| items.get(place)) {
                        Some(item) => unwrapped(item.get()),
                        None => Ty::error(
                            codes::TUPLE_INDEX.at(index.span(), &[&ty, &items.len(), &literal.value()]),
                        ),
                    }
                }
                Err(error) => error,
            },
            Expr::UnaryOperation(operation) if crate::check::nodes::is_minus(operation) => {
                Ty::error(codes::NEGATIVE_TYPE_INDEX.at(index.span(), &[]))
            }
            Expr::String(text) if text.constant().is_some() => {
                let name = text.constant().unwrap_or_default();
                self.accessed_type(base, at, &name, index.span())
            }
            _ => Ty::error(codes::CONSTANT_REQUIRED.at(index.span(), &[])),
        }
    }
}
