//! Members and elements: of values, of resources and of modules.

use syntax::ast::{ArrayAccess, AstNode as _, Expr, Lambda, PropertyAccess, Statement};
use syntax::{NodeId, SyntaxNode};

use super::arena::ExprId;
use super::emitter::Emitter;
use super::references::Reference;
use crate::files::ReferenceKind;
use crate::functions::{Becomes, Elements};
use crate::language::Feature;
use crate::symbols::{CallSyntax, ModuleTarget, ResourceId, ScopeKind, SymbolId, SymbolKind};

/// The version of the deployments that modules become.
pub(crate) const DEPLOYMENTS_VERSION: &str = "2025-04-01";
/// How far the module that an expression stands for is looked for.
const MAX_STEPS: usize = 64;
/// Functions that give null in place of an error, and take the rest of the way as arguments.
const SAFE: [&str; 2] = ["tryGet", "tryIndexFromEnd"];

/// How a member or element is reached.
#[derive(Clone, Copy, Debug, Default)]
struct AccessFlags {
    /// `.?` or `[?`
    safe: bool,
    /// `[^`
    from_end: bool,
    /// Directly behind another access.
    chained: bool,
}

impl<'u> Emitter<'u> {
    pub(super) fn convert_property(&mut self, access: PropertyAccess<'u>) -> ExprId {
        let base = access.base();
        let name = access.name().text();
        let way = AccessFlags {
            safe: access.safe_access().is_some(),
            from_end: false,
            chained: self.is_access(base),
        };
        if let Some(output) = self.convert_module_output(base, name, way) {
            return output;
        }
        if let Some(symbol) = self.unit.model.symbol_in(base)
            && self.unit.model.symbol(symbol).kind == SymbolKind::WildcardImport
        {
            let name = self.names.wildcard(self.unit.model, symbol, name);
            let name = self.arena.text(name);
            return self.arena.call("variables", &[name]);
        }
        if self.is_base(base, name) {
            return self.convert_base_member(name);
        }
        self.convert_member(base, name, way)
    }

    pub(super) fn convert_element(&mut self, access: ArrayAccess<'u>) -> ExprId {
        if let Some(reference) = self.reference(Expr::ArrayAccess(access)) {
            return self.convert_reference(&reference);
        }
        let base = access.base();
        let way = AccessFlags {
            safe: access.safe_access().is_some(),
            from_end: access.from_end().is_some(),
            chained: self.is_access(base),
        };
        if let Expr::String(text) = access.index()
            && let Some(name) = text.constant()
        {
            if self.is_base(base, &name) {
                return self.convert_base_member(&name);
            }
            return self.convert_member(base, &name, way);
        }
        let base = self.convert(base);
        let index = self.convert(access.index());
        self.convert_access(base, index, way)
    }

    /// Tells whether an expression is `base`, with a value of that name.
    fn is_base(&self, base: Expr<'u>, name: &str) -> bool {
        let model = self.unit.model;
        let symbol = model.symbol_in(base);
        symbol.is_some_and(|symbol| model.symbol(symbol).kind == SymbolKind::Base)
            && matches!(model.target_of(ReferenceKind::Extends), Some(ModuleTarget::Bicep(parent))
                if parent.assigned_names().any(|known| known == name))
    }

    /// A member by its name; those of resources and modules have their own ways.
    fn convert_member(&mut self, base: Expr<'u>, name: &str, way: AccessFlags) -> ExprId {
        match self.reference(base) {
            Some(Reference::Resource { id, index }) => {
                let outer = self.locals.len();
                self.locals.extend(index.iter().flat_map(|index| index.locals.iter().copied()));
                let index = index.map(|index| index.index);
                let result = self.convert_resource_property(id, index, name, way.safe);
                self.locals.truncate(outer);
                result
            }
            Some(Reference::Module { symbol, index }) => {
                let outer = self.locals.len();
                self.locals.extend(index.iter().flat_map(|index| index.locals.iter().copied()));
                let index = index.map(|index| index.index);
                let result = self.convert_module_property(symbol, index, name, way.safe, None);
                self.locals.truncate(outer);
                result
            }
            Some(Reference::Given(given)) => self.given_property(&given, name, way.safe),
            None => {
                let base = self.convert(base);
                let name = self.arena.text(name);
                self.convert_access(base, name, way)
            }
        }
    }

    fn convert_access(&mut self, base: ExprId, step: ExprId, way: AccessFlags) -> ExprId {
        if way.safe {
            return self.arena.call(if way.from_end { "tryIndexFromEnd" } else { "tryGet" }, &[base, step]);
        }
        if way.chained {
            let more = if way.from_end { self.counted_from_end(step) } else { step };
            if let Some(extended) = self.arena.extend_call(base, &SAFE, &[more]) {
                return extended;
            }
        }
        if way.from_end {
            return self.arena.call("indexFromEnd", &[base, step]);
        }
        self.arena.step(base, step)
    }

    fn counted_from_end(&mut self, step: ExprId) -> ExprId {
        let value = self.arena.text("value");
        let from_end = self.arena.text("fromEnd");
        let yes = self.arena.call("true", &[]);
        self.arena.call("createObject", &[value, step, from_end, yes])
    }

    /// Tells whether an expression is an access, looking through what has no meaning at run time.
    fn is_access(&self, expression: Expr<'u>) -> bool {
        match expression {
            Expr::PropertyAccess(_) | Expr::ArrayAccess(_) => true,
            Expr::NonNullAssertion(it) => self.is_access(it.base()),
            _ => self.any_argument(expression).is_some_and(|argument| self.is_access(argument)),
        }
    }

    /// The argument of `any(...)`.
    pub(crate) fn any_argument(&self, expression: Expr<'u>) -> Option<Expr<'u>> {
        let call = CallSyntax::of(expression)?;
        let function = self.unit.model.binding(call.node().id()).function()?;
        matches!(function.becomes, Becomes::Argument).then(|| call.argument(0)).flatten()
    }

    fn convert_resource_property(
        &mut self,
        id: ResourceId,
        index: Option<ExprId>,
        name: &str,
        safe: bool,
    ) -> ExprId {
        let model = self.unit.model;
        let resource = model.resource(id);
        if resource.extension.is_some() {
            let reference = self.reference_call(id, index, false);
            let name = self.arena.text(name);
            return if safe {
                self.arena.call("tryGet", &[reference, name])
            } else {
                self.arena.step(reference, name)
            };
        }
        if model.features().has(Feature::ResourceInfoCodegen)
            && !self.unit.inlined.resources.contains(&id)
            && let Some(info) = self.resource_info(id, index, name, safe)
        {
            return info;
        }
        match name {
            "id" => {
                let id_expression = self.resource_id_expression(id);
                self.guard(id, id_expression, safe).0
            }
            "name" => {
                let name = match model.body_property(&resource.body, "name") {
                    Some(name) => self.convert(name),
                    None => self.arena.text(""),
                };
                self.guard(id, name, safe).0
            }
            "type" => self.arena.text(resource.ty.as_ref().map_or("", |ty| &ty.name)),
            "apiVersion" => {
                self.arena.text(resource.ty.as_ref().and_then(|ty| ty.version.as_deref()).unwrap_or_default())
            }
            "properties" if !safe => self.reference_call(id, index, false),
            _ => {
                let reference = self.reference_call(id, index, true);
                let name = self.arena.text(name);
                self.guard_member(id, reference, name, safe)
            }
        }
    }

    /// `resourceInfo(...)` in place of names and ids.
    fn resource_info(
        &mut self,
        id: ResourceId,
        index: Option<ExprId>,
        name: &str,
        safe: bool,
    ) -> Option<ExprId> {
        let has_parent = self.unit.model.resource(id).parent.is_some();
        let symbol = self.symbolic_reference(id, index);
        let info = self.arena.call("resourceInfo", &[symbol]);
        match name {
            "name" if has_parent => {
                let name = self.arena.property(info, "name");
                let slash = self.arena.text("/");
                let parts = self.arena.call("split", &[name, slash]);
                let last = self.arena.call("last", &[parts]);
                Some(self.guard(id, last, safe).0)
            }
            "id" | "type" | "apiVersion" | "name" => {
                let name = self.arena.text(name);
                Some(self.guard_member(id, info, name, safe))
            }
            _ => None,
        }
    }

    /// An expression that is null when its resource is not deployed; and whether that needed anything.
    fn guard(&mut self, id: ResourceId, expression: ExprId, safe: bool) -> (ExprId, bool) {
        if !safe {
            return (expression, false);
        }
        match self.resource_condition(id) {
            Some(condition) => {
                let null = self.arena.call("null", &[]);
                (self.arena.call("if", &[condition, expression, null]), true)
            }
            None => (expression, false),
        }
    }

    fn guard_member(&mut self, id: ResourceId, base: ExprId, name: ExprId, safe: bool) -> ExprId {
        let (base, _) = self.guard(id, base, safe);
        if safe { self.arena.call("tryGet", &[base, name]) } else { self.arena.step(base, name) }
    }

    /// `name` or `outputs` of a module.
    fn convert_module_property(
        &mut self,
        symbol: SymbolId,
        index: Option<ExprId>,
        name: &str,
        safe: bool,
        secure: Option<bool>,
    ) -> ExprId {
        let model = self.unit.model;
        let condition = model.module_of(symbol).and_then(|module| module.body.condition).filter(|_| safe);
        let guard = |this: &mut Self, expression: ExprId| match condition
            .and_then(|node| Expr::cast(model.file.node(node)))
        {
            Some(condition) => {
                let condition = this.convert(condition);
                let null = this.arena.call("null", &[]);
                this.arena.call("if", &[condition, expression, null])
            }
            None => expression,
        };
        if name == "name" {
            let name = self.module_name(symbol, index);
            return guard(self, name);
        }
        let target = model.module_of(symbol).and_then(|module| model.module_target(module));
        if name == "outputs"
            && secure.unwrap_or_else(|| target.is_some_and(|target| target.has_secure_outputs()))
        {
            let module = if self.unit.settings.symbolic {
                self.symbolic_name_reference(&model.symbol(symbol).name, index)
            } else {
                self.module_id_expression(symbol, index)
            };
            let version = self.arena.text(DEPLOYMENTS_VERSION);
            let outputs = self.arena.call("listOutputsWithSecureValues", &[module, version]);
            return guard(self, outputs);
        }
        let reference = self.module_reference_call(symbol, index);
        let name = self.arena.text(name);
        if safe {
            let reference = guard(self, reference);
            return self.arena.call("tryGet", &[reference, name]);
        }
        self.arena.step(reference, name)
    }

    /// `module.outputs.name`, whatever stands for the module.
    fn convert_module_output(&mut self, base: Expr<'u>, name: &str, way: AccessFlags) -> Option<ExprId> {
        let Expr::PropertyAccess(outputs) = base else { return None };
        if outputs.name().text() != "outputs" {
            return None;
        }
        let module = self.module_behind(outputs.base(), 0)?;
        let model = self.unit.model;
        let target = model.module_of(module).and_then(|module| model.module_target(module));
        let secure = target.is_some_and(|target| target.is_secure_output(name));
        let name = self.arena.text(name);
        let mut tail = vec![name];
        let base = if let Some(Reference::Module { symbol, index }) = self.reference(outputs.base()) {
            let outer = self.locals.len();
            self.locals.extend(index.iter().flat_map(|index| index.locals.iter().copied()));
            let index = index.map(|index| index.index);
            let safe = outputs.safe_access().is_some();
            let outputs = self.convert_module_property(symbol, index, "outputs", safe, Some(secure));
            self.locals.truncate(outer);
            if !secure {
                tail.push(self.arena.text("value"));
            }
            outputs
        } else {
            tail.push(self.arena.text("value"));
            self.convert(base)
        };
        let base = self.arena.as_call(base);
        if way.safe {
            return Some(tail.into_iter().fold(base, |base, step| self.arena.call("tryGet", &[base, step])));
        }
        if let Some(extended) = self.arena.extend_call(base, &SAFE, &tail) {
            return Some(extended);
        }
        if self.arena.is_guarded(base) {
            let mut arguments = vec![base];
            arguments.append(&mut tail);
            return Some(self.arena.call("tryGet", &arguments));
        }
        Some(tail.into_iter().fold(base, |base, step| self.arena.step(base, step)))
    }

    /// The module that an expression stands for, as far as its form tells.
    fn module_behind(&self, expression: Expr<'u>, depth: usize) -> Option<SymbolId> {
        if depth > MAX_STEPS {
            return None;
        }
        let model = self.unit.model;
        match expression {
            Expr::ParenthesizedExpression(it) => self.module_behind(it.expression(), depth + 1),
            Expr::NonNullAssertion(it) => self.module_behind(it.base(), depth + 1),
            Expr::TernaryOperation(it) => {
                self.module_behind(it.false_expression(), depth + 1)?;
                self.module_behind(it.true_expression(), depth + 1)
            }
            Expr::ArrayAccess(it) => self.collection_behind(it.base(), depth + 1),
            Expr::VariableAccess(_) => {
                let symbol = model.symbol_in(expression)?;
                match model.symbol(symbol).kind {
                    SymbolKind::Module => Some(symbol)
                        .filter(|_| !model.module_of(symbol).is_some_and(|it| it.body.is_collection())),
                    SymbolKind::Variable => match model.statement_of(symbol)? {
                        Statement::VariableDeclaration(variable) => {
                            self.module_behind(variable.value(), depth + 1)
                        }
                        _ => None,
                    },
                    SymbolKind::LambdaParameter | SymbolKind::LoopItem => {
                        self.collection_behind(self.source_of(symbol)?, depth + 1)
                    }
                    _ => None,
                }
            }
            _ => {
                let call = CallSyntax::of(expression)?;
                (self.elements(call) == Some(Elements::One))
                    .then(|| self.collection_behind(call.argument(0)?, depth + 1))
                    .flatten()
            }
        }
    }

    /// What the result of a built-in function has to do with the elements of its first argument.
    fn elements(&self, call: CallSyntax<'u>) -> Option<Elements> {
        self.unit.model.binding(call.node().id()).function().map(|function| function.elements)
    }

    fn collection_behind(&self, expression: Expr<'u>, depth: usize) -> Option<SymbolId> {
        let model = self.unit.model;
        if depth > MAX_STEPS {
            return None;
        }
        if let Some(call) = CallSyntax::of(expression) {
            let same = self.elements(call) == Some(Elements::Several);
            return same.then(|| self.collection_behind(call.argument(0)?, depth + 1)).flatten();
        }
        let symbol = model.symbol_in(expression)?;
        model.module_of(symbol).filter(|module| module.body.is_collection()).map(|_| symbol)
    }

    /// The collection whose elements a variable of a lambda or loop stands for.
    fn source_of(&self, symbol: SymbolId) -> Option<Expr<'u>> {
        let model = self.unit.model;
        let scope = model.scope(model.symbol(symbol).scope);
        if scope.kind == ScopeKind::Loop {
            return self.loop_at(scope.declaring).map(|each| each.expression());
        }
        let lambda = Lambda::cast(model.file.node(scope.declaring))?;
        let call = Expr::cast(parent_of(model, lambda.node())?).and_then(CallSyntax::of)?;
        let function = model.binding(call.node().id()).function()?;
        function.gives_elements_to_lambdas().then(|| call.argument(0)).flatten()
    }

    /// The condition of a resource, with those of the resources it is declared in.
    pub(super) fn resource_condition(&mut self, id: ResourceId) -> Option<ExprId> {
        let model = self.unit.model;
        let mut condition: Option<ExprId> = None;
        let outer = model
            .ancestors(id)
            .into_iter()
            .filter(|ancestor| ancestor.is_nested)
            .map(|ancestor| ancestor.resource);
        for resource in outer.chain([id]) {
            let body = &model.resource(resource).body;
            // The condition inside a loop around nested resources belongs to the loop.
            let node = body.condition.filter(|_| body.each.is_none() || resource == id);
            let Some(own) = node.and_then(|node: NodeId| Expr::cast(model.file.node(node))) else { continue };
            let span = own.node().span();
            let own = self.convert(own);
            let own = self.probed("condition", span, own);
            condition = Some(match condition {
                Some(outer) => self.arena.call("and", &[outer, own]),
                None => own,
            });
        }
        condition
    }
}

fn parent_of<'m>(model: &'m crate::Model, node: SyntaxNode<'m>) -> Option<SyntaxNode<'m>> {
    model.file.parent(node)
}
