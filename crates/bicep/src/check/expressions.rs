//! The types of expressions.

use std::collections::BTreeMap;

use syntax::ast::{
    Array, AstNode as _, BinaryOperation, Expr, For, IfCondition, Lambda, Object, ObjectProperty,
    SpreadExpression, String as Text, TernaryOperation, UnaryOperation, VariableAccess,
};
use syntax::{NodeId, NodeKind, SyntaxNode};

use super::{Checker, nodes, operators};
use crate::codes;
use crate::finding::Finding;
use crate::functions::LONGEST_TUPLE;
use crate::symbols::{Binding, SymbolId, SymbolKind};
use crate::types::{
    Object as ObjectTy, Property, PropertyFlags, Range, Role, Ty, TyKind, TypeFlags, TypeRef, assignable,
    assignable_unless_null, collapsed_union, printed_length, text_length, union_of, without_null,
};

/// The greatest index of a loop over a list of unknown length.
const MAX_LOOP_INDEX: i64 = 799;

impl<'m> Checker<'m> {
    /// The type of an expression.
    pub(crate) fn ty(&mut self, expr: Expr<'m>) -> Ty {
        self.memo(expr.node(), |checker| checker.expression(expr))
    }

    /// The type of a node, worked out once. Names that lead back to themselves have no type.
    pub(super) fn memo(&mut self, node: SyntaxNode<'m>, work: impl FnOnce(&mut Self) -> Ty) -> Ty {
        let id = node.id();
        if let Some(Some(known)) = self.types.get(id.index()) {
            return known.clone();
        }
        if let Some(Some(known)) = self.known.as_ref().and_then(|known| known.types.get(id.index())) {
            return known.clone();
        }
        if !self.spend(node, 1) {
            return Ty::any();
        }
        if !self.open.insert(id) {
            return Ty::failed();
        }
        let before = self.noise();
        let made = match self.cycle(node) {
            Some(error) => error,
            None => work(self),
        };
        self.note(id, before, &made);
        self.open.remove(id);
        if let Some(slot) = self.types.get_mut(id.index()) {
            *slot = Some(made.clone());
        }
        made
    }

    /// The error of a name whose declaration refers to itself.
    fn cycle(&self, node: SyntaxNode<'m>) -> Option<Ty> {
        let symbol = self.model.symbol_at(node)?;
        let declared = self.model.symbol(symbol);
        if declared.node == node.id() {
            return None;
        }
        let cycle = self.model.cycle(symbol)?;
        let inside = cycle.iter().any(|member| self.is_inside(node, self.model.symbol(*member).node));
        Some(Ty::error(if !inside {
            codes::DECLARATION_HAS_ERRORS.at(node.span(), &[&declared.name])
        } else if cycle.len() == 1 {
            codes::SELF_REFERENCE.at(node.span(), &[])
        } else {
            let names = codes::list(cycle.iter().map(|member| &self.model.symbol(*member).name));
            codes::CYCLE.at(node.span(), &[&names])
        }))
    }

    /// Tells whether a node lies in another one.
    pub(super) fn is_inside(&self, node: SyntaxNode<'m>, outer: NodeId) -> bool {
        let outer = self.node(outer).span();
        outer.encloses(node.span())
    }

    fn expression(&mut self, expr: Expr<'m>) -> Ty {
        match expr {
            Expr::BooleanLiteral(it) => {
                Ty::bool_literal(it.literal().is_some_and(|token| token.text() == "true"))
            }
            Expr::IntegerLiteral(it) => i64::try_from(it.value()).map_or_else(|_| Ty::int(), Ty::int_literal),
            Expr::NullLiteral(_) => Ty::null(),
            Expr::NoneLiteral(_) | Expr::Skipped(_) => Ty::failed(),
            Expr::String(it) => self.text(it),
            Expr::Array(it) => self.array(it),
            Expr::Object(it) => self.object(it),
            Expr::SpreadExpression(it) => self.ty(it.expression()),
            Expr::ParenthesizedExpression(it) => self.ty(it.expression()),
            Expr::VariableAccess(it) => self.variable_access(it),
            Expr::FunctionCall(it) => self.function_call(it),
            Expr::InstanceFunctionCall(it) => self.instance_call(it),
            Expr::PropertyAccess(_) | Expr::ArrayAccess(_) => self.accessed(expr),
            Expr::ResourceAccess(it) => self.resource_access(it),
            Expr::NonNullAssertion(it) => {
                let base = self.ty(it.base());
                without_null(&base).unwrap_or(base)
            }
            Expr::UnaryOperation(it) => self.unary(it),
            Expr::BinaryOperation(it) => self.binary(it),
            Expr::TernaryOperation(it) => self.ternary(it),
            Expr::Lambda(it) => self.lambda(it),
            Expr::For(it) => self.each(it),
            Expr::IfCondition(it) => self.conditional(it),
        }
    }

    fn text(&mut self, text: Text<'m>) -> Ty {
        if let Some(constant) = text.constant() {
            return Ty::string_literal(constant);
        }
        let segments: Vec<_> = text.segments().collect();
        let fixed: i64 = segments.iter().map(|segment| text_length(segment)).sum();
        let mut length = Range { min: Some(fixed), max: Some(fixed) };
        let mut parts = Vec::new();
        let mut errors = Errors::default();
        for hole in text.holes() {
            let part = self.ty(hole);
            errors.add(&part);
            let range = printed_length(&part);
            length.min = length.min.zip(range.min).map(|(sum, more)| sum.saturating_add(more));
            length.max = length.max.zip(range.max).map(|(sum, more)| sum.saturating_add(more));
            parts.push(part);
        }
        if let Some(error) = errors.take() {
            return error;
        }
        if let Some(folded) = operators::interpolated(&segments, &parts) {
            return Ty::string_literal(folded);
        }
        Ty::string_within(
            Range { min: length.min.filter(|min| *min > 0), ..length },
            None,
            TypeFlags::empty(),
        )
    }

    fn array(&mut self, array: Array<'m>) -> Ty {
        let mut errors = Errors::default();
        let mut known: Vec<TypeRef> = Vec::new();
        let mut others: Vec<TypeRef> = Vec::new();
        for value in array.values() {
            let ty = self.ty(value);
            let Expr::SpreadExpression(spread) = value else {
                errors.add(&ty);
                known.push(ty.into());
                continue;
            };
            self.spread(spread, &ty, &Ty::array(), &mut errors);
            match ty.kind() {
                TyKind::Tuple(items) if known.len() + items.len() < LONGEST_TUPLE => {
                    known.extend(items.iter().cloned());
                }
                TyKind::Tuple(_) => others.extend(ty.as_list().map(|(item, _)| item.into())),
                TyKind::Array(array) => others.push(array.item.clone()),
                _ => others.push(Ty::any().into()),
            }
        }
        if let Some(error) = errors.take() {
            return error;
        }
        if !self.spend(array.node(), known.len() + others.len()) {
            return Ty::any();
        }
        if others.is_empty() {
            return Ty::tuple(known);
        }
        Ty::array_of(crate::types::union(known.into_iter().chain(others)), Range::default())
    }

    fn spread(&mut self, spread: SpreadExpression<'m>, ty: &Ty, wanted: &Ty, errors: &mut Errors) {
        if ty.is_error() || assignable(ty, wanted) {
            errors.add(ty);
        } else {
            errors.push(codes::SPREAD_TYPE.at(spread.span(), &[wanted]));
        }
    }

    fn object(&mut self, object: Object<'m>) -> Ty {
        for item in object.node().child_nodes().filter(|item| item.kind() == NodeKind::MissingDeclaration) {
            self.missing_declaration(item);
        }
        let mut errors = Errors::default();
        let mut names: Vec<_> =
            object.properties().filter_map(|property| property.key().constant()).collect();
        names.sort_unstable();
        let twice: Vec<_> = names
            .windows(2)
            .filter_map(|pair| pair.first().filter(|name| pair.last() == Some(name)))
            .collect();
        if !twice.is_empty() {
            for (name, property) in nodes::named_properties(object) {
                if twice.binary_search_by(|it| it.as_ref().cmp(name.as_str())).is_ok() {
                    errors.push(codes::DUPLICATE_PROPERTY.at(property.key().span(), &[&name]));
                }
            }
        }
        let mut properties: BTreeMap<_, Property> = BTreeMap::new();
        let mut additional: Vec<Ty> = Vec::new();
        for item in object.node().child_nodes() {
            if let Some(property) = ObjectProperty::cast(item) {
                let ty = self.property(property);
                errors.add(&ty);
                match property.key().constant() {
                    Some(name) => {
                        properties.insert(name.as_ref().into(), Property::new(ty, PropertyFlags::REQUIRED));
                    }
                    None => additional.push(ty),
                }
            } else if let Some(spread) = SpreadExpression::cast(item) {
                let ty = self.ty(spread.expression());
                self.spread(spread, &ty, &Ty::object(), &mut errors);
                match ty.as_object() {
                    Some(object) => {
                        properties
                            .extend(object.properties.iter().map(|(name, it)| (name.clone(), it.clone())));
                        additional.extend(object.additional.iter().map(|it| it.ty.get()));
                    }
                    None => additional.push(Ty::any()),
                }
            }
        }
        if let Some(error) = errors.take() {
            return error;
        }
        if !self.spend(object.node(), properties.len() + additional.len()) {
            return Ty::any();
        }
        let additional =
            (!additional.is_empty()).then(|| Property::new(union_of(additional), PropertyFlags::empty()));
        Ty::object_of(ObjectTy { name: "object".into(), properties, additional, ..ObjectTy::default() })
    }

    /// The type of a property: that of its value, unless its name has errors.
    pub(super) fn property(&mut self, property: ObjectProperty<'m>) -> Ty {
        self.memo(property.node(), |checker| {
            let mut errors = Errors::default();
            if let syntax::ast::NameOrString::String(key) = property.key()
                && key.is_interpolated()
            {
                errors.add(&checker.ty(Expr::String(key)));
            }
            let value = checker.ty(property.value());
            errors.add(&value);
            errors.take().unwrap_or(value)
        })
    }

    fn unary(&mut self, operation: UnaryOperation<'m>) -> Ty {
        let operand = self.ty(operation.operand());
        if let Some(error) = Errors::of([&operand]) {
            return error;
        }
        let minus = nodes::is_minus(operation);
        if minus && let Some(value) = nodes::integer(Expr::UnaryOperation(operation)) {
            return Ty::int_literal(value);
        }
        if let Some(result) = operators::unary(minus, &operand) {
            return result;
        }
        if let Some(rest) = without_null(&operand)
            && self.is_guarded(operation.node())
            && let Some(result) = operators::unary(minus, &rest)
        {
            self.push(codes::NULL_ASSIGNMENT.at(operation.span(), &[&rest, &operand]));
            return result;
        }
        let operator = operation.operator().map_or("", |token| token.text());
        Ty::error(codes::UNARY_OPERAND.at(operation.span(), &[&operator, &operand]))
    }

    fn binary(&mut self, operation: BinaryOperation<'m>) -> Ty {
        let (left, right) = (self.ty(operation.left()), self.ty(operation.right()));
        if let Some(error) = Errors::of([&left, &right]) {
            return error;
        }
        let Some(operator) = operation.operator() else { return Ty::failed() };
        let span = operation.span();
        let mut found = Vec::new();
        if let Some(result) = operators::binary(operator.kind(), &left, &right, span, &mut found) {
            self.out.append(&mut found);
            return result;
        }
        let (bare_left, bare_right) = (without_null(&left), without_null(&right));
        if (bare_left.is_some() || bare_right.is_some()) && self.is_guarded(operation.node()) {
            let (a, b) = (bare_left.as_ref().unwrap_or(&left), bare_right.as_ref().unwrap_or(&right));
            if let Some(result) = operators::binary(operator.kind(), a, b, span, &mut found) {
                self.out.append(&mut found);
                let sides = [(&bare_left, &left, operation.left()), (&bare_right, &right, operation.right())];
                for (bare, full, operand) in sides {
                    if let Some(bare) = bare {
                        self.push(codes::NULL_OPERAND.at(span, &[bare, full, &operand.node().text()]));
                    }
                }
                return result;
            }
        }
        let texts =
            operator.text() == "+" && assignable(&left, &Ty::string()) && assignable(&right, &Ty::string());
        let hint = if texts { ", put both into one string with `${...}`" } else { "" };
        Ty::error(codes::BINARY_OPERANDS.at(span, &[&operator.text(), &left, &right, &hint]))
    }

    /// Tells whether a node stands in one of the outcomes of a ternary, where null may have been ruled out.
    fn is_guarded(&self, node: SyntaxNode<'m>) -> bool {
        let mut at = node;
        while let Some(parent) = self.model.parent(at) {
            if let Some(ternary) = TernaryOperation::cast(parent)
                && ternary.condition().node() != at
            {
                return true;
            }
            at = parent;
        }
        false
    }

    fn ternary(&mut self, ternary: TernaryOperation<'m>) -> Ty {
        let mut condition = self.ty(ternary.condition());
        let (yes, no) = (self.ty(ternary.true_expression()), self.ty(ternary.false_expression()));
        if let Some(error) = Errors::of([&condition, &yes, &no]) {
            return error;
        }
        let at = ternary.condition().span();
        if let Some(rest) = assignable_unless_null(&condition, &Ty::bool()) {
            self.push(codes::NULL_ASSIGNMENT.at(at, &[&Ty::bool(), &condition]));
            condition = rest;
        }
        if !assignable(&condition, &Ty::bool()) {
            return Ty::error(codes::EXPECTED_TYPE.at(at, &[&Ty::bool()]));
        }
        match condition.kind() {
            TyKind::BoolLit(true) => yes,
            TyKind::BoolLit(false) => no,
            _ => collapsed_union([yes, no]),
        }
    }

    fn lambda(&mut self, lambda: Lambda<'m>) -> Ty {
        let arguments = nodes::variables(lambda.variables());
        let arguments = arguments.map(|variable| self.local(variable.node())).collect();
        let result = self.ty(lambda.body());
        Ty::lambda(arguments, Vec::new(), result)
    }

    fn each(&mut self, each: For<'m>) -> Ty {
        let (Some(item), _) = nodes::loop_variables(each) else { return Ty::failed() };
        let item = self.local(item.node());
        let source = self.ty(each.expression());
        let body = self.ty(each.body());
        if let Some(error) = Errors::of([&item, &source, &body]) {
            return error;
        }
        if !assignable(&source, &Ty::array()) {
            let at = each.expression().span();
            if assignable_unless_null(&source, &Ty::array()).is_none() {
                return Ty::error(codes::LOOP_SOURCE.at(at, &[&source]));
            }
            self.push(codes::NULL_ASSIGNMENT.at(at, &[&Ty::array(), &source]));
        }
        Ty::array_of(body, Range::default())
    }

    fn conditional(&mut self, it: IfCondition<'m>) -> Ty {
        let condition = self.ty(it.condition());
        if condition.is_error() {
            self.out.extend_from_slice(condition.findings());
        } else if !assignable(&condition, &Ty::bool()) {
            let at = it.condition().span();
            let found = if assignable_unless_null(&condition, &Ty::bool()).is_some() {
                codes::NULL_ASSIGNMENT.at(at, &[&Ty::bool(), &condition])
            } else {
                codes::EXPECTED_TYPE.at(at, &[&Ty::bool()])
            };
            self.push(found);
        }
        self.ty(it.body())
    }

    /// The type of a variable of a loop, lambda or function.
    pub(super) fn local(&mut self, node: SyntaxNode<'m>) -> Ty {
        self.memo(node, |checker| checker.local_type(node))
    }

    fn local_type(&mut self, node: SyntaxNode<'m>) -> Ty {
        let Some(symbol) = self.model.symbol_at(node) else { return Ty::any() };
        let around = |checker: &Self, kind| {
            let mut at = checker.model.parent(node);
            while let Some(parent) = at {
                if parent.kind() == kind {
                    return Some(parent);
                }
                at = checker.model.parent(parent);
            }
            None
        };
        match self.model.symbol(symbol).kind {
            SymbolKind::LoopItem => {
                let Some(each) = around(self, NodeKind::For).and_then(For::cast) else { return Ty::any() };
                let source = self.ty(each.expression());
                source.as_list().map_or_else(Ty::any, |(item, _)| item)
            }
            SymbolKind::LoopIndex => {
                let Some(each) = around(self, NodeKind::For).and_then(For::cast) else { return Ty::any() };
                let source = self.ty(each.expression());
                let last = match source.as_list().and_then(|(_, length)| length.max) {
                    None | Some(0) => MAX_LOOP_INDEX,
                    Some(count) => count - 1,
                };
                Ty::int_within(Range { min: Some(0), max: Some(last) }, TypeFlags::empty())
            }
            SymbolKind::LambdaParameter => {
                let Some(lambda) = around(self, NodeKind::Lambda).and_then(Lambda::cast) else {
                    return Ty::any();
                };
                let place = nodes::variables(lambda.variables()).position(|variable| variable.node() == node);
                self.lambda_argument(lambda, place.unwrap_or(0)).unwrap_or_else(Ty::any)
            }
            SymbolKind::FunctionParameter => self.typed_parameter(node),
            _ => Ty::any(),
        }
    }

    fn variable_access(&mut self, access: VariableAccess<'m>) -> Ty {
        let node = access.node();
        match self.model.binding(node.id()) {
            Binding::Symbol(symbol) => self.symbol_value(symbol, access),
            Binding::Namespace(namespace) => Ty::object_of(ObjectTy {
                name: namespace.name().into(),
                role: Role::BuiltIn(namespace),
                ..ObjectTy::default()
            }),
            Binding::Ambient(_) => {
                Ty::error(codes::TYPE_AS_VALUE.at(access.name().span(), &[&access.name().text()]))
            }
            Binding::Function(_)
            | Binding::Decorator(_)
            | Binding::DeclaredDecorator(_)
            | Binding::ExtensionFunction => {
                Ty::error(codes::NOT_A_VALUE.at(access.name().span(), &[&access.name().text()]))
            }
            Binding::None | Binding::Unresolved => self.name_error(access.name().span()),
        }
    }

    fn symbol_value(&mut self, symbol: SymbolId, access: VariableAccess<'m>) -> Ty {
        let name = access.name();
        let referred = |checker: &mut Self| {
            let ty = checker.symbol_type(symbol);
            if ty.is_error() {
                return Ty::error(codes::DECLARATION_HAS_ERRORS.at(access.span(), &[&name.text()]));
            }
            ty
        };
        match self.kind_of(symbol) {
            SymbolKind::Type => Ty::error(codes::TYPE_AS_VALUE.at(name.span(), &[&name.text()])),
            SymbolKind::Imported(_) => match self.imported_value(symbol) {
                Some(ty) => ty,
                None => Ty::error(codes::TYPE_AS_VALUE.at(name.span(), &[&name.text()])),
            },
            SymbolKind::Resource
            | SymbolKind::Module
            | SymbolKind::Test
            | SymbolKind::Parameter
            | SymbolKind::ParameterAssignment
            | SymbolKind::Variable
            | SymbolKind::LoopItem
            | SymbolKind::LoopIndex
            | SymbolKind::LambdaParameter
            | SymbolKind::FunctionParameter
            | SymbolKind::Extension
            | SymbolKind::Base => referred(self),
            SymbolKind::Inherited => Ty::any(),
            SymbolKind::This | SymbolKind::WildcardImport => self.symbol_type(symbol),
            _ => Ty::error(codes::NOT_A_VALUE.at(name.span(), &[&name.text()])),
        }
    }

    /// What is wrong with a name, as no type.
    pub(super) fn name_error(&self, span: syntax::Span) -> Ty {
        let found = self.name_findings.get(&span).and_then(|place| self.model.findings.get(*place));
        Ty::errors(found.cloned().into_iter().collect())
    }
}

/// Errors that are passed on instead of being reported where they are met.
#[derive(Default)]
pub(crate) struct Errors {
    findings: Vec<Finding>,
    failed: bool,
}

impl Errors {
    /// The errors of types together, if any has some.
    pub(crate) fn of<'t>(types: impl IntoIterator<Item = &'t Ty>) -> Option<Ty> {
        let mut errors = Errors::default();
        types.into_iter().for_each(|ty| errors.add(ty));
        errors.take()
    }

    pub(super) fn add(&mut self, ty: &Ty) {
        self.failed |= ty.is_error();
        self.findings.extend_from_slice(ty.findings());
    }

    pub(super) fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// No type with all errors; nothing when there are none.
    pub(super) fn take(self) -> Option<Ty> {
        let failed = self.failed || self.findings.iter().any(Finding::is_error);
        failed.then(|| Ty::errors(self.findings))
    }
}
