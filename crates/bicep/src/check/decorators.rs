//! Decorators: what they can be attached to, and what follows them.

use syntax::ast::{AstNode as _, Decorator, Expr, Statement, TypeExpr};
use syntax::{NodeKind, SyntaxNode};

use super::{Checker, codes, nodes};
use crate::functions::{Function, FunctionFlags as F};
use crate::symbols::{Ambient, Binding, Call, SymbolId, SymbolKind};
use crate::types::{
    Kind, Object, Property, PropertyFlags, Range, Ty, assignable, is_literal, primitive, union_of,
    without_null,
};

impl<'m> Checker<'m> {
    /// Checks the decorators of a declaration or part of a type.
    pub(super) fn check_decorators(&mut self, target: SyntaxNode<'m>, ty: &Ty) {
        let mut used: Vec<(&'static str, Decorator<'m>)> = Vec::new();
        for decorator in target.decorators() {
            let expression = decorator.expression();
            let found = self.ty(expression);
            if found.is_error() {
                self.out.extend_from_slice(found.findings());
                continue;
            }
            match self.model.binding(expression.node().id()) {
                Binding::Symbol(_) | Binding::Namespace(_) => {
                    self.push(codes::NOT_CALLABLE.at(expression.span(), &[]));
                }
                Binding::Function(function) if function.is_decorator => {
                    if let Some(call) = Call::of(expression) {
                        used.push((function.name(), decorator));
                        self.attach(function, decorator, call, target, ty);
                    }
                }
                _ => {}
            }
        }
        for (name, decorator) in &used {
            if used.iter().filter(|(other, _)| other == name).count() > 1 {
                self.push(codes::DUPLICATE_DECORATOR.at(decorator.span(), &[name]));
            }
        }
    }

    fn attach(
        &mut self,
        function: Function,
        decorator: Decorator<'m>,
        call: Call<'m>,
        target: SyntaxNode<'m>,
        ty: &Ty,
    ) {
        let ty = without_null(ty).unwrap_or_else(|| ty.clone());
        if ty.is_error() {
            return;
        }
        let name = function.name();
        let attachable = match name {
            "secure" => union_of([Ty::string(), Ty::object()]),
            "minValue" | "maxValue" => Ty::int(),
            "minLength" | "maxLength" => union_of([Ty::string(), Ty::array()]),
            "sealed" | "discriminator" => Ty::object(),
            _ => Ty::any(),
        };
        let fits = assignable(&ty, &attachable);
        if !fits && !attachable.is_any() {
            self.push(codes::DECORATOR_TARGET.at(decorator.span(), &[&name, &attachable, &ty]));
        }
        let at = decorator.span();
        match name {
            "secure" if fits => {
                if primitive(&ty).is_none() {
                    self.push(codes::SECURE_TARGET.at(at, &[]));
                }
                self.not_alias(name, decorator, target);
            }
            "minValue" | "maxValue" => self.not_alias(name, decorator, target),
            "minLength" | "maxLength" => {
                self.not_alias(name, decorator, target);
                if matches!(ty.kind(), Kind::Union(_)) || is_literal(&ty) {
                    self.push(codes::DECORATOR_ON_LITERAL.at(at, &[&name]));
                }
                if let Some(length) = call.argument(0)
                    && nodes::integer(length).is_some_and(|value| value < 0)
                {
                    self.push(codes::NEGATIVE_LENGTH.at(length.span(), &[]));
                }
            }
            "allowed" => self.allowed_values(name, decorator, call, target, &ty),
            "metadata" => {
                if let Some(value) = call.argument(0) {
                    self.narrow(value, &metadata_type());
                }
            }
            "batchSize" => self.batch_size(name, decorator, call, &ty),
            "sealed" => self.sealed(name, decorator, target),
            "discriminator" => match ty.kind() {
                Kind::Discriminated(union) => {
                    let given = match call.argument(0) {
                        Some(Expr::String(text)) => text.constant(),
                        _ => None,
                    };
                    if given.is_some_and(|given| given != union.key.as_str()) {
                        self.push(codes::OTHER_DISCRIMINATOR.at(at, &[&union.key]));
                    }
                }
                _ => self.push(codes::DISCRIMINATOR_TARGET.at(at, &[])),
            },
            "nullIfNotFound" => {
                let existing = match Statement::cast(target) {
                    Some(Statement::ResourceDeclaration(it)) => it.existing().is_some(),
                    _ => true,
                };
                if !existing {
                    self.push(codes::NULL_IF_NOT_FOUND.at(at, &[]));
                }
            }
            "export" => self.exported(decorator, target),
            _ => {}
        }
    }

    fn allowed_values(
        &mut self,
        name: &str,
        decorator: Decorator<'m>,
        call: Call<'m>,
        target: SyntaxNode<'m>,
        ty: &Ty,
    ) {
        self.not_alias(name, decorator, target);
        if let Some(written) = written(target).map(bare_type)
            && self.is_literal_syntax(written)
        {
            self.push(codes::DECORATOR_ON_LITERAL.at(decorator.span(), &[&name]));
        }
        let Some(values) = call.argument(0) else { return };
        if assignable(ty, &Ty::array())
            && let Expr::Array(array) = values
            && nodes::items(array).all(|item| !matches!(item, Expr::Array(_)))
        {
            return;
        }
        self.narrow(values, &Ty::array_of(ty.clone(), Range::default()));
    }

    fn is_literal_syntax(&mut self, ty: TypeExpr<'m>) -> bool {
        match ty {
            TypeExpr::IntegerTypeLiteral(_)
            | TypeExpr::BooleanTypeLiteral(_)
            | TypeExpr::UnaryTypeOperation(_)
            | TypeExpr::StringTypeLiteral(_)
            | TypeExpr::UnionType(_) => true,
            TypeExpr::ObjectType(_) | TypeExpr::TupleType(_) => is_literal(&self.type_node(ty.node()).get()),
            _ => false,
        }
    }

    fn batch_size(&mut self, name: &str, decorator: Decorator<'m>, call: Call<'m>, ty: &Ty) {
        if !assignable(ty, &Ty::array()) {
            self.push(codes::BATCH_TARGET.at(decorator.span(), &[&name]));
        }
        if let Some(argument) = call.argument(0)
            && let Some(size) = nodes::integer(argument)
            && size < 1
        {
            self.push(codes::BATCH_SIZE.at(argument.span(), &[&1, &size]));
        }
    }

    fn sealed(&mut self, name: &str, decorator: Decorator<'m>, target: SyntaxNode<'m>) {
        let Some(ty) = written(target).map(bare_type) else { return };
        match ty {
            TypeExpr::ParameterizedTypeInstantiation(it)
                if Ambient::from_name(it.name().text()).is_some() =>
            {
                self.push(codes::DECORATOR_ON_DERIVED.at(decorator.span(), &[&name]));
            }
            TypeExpr::ObjectType(it) if it.additional_properties().next().is_some() => {
                self.push(codes::SEALED_WITH_ADDITIONAL.at(decorator.span(), &[]));
            }
            _ => {}
        }
    }

    fn not_alias(&mut self, name: &str, decorator: Decorator<'m>, target: SyntaxNode<'m>) {
        if written(target).map(bare_type).is_some_and(|ty| self.is_alias(ty)) {
            self.push(codes::DECORATOR_ON_ALIAS.at(decorator.span(), &[&name]));
        }
    }

    fn is_alias(&self, ty: TypeExpr<'m>) -> bool {
        match bare_type(ty) {
            TypeExpr::TypeVariableAccess(access) => {
                self.model.symbol_at(access.node()).is_some_and(|symbol| {
                    matches!(
                        self.model.symbol(symbol).kind,
                        SymbolKind::Type | SymbolKind::WildcardImport | SymbolKind::Imported(_)
                    )
                })
            }
            TypeExpr::TypePropertyAccess(it) => self.is_alias(it.base()),
            TypeExpr::TypeAdditionalPropertiesAccess(it) => self.is_alias(it.base()),
            TypeExpr::TypeArrayAccess(it) => self.is_alias(it.base()),
            TypeExpr::TypeItemsAccess(it) => self.is_alias(it.base()),
            _ => false,
        }
    }

    fn exported(&mut self, decorator: Decorator<'m>, target: SyntaxNode<'m>) {
        if Statement::cast(target).and_then(nodes::declared_name).is_none() {
            self.push(codes::EXPORT_TARGET.at(decorator.span(), &[]));
        }
        let Some(symbol) = self.model.symbol_at(target) else { return };
        let mut wrong: Vec<String> = Vec::new();
        for symbol in self.closure(symbol) {
            let known = self.model.symbol(symbol);
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
            self.push(codes::NOT_EXPORTABLE.at(decorator.span(), &[&codes::list(wrong)]));
        }
    }

    /// The symbols that a declaration needs, directly or through others.
    pub(super) fn closure(&self, start: SymbolId) -> Vec<SymbolId> {
        let mut found: Vec<SymbolId> = Vec::new();
        let mut open = vec![start];
        let mut seen = rustc_hash::FxHashSet::from_iter([start]);
        while let Some(symbol) = open.pop() {
            for next in self.model.mentions(self.model.node_of(symbol)) {
                if seen.insert(next) {
                    found.push(next);
                    if !self.model.symbol(next).kind.is_local() {
                        open.push(next);
                    }
                }
            }
        }
        found
    }

    /// Decorators that nothing follows.
    pub(super) fn missing_declaration(&mut self, node: SyntaxNode<'m>) {
        if self.has_parse_errors(node) {
            return;
        }
        for decorator in node.decorators() {
            let found = self.ty(decorator.expression());
            self.out.extend_from_slice(found.findings());
        }
        let Some(last) = node.decorators().last() else { return };
        let flags = match self.model.binding(last.expression().node().id()) {
            Binding::Function(function) if function.is_decorator => function.flags(),
            _ => F::NONE,
        };
        let rule = [
            (F::METADATA_DECORATOR, codes::EXPECTED_METADATA),
            (F::PARAMETER_DECORATOR, codes::EXPECTED_PARAMETER),
            (F::DATA_DECORATOR, codes::EXPECTED_DATA),
            (F::PARAMETER_DECORATOR.with(F::TYPE_DECORATOR), codes::EXPECTED_PARAMETER_OR_TYPE),
            (F::VARIABLE_DECORATOR, codes::EXPECTED_VARIABLE),
            (F::RESOURCE_DECORATOR, codes::EXPECTED_RESOURCE),
            (F::MODULE_DECORATOR, codes::EXPECTED_MODULE),
            (F::OUTPUT_DECORATOR, codes::EXPECTED_OUTPUT),
            (F::RESOURCE_DECORATOR.with(F::MODULE_DECORATOR), codes::EXPECTED_RESOURCE_OR_MODULE),
        ];
        let rule = rule.into_iter().find(|(known, _)| *known == flags);
        let rule = rule.map_or(codes::EXPECTED_DECLARATION, |(_, rule)| rule);
        self.push(rule.at(last.span(), &[]));
    }
}

/// The type that a declaration or part of a type writes.
fn written(target: SyntaxNode<'_>) -> Option<TypeExpr<'_>> {
    if target.kind() == NodeKind::ResourceDeclaration {
        return None;
    }
    target
        .child_nodes()
        .filter(|child| child.kind() != NodeKind::Decorator)
        .find_map(|child| if child.is_skipped() { None } else { TypeExpr::cast(child) })
}

fn bare_type(ty: TypeExpr<'_>) -> TypeExpr<'_> {
    match ty {
        TypeExpr::NullableType(it) => it.base(),
        other => other,
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
