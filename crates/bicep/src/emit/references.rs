//! Resources and modules by id, by symbolic name, and by `reference()`.

use syntax::NodeId;
use syntax::ast::{AstNode as _, Expr, Statement};

use super::access::DEPLOYMENTS_VERSION;
use super::arena::ExprId;
use super::emitter::Emitter;
use super::external_resources::ExternalResource;
use crate::symbols::{ResourceId, SymbolId, SymbolKind};

/// The type of the deployments that modules become.
pub(crate) const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

/// Which element of a collection is meant, and what the variables of its loop stand for then.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) index: ExprId,
    pub(crate) locals: Vec<(SymbolId, ExprId)>,
}

/// A resource or module that an expression stands for.
#[derive(Debug)]
pub(crate) enum Reference {
    Resource {
        id: ResourceId,
        index: Option<Index>,
    },
    Module {
        symbol: SymbolId,
        index: Option<Index>,
    },
    /// A resource that is declared elsewhere.
    Given(ExternalResource),
}

impl<'u> Emitter<'u> {
    /// The resource or module that an expression stands for.
    pub(crate) fn reference(&mut self, expression: Expr<'u>) -> Option<Reference> {
        let model = self.unit.model;
        match expression {
            Expr::ParenthesizedExpression(it) => self.reference(it.expression()),
            Expr::NonNullAssertion(it) => self.reference(it.base()),
            Expr::VariableAccess(_) | Expr::ResourceAccess(_) => {
                let symbol = model.symbol_in(expression)?;
                match model.symbol(symbol).kind {
                    SymbolKind::Resource => {
                        Some(Reference::Resource { id: model.resource_id(symbol)?, index: None })
                    }
                    SymbolKind::Module => Some(Reference::Module { symbol, index: None }),
                    SymbolKind::Parameter => self.given_parameter(symbol).map(Reference::Given),
                    SymbolKind::Variable => {
                        // A variable that is written out stands for whatever its value does.
                        let value = self.alias_value(symbol)?;
                        self.reference(value)
                    }
                    _ => None,
                }
            }
            Expr::ArrayAccess(access) => {
                let base = access.base();
                if !matches!(base, Expr::VariableAccess(_) | Expr::ResourceAccess(_)) {
                    return None;
                }
                let symbol = self.alias_target(model.symbol_in(base)?)?;
                match model.symbol(symbol).kind {
                    SymbolKind::Resource => {
                        let id = model.resource_id(symbol)?;
                        let each = model.resource(id).body.each?;
                        let index = self.index_of(each, access.index());
                        Some(Reference::Resource { id, index: Some(index) })
                    }
                    SymbolKind::Module => {
                        let each = model.module_of(symbol)?.body.each?;
                        let index = self.index_of(each, access.index());
                        Some(Reference::Module { symbol, index: Some(index) })
                    }
                    _ => None,
                }
            }
            Expr::PropertyAccess(access) => self.given_output(access).map(Reference::Given),
            _ => self.any_argument(expression).and_then(|argument| self.reference(argument)),
        }
    }

    /// The value of a variable that is another name of a resource or module, through other variables.
    fn alias_value(&self, symbol: SymbolId) -> Option<Expr<'u>> {
        let model = self.unit.model;
        let mut symbol = symbol;
        for _ in 0..=model.declarations.variables.len() {
            let Some(Statement::VariableDeclaration(variable)) = model.statement_of(symbol) else {
                return None;
            };
            let mut value = variable.value();
            loop {
                value = match value {
                    Expr::ParenthesizedExpression(inner) => inner.expression(),
                    Expr::NonNullAssertion(inner) => inner.base(),
                    _ => match self.any_argument(value) {
                        Some(argument) => argument,
                        None => break,
                    },
                };
            }
            match value {
                Expr::ArrayAccess(_) | Expr::ResourceAccess(_) => return Some(value),
                Expr::VariableAccess(_) => {
                    let next = model.symbol_in(value)?;
                    if model.symbol(next).kind != SymbolKind::Variable {
                        return Some(value);
                    }
                    symbol = next;
                }
                _ => return None,
            }
        }
        None
    }

    /// The symbol that a variable is another name of.
    fn alias_target(&self, symbol: SymbolId) -> Option<SymbolId> {
        let model = self.unit.model;
        let mut symbol = symbol;
        for _ in 0..=model.declarations.variables.len() {
            match model.symbol(symbol).kind {
                SymbolKind::Variable => {
                    let Some(Statement::VariableDeclaration(variable)) = model.statement_of(symbol) else {
                        return None;
                    };
                    let mut value = variable.value();
                    while let Expr::ParenthesizedExpression(inner) = value {
                        value = inner.expression();
                    }
                    if !matches!(value, Expr::VariableAccess(_) | Expr::ResourceAccess(_)) {
                        return None;
                    }
                    symbol = model.symbol_in(value)?;
                }
                _ => return Some(symbol),
            }
        }
        None
    }

    /// What the variables of a loop stand for at an index.
    pub(crate) fn index_of(&mut self, each: NodeId, index: Expr<'u>) -> Index {
        let index = self.convert(index);
        let mut locals = Vec::new();
        if let Some(each) = self.loop_at(each)
            && let Some(scope) = self.unit.model.scope_of(each.body().node().id())
        {
            for symbol in &scope.symbols {
                match self.unit.model.symbol(*symbol).kind {
                    SymbolKind::LoopItem => {
                        let source = self.convert(each.expression());
                        locals.push((*symbol, self.arena.step(source, index)));
                    }
                    SymbolKind::LoopIndex => locals.push((*symbol, index)),
                    _ => {}
                }
            }
        }
        Index { index, locals }
    }

    /// A resource or module as a value.
    pub(super) fn convert_reference(&mut self, reference: &Reference) -> ExprId {
        match reference {
            Reference::Given(given) => self.given_reference(given, true),
            Reference::Resource { id, index } => {
                let outer = self.locals.len();
                self.locals.extend(index.iter().flat_map(|index| index.locals.iter().copied()));
                let result = self.reference_call(*id, index.as_ref().map(|index| index.index), true);
                self.locals.truncate(outer);
                result
            }
            Reference::Module { symbol, index } => {
                let outer = self.locals.len();
                self.locals.extend(index.iter().flat_map(|index| index.locals.iter().copied()));
                let result = self.module_reference_call(*symbol, index.as_ref().map(|index| index.index));
                self.locals.truncate(outer);
                result
            }
        }
    }

    /// `reference(...)` of a resource, or `references(...)` of a whole collection.
    pub(super) fn reference_call(&mut self, id: ResourceId, index: Option<ExprId>, full: bool) -> ExprId {
        let resource = self.unit.model.resource(id);
        let whole = resource.body.is_collection() && index.is_none();
        let target = if self.unit.settings.symbolic {
            self.symbolic_reference(id, index)
        } else if whole {
            let name = self.symbolic_name(id);
            self.arena.text(&name)
        } else {
            self.resource_id_expression(id)
        };
        if resource.extension.is_some() {
            return self.arena.call(if whole { "references" } else { "reference" }, &[target]);
        }
        if whole {
            let mut arguments = vec![target];
            if full {
                arguments.push(self.arena.text("full"));
            }
            return self.arena.call("references", &arguments);
        }
        let mut arguments = vec![target];
        if full || !self.unit.settings.symbolic {
            let version = resource.ty.as_ref().and_then(|ty| ty.version.as_deref()).unwrap_or_default();
            arguments.push(self.arena.text(version));
        }
        if full {
            arguments.push(self.arena.text("full"));
        }
        self.arena.call("reference", &arguments)
    }

    /// `reference(...)` of a module, or `references(...)` of a whole collection.
    pub(super) fn module_reference_call(&mut self, symbol: SymbolId, index: Option<ExprId>) -> ExprId {
        let model = self.unit.model;
        let name = &model.symbol(symbol).name;
        let whole =
            index.is_none() && model.module_of(symbol).is_some_and(|module| module.body.is_collection());
        if self.unit.settings.symbolic {
            let target = self.symbolic_name_reference(name, index);
            return self.arena.call(if whole { "references" } else { "reference" }, &[target]);
        }
        if whole {
            let name = self.arena.text(name);
            return self.arena.call("references", &[name]);
        }
        let target = self.module_id_expression(symbol, index);
        let version = self.arena.text(DEPLOYMENTS_VERSION);
        self.arena.call("reference", &[target, version])
    }

    /// The name of a resource in the template: that of nested ones has the names around it in front.
    pub(crate) fn symbolic_name(&self, id: ResourceId) -> String {
        let model = self.unit.model;
        let name = |id: ResourceId| model.symbol(model.resource(id).symbol).name.as_str();
        let mut parts = vec![name(id)];
        for ancestor in model.ancestors(id).iter().rev().take_while(|ancestor| ancestor.is_nested) {
            parts.push(name(ancestor.resource));
        }
        parts.reverse();
        parts.join("::")
    }

    /// A resource by its name in the template.
    pub(super) fn symbolic_reference(&mut self, id: ResourceId, index: Option<ExprId>) -> ExprId {
        let name = self.symbolic_name(id);
        self.symbolic_name_reference(&name, index)
    }

    /// A resource or module by its name in the template.
    pub(super) fn symbolic_name_reference(&mut self, name: &str, index: Option<ExprId>) -> ExprId {
        match index {
            None => self.arena.text(name),
            Some(index) => {
                let format = self.arena.text(&format!("{name}[{{0}}]"));
                self.arena.call("format", &[format, index])
            }
        }
    }

    /// The name of a module: the given one, or one made from its symbol.
    pub(super) fn module_name(&mut self, symbol: SymbolId, index: Option<ExprId>) -> ExprId {
        const MAX_NAME: usize = 64;
        const HASH: usize = 13;
        const LARGEST_INDEX: usize = 3;
        let model = self.unit.model;
        let Some(module) = model.module_of(symbol) else { return self.arena.text("") };
        if let Some(name) = model.body_property(&module.body, "name") {
            return self.convert(name);
        }
        let own = model.symbol(symbol).name.as_str();
        let in_loop = module.body.is_collection();
        let taken = if in_loop { LARGEST_INDEX + HASH + 2 } else { HASH + 1 };
        let prefix: String = own.chars().take(MAX_NAME - taken).collect();
        let own = self.arena.text(own);
        let deployment = self.arena.call("deployment", &[]);
        let deployment = self.arena.property(deployment, "name");
        let hash = self.arena.call("uniqueString", &[own, deployment]);
        if in_loop {
            let format = self.arena.text(&format!("{prefix}-{{0}}-{{1}}"));
            let index = index.unwrap_or_else(|| self.arena.call("copyIndex", &[]));
            return self.arena.call("format", &[format, index, hash]);
        }
        let format = self.arena.text(&format!("{prefix}-{{0}}"));
        self.arena.call("format", &[format, hash])
    }

    /// The parts of a resource's name, one for each part of its type.
    pub(super) fn name_segments(&mut self, id: ResourceId) -> Vec<ExprId> {
        let model = self.unit.model;
        let ancestors = model.ancestors(id);
        let types = model.resource(id).ty.as_ref().map_or(1, |ty| ty.segments().saturating_sub(1));
        let own = self.name_of(id);
        if ancestors.is_empty() {
            return if types == 1 { vec![own] } else { self.split_name(own, types) };
        }
        let outer = self.locals.len();
        let first_length = types.saturating_sub(ancestors.len());
        let mut segments = vec![own];
        // From the resource outwards: the index of each parent is read where its child stands.
        for (position, ancestor) in ancestors.iter().enumerate().rev() {
            self.enter(ancestor.resource, ancestor.index);
            let name = self.name_of(ancestor.resource);
            if position == 0 && first_length > 1 {
                segments.extend(self.split_name(name, first_length).into_iter().rev());
            } else {
                segments.push(name);
            }
        }
        self.locals.truncate(outer);
        segments.reverse();
        segments
    }

    /// Moves to where a parent is declared: the variables of its loop stand for what the index picks.
    pub(super) fn enter(&mut self, parent: ResourceId, index: Option<NodeId>) {
        let model = self.unit.model;
        if let (Some(each), Some(index)) = (model.resource(parent).body.each, index)
            && let Some(index) = Expr::cast(model.file.node(index))
        {
            let index = self.index_of(each, index);
            self.locals.extend(index.locals);
        }
    }

    fn name_of(&mut self, id: ResourceId) -> ExprId {
        match self.unit.model.body_property(&self.unit.model.resource(id).body, "name") {
            Some(name) => self.convert(name),
            None => self.arena.text(""),
        }
    }

    fn split_name(&mut self, name: ExprId, parts: usize) -> Vec<ExprId> {
        (0..parts)
            .map(|part| {
                let slash = self.arena.text("/");
                let split = self.arena.call("split", &[name, slash]);
                let part = self.arena.int(i64::try_from(part).unwrap_or(0));
                self.arena.step(split, part)
            })
            .collect()
    }

    /// The name of a resource with those of its parents in front.
    pub(super) fn qualified_name(&mut self, id: ResourceId) -> ExprId {
        if self.unit.model.resource(id).parent.is_none() {
            return self.name_of(id);
        }
        let segments = self.name_segments(id);
        let format: Vec<String> = (0..segments.len()).map(|part| format!("{{{part}}}")).collect();
        let mut arguments = vec![self.arena.text(&format.join("/"))];
        arguments.extend(segments);
        self.arena.call("format", &arguments)
    }
}
