//! Declarations: their types, and whether what they hold fits them.

use syntax::ast::{
    AstNode as _, CompileTimeImportDeclaration, Expr, ExtensionDeclaration, FunctionDeclaration,
    NameOrString, OutputDeclaration, ParameterDeclaration, ParameterDefaultValue, Program,
    ResourceDeclaration, Statement, TypeDeclaration, TypeExpr, TypedLambda, TypedLocalVariable, UnionType,
    VariableDeclaration,
};
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode};

use super::expressions::Errors;
use super::type_syntax::{is_incomplete, no_namespace};
use super::{Checker, nodes};
use crate::codes::{self, DiagnosticCode};
use crate::decorators::Refines;
use crate::language::Feature;
use crate::symbols::{Binding, SymbolId, SymbolKind};
use crate::types::{
    EvaluationPhase, Object, Parameter, PropertyFlags, Range, Signature, Ty, TyKind, TypeRef, assignable,
    is_literal, union_of, without_null,
};

impl<'m> Checker<'m> {
    /// Types all declarations, and reports what is wrong with them.
    pub(super) fn declarations(&mut self) {
        let model = self.model;
        // Declarations that many others need come first, so that no chain of references becomes a deep recursion.
        for symbol in self.in_order() {
            self.symbol_type(symbol);
        }
        let Some(program) = Program::cast(model.file.tree.root()) else { return };
        for statement in program.statements() {
            self.statement(statement);
        }
        for (symbol, declared) in model.symbols() {
            if declared.kind.is_declaration() {
                let ty = self.symbol_type(symbol);
                self.out.extend_from_slice(ty.findings());
            }
        }
    }

    /// Variables and parameters in an order in which none comes before what it refers to.
    fn in_order(&self) -> Vec<SymbolId> {
        let model = self.model;
        let total = model.symbols().count();
        let mut done = vec![false; total];
        let mut order = Vec::new();
        let wanted = [SymbolKind::Variable, SymbolKind::Parameter, SymbolKind::ParameterAssignment];
        for (start, declared) in model.symbols() {
            if !wanted.contains(&declared.kind) {
                continue;
            }
            let mut open: Vec<(SymbolId, Vec<SymbolId>)> = Vec::new();
            let mut enter = |symbol: SymbolId, open: &mut Vec<(SymbolId, Vec<SymbolId>)>| {
                if let Some(done) = done.get_mut(symbol.index())
                    && !std::mem::replace(done, true)
                {
                    let mentions = model.mentions(model.node_of(symbol));
                    let mentions = mentions.filter(|it| wanted.contains(&model.symbol(*it).kind)).collect();
                    open.push((symbol, mentions));
                }
            };
            enter(start, &mut open);
            while let Some((symbol, mentions)) = open.last_mut() {
                match mentions.pop() {
                    Some(next) => enter(next, &mut open),
                    None => {
                        order.push(*symbol);
                        open.pop();
                    }
                }
            }
        }
        order
    }

    /// The type of what a symbol stands for.
    pub(crate) fn symbol_type(&mut self, symbol: SymbolId) -> Ty {
        let model = self.model;
        let declared = model.symbol(symbol);
        let node = model.node_of(symbol);
        match declared.kind {
            SymbolKind::LoopItem
            | SymbolKind::LoopIndex
            | SymbolKind::LambdaParameter
            | SymbolKind::FunctionParameter => self.local(node),
            SymbolKind::Type => {
                self.statement_type(node);
                self.alias(symbol)
            }
            SymbolKind::WildcardImport => self.wildcard(symbol),
            SymbolKind::Extension => self.extension_type(symbol),
            SymbolKind::This => self.this_type(),
            SymbolKind::Base => self.base_type(),
            SymbolKind::ExtensionConfig => Ty::any(),
            _ => self.statement_type(node),
        }
    }

    fn statement_type(&mut self, node: SyntaxNode<'m>) -> Ty {
        match Statement::cast(node) {
            Some(statement) => self.statement(statement),
            None => Ty::any(),
        }
    }

    /// The type of a declaration.
    pub(super) fn statement(&mut self, statement: Statement<'m>) -> Ty {
        self.memo(statement.node(), |checker| checker.statement_work(statement))
    }

    fn statement_work(&mut self, statement: Statement<'m>) -> Ty {
        match statement {
            Statement::TargetScope(it) => {
                self.no_decorators(it.node());
                let mut words = vec!["tenant", "managementGroup", "subscription", "resourceGroup"];
                if self.model.features().has(Feature::LocalDeploy) {
                    words.push("local");
                }
                let wanted = union_of(words.into_iter().map(Ty::string_literal));
                Self::require_constant(it.value().node(), &mut self.out);
                self.narrow(it.value(), &wanted)
            }
            Statement::MetadataDeclaration(it) => {
                let value = self.given(it.node(), it.value(), &Ty::any(), &codes::VARIABLE_VALUE);
                if !value.is_error() {
                    Self::require_constant(it.value().node(), &mut self.out);
                }
                value
            }
            Statement::ParameterDeclaration(it) => self.parameter(it),
            Statement::VariableDeclaration(it) => self.variable(it),
            Statement::TypeDeclaration(it) => self.type_declaration(it),
            Statement::FunctionDeclaration(it) => self.function(it),
            Statement::ResourceDeclaration(it) => self.resource(it),
            Statement::ModuleDeclaration(it) => self.module(it),
            Statement::TestDeclaration(it) => self.test(it),
            Statement::OutputDeclaration(it) => self.output(it),
            Statement::AssertDeclaration(it) => {
                let value = self.given(it.node(), it.value(), &Ty::bool(), &codes::ASSERT_VALUE);
                if value.is_error() { value } else { Ty::bool() }
            }
            Statement::CompileTimeImportDeclaration(it) => self.import(it),
            Statement::ExtensionDeclaration(it) => self.extension(it),
            Statement::ExtensionConfigAssignment(it) => {
                if !self.model.features().has(Feature::ModuleExtensionConfigs) {
                    return Ty::error(codes::PARAMS_STATEMENT.at(it.span(), &[]));
                }
                Ty::any()
            }
            Statement::UsingDeclaration(it) => {
                self.no_decorators(it.node());
                if let Some(with) = it.with_clause() {
                    self.ty(with.config());
                }
                Ty::any()
            }
            Statement::ExtendsDeclaration(it) => {
                self.no_decorators(it.node());
                Ty::any()
            }
            Statement::ParameterAssignment(it) => {
                self.no_decorators(it.node());
                self.ty(it.value())
            }
            Statement::MissingDeclaration(it) => {
                self.missing_declaration(it.node());
                Ty::any()
            }
            Statement::Skipped(_) => Ty::any(),
        }
    }

    fn no_decorators(&mut self, node: SyntaxNode<'m>) {
        if let Some(first) = node.decorators().next() {
            let at = first.at().map_or(first.span(), |token| token.span());
            self.push(codes::DECORATORS_NOT_ALLOWED.at(at, &[]));
        }
    }

    /// The type that a declaration, property or item is given, before its value is looked at.
    pub(crate) fn decorated_type(&mut self, node: SyntaxNode<'m>) -> Option<Ty> {
        match node.kind() {
            NodeKind::ObjectTypeProperty
            | NodeKind::ObjectTypeAdditionalProperties
            | NodeKind::TupleTypeItem => Some(self.type_node(node).get()),
            _ => match Statement::cast(node)? {
                Statement::ParameterDeclaration(it) => Some(self.declared_type(it.node(), it.ty(), true)),
                Statement::OutputDeclaration(it) => Some(self.declared_type(it.node(), it.ty(), false)),
                Statement::VariableDeclaration(it) => Some(self.declared_type(it.node(), it.ty()?, false)),
                Statement::TypeDeclaration(it) => {
                    self.model.symbol_at(it.node()).map(|symbol| self.alias(symbol))
                }
                _ => None,
            },
        }
    }

    fn declared_type(&mut self, node: SyntaxNode<'m>, ty: TypeExpr<'m>, loose: bool) -> Ty {
        let written = self.written_type(ty);
        self.modified(no_namespace(written, ty.span()), node, loose)
    }

    fn parameter(&mut self, it: ParameterDeclaration<'m>) -> Ty {
        let declared = self.declared_type(it.node(), it.ty(), true);
        self.check_decorators(it.node(), &declared);
        self.check_type(it.ty());
        let modifier = it.modifier().and_then(SyntaxElement::node);
        if let Some(modifier) = modifier
            && without_null(&declared).is_some()
        {
            self.push(codes::NULLABLE_DEFAULT.at(modifier.span(), &[]));
        }
        let default = modifier.and_then(ParameterDefaultValue::cast);
        if let Some(default) = default {
            self.default_references(default);
            self.ty(default.value());
        }
        if declared.is_error() {
            return declared;
        }
        let assigned = match self.allowed(it.node(), &declared) {
            Ok(assigned) => assigned,
            Err(error) => error,
        };
        if let Some(default) = default {
            let value = self.ty(default.value());
            if value.is_error() {
                self.out.extend_from_slice(value.findings());
            } else {
                self.narrow(default.value(), &assigned);
            }
        }
        assigned
    }

    /// The type of a parameter with the values that `@allowed` leaves.
    fn allowed(&mut self, node: SyntaxNode<'m>, declared: &Ty) -> Result<Ty, Ty> {
        let call = self.model.refined(node, Refines::Values).filter(|call| call.arguments().count() == 1);
        let Some(Expr::Array(array)) = call.and_then(|call| call.argument(0)) else {
            return Ok(declared.clone());
        };
        let values: Vec<Ty> = nodes::items(array).map(|item| self.ty(item)).collect();
        if values.is_empty() {
            return Err(Ty::error(codes::ALLOWED_EMPTY.at(array.span(), &[])));
        }
        let all = |test: fn(&TyKind) -> bool| values.iter().all(|value| test(value.kind()));
        let literals = (assignable(declared, &Ty::string()) && all(|kind| matches!(kind, TyKind::StrLit(_))))
            || (!assignable(declared, &Ty::string())
                && assignable(declared, &Ty::int())
                && all(|kind| matches!(kind, TyKind::IntLit(_))))
            || (!assignable(declared, &Ty::string())
                && !assignable(declared, &Ty::int())
                && assignable(declared, &Ty::bool())
                && all(|kind| matches!(kind, TyKind::BoolLit(_))));
        if literals {
            return Ok(union_of(values));
        }
        let simple = [Ty::string(), Ty::int(), Ty::bool()].iter().any(|ty| assignable(declared, ty));
        if !simple && assignable(declared, &Ty::array()) && values.iter().all(is_literal) {
            if values.iter().any(|value| matches!(value.kind(), TyKind::Tuple(_))) {
                let tuples = all(|kind| matches!(kind, TyKind::Tuple(_)));
                return Ok(if tuples { union_of(values) } else { declared.clone() });
            }
            return Ok(Ty::array_within(union_of(values), Range::default(), declared.flags()));
        }
        Ok(declared.clone())
    }

    /// Reports what a default value may not refer to.
    fn default_references(&mut self, default: ParameterDefaultValue<'m>) {
        for node in default.node().subtree().filter(|node| node.kind() == NodeKind::VariableAccess) {
            let wrong = match self.model.binding(node.id()) {
                Binding::Symbol(symbol) => {
                    !matches!(
                        self.model.symbol(symbol).kind,
                        SymbolKind::Parameter
                            | SymbolKind::Function
                            | SymbolKind::Output
                            | SymbolKind::Metadata
                            | SymbolKind::FailedImport
                    ) && !matches!(
                        self.model.symbol(symbol).kind,
                        SymbolKind::Extension | SymbolKind::This | SymbolKind::WildcardImport
                    )
                }
                Binding::Ambient(_) => true,
                _ => false,
            };
            if wrong {
                self.push(codes::DEFAULT_REFERENCE.at(node.span(), &[]));
            }
        }
    }

    fn variable(&mut self, it: VariableDeclaration<'m>) -> Ty {
        if let Some(ty) = it.ty() {
            let declared = self.declared_type(it.node(), ty, false);
            self.check_decorators(it.node(), &declared);
            // Without `=`, what looks like a type may be a value, and its parts are not looked at.
            if it.assignment().is_some() {
                self.check_type(ty);
            }
            self.assignment(&declared, it.value());
            return declared;
        }
        self.given(it.node(), it.value(), &Ty::any(), &codes::VARIABLE_VALUE)
    }

    /// The type of the value that a declaration gives; an error if it is not what is wanted there.
    fn given(
        &mut self,
        declaration: SyntaxNode<'m>,
        value: Expr<'m>,
        wanted: &Ty,
        code: &DiagnosticCode,
    ) -> Ty {
        let found = self.ty(value);
        if found.is_error() {
            return found;
        }
        if !assignable(&found, wanted) {
            return Ty::error(code.at(value.span(), &[&found]));
        }
        self.check_decorators(declaration, &found);
        found
    }

    fn output(&mut self, it: OutputDeclaration<'m>) -> Ty {
        let declared = self.declared_type(it.node(), it.ty(), false);
        self.check_decorators(it.node(), &declared);
        self.assignment(&declared, it.value());
        self.check_type(it.ty());
        declared
    }

    fn assignment(&mut self, declared: &Ty, value: Expr<'m>) {
        let ty = self.ty(value);
        if ty.is_error() {
            self.out.extend_from_slice(ty.findings());
        } else if !declared.is_error() {
            self.narrow(value, declared);
        }
    }

    fn type_declaration(&mut self, it: TypeDeclaration<'m>) -> Ty {
        let Some(symbol) = self.model.symbol_at(it.node()) else { return Ty::any() };
        let ty = self.alias(symbol);
        if it.name().text() == "resource" {
            self.push(codes::RESERVED_TYPE_NAME.at(it.name().span(), &[&it.name().text()]));
        }
        self.check_type(it.value());
        self.out.extend_from_slice(ty.findings());
        self.check_decorators(it.node(), &ty);
        ty
    }

    /// Reports what is wrong inside a type that is written out.
    fn check_type(&mut self, expr: TypeExpr<'m>) {
        // What is inside a type whose arguments do not fit is not looked at.
        let mut unfit: Option<Span> = None;
        for node in expr.node().descendants() {
            if unfit.is_some_and(|unfit| unfit.encloses(node.span())) {
                continue;
            }
            match node.kind() {
                NodeKind::ObjectTypeProperty
                | NodeKind::ObjectTypeAdditionalProperties
                | NodeKind::TupleTypeItem => {
                    let ty = self.type_node(node).get();
                    self.check_decorators(node, &ty);
                    self.out.extend_from_slice(ty.findings());
                }
                NodeKind::ArrayType => {
                    if let Some(array) = syntax::ast::ArrayType::cast(node) {
                        let own = self.type_node(array.item().node()).get();
                        let ty = no_namespace(own, array.item().span());
                        self.out.extend_from_slice(ty.findings());
                    }
                }
                NodeKind::UnionType => {
                    if let Some(union) = UnionType::cast(node) {
                        self.check_union(union);
                    }
                }
                NodeKind::ParameterizedTypeInstantiation
                | NodeKind::InstanceParameterizedTypeInstantiation
                    if self.type_node(node).get().is_error() =>
                {
                    unfit = Some(node.span());
                }
                NodeKind::StringTypeLiteral => {
                    if let Some(TypeExpr::StringTypeLiteral(text)) = TypeExpr::cast(node) {
                        for hole in text.holes() {
                            self.ty(hole);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn check_union(&mut self, union: UnionType<'m>) {
        let ty = self.type_node(union.node()).get();
        self.out.extend_from_slice(ty.findings());
        if ty.is_error() || matches!(ty.kind(), TyKind::Discriminated(_)) {
            return;
        }
        let parent = self.model.parent(union.node()).map(SyntaxNode::kind);
        if parent == Some(NodeKind::VariableDeclaration) && is_incomplete(union) {
            return;
        }
        let mut members: Vec<(Ty, TypeExpr<'m>)> = Vec::new();
        for member in union.members() {
            let ty = no_namespace(self.written_type(member), member.span());
            match ty.kind() {
                TyKind::Union(inner) => members.extend(inner.iter().map(|inner| (inner.get(), member))),
                _ => members.push((ty, member)),
            }
        }
        let wide = |ty: &Ty| match ty.kind() {
            TyKind::StrLit(_) | TyKind::Str(_) => Some(Ty::string()),
            TyKind::IntLit(_) | TyKind::Int(_) => Some(Ty::int()),
            TyKind::BoolLit(_) | TyKind::Bool => Some(Ty::bool()),
            TyKind::Object(_) => Some(Ty::object()),
            TyKind::Tuple(_) => Some(Ty::array()),
            TyKind::Null => Some(Ty::null()),
            _ => None,
        };
        let keystone = union_of(members.iter().filter_map(|(ty, _)| wide(ty)));
        let is_primitive = |ty: &Ty| {
            [Ty::string(), Ty::object(), Ty::int(), Ty::bool(), Ty::array(), Ty::any()]
                .iter()
                .any(|known| known.is_same(ty))
        };
        let bare = without_null(&keystone);
        let subset = match keystone.kind() {
            TyKind::Union(parts) => {
                self.is_array_item(union.node())
                    && !parts.is_empty()
                    && !parts.iter().any(|part| part.get().is_same(&Ty::array()))
            }
            _ => false,
        };
        let fits = bare.as_ref().map_or_else(|| is_primitive(&keystone), is_primitive);
        if !fits && !subset {
            self.push(codes::UNION_KIND.at(union.span(), &[]));
            return;
        }
        for (ty, member) in members {
            if !is_literal(&ty) {
                self.push(codes::UNION_LITERALS.at(member.span(), &[]));
            } else if fits && !assignable(&ty, &keystone) {
                self.push(codes::UNION_MEMBER.at(member.span(), &[&keystone]));
            }
        }
    }

    fn is_array_item(&self, node: SyntaxNode<'m>) -> bool {
        let mut at = self.model.parent(node);
        while let Some(parent) = at {
            match parent.kind() {
                NodeKind::ParenthesizedType => at = self.model.parent(parent),
                NodeKind::ArrayType => return true,
                _ => return false,
            }
        }
        false
    }

    fn function(&mut self, it: FunctionDeclaration<'m>) -> Ty {
        let Some(lambda) = it.lambda() else { return Ty::failed() };
        let ty = self.typed_lambda(lambda);
        if ty.is_error() {
            return ty;
        }
        self.check_decorators(it.node(), &ty);
        ty
    }

    fn typed_lambda(&mut self, lambda: TypedLambda<'m>) -> Ty {
        let variables = lambda.variables().into_iter().flat_map(|block| block.variables());
        let variables: Vec<TypedLocalVariable<'m>> = variables.collect();
        let mut errors = Errors::default();
        let mut arguments = Vec::new();
        for variable in variables {
            let ty = self.local(variable.node());
            self.check_type(variable.ty());
            errors.add(&ty);
            arguments.push(ty);
        }
        let returns = no_namespace(self.written_type(lambda.return_type()), lambda.return_type().span());
        self.check_type(lambda.return_type());
        let _reported = self.narrow(lambda.body(), &returns);
        // A body with errors says enough: what is wrong with the parameters is not said as well.
        if self.ty(lambda.body()).is_error() {
            errors = Errors::default();
        }
        // What is wrong with the type of the result is only seen in the body, which cannot be of it.
        if returns.is_error() {
            return errors.take().unwrap_or_else(Ty::failed);
        }
        errors.take().unwrap_or_else(|| Ty::lambda(arguments, Vec::new(), returns))
    }

    /// The type of a parameter of a function.
    pub(super) fn typed_parameter(&mut self, node: SyntaxNode<'m>) -> Ty {
        match TypedLocalVariable::cast(node) {
            Some(variable) => no_namespace(self.written_type(variable.ty()), variable.ty().span()),
            None => Ty::any(),
        }
    }

    /// How a declared function is called.
    pub(crate) fn function_signature(&mut self, symbol: SymbolId) -> Option<Signature> {
        let Some(Statement::FunctionDeclaration(declaration)) = self.model.statement_of(symbol) else {
            return None;
        };
        let mut signature = Signature {
            name: self.model.symbol(symbol).name.clone(),
            parameters: Vec::new(),
            rest: None,
            result: Ty::failed(),
            flags: crate::types::FunctionFlags::empty(),
            built_in: None,
        };
        let Some(lambda) = declaration.lambda() else { return Some(signature) };
        for variable in lambda.variables().into_iter().flat_map(|block| block.variables()) {
            let ty = self.typed_parameter(variable.node());
            let name = variable.name().text().into();
            signature.parameters.push(Parameter {
                name,
                ty,
                required: true,
                known: EvaluationPhase::Late,
                depends: None,
            });
        }
        signature.result = no_namespace(self.written_type(lambda.return_type()), lambda.return_type().span());
        Some(signature)
    }

    fn import(&mut self, it: CompileTimeImportDeclaration<'m>) -> Ty {
        self.no_import_decorators(it.node());
        Ty::any()
    }

    fn no_import_decorators(&mut self, node: SyntaxNode<'m>) {
        self.check_decorators(node, &Ty::any());
    }

    fn extension(&mut self, it: ExtensionDeclaration<'m>) -> Ty {
        let Some(symbol) = self.model.symbol_at(it.node()) else { return Ty::any() };
        let ty = self.extension_type(symbol);
        if ty.is_error() {
            return ty;
        }
        let later = self.model.features().has(Feature::ModuleExtensionConfigs);
        if later && matches!(it.specification(), NameOrString::String(_)) && it.as_clause().is_none() {
            self.push(codes::ALIAS_REQUIRED.at(it.span(), &[]));
            return Ty::failed();
        }
        self.check_decorators(it.node(), &ty);
        let name = ty.name().clone();
        match it.with_clause() {
            Some(with) => {
                let config = self.extension_config(symbol);
                match config {
                    Some(config) => {
                        // What is missing can still be given from outside.
                        let config = if later { optional(&config) } else { config };
                        self.narrow(with.config(), &config);
                    }
                    // What could not be read is not a configuration.
                    None if matches!(with.config(), Expr::Skipped(_)) => {}
                    None => self.push(codes::NO_CONFIGURATION.at(with.config().span(), &[&name])),
                }
            }
            None => {
                let needed = self.extension_config(symbol).is_some_and(|config| match config.as_object() {
                    Some(object) => {
                        object.properties.values().any(|it| it.flags.contains(PropertyFlags::REQUIRED))
                    }
                    None => true,
                });
                if needed && !later {
                    self.push(codes::CONFIGURATION_REQUIRED.at(it.span(), &[&name]));
                }
            }
        }
        ty
    }

    fn resource(&mut self, it: ResourceDeclaration<'m>) -> Ty {
        let Some(symbol) = self.model.symbol_at(it.node()) else { return Ty::failed() };
        let declared = self.declared_resource(symbol);
        let is_loop = matches!(it.value(), Expr::For(_));
        let whole = if is_loop { Ty::array_of(declared.clone(), Range::default()) } else { declared.clone() };
        self.check_decorators(it.node(), &whole);
        let Some(resource) = declared.as_resource() else { return declared };
        self.resource_notes(it, resource);
        // Nested resources are declarations of their own.
        self.narrow_resource(it.value(), &whole)
    }
}

/// A configuration of which nothing must be given but what decides on the rest.
fn optional(config: &Ty) -> Ty {
    let relaxed = |object: &Object, key: Option<&str>| {
        let mut object = object.clone();
        for (name, property) in &mut object.properties {
            if key != Some(name.as_str()) {
                property.flags = property.flags.difference(PropertyFlags::REQUIRED);
            }
        }
        TyKind::Object(object)
    };
    match config.kind() {
        TyKind::Object(object) => Ty::flagged(relaxed(object, None), config.flags()),
        TyKind::Discriminated(union) => {
            let mut union = union.clone();
            let key = union.key.clone();
            for (_, member) in &mut union.members {
                let ty = member.get();
                if let TyKind::Object(object) = ty.kind() {
                    *member = TypeRef::Now(Ty::flagged(relaxed(object, Some(&key)), ty.flags()));
                }
            }
            Ty::flagged(TyKind::Discriminated(union), config.flags())
        }
        _ => config.clone(),
    }
}
