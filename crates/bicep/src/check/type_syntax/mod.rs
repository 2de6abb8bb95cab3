//! Types as they are written in a file.
//!
//! `type` declarations may refer to each other and to themselves, so a reference to one that is still being read is
//! filled in when all of them are known.

mod access;
mod aliases;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::ast::{
    AstNode as _, Expr, ObjectType, Statement, StringTypeLiteral, TupleType, TypeExpr, TypeVariableAccess,
    UnaryTypeOperation, UnionType,
};
use syntax::{NodeKind, Span, SyntaxNode, SyntaxToken, TokenKind};

use super::type_order::MAX_NESTING;
use super::{Checker, operators};
use crate::codes;
use crate::decorators::{Decorator, MAX_LENGTH, MAX_VALUE, MIN_LENGTH, MIN_VALUE, Refines};
use crate::finding::Finding;
use crate::language::Feature;
use crate::symbols::{Binding, SymbolKind};
use crate::types::azure::{self, Variant};
use crate::types::{
    Ambient, Array, LaterType, Object, Property, PropertyFlags, Range, Role, Ty, TyKind, TypeFlags, TypeRef,
    assignable, discriminated, is_literal, nullable, object_name, union, union_of, without_null,
};

/// How many `type` declarations are read inside each other. What is inside an object or list then waits, and anything
/// else that leads still further is taken for `any`.
const MAX_OPEN: usize = 32;

/// How much of what is written is a part of a type's name: types are inside each other, and each would have it anew.
const MAX_TEXT: u32 = 512;

impl<'m> Checker<'m> {
    /// The type that a node writes; for parts of object and tuple types, with what their decorators say.
    pub(crate) fn type_node(&mut self, node: SyntaxNode<'m>) -> TypeRef {
        if let Some(known) = self.type_nodes.get(&node.id()) {
            return known.clone();
        }
        if let Some(known) = self.known.as_ref().and_then(|known| known.type_nodes.get(&node.id())) {
            return known.clone();
        }
        if !self.spend(node, 1) {
            return Ty::any().into();
        }
        let before = self.noise();
        let made = match node.kind() {
            NodeKind::ObjectTypeProperty
            | NodeKind::ObjectTypeAdditionalProperties
            | NodeKind::TupleTypeItem => self.member_type(node),
            _ => match TypeExpr::cast(node) {
                Some(expr) => self.type_expr(expr),
                None => Ty::any().into(),
            },
        };
        if let TypeRef::Now(ty) = &made {
            self.note(node.id(), before, ty);
        }
        self.type_nodes.insert(node.id(), made.clone());
        made
    }

    /// The type that an expression writes, at once.
    pub(super) fn written_type(&mut self, expr: TypeExpr<'m>) -> Ty {
        if let Some(error) = self.cyclic_alias(expr.node()) {
            return error;
        }
        self.type_node(expr.node()).get()
    }

    fn member_type(&mut self, node: SyntaxNode<'m>) -> TypeRef {
        // What could not be read of a decorator can look like a type; the type itself comes last.
        let parts = node.child_nodes().filter(|child| child.kind() != NodeKind::Decorator);
        let Some(value) = parts.filter_map(TypeExpr::cast).next_back() else {
            return Ty::any().into();
        };
        if self.must_wait(value) {
            return self.later(node, value);
        }
        let ty = self.type_node(value.node()).get();
        let ty = match ty.kind() {
            TyKind::TypeOf(inner) => inner.clone(),
            _ => ty,
        };
        self.modified(no_namespace(ty, value.span()), node, false).into()
    }

    /// The type of a node that is filled in when all declarations are known; `value` is the type as it is written.
    fn later(&mut self, node: SyntaxNode<'m>, value: TypeExpr<'m>) -> TypeRef {
        self.has_later = true;
        let later = Arc::new(LaterType::new(value.node().text().into()));
        self.pending.push((node.id(), Arc::clone(&later)));
        TypeRef::Later(later)
    }

    /// Tells whether a type refers to a declaration that is being read.
    fn must_wait(&self, expr: TypeExpr<'m>) -> bool {
        if self.alias_depth == 0 {
            return false;
        }
        expr.node().subtree().any(|node| {
            node.kind() == NodeKind::TypeVariableAccess
                && self.model.symbol_at(node).is_some_and(|symbol| {
                    !self.aliases.contains_key(&symbol)
                        && (self.alias_depth > MAX_OPEN || self.open.contains(self.model.symbol(symbol).node))
                })
        })
    }

    fn type_expr(&mut self, expr: TypeExpr<'m>) -> TypeRef {
        let ty = match expr {
            TypeExpr::Skipped(_) => Ty::any(),
            TypeExpr::TypeVariableAccess(access) => self.named_type(access),
            TypeExpr::ResourceType(it) => self.resource_typed(it.node(), it.ty()),
            TypeExpr::ParameterizedTypeInstantiation(it) => {
                let arguments: Vec<TypeExpr<'m>> = it.arguments().collect();
                let chevrons = chevrons(it.open_chevron(), it.close_chevron(), it.span());
                match self.model.binding(it.node().id()) {
                    Binding::Ambient(ambient) => self.instantiated(ambient, it.span(), chevrons, &arguments),
                    Binding::Symbol(symbol) => match self.kind_of(symbol) {
                        SymbolKind::Type if self.alias(symbol).is_error() => Ty::failed(),
                        SymbolKind::Type => {
                            Ty::error(codes::NOT_PARAMETERIZABLE.at(it.span(), &[&it.name().text()]))
                        }
                        SymbolKind::Imported(_) => {
                            Ty::error(codes::NOT_PARAMETERIZABLE.at(it.span(), &[&it.name().text()]))
                        }
                        _ => Ty::error(codes::VALUE_AS_TYPE.at(it.span(), &[&it.name().text()])),
                    },
                    _ => self.not_a_type(it.span(), it.name().text()),
                }
            }
            TypeExpr::InstanceParameterizedTypeInstantiation(it) => {
                let arguments: Vec<TypeExpr<'m>> = it.arguments().collect();
                let chevrons = chevrons(it.open_chevron(), it.close_chevron(), it.span());
                match self.model.binding(it.node().id()) {
                    Binding::Ambient(ambient) => self.instantiated(ambient, it.span(), chevrons, &arguments),
                    _ => {
                        let base = self.type_node(it.base().node()).get();
                        let name = format!("{base}.{}", it.name().text());
                        Ty::error(codes::NOT_PARAMETERIZABLE.at(it.span(), &[&name]))
                    }
                }
            }
            TypeExpr::ObjectType(it) => self.object_type(it),
            TypeExpr::TupleType(it) => self.tuple_type(it),
            TypeExpr::ArrayType(it) => {
                let item = it.item();
                if self.must_wait(item) {
                    let name = Some(it.node().text().into());
                    let item = self.later(item.node(), item);
                    return Ty::new(TyKind::Array(Array { item, length: Range::default(), name })).into();
                }
                let item = no_namespace(self.type_node(item.node()).get(), item.span());
                Ty::array_of(item, Range::default())
            }
            TypeExpr::UnionType(it) => self.union_type(it),
            TypeExpr::NullableType(it) => {
                let base = no_namespace(self.type_node(it.base().node()).get(), it.base().span());
                if base.is_error() { base } else { nullable(&base) }
            }
            TypeExpr::NonNullableType(it) => {
                let base = self.type_node(it.base().node()).get();
                without_null(&base).unwrap_or(base)
            }
            TypeExpr::UnaryTypeOperation(it) => self.negated_type(it),
            TypeExpr::ParenthesizedType(it) => return self.type_node(it.expression().node()),
            TypeExpr::TypePropertyAccess(it) => match self.model.binding(it.node().id()) {
                Binding::Ambient(ambient) => self.ambient(ambient, it.name().span()),
                _ => self.accessed_type(it.base(), it.span(), it.name().text(), it.name().span()),
            },
            TypeExpr::TypeAdditionalPropertiesAccess(it) => {
                let at = it.asterisk().map_or(it.span(), |token| token.span());
                match self.type_base(it.base(), it.span()) {
                    Ok(base) => match base.as_object().and_then(|object| object.additional.as_ref()) {
                        Some(property) if !property.ty.get().is_any() => unwrapped(property.ty.get()),
                        _ => Ty::error(codes::ADDITIONAL_REQUIRED.at(at, &[&base])),
                    },
                    Err(error) => error,
                }
            }
            TypeExpr::TypeItemsAccess(it) => match self.type_base(it.base(), it.span()) {
                Ok(base) => match base.kind() {
                    TyKind::Array(array) if !array.item.get().is_any() => unwrapped(array.item.get()),
                    _ => {
                        let open = it.open_square().map_or(it.span(), |token| token.span());
                        let close = it.close_square().map_or(it.span(), |token| token.span());
                        Ty::error(codes::TYPED_ARRAY_REQUIRED.at(super::nodes::between(open, close), &[]))
                    }
                },
                Err(error) => error,
            },
            TypeExpr::TypeArrayAccess(it) => self.indexed_type(it.base(), it.index(), it.span()),
            TypeExpr::StringTypeLiteral(it) => self.literal_type(it),
            TypeExpr::IntegerTypeLiteral(it) => match i64::try_from(it.value()) {
                Ok(value) => Ty::int_literal(value),
                Err(_) => Ty::error(codes::LITERAL_TYPE.at(it.span(), &[])),
            },
            TypeExpr::BooleanTypeLiteral(it) => {
                Ty::bool_literal(it.literal().is_some_and(|token| token.text() == "true"))
            }
            TypeExpr::NullTypeLiteral(it) => self.null_type(it.node()),
        };
        ty.into()
    }

    /// `null` is a member of a union, and no type by itself.
    fn null_type(&self, node: SyntaxNode<'m>) -> Ty {
        let rule = match self.model.parent(node).map(SyntaxNode::kind) {
            Some(NodeKind::UnionType) => return Ty::null(),
            Some(NodeKind::ParameterDeclaration) => codes::PARAMETER_TYPE,
            Some(NodeKind::OutputDeclaration) => codes::OUTPUT_TYPE,
            Some(NodeKind::VariableDeclaration) => codes::VARIABLE_TYPE,
            _ => codes::NO_TYPE,
        };
        Ty::error(rule.at(node.span(), &[&self.type_names()]))
    }

    fn named_type(&mut self, access: TypeVariableAccess<'m>) -> Ty {
        let (name, at) = (access.name().text(), access.span());
        match self.model.binding(access.node().id()) {
            Binding::Ambient(ambient) => self.ambient(ambient, at),
            Binding::Namespace(namespace) => Ty::object_of(Object {
                name: namespace.name().into(),
                role: Role::BuiltIn(namespace),
                ..Object::default()
            }),
            Binding::Symbol(symbol) => match self.kind_of(symbol) {
                SymbolKind::Type => {
                    let deep = self.nesting.get(&symbol).is_some_and(|depth| *depth > MAX_NESTING);
                    if deep && self.alias_depth > 0 {
                        return Ty::any();
                    }
                    let ty = self.alias(symbol);
                    if ty.is_error() {
                        return Ty::error(codes::DECLARATION_HAS_ERRORS.at(at, &[&name]));
                    }
                    ty
                }
                SymbolKind::WildcardImport | SymbolKind::Extension => self.symbol_type(symbol),
                SymbolKind::Imported(_) => match self.imported_type(symbol) {
                    Some(ty) => ty,
                    None => Ty::error(codes::VALUE_AS_TYPE.at(at, &[&name])),
                },
                _ => Ty::error(codes::VALUE_AS_TYPE.at(at, &[&name])),
            },
            _ => self.not_a_type(at, name),
        }
    }

    fn not_a_type(&self, at: Span, name: &str) -> Ty {
        Ty::error(codes::NOT_A_TYPE.at(at, &[&name, &self.type_names()]))
    }

    /// The names of all types, for messages.
    pub(super) fn type_names(&self) -> String {
        let built_in = Ambient::ALL.into_iter().map(|it| it.name().to_owned());
        let own =
            self.model.declarations.types.iter().map(|symbol| self.model.symbol(*symbol).name.to_string());
        codes::list(built_in.chain(own))
    }

    fn ambient(&self, ambient: Ambient, at: Span) -> Ty {
        match ambient {
            Ambient::Any => Ty::any(),
            Ambient::Array => Ty::array(),
            Ambient::Bool => Ty::bool(),
            Ambient::Int => Ty::int(),
            Ambient::Object => Ty::object(),
            Ambient::String => Ty::string(),
            Ambient::ResourceInput | Ambient::ResourceOutput => {
                Ty::error(codes::TYPE_ARGUMENTS.at(at, &[&ambient.name(), &1]))
            }
        }
    }

    fn instantiated(
        &mut self,
        ambient: Ambient,
        at: Span,
        chevrons: (Span, Span),
        arguments: &[TypeExpr<'m>],
    ) -> Ty {
        if !ambient.is_parameterized() {
            return Ty::error(codes::NOT_PARAMETERIZABLE.at(at, &[&ambient.name()]));
        }
        let (outer, inner) = chevrons;
        let [argument] = arguments else {
            return Ty::error(codes::ARGUMENT_COUNT.at(outer, &[&"1 argument", &arguments.len()]));
        };
        let ty = no_namespace(self.type_node(argument.node()).get(), argument.span());
        if !assignable(&ty, &Ty::string()) {
            return Ty::error(codes::ARGUMENT_TYPE.at(argument.span(), &[&ty, &Ty::string()]));
        }
        let text = match argument {
            TypeExpr::StringTypeLiteral(text) => text.constant(),
            _ => None,
        };
        let Some(text) = text else { return Ty::error(codes::CONSTANT_REQUIRED.at(inner, &[])) };
        let at = argument.span();
        let how = azure::DeclarationFlags::default();
        match self.resource_type_named(&text, at, how, None) {
            Ok(resource) => {
                let how = match ambient {
                    Ambient::ResourceInput => Variant::Input,
                    _ => Variant::Output,
                };
                azure::variant(&resource.body, how)
            }
            Err(error) => error,
        }
    }

    fn resource_typed(&mut self, node: SyntaxNode<'m>, text: Option<Expr<'m>>) -> Ty {
        if !self.model.features().has(Feature::ResourceTypedParamsAndOutputs) {
            return Ty::error(codes::RESOURCE_TYPED.at(node.span(), &[]));
        }
        let Some(text) = text else {
            let parent = self.model.parent(node).and_then(Statement::cast);
            return match parent {
                Some(Statement::OutputDeclaration(output)) => {
                    let ty = self.ty(output.value());
                    let foreign = ty.as_resource().is_some_and(|it| it.extension.is_some());
                    if foreign { Ty::error(codes::EXTENSION_TYPED.at(node.span(), &[&ty])) } else { ty }
                }
                _ => Ty::error(codes::RESOURCE_TYPE.at(node.span(), &[])),
            };
        };
        let Expr::String(string) = text else {
            return Ty::error(codes::RESOURCE_TYPE.at(text.span(), &[]));
        };
        let Some(constant) = string.constant() else {
            return Ty::error(codes::INTERPOLATED_RESOURCE_TYPE.at(text.span(), &[]));
        };
        let how = azure::DeclarationFlags { existing: true, ..Default::default() };
        match self.resource_type_named(&constant, text.span(), how, None) {
            Ok(resource) if resource.extension.is_some() => {
                let name = resource.reference.full_name();
                Ty::error(codes::EXTENSION_TYPED.at(node.span(), &[&name]))
            }
            Ok(resource) => {
                if !resource.is_defined {
                    self.unknown_type(text.span(), &resource.reference);
                }
                Ty::new(TyKind::Resource(Box::new(resource)))
            }
            Err(error) => error,
        }
    }

    fn object_type(&mut self, object: ObjectType<'m>) -> Ty {
        let mut seen = FxHashSet::default();
        let mut properties: BTreeMap<SmolStr, Property> = BTreeMap::new();
        let mut names: Vec<(SmolStr, SmolStr)> = Vec::new();
        let mut errors: Vec<Finding> = Vec::new();
        for property in object.properties() {
            let ty = self.type_node(property.node());
            let Some(name) = property.key().constant() else {
                errors.push(codes::COMPUTED_TYPE_KEY.at(property.key().span(), &[]));
                errors.extend_from_slice(ty.get().findings());
                continue;
            };
            if !seen.insert(name.to_string()) {
                errors.push(codes::DUPLICATE_PROPERTY.at(property.key().span(), &[&name]));
                continue;
            }
            let required = !matches!(property.value(), TypeExpr::NullableType(_));
            let flags = if required { PropertyFlags::REQUIRED } else { PropertyFlags::empty() };
            names.push((name.as_ref().into(), self.type_text(property.value(), &ty)));
            properties.insert(name.as_ref().into(), Property { ty, flags });
        }
        let additional: Vec<_> = object.additional_properties().collect();
        let (ty, flags) = match additional.as_slice() {
            [single] => (self.type_node(single.node()), PropertyFlags::empty()),
            [] => (Ty::any().into(), PropertyFlags::FALLBACK),
            _ => (Ty::any().into(), PropertyFlags::empty()),
        };
        if additional.len() > 1 {
            errors.extend(additional.iter().map(|it| codes::ADDITIONAL_TWICE.at(it.span(), &[])));
        }
        if !errors.is_empty() {
            let inner = properties.values().filter_map(|property| match &property.ty {
                TypeRef::Now(ty) => Some(ty.findings().to_vec()),
                _ => None,
            });
            errors.extend(inner.flatten());
            return Ty::errors(errors);
        }
        let rest = additional.first().map(|it| self.type_text(it.value(), &ty));
        let name = object_name(names.iter().map(|(name, ty)| (name.as_str(), ty.clone())), rest);
        Ty::object_of(Object {
            name,
            properties,
            additional: Some(Property { ty, flags }),
            ..Object::default()
        })
    }

    /// The text that stands for the type of a property in the name of its object.
    // UPSTREAM: what is written with the name of a declared type is shown as it is written; `TypeDeclarations_LF` has it.
    fn type_text(&self, written: TypeExpr<'m>, ty: &TypeRef) -> SmolStr {
        let is_declared = |node: SyntaxNode<'m>| {
            node.kind() == NodeKind::TypeVariableAccess
                && self.model.symbol_at(node).is_some_and(|symbol| {
                    matches!(self.model.symbol(symbol).kind, SymbolKind::Type | SymbolKind::Imported(_))
                })
        };
        let is_short = written.span().len() <= MAX_TEXT
            && !matches!(written, TypeExpr::ObjectType(_) | TypeExpr::TupleType(_));
        match ty {
            TypeRef::Later(_) => written.node().text().into(),
            ty if is_short && !ty.get().is_error() && written.node().subtree().any(is_declared) => {
                written.node().text().into()
            }
            ty => ty.get().name().clone(),
        }
    }

    fn tuple_type(&mut self, tuple: TupleType<'m>) -> Ty {
        let items = tuple.members().map(|item| self.type_node(item.node())).collect();
        Ty::tuple(items)
    }

    fn literal_type(&mut self, text: StringTypeLiteral<'m>) -> Ty {
        if let Some(constant) = text.constant() {
            return Ty::string_literal(constant);
        }
        let mut value = String::new();
        let mut holes = text.holes();
        for segment in text.segments() {
            value.push_str(&segment);
            if let Some(hole) = holes.next() {
                match self.ty(hole).as_string_literal() {
                    Some(part) => value.push_str(part),
                    None => return Ty::error(codes::LITERAL_TYPE.at(text.span(), &[])),
                }
            }
        }
        Ty::string_literal(value)
    }

    fn negated_type(&mut self, operation: UnaryTypeOperation<'m>) -> Ty {
        let minus = operation.operator().is_some_and(|token| token.kind() == TokenKind::Minus);
        if minus && let TypeExpr::IntegerTypeLiteral(literal) = operation.operand() {
            let value = literal.value();
            let negative =
                if value == 1 << 63 { Some(i64::MIN) } else { i64::try_from(value).ok().map(|it| -it) };
            return match negative {
                Some(value) => Ty::int_literal(value),
                None => Ty::error(codes::LITERAL_TYPE.at(operation.span(), &[])),
            };
        }
        let operand = operation.operand();
        let base = no_namespace(self.type_node(operand.node()).get(), operand.span());
        if base.is_error() {
            return base;
        }
        match operators::unary(minus, &base) {
            Some(ty) if is_literal(&ty) => ty,
            _ => Ty::error(codes::LITERAL_TYPE.at(operation.span(), &[])),
        }
    }

    fn union_type(&mut self, it: UnionType<'m>) -> Ty {
        let members: Vec<TypeExpr<'m>> = it.members().collect();
        let types: Vec<Ty> = members
            .iter()
            .map(|member| no_namespace(self.type_node(member.node()).get(), member.span()))
            .collect();
        if let Some(target) = self.decorable(it.node())
            && let Some(call) = self.model.refined(target, Refines::Discriminator)
        {
            let Some(Expr::String(key)) = call.argument(0) else { return Ty::failed() };
            let Some(key) = key.constant() else { return Ty::failed() };
            return discriminated_type(&key, &members, &types);
        }
        union(types.into_iter().map(TypeRef::Now))
    }

    /// The declaration or part of a type whose decorators apply to a union.
    fn decorable(&self, node: SyntaxNode<'m>) -> Option<SyntaxNode<'m>> {
        let mut at = node;
        loop {
            at = self.model.parent(at)?;
            match at.kind() {
                NodeKind::ParenthesizedType
                | NodeKind::UnionType
                | NodeKind::NullableType
                | NodeKind::NonNullableType => {}
                NodeKind::ObjectTypeProperty
                | NodeKind::ObjectTypeAdditionalProperties
                | NodeKind::TupleTypeItem
                | NodeKind::TypeDeclaration
                | NodeKind::ParameterDeclaration
                | NodeKind::OutputDeclaration
                | NodeKind::VariableDeclaration => return Some(at),
                _ => return None,
            }
        }
    }

    /// A type with what the decorators of its declaration say.
    pub(super) fn modified(&mut self, ty: Ty, target: SyntaxNode<'m>, loose: bool) -> Ty {
        let mut flags = ty.flags();
        if loose && matches!(ty.kind(), TyKind::Bool | TyKind::Int(_) | TyKind::Str(_)) {
            flags = flags.union(TypeFlags::LOOSE);
        }
        if self.model.refined(target, Refines::Secret).is_some() {
            flags = flags.union(TypeFlags::SECURE);
        }
        if ty.is_error() || flags == ty.flags() && target.decorators().next().is_none() {
            return ty;
        }
        if let Some(rest) = without_null(&ty) {
            return union_of([Ty::null(), self.modified(rest, target, loose)]);
        }
        match ty.kind() {
            TyKind::Int(range) => match self.bounds(target, &MIN_VALUE, &MAX_VALUE, *range) {
                Ok(range) => Ty::int_within(range, flags),
                Err(error) => error,
            },
            TyKind::Array(array) => match self.bounds(target, &MIN_LENGTH, &MAX_LENGTH, array.length) {
                Ok(length) if length.max == Some(0) => Ty::flagged(TyKind::Tuple(Vec::new()), flags),
                Ok(length) => Ty::flagged(TyKind::Array(Array { length, ..array.clone() }), flags),
                Err(error) => error,
            },
            TyKind::Str(text) => match self.bounds(target, &MIN_LENGTH, &MAX_LENGTH, text.length) {
                Ok(length) => Ty::string_within(length, None, flags),
                Err(error) => error,
            },
            TyKind::Object(object) if self.model.refined(target, Refines::Sealed).is_some() => {
                Ty::flagged(TyKind::Object(Object { additional: None, ..object.clone() }), flags)
            }
            _ => ty.with_flags(flags),
        }
    }

    fn bounds(
        &mut self,
        target: SyntaxNode<'m>,
        low: &'static Decorator,
        high: &'static Decorator,
        own: Range,
    ) -> Result<Range, Ty> {
        let read = |checker: &mut Self, decorator: &'static Decorator| {
            let call = checker.model.decorator(target, decorator)?;
            let value = call.argument(0).map(|argument| checker.ty(argument));
            let value = match value.as_ref().map(Ty::kind) {
                Some(TyKind::IntLit(value)) if call.arguments().count() == 1 => Some(*value),
                _ => None,
            };
            Some((call.node(), value))
        };
        let (low_call, high_call) = (read(self, low), read(self, high));
        let min = low_call.and_then(|(_, value)| value).or(own.min);
        let max = high_call.and_then(|(_, value)| value).or(own.max);
        if let (Some(min), Some(max)) = (min, max)
            && min > max
            && let Some((call, _)) = low_call.or(high_call)
        {
            let at = self.model.parent(call).map_or(call.span(), |decorator| decorator.span());
            return Err(Ty::error(codes::MIN_ABOVE_MAX.at(at, &[&low.name, &min, &high.name, &max])));
        }
        Ok(Range { min, max })
    }

    /// The resource type that a text names.
    pub(super) fn resource_type_named(
        &mut self,
        text: &str,
        at: Span,
        how: azure::DeclarationFlags,
        outer: Option<&Ty>,
    ) -> Result<crate::types::ResourceTy, Ty> {
        // What a nested resource is depends on the one around it as well.
        let key = outer.is_none().then(|| (how, SmolStr::new(text)));
        if let Some(known) = key.as_ref().and_then(|key| self.resource_types.get(key)) {
            return Ok(known.clone());
        }
        let found = self.find_resource_type(text, how, outer).map_err(|rule| {
            let (rule, arguments) = rule;
            let arguments: Vec<&dyn std::fmt::Display> =
                arguments.iter().map(|argument| argument as &dyn std::fmt::Display).collect();
            Ty::error(rule.at(at, &arguments))
        })?;
        if let Some(key) = key {
            self.resource_types.insert(key, found.clone());
        }
        Ok(found)
    }
}

fn unwrapped(ty: Ty) -> Ty {
    match ty.kind() {
        TyKind::TypeOf(inner) => inner.clone(),
        _ => ty,
    }
}

/// Tells whether a member of a union could not be read.
pub(super) fn is_incomplete(union: UnionType<'_>) -> bool {
    union.node().child_nodes().any(SyntaxNode::is_skipped)
}

/// The span of angle brackets, and the span between them; what is missing is where the type ends.
fn chevrons(open: Option<SyntaxToken<'_>>, close: Option<SyntaxToken<'_>>, whole: Span) -> (Span, Span) {
    let open = open.map_or(Span::new(whole.start, whole.start), |token| token.span());
    let close = close.map_or(Span::new(whole.end, whole.end), |token| token.span());
    (Span::new(open.start, close.end), Span::new(open.end, close.start.max(open.end)))
}

/// A namespace where a type is asked for is an error.
pub(super) fn no_namespace(ty: Ty, at: Span) -> Ty {
    if ty.is_namespace() { Ty::error(codes::NAMESPACE_AS_TYPE.at(at, &[&ty])) } else { ty }
}

fn discriminated_type(key: &str, members: &[TypeExpr<'_>], types: &[Ty]) -> Ty {
    let mut variants: Vec<Ty> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut seen: FxHashSet<SmolStr> = FxHashSet::default();
    let mut errors: Vec<Finding> = Vec::new();
    // The first member that the property does not tell from the others ends the search: none after it fits.
    let mut is_told = true;
    for (member, ty) in members.iter().zip(types) {
        let parts: Vec<Ty> = match ty.kind() {
            TyKind::Discriminated(object) => object.members.iter().map(|(_, member)| member.get()).collect(),
            _ => vec![ty.clone()],
        };
        for part in parts {
            let at = member.span();
            let Some(object) = part.as_object() else {
                errors.push(codes::UNION_MEMBER.at(at, &[&"object"]));
                continue;
            };
            let property = object.properties.get(key).filter(|it| it.flags.contains(PropertyFlags::REQUIRED));
            let value = property.map(|it| it.ty.get());
            let Some(value) = value.as_ref().and_then(Ty::as_string_literal) else {
                if seen.insert(part.name().clone()) {
                    errors.push(codes::DISCRIMINATOR_PROPERTY.at(at, &[&key]));
                    is_told = false;
                }
                continue;
            };
            let known = places.get(&value.to_lowercase()).and_then(|place| variants.get(*place));
            match known {
                Some(known) if known.is_same(&part) => {}
                None if is_told => {
                    places.insert(value.to_lowercase(), variants.len());
                    variants.push(part);
                }
                _ => {
                    errors.push(codes::DISCRIMINATOR_TWICE.at(at, &[&key, &value]));
                    is_told = false;
                }
            }
        }
    }
    if !errors.is_empty() {
        return Ty::errors(errors);
    }
    if variants.is_empty() {
        return Ty::failed();
    }
    discriminated(&key.into(), &variants, TypeFlags::empty())
}
