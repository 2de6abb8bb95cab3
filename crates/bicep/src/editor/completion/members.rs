//! What can be named behind a dot or `::`: properties, methods, members of namespaces and nested resources.

use syntax::ast::{
    AstNode as _, Expr, PropertyAccess, ResourceAccess, Statement, TypeExpr, TypePropertyAccess,
};

use super::Completer;
use super::item::{BEFORE_MEMBER, Completion, CompletionKind, Priority};
use super::recognize::body;
use crate::symbols::{Binding, SymbolKind};
use crate::types::{Ambient, BuiltIn, PropertyFlags, Role, Ty, TyKind, non_null};

impl<'m> Completer<'_, 'm> {
    pub(super) fn members(&mut self, access: PropertyAccess<'m>) {
        if let Binding::Namespace(namespace) = self.model.binding(access.base().node().id()) {
            return self.namespace_members(namespace);
        }
        let ty = self.known_type(access.base());
        self.member_properties(access, &ty);
        self.methods_of(&ty);
    }

    /// What can be called behind a dot.
    pub(super) fn methods(&mut self, base: Expr<'m>) {
        if let Binding::Namespace(namespace) = self.model.binding(base.node().id()) {
            return self.namespace_functions(namespace);
        }
        let ty = self.known_type(base);
        self.methods_of(&ty);
    }

    fn methods_of(&mut self, ty: &Ty) {
        let body = non_null(ty).body();
        let TyKind::Object(object) = body.kind() else { return };
        if let Role::BuiltIn(namespace) = object.role {
            return self.namespace_members(namespace);
        }
        let Some(methods) = object.methods.clone() else { return };
        let mut names: Vec<_> = methods.iter().map(|method| method.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names.iter().filter(|name| !name.ends_with('*')) {
            let signatures = methods.named(name);
            let item = self.signatures_item(name, name, &signatures, "");
            self.out.push(item);
        }
    }

    /// What a built-in namespace has: functions, and the types of the language.
    fn namespace_members(&mut self, namespace: BuiltIn) {
        self.namespace_functions(namespace);
        if namespace == BuiltIn::Sys {
            for ambient in Ambient::ALL {
                let name = ambient.name();
                let item =
                    Completion::plain(CompletionKind::Property, name, Priority::Medium, self.span, name);
                let about = format!("Type: `Type<{name}>`  \n");
                self.out.push(item.detail(name).documentation(about).commit(BEFORE_MEMBER));
            }
        }
    }

    /// The resources that are declared in the body of another one.
    pub(super) fn nested_names(&mut self, access: ResourceAccess<'m>) {
        let Some(symbol) = self.model.symbol_in(access.base()) else { return };
        let Some(Statement::ResourceDeclaration(outer)) = self.model.statement_of(symbol) else { return };
        let declarations = body(outer.value()).into_iter().flat_map(syntax::ast::Object::declarations);
        for declaration in declarations {
            if let Some(symbol) = self.model.symbol_at(declaration.node())
                && self.model.symbol(symbol).kind == SymbolKind::Resource
            {
                let name = self.model.symbol(symbol).name.clone();
                let item = self.symbol_item(symbol, &name, Priority::Medium);
                self.out.push(item);
            }
        }
    }

    /// The members of a type.
    pub(super) fn type_members(&mut self, access: TypePropertyAccess<'m>) {
        let ty = self.base_type(access.base());
        let span = self.span;
        let has_others = match ty.body().kind() {
            TyKind::Object(object) => {
                let additional = object.additional.as_ref();
                additional.is_some_and(|property| !property.flags.contains(PropertyFlags::FALLBACK))
            }
            _ => false,
        };
        for (name, property) in self.properties(&ty) {
            let item = Completion::plain(
                CompletionKind::Property,
                name.clone(),
                Priority::Medium,
                span,
                name.as_str(),
            );
            self.out.push(super::properties::described(item, &name, &property).commit(BEFORE_MEMBER));
        }
        if has_others {
            let item = Completion::plain(CompletionKind::Property, "*", Priority::Low, span, "*");
            self.out.push(item.commit(BEFORE_MEMBER));
        }
    }

    /// What stands in brackets behind the type of a list.
    pub(super) fn type_index(&mut self, base: TypeExpr<'m>) {
        if self.base_type(base).is_list() {
            let item = Completion::plain(CompletionKind::Property, "*", Priority::High, self.span, "*");
            self.out.push(item.detail("Access array item type"));
        }
    }

    /// The type that stands before a dot or bracket of a type.
    fn base_type(&mut self, base: TypeExpr<'m>) -> Ty {
        if let TypeExpr::TypeVariableAccess(access) = base
            && let Some(symbol) = self.model.symbol_at(access.node())
            && self.model.symbol(symbol).kind == SymbolKind::WildcardImport
        {
            return self.checker.symbol_type(symbol);
        }
        let ty = self.checker.type_node(base.node()).get();
        let ty = match ty.kind() {
            TyKind::TypeOf(inner) => inner.clone(),
            _ => ty,
        };
        non_null(&ty)
    }
}
