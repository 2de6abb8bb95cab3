//! A file with the meaning of its names.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bicep_types::TypeStore;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::ast::{
    AstNode as _, Expr, FunctionCall, InstanceFunctionCall, Object, ObjectProperty, Program, Statement,
};
use syntax::{NodeId, SourceKind, Span, SyntaxElement, SyntaxNode, TokenKind};

use super::exports::ExportTable;
use super::imports::ImportTable;
use super::{
    Binding, Deciding, Extension, Imported, ImportedItem, Module, ModuleTarget, Namespaces, Resource, Scope,
    ScopeId, Symbol, SymbolId, SymbolKind, bind, cycles, declare, extensions,
    extensions::{Fetched, LoadTypes},
    resources,
};
use crate::decorators::{Applied, Decorator, ForFile, Refines, Writes};
use crate::files::{BicepFile, ReferenceKind};
use crate::finding::{Finding, UnlocatedFinding};
use crate::functions::Visibility;
use crate::language::{Dialect, Features};
use crate::types::Scopes;
use crate::world::FilePath;

/// The symbols of a file by kind, in source order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declarations {
    pub metadata: Vec<SymbolId>,
    /// `param` with a type
    pub parameters: Vec<SymbolId>,
    pub variables: Vec<SymbolId>,
    pub types: Vec<SymbolId>,
    pub functions: Vec<SymbolId>,
    /// `resource`, nested ones before the one they are in
    pub resources: Vec<SymbolId>,
    pub modules: Vec<SymbolId>,
    pub tests: Vec<SymbolId>,
    pub outputs: Vec<SymbolId>,
    pub asserts: Vec<SymbolId>,
    pub extensions: Vec<SymbolId>,
    /// Extensions that the configuration brings without a declaration.
    pub implicit: Vec<SymbolId>,
    /// items of import lists
    pub imported: Vec<SymbolId>,
    pub wildcards: Vec<SymbolId>,
    /// `param` with a value
    pub assignments: Vec<SymbolId>,
    /// parameters whose values other parameters files give
    pub inherited: Vec<SymbolId>,
    pub extension_configs: Vec<SymbolId>,
}

/// A file with the meaning of its names. Immutable, and shared between the threads and files that need it.
#[derive(Debug)]
pub(crate) struct Model {
    pub file: Arc<BicepFile>,
    /// The language that it is written in.
    pub dialect: Dialect,
    /// The scope that it is deployed to.
    pub target: Scopes,
    pub declarations: Declarations,
    /// The files that it refers to, in source order.
    pub sources: Vec<Imported>,
    /// The items that it imports by name.
    pub imported: Vec<ImportedItem>,
    /// The resources that it declares, in the order of their declarations.
    pub resources: Vec<Resource>,
    /// The modules that it declares.
    pub modules: Vec<Module>,
    /// The extensions that it declares.
    pub extensions: Vec<Extension>,
    /// What is wrong with its names.
    pub findings: Vec<Finding>,
    /// The types of Azure's resources, where they are known.
    pub az_types: Option<Arc<TypeStore>>,
    /// The built-in namespaces that it sees.
    pub namespaces: Namespaces,
    /// The decorators that its configuration and its extensions declare.
    pub declared: Vec<ForFile>,
    /// What is wrong with how they declare them.
    pub misdeclared: Vec<Finding>,
    pub(super) symbols: Vec<Symbol>,
    scopes: Vec<Scope>,
    scope_of: FxHashMap<NodeId, ScopeId>,
    bindings: Vec<Binding>,
    wildcard_sources: FxHashMap<SymbolId, usize>,
    source_of: FxHashMap<NodeId, usize>,
    wide_objects: RwLock<FxHashMap<NodeId, Arc<FxHashMap<SmolStr, NodeId>>>>,
    cycles: FxHashMap<SymbolId, Arc<[SymbolId]>>,
    pub(super) resource_of: FxHashMap<SymbolId, u32>,
    module_of: FxHashMap<SymbolId, u32>,
    pub(super) exported: OnceLock<ExportTable>,
    pub(super) secure_outputs: OnceLock<FxHashSet<SmolStr>>,
    /// Which parameters decide what it deploys, once that was asked for.
    pub deciding: OnceLock<Deciding>,
}

/// What a model is made from.
pub(crate) struct Build<'b> {
    pub(crate) file: Arc<BicepFile>,
    pub(crate) az_types: Option<Arc<TypeStore>>,
    pub(crate) dialect: Dialect,
    /// Gives the meaning of a file that this one refers to.
    pub(crate) resolve: &'b mut dyn FnMut(&FilePath) -> Result<ModuleTarget, UnlocatedFinding>,
    /// Gives the types of an extension.
    pub(crate) extension_types: &'b LoadTypes<'b>,
}

impl Model {
    /// Works out what the names of a file mean.
    pub(crate) fn build(build: Build<'_>) -> Model {
        let Build { file, az_types, dialect, resolve, extension_types } = build;
        let target = target_scope(&file);
        let visibility =
            Visibility { kind: file.tree.source_kind(), target, features: file.config.features(), dialect };
        let mut imports = ImportTable::new(&file, resolve);
        let fetched = Fetched::load(&file, extension_types);
        let tables = declare::declare(file.tree.root(), &mut imports, &fetched);
        let bound = bind::bind(&file, tables, visibility, &fetched);
        let mut model = Model {
            dialect,
            target,
            declarations: bound.tables.declarations,
            symbols: bound.tables.symbols,
            scopes: bound.tables.scopes,
            scope_of: bound.tables.scope_of,
            bindings: bound.bindings,
            findings: bound.findings,
            sources: imports.sources.clone(),
            imported: imports.items.clone(),
            wildcard_sources: imports.wildcards.clone(),
            source_of: FxHashMap::default(),
            wide_objects: RwLock::default(),
            cycles: FxHashMap::default(),
            resources: Vec::new(),
            modules: Vec::new(),
            extensions: Vec::new(),
            resource_of: FxHashMap::default(),
            module_of: FxHashMap::default(),
            exported: OnceLock::new(),
            secure_outputs: OnceLock::new(),
            deciding: OnceLock::new(),
            az_types,
            namespaces: bound.namespaces,
            declared: bound.declared,
            misdeclared: bound.misdeclared,
            file,
        };
        model.cycles = cycles::find(&model, &bound.tables.declared);
        model.extensions = extensions::extensions(&model, &fetched);
        let (found, by_symbol) = resources::resources(&model);
        (model.resources, model.resource_of) = (found, by_symbol);
        let (found, by_symbol) = resources::modules(&model, |declaration| imports.place(declaration));
        (model.modules, model.module_of) = (found, by_symbol);
        model.source_of =
            model.sources.iter().enumerate().map(|(place, source)| (source.declaration, place)).collect();
        model
    }

    /// A symbol. INVARIANT: ids come from this model; another model's would name something else.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "ids of a model are made with its symbols")]
    pub(crate) fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.index()]
    }

    /// The scope of an id.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "ids of a model are made with its scopes")]
    pub(crate) fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    /// The scope whose names can be used in exactly this node.
    #[must_use]
    pub(crate) fn scope_of(&self, node: NodeId) -> Option<&Scope> {
        self.scope_of.get(&node).map(|id| self.scope(*id))
    }

    /// The scopes whose names can be used at an offset, from the inside out.
    pub(crate) fn scopes_at(&self, offset: u32) -> Vec<&Scope> {
        let spans = self.scopes.iter().map(|scope| (self.reach(scope), scope));
        let mut found: Vec<(Span, &Scope)> =
            spans.filter(|(span, _)| span.start <= offset && offset <= span.end).collect();
        // Of two that are as long, the one that was declared last is inside of the other.
        found.reverse();
        found.sort_by_key(|(span, _)| span.end - span.start);
        found.into_iter().map(|(_, scope)| scope).collect()
    }

    /// Where the names of a scope can be used. A body that is not there yet begins behind its arrow.
    fn reach(&self, scope: &Scope) -> Span {
        let body = self.file.node(scope.binding).span();
        let declaring = self.file.node(scope.declaring);
        let mut tokens = declaring.children().filter_map(SyntaxElement::token);
        let arrow = tokens.find(|token| token.kind() == TokenKind::Arrow).map(|token| token.span().end);
        Span::new(arrow.unwrap_or(body.start).min(body.start), body.end)
    }

    pub(crate) fn symbols(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        (0u32..).map(SymbolId).zip(&self.symbols)
    }

    /// The declaration of a symbol.
    #[must_use]
    pub(crate) fn node_of(&self, id: SymbolId) -> SyntaxNode<'_> {
        self.file.node(self.symbol(id).node)
    }

    /// The declaration of a symbol as a statement.
    #[must_use]
    pub(crate) fn statement_of(&self, id: SymbolId) -> Option<Statement<'_>> {
        Statement::cast(self.node_of(id))
    }

    /// What a node means.
    #[must_use]
    pub(crate) fn binding(&self, node: NodeId) -> Binding {
        self.bindings.get(node.index()).copied().unwrap_or_default()
    }

    /// What all nodes mean, by their places.
    #[must_use]
    pub(crate) fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The symbol that a name, call or `::` access means, or that a declaration declares.
    #[must_use]
    pub(crate) fn symbol_at(&self, node: SyntaxNode<'_>) -> Option<SymbolId> {
        self.binding(node.id()).symbol()
    }

    /// Which symbols something other than their own declaration refers to, by their ids.
    #[must_use]
    pub(crate) fn used_symbols(&self) -> Vec<bool> {
        let mut used = vec![false; self.symbols.len()];
        let is_whole = self.file.tree.diagnostics().is_empty();
        for node in self.file.tree.root().subtree() {
            if let Binding::Symbol(symbol) = self.binding(node.id())
                && self.symbol(symbol).node != node.id()
                && let Some(used) = used.get_mut(symbol.index())
                && !*used
                && (is_whole || !self.is_skipped(node))
            {
                *used = true;
            }
        }
        used
    }

    /// Tells whether a node is in text that could not be read.
    fn is_skipped(&self, node: SyntaxNode<'_>) -> bool {
        let mut at = self.file.parent(self.file.node(node.id()));
        while let Some(node) = at {
            if node.is_skipped() {
                return true;
            }
            at = self.file.parent(node);
        }
        false
    }

    /// The symbol that an expression means; parentheses are not looked through.
    #[must_use]
    pub(crate) fn symbol_in(&self, expression: Expr<'_>) -> Option<SymbolId> {
        self.symbol_at(expression.node())
    }

    /// The node around a node.
    #[must_use]
    pub(crate) fn parent<'m>(&'m self, node: SyntaxNode<'m>) -> Option<SyntaxNode<'m>> {
        self.file.parent(node)
    }

    /// The experimental features that are on for the file.
    #[must_use]
    pub(crate) fn features(&self) -> Features {
        self.file.config.features()
    }

    /// Which functions the file sees.
    #[must_use]
    pub(crate) fn visibility(&self) -> Visibility {
        Visibility {
            kind: self.file.tree.source_kind(),
            target: self.target,
            features: self.features(),
            dialect: self.dialect,
        }
    }

    /// The declarations that a declaration refers to in a cycle, if it is in one.
    #[must_use]
    pub(crate) fn cycle(&self, symbol: SymbolId) -> Option<&[SymbolId]> {
        self.cycles.get(&symbol).map(|cycle| &**cycle)
    }

    /// The file that a declaration refers to, other than one of an extension.
    #[must_use]
    pub(crate) fn source_of(&self, declaration: NodeId) -> Option<&Imported> {
        self.sources.get(*self.source_of.get(&declaration)?)
    }

    /// The property of an object with a constant name. Of an object with many parts, the names are looked at once.
    #[must_use]
    pub(crate) fn property<'m>(&'m self, object: Object<'m>, name: &str) -> Option<ObjectProperty<'m>> {
        const NARROW: usize = 64;
        let mut items = object.items();
        let first =
            items.by_ref().take(NARROW).filter_map(SyntaxElement::node).filter_map(ObjectProperty::cast);
        let found = first.into_iter().find(|it| it.key().constant().as_deref() == Some(name));
        if found.is_some() || items.next().is_none() {
            return found;
        }
        let id = object.node().id();
        let known = self.wide_objects.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        let known = known.unwrap_or_else(|| {
            let mut names: FxHashMap<SmolStr, NodeId> = FxHashMap::default();
            for property in object.properties() {
                if let Some(name) = property.key().constant() {
                    names.entry(name.as_ref().into()).or_insert(property.node().id());
                }
            }
            let names = Arc::new(names);
            let mut all = self.wide_objects.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(id).or_insert(names))
        });
        ObjectProperty::cast(self.file.node(*known.get(name)?))
    }

    /// The file behind an `import * as` symbol.
    #[must_use]
    pub(crate) fn wildcard_source(&self, symbol: SymbolId) -> Option<&Imported> {
        self.sources.get(*self.wildcard_sources.get(&symbol)?)
    }

    /// An item of an import list, with the file that it comes from.
    #[must_use]
    pub(crate) fn imported_item(&self, symbol: SymbolId) -> Option<(&ImportedItem, &Imported)> {
        let SymbolKind::Imported(place) = self.symbol(symbol).kind else { return None };
        let item = self.imported.get(place as usize)?;
        Some((item, self.sources.get(item.source)?))
    }

    /// The resource that a symbol declares.
    #[must_use]
    pub(crate) fn resource_of(&self, symbol: SymbolId) -> Option<&Resource> {
        self.resources.get(*self.resource_of.get(&symbol)? as usize)
    }

    /// The module that a symbol declares.
    #[must_use]
    pub(crate) fn module_of(&self, symbol: SymbolId) -> Option<&Module> {
        self.modules.get(*self.module_of.get(&symbol)? as usize)
    }

    /// The first call of a built-in decorator on a declaration, type property or tuple item.
    #[must_use]
    pub(crate) fn decorator<'m>(
        &'m self,
        declaration: SyntaxNode<'m>,
        decorator: &'static Decorator,
    ) -> Option<CallSyntax<'m>> {
        self.decorators(declaration).find(|(found, _)| *found == decorator).map(|(_, call)| call)
    }

    /// The first call of a decorator that does something to the type of a declaration, property or item.
    #[must_use]
    pub(crate) fn refined<'m>(
        &'m self,
        declaration: SyntaxNode<'m>,
        refines: Refines,
    ) -> Option<CallSyntax<'m>> {
        self.decorators(declaration).find(|(found, _)| found.refines == refines).map(|(_, call)| call)
    }

    /// The calls of built-in decorators on a declaration, type property or tuple item, in source order.
    pub(crate) fn decorators<'m>(
        &'m self,
        declaration: SyntaxNode<'m>,
    ) -> impl Iterator<Item = (&'static Decorator, CallSyntax<'m>)> {
        declaration.decorators().filter_map(|decorator| {
            let call = CallSyntax::of(decorator.expression())?;
            match self.applied(decorator)? {
                Applied::BuiltIn(row) => Some((row, call)),
                Applied::Configured(_) | Applied::Declared(_) | Applied::Member(_) => None,
            }
        })
    }

    /// The options of a declaration, which become its `@options`: decorators with their calls, in source order.
    pub(crate) fn options<'m>(
        &'m self,
        declaration: SyntaxNode<'m>,
    ) -> impl DoubleEndedIterator<Item = (Applied<'m>, CallSyntax<'m>)> {
        declaration.decorators().filter_map(|decorator| {
            let call = CallSyntax::of(decorator.expression())?;
            let applied = self.applied(decorator)?;
            match applied {
                Applied::BuiltIn(row) => matches!(row.writes, Writes::Options).then_some((applied, call)),
                Applied::Configured(_) => Some((applied, call)),
                Applied::Declared(_) | Applied::Member(_) => None,
            }
        })
    }

    /// The calls of functions of the program that decorate a declaration, type property or tuple item, in source order.
    pub(crate) fn validators<'m>(
        &'m self,
        declaration: SyntaxNode<'m>,
    ) -> impl Iterator<Item = (Applied<'m>, CallSyntax<'m>)> {
        declaration.decorators().filter_map(|decorator| {
            let call = CallSyntax::of(decorator.expression())?;
            match self.applied(decorator)? {
                Applied::BuiltIn(_) | Applied::Configured(_) => None,
                applied @ (Applied::Declared(_) | Applied::Member(_)) => Some((applied, call)),
            }
        })
    }

    /// What a decorator means; nothing if its name means nothing, or nothing that could decorate.
    #[must_use]
    pub(crate) fn applied(&self, decorator: syntax::ast::Decorator<'_>) -> Option<Applied<'_>> {
        let expression = decorator.expression();
        match self.binding(expression.node().id()) {
            Binding::Decorator(row) => Some(Applied::BuiltIn(row)),
            Binding::DeclaredDecorator(place) => self.declared.get(place as usize).map(Applied::Configured),
            Binding::Symbol(symbol) => Some(Applied::Declared(symbol)),
            Binding::None => match expression {
                Expr::InstanceFunctionCall(call) => {
                    let base = self.symbol_in(call.base())?;
                    (self.symbol(base).kind == SymbolKind::WildcardImport).then_some(Applied::Member(base))
                }
                _ => None,
            },
            Binding::Function(_)
            | Binding::ExtensionFunction
            | Binding::Namespace(_)
            | Binding::Ambient(_)
            | Binding::Unresolved => None,
        }
    }

    /// The names of the parameters that a parameters file gives values to, inherited ones last.
    pub(crate) fn assigned_names(&self) -> impl Iterator<Item = &str> {
        let all = self.declarations.assignments.iter().chain(&self.declarations.inherited);
        all.map(|symbol| self.symbol(*symbol).name.as_str())
    }

    /// Tells whether nothing of the file is deployed: it has types, functions and variables for others, and no more.
    pub(crate) fn is_library(&self) -> bool {
        let it = &self.declarations;
        !self.is_params()
            && self.resources.is_empty()
            && self.modules.is_empty()
            && it.parameters.is_empty()
            && it.outputs.is_empty()
            && it.asserts.is_empty()
            && it.tests.is_empty()
    }

    /// The file that `using` or `extends` refers to.
    #[must_use]
    pub(crate) fn target_of(&self, kind: ReferenceKind) -> Option<&ModuleTarget> {
        let references =
            self.file.references.iter().filter(|reference| reference.kind != ReferenceKind::Extension);
        let found = references.zip(&self.sources).find(|(reference, _)| reference.kind == kind);
        found.and_then(|(_, source)| source.target.as_ref().ok())
    }

    /// Tells whether the file is a parameters file.
    #[must_use]
    pub(crate) fn is_params(&self) -> bool {
        self.file.tree.source_kind() == SourceKind::Params
    }
}

/// A call, with or without something before a dot.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CallSyntax<'t> {
    /// `name(...)`
    Plain(FunctionCall<'t>),
    /// `base.name(...)`
    Instance(InstanceFunctionCall<'t>),
}

impl<'t> CallSyntax<'t> {
    /// The call that an expression is.
    #[must_use]
    pub(crate) fn of(expression: Expr<'t>) -> Option<CallSyntax<'t>> {
        match expression {
            Expr::FunctionCall(call) => Some(CallSyntax::Plain(call)),
            Expr::InstanceFunctionCall(call) => Some(CallSyntax::Instance(call)),
            _ => None,
        }
    }

    /// The call as a node.
    #[must_use]
    pub(crate) fn node(self) -> SyntaxNode<'t> {
        match self {
            CallSyntax::Plain(call) => call.node(),
            CallSyntax::Instance(call) => call.node(),
        }
    }

    /// The name of the function.
    #[must_use]
    pub(crate) fn name(self) -> &'t str {
        match self {
            CallSyntax::Plain(call) => call.name().text(),
            CallSyntax::Instance(call) => call.name().text(),
        }
    }

    /// Where the name stands.
    #[must_use]
    pub(crate) fn name_span(self) -> Span {
        match self {
            CallSyntax::Plain(call) => call.name().span(),
            CallSyntax::Instance(call) => call.name().span(),
        }
    }

    /// The argument at a position.
    #[must_use]
    pub(crate) fn argument(self, position: usize) -> Option<Expr<'t>> {
        self.arguments().nth(position)
    }

    pub(crate) fn arguments(self) -> impl Iterator<Item = Expr<'t>> {
        let (plain, instance) = match self {
            CallSyntax::Plain(call) => (Some(call), None),
            CallSyntax::Instance(call) => (None, Some(call)),
        };
        plain
            .into_iter()
            .flat_map(FunctionCall::arguments)
            .chain(instance.into_iter().flat_map(InstanceFunctionCall::arguments))
    }
}

/// The scope that a file says it is deployed to.
fn target_scope(file: &BicepFile) -> Scopes {
    let statements = Program::cast(file.tree.root()).into_iter().flat_map(Program::statements);
    let declared = statements.into_iter().find_map(|statement| match statement {
        Statement::TargetScope(scope) => match scope.value() {
            Expr::String(text) => text.constant().and_then(|name| Scopes::of_word(&name)),
            _ => None,
        },
        _ => None,
    });
    declared.unwrap_or(Scopes::RESOURCE_GROUP)
}
