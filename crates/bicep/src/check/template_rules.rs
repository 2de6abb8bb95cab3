//! What templates cannot say, although the types would allow it.

use rustc_hash::FxHashMap;
use syntax::ast::{ArrayAccess, AstNode as _, Expr, Lambda, Object, SpreadExpression, Statement, TypeExpr};
use syntax::{NodeKind, Span, SyntaxNode};

use super::{Checker, nodes};
use crate::codes;
use crate::language::Feature;
use crate::symbols::{CallSyntax, ResourceId, SymbolId, SymbolKind};
use crate::types::{FunctionFlags as F, PropertyFlags, TyKind};

impl<'m> Checker<'m> {
    /// Checks what templates cannot say.
    pub(super) fn template_rules(&mut self) {
        self.scopes();
        self.inlined();
        self.runtime();
        self.loops();
        self.features();
        self.resource_names();
        self.loop_names();
        self.module_bodies();
        self.parents();
        self.local_secrets();
        let gives_resources = self.modules_give_resources();
        for node in self.model.file.tree.root().subtree() {
            if gives_resources {
                self.output_resource(node);
            }
            match node.kind() {
                NodeKind::Lambda => self.lambda_place(node),
                NodeKind::IntegerLiteral => self.large_integer(node),
                NodeKind::ArrayAccess => self.safe_collection(node),
                NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => self.function_place(node),
                NodeKind::SpreadExpression => self.spread_place(node),
                NodeKind::VariableAccess => self.extension_use(node),
                NodeKind::ParameterizedTypeInstantiation
                | NodeKind::InstanceParameterizedTypeInstantiation => {
                    self.whole_body(node);
                }
                NodeKind::PropertyAccess => self.secure_output(node),
                _ => {}
            }
        }
    }

    fn features(&mut self) {
        let model = self.model;
        let all = &model.declarations;
        if model.file.is_test() {
            return;
        }
        if !model.features().has(Feature::TestFramework) {
            let found: Vec<_> =
                all.tests.iter().map(|id| codes::NO_TESTS.at(model.node_of(*id).span(), &[])).collect();
            self.out.extend(found);
        }
        if !model.features().has(Feature::Assertions) {
            let found: Vec<_> =
                all.asserts.iter().map(|id| codes::NO_ASSERTS.at(model.node_of(*id).span(), &[])).collect();
            self.out.extend(found);
            for id in &all.resources {
                let nested = model.resource_of(*id).and_then(|it| it.parent).is_some_and(|it| it.is_nested);
                if let Some(value) = self.body_value(*id, "asserts").filter(|_| !nested) {
                    self.push(codes::NO_ASSERTS.at(value.span(), &[]));
                }
            }
        }
    }

    /// A literal that does not fit in 64 bits with a sign, unless a minus makes it fit.
    fn large_integer(&mut self, node: SyntaxNode<'m>) {
        let Some(Expr::IntegerLiteral(literal)) = Expr::cast(node) else { return };
        if literal.value() <= i64::MAX as u64 {
            return;
        }
        let parent = self.model.parent(node).and_then(Expr::cast);
        if let Some(Expr::UnaryOperation(operation)) = parent
            && nodes::is_minus(operation)
        {
            if literal.value() > 1 << 63 {
                self.push(codes::INTEGER_TOO_LARGE.at(operation.span(), &[]));
            }
            return;
        }
        self.push(codes::INTEGER_TOO_LARGE.at(node.span(), &[]));
    }

    fn lambda_place(&mut self, node: SyntaxNode<'m>) {
        let mut at = self.model.parent(node);
        while let Some(parent) = at {
            match parent.kind() {
                NodeKind::ParenthesizedExpression => at = self.model.parent(parent),
                NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => break,
                _ => {
                    if !self.is_skipped(node) {
                        self.push(codes::LAMBDA_PLACE.at(node.span(), &[]));
                    }
                    break;
                }
            }
        }
        let Some(lambda) = Lambda::cast(node) else { return };
        self.lambda_variables(lambda);
    }

    /// Tells whether a node is inside text that could not be read as a whole.
    fn is_skipped(&self, node: SyntaxNode<'m>) -> bool {
        let mut at = Some(node);
        while let Some(node) = at {
            if node.is_skipped() {
                return true;
            }
            at = self.model.parent(node);
        }
        false
    }

    /// Variables of lambdas exist only when the deployment runs.
    fn lambda_variables(&mut self, lambda: Lambda<'m>) {
        for node in lambda.body().node().descendants() {
            // An inner lambda is looked at on its own.
            let innermost = self.innermost_lambda(node);
            if innermost != Some(lambda.node()) {
                continue;
            }
            match Expr::cast(node) {
                Some(Expr::FunctionCall(_) | Expr::InstanceFunctionCall(_)) => {
                    let Some(call) = Expr::cast(node).and_then(CallSyntax::of) else { continue };
                    if !self.call_flags(call).contains(F::REQUIRES_INLINING) {
                        continue;
                    }
                    let names: Vec<String> =
                        call.arguments().flat_map(|argument| self.lambda_names(argument.node())).collect();
                    if !names.is_empty() {
                        let list = codes::list(names);
                        self.push(codes::LAMBDA_VARIABLE_IN_FUNCTION.at(node.span(), &[&call.name(), &list]));
                    }
                }
                Some(Expr::ArrayAccess(access)) => {
                    let deployed =
                        self.model.symbol_in(access.base()).is_some_and(|symbol| self.is_deployed(symbol));
                    let names = self.lambda_names(access.index().node());
                    if deployed && !names.is_empty() {
                        let at = access.index().span();
                        self.push(codes::LAMBDA_VARIABLE_IN_INDEX.at(at, &[&codes::list(names)]));
                    }
                }
                _ => {}
            }
        }
    }

    fn innermost_lambda(&self, node: SyntaxNode<'m>) -> Option<SyntaxNode<'m>> {
        let mut at = self.model.parent(node);
        while let Some(parent) = at {
            if parent.kind() == NodeKind::Lambda {
                return Some(parent);
            }
            at = self.model.parent(parent);
        }
        None
    }

    fn lambda_names(&self, node: SyntaxNode<'m>) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for symbol in self.model.mentions(node) {
            let known = self.model.symbol(symbol);
            if known.kind == SymbolKind::LambdaParameter && !names.iter().any(|name| *name == known.name) {
                names.push(known.name.to_string());
            }
        }
        names
    }

    /// What calling a function implies.
    pub(super) fn call_flags(&mut self, call: CallSyntax<'m>) -> F {
        let callee = self.callee(call);
        callee.map_or(F::empty(), |callee| {
            callee.iter().fold(F::empty(), |flags, signature| flags.union(signature.flags))
        })
    }

    fn safe_collection(&mut self, node: SyntaxNode<'m>) {
        let Some(access) = ArrayAccess::cast(node) else { return };
        let Some(marker) = access.safe_access() else { return };
        let symbol = self.model.symbol_in(access.base());
        if symbol.is_some_and(|symbol| self.is_collection(symbol)) {
            self.push(codes::SAFE_COLLECTION.at(marker.span(), &[]));
        }
    }

    /// Tells whether a symbol is a collection of resources or modules.
    pub(super) fn is_collection(&self, symbol: SymbolId) -> bool {
        let resource = self.model.resource_of(symbol).is_some_and(|it| it.body.is_collection());
        resource || self.model.module_of(symbol).is_some_and(|it| it.body.is_collection())
    }

    /// Functions that may only be whole values.
    fn function_place(&mut self, node: SyntaxNode<'m>) {
        let Some(call) = Expr::cast(node).and_then(CallSyntax::of) else { return };
        let flags = self.call_flags(call);
        if !flags.contains(F::MODULE_SECURE_PARAMETER_ONLY) && !flags.contains(F::DIRECT_ASSIGNMENT) {
            return;
        }
        let mut at = node;
        let parent = loop {
            match self.model.parent(at) {
                Some(parent) if parent.kind() == NodeKind::TernaryOperation => at = parent,
                other => break other,
            }
        };
        let property = parent.filter(|parent| nodes::is_property_value(*parent, at));
        if flags.contains(F::MODULE_SECURE_PARAMETER_ONLY) {
            let secure = property.is_some_and(|property| self.is_secure_module_parameter(property));
            let broken = self.module_around(node).is_some_and(|module| self.symbol_type(module).is_error());
            if !secure && !broken {
                self.push(codes::SECURE_PARAMETER_ONLY.at(node.span(), &[&call.name()]));
            }
        }
        if flags.contains(F::DIRECT_ASSIGNMENT) {
            let direct = parent.is_some_and(|parent| parent.kind() == NodeKind::ParameterAssignment)
                || property.is_some_and(|property| self.is_extension_setting(property));
            if !direct {
                self.push(codes::DIRECT_ONLY.at(node.span(), &[&call.name()]));
            }
        }
    }

    fn module_around(&self, node: SyntaxNode<'m>) -> Option<SymbolId> {
        let mut at = self.model.parent(node);
        while let Some(parent) = at {
            if parent.kind() == NodeKind::ModuleDeclaration {
                return self.model.symbol_at(parent);
            }
            at = self.model.parent(parent);
        }
        None
    }

    fn is_secure_module_parameter(&mut self, property: SyntaxNode<'m>) -> bool {
        let Some(name) = syntax::ast::ObjectProperty::cast(property).and_then(|it| it.key().constant())
        else {
            return false;
        };
        let Some(params) = self.model.parent(property).and_then(|object| self.model.parent(object)) else {
            return false;
        };
        let key = |node| syntax::ast::ObjectProperty::cast(node).and_then(|it| it.key().constant());
        let outer = self.model.parent(params).and_then(|object| self.model.parent(object));
        let Some(module) = self.module_around(params) else { return false };
        let Some(inner) = key(params) else { return false };
        let path: [Option<&str>; 2] = match (inner.as_ref(), outer.and_then(key).as_deref()) {
            ("params", _) => [Some("params"), None],
            (alias, Some("extensionConfigs")) => [Some("extensionConfigs"), Some(alias)],
            _ => return false,
        };
        let mut ty = self.declared_module(module).body();
        for step in path.into_iter().flatten().chain([name.as_ref()]) {
            let Some(property) = ty.as_object().and_then(|object| object.properties.get(step)) else {
                return false;
            };
            let next = property.ty.get();
            ty = next;
        }
        crate::types::non_null(&ty).flags().contains(crate::types::TypeFlags::SECURE)
    }

    /// Tells whether a property is a setting of `extensionConfig ... with`.
    fn is_extension_setting(&self, property: SyntaxNode<'m>) -> bool {
        let around = self.model.parent(property).and_then(|object| self.model.parent(object));
        let statement = around.and_then(|with| self.model.parent(with));
        statement.is_some_and(|it| it.kind() == NodeKind::ExtensionConfigAssignment)
    }

    /// Tells whether a node stands in the configuration that a module is given for its extensions.
    fn in_extension_configs(&self, node: SyntaxNode<'m>) -> bool {
        let mut at = Some(node);
        while let Some(node) = at {
            let named = syntax::ast::ObjectProperty::cast(node)
                .is_some_and(|it| it.key().constant().as_deref() == Some("extensionConfigs"));
            if named {
                return self.module_around(node).is_some();
            }
            at = self.model.parent(node);
        }
        false
    }

    fn spread_place(&mut self, node: SyntaxNode<'m>) {
        let Some(spread) = SpreadExpression::cast(node) else { return };
        let Some(object) = self.model.parent(node).and_then(Object::cast) else { return };
        let parent = self.model.parent(object.node());
        let outermost = self.block_owner(object);
        let params = parent.and_then(syntax::ast::ObjectProperty::cast).is_some_and(|property| {
            property.key().constant().as_deref() == Some("params")
                && self
                    .model
                    .parent(property.node())
                    .and_then(Object::cast)
                    .is_some_and(|outer| self.block_owner(outer) == Some(NodeKind::ModuleDeclaration))
        });
        if outermost.is_some() || params {
            self.push(codes::SPREAD_PLACE.at(spread.span(), &[]));
        }
        let model = self.model;
        let has_loop = *self.looping.entry(object.node().id()).or_insert_with(|| {
            object.node().subtree().any(|inner| {
                inner.kind() == NodeKind::For
                    && model.parent(inner).is_some_and(|parent| nodes::is_property_value(parent, inner))
            })
        });
        if has_loop {
            self.push(codes::SPREAD_WITH_LOOP.at(spread.span(), &[]));
        }
        if parent.is_some_and(|parent| parent.kind() == NodeKind::ExtensionWithClause) {
            self.push(codes::SPREAD_PLACE.at(spread.span(), &[]));
        }
    }

    /// The kind of the declaration whose body an object is.
    fn block_owner(&self, object: Object<'m>) -> Option<NodeKind> {
        let mut at = self.model.parent(object.node())?;
        while matches!(at.kind(), NodeKind::IfCondition | NodeKind::For) {
            at = self.model.parent(at)?;
        }
        match Statement::cast(at)? {
            Statement::ResourceDeclaration(it) => {
                let nested = self.model.parent(at).is_some_and(|parent| parent.kind() == NodeKind::Object);
                (!nested && nodes::body(it.value()) == Some(object)).then_some(NodeKind::ResourceDeclaration)
            }
            Statement::ModuleDeclaration(it) => {
                (nodes::body(it.value()) == Some(object)).then_some(NodeKind::ModuleDeclaration)
            }
            _ => None,
        }
    }

    /// An extension is not a value.
    fn extension_use(&mut self, node: SyntaxNode<'m>) {
        let Some(symbol) = self.model.symbol_at(node) else { return };
        if self.model.symbol(symbol).kind != SymbolKind::Extension {
            return;
        }
        let called =
            self.model.parent(node).is_some_and(|parent| parent.kind() == NodeKind::InstanceFunctionCall);
        let configures =
            self.model.features().has(Feature::ModuleExtensionConfigs) && self.in_extension_configs(node);
        if !called && !configures {
            self.push(codes::EXTENSION_REFERENCE.at(node.span(), &[]));
        }
    }

    /// A type from a resource must be one of its properties.
    fn whole_body(&mut self, node: SyntaxNode<'m>) {
        let Some(expr) = TypeExpr::cast(node) else { return };
        if self.type_node(expr.node()).get().is_error() {
            return;
        }
        let mut at = self.model.parent(node);
        while let Some(parent) = at {
            match parent.kind() {
                NodeKind::NullableType => at = self.model.parent(parent),
                NodeKind::TypePropertyAccess
                | NodeKind::TypeItemsAccess
                | NodeKind::TypeAdditionalPropertiesAccess
                | NodeKind::TypeArrayAccess => return,
                _ => break,
            }
        }
        self.push(codes::WHOLE_BODY.at(node.span(), &[]));
    }

    /// `parent` names a resource, and no expression.
    fn parents(&mut self) {
        let model = self.model;
        let resources = self.model.declarations.resources.clone();
        for symbol in resources {
            let nested =
                self.model.resource_of(symbol).and_then(|it| it.parent).is_some_and(|it| it.is_nested);
            let Some(value) = self.body_value(symbol, "parent").filter(|_| !nested) else { continue };
            let (base, _) = nodes::unindexed(value);
            // A resource whose own parent is none cannot be a parent either.
            let target = self.resource_behind(base, 0);
            let declared = target.and_then(|target| self.model.resource_id(target));
            let found = target.is_some() && declared.is_none_or(|id| self.is_sound(id));
            if let Some(parameter) = target
                && model.symbol(parameter).kind == SymbolKind::Parameter
            {
                let name = &model.symbol(parameter).name;
                self.push(codes::RESOURCE_PARAMETER_AS_SCOPE.at(value.span(), &[name]));
            }
            if !found && !self.ty(base).is_error() {
                self.push(codes::PARENT_VALUE.at(value.span(), &[]));
            }
        }
    }

    /// The resource that a name stands for, through variables.
    pub(crate) fn resource_behind(&mut self, expr: Expr<'m>, depth: usize) -> Option<SymbolId> {
        const MAX_DEPTH: usize = 64;
        if depth > MAX_DEPTH || !matches!(expr, Expr::VariableAccess(_) | Expr::ResourceAccess(_)) {
            return None;
        }
        let model = self.model;
        let symbol = model.symbol_in(expr)?;
        if model.cycle(symbol).is_some() {
            return None;
        }
        match model.symbol(symbol).kind {
            SymbolKind::Resource => self.declared_resource(symbol).as_resource().map(|_| symbol),
            SymbolKind::Parameter => self.symbol_type(symbol).as_resource().map(|_| symbol),
            SymbolKind::Variable => match model.statement_of(symbol)? {
                Statement::VariableDeclaration(it) => self.resource_behind(it.value(), depth + 1),
                _ => None,
            },
            _ => None,
        }
    }

    /// Tells whether a declared resource takes part in checks: its type and those of its parents are known.
    pub(super) fn is_sound(&mut self, id: ResourceId) -> bool {
        let model = self.model;
        let mut path = Vec::new();
        let mut at = id;
        let sound = loop {
            if let Some(known) = self.sound.get(&at) {
                break *known;
            }
            // A resource that is its own parent, through whichever others, is none.
            self.sound.insert(at, false);
            path.push(at);
            let resource = model.resource(at);
            if model.cycle(resource.symbol).is_some() || self.declared_resource(resource.symbol).is_error() {
                break false;
            }
            match resource.parent {
                Some(parent) => at = parent.resource,
                // A parent that is a parameter is an error of its own.
                None => {
                    break match self.body_value(resource.symbol, "parent") {
                        Some(parent) => self.resource_behind(parent, 0).is_some(),
                        None => true,
                    };
                }
            }
        };
        self.sound.extend(path.into_iter().map(|at| (at, sound)));
        sound
    }

    fn resource_names(&mut self) {
        let model = self.model;
        let mut same: FxHashMap<String, Vec<(SymbolId, Span)>> = FxHashMap::default();
        let mut order: Vec<String> = Vec::new();
        for (id, resource) in model.all_resources() {
            if !self.is_sound(id) {
                continue;
            }
            let declared = self.declared_resource(resource.symbol);
            let Some(ty) = declared.as_resource().filter(|ty| ty.extension.is_none()) else { continue };
            let name = self.body_value(resource.symbol, "name");
            if let Some(Expr::String(text)) = name {
                let slashes: usize = text.segments().map(|segment| segment.matches('/').count()).sum();
                if !model.ancestors(id).is_empty() {
                    if slashes > 0 {
                        self.push(codes::CHILD_NAME.at(text.span(), &[]));
                    }
                } else {
                    let wanted = ty.reference.segments().saturating_sub(2);
                    let wrong = if text.is_interpolated() { slashes > wanted } else { slashes != wanted };
                    if wrong {
                        self.push(codes::NAME_SEGMENTS.at(text.span(), &[&wanted]));
                    }
                }
            }
            let named_once = model.body_object(&resource.body).is_none_or(|body| {
                body.properties().filter(|it| it.key().constant().as_deref() == Some("name")).count() < 2
            });
            if named_once && let Some(key) = self.identity(id, &ty.reference.name.to_lowercase()) {
                let at = name.map_or_else(|| model.node_of(resource.symbol).span(), |name| name.span());
                let entry = same.entry(key.clone()).or_default();
                if entry.is_empty() {
                    order.push(key);
                }
                entry.push((resource.symbol, at));
            }
        }
        for key in order {
            let Some(group) = same.get(&key).filter(|group| group.len() > 1) else { continue };
            let names = codes::list(group.iter().map(|(symbol, _)| &model.symbol(*symbol).name));
            let found: Vec<_> = group.iter().map(|(_, at)| codes::SAME_RESOURCE.at(*at, &[&names])).collect();
            self.out.extend(found);
        }
        self.module_names();
    }

    /// A text that two scopes share when they are one.
    pub(super) fn scope_key(&mut self, scope: Expr<'m>) -> Option<String> {
        let ty = self.ty(scope);
        let (kind, arguments) = crate::types::scope_of(&ty)?;
        let mut key = format!("{kind:?}");
        for argument in arguments {
            let argument = Expr::cast(self.node(*argument))?;
            key.push('\n');
            key.push_str(self.ty(argument).as_string_literal()?);
        }
        Some(key)
    }

    pub(super) fn is_unconditional(&mut self, symbol: SymbolId) -> bool {
        let model = self.model;
        let value = match model.statement_of(symbol) {
            Some(Statement::ResourceDeclaration(it)) => it.value(),
            Some(Statement::ModuleDeclaration(it)) => it.value(),
            _ => return true,
        };
        match nodes::condition(value) {
            Some(condition) => matches!(self.ty(condition).kind(), TyKind::BoolLit(true)),
            None => true,
        }
    }

    /// A text that two resources share when they are one; nothing when that cannot be known.
    fn identity(&mut self, id: ResourceId, ty: &str) -> Option<String> {
        let model = self.model;
        let symbol = model.resource(id).symbol;
        if !self.is_unconditional(symbol) {
            return None;
        }
        let mut key = ty.to_owned();
        let mut path = model.ancestors(id);
        let scope_owner = path.first().map_or(symbol, |it| model.resource(it.resource).symbol);
        let scope = self.body_value(scope_owner, "scope");
        path.push(crate::symbols::Ancestor { resource: id, index: None, is_nested: false });
        for step in path {
            let owner = model.resource(step.resource).symbol;
            key.push('\n');
            match self.body_value(owner, "name") {
                Some(name) => key.push_str(self.ty(name).as_string_literal()?),
                None => return None,
            }
            if let Some(index) = step.index.and_then(|index| Expr::cast(self.node(index))) {
                match self.ty(index).kind() {
                    TyKind::IntLit(value) => key.push_str(&format!("[{value}]")),
                    _ => return None,
                }
            }
        }
        if let Some(scope) = scope {
            key.push('\n');
            let direct = self.resource_behind(scope, 0);
            match direct {
                Some(target) => key.push_str(&format!("@{}", target.index())),
                None => key.push_str(&self.scope_key(scope)?),
            }
        }
        Some(key)
    }

    /// Names in loops have to differ.
    fn loop_names(&mut self) {
        let model = self.model;
        let all = model.declarations.resources.iter().chain(&model.declarations.modules).copied();
        let all: Vec<SymbolId> = all.collect();
        for symbol in all {
            let (value, is_module) = match model.statement_of(symbol) {
                Some(Statement::ResourceDeclaration(it)) if it.existing().is_none() => (it.value(), false),
                Some(Statement::ModuleDeclaration(it)) => (it.value(), true),
                _ => continue,
            };
            let Expr::For(each) = value else { continue };
            let (Some(item), index) = nodes::loop_variables(each) else { continue };
            let Some(body) = self.body_type(symbol) else { continue };
            let Some(object) = body.as_object() else { continue };
            let variant =
                object.properties.iter().filter(|(_, it)| it.flags.contains(PropertyFlags::LOOP_VARIANT));
            let variant: Vec<(String, bool)> = variant
                .map(|(name, it)| (name.to_string(), it.flags.contains(PropertyFlags::REQUIRED)))
                .collect();
            let given: Vec<(&str, bool, Expr<'m>)> = variant
                .iter()
                .filter_map(|(name, required)| {
                    let value = self.body_value(symbol, name)?;
                    (!matches!(value, Expr::Skipped(_))).then_some((name.as_str(), *required, value))
                })
                .collect();
            let counted = if is_module {
                given.iter().any(|(name, ..)| *name == "name")
            } else {
                given.iter().any(|(_, required, _)| *required)
            };
            if !counted {
                continue;
            }
            let locals: Vec<SymbolId> = [Some(item), index]
                .into_iter()
                .flatten()
                .filter_map(|variable| model.symbol_at(variable.node()))
                .collect();
            let varies = |value: Expr<'m>| {
                let mut open = vec![value.node()];
                let mut seen = rustc_hash::FxHashSet::default();
                while let Some(node) = open.pop() {
                    for mention in model.mentions(node) {
                        if locals.contains(&mention) {
                            return true;
                        }
                        if model.symbol(mention).kind == SymbolKind::Variable && seen.insert(mention) {
                            open.push(model.node_of(mention));
                        }
                    }
                }
                false
            };
            if given.iter().all(|(_, _, value)| !varies(*value))
                && let Some(at) = self.name_span(symbol)
            {
                let names = codes::list(variant.iter().map(|(name, _)| name));
                let wanted = codes::list(locals.iter().map(|local| &model.symbol(*local).name));
                self.push(codes::LOOP_INVARIANT.at(at, &[&wanted, &names]));
            }
        }
    }
}
